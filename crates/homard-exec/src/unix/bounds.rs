//! How far a command may spread over the machine: what the kernel holds it to.
//!
//! The kernel's bounds are set on the child right after it was started: code between fork and exec would be
//! unsafe, and a shell has not read its line by then. Where there is no `prlimit` and no `/proc`, commands are
//! bounded by time alone.

use rustix::process::Pid;

/// How many tasks (processes and threads) a command may add to those the machine runs when it starts. The
/// kernel counts per user, so what others run is no part of it; the room is generous, because programs that
/// run longer share it.
#[cfg(target_os = "linux")]
const MORE_TASKS: u64 = 4_096;

/// Sets what the kernel holds a child to: no core files, which would leave what it had in memory on the disk,
/// and only so many tasks. A child that has ended already needs none of it.
#[cfg(target_os = "linux")]
pub(crate) fn hold_back(child: Option<Pid>) {
    use rustix::process::{Resource, Rlimit, getrlimit, prlimit};

    let Some(child) = child else { return };
    let set = |resource, most| {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        if let Err(error) = prlimit(Some(child), resource, limit) {
            tracing::debug!(%error, "a command runs without one of its bounds");
        }
    };
    if let Some(running) = tasks() {
        let had = getrlimit(Resource::Nproc).current.unwrap_or(u64::MAX);
        set(Resource::Nproc, had.min(running.saturating_add(MORE_TASKS)));
    }
    set(Resource::Core, 0);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn hold_back(_child: Option<Pid>) {}

/// How many tasks the machine runs; cheap to ask.
pub(crate) fn tasks() -> Option<u64> {
    let load = std::fs::read_to_string("/proc/loadavg").ok()?;
    // `0.10 0.20 0.30 running/all newest`
    load.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_machine_runs_something() {
        assert!(super::tasks().is_none_or(|running| running > 0));
    }
}
