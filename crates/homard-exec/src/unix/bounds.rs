//! How far a command may spread over the machine: what the kernel holds it to, and how many it is.
//!
//! The kernel's bounds are set on the child right after it was started: code between fork and exec would be
//! unsafe, and a shell has not read its line by then. Where there is no `prlimit` and no `/proc`, commands are
//! bounded by time alone.

use rustix::process::{Pid, Signal, kill_process};

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

/// A process as `/proc` tells of it.
pub(super) struct Stat {
    pid: i32,
    parent: i32,
    pub(super) group: i32,
    pub(super) is_live: bool,
}

impl Stat {
    /// Reads `pid (name) state parent group ...`; the name may hold anything, so the fields count from its end.
    fn parse(text: &str) -> Option<Self> {
        let (before, fields) = text.rsplit_once(')')?;
        let pid = before.split_once(' ')?.0.parse().ok()?;
        let mut fields = fields.split_whitespace();
        let is_live = !matches!(fields.next()?, "Z" | "X");
        let mut number = || fields.next()?.parse().ok();
        Some(Self { pid, parent: number()?, group: number()?, is_live })
    }
}

/// Every process that can be seen; `None` where there is no `/proc`.
pub(super) fn everyone() -> Option<impl Iterator<Item = Stat>> {
    let found = std::fs::read_dir("/proc").ok()?;
    let is_process = |name: &std::ffi::OsStr| {
        name.to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    };
    Some(
        found
            .flatten()
            .filter(move |entry| is_process(&entry.file_name()))
            .filter_map(|entry| Stat::parse(&std::fs::read_to_string(entry.path().join("stat")).ok()?)),
    )
}

/// The living processes of a command: its group, and whoever descends from one of them, so that a child that
/// leads a group of its own counts as long as its parent lives.
pub(crate) fn family(leader: Pid) -> Vec<Pid> {
    let leader = leader.as_raw_nonzero().get();
    let all: Vec<Stat> = everyone().into_iter().flatten().filter(|stat| stat.is_live).collect();
    let is_first = |stat: &&Stat| stat.group == leader || stat.pid == leader;
    let mut found: std::collections::BTreeSet<i32> =
        all.iter().filter(is_first).map(|stat| stat.pid).collect();
    loop {
        let before = found.len();
        let children: Vec<i32> =
            all.iter().filter(|stat| found.contains(&stat.parent)).map(|stat| stat.pid).collect();
        found.extend(children);
        if found.len() == before {
            return found.into_iter().filter_map(Pid::from_raw).collect();
        }
    }
}

/// Ends processes one by one; for those that no group holds together.
pub(crate) fn kill_each(pids: &[Pid]) {
    for pid in pids {
        // The only failure is that it is gone already.
        kill_process(*pid, Signal::KILL).ok();
    }
}

#[cfg(test)]
mod tests;
