//! Packing in pieces, on threads of its own, beside whoever reads and hashes. What comes out is one gzip stream that every
//! `gzip` and `tar` opens: each piece ends at a whole byte, so that pieces follow each other as if one had packed them all.
//!
//! How many pieces there are is fixed, and they go round: from who fills them to who packs them, to who writes them, and
//! back. Who is ahead waits, and no more memory is used than they are.

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use flate2::{Compress, Compression, Crc, FlushCompress};

/// How hard is packed: what is kept is mostly text, and the disk should be what takes the time.
const LEVEL: u32 = 1;
/// Bytes that are packed at once. Words seen in one piece do not help the next, so it must not be small.
const PIECE: usize = 256 * 1024;
/// Threads that pack, at most; they are no use where there are fewer cores.
const MOST_PACKERS: usize = 4;
/// Pieces for each of them: one it packs, one that waits for it, or to be written.
const PIECES_EACH: usize = 2;
/// What gets smaller by less than one part in so many is not worth the work.
const WORTH: usize = 32;
/// Samples of a piece that are packed to see whether the rest is worth it, and their length.
const SAMPLES: usize = 4;
const SAMPLE: usize = 4 * 1024;
/// What a stored block can hold.
const STORED: usize = 0xffff;
/// Gzip, deflate, no name, no time, packed fast, by nobody knows which system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff];
/// A last block with nothing in it.
const LAST: [u8; 2] = [0x03, 0x00];

/// Packs what is written to it and hands that on to `W`. Dropped unfinished, it waits until its threads have ended and
/// `W` is gone.
pub(super) struct Packer<W> {
    piece: Piece,
    queues: Vec<Sender<Piece>>,
    /// How many pieces were handed on; they go to the queues in turn.
    count: usize,
    spare: Receiver<Piece>,
    crc: Crc,
    len: u64,
    end: Option<Sender<End>>,
    writer: Option<JoinHandle<io::Result<W>>>,
}

/// Bytes, and what they are packed.
struct Piece {
    plain: Vec<u8>,
    packed: Vec<u8>,
}

/// What was packed, when all of it was.
struct End {
    crc: u32,
    len: u64,
}

impl<W: Write + Send + 'static> Packer<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let (give_back, spare) = channel();
        let (end, ended) = channel();
        let (mut queues, mut packed) = (Vec::new(), Vec::new());
        for _ in 0..cores.min(MOST_PACKERS) {
            let (queue, pieces) = channel();
            let (done, from) = channel();
            started("backup-pack", move || pack_all(&pieces, &done))?;
            queues.push(queue);
            packed.push(from);
            for _ in 0..PIECES_EACH {
                give_back.send(Piece::new()).map_err(|_gone| early())?;
            }
        }
        let writer = started("backup-write", move || write_all(out, &packed, give_back, &ended))?;
        let (crc, piece) = (Crc::new(), Piece::new());
        Ok(Self { piece, queues, count: 0, spare, crc, len: 0, end: Some(end), writer: Some(writer) })
    }

    /// Writes the end, and gives back where everything was written.
    pub(super) fn finish(mut self) -> io::Result<W> {
        if !self.piece.plain.is_empty() {
            self.hand_on()?;
        }
        self.queues.clear();
        if let Some(end) = self.end.take() {
            // Who does not hear it any more has failed, and says so.
            end.send(End { crc: self.crc.sum(), len: self.len }).ok();
        }
        self.writer.take().map_or_else(|| Err(early()), joined)
    }

    fn hand_on(&mut self) -> io::Result<()> {
        let Ok(next) = self.spare.recv() else { return Err(self.failed()) };
        let full = std::mem::replace(&mut self.piece, next);
        self.crc.update(&full.plain);
        self.len += full.plain.len() as u64;
        let turn = self.count % self.queues.len().max(1);
        self.count += 1;
        match self.queues.get(turn).map(|queue| queue.send(full)) {
            Some(Ok(())) => Ok(()),
            _gone => Err(self.failed()),
        }
    }

    /// Why nobody takes pieces any more.
    fn failed(&mut self) -> io::Error {
        self.queues.clear();
        self.end = None;
        self.writer.take().and_then(|writer| joined(writer).err()).unwrap_or_else(early)
    }
}

impl<W: Write + Send + 'static> Write for Packer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE - self.piece.plain.len());
        self.piece.plain.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        if self.piece.plain.len() == PIECE {
            self.hand_on()?;
        }
        Ok(taken)
    }

    /// What is written goes out when there is enough of it.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W> Drop for Packer<W> {
    fn drop(&mut self) {
        self.queues.clear();
        self.end = None;
        // What it had to write to must be gone when whoever gave it up goes on.
        drop(self.writer.take().map(JoinHandle::join));
    }
}

impl Piece {
    fn new() -> Self {
        Self { plain: Vec::with_capacity(PIECE), packed: Vec::with_capacity(PIECE + PIECE / WORTH) }
    }
}

fn started<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}

fn joined<T>(thread: JoinHandle<io::Result<T>>) -> io::Result<T> {
    thread.join().unwrap_or_else(|_panic| Err(early()))
}

fn early() -> io::Error {
    io::Error::other("packing ended before everything was packed; try again")
}

/// Packs pieces until there are no more, or nobody wants them.
fn pack_all(pieces: &Receiver<Piece>, done: &Sender<Piece>) {
    let mut press = PiecePacker::new();
    while let Ok(mut piece) = pieces.recv() {
        // A piece that is missing is noticed by who writes them.
        if press.pack(&piece.plain, &mut piece.packed).is_err() || done.send(piece).is_err() {
            return;
        }
    }
}

/// Writes pieces in their order; each queue has every so-many-th.
fn write_all<W: Write>(
    mut out: W,
    packed: &[Receiver<Piece>],
    give_back: Sender<Piece>,
    ended: &Receiver<End>,
) -> io::Result<W> {
    let mut len = 0;
    out.write_all(&HEADER)?;
    for queue in packed.iter().cycle() {
        let Ok(mut piece) = queue.recv() else { break };
        out.write_all(&piece.packed)?;
        len += piece.plain.len() as u64;
        piece.plain.clear();
        // After the last one nobody needs it.
        give_back.send(piece).ok();
    }
    // Whoever waits for a piece learns here that none comes any more.
    drop(give_back);
    let end = ended.recv().map_err(|_given_up| early())?;
    if len != end.len {
        return Err(early());
    }
    out.write_all(&LAST)?;
    out.write_all(&end.crc.to_le_bytes())?;
    // By the format, the length is told as far as four bytes go.
    out.write_all(&u32::try_from(len & u64::from(u32::MAX)).unwrap_or(0).to_le_bytes())?;
    Ok(out)
}

/// Packs one piece after the other.
struct PiecePacker {
    deflate: Compress,
    /// The last piece did not get smaller. Pictures, sounds and archives are long.
    was_dense: bool,
}

impl PiecePacker {
    fn new() -> Self {
        Self { deflate: Compress::new(Compression::new(LEVEL), false), was_dense: false }
    }

    /// Packs a piece, or stores it where packing is not worth the work.
    fn pack(&mut self, plain: &[u8], packed: &mut Vec<u8>) -> io::Result<()> {
        packed.clear();
        packed.reserve(plain.len());
        let is_small =
            (!self.was_dense || self.samples_shrink(plain, packed)?) && self.shrink(plain, packed)?;
        self.was_dense = !is_small;
        if !is_small {
            store(plain, packed);
        }
        Ok(())
    }

    fn samples_shrink(&mut self, plain: &[u8], packed: &mut Vec<u8>) -> io::Result<bool> {
        let step = (plain.len() / SAMPLES).max(1);
        let samples: Vec<u8> =
            plain.chunks(step).flat_map(|part| part.iter().take(SAMPLE)).copied().collect();
        self.shrink(&samples, packed)
    }

    /// Packs, unless that turns out not to be worth it.
    fn shrink(&mut self, plain: &[u8], packed: &mut Vec<u8>) -> io::Result<bool> {
        packed.clear();
        self.deflate.reset();
        self.deflate.compress_vec(plain, packed, FlushCompress::Sync).map_err(io::Error::other)?;
        let is_whole = self.deflate.total_in() == plain.len() as u64 && packed.len() < packed.capacity();
        Ok(is_whole && packed.len() + plain.len() / WORTH <= plain.len())
    }
}

/// Writes a piece as it is, in blocks the format has for that.
fn store(plain: &[u8], packed: &mut Vec<u8>) {
    packed.clear();
    for block in plain.chunks(STORED) {
        let len = u16::try_from(block.len()).unwrap_or(u16::MAX);
        packed.push(0);
        packed.extend_from_slice(&len.to_le_bytes());
        packed.extend_from_slice(&(!len).to_le_bytes());
        packed.extend_from_slice(block);
    }
}

#[cfg(test)]
mod tests;
