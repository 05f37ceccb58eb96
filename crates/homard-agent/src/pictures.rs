//! Pictures a person speaks of: paths in their words, found, checked and shown to a model that can see.
//!
//! Only for words of the owner: what somebody else writes must not make the assistant open files.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_media::file_type::image_type;
use homard_protocol::UserBlock;
use url::Url;

/// Names that are taken for pictures; what they hold decides.
const ENDINGS: [&str; 5] = [".png", ".jpg", ".jpeg", ".gif", ".webp"];
/// Most pictures of one message.
const MAX_PICTURES: usize = 8;
/// Most paths looked at; the rest of a long list is not a request to look at each.
const MAX_MENTIONED: usize = 32;
/// Longest path, in bytes.
const MAX_PATH: usize = 4096;
/// Largest picture that is shown.
const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// What may stand around a path that has no spaces.
const AROUND: [char; 14] = ['"', '\'', '`', '(', ')', '[', ']', '<', '>', '{', '}', ',', ';', '|'];
/// What a sentence may end with.
const SENTENCE_ENDS: [char; 4] = ['.', ':', '!', '?'];
/// What a path with spaces stands between.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Where pictures may be read from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PictureRules {
    /// Where relative paths start; always allowed.
    pub workspace: PathBuf,
    pub home: PathBuf,
    /// Other folders that are allowed.
    pub roots: Vec<PathBuf>,
}

/// The paths of pictures in a text, as written, each once. Reads nothing.
#[must_use]
pub fn mentioned_pictures(text: &str) -> Vec<&str> {
    let quoted = QUOTES.iter().flat_map(|&quote| text.split(quote).skip(1).step_by(2));
    let words = text.split(|c: char| c.is_whitespace() || AROUND.contains(&c));
    let words = words.map(|word| word.trim_end_matches(SENTENCE_ENDS));
    let mut found: Vec<&str> = Vec::new();
    for path in words.chain(quoted).filter(|path| is_picture_path(path)) {
        if !found.contains(&path) {
            found.push(path);
        }
        if found.len() == MAX_MENTIONED {
            break;
        }
    }
    found
}

fn is_picture_path(text: &str) -> bool {
    let ending = |ending: &&str| {
        let at = text.len().checked_sub(ending.len());
        at.and_then(|at| text.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    let is_elsewhere = text.contains("://") && !text.starts_with("file://");
    text.len() <= MAX_PATH && !text.contains(['\n', '\0']) && !is_elsewhere && ENDINGS.iter().any(ending)
}

/// Reads pictures that may be read, in order; what is no picture, too large or elsewhere is left out. Blocks.
#[must_use]
pub fn read_pictures(mentioned: &[String], rules: &PictureRules) -> Vec<UserBlock> {
    let roots: Vec<PathBuf> = std::iter::once(&rules.workspace)
        .chain(&rules.roots)
        .filter_map(|root| root.canonicalize().ok())
        .collect();
    let mut seen = Vec::new();
    let mut pictures = Vec::new();
    for written in mentioned {
        let Some(real) = place(written, rules).and_then(|path| path.canonicalize().ok()) else { continue };
        if seen.contains(&real) || !roots.iter().any(|root| real.starts_with(root)) {
            continue;
        }
        pictures.extend(picture(&real));
        seen.push(real);
        if pictures.len() == MAX_PICTURES {
            break;
        }
    }
    pictures
}

fn place(written: &str, rules: &PictureRules) -> Option<PathBuf> {
    if written.starts_with("file://") {
        return Url::parse(written).ok()?.to_file_path().ok();
    }
    Some(match written.strip_prefix("~/") {
        Some(rest) => rules.home.join(rest),
        None => rules.workspace.join(written),
    })
}

fn picture(path: &Path) -> Option<UserBlock> {
    let found = path.metadata().ok()?;
    if !found.is_file() || found.len() > MAX_BYTES {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    let mime_type = image_type(&bytes)?.to_owned();
    let fits = bytes.len() as u64 <= MAX_BYTES;
    fits.then(|| UserBlock::Image { data: STANDARD.encode(&bytes), mime_type })
}

#[cfg(test)]
mod tests;
