//! What the options of `homard onboard` answer.

use std::collections::HashSet;

use homard_models::catalogue;
use homard_protocol::methods::config::wizard::WizardStep;
use serde_json::{Value, json};

use super::args::{Flow, KEY_FLAGS, Mode, OnboardArgs};
use crate::compose::wizard::script::{
    CUSTOM, Facts, KEEP, MANUAL, QUICK, REMOTE, SKIP, Script, SetupQuestion,
};
use crate::report::Advice;

/// What `--auth-choice` may be beside a provider: the way in, where the model says whose it is.
const HOW: [&str; 3] = ["token", "apikey", "api-key"];

/// The options, and which questions they answered already: who is asked again is asked in person.
pub(super) struct Flags<'a> {
    args: &'a OnboardArgs,
    used: HashSet<SetupQuestion>,
    /// Whether there is neither a model nor anything one could be used with at once.
    nothing_found: bool,
    is_second: bool,
    /// The port as it is.
    port: u16,
}

impl<'a> Flags<'a> {
    pub(super) fn new(args: &'a OnboardArgs) -> Self {
        Self { args, used: HashSet::new(), nothing_found: false, is_second: false, port: 0 }
    }

    /// The person walks once more, after another home was taken over or not: that and the notice are not asked again.
    pub(super) fn go_on(&mut self) {
        self.used.clear();
        self.is_second = true;
    }

    /// Puts a model that is named on the command line among those that can be chosen.
    pub(super) fn prepare(&mut self, facts: &mut Facts) {
        self.port = facts.port;
        self.nothing_found = facts.model.is_none() && facts.providers.iter().all(|one| one.found.is_none());
        let (Some(model), Some(choice)) = (&self.args.model.model, self.provider()) else { return };
        let prefix = format!("{choice}/");
        let model = model.strip_prefix(&prefix).unwrap_or(model);
        if let Some(provider) = facts.providers.iter_mut().find(|provider| provider.id == choice) {
            provider.models.retain(|(id, _)| id != model);
            provider.models.insert(0, (model.to_owned(), model.to_owned()));
        }
    }

    /// What the options answer to a question, if anything.
    pub(super) fn answer(&mut self, script: &Script, step: &WizardStep) -> anyhow::Result<Option<Value>> {
        let at = script.at();
        let given = if self.used.insert(at) { self.given(at, script)? } else { None };
        if given.is_some() || !self.args.is_silent() {
            return Ok(given);
        }
        // Keys and addresses have no usual answer.
        let usual = step.initial_value.clone().filter(|_| step.sensitive != Some(true));
        usual.map(Some).ok_or_else(|| missing(at))
    }

    fn given(&self, at: SetupQuestion, script: &Script) -> anyhow::Result<Option<Value>> {
        let args = self.args;
        let (model, gateway) = (&args.model, &args.gateway);
        let text = |value: &Option<String>| value.as_ref().map(|text| json!(text));
        Ok(match at {
            SetupQuestion::Risk => (args.accept_risk || args.baseline || self.is_second).then(|| json!(true)),
            SetupQuestion::Import => (args.is_silent() || self.is_second).then(|| json!(false)),
            SetupQuestion::Way => self.way().map(|way| json!(way)),
            SetupQuestion::RemoteUrl => text(&gateway.remote_url),
            SetupQuestion::RemoteToken => {
                text(&gateway.remote_token).or_else(|| args.is_silent().then(|| json!("")))
            }
            SetupQuestion::Provider => {
                let nobody = || (args.is_silent() && self.nothing_found).then(|| SKIP.to_owned());
                self.chosen_provider()?.or_else(nobody).map(|choice| json!(choice))
            }
            SetupQuestion::FoundKey => {
                let is_typed = self.provider().is_some_and(|id| self.key_of(&id).is_some());
                (is_typed || args.is_silent()).then(|| json!(!is_typed))
            }
            SetupQuestion::Key if script.plan().own_server.is_some() => text(&model.custom_api_key)
                .or_else(|| text(&model.api_key))
                .or_else(|| args.is_silent().then(|| json!(""))),
            SetupQuestion::Key => self.provider().and_then(|id| self.key_of(&id)).map(|key| json!(key)),
            SetupQuestion::Address => text(&model.custom_base_url),
            SetupQuestion::Speaks => text(&model.custom_compatibility),
            SetupQuestion::Model if script.plan().own_server.is_some() => text(&model.custom_model_id),
            SetupQuestion::Model => model.model.as_ref().map(|model| {
                let prefix = self.provider().map(|id| format!("{id}/")).unwrap_or_default();
                json!(model.strip_prefix(&prefix).unwrap_or(model))
            }),
            SetupQuestion::Workspace => text(&args.workspace),
            // Nobody is there to read that another port was taken instead.
            SetupQuestion::Port => {
                gateway.gateway_port.or(args.is_silent().then_some(self.port)).map(|port| json!(port))
            }
            SetupQuestion::Bind => text(&gateway.gateway_bind),
            SetupQuestion::Auth => match (&gateway.gateway_auth, &gateway.gateway_password) {
                (None, Some(_)) => Some(json!("password")),
                (auth, _) => text(auth),
            },
            SetupQuestion::Password => text(&gateway.gateway_password),
            SetupQuestion::Service if args.steps.install_daemon => Some(json!(true)),
            SetupQuestion::Service => (args.steps.skip_daemon || args.is_silent()).then(|| json!(false)),
            SetupQuestion::Trouble => None,
            SetupQuestion::Confirm => args.is_silent().then(|| json!(true)),
        })
    }

    fn way(&self) -> Option<&'static str> {
        let args = self.args;
        if args.mode == Some(Mode::Remote) || (args.mode.is_none() && args.gateway.remote_url.is_some()) {
            return Some(REMOTE);
        }
        match args.flow {
            Some(Flow::Quickstart) if !args.is_silent() => Some(QUICK),
            Some(Flow::Manual) => Some(MANUAL),
            // Every option counts, and what none of them says stays as it is.
            _ if args.is_silent() => Some(MANUAL),
            _ => None,
        }
    }

    /// The provider the options mean, by whichever of them.
    fn provider(&self) -> Option<String> {
        self.chosen_provider().ok().flatten()
    }

    fn chosen_provider(&self) -> anyhow::Result<Option<String>> {
        let model = &self.args.model;
        let named = model.model.as_deref().and_then(|model| model.split_once('/'));
        let named = named.and_then(|(provider, _)| catalogue::find(provider)).map(|row| row.id.to_owned());
        if let Some(choice) = &model.auth_choice {
            // These words say how one proves oneself, and not to whom: that is said by the model.
            let says_how = HOW.contains(&choice.trim().to_lowercase().as_str());
            return if says_how && named.is_some() { Ok(named) } else { meant(choice).map(Some) };
        }
        if model.custom_base_url.is_some() {
            return Ok(Some(CUSTOM.to_owned()));
        }
        if let Some(provider) = model.keys.0.keys().next() {
            return Ok(Some((*provider).to_owned()));
        }
        if named.is_none() && model.api_key.is_some() {
            return Err(Advice::usage(
                "it is not said whose key --api-key holds",
                "add --auth-choice anthropic, or --model anthropic/NAME",
            ));
        }
        Ok(named)
    }

    fn key_of(&self, provider: &str) -> Option<&String> {
        let model = &self.args.model;
        model.keys.0.get(provider).or(model.api_key.as_ref())
    }
}

/// The provider a word means: its id, another name of it, or the word OpenClaw has for logging in there with a key.
fn meant(choice: &str) -> anyhow::Result<String> {
    let word = choice.trim().to_lowercase();
    let short = word.strip_suffix("-api-key").unwrap_or(&word);
    let short = match short {
        "apikey" | "api-key" | "token" => "anthropic",
        "gemini" => "google",
        KEEP | SKIP | CUSTOM => return Ok(short.to_owned()),
        other => other,
    };
    let by_flag = || KEY_FLAGS.iter().find(|(flag, _)| *flag == word).map(|(_, provider)| *provider);
    if let Some(id) = catalogue::find(short).map(|row| row.id).or_else(by_flag) {
        return Ok(id.to_owned());
    }
    let known: Vec<String> = catalogue::ROWS.iter().map(|row| row.id.to_owned()).collect();
    let near = homard_llm::nearest(short, &known);
    let near = near.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
    Err(Advice::usage(
        format!("nobody is known as `{choice}`{near}"),
        "homard models list --all names the providers; a server of your own is --custom-base-url URL",
    ))
}

/// Says which option answers a question that has no usual answer.
fn missing(at: SetupQuestion) -> anyhow::Error {
    let (what, flag) = match at {
        SetupQuestion::Risk => ("a yes to the security notice", "--accept-risk"),
        SetupQuestion::RemoteUrl => ("the gateway's address", "--remote-url wss://host:18789"),
        SetupQuestion::Key => ("a key", "--openai-api-key KEY, or OPENAI_API_KEY in the environment"),
        SetupQuestion::Address => ("the server's address", "--custom-base-url http://127.0.0.1:8000/v1"),
        SetupQuestion::Model => ("the model's name", "--model NAME, or --custom-model-id NAME"),
        SetupQuestion::Password => ("the password", "--gateway-password PASSWORD"),
        _ => ("an answer", "run it at a terminal, or see --help"),
    };
    Advice::usage(format!("{what} is needed"), flag)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use homard_models::catalogue::{AuthKind, ROWS};

    use super::{KEY_FLAGS, meant};

    #[test]
    fn every_provider_that_takes_a_key_has_an_option_for_it() {
        let flags: BTreeSet<&str> = KEY_FLAGS.iter().map(|(_, provider)| *provider).collect();
        let wanted: BTreeSet<&str> = ROWS
            .iter()
            .filter(|row| row.places.is_empty() && row.auth.contains(&AuthKind::ApiKey))
            .map(|row| row.id)
            .collect();
        assert_eq!(flags, wanted);
    }

    #[test]
    fn the_words_people_know_lead_to_the_provider() {
        for (word, provider) in [
            ("openai", "openai"),
            ("apiKey", "anthropic"),
            ("token", "anthropic"),
            ("gemini-api-key", "google"),
            ("opencode-zen-api-key", "opencode"),
            ("custom-api-key", "custom"),
            ("skip", "skip"),
        ] {
            assert_eq!(meant(word).unwrap(), provider, "{word}");
        }
        assert!(meant("opena").unwrap_err().to_string().contains("did you mean `openai`?"));
    }
}
