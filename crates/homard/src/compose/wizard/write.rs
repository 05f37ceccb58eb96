//! From the settings to the wizard's facts, and from its plan to the configuration.

use std::path::Path;

use homard_config::config::gateway::GatewayMode;
use homard_config::{Config, WriteError};
use homard_llm::ApiKey;
use homard_models::auth::NewProfile;
use homard_models::catalogue;
use homard_protocol::methods::config::wizard::WizardStartParams;
use homard_protocol::{ProviderId, SessionKey};
use homard_runtime::off_thread;
use serde_json::{Map, Value, json};

use super::script::{Facts, OwnServer, Plan, Scope, TakenPorts};
use super::{Finds, Wizards, facts, local_servers, logins};

impl Wizards {
    /// How things are before the first question.
    pub(super) async fn facts(&self, params: &WizardStartParams, auth: &str) -> Facts {
        let config = self.config.current();
        let agent = config.agents.default_agent().id.clone();
        let profiles = self.relay.router().profiles(&agent);
        let finds = Finds {
            servers: local_servers::find().await,
            kept: facts::kept(profiles.describe().await.profiles),
            logins: logins::find(&self.config.source().paths.home).await,
        };
        let model = self.relay.sessions().model_for(&SessionKey::main(agent), None);
        Facts {
            scope: Scope::Gateway,
            providers: facts::providers(&config, &finds),
            model: (model != homard_llm::Models::demo()).then(|| model.to_string()),
            port: config.gateway.port,
            taken: TakenPorts { ours: Some(config.gateway.port), is_used: facts::is_port_used },
            bind: facts::word(config.gateway.bind),
            auth: auth.to_owned(),
            workspace: params.workspace.clone(),
            present_workspace: config.agents.default_agent().workspace.display().to_string(),
            openclaw: None,
            service: false,
            tries: true,
        }
    }

    /// Does what was agreed; the error is for the person.
    pub(super) async fn carry_out(&self, plan: Plan, auth: &str) -> Result<(), String> {
        if let Some(new) = new_profile(&plan, &self.config.source().paths.home).await? {
            let config = self.config.current();
            let profiles = self.relay.router().profiles(&config.agents.default_agent().id);
            profiles.add(new).await.map_err(|error| format!("the key could not be kept: {error}"))?;
        }
        let ran = json!({
            "lastRunAt": self.clock.now_rfc3339(),
            "lastRunVersion": env!("CARGO_PKG_VERSION"),
            "lastRunCommand": "wizard",
            "lastRunMode": "local",
        });
        self.merge(&change(&self.config.current(), &plan, auth, &ran)).await
    }

    /// Writes a change into the configuration; the error is for the person.
    pub(super) async fn merge(&self, change: &Value) -> Result<(), String> {
        let change = change.to_string();
        let (handle, hash) = (self.config.clone(), self.config.snapshot().hash.clone());
        let writing = off_thread(move || handle.merge_patch(&change, Some(&hash), &[]));
        let written =
            writing.await.map_err(|error| format!("the configuration could not be written: {error}"))?;
        written.map(drop).map_err(|error| {
            // What the system said is what helps.
            let is_io = matches!(error, WriteError::Io { .. });
            if is_io { format!("{:#}", anyhow::Error::from(error)) } else { error.to_string() }
        })
    }
}

/// The key that was typed, or the login that is taken over, to be kept with the other credentials.
pub(crate) async fn new_profile(plan: &Plan, home: &Path) -> Result<Option<NewProfile>, String> {
    if let Some(program) = plan.login() {
        return logins::of(home, program).await.map(Some);
    }
    let (Some(key), Some((provider, _))) = (plan.key(), &plan.model) else { return Ok(None) };
    let provider = ProviderId::parse(provider).map_err(|error| error.to_string())?;
    Ok(Some(NewProfile::key(provider, ApiKey::new(key.expose()))))
}

/// A server of one's own as it is written.
fn own_server(server: &OwnServer, model: &str) -> Value {
    let mut entry = json!({"baseUrl": server.base_url, "models": [{"id": model, "name": model}]});
    let api = match server.speaks.as_deref() {
        None => return entry,
        Some("anthropic") => "anthropic-messages",
        Some(_) => "openai-completions",
    };
    if let Some(fields) = entry.as_object_mut() {
        fields.insert("api".to_owned(), json!(api));
    }
    entry
}

/// What has to be written about a provider for its model to be known: a server of one's own as it is, and one of the
/// catalogue that wants no key and was not written about, because nothing else says that it is there.
pub(crate) fn described(config: &Config, plan: &Plan) -> Option<Value> {
    let (provider, model) = plan.model.as_ref()?;
    if let Some(server) = &plan.own_server {
        return Some(own_server(server, model));
    }
    let row = catalogue::find(provider).filter(|row| row.is_keyless() && plan.credential.is_none())?;
    let is_written = config.models.providers.keys().any(|id| id.as_str() == row.id);
    let entry = json!({"baseUrl": row.base_url, "models": [{"id": model, "name": model}]});
    (!is_written).then_some(entry)
}

/// What differs from how it is; what stays the same is not written, so that nothing restarts for it. `auth` is how
/// clients prove themselves now, `ran` what is noted of this run.
pub(crate) fn change(config: &Config, plan: &Plan, auth: &str, ran: &Value) -> Value {
    let mut change = Map::new();
    change.insert("wizard".to_owned(), ran.clone());
    let server = match &plan.remote {
        Some(remote) => {
            let token = remote.token.as_ref().map(|token| ("token".to_owned(), json!(token.expose())));
            let mut there = Map::from_iter([("url".to_owned(), json!(remote.url))]);
            there.extend(token);
            Map::from_iter([
                ("mode".to_owned(), json!("remote")),
                ("remote".to_owned(), Value::Object(there)),
            ])
        }
        None => local(config, plan, auth),
    };
    if !server.is_empty() {
        change.insert("gateway".to_owned(), Value::Object(server));
    }
    let mut defaults = Map::new();
    if let Some((provider, model)) = &plan.model {
        defaults.insert("model".to_owned(), json!({"primary": format!("{provider}/{model}")}));
        if let Some(entry) = described(config, plan) {
            change.insert("models".to_owned(), json!({"providers": {provider: entry}}));
        }
    }
    if let Some(workspace) = &plan.workspace {
        defaults.insert("workspace".to_owned(), json!(workspace));
    }
    if !defaults.is_empty() {
        change.insert("agents".to_owned(), json!({"defaults": defaults}));
    }
    Value::Object(change)
}

fn local(config: &Config, plan: &Plan, auth: &str) -> Map<String, Value> {
    let mut server = Map::new();
    let is_elsewhere = config.gateway.mode == Some(GatewayMode::Remote);
    if config.gateway.mode.is_none() || (is_elsewhere && plan.here) {
        server.insert("mode".to_owned(), json!("local"));
    }
    if plan.port != config.gateway.port {
        server.insert("port".to_owned(), json!(plan.port));
    }
    if plan.bind != facts::word(config.gateway.bind) {
        server.insert("bind".to_owned(), json!(plan.bind));
    }
    let mut access = Map::new();
    if plan.auth != auth || plan.password.is_some() {
        access.insert("mode".to_owned(), json!(plan.auth));
    }
    access.extend(plan.password.as_ref().map(|password| ("password".to_owned(), json!(password.expose()))));
    access.extend(plan.token.as_ref().map(|token| ("token".to_owned(), json!(token.expose()))));
    if !access.is_empty() {
        server.insert("auth".to_owned(), Value::Object(access));
    }
    server
}
