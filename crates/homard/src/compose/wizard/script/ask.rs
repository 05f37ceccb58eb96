//! How the questions of the setup are put, and which answers they offer.

use homard_protocol::methods::config::wizard::{WizardOption, WizardStep, WizardStepKind};
use serde_json::json;

use super::{
    AGAIN, CUSTOM, FoundHere, KEEP, MANUAL, MIN_PASSWORD, OTHER_ADDRESS, OTHER_KEY, OTHER_MODEL,
    OTHER_PROVIDER, Provider, QUICK, REMOTE, SKIP, Script, SetupQuestion,
};
use crate::compose::wizard::answers::{AnswerError, option, say};

/// Where those who have no key get one.
const KEY_PAGES: [(&str, &str); 8] = [
    ("anthropic", "https://console.anthropic.com/settings/keys"),
    ("openai", "https://platform.openai.com/api-keys"),
    ("google", "https://aistudio.google.com/apikey"),
    ("openrouter", "https://openrouter.ai/keys"),
    ("mistral", "https://console.mistral.ai/api-keys"),
    ("groq", "https://console.groq.com/keys"),
    ("xai", "https://console.x.ai"),
    ("deepseek", "https://platform.deepseek.com/api_keys"),
];

/// What somebody should know before an assistant gets hands.
const RISK: &str = "\
Homard lets a language model read files, run commands and send messages on this machine, as you. Models make mistakes, \
and what they read (a web page, a message from a stranger) may try to give them orders.
Commands that were not allowed wait for your yes, strangers are not let in, and files are kept for undo. Keep it that \
way: let in only people you trust, do not open the port to the internet, and start with keys you could lose.
Do you understand that this is your responsibility?";

impl Script {
    pub(super) fn ask(&self, step: &mut WizardStep) {
        match self.at {
            SetupQuestion::Risk => confirm(step, "Security", RISK, false),
            SetupQuestion::Import => {
                let home = self.facts.openclaw.as_deref().unwrap_or_default();
                let message = format!(
                    "OpenClaw's files are in {home}. Take over its settings, keys, conversations, jobs and workspace? Nothing \
                     there is changed, and you see the list before anything is copied."
                );
                confirm(step, "OpenClaw", &message, true);
            }
            SetupQuestion::Way => select(step, "Way", "How do you want to set it up?", way_options(), QUICK),
            SetupQuestion::RemoteUrl => {
                say(step, "Gateway elsewhere", "Where is it? Its address begins with wss:// or ws://.");
                step.placeholder = Some("wss://host:18789".to_owned());
                step.initial_value = self.plan.remote.as_ref().map(|remote| json!(remote.url));
            }
            SetupQuestion::RemoteToken => {
                say(step, "Gateway elsewhere", "Its token or password. May be left empty.");
                step.sensitive = Some(true);
            }
            SetupQuestion::Workspace => {
                say(step, "Workspace", "In which folder does the assistant work and keep its notes?");
                let present = self.plan.workspace.as_deref().unwrap_or(&self.facts.present_workspace);
                step.initial_value = Some(json!(present));
            }
            SetupQuestion::Port => {
                let port = self.plan.port;
                let is_taken = self.facts.taken.has(port);
                let taken = if is_taken {
                    format!("Port {port} is used by another program. ")
                } else {
                    String::new()
                };
                say(step, "Port", &format!("{taken}On which port should the gateway listen?"));
                let usual = if is_taken { self.facts.taken.next_free(port) } else { port };
                step.initial_value = Some(json!(usual.to_string()));
            }
            SetupQuestion::Bind => {
                select(step, "Reach", "Who can reach the gateway?", self.bind_options(), &self.plan.bind);
            }
            SetupQuestion::Auth => {
                let message = "How should clients prove themselves?";
                select(step, "Access", message, self.auth_options(), &self.plan.auth);
            }
            SetupQuestion::Password => {
                say(step, "Access", &format!("A password of at least {MIN_PASSWORD} characters."));
                step.sensitive = Some(true);
            }
            SetupQuestion::Service => {
                let message = "Start the gateway by itself, and keep it running? As a service of yours it begins with your \
                               login; `loginctl enable-linger` has it begin with the machine.";
                confirm(step, "Service", message, true);
            }
            SetupQuestion::Confirm => confirm(step, "Ready", &self.summary(), true),
            SetupQuestion::Provider
            | SetupQuestion::FoundKey
            | SetupQuestion::Key
            | SetupQuestion::Address
            | SetupQuestion::Speaks
            | SetupQuestion::Model
            | SetupQuestion::Trouble => self.ask_about_model(step),
        }
    }

    fn ask_about_model(&self, step: &mut WizardStep) {
        let name = match (&self.provider, &self.plan.own_server) {
            (Some(provider), _) => provider.name.as_str(),
            (None, Some(server)) => server.base_url.as_str(),
            (None, None) => "the provider",
        };
        match self.at {
            SetupQuestion::FoundKey => {
                let message = match self.provider.as_ref().and_then(|provider| provider.found.as_ref()) {
                    Some(FoundHere::Kept(id)) => {
                        format!("Use the credential of {name} that is kept as {id}?")
                    }
                    Some(FoundHere::Variable(place) | FoundHere::Server(place)) => {
                        format!("Use the key of {name} in {place}?")
                    }
                    Some(FoundHere::Login { program, file }) => format!(
                        "Use the login of {program} (~/{file})? It is copied to your credentials; once Homard renews it, \
                         {program} may ask you to log in again."
                    ),
                    None => format!("Use the key of {name} in the environment?"),
                };
                confirm(step, "Key", &message, true);
            }
            SetupQuestion::Key => {
                let kept = "It is kept with your credentials, not in the configuration.";
                let empty = if self.plan.own_server.is_some() { " May be left empty." } else { "" };
                let id = self.provider.as_ref().map(|provider| provider.id.as_str()).unwrap_or_default();
                let page = KEY_PAGES.iter().find(|(provider, _)| *provider == id);
                let get = page.map_or_else(String::new, |(_, page)| format!(" Get one at {page}."));
                say(step, "Key", &format!("The key of {name}. {kept}{empty}{get}"));
                step.sensitive = Some(true);
            }
            SetupQuestion::Address => {
                say(step, "Model", "Where does the server listen? Its address usually ends in /v1.");
                step.placeholder = Some("http://127.0.0.1:8000/v1".to_owned());
                step.initial_value = self.plan.own_server.as_ref().map(|server| json!(server.base_url));
            }
            SetupQuestion::Speaks => {
                select(step, "Model", "Whose API does it speak?", speaks_options(), "openai");
            }
            SetupQuestion::Model => self.ask_model(step, name),
            SetupQuestion::Trouble => {
                let said = self.said.as_deref().unwrap_or_default();
                let message = format!("It does not work yet: {said}\nWhat now?");
                select(step, "No answer", &message, self.trouble_options(), AGAIN);
            }
            _ => {
                let options = self.provider_options();
                let first =
                    options.first().and_then(|first| first.value.as_str()).unwrap_or_default().to_owned();
                select(step, "Model", "Whose model should answer?", options, &first);
            }
        }
    }

    fn ask_model(&self, step: &mut WizardStep, name: &str) {
        let models = self.provider.as_ref().map(|provider| provider.models.as_slice()).unwrap_or_default();
        let message = format!("Which model of {name}?");
        let Some((first, _)) = models.first() else {
            say(step, "Model", &message);
            step.placeholder = Some("qwen3:8b".to_owned());
            step.initial_value = self.plan.model.as_ref().map(|(_, model)| json!(model));
            return;
        };
        let options = models.iter().map(|(id, label)| option(id, label, None)).collect();
        let chosen = self.plan.model.as_ref().map_or(first, |(_, model)| model);
        select(step, "Model", &message, options, chosen);
    }

    pub(super) fn provider_options(&self) -> Vec<WizardOption> {
        let mut options = Vec::new();
        if let Some(model) = self.facts.model.as_deref() {
            options.push(option(KEEP, "Keep the present model", Some(model)));
        }
        options.extend(self.facts.providers.iter().map(provider_option));
        options.push(option(
            CUSTOM,
            "Another server",
            Some("anything that speaks OpenAI's or Anthropic's API"),
        ));
        options.push(option(SKIP, "No model for now", Some("the built-in demo answers")));
        options
    }

    pub(super) fn auth_options(&self) -> Vec<WizardOption> {
        let mut options = vec![
            option("token", "With a token", Some("Homard makes one")),
            option("password", "With a password", None),
        ];
        if self.plan.bind == "loopback" {
            options.push(option("none", "Not at all", Some("whoever uses this machine may do everything")));
        }
        options
    }

    pub(super) fn bind_options(&self) -> Vec<WizardOption> {
        let mut options = vec![
            option("loopback", "Only this machine", Some("others over a tunnel or a tailnet")),
            option("lan", "Everybody on this network", None),
            option("tailnet", "The machines of your tailnet", None),
        ];
        let known = options.iter().any(|one| one.value == json!(self.facts.bind));
        if !known {
            options.push(option(&self.facts.bind, "As it is", Some(&self.facts.bind)));
        }
        options
    }

    pub(super) fn trouble_options(&self) -> Vec<WizardOption> {
        let mut options = vec![option(AGAIN, "Try again", None)];
        let is_remote = self.plan.remote.is_some();
        let is_keyless = self.provider.as_ref().is_some_and(|provider| provider.keyless);
        if is_remote || is_keyless || self.plan.own_server.is_some() {
            options.push(option(OTHER_ADDRESS, "Another address", None));
        }
        if is_remote || !is_keyless {
            options.push(option(OTHER_KEY, if is_remote { "Another token" } else { "Another key" }, None));
        }
        if !is_remote {
            options.push(option(OTHER_MODEL, "Another model", None));
            options.push(option(OTHER_PROVIDER, "Another provider", None));
        }
        options.push(option(KEEP, "Keep it all the same", None));
        options
    }

    fn summary(&self) -> String {
        if let Some(remote) = &self.plan.remote {
            return format!("Use the gateway at {}. Write this?", remote.url);
        }
        let answered = self.said.as_ref().map_or_else(String::new, |said| format!(" ({said})"));
        let login =
            self.plan.login().map_or_else(String::new, |program| format!(" with the login of {program}"));
        let model = match &self.plan.model {
            Some((provider, model)) => format!("model {provider}/{model}{login}{answered}"),
            None if self.facts.model.is_none() => "no model yet".to_owned(),
            None => "the model as it is".to_owned(),
        };
        let workspace =
            self.plan.workspace.as_ref().map_or_else(String::new, |folder| format!("; workspace {folder}"));
        let service = if self.plan.service { "; a service keeps the gateway running" } else { "" };
        let (port, auth) = (self.plan.port, &self.plan.auth);
        format!("{model}; port {port}; access by {auth}{workspace}{service}. Write this?")
    }
}

fn provider_option(provider: &Provider) -> WizardOption {
    let hint = match &provider.found {
        Some(FoundHere::Variable(name)) => Some(format!("key found in {name}")),
        Some(FoundHere::Server(address)) => Some(format!("runs at {address}")),
        Some(FoundHere::Kept(id)) => Some(format!("key kept as {id}")),
        Some(FoundHere::Login { program, .. }) => Some(format!("{program} is logged in here")),
        None if provider.keyless => Some("needs no key".to_owned()),
        None => None,
    };
    option(&provider.id, &provider.name, hint.as_deref())
}

pub(super) fn way_options() -> Vec<WizardOption> {
    vec![
        option(QUICK, "QuickStart", Some("this machine, the usual settings")),
        option(MANUAL, "Manual", Some("workspace, port, reach and access, too")),
        option(REMOTE, "Use a gateway on another machine", Some("nothing runs here")),
    ]
}

pub(super) fn speaks_options() -> Vec<WizardOption> {
    vec![
        option("openai", "OpenAI's", Some("chat completions: vLLM, llama.cpp, LiteLLM, most others")),
        option("anthropic", "Anthropic's", Some("messages")),
    ]
}

/// The address of a web server, without what is at its end for nothing.
pub(super) fn web_address(text: &str) -> Result<String, AnswerError> {
    let text = text.trim_end_matches('/');
    if text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).is_none_or(str::is_empty) {
        return Err(AnswerError::Value("an address begins with http:// or https://".to_owned()));
    }
    Ok(text.to_owned())
}

/// The address of a gateway.
pub(super) fn socket_address(text: &str) -> Result<String, AnswerError> {
    let text = text.trim_end_matches('/');
    let rest = text.strip_prefix("wss://").or_else(|| text.strip_prefix("ws://"));
    if rest.is_none_or(str::is_empty) {
        return Err(AnswerError::Value("a gateway's address begins with wss:// or ws://".to_owned()));
    }
    Ok(text.to_owned())
}

fn confirm(step: &mut WizardStep, title: &str, message: &str, usual: bool) {
    step.kind = WizardStepKind::Confirm;
    say(step, title, message);
    step.initial_value = Some(json!(usual));
}

fn select(step: &mut WizardStep, title: &str, message: &str, options: Vec<WizardOption>, usual: &str) {
    step.kind = WizardStepKind::Select;
    say(step, title, message);
    step.options = Some(options);
    step.initial_value = Some(json!(usual));
}
