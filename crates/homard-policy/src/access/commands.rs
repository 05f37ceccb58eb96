//! Who may use commands, and who is the owner.

use std::collections::BTreeMap;

use homard_config::Config;
use homard_runtime::CollectOrdered as _;

use super::allow::{AllowList, NameMatching, SenderIdentity, is_among};

/// What `commands` says about people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRules {
    /// Who may use commands, by platform or `*`; where a list applies, nothing else counts.
    senders: BTreeMap<String, AllowList>,
    /// Whether the allow-lists of platforms count for commands.
    access_groups: bool,
    owners: AllowList,
}

impl Default for CommandRules {
    fn default() -> Self {
        Self { senders: BTreeMap::new(), access_groups: true, owners: AllowList::default() }
    }
}

/// The lists that concern one sender in one place.
pub(super) struct Lists<'a> {
    pub(super) direct: &'a AllowList,
    /// Who was let in by their code; nobody in groups.
    pub(super) let_in: &'a [String],
    /// The group's list; `None` in direct messages.
    pub(super) group: Option<&'a AllowList>,
    pub(super) names: NameMatching,
}

impl CommandRules {
    /// What the configuration says.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let owners = &config.owners;
        let senders =
            owners.command_senders().iter().map(|(channel, ids)| (channel.as_str(), ids.as_slice()));
        Self::new(senders, owners.uses_access_groups(), owners.ids())
    }

    /// The same from its parts: `commands.allowFrom`, `commands.useAccessGroups`, `commands.ownerAllowFrom`.
    #[must_use]
    pub fn new<'a>(
        senders: impl IntoIterator<Item = (&'a str, &'a [String])>,
        access_groups: bool,
        owners: &[String],
    ) -> Self {
        let list = |ids: &[String]| AllowList::of(ids.iter().cloned()).0;
        let senders = senders.into_iter().map(|(channel, ids)| (channel.to_ascii_lowercase(), list(ids)));
        Self { senders: senders.collect_map(), access_groups, owners: list(owners) }
    }

    /// Whether the owner is named at all.
    #[must_use]
    pub fn names_an_owner(&self) -> bool {
        !self.owners.entries().is_empty()
    }

    /// Whether somebody is the owner, by a name their platform vouches for: named so, or, where nobody is, the only
    /// one `allowFrom` lists for direct messages (`direct`). `*` is nobody, and neither is who merely was let in.
    #[must_use]
    pub fn is_owner(&self, who: &SenderIdentity<'_>, direct: &AllowList) -> bool {
        who.as_vouched().is_some_and(|who| is_among(self.owner_names(direct), &who))
    }

    /// The names of the owner, as written; nobody where `direct` lists several and none is named.
    #[must_use]
    pub fn owner_names<'a>(&'a self, direct: &'a AllowList) -> &'a [String] {
        match direct.entries() {
            _ if !self.owners.is_empty() => self.owners.entries(),
            [only] => std::slice::from_ref(only),
            _ => &[],
        }
    }

    /// Whether somebody may use commands.
    pub(super) fn may_command(&self, who: &SenderIdentity<'_>, lists: &Lists<'_>) -> bool {
        if let Some(list) = self.senders.get(who.channel).or_else(|| self.senders.get("*")) {
            return list.find(who, lists.names).is_some();
        }
        // Who is named as the owner commands wherever they may speak; beside an owner, nobody else does.
        let is_owner = !self.owners.is_empty() && self.is_owner(who, lists.direct);
        let may_others = self.owners.is_empty() || self.owners.has_everybody();
        is_owner || (may_others && (!self.access_groups || is_listed(who, lists)))
    }
}

/// Whether a list of the place has them. In groups, `*` for direct messages means nothing.
fn is_listed(who: &SenderIdentity<'_>, lists: &Lists<'_>) -> bool {
    match lists.group {
        None => lists.direct.find(who, lists.names).is_some() || is_among(lists.let_in, who),
        Some(group) => {
            group.find(who, lists.names).is_some() || lists.direct.find_named(who, lists.names).is_some()
        }
    }
}
