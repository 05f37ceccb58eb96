//! Applying hunks to one text. Pure: the text in, the new text or the reason out.
//!
//! A hunk without a header must fit exactly one place after the hunk before it, so that it can never change the
//! wrong one. Lines are compared as they are; when that finds nothing, once more without trailing whitespace and
//! with typographic punctuation read as plain. Kept lines stay as the file has them.

use std::cell::OnceCell;
use std::fmt::Write as _;

use super::parse::{Hunk, PatchLine};
use crate::tools::file_edits::nearest_lines::nearest_lines;
use homard_runtime::Clip;

/// Most places of lines that occur too often that are looked for and named.
const MAX_PLACES: usize = 10;
/// Most comparisons of lines for one file; only a file that repeats itself without end needs more.
const MAX_COMPARISONS: u64 = 20_000_000;
/// Most of a line that is quoted back.
const MAX_QUOTED_CHARS: usize = 200;

/// A hunk that does not fit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("hunk {number} (patch line {at}): {why}")]
pub(super) struct HunkError {
    number: usize,
    at: usize,
    why: Mismatch,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Mismatch {
    #[error("`@@ {header}` is not a line of the file{after}{near}")]
    HeaderAbsent { header: String, after: After, near: String },
    #[error("its lines are not in the file{after}{found}")]
    Absent { after: After, found: String },
    #[error(
        "its lines are at line {line}, which the hunk before already covers or has passed: put hunks in the order of the file, without overlap"
    )]
    OutOfOrder { line: usize },
    #[error("its lines are at line {line}, but do not end where the file does: leave out `*** End of File`")]
    NotAtEnd { line: usize },
    #[error(
        "its lines fit {count} places (lines {lines}): add kept lines around, or a header `@@ line above`"
    )]
    Ambiguous { count: String, lines: String },
    #[error("the file repeats itself too often to find the place: use edit or write")]
    TooRepetitive,
}

/// Where a search began; said only when it was not the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct After(usize);

impl std::fmt::Display for After {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, " after line {}", self.0) }
    }
}

/// The text with all hunks applied, or the first that does not fit.
pub(super) fn apply(text: &str, hunks: &[Hunk]) -> Result<String, HunkError> {
    let file = File::new(text);
    let mut out: Vec<&str> = Vec::new();
    let mut done = 0;
    let mut left = MAX_COMPARISONS;
    for (index, hunk) in hunks.iter().enumerate() {
        let old: Vec<&str> =
            hunk.lines.iter().filter_map(PatchLine::old).map(|line| file.bare(line)).collect();
        let place = place(&file, hunk, &old, done, &mut left).map_err(|why| HunkError {
            number: index + 1,
            at: hunk.at,
            why,
        })?;
        out.extend(file.range(done, place));
        done = place;
        for line in &hunk.lines {
            match line {
                PatchLine::Keep(_) => {
                    out.extend(file.lines.get(done));
                    done += 1;
                }
                PatchLine::Remove(_) => done += 1,
                PatchLine::Add(text) => out.push(file.bare(text)),
            }
        }
    }
    out.extend(file.range(done, file.lines.len()));
    Ok(file.join(&out))
}

/// A text in lines, and how they were ended.
struct File<'t> {
    text: &'t str,
    lines: Vec<&'t str>,
    loose: OnceCell<Vec<String>>,
    /// Whether every line ends with a return and a line feed.
    is_windows: bool,
    ends_with_newline: bool,
}

impl<'t> File<'t> {
    fn new(text: &'t str) -> Self {
        let ends_with_newline = text.is_empty() || text.ends_with('\n');
        let is_windows = text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count();
        let body = text.strip_suffix('\n').unwrap_or(text);
        let mut lines: Vec<&str> = if text.is_empty() { Vec::new() } else { body.split('\n').collect() };
        if is_windows {
            lines.iter_mut().for_each(|line| *line = line.strip_suffix('\r').unwrap_or(line));
        }
        Self { text, lines, loose: OnceCell::new(), is_windows, ends_with_newline }
    }

    /// A line of the patch as lines of this file are compared and written.
    fn bare<'l>(&self, line: &'l str) -> &'l str {
        if self.is_windows { line.strip_suffix('\r').unwrap_or(line) } else { line }
    }

    fn range(&self, from: usize, to: usize) -> &[&'t str] {
        self.lines.get(from..to).unwrap_or_default()
    }

    fn join(&self, lines: &[&str]) -> String {
        let end = if self.is_windows { "\r\n" } else { "\n" };
        let mut text = lines.join(end);
        if self.ends_with_newline && !lines.is_empty() {
            text.push_str(end);
        }
        text
    }

    fn loose(&self) -> &[String] {
        self.loose.get_or_init(|| self.lines.iter().map(|line| loosened(line)).collect())
    }

    /// Where `wanted` stands at or after `from`, at most [`MAX_PLACES`] places; exactly if possible.
    fn find(&self, wanted: &[&str], from: usize, left: &mut u64) -> Result<Vec<usize>, Mismatch> {
        let exact = find_in(&self.lines, wanted, from, left)?;
        if !exact.is_empty() {
            return Ok(exact);
        }
        let wanted: Vec<String> = wanted.iter().map(|line| loosened(line)).collect();
        find_in(self.loose(), &wanted, from, left)
    }
}

fn find_in<A: PartialEq<B>, B>(
    lines: &[A],
    wanted: &[B],
    from: usize,
    left: &mut u64,
) -> Result<Vec<usize>, Mismatch> {
    let mut places = Vec::new();
    let rest = lines.get(from..).unwrap_or_default();
    if wanted.is_empty() {
        return Ok(places);
    }
    for (index, window) in rest.windows(wanted.len()).enumerate() {
        let same = window.iter().zip(wanted).take_while(|(line, wanted)| line == wanted).count();
        *left = left.checked_sub(same as u64 + 1).ok_or(Mismatch::TooRepetitive)?;
        if same == wanted.len() {
            places.push(from + index);
            if places.len() == MAX_PLACES {
                break;
            }
        }
    }
    Ok(places)
}

/// A line without what two spellings of it may differ in.
fn loosened(line: &str) -> String {
    let plain = |c| match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        other => other,
    };
    let mut text: String = line.chars().map(plain).collect();
    text.truncate(text.trim_end().len());
    text
}

/// The line (counted from 0) at which the hunk begins; nothing before `done` can be it.
fn place(file: &File<'_>, hunk: &Hunk, old: &[&str], done: usize, left: &mut u64) -> Result<usize, Mismatch> {
    let mut from = done;
    for header in &hunk.headers {
        let header = file.bare(header);
        from = match file.find(&[header], from, left)?.first() {
            Some(at) => at + 1,
            None => return Err(header_absent(file, header, from)),
        };
    }
    let end = file.lines.len();
    if old.is_empty() {
        // Only additions: behind the header, or else at the end, which is what the format means by it.
        return Ok(if hunk.headers.is_empty() || hunk.at_end { end } else { from });
    }
    if hunk.at_end {
        let last = end.checked_sub(old.len()).filter(|at| *at >= from);
        return match last.map(|at| file.find(old, at, left)).transpose()?.unwrap_or_default().first() {
            Some(at) => Ok(*at),
            None => Err(absent(file, old, from, done, left)?),
        };
    }
    let places = file.find(old, from, left)?;
    match places.as_slice() {
        [] => Err(absent(file, old, from, done, left)?),
        [at] => Ok(*at),
        // The header said where to begin.
        [at, ..] if !hunk.headers.is_empty() => Ok(*at),
        many => {
            let more = if many.len() == MAX_PLACES { "or more " } else { "" };
            let lines: Vec<String> = many.iter().map(|at| (at + 1).to_string()).collect();
            Err(Mismatch::Ambiguous {
                count: format!("{} {more}", many.len()).trim_end().to_owned(),
                lines: lines.join(", "),
            })
        }
    }
}

fn header_absent(file: &File<'_>, header: &str, from: usize) -> Mismatch {
    Mismatch::HeaderAbsent {
        header: quoted(header),
        after: After(from),
        near: nearest_lines(file.text, header),
    }
}

/// Says what stands in the file instead.
fn absent(
    file: &File<'_>,
    old: &[&str],
    from: usize,
    done: usize,
    left: &mut u64,
) -> Result<Mismatch, Mismatch> {
    if let Some(at) = file.find(old, 0, left)?.last() {
        let line = at + 1;
        return Ok(if *at < done {
            Mismatch::OutOfOrder { line }
        } else if *at < from {
            Mismatch::Absent {
                after: After(from),
                found: format!(", where its header is; they are at line {line}"),
            }
        } else {
            Mismatch::NotAtEnd { line }
        });
    }
    let wanted: Vec<String> = old.iter().map(|line| loosened(line)).collect();
    let lines = file.loose();
    let same_from = |at: usize| {
        let rest = lines.get(at..).unwrap_or_default();
        rest.iter().zip(&wanted).take_while(|(line, wanted)| line == wanted).count()
    };
    let mut best = (0, from);
    for at in from..lines.len() {
        let same = same_from(at);
        *left = left.checked_sub(same as u64 + 1).ok_or(Mismatch::TooRepetitive)?;
        if same > best.0 {
            best = (same, at);
        }
    }
    let found = match best {
        (0, _) => nearest_lines(file.text, &old.join("\n")),
        (same, at) => instead(file, old, same, at),
    };
    Ok(Mismatch::Absent { after: After(from), found })
}

/// The first line of a hunk that differs at the place that fits best.
fn instead(file: &File<'_>, old: &[&str], same: usize, at: usize) -> String {
    let wanted = old.get(same).copied().unwrap_or_default();
    let lines = if same == 1 { "line fits".to_owned() } else { format!("{same} lines fit") };
    let mut text =
        format!(". Its first {lines} at line {}, then the patch has `{}` and ", at + 1, quoted(wanted));
    match file.lines.get(at + same) {
        Some(line) => write!(text, "line {} of the file is `{}`", at + same + 1, quoted(line)).ok(),
        None => write!(text, "the file ends").ok(),
    };
    text
}

fn quoted(line: &str) -> String {
    line.clip_chars(MAX_QUOTED_CHARS).to_owned()
}

#[cfg(test)]
mod tests;
