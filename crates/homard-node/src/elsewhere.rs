//! What can be said about a machine whose system has no file here yet.

use std::path::Path;

use serde_json::{Value, json};

/// Processors; the rest is not known.
pub(crate) fn stats(_home: &Path, now_ms: i64) -> Value {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    json!({"cpuCount": cpus, "memoryTotalBytes": 0, "memoryFreeBytes": 0, "updatedAtMs": now_ms})
}

/// The machine's name.
pub(crate) fn host_name() -> String {
    "node".to_owned()
}
