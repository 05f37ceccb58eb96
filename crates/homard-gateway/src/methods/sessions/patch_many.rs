//! `sessions.patchMany`: the same change to several conversations, each for itself.

use homard_protocol::methods::sessions::SessionsPatchParams;
use homard_protocol::methods::sessions::patch_many::{
    MAX_PATCHED, PatchOutcome, PatchTarget, SessionsPatchManyParams, SessionsPatchManyResult,
};
use serde_json::json;

use super::patch::patch;
use crate::error::RequestError;
use crate::methods::check_range;
use crate::table::Cx;

/// `sessions.patchMany`.
pub(crate) async fn patch_many(
    cx: Cx,
    params: SessionsPatchManyParams,
) -> Result<SessionsPatchManyResult, RequestError> {
    check_range("sessions.patchMany", "targets", Some(params.targets.len()), 1..=MAX_PATCHED)?;
    let mut outcomes = Vec::with_capacity(params.targets.len());
    for PatchTarget { key, agent_id, expected_session_id, .. } in params.targets {
        let mut settings = params.patch.clone();
        settings.extend(expected_session_id.map(|id| ("expectedSessionId".to_owned(), json!(id))));
        let named = key.to_string();
        let one = SessionsPatchParams { key, agent_id: agent_id.clone(), settings };
        outcomes.push(match patch(cx.clone(), one).await {
            Ok(done) => PatchOutcome { ok: true, key: done.key.to_string(), agent_id, error: None },
            Err(refused) => {
                PatchOutcome { ok: false, key: named, agent_id, error: Some(refused.into_shape()) }
            }
        });
    }
    Ok(SessionsPatchManyResult { outcomes })
}
