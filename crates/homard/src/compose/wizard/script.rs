//! The conversation of the setup: which question comes next, and whether an answer is one.
//!
//! Knows no gateway. [`Facts`] go in, a [`Plan`] comes out, and nothing happens before the last yes. It is walked by
//! clients over `wizard.*`, by a person at a terminal and by the flags of a script (`homard onboard`); how a question is
//! put is `ask`.

mod ask;

use std::collections::VecDeque;

use homard_config::Secret;
use homard_protocol::methods::config::wizard::{WizardOption, WizardStep};
use serde_json::Value;

use super::answers::{AnswerError, blank, fresh, line, one_of, option, words, yes};

/// The answer that keeps the model as it is.
pub(crate) const KEEP: &str = "keep";
/// The answer that asks for no model.
pub(crate) const SKIP: &str = "skip";
/// The answer that names a server of one's own.
pub(crate) const CUSTOM: &str = "custom";
/// The ways through the setup.
pub(crate) const QUICK: &str = "quickstart";
pub(crate) const MANUAL: &str = "manual";
pub(crate) const REMOTE: &str = "remote";
/// What may be done about a model that does not answer.
const AGAIN: &str = "again";
const OTHER_KEY: &str = "key";
const OTHER_MODEL: &str = "model";
const OTHER_PROVIDER: &str = "provider";
const OTHER_ADDRESS: &str = "address";
/// How many ports behind a taken one are looked at for one to propose.
const MAX_NEXT_PORTS: u16 = 20;
/// Shortest password.
const MIN_PASSWORD: usize = 8;

/// A provider one can choose.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Whether it asks for a key at all.
    pub(crate) keyless: bool,
    /// Whether there is no key that could be typed: one logs in.
    pub(crate) login_only: bool,
    /// Where something usable was found: the variable of a key, or the address of a server that runs here.
    pub(crate) found: Option<FoundHere>,
    /// Its models, the usual choice first: id and name.
    pub(crate) models: Vec<(String, String)>,
}

/// What was found of a provider before anybody was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FoundHere {
    Variable(String),
    Server(String),
    /// A key or login that is kept already, by its name.
    Kept(String),
    /// A login another program made: the program, and the file from the home directory.
    Login {
        program: &'static str,
        file: &'static str,
    },
}

/// How much is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything, beginning with what one should know.
    Whole,
    /// What a gateway that runs can change about itself.
    Gateway,
    Only(Section),
}

/// A part of the settings that can be asked about alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Model,
    Gateway,
    Workspace,
}

/// How things are before the first question.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) scope: Scope,
    pub(crate) providers: Vec<Provider>,
    /// The model that answers now, unless it is the demo.
    pub(crate) model: Option<String>,
    pub(crate) port: u16,
    /// On which ports somebody else listens.
    pub(crate) taken: TakenPorts,
    /// Where it listens now: `loopback`, `lan`, …
    pub(crate) bind: String,
    /// How clients prove themselves now: `token`, `password` or `none`.
    pub(crate) auth: String,
    /// The workspace that was asked for beforehand.
    pub(crate) workspace: Option<String>,
    /// Where agents work now.
    pub(crate) present_workspace: String,
    /// A home of OpenClaw that could be taken over.
    pub(crate) openclaw: Option<String>,
    /// Whether the gateway can be started with the machine from here.
    pub(crate) service: bool,
    /// Whether a chosen model is asked for a word before it is taken.
    pub(crate) tries: bool,
}

/// Which ports cannot be had; looked at when one is named, because any can be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TakenPorts {
    /// Where our own gateway listens, which may stay there.
    pub(crate) ours: Option<u16>,
    pub(crate) is_used: fn(u16) -> bool,
}

impl TakenPorts {
    pub(crate) fn has(self, port: u16) -> bool {
        self.ours != Some(port) && (self.is_used)(port)
    }

    /// The next one that is free, or just the next one where so many in a row are not.
    fn next_free(self, port: u16) -> u16 {
        let next = port.saturating_add(1);
        (next..=next.saturating_add(MAX_NEXT_PORTS)).find(|port| !self.has(*port)).unwrap_or(next)
    }
}

/// A server of one's own that speaks an API somebody else invented.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OwnServer {
    pub(crate) base_url: String,
    /// Whose API: `openai` or `anthropic`; none where the provider is known and only its address is another.
    pub(crate) speaks: Option<String>,
}

/// A gateway elsewhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RemoteGateway {
    pub(crate) url: String,
    pub(crate) token: Option<Secret>,
}

/// What a provider is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Credential {
    /// A key that was typed.
    Key(Secret),
    /// The login of this program, which is taken over.
    Login(&'static str),
}

impl Plan {
    /// The key that was typed.
    pub(crate) fn key(&self) -> Option<&Secret> {
        match &self.credential {
            Some(Credential::Key(key)) => Some(key),
            Some(Credential::Login(_)) | None => None,
        }
    }

    /// The program whose login is taken over.
    pub(crate) fn login(&self) -> Option<&'static str> {
        match self.credential {
            Some(Credential::Login(program)) => Some(program),
            Some(Credential::Key(_)) | None => None,
        }
    }
}

/// What was agreed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) model: Option<(String, String)>,
    /// What the model is paid with, where that is new.
    pub(crate) credential: Option<Credential>,
    pub(crate) own_server: Option<OwnServer>,
    pub(crate) port: u16,
    pub(crate) bind: String,
    pub(crate) auth: String,
    /// A token that was given instead of one that is made.
    pub(crate) token: Option<Secret>,
    pub(crate) password: Option<Secret>,
    pub(crate) workspace: Option<String>,
    pub(crate) remote: Option<RemoteGateway>,
    /// Whether somebody said that a gateway runs on this machine.
    pub(crate) here: bool,
    pub(crate) service: bool,
}

/// What came of an answer.
#[derive(Debug)]
pub(crate) enum AnswerOutcome {
    /// There is another question.
    GoOn,
    /// The person does not want to.
    Stop,
    /// The plan's model, or the gateway elsewhere, is to be asked; [`Script::tried`] is told what it says.
    Try,
    /// OpenClaw's home is to be taken over first; this conversation is over.
    Import,
    /// It is over, and this is to be done.
    Agreed(Box<Plan>),
}

/// The questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SetupQuestion {
    Risk,
    Import,
    Way,
    RemoteUrl,
    RemoteToken,
    Provider,
    FoundKey,
    Key,
    Address,
    Speaks,
    Model,
    Trouble,
    Workspace,
    Port,
    Bind,
    Auth,
    Password,
    Service,
    Confirm,
}

/// A conversation and where it is.
#[derive(Debug)]
pub(crate) struct Script {
    facts: Facts,
    at: SetupQuestion,
    step_id: String,
    /// The questions that begin what is still to be talked about.
    ahead: VecDeque<SetupQuestion>,
    provider: Option<Provider>,
    plan: Plan,
    /// What the model, or the gateway elsewhere, said when it was asked last.
    said: Option<String>,
}

impl Script {
    /// Setting up a gateway.
    pub(crate) fn setup(facts: Facts) -> Self {
        let plan = Plan {
            model: None,
            credential: None,
            own_server: None,
            port: facts.port,
            bind: facts.bind.clone(),
            auth: facts.auth.clone(),
            token: None,
            password: None,
            workspace: facts.workspace.clone(),
            remote: None,
            here: false,
            service: false,
        };
        let import = facts.openclaw.is_some().then_some(SetupQuestion::Import);
        let ahead: Vec<SetupQuestion> = match facts.scope {
            Scope::Whole => {
                [SetupQuestion::Risk].into_iter().chain(import).chain([SetupQuestion::Way]).collect()
            }
            Scope::Gateway => vec![
                SetupQuestion::Provider,
                SetupQuestion::Port,
                SetupQuestion::Auth,
                SetupQuestion::Confirm,
            ],
            Scope::Only(Section::Model) => vec![SetupQuestion::Provider, SetupQuestion::Confirm],
            Scope::Only(Section::Workspace) => vec![SetupQuestion::Workspace, SetupQuestion::Confirm],
            Scope::Only(Section::Gateway) => {
                vec![SetupQuestion::Port, SetupQuestion::Bind, SetupQuestion::Auth, SetupQuestion::Confirm]
            }
        };
        let mut ahead = VecDeque::from(ahead);
        let at = ahead.pop_front().unwrap_or(SetupQuestion::Confirm);
        Self { at, step_id: fresh(), ahead, provider: None, plan, said: None, facts }
    }

    /// Which question waits.
    pub(crate) fn at(&self) -> SetupQuestion {
        self.at
    }

    /// What was agreed so far, for whoever is to try it.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The question that waits.
    pub(crate) fn step(&self) -> WizardStep {
        let mut step = blank(&self.step_id);
        self.ask(&mut step);
        step
    }

    /// Takes an answer. Where something is to be tried, the question goes on waiting until it was.
    pub(crate) fn answer(
        &mut self,
        step_id: &str,
        value: Option<&Value>,
    ) -> Result<AnswerOutcome, AnswerError> {
        if step_id != self.step_id {
            return Err(AnswerError::NotAsked);
        }
        let next = match self.at {
            SetupQuestion::Risk if yes(value)? => self.next_topic(),
            SetupQuestion::Risk => return Ok(AnswerOutcome::Stop),
            SetupQuestion::Import if yes(value)? => return Ok(AnswerOutcome::Import),
            SetupQuestion::Import => self.next_topic(),
            SetupQuestion::Way => self.take_way(value)?,
            SetupQuestion::RemoteUrl => {
                let url = self::ask::socket_address(&words(value, "type an address")?)?;
                self.plan.remote = Some(RemoteGateway { url, token: None });
                SetupQuestion::RemoteToken
            }
            SetupQuestion::RemoteToken => {
                let token = Some(line(value)?).filter(|text| !text.is_empty()).map(Secret::new);
                if let Some(remote) = &mut self.plan.remote {
                    remote.token = token;
                }
                return Ok(self.try_it());
            }
            SetupQuestion::Provider
            | SetupQuestion::FoundKey
            | SetupQuestion::Key
            | SetupQuestion::Address
            | SetupQuestion::Speaks
            | SetupQuestion::Model
            | SetupQuestion::Trouble => return self.take_model_answer(value),
            SetupQuestion::Workspace => {
                let folder = words(value, "type a folder")?;
                let is_new = folder != self.facts.present_workspace;
                self.plan.workspace = Some(folder).filter(|_| is_new);
                self.next_topic()
            }
            SetupQuestion::Port => {
                self.plan.port = self.free_port(value)?;
                self.next_topic()
            }
            SetupQuestion::Bind => {
                self.plan.bind = one_of(value, &self.bind_options())?;
                self.next_topic()
            }
            SetupQuestion::Auth => self.take_auth(value)?,
            SetupQuestion::Password => {
                let password = words(value, "type a password")?;
                if password.chars().count() < MIN_PASSWORD {
                    return Err(AnswerError::Value(format!("at least {MIN_PASSWORD} characters")));
                }
                self.plan.password = Some(Secret::new(password));
                self.next_topic()
            }
            SetupQuestion::Service => {
                self.plan.service = yes(value)?;
                self.next_topic()
            }
            SetupQuestion::Confirm if yes(value)? => {
                return Ok(AnswerOutcome::Agreed(Box::new(self.plan.clone())));
            }
            SetupQuestion::Confirm => return Ok(AnswerOutcome::Stop),
        };
        self.go_to(next);
        Ok(AnswerOutcome::GoOn)
    }

    /// What the model, or the gateway elsewhere, said. Nothing changes when the question was answered in the meantime.
    pub(crate) fn tried(&mut self, step_id: &str, said: Result<String, String>) {
        if step_id != self.step_id {
            return;
        }
        let next = match said {
            Ok(words) => {
                self.said = Some(words);
                self.next_topic()
            }
            Err(words) => {
                self.said = Some(words);
                SetupQuestion::Trouble
            }
        };
        self.go_to(next);
    }

    fn go_to(&mut self, next: SetupQuestion) {
        self.at = next;
        self.step_id = fresh();
    }

    fn next_topic(&mut self) -> SetupQuestion {
        self.ahead.pop_front().unwrap_or(SetupQuestion::Confirm)
    }

    /// Has what was chosen tried, where that is done; otherwise goes on.
    fn try_it(&mut self) -> AnswerOutcome {
        if self.facts.tries {
            return AnswerOutcome::Try;
        }
        let next = self.next_topic();
        self.go_to(next);
        AnswerOutcome::GoOn
    }

    fn take_way(&mut self, value: Option<&Value>) -> Result<SetupQuestion, AnswerError> {
        let way = one_of(value, &self::ask::way_options())?;
        let service = self.facts.service.then_some(SetupQuestion::Service);
        let ahead = match way.as_str() {
            REMOTE => vec![SetupQuestion::RemoteUrl],
            MANUAL => {
                vec![
                    SetupQuestion::Provider,
                    SetupQuestion::Workspace,
                    SetupQuestion::Port,
                    SetupQuestion::Bind,
                    SetupQuestion::Auth,
                ]
            }
            _ if self.facts.taken.has(self.facts.port) => vec![SetupQuestion::Provider, SetupQuestion::Port],
            _ => vec![SetupQuestion::Provider],
        };
        self.plan.here = way != REMOTE;
        let service = service.filter(|_| way != REMOTE);
        self.ahead = ahead.into_iter().chain(service).chain([SetupQuestion::Confirm]).collect();
        Ok(self.next_topic())
    }

    fn take_model_answer(&mut self, value: Option<&Value>) -> Result<AnswerOutcome, AnswerError> {
        let next = match self.at {
            SetupQuestion::FoundKey if yes(value)? => {
                self.plan.credential = match self.provider.as_ref().and_then(|one| one.found.as_ref()) {
                    Some(FoundHere::Login { program, .. }) => Some(Credential::Login(program)),
                    _ => None,
                };
                SetupQuestion::Model
            }
            SetupQuestion::FoundKey => self.without_found_key(),
            SetupQuestion::Key => {
                let key = line(value)?;
                // A server of one's own may want none.
                if key.is_empty() && self.plan.own_server.is_none() {
                    return Err(AnswerError::Value("paste the key".to_owned()));
                }
                let key = Some(key).filter(|key| !key.is_empty());
                self.plan.credential = key.map(|key| Credential::Key(Secret::new(key)));
                SetupQuestion::Model
            }
            SetupQuestion::Address => {
                let base_url = self::ask::web_address(&words(value, "type an address")?)?;
                let is_known = self.provider.is_some();
                self.plan.own_server = Some(OwnServer { base_url, speaks: None });
                if is_known { SetupQuestion::Model } else { SetupQuestion::Speaks }
            }
            SetupQuestion::Speaks => {
                let speaks = one_of(value, &self::ask::speaks_options())?;
                if let Some(server) = &mut self.plan.own_server {
                    server.speaks = Some(speaks);
                }
                SetupQuestion::Key
            }
            SetupQuestion::Model => {
                self.take_model(value)?;
                return Ok(self.try_it());
            }
            SetupQuestion::Trouble => match one_of(value, &self.trouble_options())?.as_str() {
                AGAIN => return Ok(AnswerOutcome::Try),
                OTHER_KEY if self.plan.remote.is_some() => SetupQuestion::RemoteToken,
                OTHER_KEY => self.without_found_key(),
                OTHER_ADDRESS if self.plan.remote.is_some() => SetupQuestion::RemoteUrl,
                OTHER_ADDRESS => SetupQuestion::Address,
                OTHER_MODEL => SetupQuestion::Model,
                OTHER_PROVIDER => SetupQuestion::Provider,
                _ => {
                    self.said = None;
                    self.next_topic()
                }
            },
            _ => self.take_provider(value)?,
        };
        self.go_to(next);
        Ok(AnswerOutcome::GoOn)
    }

    fn take_provider(&mut self, value: Option<&Value>) -> Result<SetupQuestion, AnswerError> {
        let chosen = one_of(value, &self.provider_options())?;
        (self.plan.model, self.plan.credential, self.plan.own_server) = (None, None, None);
        if chosen == CUSTOM {
            self.provider = None;
            return Ok(SetupQuestion::Address);
        }
        self.provider = self.facts.providers.iter().find(|provider| provider.id == chosen).cloned();
        Ok(match &self.provider {
            None => self.next_topic(),
            Some(Provider {
                found: Some(FoundHere::Variable(_) | FoundHere::Kept(_) | FoundHere::Login { .. }),
                ..
            }) => SetupQuestion::FoundKey,
            Some(provider) if provider.keyless => SetupQuestion::Model,
            Some(_) => SetupQuestion::Key,
        })
    }

    /// What was found is not to be used: a key is typed, or where there is none, another provider chosen.
    fn without_found_key(&mut self) -> SetupQuestion {
        self.plan.credential = None;
        let login_only = self.provider.as_ref().is_some_and(|provider| provider.login_only);
        if login_only { SetupQuestion::Provider } else { SetupQuestion::Key }
    }

    fn take_model(&mut self, value: Option<&Value>) -> Result<(), AnswerError> {
        let models = self.provider.as_ref().map(|provider| provider.models.as_slice()).unwrap_or_default();
        let model = if models.is_empty() {
            words(value, "type the model's name")?
        } else {
            let options: Vec<WizardOption> = models.iter().map(|(id, name)| option(id, name, None)).collect();
            one_of(value, &options)?
        };
        let own = || self.plan.own_server.as_ref().map(|server| own_name(&server.base_url));
        let provider = self.provider.as_ref().map(|provider| provider.id.clone()).or_else(own);
        self.plan.model = provider.map(|provider| (provider, model));
        Ok(())
    }

    fn free_port(&self, value: Option<&Value>) -> Result<u16, AnswerError> {
        let port = port(value)?;
        if self.facts.taken.has(port) {
            return Err(AnswerError::Value(format!("port {port} is used by another program")));
        }
        Ok(port)
    }

    fn take_auth(&mut self, value: Option<&Value>) -> Result<SetupQuestion, AnswerError> {
        self.plan.auth = one_of(value, &self.auth_options())?;
        Ok(if self.plan.auth == "password" { SetupQuestion::Password } else { self.next_topic() })
    }
}

/// What a server of one's own is called: made from its address, so that two of them do not get in each other's way.
fn own_name(base_url: &str) -> String {
    let host = base_url.split("://").nth(1).unwrap_or_default().split('/').next().unwrap_or_default();
    let host: String =
        host.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    format!("{CUSTOM}-{}", host.trim_matches('-'))
}

fn port(value: Option<&Value>) -> Result<u16, AnswerError> {
    let number = match value {
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(Value::Number(number)) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
        _ => None,
    };
    number
        .filter(|port| *port != 0)
        .ok_or_else(|| AnswerError::Value("a port is a number from 1 to 65535".to_owned()))
}

#[cfg(test)]
mod tests;
