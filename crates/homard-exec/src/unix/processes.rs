//! Other processes, as `/proc` tells of them: which belong to a command, and which commands left behind.

use std::collections::BTreeSet;

use homard_runtime::CollectOrdered as _;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, test_kill_process, waitpid};

/// A process at a moment. Its number may become another's; with the time it was started it is itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pid: i32,
    parent: i32,
    pub(super) group: i32,
    session: i32,
    /// In ticks since the machine was started.
    started: u64,
    pub(super) is_live: bool,
}

impl Stat {
    /// Reads `pid (name) state parent group session ...`; the name may hold anything, so the fields count from its end.
    fn parse(text: &str) -> Option<Self> {
        /// How many fields lie between the session and the time of the start.
        const BETWEEN: usize = 15;
        let (before, fields) = text.rsplit_once(')')?;
        let pid = before.split_once(' ')?.0.parse().ok()?;
        let mut fields = fields.split_whitespace();
        let is_live = !matches!(fields.next()?, "Z" | "X");
        let mut number = || fields.next()?.parse().ok();
        let (parent, group, session) = (number()?, number()?, number()?);
        let started = fields.nth(BETWEEN)?.parse().ok()?;
        Some(Self { pid, parent, group, session, started, is_live })
    }

    fn read(pid: i32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Whether it still runs.
    pub(super) fn still_runs(&self) -> bool {
        Self::read(self.pid).is_some_and(|now| now.is_live && now.started == self.started)
    }

    /// Sends it a signal, if it is still itself.
    pub(super) fn signal(&self, signal: Signal) {
        if self.still_runs()
            && let Some(pid) = Pid::from_raw(self.pid)
        {
            // The only failure is that it is gone already.
            kill_process(pid, signal).ok();
        }
    }
}

/// Whether a process is no more. One that ended counts although nobody took note of it yet, which in a container without
/// an init may stay so for ever.
#[must_use]
pub fn has_ended(process: Pid) -> bool {
    let is_known = || Stat::read(process.as_raw_nonzero().get());
    test_kill_process(process) == Err(Errno::SRCH) || is_known().is_some_and(|stat| !stat.is_live)
}

/// Every process that can be seen; `None` where there is no `/proc`.
pub(super) fn everyone() -> Option<impl Iterator<Item = Stat>> {
    let found = std::fs::read_dir("/proc").ok()?;
    Some(found.flatten().filter_map(|entry| Stat::read(entry.file_name().to_str()?.parse().ok()?)))
}

/// The living processes of a command: its group, and whoever descends from one of them. A child that leads a group or
/// a session of its own counts, and so does one whose parent ended, where the command takes in its orphans.
pub(super) fn family(leader: Pid) -> Vec<Stat> {
    let leader = leader.as_raw_nonzero().get();
    with_descendants(|stat| stat.group == leader || stat.pid == leader)
}

fn with_descendants(is_first: impl Fn(&Stat) -> bool) -> Vec<Stat> {
    let all: Vec<Stat> = everyone().into_iter().flatten().filter(|stat| stat.is_live).collect();
    let mut found: BTreeSet<i32> =
        all.iter().filter(|stat| is_first(stat)).map(|stat| stat.pid).collect_set();
    loop {
        let before = found.len();
        found.extend(
            all.iter().filter(|stat| found.contains(&stat.parent)).map(|stat| stat.pid).collect::<Vec<_>>(),
        );
        if found.len() == before {
            return all.into_iter().filter(|stat| found.contains(&stat.pid)).collect();
        }
    }
}

/// What ended commands left behind and this process took in, with all that descends from it. `leaders` are commands
/// that run. Whoever of it has ended is let go of.
pub(crate) fn left_behind(leaders: &[u32]) -> Vec<Stat> {
    let roots: BTreeSet<i32> = taken_in(leaders).into_iter().filter(reap).map(|root| root.pid).collect_set();
    if roots.is_empty() { Vec::new() } else { with_descendants(|stat| roots.contains(&stat.pid)) }
}

/// Children of this process that it did not start: they lead a session of their own, or belong to the group of a
/// command that has ended. What this process starts stays in its session, in its group or at the head of another.
fn taken_in(leaders: &[u32]) -> Vec<Stat> {
    // Read as the children's are, and not asked of the kernel: inside a container the leader of our group or session
    // may live outside it, and its number is then 0, which a `Pid` cannot hold.
    let Some(Stat { pid: own, group, session, .. }) = Stat::read(getpid().as_raw_nonzero().get()) else {
        return Vec::new();
    };
    // The kernel gives orphans to the first thread; looking there is cheaper than at every process.
    let listed = std::fs::read_to_string(format!("/proc/self/task/{own}/children"));
    let children: Vec<Stat> = match listed {
        Ok(listed) => listed.split_whitespace().filter_map(|pid| Stat::read(pid.parse().ok()?)).collect(),
        Err(_) => everyone().into_iter().flatten().filter(|stat| stat.parent == own).collect(),
    };
    let runs = |pid: i32| u32::try_from(pid).is_ok_and(|pid| leaders.contains(&pid));
    let is_foreign = |child: &Stat| {
        let in_other_session = child.session != session && !runs(child.pid);
        let in_other_group = child.group != child.pid && child.group != group;
        in_other_session || in_other_group
    };
    children.into_iter().filter(is_foreign).collect()
}

/// Takes note of an end; says whether it still runs.
fn reap(child: &Stat) -> bool {
    if child.is_live {
        return true;
    }
    if let Some(pid) = Pid::from_raw(child.pid) {
        // Nobody else waits for it: nobody started it.
        waitpid(Some(pid), WaitOptions::NOHANG).ok();
    }
    false
}

#[cfg(test)]
mod tests;
