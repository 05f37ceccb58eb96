//! `exec.approvals.*`: the owner's file of command rules.

use homard_runtime::off_thread;

use crate::error::RequestError;
use std::path::Path;

use homard_exec::approvals::{ExecRules, Loaded, PolicyError, PolicyFile, PolicyStore};
use homard_protocol::method::NoParams;
use homard_protocol::methods::approvals::exec_policy::{
    ExecApprovalsDefaults, ExecApprovalsSetParams, ExecApprovalsSnapshot,
};
use serde_json::Value;

use crate::gateway::Gateway;
use crate::table::Cx;

/// `exec.approvals.get`.
pub(crate) async fn get(cx: Cx, _params: NoParams) -> Result<ExecApprovalsSnapshot, RequestError> {
    work(&cx.gateway, |store| store.load()).await
}

/// `exec.approvals.set`.
pub(crate) async fn set(
    cx: Cx,
    params: ExecApprovalsSetParams,
) -> Result<ExecApprovalsSnapshot, RequestError> {
    let invalid = |at: &str, must: &str| {
        RequestError::invalid(format!("invalid exec.approvals.set params: at /file{at}: must {must}"))
    };
    let is_first_version = params.file.get("version").and_then(Value::as_u64) == Some(1);
    for section in ["defaults", "agents", "socket"] {
        if params.file.get(section).is_some_and(|section| !section.is_object()) {
            return Err(invalid(&format!("/{section}"), "be object"));
        }
    }
    let file = PolicyFile::from_value(params.file).ok_or_else(|| invalid("", "be object"))?;
    if !is_first_version {
        return Err(invalid("/version", "be 1"));
    }
    work(&cx.gateway, move |store| store.replace(file, params.base_hash.as_deref())).await
}

/// Works on the file off the reactor and tells how it is.
async fn work(
    gateway: &Gateway,
    work: impl FnOnce(&PolicyStore) -> Result<Loaded, PolicyError> + Send + 'static,
) -> Result<ExecApprovalsSnapshot, RequestError> {
    let store = PolicyStore::new(gateway.config().source().paths.exec_approvals());
    let path = store.path().to_owned();
    let done = off_thread(move || work(&store)).await.map_err(|error| {
        tracing::error!(%error, "work on the command rules ended unexpectedly");
        RequestError::unavailable("the command rules could not be read or written; see the log")
    })?;
    match done {
        Ok(loaded) => Ok(snapshot(&path, &loaded)),
        Err(error @ (PolicyError::Changed | PolicyError::Broken { .. })) => {
            Err(RequestError::invalid(error.to_string()))
        }
        Err(error @ (PolicyError::Io { .. } | PolicyError::Locked { .. })) => {
            tracing::error!(%error, "the command rules could not be read or written");
            Err(RequestError::unavailable(error.to_string()))
        }
    }
}

/// The file in the words of the protocol; also for commands that work without a gateway.
#[must_use]
pub fn snapshot(path: &Path, loaded: &Loaded) -> ExecApprovalsSnapshot {
    let rules = ExecRules::default().in_force(&loaded.file, None, None);
    ExecApprovalsSnapshot {
        path: path.display().to_string(),
        exists: loaded.exists,
        file: loaded.file.to_shown(),
        hash: loaded.hash.clone(),
        resolved_defaults: ExecApprovalsDefaults {
            security: rules.security,
            ask: rules.ask,
            ask_fallback: rules.ask_fallback,
            auto_allow_skills: rules.auto_allow_skills,
        },
    }
}
