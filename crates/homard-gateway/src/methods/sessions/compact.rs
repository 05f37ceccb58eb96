//! `sessions.compact`.

use homard_channel::Inbound;
use homard_protocol::methods::sessions::compact::{
    CompactedConversation, SessionsCompactParams, SessionsCompactResult,
};
use homard_relay::{CompactOptions, CompactReport};
use uuid::Uuid;

use crate::error::RequestError;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::table::Cx;

/// `sessions.compact`: waits in the session's lane, so it never runs beside a turn.
pub(crate) async fn compact(
    cx: Cx,
    params: SessionsCompactParams,
) -> Result<SessionsCompactResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("sessions.compact", "maxLines", params.max_lines, 1..=u64::MAX)?;
    let key = session_key(gateway, &params.key, params.agent_id.as_ref())?;
    let id = format!("compact-{}", Uuid::new_v4());
    let message = Inbound::from_operator(key.clone(), id, "/compact".to_owned(), gateway.clock().now_ms());
    let wish = CompactOptions {
        instructions: params.instructions.filter(|words| !words.trim().is_empty()),
        max_entries: params.max_lines.map(|lines| usize::try_from(lines).unwrap_or(usize::MAX)),
    };
    let report = gateway.relay().turns().compact(message, wish).await?;
    let mut result = SessionsCompactResult { ok: true, key: key.clone(), ..SessionsCompactResult::default() };
    match report {
        CompactReport::Not(why) => result.reason = Some(why),
        CompactReport::Done(done) => {
            result.compacted = true;
            result.kept = u64::try_from(done.kept).ok();
            result.result = Some(CompactedConversation {
                summary: done.summary,
                first_kept_entry_id: done.first_kept.to_string(),
                tokens_before: done.tokens_before,
                tokens_after: done.tokens_after,
            });
        }
    }
    Ok(result)
}
