//! What Linux says about itself.

use std::path::Path;

use rustix::fs::statvfs;
use serde_json::{Value, json};

/// Processors, load, memory and disk, as `node.host.stats` carries them.
pub(crate) fn stats(home: &Path, now_ms: i64) -> Value {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = |name: &str| {
        let line = memory.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().nth(1).or_else(|| line.split_whitespace().next())?.parse::<u64>().ok()
    };
    let bytes = |name: &str| kilobytes(name).unwrap_or(0).saturating_mul(1_024);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<f64> = load.split_whitespace().take(3).filter_map(|word| word.parse().ok()).collect();
    let mut stats = json!({
        "cpuCount": cpus,
        "loadAverage": load,
        "memoryTotalBytes": bytes("MemTotal:"),
        "memoryFreeBytes": bytes("MemAvailable:"),
        "updatedAtMs": now_ms,
    });
    if let (Ok(disk), Some(stats)) = (statvfs(home), stats.as_object_mut()) {
        stats.insert("diskTotalBytes".into(), json!(disk.f_blocks.saturating_mul(disk.f_frsize)));
        stats.insert("diskFreeBytes".into(), json!(disk.f_bavail.saturating_mul(disk.f_frsize)));
    }
    stats
}

/// The machine's name.
pub(crate) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
