//! Where answers may be sent: `/send` and `session.sendPolicy`.

use homard_channel::ChatKind;
use homard_config::config::session::send_policy::{SendPolicy, SendRule};
use homard_protocol::{SessionKey, SessionScope, Word};

pub use homard_config::config::session::send_policy::SendAction;

/// What a rule looks at.
#[derive(Debug, Clone, Copy)]
pub struct SendPlace<'a> {
    /// What `/send` left with the session.
    pub own: Option<&'a Word<SendAction>>,
    pub session: &'a SessionKey,
    /// The platform, where the session's key does not say.
    pub channel: Option<&'a str>,
    /// With how many people one talks, where the session's key does not say.
    pub chat: Option<ChatKind>,
}

/// Whether anything is answered there: what the session says, else any rule that denies, else any that allows, else
/// the default.
#[must_use]
pub fn send_policy(policy: &SendPolicy, place: &SendPlace<'_>) -> SendAction {
    if let Some(own) = place.own.and_then(|own| own.read(SendAction::parse)) {
        return own;
    }
    let whole = place.session.to_string();
    let stripped = whole.strip_prefix("agent:").and_then(|rest| rest.split_once(':'));
    let stripped = stripped.map_or(whole.as_str(), |(_, rest)| rest);
    let mut is_allowed = false;
    for rule in policy.rules.iter().filter(|rule| holds(rule, place, &whole, stripped)) {
        match rule.action {
            SendAction::Deny => return SendAction::Deny,
            SendAction::Allow => is_allowed = true,
        }
    }
    if is_allowed { SendAction::Allow } else { policy.default }
}

fn holds(rule: &SendRule, place: &SendPlace<'_>, whole: &str, stripped: &str) -> bool {
    let channel = place.session.channel().map(AsRef::as_ref).or(place.channel);
    let is = |wanted: &Option<String>, found: Option<&str>| {
        wanted.as_deref().is_none_or(|wanted| found.is_some_and(|found| found.eq_ignore_ascii_case(wanted)))
    };
    let begins =
        |prefix: &Option<String>, text: &str| prefix.as_deref().is_none_or(|prefix| text.starts_with(prefix));
    is(&rule.channel, channel)
        && is(&rule.chat_type, Some(chat_type(place)))
        && (begins(&rule.key_prefix, stripped) || begins(&rule.key_prefix, whole))
        && begins(&rule.raw_key_prefix, whole)
}

fn chat_type(place: &SendPlace<'_>) -> &'static str {
    let SessionKey::Agent { scope, .. } = place.session else {
        return place.chat.map_or("direct", ChatKind::as_str);
    };
    match scope {
        SessionScope::Group { .. } => "group",
        SessionScope::Channel { .. } => "channel",
        SessionScope::Peer(_) | SessionScope::Direct { .. } | SessionScope::Slash { .. } => "direct",
        SessionScope::Main
        | SessionScope::Cron { .. }
        | SessionScope::Hook(_)
        | SessionScope::Subagent(_)
        | SessionScope::Acp(_)
        | SessionScope::Http(_)
        | SessionScope::Named(_) => place.chat.map_or("direct", ChatKind::as_str),
    }
}

#[cfg(test)]
mod tests;
