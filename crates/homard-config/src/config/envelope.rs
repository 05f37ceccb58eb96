//! `agents.defaults.envelope*`: how messages are dated for models.

use crate::raw::agents as raw;

/// In which zone times are told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EnvelopeZone {
    /// The gateway's own.
    #[default]
    Local,
    /// UTC.
    Utc,
    /// The owner's (`agents.defaults.userTimezone`).
    User,
    /// This one, by its IANA name.
    Named(String),
}

/// What of the time is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// In which zone.
    pub zone: EnvelopeZone,
    /// Whether the time itself is told.
    pub timestamp: bool,
    /// Whether the time since the last message is told.
    pub elapsed: bool,
}

impl Envelope {
    pub(super) fn resolve(raw: &raw::AgentDefaults) -> Self {
        let zone = raw.envelope_timezone.as_deref().map(str::trim).filter(|zone| !zone.is_empty());
        let is_on = |switch: &Option<String>| switch.as_deref() != Some("off");
        Self {
            zone: match zone.map(str::to_lowercase).as_deref() {
                None | Some("local" | "host") => EnvelopeZone::Local,
                Some("utc" | "gmt") => EnvelopeZone::Utc,
                Some("user") => EnvelopeZone::User,
                Some(_) => EnvelopeZone::Named(zone.unwrap_or_default().to_owned()),
            },
            timestamp: is_on(&raw.envelope_timestamp),
            elapsed: is_on(&raw.envelope_elapsed),
        }
    }
}
