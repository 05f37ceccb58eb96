//! `session.sendPolicy`: where answers may be sent.

use crate::raw::session as raw;

/// Yes or no.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SendAction {
    #[default]
    Allow,
    Deny,
}

impl SendAction {
    /// Reads the word of the file, or of `/send`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "allow" | "on" => Some(Self::Allow),
            "deny" | "off" => Some(Self::Deny),
            _ => None,
        }
    }
}

/// One rule. Everything it asks for must hold; one that asks for nothing holds everywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SendRule {
    pub action: SendAction,
    pub channel: Option<String>,
    /// `direct`, `group` or `channel`.
    pub chat_type: Option<String>,
    /// How the conversation's key begins, after `agent:<id>:`.
    pub key_prefix: Option<String>,
    /// How the whole key begins.
    pub raw_key_prefix: Option<String>,
}

/// Decided `session.sendPolicy`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SendPolicy {
    /// When no rule matches.
    pub default: SendAction,
    /// In the order of the file.
    pub rules: Vec<SendRule>,
}

impl SendPolicy {
    pub(in crate::config) fn resolve(raw: raw::SendPolicy) -> Self {
        let action = |word: Option<String>| word.as_deref().and_then(SendAction::parse);
        let text = |word: Option<String>| {
            word.map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty())
        };
        let rules = raw.rules.unwrap_or_default().into_iter().map(|rule| {
            let matching = rule.matching.unwrap_or_default();
            SendRule {
                action: action(rule.action).unwrap_or_default(),
                channel: text(matching.channel),
                chat_type: text(matching.chat_type).map(|kind| match kind.as_str() {
                    "dm" => "direct".to_owned(),
                    _ => kind,
                }),
                key_prefix: text(matching.key_prefix),
                raw_key_prefix: text(matching.raw_key_prefix),
            }
        });
        Self { default: action(raw.default).unwrap_or_default(), rules: rules.collect() }
    }
}
