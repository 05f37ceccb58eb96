//! `approvals`: where questions to the owner are shown on chat platforms.

use serde_json::Value;

use super::Resolve;
use crate::raw::extensions as raw;

/// Decided `approvals`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalRoutes {
    /// For questions about commands.
    pub exec: ApprovalRouting,
    /// For questions about all other tools.
    pub plugin: ApprovalRouting,
}

/// Where questions of one kind are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalRouting {
    /// Whether the rest is looked at.
    pub enabled: bool,
    pub mode: ApprovalMode,
    /// The agents it is for; all when empty.
    pub agents: Vec<String>,
    /// What the key of a conversation it is for has in it; all when empty.
    pub sessions: Vec<String>,
    pub targets: Vec<ApprovalTarget>,
}

/// Where to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ApprovalMode {
    /// Where the conversation is.
    #[default]
    Session,
    /// The places that are listed.
    Targets,
    Both,
}

/// A place that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalTarget {
    pub channel: String,
    /// The person or room.
    pub to: String,
    pub account: Option<String>,
    pub thread: Option<String>,
}

impl ApprovalRoutes {
    pub(super) fn resolve(raw: raw::Approvals, cx: &mut Resolve<'_>) -> Self {
        let mut routing = |kind: &str, raw: Option<raw::ApprovalRouting>| {
            ApprovalRouting::resolve(&format!("approvals.{kind}"), raw.unwrap_or_default(), cx)
        };
        Self { exec: routing("exec", raw.exec), plugin: routing("plugin", raw.plugin) }
    }
}

impl ApprovalRouting {
    fn resolve(at: &str, raw: raw::ApprovalRouting, cx: &mut Resolve<'_>) -> Self {
        let listed = raw.targets.unwrap_or_default().into_iter().enumerate();
        let targets = listed.filter_map(|(nth, raw)| target(&format!("{at}.targets[{nth}]"), raw, cx));
        let targets: Vec<ApprovalTarget> = targets.collect();
        let mode = match raw.mode.as_deref() {
            Some("targets") => ApprovalMode::Targets,
            Some("both") => ApprovalMode::Both,
            _ => ApprovalMode::Session,
        };
        let enabled = raw.enabled.unwrap_or(false);
        if enabled && mode != ApprovalMode::Session && targets.is_empty() {
            cx.warn(format!("{at}.targets"), "no place is named, so questions go there to nobody");
        }
        Self { enabled, mode, agents: words(raw.agent_filter), sessions: words(raw.session_filter), targets }
    }
}

fn words(list: Option<Vec<String>>) -> Vec<String> {
    let words = list.unwrap_or_default().into_iter().map(|word| word.trim().to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

fn target(at: &str, raw: raw::ApprovalTarget, cx: &mut Resolve<'_>) -> Option<ApprovalTarget> {
    let text = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let (Some(channel), Some(to)) = (text(raw.channel), text(raw.to)) else {
        cx.issue(at, "needs `channel` and `to`");
        return None;
    };
    let thread = match raw.thread_id {
        None | Some(Value::Null) => None,
        Some(Value::String(id)) => text(Some(id)),
        Some(Value::Number(id)) => Some(id.to_string()),
        Some(_) => {
            cx.issue(format!("{at}.threadId"), "must be a number or a text");
            None
        }
    };
    Some(ApprovalTarget { channel, to, account: text(raw.account_id), thread })
}

#[cfg(test)]
mod tests;
