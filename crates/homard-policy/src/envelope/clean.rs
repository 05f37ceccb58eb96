//! Making what strangers wrote harmless where it stands beside what the gateway wrote, and taking the gateway's part
//! off again for people.

use super::{ABOUT, OWNERS_NOTE, TITLES, UNTRUSTED};
use crate::queue::TOGETHER;

/// A title in transcripts of other software.
const THREAD_HISTORY: &str = "Thread history";

/// How lines of the gateway's begin that stand in brackets, in small letters.
const OURS: [&str; 4] =
    ["[media attached", "[media not available", "[queue overflow]", "[queued messages while"];

/// Characters nobody sees: they only make names look alike, or text run backwards.
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// A text on one line, without characters nobody sees.
#[must_use]
pub fn one_line(text: &str) -> String {
    let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
    let seen: String = seen.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    seen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Ends of a line beside the usual one, as a model may read them.
const LINE_ENDS: [char; 6] = ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

/// A message's own text, in which no line can be taken for one of the gateway's.
pub(super) fn disarmed(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(LINE_ENDS, "\n");
    let mut lines = Vec::new();
    for line in text.split('\n') {
        // What nobody sees does not make it another line.
        let start = line.trim_start_matches(|c: char| c.is_whitespace() || c.is_control() || is_unseen(c));
        let lower = start.to_lowercase();
        let is_title = TITLES.iter().chain([&THREAD_HISTORY]).any(|title| start.starts_with(title));
        lines.push(if lower.starts_with("system:") {
            let rest = start.get("system:".len()..).unwrap_or_default();
            format!("System (untrusted):{rest}")
        } else if OURS.iter().any(|ours| lower.starts_with(ours)) {
            format!("({}", start.get(1..).unwrap_or_default())
        } else if (is_title && start.contains(UNTRUSTED))
            || start.starts_with(ABOUT)
            || start.starts_with(OWNERS_NOTE)
            || (lower.starts_with('#') && lower.contains("(trusted metadata)"))
            || is_queued(start)
        {
            format!("> {start}")
        } else {
            line.to_owned()
        });
    }
    lines.join("\n")
}

/// Whether a line is like those between messages that are told together.
fn is_queued(line: &str) -> bool {
    line.strip_prefix("Queued #").is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
}

/// The text of a message as people wrote it: what [`prompt`](super::prompt) put around it is taken off, except for the
/// names of files. Messages that waited and were told together are taken apart. A text that was never told that way
/// stays as it is.
#[must_use]
pub fn shown(user_text: &str) -> String {
    let Some(waited) = user_text.strip_prefix(TOGETHER) else { return one_shown(user_text) };
    let mut parts = waited.split("\n\n---\nQueued #");
    let overflow = parts.next().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let texts = parts.map(|part| one_shown(part.split_once('\n').map_or("", |(_number, text)| text)));
    overflow.into_iter().chain(texts).collect::<Vec<_>>().join("\n\n")
}

/// Who wrote a message, as [`prompt`](super::prompt) told it; `None` for the operator's own.
#[must_use]
pub fn written_by(user_text: &str) -> Option<String> {
    let inside = info_block(user_text)?.split_once("\n```")?.0;
    let info: serde_json::Value = serde_json::from_str(inside).ok()?;
    info.get("sender")?.as_str().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// What stands in and behind the first block of a stranger's message. Every such message has it, so that what an
/// operator types is never mistaken for one.
fn info_block(user_text: &str) -> Option<&str> {
    let [first, ..] = TITLES;
    user_text.split_once(&format!("{first} {UNTRUSTED}:\n```json\n")).map(|(_before, inside)| inside)
}

fn one_shown(user_text: &str) -> String {
    let user_text = user_text.strip_suffix(super::WOKEN).unwrap_or(user_text);
    if info_block(user_text).is_none() {
        return user_text.to_owned();
    }
    let mut files = Vec::new();
    let mut rest = user_text;
    loop {
        let before = rest;
        rest = without_block(rest, &mut files);
        if rest == before {
            break;
        }
    }
    let end = rest.find(&format!("\n\n{ABOUT}\n```json")).unwrap_or(rest.len());
    let text = rest.get(..end).unwrap_or(rest).trim();
    files.push(if files.is_empty() || text != super::ONLY_FILES { text } else { "" });
    files.join("\n").trim().to_owned()
}

fn without_block<'t>(text: &'t str, files: &mut Vec<&'t str>) -> &'t str {
    let text = text.trim_start();
    let (first, after) = text.split_once('\n').unwrap_or((text, ""));
    let is_title = TITLES
        .iter()
        .chain([&THREAD_HISTORY])
        .any(|title| first.strip_prefix(title).is_some_and(|rest| rest == format!(" {UNTRUSTED}:")));
    if (is_title || first == OWNERS_NOTE)
        && let Some(inside) = after.strip_prefix("```json\n")
    {
        return inside.split_once("\n```").map_or(text, |(_, rest)| rest.trim_start());
    }
    if first.starts_with("[media attached") && first.ends_with(']') {
        files.push(first);
        return after.trim_start();
    }
    let is_line = first == super::FILES_HINT || first == super::STOPPED || first.starts_with("System: [");
    if is_line { after.trim_start() } else { text }
}
