//! `hooks.status`.

use homard_automation::hooks::{hooks_report, with_last_runs};
use homard_protocol::methods::tools::hooks::{HooksStatusParams, HooksStatusResult};
use homard_runtime::off_thread;

use crate::error::RequestError;
use crate::table::Cx;

/// `hooks.status`.
pub(crate) async fn status(cx: Cx, params: HooksStatusParams) -> Result<HooksStatusResult, RequestError> {
    let config = cx.gateway.config().current();
    let agent = match &params.agent_id {
        Some(id) => config.agents.agent(id),
        None => Some(config.agents.default_agent()),
    };
    let Some(agent) = agent else {
        let id = params.agent_id.map(|id| id.to_string()).unwrap_or_default();
        return Err(RequestError::invalid(format!("unknown agent id `{id}`")));
    };
    let (workspace, paths) = (agent.workspace.clone(), cx.gateway.config().source().paths.clone());
    let written = cx.gateway.config().snapshot();
    let report = off_thread(move || hooks_report(&config, &written.effective, &workspace, &paths)).await;
    let report = report.map_err(|error| RequestError::unavailable(error.to_string()))?;
    Ok(with_last_runs(cx.gateway.automation(), report))
}
