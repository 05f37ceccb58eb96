//! From the gateway to the wizard's facts, and from its plan to the configuration.

use homard_config::config::gateway::BindMode;
use homard_llm::ApiKey;
use homard_models::auth::NewProfile;
use homard_models::catalogue::{AuthKind, ROWS, Row};
use homard_protocol::methods::config::wizard::WizardStartParams;
use homard_protocol::{ProviderId, SessionKey};
use serde_json::{Map, Value, json};

use super::script::{Facts, Plan, Provider};
use crate::gateway::Gateway;
use crate::methods::config::merge;

/// How things are before the first question.
pub(super) fn facts(gateway: &Gateway, params: &WizardStartParams) -> Facts {
    let config = gateway.config().current();
    let agent = config.agents.default_agent().id.clone();
    let model = gateway.relay().sessions().model_for(&SessionKey::main(agent), None);
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
        auth: gateway.access().rules().auth.mode().to_owned(),
        only_here: config.gateway.bind == BindMode::Loopback,
        workspace: params.workspace.clone(),
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

/// Does what was agreed; the error is for the person.
pub(super) async fn carry_out(gateway: &Gateway, plan: Plan) -> Result<(), String> {
    if let (Some(key), Some((provider, _))) = (&plan.key, &plan.model) {
        let config = gateway.config().current();
        let provider = ProviderId::parse(provider).map_err(|error| error.to_string())?;
        let profiles = gateway.relay().router().profiles(&config.agents.default_agent().id);
        let new = NewProfile::key(provider, ApiKey::new(key.expose()));
        profiles.add(new).await.map_err(|error| format!("the key could not be kept: {error}"))?;
    }
    let change = change(gateway, &plan);
    let hash = gateway.config().snapshot().hash.clone();
    let written = merge(gateway, change.to_string(), Some(hash), Vec::new()).await;
    written.map(drop).map_err(|error| error.message().to_owned())
}

/// What differs from how it is; what stays the same is not written, so that nothing restarts for it.
fn change(gateway: &Gateway, plan: &Plan) -> Value {
    let config = gateway.config().current();
    let mut server = Map::new();
    if config.gateway.mode.is_none() {
        server.insert("mode".to_owned(), json!("local"));
    }
    if plan.port != config.gateway.port {
        server.insert("port".to_owned(), json!(plan.port));
    }
    if let Some(password) = &plan.password {
        server.insert("auth".to_owned(), json!({"mode": plan.auth, "password": password.expose()}));
    } else if plan.auth != gateway.access().rules().auth.mode() {
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
        "lastRunAt": gateway.clock().now_rfc3339(),
        "lastRunVersion": gateway.diagnostics().host.version,
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
