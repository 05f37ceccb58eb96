//! An archive goes to the disk while it is written. Hundreds of megabytes at once, at the end, would keep everybody else
//! who waits for that disk waiting with them: a gateway keeps each message before it answers.

use std::io::{self, Write};

use homard_runtime::FileDraft;

/// How much may wait in memory.
#[cfg(target_os = "linux")]
const WAITING: u64 = 4 * 1024 * 1024;

/// A draft whose bytes are sent on to the disk as they come.
pub(super) struct Steady {
    draft: FileDraft,
    written: u64,
    sent: u64,
}

impl Steady {
    pub(super) fn new(draft: FileDraft) -> Self {
        Self { draft, written: 0, sent: 0 }
    }

    pub(super) fn into_draft(self) -> FileDraft {
        self.draft
    }

    /// Has the system begin to write, without waiting for it; nothing of it is read again.
    #[cfg(target_os = "linux")]
    fn send(&mut self) {
        use std::num::NonZeroU64;

        use rustix::fs::{Advice, fadvise};

        let waiting = self.written - self.sent;
        if waiting >= WAITING {
            // A file system that cannot writes when it wants to.
            fadvise(self.draft.file(), self.sent, NonZeroU64::new(waiting), Advice::DontNeed).ok();
            self.sent = self.written;
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn send(&mut self) {
        self.sent = self.written;
    }
}

impl Write for Steady {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.draft.write(bytes)?;
        self.written += written as u64;
        self.send();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draft.flush()
    }
}
