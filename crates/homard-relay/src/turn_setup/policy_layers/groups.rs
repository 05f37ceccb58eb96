//! What a group's own settings and the sender's say. The channel sections belong to their adapters; of each, only
//! the tools of its groups are read here, in whatever form platforms keep their groups.

use homard_channel::Sender;
use homard_config::Config;
use homard_config::config::tools::ToolRule;
use homard_protocol::{SessionKey, SessionScope};
use homard_tools::{Layer, LayerName, canonical_name};
use serde_json::Value;

use super::{Circumstances, lists, parent};

/// Where platforms keep their groups.
const GROUP_MAPS: [&str; 2] = ["groups", "channels"];
/// What stands for every group and every sender.
const ANY: &str = "*";
/// Stands between a group and one of its topics.
const TOPIC: &str = ":topic:";

/// The sender's layer for all conversations, and the group's. A subagent is in the group it works for.
pub(super) fn layers(config: &Config, about: &Circumstances<'_>) -> Vec<Layer> {
    let mut layers = Vec::new();
    if let Some((key, rule)) = by_sender(config, about) {
        layers.push(lists(LayerName::Group, rule).at(format!("tools.toolsBySender[{key}]")));
    }
    let group = group(config, about);
    layers.extend(group.map(|(tools, place)| written(tools).at(place)));
    layers
}

/// What the owner gives this sender or this group beside what everybody has (`alsoAllow`), in one spelling.
pub(super) fn given(config: &Config, about: &Circumstances<'_>) -> Vec<String> {
    let to_sender = by_sender(config, about).map(|(_, rule)| rule.also_allow.clone());
    let to_group = group(config, about).map(|(tools, _)| list(tools, "alsoAllow"));
    let to_group = to_group.into_iter().flatten().map(str::to_owned);
    to_sender.into_iter().flatten().chain(to_group).map(|name| canonical_name(&name)).collect()
}

fn by_sender<'c>(config: &'c Config, about: &Circumstances<'_>) -> Option<(&'c str, &'c ToolRule)> {
    let rules = &config.tools.by_sender;
    let key = sender_key(rules.keys().map(String::as_str), about)?;
    Some((key, rules.get(key)?))
}

/// The first of: the group's for this sender, the group's, every group's for this sender, every group's; and where it
/// is written.
fn group<'c>(config: &'c Config, about: &Circumstances<'_>) -> Option<(&'c Value, String)> {
    let works_for = match about.key {
        SessionKey::Agent { scope: SessionScope::Subagent(_), .. } => parent(about),
        SessionKey::Agent { .. } | SessionKey::Global | SessionKey::Unknown => None,
    };
    let key = works_for.as_ref().unwrap_or(about.key);
    let SessionKey::Agent { scope, .. } = key else { return None };
    let (SessionScope::Group { channel, id } | SessionScope::Channel { channel, id }) = scope else {
        return None;
    };
    let section = config.channels.get(channel)?.as_value();
    let place = format!("channels.{channel}");
    let account = about.account.and_then(|account| {
        let own = section.get("accounts")?.get(account.as_str())?;
        Some((own, format!("{place}.accounts.{account}")))
    });
    let id = id.as_str();
    let whole_group = id.split_once(TOPIC).map_or(id, |(group, _)| group);
    let mut names = vec![id, whole_group, ANY];
    names.dedup();
    let sources: Vec<(&Value, String)> = account.into_iter().chain([(section, place)]).collect();
    let found =
        |name: &&str| sources.iter().flat_map(|(at, place)| entries(at, place, name)).collect::<Vec<_>>();
    names.iter().flat_map(found).find_map(|(entry, place)| entry_tools(entry, &place, about))
}

/// The entries of a channel section (or an account's) that are about the group `name`.
fn entries<'v>(section: &'v Value, place: &str, name: &str) -> Vec<(&'v Value, String)> {
    let mut found = Vec::new();
    for map in GROUP_MAPS {
        if let Some((key, entry)) = member(section.get(map), name) {
            found.push((entry, format!("{place}.{map}[{key}]")));
        }
    }
    for (guild, settings) in section.get("guilds").and_then(Value::as_object).into_iter().flatten() {
        let place = format!("{place}.guilds[{guild}]");
        if let Some((key, entry)) = member(settings.get("channels"), name) {
            found.push((entry, format!("{place}.channels[{key}]")));
            // What is said for the whole guild holds where the room says nothing.
            found.push((settings, place));
        }
    }
    found
}

/// The member of a map whose key is `name`, however it is capitalised; session keys are lower case.
fn member<'v>(map: Option<&'v Value>, name: &str) -> Option<(&'v str, &'v Value)> {
    let found = map?.as_object()?.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
    found.map(|(key, entry)| (key.as_str(), entry))
}

fn entry_tools<'v>(entry: &'v Value, place: &str, about: &Circumstances<'_>) -> Option<(&'v Value, String)> {
    if let Some(senders) = entry.get("toolsBySender").and_then(Value::as_object)
        && let Some(key) = sender_key(senders.keys().map(String::as_str), about)
    {
        let tools = senders.get(key).filter(|tools| tools.is_object())?;
        return Some((tools, format!("{place}.toolsBySender[{key}]")));
    }
    let tools = entry.get("tools").filter(|tools| tools.is_object())?;
    Some((tools, format!("{place}.tools")))
}

/// A list as a channel section spells it.
fn list<'v>(tools: &'v Value, name: &str) -> Vec<&'v str> {
    let entries = tools.get(name).and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(Value::as_str).collect()
}

/// Lists as a channel section spells them.
fn written(tools: &Value) -> Layer {
    let mut allow = list(tools, "allow");
    if !allow.is_empty() {
        allow.extend(list(tools, "alsoAllow"));
    }
    Layer::new(LayerName::Group, &allow, &list(tools, "deny"))
}

/// The key that means this sender: by the platform's id, never by a name, which anybody can take. Else `*`.
fn sender_key<'k>(
    mut keys: impl Iterator<Item = &'k str> + Clone,
    about: &Circumstances<'_>,
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
