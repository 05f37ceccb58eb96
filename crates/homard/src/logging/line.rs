//! How a log line looks: as JSON in the file, and in words on a terminal.

use jiff::tz::TimeZone;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Map, Value};
use tracing::Level;

use super::redact::Redactor;
use crate::report::harmless;

/// Names of our own; a field that would hide one of them gets an underscore.
const OWN_NAMES: [&str; 4] = ["time", "level", "subsystem", "message"];
/// How wide the subsystem column is on a terminal.
const SUBSYSTEM_WIDTH: usize = 14;
/// Parts of a module path that are worth a reader's time.
const SUBSYSTEM_PARTS: usize = 2;

/// One log line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// Milliseconds since 1970, when known.
    pub(crate) ms: Option<i64>,
    pub(crate) level: String,
    pub(crate) subsystem: String,
    pub(crate) message: String,
    pub(crate) fields: Map<String, Value>,
}

impl Line {
    pub(crate) fn new(level: &Level, target: &str, message: String, fields: Map<String, Value>) -> Self {
        let level = level.as_str().to_ascii_lowercase();
        Self { ms: None, level, subsystem: subsystem(target), message, fields }
    }

    pub(crate) fn stamped(mut self, ms: i64) -> Self {
        self.ms = Some(ms);
        self
    }

    /// Without secrets, wherever they stand.
    pub(crate) fn masked(mut self, redactor: &Redactor) -> Self {
        if let std::borrow::Cow::Owned(text) = redactor.mask(&self.message) {
            self.message = text;
        }
        for (name, value) in &mut self.fields {
            redactor.mask_field(name, value);
        }
        self
    }

    /// The line of the file, without the line break.
    pub(crate) fn to_json(&self) -> String {
        // Text and JSON values can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a line of the file back; anything that is not one of ours becomes a message as it stands.
    pub(crate) fn read(text: &str) -> Self {
        let Ok(Value::Object(mut object)) = serde_json::from_str(text) else {
            return Self {
                ms: None,
                level: String::new(),
                subsystem: String::new(),
                message: text.to_owned(),
                fields: Map::new(),
            };
        };
        let mut take = |name| match object.shift_remove(name) {
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let (time, level, subsystem, message) =
            (take("time"), take("level"), take("subsystem"), take("message"));
        let ms = time.parse::<jiff::Timestamp>().ok().map(|time| time.as_millisecond());
        Self { ms, level, subsystem, message, fields: object }
    }
}

impl Serialize for Line {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let time = self.ms.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let mut object = serializer.serialize_map(Some(self.fields.len() + OWN_NAMES.len()))?;
        object.serialize_entry("time", &time.map(|time| format!("{time:.3}")))?;
        object.serialize_entry("level", &self.level)?;
        object.serialize_entry("subsystem", &self.subsystem)?;
        object.serialize_entry("message", &self.message)?;
        for (name, value) in &self.fields {
            match OWN_NAMES.contains(&name.as_str()) {
                true => object.serialize_entry(&format!("{name}_"), value)?,
                false => object.serialize_entry(name, value)?,
            }
        }
        object.end()
    }
}

/// `homard_gateway::socket::reader` is `gateway/socket` to people.
fn subsystem(target: &str) -> String {
    let short = target.strip_prefix("homard_").unwrap_or(target);
    short.split("::").take(SUBSYSTEM_PARTS).collect::<Vec<_>>().join("/")
}

/// How lines look on a terminal.
#[derive(Debug, Clone, Default)]
pub(crate) enum LineStyle {
    /// One JSON object a line.
    #[default]
    Json,
    Words {
        /// The local time zone; `None` leaves the time out.
        zone: Option<TimeZone>,
        color: bool,
    },
}

impl LineStyle {
    /// With the local time.
    pub(crate) fn pretty(color: bool) -> Self {
        Self::Words { zone: Some(TimeZone::system()), color }
    }

    /// Without the time.
    pub(crate) fn compact(color: bool) -> Self {
        Self::Words { zone: None, color }
    }

    /// The line, without the line break.
    pub(crate) fn show(&self, line: &Line) -> String {
        match self {
            Self::Json => line.to_json(),
            Self::Words { zone, color } => words(line, zone.as_ref(), *color),
        }
    }
}

fn words(line: &Line, zone: Option<&TimeZone>, color: bool) -> String {
    let paint = |code: &str, text: &str| {
        if color && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    };
    let mut parts = Vec::with_capacity(5);
    let stamp = line.ms.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    if let (Some(zone), Some(stamp)) = (zone, stamp) {
        parts.push(paint("2", &stamp.to_zoned(zone.clone()).strftime("%H:%M:%S").to_string()));
    }
    if !line.level.is_empty() {
        parts.push(paint(level_color(&line.level), &format!("{:<5}", line.level)));
        parts.push(paint("36", &format!("{:<SUBSYSTEM_WIDTH$}", line.subsystem)));
    }
    // What is logged is often what somebody elsewhere said.
    parts.push(harmless(&line.message, false).into_owned());
    for (name, value) in &line.fields {
        let value = match value {
            Value::String(text) if !text.is_empty() && !text.contains([' ', '"']) => text.clone(),
            other => other.to_string(),
        };
        parts.push(paint("2", &format!("{name}={}", harmless(&value, false))));
    }
    parts.join(" ").trim_end().to_owned()
}

fn level_color(level: &str) -> &'static str {
    match level {
        "error" | "fatal" => "31",
        "warn" => "33",
        "info" => "32",
        _ => "2",
    }
}

#[cfg(test)]
mod tests;
