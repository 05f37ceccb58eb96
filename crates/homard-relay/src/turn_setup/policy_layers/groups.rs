//! What a group's own settings and the sender's say about tools.

use homard_channel::Sender;
use homard_config::Config;
use homard_config::config::tools::ToolRule;
use homard_policy::accounts::{ChannelAccounts, GroupTools};
use homard_protocol::{AccountId, ChannelId, SessionKey, SessionScope};
use homard_tools::{Layer, LayerName, canonical_name};

use super::{PolicySubject, lists, parent};

/// What stands for every sender.
const ANY: &str = "*";

/// The sender's layer for all conversations, and the group's. A subagent is in the group it works for.
pub(super) fn layers(config: &Config, about: &PolicySubject<'_>) -> Vec<Layer> {
    let mut layers = Vec::new();
    if let Some((key, rule)) = by_sender(config, about) {
        layers.push(lists(LayerName::Group, rule).at(format!("tools.toolsBySender[{key}]")));
    }
    let group = in_group(config, about, |tools| {
        let mut allow = tools.list("allow");
        if !allow.is_empty() {
            allow.extend(tools.list("alsoAllow"));
        }
        Layer::new(LayerName::Group, &allow, &tools.list("deny")).at(tools.path.clone())
    });
    layers.extend(group);
    layers
}

/// What the owner gives this sender or this group beside what everybody has (`alsoAllow`), in one spelling.
pub(super) fn given(config: &Config, about: &PolicySubject<'_>) -> Vec<String> {
    let to_sender = by_sender(config, about).map(|(_, rule)| rule.also_allow.clone());
    let to_group = in_group(config, about, |tools| {
        tools.list("alsoAllow").into_iter().map(str::to_owned).collect::<Vec<_>>()
    });
    to_sender
        .into_iter()
        .flatten()
        .chain(to_group.into_iter().flatten())
        .map(|name| canonical_name(&name))
        .collect()
}

fn by_sender<'c>(config: &'c Config, about: &PolicySubject<'_>) -> Option<(&'c str, &'c ToolRule)> {
    let rules = &config.tools.by_sender;
    let key = sender_key(rules.keys().map(String::as_str), about)?;
    Some((key, rules.get(key)?))
}

/// Reads what is written for the group a conversation is in.
fn in_group<T>(
    config: &Config,
    about: &PolicySubject<'_>,
    read: impl FnOnce(&GroupTools<'_>) -> T,
) -> Option<T> {
    let works_for = match about.key {
        SessionKey::Agent { scope: SessionScope::Subagent(_), .. } => parent(about),
        SessionKey::Agent { .. } | SessionKey::Global | SessionKey::Unknown => None,
    };
    let key = works_for.as_ref().unwrap_or(about.key);
    let SessionKey::Agent { scope, .. } = key else { return None };
    let (SessionScope::Group { channel, id } | SessionScope::Channel { channel, id }) = scope else {
        return None;
    };
    let accounts = config.view::<ChannelAccounts>();
    let account = accounts.get(channel, &account(&accounts, channel, about));
    let tools =
        account.group_tools(id.as_str(), |senders| sender_key(senders.keys().map(String::as_str), about));
    tools.as_ref().map(read)
}

/// Which of our accounts a conversation is at: the one that heard the message, else the one it was last heard at.
pub(in crate::turn_setup) fn account(
    accounts: &ChannelAccounts,
    channel: &ChannelId,
    about: &PolicySubject<'_>,
) -> AccountId {
    let kept = || AccountId::parse(about.session?.last_account_id.as_deref()?).ok();
    about.account.cloned().or_else(kept).unwrap_or_else(|| accounts.usual(channel))
}

/// The key that means this sender: by the platform's id, never by a name, which anybody can take. Else `*`.
fn sender_key<'k>(
    mut keys: impl Iterator<Item = &'k str> + Clone,
    about: &PolicySubject<'_>,
) -> Option<&'k str> {
    let means_sender = |key: &&'k str| match about.sender {
        Sender::Operator => false,
        Sender::Peer { id, .. } => {
            let key = key.trim();
            let bare = ["id:", "e164:"].iter().find_map(|prefix| key.strip_prefix(prefix)).unwrap_or(key);
            let on_channel = bare.split_once(':').filter(|(channel, _)| *channel == about.channel.as_str());
            let bare = on_channel.map_or(bare, |(_, id)| id);
            bare.eq_ignore_ascii_case(id.as_str())
        }
    };
    let mut again = keys.clone();
    keys.find(means_sender).or_else(|| again.find(|key| key.trim() == ANY))
}
