//! The files of the built page: inside the program in a release, on disk in a debug build, where the page is built
//! beside the program and neither waits for the other.
//!
//! Of a file that the build packed only the packed copy is in the program: browsers take it, and for others it is
//! unpacked.

use std::borrow::Cow;

use homard_runtime::hex;
use sha2::{Digest as _, Sha256};

/// What the packed copy of a file is called.
pub(crate) const PACKED_SUFFIX: &str = ".z";
/// Half a SHA-256 is plenty to tell two builds apart.
const DIGEST: usize = 16;
/// No file of the page is larger.
#[cfg(not(debug_assertions))]
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// A file of the page.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) body: Cow<'static, [u8]>,
    /// The beginning of its SHA-256, in digits.
    pub(crate) digest: Cow<'static, str>,
}

/// A file as it is kept in the program.
#[cfg(not(debug_assertions))]
struct Kept {
    name: &'static str,
    digest: &'static str,
    /// Whether it is deflated, with the head and the sum of zlib.
    is_deflated: bool,
    bytes: &'static [u8],
}

/// All of them, by name.
#[cfg(not(debug_assertions))]
const FILES: &[Kept] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

#[cfg(not(debug_assertions))]
fn kept(name: &str) -> Option<&'static Kept> {
    let at = FILES.binary_search_by(|file| file.name.cmp(name)).ok()?;
    FILES.get(at)
}

/// The beginning of the SHA-256 of something that is sent, in digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hex(Sha256::digest(bytes).iter().take(DIGEST))
}

/// A file of the page by its name, as it is.
#[cfg(not(debug_assertions))]
pub(crate) fn get(name: &str) -> Option<File> {
    let kept = kept(name)?;
    let body = match kept.is_deflated {
        true => homard_runtime::inflated(kept.bytes, MAX_BYTES)?.into(),
        false => Cow::Borrowed(kept.bytes),
    };
    Some(File { body, digest: Cow::Borrowed(kept.digest) })
}

/// The same deflated, with the head and the sum of zlib, where it is kept so.
#[cfg(not(debug_assertions))]
pub(crate) fn deflated(name: &str) -> Option<File> {
    let kept = kept(name).filter(|kept| kept.is_deflated)?;
    let digest = Cow::Owned(format!("{}-z", kept.digest));
    Some(File { body: Cow::Borrowed(kept.bytes), digest })
}

/// A file of the page by its name.
#[cfg(debug_assertions)]
pub(crate) fn get(name: &str) -> Option<File> {
    let body = std::fs::read(clone_folder("web/dist")?.join(name)).ok()?;
    Some(File { digest: digest(&body).into(), body: body.into() })
}

/// Its packed copy.
#[cfg(debug_assertions)]
pub(crate) fn deflated(name: &str) -> Option<File> {
    get(&format!("{name}{PACKED_SUFFIX}"))
}

/// A folder of the sources this was compiled from, or of the clone the program lies in where the sources' path was left
/// out.
#[cfg(debug_assertions)]
pub(crate) fn clone_folder(name: &str) -> Option<std::path::PathBuf> {
    use std::path::Path;

    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = std::env::current_exe().ok()?;
    let starts = [sources.is_absolute().then_some(sources), Some(program.as_path())];
    let above = starts.into_iter().flatten().flat_map(Path::ancestors);
    above.map(|folder| folder.join(name)).find(|folder| folder.is_dir())
}
