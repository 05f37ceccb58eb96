//! `read`: a page of a text file, or a picture.
//!
//! Files are streamed: however large the file, no more than a page is held.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_media::file_type::image_type;
use homard_protocol::UserBlock;
use homard_runtime::{Arrange as _, OrCancel};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::cx::ToolCx;
use crate::files::open_no_symlinks::open_no_symlinks;
use crate::files::paths::{PathError, Paths};
use crate::gate::{Effect, Subject};
use crate::outcome::ToolOutcome;
use crate::registry::ToolEntry;
use crate::tool::Tool;
use crate::tools::file_edits::near_names::near_names;
use crate::tools::file_edits::off_thread::off_thread;

/// Most lines of one page.
const MAX_LINES: u64 = 2_000;
/// Most bytes of one page.
const MAX_BYTES: usize = 50 * 1024;
/// Largest picture that is shown.
const MAX_IMAGE_BYTES: u64 = 5 * 1024 * 1024;
/// Files up to this size have their lines counted; larger ones only say that more follows.
const MAX_COUNTED_BYTES: u64 = 256 * 1024 * 1024;
/// How much of the beginning tells what kind of file it is.
const SNIFF_BYTES: u64 = 8 * 1024;
/// How many names of a directory are shown.
const MAX_ENTRIES_SHOWN: usize = 30;

pub(crate) const ENTRY: ToolEntry = ToolEntry {
    build: |options| Some(Arc::new(Read { paths: Paths::new(&options.home, options.workspace_only) })),
};

pub(crate) struct Read {
    paths: Paths,
}

/// Read a text file, or look at an image (png, jpeg, gif, webp). Returns up to 2000 lines or 50 KB; the answer
/// says which offset continues.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadInput {
    /// File, relative to the workspace or absolute.
    #[serde(alias = "file_path")]
    path: String,
    /// First line, counted from 1.
    #[serde(default)]
    offset: Option<u64>,
    /// Most lines to return.
    #[serde(default)]
    limit: Option<u64>,
}

impl Tool for Read {
    type Input = ReadInput;
    const NAME: &'static str = "read";
    const PARALLEL: bool = true;
    const EFFECT: Effect = Effect::Looks;

    fn subject(input: &ReadInput) -> Subject {
        Subject::reading(&input.path)
    }

    async fn run(&self, input: ReadInput, cx: &ToolCx) -> ToolOutcome {
        let (paths, workspace) = (self.paths.for_call(cx), cx.workspace.clone());
        let reading = off_thread(move || read(&paths, &workspace, &input));
        reading
            .or_cancel(&cx.cancel)
            .await
            .unwrap_or_else(|_| ToolOutcome::error("stopped before the file was read"))
    }
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("there is no file `{path}`{near}")]
    Missing { path: String, near: String },
    #[error("`{path}` is a directory; it holds: {entries}")]
    Directory { path: String, entries: String },
    #[error("`{path}` is not a regular file and cannot be read")]
    NotAFile { path: String },
    #[error("`{path}` is a binary file of {bytes} bytes and cannot be shown as text; use exec to inspect it")]
    Binary { path: String, bytes: u64 },
    #[error(
        "`{path}` is an image of {bytes} bytes; at most {MAX_IMAGE_BYTES} can be shown: make it smaller first"
    )]
    ImageTooLarge { path: String, bytes: u64 },
    #[error("offset {offset} is past the end of `{path}`, which has {lines} lines")]
    PastEnd { path: String, offset: u64, lines: u64 },
    #[error("could not read `{path}`")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
}

fn read(paths: &Paths, workspace: &Path, input: &ReadInput) -> Result<ToolOutcome, ReadError> {
    let path = input.path.clone();
    let real = paths.resolve(workspace, &input.path)?;
    let found = real.metadata().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ReadError::Missing { path: path.clone(), near: near_names(&real) },
        _ => ReadError::Io { path: path.clone(), source },
    })?;
    if found.is_dir() {
        return Err(ReadError::Directory { path, entries: entries(&real) });
    }
    if !found.is_file() {
        // Opening a pipe or a device could wait for ever.
        return Err(ReadError::NotAFile { path });
    }
    let failed = |source| ReadError::Io { path: path.clone(), source };
    let mut file = open_no_symlinks(&real).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(ReadError::NotAFile { path });
    }
    let mut start = Vec::new();
    file.by_ref().take(SNIFF_BYTES).read_to_end(&mut start).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    if let Some(mime_type) = image_type(&start) {
        return image(file, mime_type, &input.path);
    }
    if start.contains(&0) {
        return Err(ReadError::Binary { path, bytes: found.len() });
    }
    let first = input.offset.unwrap_or(1).max(1);
    let max_lines = input.limit.unwrap_or(MAX_LINES).clamp(1, MAX_LINES);
    let count = found.len() <= MAX_COUNTED_BYTES;
    let page = Page::read(&mut BufReader::new(file), first, max_lines, count).map_err(failed)?;
    if page.lines == 0 && first > 1 {
        return Err(ReadError::PastEnd { path, offset: first, lines: page.skipped });
    }
    Ok(page.into_outcome(first))
}

fn entries(directory: &Path) -> String {
    let mut names: Vec<String> = directory
        .read_dir()
        .into_iter()
        .flatten()
        .flatten()
        .take(MAX_ENTRIES_SHOWN + 1)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.arrange();
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let more = names.len() > MAX_ENTRIES_SHOWN;
    names.truncate(MAX_ENTRIES_SHOWN);
    format!("{}{}", names.join(", "), if more { ", ..." } else { "" })
}

fn image(file: File, mime_type: &str, path: &str) -> Result<ToolOutcome, ReadError> {
    let mut bytes = Vec::new();
    file.take(MAX_IMAGE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    let size = bytes.len() as u64;
    if size > MAX_IMAGE_BYTES {
        return Err(ReadError::ImageTooLarge { path: path.to_owned(), bytes: size });
    }
    let note = UserBlock::text(format!("{path}: {mime_type}, {size} bytes"));
    let picture = UserBlock::Image { data: STANDARD.encode(bytes), mime_type: mime_type.to_owned() };
    let details = json!({ "mimeType": mime_type, "bytes": size });
    Ok(ToolOutcome {
        content: vec![note, picture],
        details: Some(details),
        is_error: false,
        untrusted: Vec::new(),
    })
}

/// A page of a file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Page {
    bytes: Vec<u8>,
    /// Lines before the page.
    skipped: u64,
    /// Lines on the page.
    lines: u64,
    /// Whether the page is one line too long to show whole.
    is_cut: bool,
    more: bool,
    /// Lines of the whole file, where they were counted.
    total: Option<u64>,
}

impl Page {
    fn read(file: &mut impl BufRead, first: u64, max_lines: u64, count: bool) -> io::Result<Self> {
        let mut page = Self { skipped: skip_lines(file, first - 1)?, ..Self::default() };
        if page.skipped < first - 1 {
            return Ok(page);
        }
        // A line that was begun but did not fit whole.
        let mut begun = 0;
        while page.lines < max_lines {
            let before = page.bytes.len();
            let room = (MAX_BYTES - before) as u64;
            let length = file.by_ref().take(room).read_until(b'\n', &mut page.bytes)?;
            let whole = page.bytes.ends_with(b"\n") || file.fill_buf()?.is_empty();
            if length == 0 && whole {
                break;
            }
            if whole {
                page.lines += 1;
            } else if page.lines == 0 {
                page.lines = 1;
                page.is_cut = true;
                skip_lines(file, 1)?;
                break;
            } else {
                page.bytes.truncate(before);
                page.more = true;
                skip_lines(file, 1)?;
                begun = 1;
                break;
            }
        }
        page.more = page.more || !file.fill_buf()?.is_empty();
        if count {
            page.total = Some(page.skipped + page.lines + begun + skip_lines(file, u64::MAX)?);
        }
        Ok(page)
    }

    fn into_outcome(self, first: u64) -> ToolOutcome {
        let last = first + self.lines.saturating_sub(1);
        let mut text = String::from_utf8_lossy(&self.bytes).into_owned();
        if self.lines == 0 {
            "(the file is empty)".clone_into(&mut text);
        }
        if self.is_cut {
            text.push_str(&format!("\n\n[line {first} is longer than {MAX_BYTES} bytes and was cut]"));
        }
        if self.more {
            let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
            text.push_str(&format!("\n\n[lines {first}-{last}{of}; use offset={} to continue]", last + 1));
        }
        let details = json!({
            "firstLine": first,
            "lines": self.lines,
            "totalLines": self.total,
            "truncated": self.more || self.is_cut,
        });
        ToolOutcome::text(text).with_details(details)
    }
}

/// Passes over up to `lines` lines without keeping them; says how many there were.
fn skip_lines(file: &mut impl BufRead, lines: u64) -> io::Result<u64> {
    let mut skipped = 0;
    let mut inside_line = false;
    while skipped < lines {
        let buffer = file.fill_buf()?;
        if buffer.is_empty() {
            // The last line may lack its end.
            return Ok(skipped + u64::from(inside_line));
        }
        let (used, ends) = count_ends(buffer, lines - skipped);
        inside_line = buffer.get(used - 1) != Some(&b'\n');
        skipped += ends;
        file.consume(used);
    }
    Ok(skipped)
}

/// How many bytes to use to pass up to `wanted` line ends, and how many ends those hold.
fn count_ends(buffer: &[u8], wanted: u64) -> (usize, u64) {
    let all = memchr::memchr_iter(b'\n', buffer).count() as u64;
    if all < wanted {
        return (buffer.len(), all);
    }
    let last = usize::try_from(wanted - 1).ok().and_then(|nth| memchr::memchr_iter(b'\n', buffer).nth(nth));
    (last.map_or(buffer.len(), |at| at + 1), wanted)
}

#[cfg(test)]
mod tests;
