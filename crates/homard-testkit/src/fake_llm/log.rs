//! When requests came and answers left, on the clock every process of the machine shares.

use serde::Serialize;

/// Nanoseconds of the monotonic clock, comparable with other processes' readings.
pub(super) fn now_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// One line of `/_log`. Stamps are text, because readers in other languages lose digits of large numbers.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct LogLine {
    pub(super) i: usize,
    /// The request's head was read.
    pub(super) t_arr: String,
    /// Its body was complete.
    pub(super) t_body: String,
    /// The first piece of content was handed to the socket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) t_first: Option<String>,
    /// The last one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) t_last: Option<String>,
    pub(super) bytes: usize,
    pub(super) path: String,
    pub(super) model: String,
    pub(super) stream: bool,
    pub(super) msgs: usize,
    pub(super) tools: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tag: Option<String>,
    pub(super) kind: &'static str,
    #[serde(rename = "lastRole")]
    pub(super) last_role: String,
}

impl LogLine {
    /// A piece of content is leaving.
    pub(super) fn stamp(&mut self) {
        let now = now_ns().to_string();
        self.t_first.get_or_insert_with(|| now.clone());
        self.t_last = Some(now);
    }
}
