//! `system.execApprovals.*`: the machine's own list of commands, for the owner to read and change.

use homard_exec::approvals::{Loaded, PolicyError, PolicyFile, PolicyStore};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CommandCall, Failure, Reply, blocking, read};

/// What the list says.
pub(super) async fn get(call: CommandCall) -> Reply {
    let store = call.machine.policy.clone();
    let path = store.clone();
    let loaded = blocking(move || store.load()).await?.map_err(|error| failed(&error))?;
    Ok(shown(&path, &loaded))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetParams {
    file: Value,
    #[serde(default)]
    base_hash: Option<String>,
}

/// Replaces it, if it is still the one the caller has seen.
pub(super) async fn set(call: CommandCall) -> Reply {
    let SetParams { file, base_hash } = read(call.params)?;
    let file = PolicyFile::from_value(file).ok_or_else(|| Failure::invalid("`file` must be an object"))?;
    let store = call.machine.policy.clone();
    let path = store.clone();
    let replaced = blocking(move || store.replace(file, base_hash.as_deref())).await?;
    Ok(shown(&path, &replaced.map_err(|error| failed(&error))?))
}

fn shown(store: &PolicyStore, loaded: &Loaded) -> Value {
    json!({
        "path": store.path().display().to_string(),
        "exists": loaded.exists,
        "hash": loaded.hash,
        "file": loaded.file.to_shown(),
    })
}

fn failed(error: &PolicyError) -> Failure {
    match error {
        PolicyError::Changed => Failure::invalid(error.to_string()),
        _ => Failure::unavailable(error.to_string()),
    }
}
