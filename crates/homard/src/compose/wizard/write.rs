//! From the settings to the wizard's facts, and from its plan to the configuration.

use homard_config::WriteError;
use homard_config::config::gateway::BindMode;
use homard_llm::ApiKey;
use homard_models::auth::NewProfile;
use homard_models::catalogue::{AuthKind, ROWS, Row};
use homard_protocol::methods::config::wizard::WizardStartParams;
use homard_protocol::{ProviderId, SessionKey};
use serde_json::{Map, Value, json};

use super::Wizards;
use super::script::{Facts, Plan, Provider};

impl Wizards {
    /// How things are before the first question.
    pub(super) fn facts(&self, params: &WizardStartParams, auth: &str) -> Facts {
        let config = self.config.current();
        let agent = config.agents.default_agent().id.clone();
        let model = self.relay.sessions().model_for(&SessionKey::main(agent), None);
        let found = |row: &Row| {
            let set = |name: &str| config.env.get(name).is_some_and(|value| !value.trim().is_empty());
            row.env.iter().find(|key| set(key.name)).map(|key| key.name.to_owned())
        };
        let mut providers: Vec<Provider> =
            ROWS.iter().filter(|row| is_simple(row)).map(|row| provider(row, found(row))).collect();
        // What can be used at once comes first; otherwise the catalogue's order stays.
        providers.sort_by_key(|provider| provider.found_in.is_none());
        Facts {
            providers,
            model: (model != homard_llm::Models::demo()).then(|| model.to_string()),
            port: config.gateway.port,
            auth: auth.to_owned(),
            only_here: config.gateway.bind == BindMode::Loopback,
            workspace: params.workspace.clone(),
        }
    }

    /// Does what was agreed; the error is for the person.
    pub(super) async fn carry_out(&self, plan: Plan, auth: &str) -> Result<(), String> {
        if let (Some(key), Some((provider, _))) = (&plan.key, &plan.model) {
            let config = self.config.current();
            let provider = ProviderId::parse(provider).map_err(|error| error.to_string())?;
            let profiles = self.relay.router().profiles(&config.agents.default_agent().id);
            let new = NewProfile::key(provider, ApiKey::new(key.expose()));
            profiles.add(new).await.map_err(|error| format!("the key could not be kept: {error}"))?;
        }
        self.merge(&self.change(&plan, auth)).await
    }

    /// Writes a change into the configuration; the error is for the person.
    pub(super) async fn merge(&self, change: &Value) -> Result<(), String> {
        let change = change.to_string();
        let (handle, hash) = (self.config.clone(), self.config.snapshot().hash.clone());
        let writing = tokio::task::spawn_blocking(move || handle.merge_patch(&change, Some(&hash), &[]));
        let written =
            writing.await.map_err(|error| format!("the configuration could not be written: {error}"))?;
        written.map(drop).map_err(|error| {
            // What the system said is what helps.
            let is_io = matches!(error, WriteError::Io { .. });
            if is_io { format!("{:#}", anyhow::Error::from(error)) } else { error.to_string() }
        })
    }

    /// What differs from how it is; what stays the same is not written, so that nothing restarts for it.
    fn change(&self, plan: &Plan, auth: &str) -> Value {
        let config = self.config.current();
        let mut server = Map::new();
        if config.gateway.mode.is_none() {
            server.insert("mode".to_owned(), json!("local"));
        }
        if plan.port != config.gateway.port {
            server.insert("port".to_owned(), json!(plan.port));
        }
        if let Some(password) = &plan.password {
            server.insert("auth".to_owned(), json!({"mode": plan.auth, "password": password.expose()}));
        } else if plan.auth != auth {
            server.insert("auth".to_owned(), json!({"mode": plan.auth}));
        }
        let mut defaults = Map::new();
        if let Some((provider, model)) = &plan.model {
            defaults.insert("model".to_owned(), json!({"primary": format!("{provider}/{model}")}));
        }
        if let Some(workspace) = &plan.workspace {
            defaults.insert("workspace".to_owned(), json!(workspace));
        }
        let mut change = Map::new();
        let ran = json!({
            "lastRunAt": self.clock.now_rfc3339(),
            "lastRunVersion": env!("CARGO_PKG_VERSION"),
            "lastRunCommand": "wizard",
            "lastRunMode": "local",
        });
        change.insert("wizard".to_owned(), ran);
        if !server.is_empty() {
            change.insert("gateway".to_owned(), Value::Object(server));
        }
        if !defaults.is_empty() {
            change.insert("agents".to_owned(), json!({"defaults": defaults}));
        }
        Value::Object(change)
    }
}

/// Whether a key, or nothing, is all a provider needs.
fn is_simple(row: &Row) -> bool {
    row.places.is_empty() && row.auth.iter().any(|kind| matches!(kind, AuthKind::ApiKey | AuthKind::Keyless))
}

fn provider(row: &Row, found_in: Option<String>) -> Provider {
    Provider {
        id: row.id.to_owned(),
        name: row.name.to_owned(),
        keyless: row.is_keyless(),
        found_in,
        models: row.models.iter().map(|model| (model.id.to_owned(), model.name.to_owned())).collect(),
    }
}
