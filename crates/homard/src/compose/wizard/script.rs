//! The conversation of the setup: which question comes next, and whether an answer is one.
//!
//! Knows no gateway. [`Facts`] go in, a [`Plan`] comes out, and nothing happens before the last yes.

use homard_config::Secret;
use homard_protocol::methods::config::wizard::{WizardOption, WizardStep, WizardStepKind};
use serde_json::{Value, json};

use super::answers::{Wrong, blank, fresh, one_of, option, say, words, yes};

/// The answer that keeps the model as it is.
pub(super) const KEEP: &str = "keep";
/// The answer that asks for no model.
pub(super) const SKIP: &str = "skip";
/// Shortest password.
const MIN_PASSWORD: usize = 8;

/// A provider one can choose.
#[derive(Debug, Clone)]
pub(super) struct Provider {
    pub(super) id: String,
    pub(super) name: String,
    /// Whether it asks for a key at all.
    pub(super) keyless: bool,
    /// The variable a key was found in.
    pub(super) found_in: Option<String>,
    /// Its models, the usual choice first: id and name.
    pub(super) models: Vec<(String, String)>,
}

/// How things are before the first question.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) providers: Vec<Provider>,
    /// The model that answers now, unless it is the demo.
    pub(super) model: Option<String>,
    pub(super) port: u16,
    /// How clients prove themselves now: `token`, `password` or `none`.
    pub(super) auth: String,
    /// Whether only this machine can connect.
    pub(super) only_here: bool,
    pub(super) workspace: Option<String>,
}

/// What was agreed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) model: Option<(String, String)>,
    /// A key that was typed.
    pub(super) key: Option<Secret>,
    pub(super) port: u16,
    pub(super) auth: String,
    pub(super) password: Option<Secret>,
    pub(super) workspace: Option<String>,
}

/// What came of an answer.
#[derive(Debug)]
pub(super) enum Taken {
    /// There is another question.
    GoOn,
    /// The person does not want to.
    Stop,
    /// It is over, and this is to be done.
    Agreed(Plan),
}

/// The questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    Provider,
    FoundKey,
    Key,
    Model,
    Port,
    Auth,
    Password,
    Confirm,
}

/// A conversation and where it is.
#[derive(Debug)]
pub(super) struct Script {
    facts: Facts,
    at: Question,
    step_id: String,
    provider: Option<Provider>,
    plan: Plan,
}

impl Script {
    /// Setting up a gateway.
    pub(super) fn setup(facts: Facts) -> Self {
        let plan = Plan {
            model: None,
            key: None,
            port: facts.port,
            auth: facts.auth.clone(),
            password: None,
            workspace: facts.workspace.clone(),
        };
        Self { at: Question::Provider, step_id: fresh(), provider: None, plan, facts }
    }

    /// The question that waits.
    pub(super) fn step(&self) -> WizardStep {
        let mut step = blank(&self.step_id);
        self.ask(&mut step);
        step
    }

    fn ask(&self, step: &mut WizardStep) {
        let name = self.provider.as_ref().map_or("the provider", |provider| provider.name.as_str());
        match self.at {
            Question::Provider => {
                step.kind = WizardStepKind::Select;
                say(step, "Model", "Whose model should answer?");
                step.options = Some(self.provider_options());
                step.initial_value =
                    step.options.as_ref().and_then(|all| all.first()).map(|o| o.value.clone());
            }
            Question::FoundKey => {
                step.kind = WizardStepKind::Confirm;
                let found = self.provider.as_ref().and_then(|provider| provider.found_in.as_deref());
                say(
                    step,
                    "Key",
                    &format!("Use the key of {name} in {}?", found.unwrap_or("the environment")),
                );
                step.initial_value = Some(json!(true));
            }
            Question::Key => {
                say(
                    step,
                    "Key",
                    &format!(
                        "The key of {name}. It is kept with your credentials, not in the configuration."
                    ),
                );
                step.sensitive = Some(true);
            }
            Question::Model => self.ask_model(step, name),
            Question::Port => {
                say(step, "Port", "On which port should the gateway listen?");
                step.initial_value = Some(json!(self.plan.port.to_string()));
            }
            Question::Auth => {
                step.kind = WizardStepKind::Select;
                say(step, "Access", "How should clients prove themselves?");
                step.options = Some(self.auth_options());
                step.initial_value = Some(json!(self.plan.auth));
            }
            Question::Password => {
                say(step, "Access", &format!("A password of at least {MIN_PASSWORD} characters."));
                step.sensitive = Some(true);
            }
            Question::Confirm => {
                step.kind = WizardStepKind::Confirm;
                say(step, "Ready", &self.summary());
                step.initial_value = Some(json!(true));
            }
        }
    }

    fn ask_model(&self, step: &mut WizardStep, name: &str) {
        let models = self.provider.as_ref().map(|provider| provider.models.as_slice()).unwrap_or_default();
        if models.is_empty() {
            say(step, "Model", &format!("Which model of {name}?"));
            step.placeholder = Some("the model's name".to_owned());
            return;
        }
        step.kind = WizardStepKind::Select;
        say(step, "Model", &format!("Which model of {name}?"));
        let option = |(id, label): &(String, String)| option(id, label, None);
        step.options = Some(models.iter().map(option).collect());
        step.initial_value = models.first().map(|(id, _)| json!(id));
    }

    fn provider_options(&self) -> Vec<WizardOption> {
        let mut options = Vec::new();
        if let Some(model) = self.facts.model.as_deref() {
            options.push(option(KEEP, "Keep the present model", Some(model)));
        }
        for provider in &self.facts.providers {
            let hint = match &provider.found_in {
                Some(variable) => Some(format!("key found in {variable}")),
                None if provider.keyless => Some("needs no key".to_owned()),
                None => None,
            };
            options.push(option(&provider.id, &provider.name, hint.as_deref()));
        }
        options.push(option(SKIP, "No model for now", Some("the built-in demo answers")));
        options
    }

    fn auth_options(&self) -> Vec<WizardOption> {
        let mut options = vec![
            option("token", "With a token", Some("Homard makes one")),
            option("password", "With a password", None),
        ];
        if self.facts.only_here {
            options.push(option("none", "Not at all", Some("whoever uses this machine may do everything")));
        }
        options
    }

    fn summary(&self) -> String {
        let model = match &self.plan.model {
            Some((provider, model)) => format!("model {provider}/{model}"),
            None => "the model as it is".to_owned(),
        };
        format!("{model}; port {}; access by {}. Write this?", self.plan.port, self.plan.auth)
    }

    /// Takes an answer.
    pub(super) fn answer(&mut self, step_id: &str, value: Option<&Value>) -> Result<Taken, Wrong> {
        if step_id != self.step_id {
            return Err(Wrong::NotAsked);
        }
        let next = match self.at {
            Question::Provider => self.take_provider(value)?,
            Question::FoundKey if yes(value)? => Question::Model,
            Question::FoundKey => Question::Key,
            Question::Key => {
                self.plan.key = Some(Secret::new(words(value, "paste the key")?));
                Question::Model
            }
            Question::Model => self.take_model(value)?,
            Question::Port => {
                self.plan.port = port(value)?;
                Question::Auth
            }
            Question::Auth => self.take_auth(value)?,
            Question::Password => {
                let password = words(value, "type a password")?;
                if password.chars().count() < MIN_PASSWORD {
                    return Err(Wrong::Value(format!("at least {MIN_PASSWORD} characters")));
                }
                self.plan.password = Some(Secret::new(password));
                Question::Confirm
            }
            Question::Confirm if yes(value)? => return Ok(Taken::Agreed(self.plan.clone())),
            Question::Confirm => return Ok(Taken::Stop),
        };
        self.at = next;
        self.step_id = fresh();
        Ok(Taken::GoOn)
    }

    fn take_provider(&mut self, value: Option<&Value>) -> Result<Question, Wrong> {
        let chosen = one_of(value, &self.provider_options())?;
        self.provider = self.facts.providers.iter().find(|provider| provider.id == chosen).cloned();
        Ok(match &self.provider {
            None => Question::Port,
            Some(provider) if provider.found_in.is_some() => Question::FoundKey,
            Some(provider) if provider.keyless => Question::Model,
            Some(_) => Question::Key,
        })
    }

    fn take_model(&mut self, value: Option<&Value>) -> Result<Question, Wrong> {
        let Some(provider) = &self.provider else { return Ok(Question::Port) };
        let model = if provider.models.is_empty() {
            words(value, "type the model's name")?
        } else {
            let options: Vec<WizardOption> =
                provider.models.iter().map(|(id, name)| option(id, name, None)).collect();
            one_of(value, &options)?
        };
        self.plan.model = Some((provider.id.clone(), model));
        Ok(Question::Port)
    }

    fn take_auth(&mut self, value: Option<&Value>) -> Result<Question, Wrong> {
        self.plan.auth = one_of(value, &self.auth_options())?;
        Ok(if self.plan.auth == "password" { Question::Password } else { Question::Confirm })
    }
}

fn port(value: Option<&Value>) -> Result<u16, Wrong> {
    let number = match value {
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(Value::Number(number)) => number.as_u64().and_then(|number| u16::try_from(number).ok()),
        _ => None,
    };
    number
        .filter(|port| *port != 0)
        .ok_or_else(|| Wrong::Value("a port is a number from 1 to 65535".to_owned()))
}

#[cfg(test)]
mod tests;
