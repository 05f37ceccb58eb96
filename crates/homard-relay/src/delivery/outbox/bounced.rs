//! A message that could not be sent still reaches its reader or its owner: whole, where the owner last spoke, or in the
//! page where that is the place that failed. The conversation it belongs to is told with its next turn.

use homard_channel::{Address, ChatKind, Content, MediaKind, Outbound, Sender};
use homard_protocol::{AccountId, ChannelId, PeerId, SessionKey, ThreadId};
use homard_runtime::{OrLog, brief};
use homard_store::OutboundRecord;

use super::{OutgoingText, row_of};
use crate::delivery::look::LOOK_PREFIX;
use crate::delivery::reply_style::ReplyStyle;
use crate::parts::Outgoing;
use crate::sessions::asides;

/// How the keys of these messages begin; one that cannot be sent itself goes to the page.
const KEY: &str = "bounced:";
/// How much of a message its conversation is told again, in characters: the rest stands there.
const MAX_QUOTED: usize = 80;

/// Tells.
pub(super) async fn tell(outgoing: &Outgoing, row: &OutboundRecord, why: &str) {
    let inner = outgoing.inner();
    let new = &row.new;
    tracing::error!(channel = %new.channel, account = %new.account, key = new.key, why, "a message could not be sent");
    let Ok(outbound) = serde_json::from_str::<Outbound>(&new.payload) else { return };
    let Some(said) = said(&outbound.content) else { return };
    let maybe = if row.ambiguous > 0 { " (it may have arrived all the same)" } else { "" };
    let mut about = format!(
        "A message to {} on {} could not be sent{maybe}: {why}. It said:",
        outbound.address.to, new.channel
    );
    inner.guards().secrets.hide_in(&mut about);
    // What waits for a conversation starts the next look around: one whose alert cannot be sent would start another.
    let is_look = new.key.starts_with(LOOK_PREFIX);
    if let Some(session) = new.session_key.as_ref().filter(|_| !is_look) {
        let note = format!("{about} {}", brief(said, MAX_QUOTED));
        let kept = inner.store().notes().keep_event(session, note, None).await;
        kept.or_log("a conversation will not hear of a message that could not be sent");
    }
    let text = if new.key.starts_with(KEY) { said.to_owned() } else { format!("⚠️ {about}\n\n{said}") };
    let place = owners_place(outgoing).await.filter(|place| *place != outbound.address);
    let Some(address) = place.filter(|_| !new.key.starts_with(KEY)) else {
        return tell_page(outgoing, text).await;
    };
    let key = format!("{KEY}{}", new.key);
    pass_on_file(outgoing, &outbound, &address, &key).await;
    // Not awaited in place: it may end here again.
    let said = Box::pin(outgoing.say(OutgoingText { address, text, reply_to: None, key }));
    said.await.or_log("the owner will not hear of a message that could not be sent");
}

/// Where no platform reaches the owner, the page does.
async fn tell_page(outgoing: &Outgoing, text: String) {
    let inner = outgoing.inner();
    let main = SessionKey::main(inner.config().agents.default_agent().id.clone());
    let told = asides::tell_readers(inner, &main, text, outgoing.runs().active_ids(&main)).await;
    told.or_log("the page will not show a message that could not be sent");
}

/// The file of a message goes to the owner, too, where their platform takes files.
async fn pass_on_file(outgoing: &Outgoing, outbound: &Outbound, address: &Address, key: &str) {
    let Content::Media { file, .. } = &outbound.content else { return };
    let abilities = ReplyStyle::of(outgoing, address).abilities;
    let Some(kinds) = abilities.map(|abilities| abilities.media) else { return };
    let mut file = file.clone();
    if !kinds.contains(&file.kind) {
        file.kind = MediaKind::Document;
    }
    if !kinds.contains(&file.kind) {
        return;
    }
    let content = Content::Media { file, caption: homard_channel::RichText::default() };
    let (address, key) = (address.clone(), format!("{key}:file"));
    let passed = Outbound { address, key, reply_to: None, silent: false, no_previews: false, content };
    let row = row_of(outgoing, &passed, None, None);
    outgoing.post(vec![row]).await.or_log("a file that could not be sent does not reach the owner");
}

/// The words of a message; `None` for what nobody misses.
fn said(content: &Content) -> Option<&str> {
    match content {
        Content::Text { words, .. } | Content::Edit { words, .. } => Some(&words.plain),
        Content::Media { file, caption } if caption.plain.is_empty() => Some(&file.name),
        Content::Media { caption, .. } => Some(&caption.plain),
        Content::Poll { question, .. } => Some(question),
        Content::NewThread { name } => Some(name),
        Content::Delete { .. } | Content::React { .. } | Content::Pin { .. } | Content::Typing { .. } => None,
    }
}

/// Where the owner last spoke to the main conversation. Somebody else may speak there, too, where nobody is named as
/// the owner: what was meant for others is not theirs.
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
    let person = Sender::Peer { id: to.clone(), name: None };
    let is_theirs = inner.is_owner_by_id(&channel, Some(&account), &person);
    let thread = place.thread_id.and_then(|id| ThreadId::parse(&id).ok());
    is_theirs.then_some(Address { channel, account, chat: ChatKind::Direct, to, thread })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use homard_protocol::{AgentId, SessionKey};
    use homard_store::DeliveryContext;
    use serde_json::json;

    use super::owners_place;
    use crate::fixture::{Platform, Shared, World, abilities};

    #[tokio::test]
    async fn what_could_not_be_sent_goes_to_the_owner_and_to_nobody_else() {
        let world = World::new(json!({"commands": {"ownerAllowFrom": ["fake:1"]}}));
        let platform = Platform::new(abilities());
        world.relay.platforms().open_channels(vec![Arc::new(Shared(platform))]).await.unwrap();
        for (who, is_told) in [("1", true), ("2", false)] {
            let there = DeliveryContext {
                channel: Some("fake".to_owned()),
                to: Some(who.to_owned()),
                ..DeliveryContext::default()
            };
            let main = SessionKey::main(AgentId::main());
            let spoken = world.store.sessions().patch(&main, |entry| entry.delivery_context = Some(there));
            spoken.await.unwrap();
            assert_eq!(owners_place(&world.relay.outgoing()).await.is_some(), is_told, "{who}");
        }
    }
}
