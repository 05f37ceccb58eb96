//! From the text of a patch to sections and hunks. Pure and strict: what is not the format is refused with the
//! line where it stopped being it.

use std::iter::Peekable;
use std::vec::IntoIter;

use homard_runtime::Clip;

/// Largest patch of one call.
const MAX_PATCH_BYTES: usize = 1024 * 1024;
/// Most files one patch may touch.
const MAX_SECTIONS: usize = 200;
/// Most of a line that is quoted back.
const MAX_QUOTED_CHARS: usize = 120;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// What happens to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) path: String,
    /// The line of the patch it begins at.
    pub(super) at: usize,
    pub(super) change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Add { content: String },
    Delete,
    Update { move_to: Option<String>, hunks: Vec<Hunk> },
}

/// One place of a file that changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// The line of the patch it begins at.
    pub(super) at: usize,
    /// Lines to look for first, one after the other.
    pub(super) headers: Vec<String>,
    pub(super) lines: Vec<PatchLine>,
    /// Whether it must end where the file does.
    pub(super) at_end: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatchLine {
    Keep(String),
    Remove(String),
    Add(String),
}

impl PatchLine {
    /// The line as it must stand in the file before the change; `None` when it is new.
    pub(super) fn old(&self) -> Option<&str> {
        match self {
            Self::Keep(text) | Self::Remove(text) => Some(text),
            Self::Add(_) => None,
        }
    }
}

/// Why a text is not a patch.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseError {
    #[error("the patch has {bytes} bytes; at most {MAX_PATCH_BYTES} can be applied in one call")]
    TooLarge { bytes: usize },
    #[error("the patch touches more than {MAX_SECTIONS} files; split it")]
    TooMany,
    #[error("the patch must begin with `{BEGIN}`")]
    NoBegin,
    #[error("the patch must end with `{END}`")]
    NoEnd,
    #[error("the patch changes nothing: there is no section between `{BEGIN}` and `{END}`")]
    Empty,
    #[error("patch line {at}: there is text after `{END}`")]
    AfterEnd { at: usize },
    #[error("patch line {at}: the path is missing")]
    NoPath { at: usize },
    #[error(
        "patch line {at}: expected `{ADD} path`, `{DELETE} path`, `{UPDATE} path` or `{END}`, found `{found}`"
    )]
    NoSection { at: usize, found: String },
    #[error(
        "patch line {at}: a line of a hunk must begin with a space (kept), `-` (removed), `+` (added) or `@@`, found `{found}`"
    )]
    NoHunkLine { at: usize, found: String },
    #[error("patch line {at}: every line of an added file must begin with `+`, found `{found}`")]
    NoAddLine { at: usize, found: String },
    #[error(
        "patch line {at}: line numbers are not part of this format; write `@@` or `@@ a line of the file`"
    )]
    LineNumbers { at: usize },
    #[error("patch line {at}: the hunk changes nothing; it needs a line with `-` or `+`")]
    Idle { at: usize },
    #[error("patch line {at}: after `{END_OF_FILE}` only a new section can follow")]
    AfterEndOfFile { at: usize },
    #[error("patch line {at}: `{path}` gets neither hunks nor a new name")]
    NoHunks { at: usize, path: String },
}

/// Reads a patch.
pub(super) fn parse(input: &str) -> Result<Vec<Section>, ParseError> {
    if input.len() > MAX_PATCH_BYTES {
        return Err(ParseError::TooLarge { bytes: input.len() });
    }
    let mut lines = Lines::new(input);
    lines.skip_blank();
    if lines.next().is_none_or(|(_, line)| line.trim_end() != BEGIN) {
        return Err(ParseError::NoBegin);
    }
    let mut sections = Vec::new();
    loop {
        lines.skip_blank();
        let Some((at, line)) = lines.next() else { return Err(ParseError::NoEnd) };
        if line.trim_end() == END {
            break;
        }
        if sections.len() == MAX_SECTIONS {
            return Err(ParseError::TooMany);
        }
        sections.push(section(at, line, &mut lines)?);
    }
    lines.skip_blank();
    match lines.next() {
        Some((at, _)) => Err(ParseError::AfterEnd { at }),
        None if sections.is_empty() => Err(ParseError::Empty),
        None => Ok(sections),
    }
}

/// The lines of a patch with their numbers, counted from 1.
struct Lines<'t> {
    lines: Peekable<IntoIter<(usize, &'t str)>>,
}

impl<'t> Lines<'t> {
    fn new(input: &'t str) -> Self {
        let mut lines: Vec<&str> = input.split('\n').collect();
        // A patch written with the other kind of line ends throughout; a single return is content.
        let ended = lines.len().saturating_sub(1);
        if ended > 0 && lines.iter().take(ended).all(|line| line.ends_with('\r')) {
            lines = lines.into_iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        }
        let numbered: Vec<_> = lines.into_iter().enumerate().map(|(index, line)| (index + 1, line)).collect();
        Self { lines: numbered.into_iter().peekable() }
    }

    fn next(&mut self) -> Option<(usize, &'t str)> {
        self.lines.next()
    }

    fn peek(&mut self) -> Option<(usize, &'t str)> {
        self.lines.peek().copied()
    }

    fn skip_blank(&mut self) {
        while self.lines.next_if(|(_, line)| line.trim().is_empty()).is_some() {}
    }
}

fn section(at: usize, line: &str, lines: &mut Lines<'_>) -> Result<Section, ParseError> {
    let (path, change) = if let Some(path) = line.strip_prefix(ADD) {
        (path, Change::Add { content: added(lines)? })
    } else if let Some(path) = line.strip_prefix(DELETE) {
        (path, Change::Delete)
    } else if let Some(path) = line.strip_prefix(UPDATE) {
        let move_to = match lines.peek() {
            Some((at, line)) if line.starts_with(MOVE) => {
                lines.next();
                Some(path_of(at, line.strip_prefix(MOVE).unwrap_or_default())?)
            }
            _ => None,
        };
        (path, Change::Update { move_to, hunks: hunks(lines)? })
    } else {
        return Err(ParseError::NoSection { at, found: quoted(line) });
    };
    let path = path_of(at, path)?;
    match &change {
        Change::Update { move_to: None, hunks } if hunks.is_empty() => Err(ParseError::NoHunks { at, path }),
        _ => Ok(Section { path, at, change }),
    }
}

fn path_of(at: usize, text: &str) -> Result<String, ParseError> {
    let path = text.trim();
    if path.is_empty() { Err(ParseError::NoPath { at }) } else { Ok(path.to_owned()) }
}

fn quoted(line: &str) -> String {
    line.clip_chars(MAX_QUOTED_CHARS).to_owned()
}

fn added(lines: &mut Lines<'_>) -> Result<String, ParseError> {
    let mut content = String::new();
    while let Some((at, line)) = lines.peek() {
        if let Some(text) = line.strip_prefix('+') {
            content.push_str(text);
            content.push('\n');
            lines.next();
        } else if line.starts_with("*** ") {
            break;
        } else if line.trim().is_empty() {
            lines.skip_blank();
            match lines.peek() {
                Some((_, line)) if !line.starts_with("*** ") => {
                    return Err(ParseError::NoAddLine { at, found: String::new() });
                }
                _ => break,
            }
        } else {
            return Err(ParseError::NoAddLine { at, found: quoted(line) });
        }
    }
    Ok(content)
}

fn hunks(lines: &mut Lines<'_>) -> Result<Vec<Hunk>, ParseError> {
    let mut hunks = Vec::new();
    let mut open: Option<Hunk> = None;
    while let Some((at, line)) = lines.peek() {
        if line.trim_end() == END_OF_FILE {
            lines.next();
            let hunk = open.take().ok_or(ParseError::NoHunkLine { at, found: quoted(line) })?;
            hunks.push(finished(Hunk { at_end: true, ..hunk })?);
            lines.skip_blank();
            match lines.peek() {
                Some((_, line)) if !line.starts_with("*** ") => {
                    return Err(ParseError::AfterEndOfFile { at });
                }
                _ => break,
            }
        } else if line.starts_with("*** ") {
            break;
        } else if let Some(header) = header(at, line)? {
            lines.next();
            if open.as_ref().is_some_and(|hunk| !hunk.lines.is_empty()) {
                hunks.extend(open.take().map(finished).transpose()?);
            }
            let hunk = open.get_or_insert_with(|| Hunk { at, ..Hunk::default() });
            hunk.headers.extend(header);
        } else {
            let read = hunk_lines(at, line, lines)?;
            open.get_or_insert_with(|| Hunk { at, ..Hunk::default() }).lines.extend(read);
        }
    }
    hunks.extend(open.map(finished).transpose()?);
    Ok(hunks)
}

fn finished(hunk: Hunk) -> Result<Hunk, ParseError> {
    if hunk.lines.iter().all(|line| matches!(line, PatchLine::Keep(_))) {
        return Err(ParseError::Idle { at: hunk.at });
    }
    Ok(hunk)
}

/// `None` when the line is no header; the headers of an empty one are none.
fn header(at: usize, line: &str) -> Result<Option<Vec<String>>, ParseError> {
    let Some(rest) = line.strip_prefix("@@") else { return Ok(None) };
    let text = match rest.strip_prefix(' ') {
        Some(text) => text,
        None if rest.trim().is_empty() => "",
        None => return Err(ParseError::NoHunkLine { at, found: quoted(line) }),
    };
    let has_numbers = text.strip_prefix('-').is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()));
    if has_numbers && text.contains(" +") && text.contains("@@") {
        return Err(ParseError::LineNumbers { at });
    }
    Ok(Some(if text.trim().is_empty() { Vec::new() } else { vec![text.to_owned()] }))
}

/// One line of a hunk, or several blank ones: editors and models drop the space of an empty line. Blank lines
/// right before a marker only separate.
fn hunk_lines(at: usize, line: &str, lines: &mut Lines<'_>) -> Result<Vec<PatchLine>, ParseError> {
    if line.is_empty() {
        let mut blank = 0;
        while lines.lines.next_if(|(_, line)| line.is_empty()).is_some() {
            blank += 1;
        }
        let separates =
            lines.peek().is_none_or(|(_, line)| line.starts_with("*** ") && line.trim_end() != END_OF_FILE);
        return Ok(vec![PatchLine::Keep(String::new()); if separates { 0 } else { blank }]);
    }
    lines.next();
    let mut chars = line.chars();
    let kind = chars.next();
    let text = chars.as_str().to_owned();
    match kind {
        Some(' ') => Ok(vec![PatchLine::Keep(text)]),
        Some('-') => Ok(vec![PatchLine::Remove(text)]),
        Some('+') => Ok(vec![PatchLine::Add(text)]),
        _ => Err(ParseError::NoHunkLine { at, found: quoted(line) }),
    }
}

#[cfg(test)]
mod tests;
