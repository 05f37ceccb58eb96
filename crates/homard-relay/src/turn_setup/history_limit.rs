//! How much of a conversation a chat platform's owner wants to be told to the model, in turns.

use homard_config::Config;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::{SessionKey, SessionScope};

/// The limit for a conversation on a platform; `None` for no limit, which 0 means, too.
pub(crate) fn history_limit(config: &Config, key: &SessionKey) -> Option<usize> {
    let SessionKey::Agent { scope, .. } = key else { return None };
    let accounts = config.view::<ChannelAccounts>();
    let limit = match scope {
        SessionScope::Direct { channel, account, peer } => {
            let account = account.clone().unwrap_or_else(|| accounts.usual(channel));
            accounts.get(channel, &account).rules.directs.history_limit(peer.as_str())
        }
        SessionScope::Group { channel, .. } | SessionScope::Channel { channel, .. } => {
            accounts.get(channel, &accounts.usual(channel)).rules.history_limit
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
    };
    limit.filter(|turns| *turns > 0)
}
