//! Telling people about a message that could not be sent: the conversation it belongs to, with its next turn, and the
//! owner where they last spoke, if that is another place.

use homard_channel::{Address, ChatKind, Content, Outbound};
use homard_protocol::{AccountId, ChannelId, PeerId, SessionKey, ThreadId};
use homard_runtime::OrLog;
use homard_store::OutboundRecord;

use super::OutgoingText;
use crate::parts::Outgoing;

/// How the keys of these messages begin; one that cannot be sent itself is told nowhere else.
const KEY: &str = "bounced:";
/// How much of a message is repeated, in characters.
const MAX_QUOTED: usize = 80;

/// Tells.
pub(super) async fn tell(outgoing: &Outgoing, row: &OutboundRecord, why: &str) {
    let inner = outgoing.inner();
    let new = &row.new;
    tracing::error!(channel = %new.channel, account = %new.account, key = new.key, why, "a message could not be sent");
    let Ok(outbound) = serde_json::from_str::<Outbound>(&new.payload) else { return };
    let Some(quoted) = quoted(&outbound.content).filter(|_| !new.key.starts_with(KEY)) else { return };
    let maybe = if row.ambiguous > 0 { " (it may have arrived all the same)" } else { "" };
    let mut text = format!(
        "A message to {} on {} could not be sent{maybe}: {why}.{quoted}",
        outbound.address.to, new.channel
    );
    inner.guards().secrets.hide_in(&mut text);
    if let Some(session) = &new.session_key {
        let kept = inner.store().notes().keep_event(session, text.clone(), None).await;
        kept.or_log("a conversation will not hear of a message that could not be sent");
    }
    let Some(address) = owners_place(outgoing).await.filter(|place| *place != outbound.address) else {
        return;
    };
    let saying = OutgoingText {
        address,
        text: format!("⚠️ {text}"),
        reply_to: None,
        key: format!("{KEY}{}", new.key),
    };
    // Not awaited in place: it may end here again.
    let said = Box::pin(outgoing.say(saying));
    said.await.or_log("the owner will not hear of a message that could not be sent");
}

/// What is repeated of a message; `None` for what nobody misses.
fn quoted(content: &Content) -> Option<String> {
    let text = match content {
        Content::Text { words, .. } | Content::Edit { words, .. } => &words.plain,
        Content::Media { file, .. } => &file.name,
        Content::Poll { question, .. } => question,
        Content::NewThread { name } => name,
        Content::Delete { .. } | Content::React { .. } | Content::Pin { .. } | Content::Typing { .. } => {
            return None;
        }
    };
    let mut start: String =
        text.chars().take(MAX_QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    Some(format!(" It said: {start}"))
}

/// Where the owner last spoke to the main conversation.
async fn owners_place(outgoing: &Outgoing) -> Option<Address> {
    let inner = outgoing.inner();
    let main = SessionKey::main(inner.config().agents.default_agent().id.clone());
    let session =
        inner.store().sessions().get(&main).await.or_log("the owner's place could not be read").flatten()?;
    let place = session.entry.delivery_context?;
    let channel = ChannelId::parse(&place.channel?).ok()?;
    let account = place.account_id.and_then(|id| AccountId::parse(&id).ok());
    let account = account.unwrap_or_else(AccountId::default_account);
    outgoing.channels().get(&channel, &account)?;
    let to = PeerId::parse(&place.to?).ok()?;
    let thread = place.thread_id.and_then(|id| ThreadId::parse(&id).ok());
    Some(Address { channel, account, chat: ChatKind::Direct, to, thread })
}
