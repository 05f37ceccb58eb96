//! One layer: whose lists, where they are written, and what they say about a tool.

use std::borrow::Cow;
use std::fmt;

use super::groups::{Profile, canonical_name, members};

/// Where a layer's lists come from, in the order they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerName {
    Profile,
    /// The profile for the model's provider.
    ProviderProfile,
    Global,
    /// The same for the model's provider.
    GlobalProvider,
    /// The agent's own lists.
    Agent,
    /// The agent's own lists for the model's provider.
    AgentProvider,
    /// The group's or channel's lists, or the sender's.
    Group,
    Sandbox,
    Subagent,
    /// Not being the owner.
    Owner,
}

impl LayerName {
    /// All, in the order they are asked.
    pub const ALL: [Self; 10] = [
        Self::Profile,
        Self::ProviderProfile,
        Self::Global,
        Self::GlobalProvider,
        Self::Agent,
        Self::AgentProvider,
        Self::Group,
        Self::Sandbox,
        Self::Subagent,
        Self::Owner,
    ];

    /// The word programs read.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::ProviderProfile => "providerProfile",
            Self::Global => "global",
            Self::GlobalProvider => "globalProvider",
            Self::Agent => "agent",
            Self::AgentProvider => "agentProvider",
            Self::Group => "group",
            Self::Sandbox => "sandbox",
            Self::Subagent => "subagent",
            Self::Owner => "owner",
        }
    }
}

impl fmt::Display for LayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Profile => "tools.profile",
            Self::ProviderProfile => "tools.byProvider profile",
            Self::Global => "tools",
            Self::GlobalProvider => "tools.byProvider",
            Self::Agent => "the agent's tools",
            Self::AgentProvider => "the agent's tools.byProvider",
            Self::Group => "the group's tools",
            Self::Sandbox => "sandbox tools",
            Self::Subagent => "subagent tools",
            Self::Owner => "owner-only tools",
        })
    }
}

/// One layer of allow and deny lists. An empty allow list allows everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub(super) name: LayerName,
    /// Where the lists are written; the layer's own name when nobody said.
    pub(super) place: Option<Cow<'static, str>>,
    /// Where the owner can widen it, when that is not the lists themselves.
    pub(super) remedy: Option<Cow<'static, str>>,
    pub(super) allow: Vec<String>,
    pub(super) deny: Vec<String>,
    /// How many of the allow entries are ours and not the owner's.
    pub(super) built_in: usize,
}

impl Layer {
    /// A layer of lists as the configuration spells them: names, `*` globs and groups.
    pub fn new<S: AsRef<str>>(name: LayerName, allow: &[S], deny: &[S]) -> Self {
        let canonical =
            |patterns: &[S]| patterns.iter().map(|pattern| canonical_name(pattern.as_ref())).collect();
        let (allow, deny) = (canonical(allow), canonical(deny));
        Self { name, place: None, remedy: None, allow, deny, built_in: 0 }
    }

    /// A profile, widened by what the configuration allows besides.
    pub fn profile<S: AsRef<str>>(name: LayerName, profile: Profile, also_allow: &[S]) -> Self {
        let profile_allows = profile.allows();
        let mut layer = Self::new(name, profile_allows, &[]);
        layer.built_in = layer.allow.len();
        if !profile_allows.is_empty() {
            layer.allow.extend(also_allow.iter().map(|pattern| canonical_name(pattern.as_ref())));
        }
        layer
    }

    /// Says where the lists are written, so that the owner finds them.
    #[must_use]
    pub fn at(mut self, place: impl Into<Cow<'static, str>>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Says what the owner can do about it, for lists that are not written anywhere.
    #[must_use]
    pub fn remedy(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.remedy = Some(words.into());
        self
    }

    /// Whether it says anything at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.allow.is_empty() && self.deny.is_empty()
    }

    /// Where the lists are written.
    pub(super) fn place(&self) -> String {
        self.place.as_ref().map_or_else(|| self.name.to_string(), |place| place.to_string())
    }

    pub(super) fn judge(&self, tool: &str) -> DecidedBy {
        if let Some(pattern) = first_match(&self.deny, tool) {
            return DecidedBy::Denied { layer: self.name, pattern };
        }
        if self.allow.is_empty() {
            return DecidedBy::Nothing;
        }
        // Patching files is a way of running commands; whoever may do the second may do the first.
        let listed = first_match(&self.allow, tool)
            .or_else(|| if tool == "apply_patch" { first_match(&self.allow, "exec") } else { None });
        match listed {
            Some(pattern) => DecidedBy::Listed { layer: self.name, pattern },
            None => DecidedBy::NotListed { layer: self.name },
        }
    }

    /// The owner's entries that name none of `known`.
    pub(super) fn unmatched<'l>(
        &'l self,
        known: &'l [&str],
    ) -> impl Iterator<Item = (&'static str, &'l str)> {
        let allow = self.allow.iter().skip(self.built_in).map(|entry| ("allow", entry.as_str()));
        let deny = self.deny.iter().map(|entry| ("deny", entry.as_str()));
        allow.chain(deny).filter(|(_, entry)| !known.iter().any(|name| matches(entry, name)))
    }
}

/// The rule that decided about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecidedBy {
    /// A deny list names it.
    Denied {
        layer: LayerName,
        /// The entry that matched.
        pattern: String,
    },
    /// An allow list exists and does not name it.
    NotListed { layer: LayerName },
    /// An allow list names it; the innermost one, when several do.
    Listed {
        layer: LayerName,
        /// The entry that matched.
        pattern: String,
    },
    /// No list says anything about it, so it is allowed.
    Nothing,
}

impl DecidedBy {
    /// Whether this refuses the tool.
    #[must_use]
    pub fn refuses(&self) -> bool {
        matches!(self, Self::Denied { .. } | Self::NotListed { .. })
    }

    /// The entry that matched.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        match self {
            Self::Denied { pattern, .. } | Self::Listed { pattern, .. } => Some(pattern),
            Self::NotListed { .. } | Self::Nothing => None,
        }
    }
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied { layer, pattern } => write!(f, "{layer}: deny has `{pattern}`"),
            Self::NotListed { layer } => write!(f, "{layer}: allow does not list it"),
            Self::Listed { layer, pattern } => write!(f, "{layer}: allow has `{pattern}`"),
            Self::Nothing => f.write_str("no list mentions it"),
        }
    }
}

/// Whether a list of names, `*` globs and groups has a tool.
pub(crate) fn lists(patterns: &[String], tool: &str) -> bool {
    patterns.iter().any(|pattern| matches(pattern, tool))
}

fn first_match(patterns: &[String], tool: &str) -> Option<String> {
    patterns.iter().find(|pattern| matches(pattern, tool)).cloned()
}

fn matches(pattern: &str, tool: &str) -> bool {
    match members(pattern) {
        Some(members) => members.contains(&tool),
        None => glob(pattern, tool),
    }
}

/// `*` stands for any number of characters; everything else for itself.
pub(super) fn glob(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let Some(mut name) = name.strip_prefix(first).and_then(|name| name.strip_suffix(last)) else {
        return false;
    };
    for part in middle.split('*') {
        let Some((_, after)) = name.split_once(part) else { return false };
        name = after;
    }
    true
}
