//! `sessions.context`.

use homard_protocol::methods::sessions::context::{SessionsContextParams, SessionsContextResult};
use homard_relay::ContextError;

use crate::error::RequestError;
use crate::methods::session_key;
use crate::table::Cx;

/// `sessions.context`.
pub(crate) async fn report(
    cx: Cx,
    params: SessionsContextParams,
) -> Result<SessionsContextResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.key.unwrap_or_default(), params.agent_id.as_ref())?;
    let measured = gateway.relay().setup().context_report(&key).await.map_err(|failed| match failed {
        ContextError::Store(failed) => failed.into(),
        ContextError::Stopped => RequestError::unavailable(failed.to_string()),
        ContextError::NoAgent(_) | ContextError::Model(_) | ContextError::Prompt { .. } => {
            RequestError::invalid(failed.to_string())
        }
    })?;
    Ok(SessionsContextResult {
        key,
        report: measured.prompt,
        messages: measured.messages,
        message_tokens: measured.message_tokens,
        context_tokens: measured.window,
    })
}
