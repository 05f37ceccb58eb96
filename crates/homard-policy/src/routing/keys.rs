//! Keys of conversations.
//!
//! Every key is made as text and read by the grammar, so that a key that was made is a key that can be read again,
//! whatever a platform's ids look like.

use homard_config::config::bindings::{Binding, PeerKind};
use homard_config::config::session::{DmScope, SessionScopeMode};
use homard_protocol::{AgentId, SessionKey};

use super::{Facts, RouteRules, Speaker};

/// Longest id of a person or room that is used as it is, in bytes; the rest of a key needs its place as well.
const MAX_ID_LEN: usize = 200;
/// How much of a longer one is kept in front of its checksum, in bytes.
const KEPT_LEN: usize = 160;

impl RouteRules {
    /// The conversation of `agent` that a message belongs to, and the one it branched off.
    pub(super) fn keys(
        &self,
        agent: &AgentId,
        facts: &Facts<'_>,
        binding: Option<&Binding>,
    ) -> (SessionKey, Option<SessionKey>) {
        if self.scope == SessionScopeMode::Global {
            return (SessionKey::Global, None);
        }
        let own_groups = binding.and_then(|binding| binding.own_groups).unwrap_or(self.own_groups);
        let base = match facts.kind {
            PeerKind::Direct => {
                let scope = binding.and_then(|binding| binding.dm_scope).unwrap_or(self.dm_scope);
                let is_guest = facts.speaker == Speaker::Guest && scope == DmScope::Main;
                self.direct(if is_guest { self.guest_dm_scope } else { scope }, facts)
            }
            PeerKind::Group | PeerKind::Channel if !own_groups => {
                return (SessionKey::main(agent.clone()), None);
            }
            kind @ (PeerKind::Group | PeerKind::Channel) => room(facts, kind, &facts.room),
        };
        let parent = match (&facts.thread, &facts.parent, facts.kind) {
            (Some(_), _, _) => Some(base.clone()),
            (None, Some(parent), PeerKind::Group | PeerKind::Channel) => {
                Some(room(facts, facts.kind, parent))
            }
            (None, _, _) => None,
        };
        let own = match &facts.thread {
            Some(thread) => format!("{base}:thread:{}", fitting(thread)),
            None => base,
        };
        (key(agent, &own), parent.map(|parent| key(agent, &parent)))
    }

    fn direct(&self, scope: DmScope, facts: &Facts<'_>) -> String {
        let Facts { channel, account, .. } = facts;
        let peer = || fitting(self.linked(facts).unwrap_or(&facts.room));
        match scope {
            DmScope::Main => "main".to_owned(),
            DmScope::PerPeer => format!("direct:{}", peer()),
            DmScope::PerChannelPeer => format!("{channel}:direct:{}", peer()),
            DmScope::PerAccountChannelPeer => format!("{channel}:{account}:direct:{}", peer()),
        }
    }

    /// The name under which the owner knows somebody who has several.
    fn linked(&self, facts: &Facts<'_>) -> Option<&str> {
        let is = |id: &String| {
            let bare = id.strip_prefix(facts.channel.as_str()).and_then(|rest| rest.strip_prefix(':'));
            facts.names.iter().any(|name| id == name || bare == Some(name))
        };
        self.links.iter().find(|(_, ids)| ids.iter().any(is)).map(|(name, _)| name.as_str())
    }
}

fn room(facts: &Facts<'_>, kind: PeerKind, id: &str) -> String {
    format!("{}:{}:{}", facts.channel, kind.as_str(), fitting(id))
}

fn key(agent: &AgentId, rest: &str) -> SessionKey {
    SessionKey::parse(&format!("agent:{agent}:{rest}")).unwrap_or(SessionKey::Unknown)
}

/// An id as a part of a key: no empty parts, no control characters, not too long. Ids that platforms give are fine
/// as they are; this is for the others.
fn fitting(id: &str) -> String {
    let id = id.trim();
    let is_fine = id.len() <= MAX_ID_LEN
        && !id.chars().any(char::is_control)
        && id.split(':').all(|part| !part.trim().is_empty());
    if is_fine {
        return id.to_owned();
    }
    let mut kept = String::new();
    for c in id.chars().map(|c| if c.is_control() || c == ':' || c.is_whitespace() { '_' } else { c }) {
        if kept.len() + c.len_utf8() > KEPT_LEN {
            break;
        }
        kept.push(c);
    }
    format!("{kept}-{:016x}", checksum(id))
}

/// FNV-1a: keeps apart what was cut alike; nothing depends on it being hard to forge, since ids come from platforms.
fn checksum(text: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    text.bytes().fold(OFFSET, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(PRIME))
}
