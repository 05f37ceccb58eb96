//! Who may call what: roles and operator scopes.

use std::fmt;

use crate::word::words;

words! {
    /// What a socket is.
    #[derive(Default)]
    Role {
        #[default]
        Operator = "operator",
        /// A host that offers commands.
        Node = "node",
    }
}

/// A permission of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
pub enum Scope {
    Admin = 1,
    Read = 1 << 1,
    Write = 1 << 2,
    Approvals = 1 << 3,
    /// Answer questions the agent asks.
    Questions = 1 << 4,
    /// Decide about devices and nodes.
    Pairing = 1 << 5,
    Talk = 1 << 6,
    /// See voice provider keys.
    TalkSecrets = 1 << 7,
    /// Look at sessions only.
    SessionsRead = 1 << 8,
    /// Change one's own sessions only.
    SessionsWrite = 1 << 9,
}

impl Scope {
    /// All of them, in the order the wire lists them.
    pub const ALL: [Self; 10] = [
        Self::Admin,
        Self::Read,
        Self::Write,
        Self::Approvals,
        Self::Questions,
        Self::Pairing,
        Self::Talk,
        Self::TalkSecrets,
        Self::SessionsRead,
        Self::SessionsWrite,
    ];

    /// The wire spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "operator.admin",
            Self::Read => "operator.read",
            Self::Write => "operator.write",
            Self::Approvals => "operator.approvals",
            Self::Questions => "operator.questions",
            Self::Pairing => "operator.pairing",
            Self::Talk => "operator.talk",
            Self::TalkSecrets => "operator.talk.secrets",
            Self::SessionsRead => "operator.sessions.read",
            Self::SessionsWrite => "operator.sessions.write",
        }
    }

    /// Reads the wire spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == text)
    }

    /// The scope that grants the same for sessions only, where there is one.
    #[must_use]
    pub fn for_sessions(self) -> Option<Self> {
        match self {
            Self::Read => Some(Self::SessionsRead),
            Self::Write => Some(Self::SessionsWrite),
            _ => None,
        }
    }

    /// The scopes that also grant this one, besides itself and [`Scope::Admin`].
    fn implied_by(self) -> u16 {
        match self {
            Self::Read | Self::Talk => Self::Write as u16,
            Self::SessionsRead => Self::Read as u16 | Self::Write as u16 | Self::SessionsWrite as u16,
            Self::SessionsWrite => Self::Write as u16,
            Self::Admin
            | Self::Write
            | Self::Approvals
            | Self::Questions
            | Self::Pairing
            | Self::TalkSecrets => 0,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of scopes. Unknown spellings are dropped when read: they grant nothing.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct ScopeSet(u16);

impl ScopeSet {
    /// No permissions.
    pub const EMPTY: Self = Self(0);

    /// Reads wire spellings.
    pub fn parse<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        texts.into_iter().filter_map(|text| Scope::parse(text.as_ref())).collect()
    }

    /// Whether the set grants `scope`, itself or by implication.
    #[must_use]
    pub fn grants(self, scope: Scope) -> bool {
        self.0 & (Scope::Admin as u16 | scope as u16 | scope.implied_by()) != 0
    }

    /// Whether every scope of `other` is granted here.
    #[must_use]
    pub fn covers(self, other: Self) -> bool {
        other.iter().all(|scope| self.grants(scope))
    }

    /// What either set names.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it grants nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes named, in wire order.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |&scope| self.0 & scope as u16 != 0)
    }

    /// The wire spellings, in wire order.
    #[must_use]
    pub fn to_strings(self) -> Vec<String> {
        self.iter().map(|scope| scope.as_str().to_owned()).collect()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | scope as u16))
    }
}

impl fmt::Debug for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(Scope::as_str)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Scope, ScopeSet};

    #[test]
    fn implication_is_as_documented() {
        let cases = [
            ("operator.read", "operator.read", true),
            ("operator.write", "operator.read", true),
            ("operator.read", "operator.write", false),
            ("operator.write", "operator.talk", true),
            ("operator.read", "operator.sessions.read", true),
            ("operator.sessions.write", "operator.sessions.read", true),
            ("operator.sessions.write", "operator.read", false),
            ("operator.write", "operator.sessions.write", true),
            ("operator.write", "operator.approvals", false),
            ("operator.admin", "operator.pairing", true),
            ("operator.admin", "operator.talk.secrets", true),
        ];
        for (held, wanted, granted) in cases {
            let set = ScopeSet::parse([held]);
            assert_eq!(set.grants(Scope::parse(wanted).unwrap()), granted, "{held} → {wanted}");
        }
    }

    #[test]
    fn unknown_spellings_grant_nothing() {
        assert!(ScopeSet::parse(["operator.root", ""]).is_empty());
    }
}
