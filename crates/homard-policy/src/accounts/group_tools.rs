//! Which tools the owner offers in a group, in whatever form platforms keep their groups.

use serde_json::{Map, Value};

use super::{ChannelAccount, Layer};

/// Where platforms keep their groups.
const GROUP_MAPS: [&str; 2] = ["groups", "channels"];
/// What stands for every group.
const ANY: &str = "*";
/// Stands between a group and one of its topics.
const TOPIC: &str = ":topic:";

/// Lists of tools somebody wrote for a group, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupTools<'a> {
    /// Where, as a path with the group's name in brackets.
    pub path: String,
    lists: &'a Value,
}

impl<'a> GroupTools<'a> {
    /// One of the lists: `allow`, `alsoAllow`, `deny`.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<&'a str> {
        let entries = self.lists.get(name).and_then(Value::as_array).into_iter().flatten();
        entries.filter_map(Value::as_str).collect()
    }
}

impl ChannelAccount {
    /// The first of: the group's for this sender, the group's, every group's for this sender, every group's. `sender`
    /// picks the key that means the sender out of those that are written.
    pub fn group_tools<'a>(
        &'a self,
        id: &str,
        sender: impl Fn(&'a Map<String, Value>) -> Option<&'a str>,
    ) -> Option<GroupTools<'a>> {
        let whole_group = id.split_once(TOPIC).map_or(id, |(group, _)| group);
        let mut names = vec![id, whole_group, ANY];
        names.dedup();
        let entries = names.iter().flat_map(|name| self.layers.iter().flat_map(|layer| layer.entries(name)));
        entries.collect::<Vec<_>>().into_iter().find_map(|(entry, path)| {
            if let Some(senders) = entry.get("toolsBySender").and_then(Value::as_object)
                && let Some(key) = sender(senders)
            {
                let lists = senders.get(key).filter(|lists| lists.is_object())?;
                return Some(GroupTools { path: format!("{path}.toolsBySender[{key}]"), lists });
            }
            let lists = entry.get("tools").filter(|lists| lists.is_object())?;
            Some(GroupTools { path: format!("{path}.tools"), lists })
        })
    }
}

impl Layer {
    /// The entries that are about the group `name`.
    fn entries(&self, name: &str) -> Vec<(&Value, String)> {
        let place = &self.path;
        let mut found = Vec::new();
        for map in GROUP_MAPS {
            if let Some((key, entry)) = member(self.values.get(map), name) {
                found.push((entry, format!("{place}.{map}[{key}]")));
            }
        }
        for (guild, settings) in self.values.get("guilds").and_then(Value::as_object).into_iter().flatten() {
            let place = format!("{place}.guilds[{guild}]");
            if let Some((key, entry)) = member(settings.get("channels"), name) {
                found.push((entry, format!("{place}.channels[{key}]")));
                // What is said for the whole guild holds where the room says nothing.
                found.push((settings, place));
            }
        }
        found
    }
}

/// The member of a map whose key is `name`, however it is capitalised; session keys are lower case.
fn member<'v>(map: Option<&'v Value>, name: &str) -> Option<(&'v str, &'v Value)> {
    let found = map?.as_object()?.iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
    found.map(|(key, entry)| (key.as_str(), entry))
}
