//! Reading ahead: an archive is unpacked on a thread of its own, beside whoever hashes and writes what is in it.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::Progress;

/// How much is handed over at once.
const PIECE: u64 = 256 * 1024;
/// Pieces that may wait.
const WAITING: usize = 4;

/// Bytes another thread reads.
pub(super) struct ReadAhead<'a> {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
    read: Arc<AtomicU64>,
    all: u64,
    report: &'a mut dyn FnMut(Progress),
}

impl<'a> ReadAhead<'a> {
    /// Has `from` read by another thread. `read` is where it counts what it takes from the disk, of `all`.
    pub(super) fn new(
        mut from: Box<dyn Read + Send>,
        (read, all): (Arc<AtomicU64>, u64),
        report: &'a mut dyn FnMut(Progress),
    ) -> io::Result<Self> {
        let (done, pieces) = sync_channel(WAITING);
        thread::Builder::new().name("backup-read".to_owned()).spawn(move || {
            loop {
                let mut piece = Vec::new();
                let outcome = (&mut from).take(PIECE).read_to_end(&mut piece);
                let is_over = outcome.is_err() || piece.is_empty();
                // What came before it broke off may be what says why.
                if !piece.is_empty() && done.send(Ok(piece)).is_err() {
                    return;
                }
                if let Err(error) = outcome {
                    // Nobody may want to know any more.
                    done.send(Err(error)).ok();
                }
                if is_over {
                    return;
                }
            }
        })?;
        Ok(Self { pieces, piece: Vec::new(), at: 0, read, all, report })
    }
}

impl Read for ReadAhead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            let Ok(piece) = self.pieces.recv() else { return Ok(0) };
            self.piece = piece?;
            self.at = 0;
            (self.report)(Progress { done: self.read.load(Ordering::Relaxed), all: self.all });
        }
        let mut rest = self.piece.get(self.at..).unwrap_or_default();
        let read = rest.read(buffer)?;
        self.at += read;
        Ok(read)
    }
}
