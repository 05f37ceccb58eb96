//! The age format (age-encryption.org/v1) with a passphrase: one scrypt recipient, and the payload in pieces that are each
//! sealed and numbered, the last one marked. What is written here `age -d` opens, and the other way round.
//!
//! The `age` crate would do the same and bring 66 crates; the primitives are in the program already, but for scrypt.

use std::io::{self, BufRead, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::{hkdf, hmac};

/// The first line.
pub(crate) const MAGIC: &str = "age-encryption.org/v1";
const SALT_LABEL: &[u8] = b"age-encryption.org/v1/scrypt";
const RECIPIENT: &str = "-> scrypt ";
const END: &str = "---";
/// Work of a guess, as a power of two: about a second, as the `age` program has it.
pub(crate) const WORK: u8 = 18;
/// More than this would take minutes, and is refused, as `age` does.
const MAX_WORK: u8 = 22;
const KEY: usize = 16;
const SALT: usize = 16;
const TAG: usize = 16;
const NONCE: usize = 16;
/// Plain bytes in one piece.
const PIECE: usize = 64 * 1024;
/// Longest line of a header that is read.
const MAX_LINE: u64 = 1024;

/// Why something sealed cannot be opened.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    WrongPassphrase,
    /// Not in this format, or not for a passphrase.
    NotOurs(&'static str),
    Unreadable(String),
}

impl From<io::Error> for Closed {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// Seals what is written to it.
pub(crate) struct Sealer<W: Write> {
    inner: W,
    pieces: Pieces,
    waiting: Vec<u8>,
}

impl<W: Write> Sealer<W> {
    /// Writes the header. `work` is how hard guessing is.
    pub(crate) fn new(mut inner: W, passphrase: &str, work: u8) -> io::Result<Self> {
        let file_key: [u8; KEY] = random()?;
        let salt: [u8; SALT] = random()?;
        let nonce: [u8; NONCE] = random()?;
        let wrapping = stretched(passphrase, &salt, work)?;
        let mut sealed = file_key.to_vec();
        let outer = LessSafeKey::new(key(&wrapping)?);
        outer.seal_in_place_append_tag(zero_nonce(), Aad::empty(), &mut sealed).map_err(broken)?;
        let encode = |bytes: &[u8]| STANDARD_NO_PAD.encode(bytes);
        let header = format!("{MAGIC}\n{RECIPIENT}{} {work}\n{}\n{END}", encode(&salt), encode(&sealed));
        let mac = hmac::sign(&header_key(&file_key)?, header.as_bytes());
        writeln!(inner, "{header} {}", encode(mac.as_ref()))?;
        inner.write_all(&nonce)?;
        Ok(Self { inner, pieces: Pieces::new(&file_key, &nonce)?, waiting: Vec::with_capacity(PIECE + TAG) })
    }

    /// Seals the last piece.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.pieces.seal(&mut self.waiting, Last::Yes)?;
        self.inner.write_all(&self.waiting)?;
        Ok(self.inner)
    }
}

impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full piece waits for more: the last one must be known as such.
        if self.waiting.len() == PIECE {
            self.pieces.seal(&mut self.waiting, Last::No)?;
            self.inner.write_all(&self.waiting)?;
            self.waiting.clear();
        }
        let taken = bytes.len().min(PIECE - self.waiting.len());
        self.waiting.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Opens what is read from it.
pub(crate) struct Opener<R: BufRead> {
    inner: R,
    pieces: Pieces,
    plain: Vec<u8>,
    at: usize,
    is_over: bool,
}

impl<R: BufRead> std::fmt::Debug for Opener<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opener").finish_non_exhaustive()
    }
}

impl<R: BufRead> Opener<R> {
    /// Reads the header and tries the passphrase.
    pub(crate) fn new(mut inner: R, passphrase: &str) -> Result<Self, Closed> {
        let mut header = String::new();
        if line(&mut inner, &mut header)? != MAGIC {
            return Err(Closed::NotOurs("it is not in the age format"));
        }
        let recipient = line(&mut inner, &mut header)?;
        let stanza = recipient.strip_prefix(RECIPIENT).and_then(|rest| rest.split_once(' '));
        let Some((salt, work)) = stanza else {
            return Err(Closed::NotOurs("it is sealed for a key, not for a passphrase"));
        };
        let sealed = line(&mut inner, &mut header)?;
        let end = line(&mut inner, &mut header)?;
        let mac = end.strip_prefix("--- ").ok_or(Closed::NotOurs("it is sealed for several"))?;
        let work: u8 = work
            .parse()
            .ok()
            .filter(|work| *work <= MAX_WORK)
            .ok_or(Closed::NotOurs("opening it would take too long"))?;
        let decode = |text: &str| {
            STANDARD_NO_PAD.decode(text).map_err(|_bad| Closed::NotOurs("its header is not readable"))
        };
        let mut sealed = decode(sealed.as_str())?;
        let outer = LessSafeKey::new(key(&stretched(passphrase, &decode(salt)?, work)?)?);
        let file_key = outer
            .open_in_place(zero_nonce(), Aad::empty(), &mut sealed)
            .map_err(|_bad| Closed::WrongPassphrase)?;
        let signed = header.len().saturating_sub(end.len() + 1) + END.len();
        let signed = header.get(..signed).unwrap_or_default();
        hmac::verify(&header_key(file_key)?, signed.as_bytes(), &decode(mac)?)
            .map_err(|_bad| Closed::Unreadable("its header was changed".to_owned()))?;
        let mut nonce = [0; NONCE];
        inner.read_exact(&mut nonce)?;
        let pieces = Pieces::new(file_key, &nonce)?;
        Ok(Self { inner, pieces, plain: Vec::new(), at: 0, is_over: false })
    }

    fn next_piece(&mut self) -> io::Result<()> {
        self.plain.clear();
        self.at = 0;
        (&mut self.inner).take((PIECE + TAG) as u64).read_to_end(&mut self.plain)?;
        let last = if self.inner.fill_buf()?.is_empty() { Last::Yes } else { Last::No };
        self.is_over = last == Last::Yes;
        self.pieces.open(&mut self.plain, last)
    }
}

impl<R: BufRead> Read for Opener<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.plain.len() && !self.is_over {
            self.next_piece()?;
        }
        let mut rest = self.plain.get(self.at..).unwrap_or_default();
        let read = rest.read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

/// A line of the header, which is also gathered whole.
fn line(inner: &mut impl BufRead, header: &mut String) -> Result<String, Closed> {
    let mut text = String::new();
    inner.take(MAX_LINE).read_line(&mut text)?;
    header.push_str(&text);
    text.strip_suffix('\n').map(str::to_owned).ok_or(Closed::NotOurs("its header is cut off"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Yes,
    No,
}

/// The key of the payload, and how many pieces there were.
struct Pieces {
    key: LessSafeKey,
    count: u64,
}

impl Pieces {
    fn new(file_key: &[u8], nonce: &[u8]) -> io::Result<Self> {
        Ok(Self { key: LessSafeKey::new(key(&derived(file_key, nonce, b"payload")?)?), count: 0 })
    }

    /// Eleven bytes of a number, and one that says whether it is the last.
    fn nonce(&mut self, last: Last) -> Nonce {
        let mut bytes = [0; 12];
        for (to, from) in bytes.iter_mut().skip(3).zip(self.count.to_be_bytes()) {
            *to = from;
        }
        if let (Some(end), Last::Yes) = (bytes.last_mut(), last) {
            *end = 1;
        }
        self.count += 1;
        Nonce::assume_unique_for_key(bytes)
    }

    fn seal(&mut self, piece: &mut Vec<u8>, last: Last) -> io::Result<()> {
        let nonce = self.nonce(last);
        self.key.seal_in_place_append_tag(nonce, Aad::empty(), piece).map_err(broken)
    }

    fn open(&mut self, piece: &mut Vec<u8>, last: Last) -> io::Result<()> {
        let is_first = self.count == 0;
        let nonce = self.nonce(last);
        let bad = || io::Error::new(io::ErrorKind::InvalidData, "a piece of it is missing or was changed");
        let plain = self.key.open_in_place(nonce, Aad::empty(), piece).map_err(|_bad| bad())?.len();
        piece.truncate(plain);
        if plain == 0 && !is_first { Err(bad()) } else { Ok(()) }
    }
}

fn stretched(passphrase: &str, salt: &[u8], work: u8) -> io::Result<[u8; 32]> {
    let mut wrapping = [0; 32];
    let params = scrypt::Params::new(work, 8, 1)
        .map_err(|_bad| io::Error::other("the work of scrypt is out of bounds"))?;
    let salt = [SALT_LABEL, salt].concat();
    scrypt::scrypt(passphrase.as_bytes(), &salt, &params, &mut wrapping)
        .map_err(|_bad| io::Error::other("scrypt did not do as asked"))?;
    Ok(wrapping)
}

fn header_key(file_key: &[u8]) -> io::Result<hmac::Key> {
    Ok(hmac::Key::new(hmac::HMAC_SHA256, &derived(file_key, &[], b"header")?))
}

fn derived(file_key: &[u8], salt: &[u8], label: &[u8]) -> io::Result<[u8; 32]> {
    let mut out = [0; 32];
    let drawn = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(file_key);
    drawn.expand(&[label], hkdf::HKDF_SHA256).and_then(|okm| okm.fill(&mut out)).map_err(broken)?;
    Ok(out)
}

fn key(bytes: &[u8; 32]) -> io::Result<UnboundKey> {
    UnboundKey::new(&CHACHA20_POLY1305, bytes).map_err(broken)
}

/// The wrapping key is used once, so its nonce may be nothing.
fn zero_nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

fn broken(_unspecified: ring::error::Unspecified) -> io::Error {
    io::Error::other("the encryption did not do as asked")
}

#[cfg(test)]
mod tests;
