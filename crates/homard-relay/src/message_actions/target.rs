//! Where a message is to go, as people and models write it: `telegram:123`, `irc:#room`, `-100123:topic:7`.
//!
//! `[platform:][user|group|channel:]id[:topic:n]`. Nothing is looked up: a name that only the platform could turn
//! into an id is refused with words.

use homard_channel::ChatKind;
use homard_protocol::{ChannelId, PeerId, ThreadId};
use homard_runtime::Clip;

/// Most characters of a target that an error repeats.
const MAX_SHOWN: usize = 100;
/// What stands before a thread.
const THREAD_MARKS: [&str; 2] = [":topic:", ":thread:"];

/// What a platform is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelName {
    /// In configuration and session keys.
    pub id: &'static str,
    /// What else people write.
    pub aliases: &'static [&'static str],
    /// What people call it.
    pub label: &'static str,
}

/// A place as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The platform, where it was named.
    pub(crate) channel: Option<ChannelId>,
    pub(crate) chat: ChatKind,
    pub(crate) to: PeerId,
    pub(crate) thread: Option<ThreadId>,
}

/// The id of a platform by its name or alias; a name nobody knows is taken as it is.
pub(crate) fn channel_of(name: &str, names: &[ChannelName]) -> Option<ChannelId> {
    let name = name.trim().to_ascii_lowercase();
    let known = names.iter().find(|known| known.id == name || known.aliases.contains(&name.as_str()));
    ChannelId::parse(known.map_or(name.as_str(), |known| known.id)).ok()
}

/// Reads a target. `names` are the platforms there are; only their names count as a platform's.
pub(crate) fn parse(text: &str, names: &[ChannelName]) -> Result<Target, String> {
    let text = text.trim();
    let shown = text.clip_chars(MAX_SHOWN).to_owned();
    let (channel, rest) = platform(text, names);
    let (kind, rest) = kind(rest);
    let (id, thread) = split_thread(rest);
    let id = id.trim();
    if id.is_empty() {
        return Err(format!("`{shown}` names nobody; write it as <platform>:<id>"));
    }
    if id.starts_with('@') {
        return Err(format!(
            "`{shown}` is a name, and only the platform knows whose; write the numeric id (whoever writes to us first is shown with it)"
        ));
    }
    let to = PeerId::parse(id).map_err(|error| error.to_string())?;
    let thread = thread.map(ThreadId::parse).transpose().map_err(|error| error.to_string())?;
    let chat = kind.unwrap_or_else(|| if is_room(id) { ChatKind::Group } else { ChatKind::Direct });
    Ok(Target { channel, chat, to, thread })
}

/// Whether an id is a room's by the look of it: rooms have negative numbers, or a sign in front.
fn is_room(id: &str) -> bool {
    id.starts_with(['#', '&'])
        || id.strip_prefix('-').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

fn platform<'t>(text: &'t str, names: &[ChannelName]) -> (Option<ChannelId>, &'t str) {
    if let Some((word, rest)) = text.split_once(':') {
        let word = word.to_ascii_lowercase();
        let known = names.iter().find(|known| known.id == word || known.aliases.contains(&word.as_str()));
        if let Some(channel) = known.and_then(|known| ChannelId::parse(known.id).ok()) {
            return (Some(channel), rest);
        }
    }
    (None, text)
}

fn kind(text: &str) -> (Option<ChatKind>, &str) {
    let Some((word, rest)) = text.split_once(':') else { return (None, text) };
    let kind = match word.to_ascii_lowercase().as_str() {
        "user" | "direct" | "dm" => ChatKind::Direct,
        "group" | "chat" => ChatKind::Group,
        "channel" | "room" => ChatKind::Channel,
        _ => return (None, text),
    };
    (Some(kind), rest)
}

fn split_thread(text: &str) -> (&str, Option<&str>) {
    let found = THREAD_MARKS.iter().find_map(|mark| text.rsplit_once(mark));
    match found {
        Some((id, thread)) if !thread.is_empty() => (id, Some(thread)),
        Some(_) | None => (text, None),
    }
}

#[cfg(test)]
mod tests;
