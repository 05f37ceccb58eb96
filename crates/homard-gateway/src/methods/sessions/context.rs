//! `sessions.context`.

use homard_protocol::ErrorShape;
use homard_protocol::methods::session_context::{SessionsContextParams, SessionsContextResult};
use homard_protocol::session_key::MAIN;
use homard_relay::ContextError;

use crate::error;
use crate::methods::session_key;
use crate::table::Cx;

/// `sessions.context`.
pub(crate) async fn report(
    cx: Cx,
    params: SessionsContextParams,
) -> Result<SessionsContextResult, ErrorShape> {
    let gateway = &cx.gateway;
    let key = params.key.as_deref().unwrap_or(MAIN);
    let key = session_key(gateway, key, params.agent_id.as_deref())?;
    let measured = gateway.relay().setup().context_report(&key).await.map_err(|failed| match failed {
        ContextError::Store(failed) => error::store(&failed),
        ContextError::Stopped => ErrorShape::unavailable(failed.to_string()),
        ContextError::NoAgent(_) | ContextError::Model(_) | ContextError::Prompt { .. } => {
            ErrorShape::invalid(failed.to_string())
        }
    })?;
    Ok(SessionsContextResult {
        key: key.to_string(),
        report: measured.prompt,
        messages: measured.messages,
        message_tokens: measured.message_tokens,
        context_tokens: measured.window,
    })
}
