//! The older one-line form: `[Telegram Ada id:1 +5m Tue 2026-02-17 14:30 CET] hi`.

use homard_channel::{ChatKind, Inbound, Sender};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::one_line;

/// What stands between the brackets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The platform, as people write it.
    pub platform: String,
    pub from: Option<String>,
    /// The time since the last message, such as `5m`.
    pub elapsed: Option<String>,
    pub host: Option<String>,
    pub address: Option<String>,
    pub moment: Option<String>,
}

impl Header {
    /// Puts itself before a text.
    #[must_use]
    pub fn before(&self, body: &str) -> String {
        let elapsed = self.elapsed.as_ref().map(|elapsed| format!("+{elapsed}"));
        let parts = [
            Some(&self.platform),
            self.from.as_ref(),
            elapsed.as_ref(),
            self.host.as_ref(),
            self.address.as_ref(),
            self.moment.as_ref(),
        ];
        let parts = parts.into_iter().flatten().map(|part| fit(part)).filter(|part| !part.is_empty());
        format!("[{}] {body}", parts.collect::<Vec<_>>().join(" "))
    }
}

/// A whole message in this form. `last_at` is when the one before it came.
#[must_use]
pub fn whole(message: &Inbound, text: &str, last_at: Option<i64>, zone: &TimeZone) -> String {
    let is_direct = message.conversation.kind() == ChatKind::Direct;
    let (id, name) = match &message.sender {
        Sender::Operator => (None, None),
        Sender::Peer { id, name } => {
            (Some(id.as_str()), name.as_deref().or(message.details.username.as_deref()))
        }
    };
    let from = if is_direct {
        match (name, id) {
            (Some(name), Some(id)) if name != id => Some(format!("{name} id:{id}")),
            (Some(one), _) | (None, Some(one)) => Some(one.to_owned()),
            (None, None) => None,
        }
    } else {
        let peer = message.conversation.peer().map_or("", AsRef::as_ref);
        let label = message.details.label.as_deref().unwrap_or("group");
        Some(format!("{label} id:{peer}"))
    };
    let header = Header {
        platform: platform(message.channel.as_str()),
        from,
        elapsed: last_at.and_then(|last| elapsed(last, message.timestamp)),
        host: None,
        address: None,
        moment: moment(message.timestamp, zone),
    };
    match name.or(id).filter(|_| !is_direct) {
        Some(sender) => header.before(&format!("{}: {text}", fit(sender))),
        None => header.before(text),
    }
}

/// A part of the header: one line, and no bracket that would end it.
fn fit(part: &str) -> String {
    one_line(part).replace('[', "(").replace(']', ")")
}

/// A platform's name as people write it.
#[must_use]
pub fn platform(channel: &str) -> String {
    const SHORT: usize = 3;
    if channel.len() <= SHORT {
        return channel.to_uppercase();
    }
    let mut letters = channel.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// `Tue 2026-02-17 14:30 CET`; `None` for a time that is none.
#[must_use]
pub fn moment(at: i64, zone: &TimeZone) -> Option<String> {
    let time = Timestamp::from_millisecond(at).ok().filter(|_| at > 0)?;
    Some(time.to_zoned(zone.clone()).strftime("%a %Y-%m-%d %H:%M %Z").to_string())
}

/// How long ago, in its largest unit: `10s`, `5m`, `2h`, `3d`. `None` when time went backwards or not at all.
#[must_use]
pub fn elapsed(last: i64, now: i64) -> Option<String> {
    let seconds = now.checked_sub(last)? / 1_000;
    Some(match seconds {
        ..=0 => return None,
        1..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    })
}
