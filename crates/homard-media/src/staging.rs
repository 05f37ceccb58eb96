//! Keeping bytes as files that only the owner may read, under names that can do no harm.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use homard_runtime::{create_private_dir, hex};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Longest part of a sender's name for a file that is kept, in characters.
const MAX_NAME: usize = 60;
/// Bytes of the hash in a file's name.
const HASH_BYTES: usize = 12;

/// Keeps bytes under a name made of what is inside; the same bytes are the same file.
///
/// # Errors
/// When the disk does not take them.
pub fn keep_by_content(folder: &Path, said: &str, mime: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    create_private_dir(folder)?;
    let path = folder.join(file_name(bytes, said, mime));
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Ok(mut made) => made.write_all(bytes)?,
        // It is there already; unless a crash cut it short.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let size = std::fs::metadata(&path)?.len();
            if size != u64::try_from(bytes.len()).unwrap_or(u64::MAX) {
                std::fs::write(&path, bytes)?;
            }
        }
        Err(error) => return Err(error),
    }
    Ok(path)
}

/// Keeps a copy of its own, for somebody who will take it away. `name` must be one part of a path.
///
/// # Errors
/// When the disk does not take it.
pub fn keep_copy(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    create_private_dir(folder)?;
    let path = folder.join(format!("{}-{name}", Uuid::new_v4().simple()));
    std::fs::write(&path, bytes)?;
    Ok(path)
}

/// A type as somebody said it, without what does not belong in one.
#[must_use]
pub fn plain_type(mime: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '+' | '.');
    mime.chars().take_while(is_plain).take(MAX_NAME).collect::<String>().to_ascii_lowercase()
}

/// A name that says what is inside and can do no harm: a hash, what the sender called it, and an ending.
fn file_name(bytes: &[u8], said: &str, mime: &str) -> String {
    let hash = Sha256::digest(bytes);
    let hex = hex(hash.iter().take(HASH_BYTES));
    let said = said.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, ending) = said.rsplit_once('.').unwrap_or((said, ""));
    let safe = |text: &str| -> String {
        let kept = text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        kept.take(MAX_NAME).collect()
    };
    let (stem, ending) = (safe(stem), safe(ending).to_ascii_lowercase());
    let ending = if ending.is_empty() { ending_of(mime).to_owned() } else { ending };
    if stem.is_empty() { format!("{hex}.{ending}") } else { format!("{hex}-{stem}.{ending}") }
}

fn ending_of(mime: &str) -> &'static str {
    match mime {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "video/mp4" => "mp4",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "application/json" => "json",
        _ if mime.starts_with("text/") => "txt",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests;
