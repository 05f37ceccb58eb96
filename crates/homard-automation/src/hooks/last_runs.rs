//! What came of each hook last, for whoever asks why nothing happened. It lasts as long as the gateway runs.

use std::collections::BTreeMap;

use homard_runtime::{Clip, Mutex, Timestamp};
use serde_json::{Value, json};

/// How much of what a hook printed is kept, in characters, from its end.
const KEPT_CHARS: usize = 2_000;

/// The last run of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LastRun {
    pub(super) event: &'static str,
    pub(super) at: Timestamp,
    pub(super) duration_ms: i64,
    pub(super) output: String,
    pub(super) error: Option<String>,
}

/// The last run of every hook, by its name.
#[derive(Debug, Default)]
pub(crate) struct LastRuns {
    by_name: Mutex<BTreeMap<String, LastRun>>,
}

impl LastRuns {
    pub(super) fn put(&self, name: &str, mut run: LastRun) {
        let dropped = run.output.chars().count().saturating_sub(KEPT_CHARS);
        run.output = run.output.chars().skip(dropped).collect();
        run.error = run.error.map(|error| error.clip_chars(KEPT_CHARS).to_owned());
        self.by_name.lock().insert(name.to_owned(), run);
    }

    /// As it is told; `None` where it has not run since the gateway started.
    pub(super) fn told(&self, name: &str) -> Option<Value> {
        let run = self.by_name.lock().get(name)?.clone();
        let LastRun { event, at, duration_ms, output, error } = run;
        Some(json!({
            "event": event, "atMs": at, "durationMs": duration_ms, "ok": error.is_none(), "output": output,
            "error": error,
        }))
    }
}
