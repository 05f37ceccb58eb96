//! What can go wrong on the way, as scripted by a test.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Something that goes wrong with one call.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    /// Refused as too many, with a wish to be left alone for this many seconds.
    TooMany(u64),
    /// Refused with this code and these words; 5xx codes come as the web server's page, not as JSON.
    Refuse(u16, String),
    /// The connection is cut before the call was looked at.
    CutBefore,
    /// The call is done, then the connection is cut: its sender cannot know.
    CutAfter,
    /// The call is done, then nothing more is heard on the connection.
    HangAfter,
    /// Nothing is done and nothing is ever heard.
    Hang,
    /// This is answered, whatever it is, with status 200.
    Answer(String),
}

impl Fault {
    /// Refused with this status, in the words the server uses.
    #[must_use]
    pub fn status(status: u16) -> Self {
        let words = match status {
            429 => return Self::TooMany(1),
            401 => "Unauthorized",
            403 => "Forbidden: bot was kicked from the supergroup chat",
            404 => "Not Found",
            409 => {
                "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
            }
            500 => "Internal Server Error",
            502 => "Bad Gateway",
            504 => "Gateway Timeout",
            _ => "Bad Request",
        };
        Self::Refuse(status, words.to_owned())
    }
}

/// Chooses a fault for a call, by its method and parameters.
pub type FaultSource = Box<dyn FnMut(&str, &Value) -> Option<Fault> + Send>;

/// The faults to come.
#[derive(Default)]
pub(super) struct Faults {
    planned: VecDeque<(String, Fault)>,
    source: Option<FaultSource>,
    per_second: Option<u32>,
    recent: VecDeque<Instant>,
}

impl std::fmt::Debug for Faults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Faults").field("planned", &self.planned).finish_non_exhaustive()
    }
}

impl Faults {
    pub(super) fn plan(&mut self, method: &str, fault: Fault) {
        self.planned.push_back((method.to_owned(), fault));
    }

    pub(super) fn ask(&mut self, source: Option<FaultSource>) {
        self.source = source;
    }

    pub(super) fn limit(&mut self, per_second: Option<u32>) {
        self.per_second = per_second;
    }

    /// What goes wrong with this call.
    pub(super) fn next(&mut self, method: &str, params: &Value, is_send: bool) -> Option<Fault> {
        let fits = |wanted: &str| {
            wanted.eq_ignore_ascii_case(method) || wanted == "*" || (wanted == "send*" && is_send)
        };
        if let Some(at) = self.planned.iter().position(|(wanted, _)| fits(wanted)) {
            return self.planned.remove(at).map(|(_, fault)| fault);
        }
        if let Some(fault) = self.source.as_mut().and_then(|source| source(method, params)) {
            return Some(fault);
        }
        (is_send && self.is_too_fast()).then_some(Fault::TooMany(1))
    }

    fn is_too_fast(&mut self) -> bool {
        let Some(limit) = self.per_second else { return false };
        let now = Instant::now();
        while self.recent.front().is_some_and(|old| now.duration_since(*old) >= Duration::from_secs(1)) {
            self.recent.pop_front();
        }
        if self.recent.len() >= usize::try_from(limit).unwrap_or(usize::MAX) {
            return true;
        }
        self.recent.push_back(now);
        false
    }
}
