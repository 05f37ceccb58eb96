//! How much of a conversation a chat platform's owner wants to be told to the model, in turns.

use homard_config::Config;
use homard_protocol::{AccountId, PeerId, SessionKey, SessionScope};
use serde_json::Value;

/// The limit for a conversation on a platform; `None` for no limit.
pub(crate) fn history_limit(config: &Config, key: &SessionKey) -> Option<usize> {
    let SessionKey::Agent { scope, .. } = key else { return None };
    let section = |channel| config.channels.get(channel).map(|section| section.as_value());
    match scope {
        SessionScope::Direct { channel, account, peer } => direct(section(channel)?, account.as_ref(), peer),
        SessionScope::Group { channel, .. } | SessionScope::Channel { channel, .. } => {
            number(section(channel)?.get("historyLimit"))
        }
        SessionScope::Main
        | SessionScope::Peer(_)
        | SessionScope::Slash { .. }
        | SessionScope::Cron { .. }
        | SessionScope::Hook(_)
        | SessionScope::Subagent(_)
        | SessionScope::Acp(_)
        | SessionScope::Http(_)
        | SessionScope::Named(_) => None,
    }
}

/// For one person: what is said of them, of our account, of the platform, in this order.
fn direct(section: &Value, account: Option<&AccountId>, peer: &PeerId) -> Option<usize> {
    let own = account.and_then(|id| section.get("accounts")?.get(id.as_str()));
    let of = |place: &Value| {
        let person = place.get("dms").and_then(|dms| dms.get(peer.as_str())?.get("historyLimit"));
        number(person).or_else(|| number(place.get("dmHistoryLimit")))
    };
    own.and_then(of).or_else(|| of(section))
}

/// A number of turns; 0 means no limit.
fn number(value: Option<&Value>) -> Option<usize> {
    value.and_then(Value::as_u64).and_then(|turns| usize::try_from(turns).ok()).filter(|&turns| turns > 0)
}

#[cfg(test)]
mod tests;
