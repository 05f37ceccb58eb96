//! Noticing that a command has become too many processes, and that it writes more than anybody can read.

use std::time::Duration;

use tokio::time::Instant;

use crate::unix::{Group, tasks};

/// Most processes one command may be at the same time; builds and browsers stay well below.
pub(crate) const MAX_PROCESSES: usize = 512;
/// How often it is asked whether the machine runs more than before.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Every so many times the processes are counted even if it does not.
const COUNT_EVERY: u32 = 25;
/// How much output is taken in one [`WINDOW`]; a command that writes faster waits. Reading all of an endless
/// flood, only to drop it, would keep a core busy.
const WINDOW_BYTES: usize = 2 * 1024 * 1024;
const WINDOW: Duration = Duration::from_millis(100);

/// Watches how many processes a command is.
#[derive(Debug)]
pub(super) struct Headcount {
    most: usize,
    /// Tasks of the machine when the command was started.
    before: u64,
    looks: u32,
    pub(super) next: Instant,
}

impl Headcount {
    pub(super) fn new(most: usize) -> Self {
        Self { most, before: tasks().unwrap_or(0), looks: 0, next: Instant::now() + LOOK_EVERY }
    }

    /// Whether there are too many. Counting reads a file per process of the machine, so it is done when the
    /// machine runs noticeably more than before, and else only now and then.
    pub(super) fn is_exceeded(&mut self, group: &Group) -> bool {
        self.next = Instant::now() + LOOK_EVERY;
        self.looks = self.looks.wrapping_add(1);
        (self.looks.is_multiple_of(COUNT_EVERY) || self.has_grown()) && group.size() > self.most
    }

    /// The same at the end of a command, for what it leaves behind.
    pub(super) fn is_exceeded_now(&self, group: &Group) -> bool {
        self.has_grown() && group.size() > self.most
    }

    fn has_grown(&self) -> bool {
        let half = u64::try_from(self.most / 2).unwrap_or(u64::MAX);
        tasks().is_none_or(|running| running >= self.before.saturating_add(half))
    }
}

/// Keeps reading at a pace.
#[derive(Debug)]
pub(super) struct Pace {
    taken: usize,
    pub(super) until: Instant,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { taken: 0, until: Instant::now() + WINDOW }
    }

    /// Counts what was read.
    pub(super) fn took(&mut self, bytes: usize) {
        let now = Instant::now();
        if now >= self.until {
            *self = Self { taken: 0, until: now + WINDOW };
        }
        self.taken = self.taken.saturating_add(bytes);
    }

    /// Whether nothing more is read before [`until`](Self::until).
    pub(super) fn is_spent(&self) -> bool {
        self.taken >= WINDOW_BYTES
    }

    /// Begins the next stretch.
    pub(super) fn begin_anew(&mut self) {
        *self = Self::new();
    }
}
