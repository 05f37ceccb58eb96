//! When a conversation starts afresh: daily and idle resets, and what a reset carries over.

use homard_config::config::session::{Reset, Session};
use homard_protocol::{ChannelId, SessionKey, SessionScope};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// What resets tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Direct,
    Group,
    /// A thread or topic.
    Thread,
}

impl Kind {
    /// The kind of a conversation.
    #[must_use]
    pub fn of(key: &SessionKey) -> Self {
        let SessionKey::Agent { scope, thread, .. } = key else { return Self::Direct };
        match scope {
            _ if thread.is_some() => Self::Thread,
            SessionScope::Group { id, .. } | SessionScope::Channel { id, .. } => {
                if id.as_str().contains(":topic:") { Self::Thread } else { Self::Group }
            }
            SessionScope::Main
            | SessionScope::Peer(_)
            | SessionScope::Direct { .. }
            | SessionScope::Slash { .. }
            | SessionScope::Cron { .. }
            | SessionScope::Hook(_)
            | SessionScope::Subagent(_)
            | SessionScope::Acp(_)
            | SessionScope::Http(_)
            | SessionScope::Named(_) => Self::Direct,
        }
    }
}

/// Which of the owner's rules counts for a conversation: the platform's, else the kind's, else the general one.
#[must_use]
pub fn rule(settings: &Session, key: &SessionKey, channel: Option<&ChannelId>) -> Reset {
    let by_channel = key.channel().or(channel).and_then(|channel| settings.reset_by_channel.get(channel));
    let by_kind = match Kind::of(key) {
        Kind::Direct => settings.reset_direct.as_ref(),
        Kind::Group => settings.reset_group.as_ref(),
        Kind::Thread => settings.reset_thread.as_ref(),
    };
    by_channel.or(by_kind).copied().unwrap_or(settings.reset)
}

/// Why a conversation starts afresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stale {
    /// The hour of the day has passed since.
    Daily,
    /// It was quiet for long enough.
    Idle,
}

impl Stale {
    /// The word that is kept with the old transcript.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Idle => "idle",
        }
    }
}

/// Whether a conversation last changed at `updated_at` starts afresh at `now` (both in milliseconds since 1970);
/// `None` means that it goes on. A clock that went backwards never ends a conversation, and neither does one that
/// was never used.
#[must_use]
pub fn stale(reset: Reset, updated_at: i64, now: i64, zone: &TimeZone) -> Option<Stale> {
    if updated_at <= 0 || now <= updated_at {
        return None;
    }
    if let Some(boundary) = reset.at_hour.and_then(|hour| last_boundary(hour, now, zone))
        && updated_at < boundary
    {
        return Some(Stale::Daily);
    }
    let quiet = now.abs_diff(updated_at);
    reset.idle.is_some_and(|idle| quiet > homard_runtime::millis(idle)).then_some(Stale::Idle)
}

/// The last time it was `hour` o'clock, in milliseconds since 1970.
fn last_boundary(hour: u8, now: i64, zone: &TimeZone) -> Option<i64> {
    let now = Timestamp::from_millisecond(now).ok()?.to_zoned(zone.clone());
    let hour = i8::try_from(hour).ok()?;
    let at = |day: jiff::civil::Date| day.at(hour, 0, 0, 0).to_zoned(zone.clone()).ok();
    let today = at(now.date())?;
    let last = if today <= now { today } else { at(now.date().checked_sub(1.day()).ok()?)? };
    Some(last.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests;
