//! `wake`, `system-event`, `set-heartbeats` and `last-heartbeat`: telling a conversation that something happened.

use homard_protocol::events::HeartbeatEvent;
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::wake::{
    MAX_EVENT_CHARS, SetHeartbeatsParams, SetHeartbeatsResult, SystemEventParams, WakeParams, WakeResult,
};
use homard_protocol::{Scope, TurnSource, WakeMode};
use homard_relay::{Wake, WakeOutcome};
use homard_tools::Label;

use crate::error::RequestError;
use crate::methods::session_key;
use crate::table::Cx;

/// `wake`.
pub(crate) async fn wake(cx: Cx, params: WakeParams) -> Result<WakeResult, RequestError> {
    let session =
        session_key(&cx.gateway, &params.session_key.unwrap_or_default(), params.agent_id.as_ref())?;
    let text = checked("wake", &params.text)?;
    let wake = Wake {
        session,
        text,
        mode: params.mode,
        source: TurnSource::Wake,
        run_id: None,
        labels: labels(&cx),
    };
    tell(&cx, wake).await
}

/// `system-event`.
pub(crate) async fn event(cx: Cx, params: SystemEventParams) -> Result<WakeResult, RequestError> {
    let session = session_key(&cx.gateway, &params.session_key.unwrap_or_default(), None)?;
    let text = checked("system-event", &params.text)?;
    let run_id = params.idempotency_key;
    let mode = if params.wake == Some(true) { WakeMode::Now } else { WakeMode::NextHeartbeat };
    tell(&cx, Wake { session, text, mode, source: TurnSource::SystemEvent, run_id, labels: labels(&cx) })
        .await
}

/// `set-heartbeats`.
pub(crate) async fn set_heartbeats(
    cx: Cx,
    params: SetHeartbeatsParams,
) -> Result<SetHeartbeatsResult, RequestError> {
    cx.gateway.relay().turns().set_heartbeats(params.enabled);
    cx.gateway.automation().look_again();
    Ok(SetHeartbeatsResult { ok: true, enabled: params.enabled })
}

/// `last-heartbeat`: what came of the last turn that an event started.
pub(crate) async fn last_heartbeat(
    cx: Cx,
    _params: NoParams,
) -> Result<Option<HeartbeatEvent>, RequestError> {
    Ok(cx.gateway.automation().heartbeats().last().await)
}

async fn tell(cx: &Cx, wake: Wake) -> Result<WakeResult, RequestError> {
    match cx.gateway.relay().turns().wake(wake).await? {
        WakeOutcome::Turn(run_id) => Ok(WakeResult { ok: true, run_id: Some(run_id) }),
        WakeOutcome::Waits => Ok(WakeResult { ok: true, run_id: None }),
    }
}

/// Whose words an event is: the owner's, unless the client may not do what the owner may.
fn labels(cx: &Cx) -> Vec<Label> {
    let is_admin = cx.caller.check_scope(Scope::Admin).is_ok();
    (!is_admin).then(Label::of_client_without_admin).into_iter().collect()
}

fn checked(method: &str, text: &str) -> Result<String, RequestError> {
    if text.trim().is_empty() || text.chars().count() > MAX_EVENT_CHARS {
        return Err(RequestError::invalid(format!(
            "invalid {method} params: at /text: must have 1 to {MAX_EVENT_CHARS} characters"
        )));
    }
    Ok(text.trim().to_owned())
}
