//! What holds in one group, topic or direct chat: the closest thing the owner wrote counts, key by key.

use std::collections::BTreeMap;

use homard_channel::Conversation;
use homard_protocol::PeerId;
use serde_json::{Map, Value};

use super::allow::{AllowList, without_channel};
use super::read::{Read, Reader};
use super::rules::GroupPolicy;

/// Key of what holds for all.
const ALL: &str = "*";

/// What the owner wrote about one group or topic; `None` means nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroupRules {
    /// Whether it is heard at all.
    pub enabled: Option<bool>,
    /// Whether we must be meant.
    pub require_mention: Option<bool>,
    pub policy: Option<GroupPolicy>,
    /// Who is listed here, instead of the wider list.
    pub allow: Option<AllowList>,
    /// What the model is told here.
    pub system_prompt: Option<String>,
    /// Which skills are offered.
    pub skills: Option<Vec<String>>,
    /// Which tools are offered, as written.
    pub tools: Option<Value>,
    /// Which tools are offered to whom, as written.
    pub tools_by_sender: Option<Value>,
    /// How much of what was said is told.
    pub history_limit: Option<usize>,
    pub topics: BTreeMap<String, Self>,
}

/// Groups and rooms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Groups {
    /// Who is answered where nothing else is said.
    pub policy: GroupPolicy,
    pub allow: AllowList,
    /// Whether we must be meant where nothing else is said.
    pub require_mention: Option<bool>,
    /// Groups by id in small letters; when there is a list, no other group is heard unless it has `*`.
    pub listed: Option<BTreeMap<String, GroupRules>>,
}

/// What holds in one place.
#[derive(Debug, Clone, PartialEq)]
pub struct PlaceRules<'a> {
    /// Whether the owner's list of groups has it, or there is no list.
    pub is_listed: bool,
    /// Whether it is heard.
    pub enabled: bool,
    /// Whether we must be meant.
    pub require_mention: bool,
    pub policy: GroupPolicy,
    /// Who is listed for this place alone.
    pub allow: Option<&'a AllowList>,
    /// What the model is told here: the group's words, then the topic's.
    pub system_prompt: Vec<&'a str>,
    /// Which skills are offered.
    pub skills: Option<&'a [String]>,
    /// Which tools are offered, as written.
    pub tools: Option<&'a Value>,
    /// Which tools are offered to whom, as written.
    pub tools_by_sender: Option<&'a Value>,
    /// How much of what was said is told.
    pub history_limit: Option<usize>,
}

impl Groups {
    /// What holds in a group or room; `parent` is the room it belongs to, where threads are rooms of their own.
    #[must_use]
    pub fn place(&self, conversation: &Conversation, parent: Option<&PeerId>) -> PlaceRules<'_> {
        let ids = conversation.peer().into_iter().chain(parent);
        let named = ids.filter_map(|id| self.rules_of(&id.as_str().to_ascii_lowercase()));
        let groups: Vec<&GroupRules> = named.chain(self.rules_of(ALL)).collect();
        let topic = conversation.thread().map(|thread| thread.as_str().to_ascii_lowercase());
        let topics = groups.iter().flat_map(|group| {
            let own = topic.as_deref().and_then(|topic| group.topics.get(topic));
            own.into_iter().chain(group.topics.get(ALL).filter(|_| topic.is_some()))
        });
        let closest: Vec<&GroupRules> = topics.chain(groups.iter().copied()).collect();
        let group_prompt = groups.iter().find_map(|rules| rules.system_prompt.as_deref());
        let topics = closest.len() - groups.len();
        let topic_prompt = closest.iter().take(topics).find_map(|rules| rules.system_prompt.as_deref());
        PlaceRules {
            is_listed: self.listed.is_none() || !groups.is_empty(),
            enabled: closest.iter().find_map(|rules| rules.enabled).unwrap_or(true)
                && groups.iter().find_map(|rules| rules.enabled).unwrap_or(true),
            require_mention: closest
                .iter()
                .find_map(|rules| rules.require_mention)
                .or(self.require_mention)
                .unwrap_or(true),
            policy: closest.iter().find_map(|rules| rules.policy).unwrap_or(self.policy),
            allow: closest.iter().find_map(|rules| rules.allow.as_ref()),
            system_prompt: group_prompt.into_iter().chain(topic_prompt).collect(),
            skills: closest.iter().find_map(|rules| rules.skills.as_deref()),
            tools: closest.iter().find_map(|rules| rules.tools.as_ref()),
            tools_by_sender: closest.iter().find_map(|rules| rules.tools_by_sender.as_ref()),
            history_limit: closest.iter().find_map(|rules| rules.history_limit),
        }
    }

    fn rules_of(&self, id: &str) -> Option<&GroupRules> {
        self.listed.as_ref()?.get(id)
    }
}

/// What the owner wrote about single people (`dms`, newer `direct`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DirectRules {
    /// How many of their turns are told, where nothing closer is said (`dmHistoryLimit`).
    pub history_limit: Option<usize>,
    /// People by id in small letters.
    pub people: BTreeMap<String, GroupRules>,
}

impl DirectRules {
    /// What holds for one person, before what holds for all.
    fn closest(&self, peer: &str) -> impl Iterator<Item = &GroupRules> {
        self.people.get(&peer.to_ascii_lowercase()).into_iter().chain(self.people.get(ALL))
    }

    /// How many turns of a direct chat are told; `None` means all.
    #[must_use]
    pub fn history_limit(&self, peer: &str) -> Option<usize> {
        self.closest(peer).find_map(|rules| rules.history_limit).or(self.history_limit)
    }

    /// What the model is told in a direct chat.
    #[must_use]
    pub fn system_prompt(&self, peer: &str) -> Option<&str> {
        self.closest(peer).find_map(|rules| rules.system_prompt.as_deref())
    }

    /// Which skills are offered in a direct chat.
    #[must_use]
    pub fn skills(&self, peer: &str) -> Option<&[String]> {
        self.closest(peer).find_map(|rules| rules.skills.as_deref())
    }

    /// Whether somebody is heard at all.
    #[must_use]
    pub fn is_enabled(&self, peer: &str) -> bool {
        self.closest(peer).find_map(|rules| rules.enabled).unwrap_or(true)
    }
}

const GROUP_POLICIES: &[(&str, GroupPolicy)] = &[
    ("allowlist", GroupPolicy::Allowlist),
    ("open", GroupPolicy::Open),
    ("disabled", GroupPolicy::Disabled),
];

/// Reads groups; some platforms call them rooms or channels.
pub(super) fn read_groups(
    map: &Map<String, Value>,
    channel: &str,
    allow: &AllowList,
    cx: &mut Reader,
) -> Groups {
    let key = ["groups", "rooms", "channels"]
        .into_iter()
        .find(|key| map.get(*key).is_some_and(|value| *key == "groups" || value.is_object()));
    let listed = match key.map(|key| (key, cx.object(map, key))) {
        None | Some((_, Read::Absent)) => None,
        // Nobody knows which groups were meant, so none is.
        Some((_, Read::Unreadable)) => Some(BTreeMap::new()),
        Some((_, Read::Value(groups))) if groups.is_empty() => None,
        Some((key, Read::Value(groups))) => Some(cx.inside(key, |cx| read_map(groups, channel, cx))),
    };
    Groups {
        policy: cx
            .choice(map, "groupPolicy", GROUP_POLICIES)
            .or_safe(GroupPolicy::Allowlist)
            .unwrap_or_default(),
        allow: cx.allow_list(map, "groupAllowFrom").unwrap_or_else(|| allow.clone()),
        require_mention: cx.flag(map, "requireMention").or_safe(true),
        listed,
    }
}

/// Reads what is said about single people; the newer key wins person by person.
pub(super) fn read_directs(map: &Map<String, Value>, cx: &mut Reader) -> DirectRules {
    let mut people = BTreeMap::new();
    for key in ["dms", "direct"] {
        if let Read::Value(listed) = cx.object(map, key) {
            people.extend(cx.inside(key, |cx| read_map(listed, "", cx)));
        }
    }
    DirectRules { history_limit: cx.number(map, "dmHistoryLimit"), people }
}

fn read_map(map: &Map<String, Value>, channel: &str, cx: &mut Reader) -> BTreeMap<String, GroupRules> {
    let mut rules = BTreeMap::new();
    for (key, value) in map {
        let empty = Map::new();
        let section = match value {
            Value::Object(section) => section,
            Value::Null | Value::Bool(true) => &empty,
            _ => {
                cx.problem(key, "an object is expected here; it is turned off");
                rules.insert(
                    id_of(key, channel),
                    GroupRules { enabled: Some(false), ..GroupRules::default() },
                );
                continue;
            }
        };
        rules.insert(id_of(key, channel), cx.inside(key, |cx| read_group(section, channel, cx)));
    }
    rules
}

/// The id a key means: without the platform's name and `group:` or `channel:`, in small letters.
fn id_of(key: &str, channel: &str) -> String {
    let key = key.trim();
    let key = without_channel(key, channel).unwrap_or(key);
    let key = ["group:", "channel:"].iter().find_map(|prefix| key.strip_prefix(prefix)).unwrap_or(key);
    key.to_ascii_lowercase()
}

fn read_group(map: &Map<String, Value>, channel: &str, cx: &mut Reader) -> GroupRules {
    let enabled = cx.flag(map, "enabled").or_safe(false);
    let older = cx.flag(map, "allow").or_safe(false);
    let topics = match cx.object(map, "topics") {
        Read::Value(topics) => cx.inside("topics", |cx| read_map(topics, channel, cx)),
        Read::Absent | Read::Unreadable => BTreeMap::new(),
    };
    GroupRules {
        enabled: enabled.or(older),
        require_mention: cx.flag(map, "requireMention").or_safe(true),
        policy: cx.choice(map, "groupPolicy", GROUP_POLICIES).or_safe(GroupPolicy::Allowlist),
        allow: cx.allow_list(map, "allowFrom").or_else(|| cx.allow_list(map, "users")),
        system_prompt: cx.text(map, "systemPrompt"),
        skills: cx.texts(map, "skills").or_safe(Vec::new()),
        tools: map.get("tools").filter(|value| !value.is_null()).cloned(),
        tools_by_sender: map.get("toolsBySender").filter(|value| !value.is_null()).cloned(),
        history_limit: cx.number(map, "historyLimit"),
        topics,
    }
}

#[cfg(test)]
mod tests;
