//! An archive goes to the disk while it is written, one block after the other, past the memory all programs share.
//! Hundreds of megabytes that wait there to be written would keep everybody else who waits for that disk waiting with
//! them: a gateway keeps each message before it answers.

use std::io::{self, Write};

use homard_runtime::FileDraft;

/// How much is written at once, and so how much others wait for at most.
const BLOCK: usize = 512 * 1024;
/// Blocks that are written past the memory begin at such an address, and have such a length.
const ALIGNED: usize = 4096;

/// A draft whose bytes are on the disk, or on their way, a block after they came.
pub(super) struct SteadyDraft {
    draft: FileDraft,
    /// Room for a block that begins where it may.
    room: Vec<u8>,
    begin: usize,
    filled: usize,
    /// Whether blocks go past the memory.
    is_direct: bool,
    written: u64,
}

impl SteadyDraft {
    pub(super) fn new(draft: FileDraft) -> Self {
        let room = vec![0; BLOCK + ALIGNED];
        let begin = room.as_ptr().align_offset(ALIGNED).min(ALIGNED);
        let is_direct = direct(&draft, true);
        Self { draft, room, begin, filled: 0, is_direct, written: 0 }
    }

    /// Writes what is left, and gives the draft back.
    pub(super) fn finish(mut self) -> io::Result<FileDraft> {
        // The last block is as long as it is.
        self.go_through_memory();
        self.send()?;
        Ok(self.draft)
    }

    fn send(&mut self) -> io::Result<()> {
        let end = self.begin + self.filled;
        let mut at = self.begin;
        while let Some(rest) = self.room.get(at..end).filter(|rest| !rest.is_empty()) {
            match self.draft.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => at += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Not every file system can, and some say so only now.
                Err(error) if self.is_direct && error.kind() == io::ErrorKind::InvalidInput => {
                    self.go_through_memory();
                }
                Err(error) => return Err(error),
            }
        }
        if !self.is_direct {
            begin_writing(&self.draft, self.written, self.filled);
        }
        self.written += self.filled as u64;
        self.filled = 0;
        Ok(())
    }

    fn go_through_memory(&mut self) {
        if self.is_direct {
            self.is_direct = direct(&self.draft, false);
        }
    }
}

impl Write for SteadyDraft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BLOCK - self.filled);
        let at = self.begin + self.filled;
        if let (Some(to), Some(from)) = (self.room.get_mut(at..at + taken), bytes.get(..taken)) {
            to.copy_from_slice(from);
        }
        self.filled += taken;
        if self.filled == BLOCK {
            self.send()?;
        }
        Ok(taken)
    }

    /// What is written goes out when there is enough of it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Has what is written to a file go past the memory, or not any more; says whether it does.
#[cfg(target_os = "linux")]
fn direct(draft: &FileDraft, wanted: bool) -> bool {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    let flags = fcntl_getfl(draft.file())
        .map(|flags| if wanted { flags | OFlags::DIRECT } else { flags - OFlags::DIRECT });
    flags.and_then(|flags| fcntl_setfl(draft.file(), flags)).is_ok() && wanted
}

#[cfg(not(target_os = "linux"))]
fn direct(_draft: &FileDraft, _wanted: bool) -> bool {
    false
}

/// Has the system begin to write, without waiting for it; nothing of it is read again.
#[cfg(target_os = "linux")]
fn begin_writing(draft: &FileDraft, from: u64, len: usize) {
    use rustix::fs::{Advice, fadvise};

    // A file system that cannot writes when it wants to.
    fadvise(draft.file(), from, std::num::NonZeroU64::new(len as u64), Advice::DontNeed).ok();
}

#[cfg(not(target_os = "linux"))]
fn begin_writing(_draft: &FileDraft, _from: u64, _len: usize) {}

#[cfg(test)]
mod tests;
