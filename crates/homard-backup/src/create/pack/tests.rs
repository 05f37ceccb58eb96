//! That what is packed in pieces is one stream others open, that noise is not packed, and that a failure is told.

use std::io::{self, Read as _, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};

use flate2::bufread::GzDecoder;

use super::{PIECE, Packer, Piece, PiecePacker, write_all};

/// Bytes that nobody can pack.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..len).map(|_| next()).collect()
}

/// Sentences, all a bit different.
fn prose(len: usize) -> Vec<u8> {
    let lines =
        (0_u64..).flat_map(|at| format!("{{\"n\":{at},\"said\":\"tea {}\"}}\n", at * at).into_bytes());
    lines.take(len).collect()
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut packer = Packer::new(Vec::new()).unwrap();
    // In portions that do not go into pieces evenly.
    for part in plain.chunks(10_007) {
        packer.write_all(part).unwrap();
    }
    packer.finish().unwrap()
}

/// What the system's own `gzip` makes of it.
#[expect(clippy::disallowed_methods, reason = "the system's own program")]
fn gunzipped(packed: Vec<u8>) -> Vec<u8> {
    let mut gzip =
        Command::new("gzip").arg("-dc").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut into = gzip.stdin.take().unwrap();
    let feeding = std::thread::spawn(move || into.write_all(&packed));
    let out = gzip.wait_with_output().unwrap();
    feeding.join().unwrap().unwrap();
    assert!(out.status.success());
    out.stdout
}

#[test]
fn what_is_packed_in_pieces_is_one_stream_that_everybody_opens() {
    let mixed = [prose(PIECE + 5), noise(3 * PIECE), prose(2 * PIECE - 1), noise(7), prose(PIECE)].concat();
    for plain in [Vec::new(), b"x".to_vec(), prose(PIECE), noise(PIECE - 1), noise(PIECE + 1), mixed] {
        let stream = packed(&plain);
        // A reader that knows of one stream only, as those before us.
        let mut reader = GzDecoder::new(stream.as_slice());
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert!(read == plain && reader.into_inner().is_empty(), "{} bytes", plain.len());
        assert!(gunzipped(stream) == plain, "{} bytes", plain.len());
    }
}

#[test]
fn what_does_not_get_smaller_is_stored_and_what_follows_it_is_packed_again() {
    let mut press = PiecePacker::new();
    let mut out = Vec::new();
    let mut size = |plain: &[u8]| {
        press.pack(plain, &mut out).unwrap();
        (out.len(), press.was_dense)
    };
    let (text, random) = (prose(PIECE), noise(PIECE));
    let blocks = 5 * PIECE.div_ceil(0xffff);
    let small = size(&text);
    assert!(small.0 < PIECE / 2 && !small.1, "{small:?}");
    assert_eq!(size(&random), (PIECE + blocks, true));
    assert_eq!(size(&random), (PIECE + blocks, true));
    assert_eq!(size(&text), small);
}

/// Takes so many bytes, and tells when it is gone.
struct Small {
    room: usize,
    gone: Sender<()>,
}

impl Write for Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room < bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        self.gone.send(()).unwrap();
    }
}

#[test]
fn why_it_could_not_be_written_is_told_to_who_writes_and_to_who_finishes() {
    let (gone, told) = channel();
    let mut packer = Packer::new(Small { room: 2 * PIECE, gone: gone.clone() }).unwrap();
    let error = std::iter::repeat_n(noise(PIECE), 1000).find_map(|part| packer.write_all(&part).err());
    assert_eq!(error.map(|error| error.kind()), Some(io::ErrorKind::StorageFull));
    told.try_recv().unwrap();
    assert!(packer.finish().is_err());

    let mut packer = Packer::new(Small { room: 12, gone }).unwrap();
    packer.write_all(b"short").unwrap();
    let error = packer.finish().err().map(|error| error.kind());
    assert_eq!(error, Some(io::ErrorKind::StorageFull));
}

/// Whoever fills pieces waits for one at that moment, and says only then that it is the end.
#[test]
fn whoever_waits_for_a_piece_hears_of_it_when_packing_stops() {
    let (queue, packed) = channel::<Piece>();
    let (give_back, spare) = channel();
    let (end, ended) = channel();
    drop(queue);
    let writing = std::thread::spawn(move || write_all(Vec::new(), &[packed], give_back, &ended));
    assert!(spare.recv().is_err());
    drop(end);
    writing.join().unwrap().unwrap_err();
}

#[test]
fn what_is_given_up_is_gone_at_once() {
    let (gone, told) = channel();
    let mut packer = Packer::new(Small { room: usize::MAX, gone }).unwrap();
    packer.write_all(&prose(3 * PIECE)).unwrap();
    drop(packer);
    told.try_recv().unwrap();
}
