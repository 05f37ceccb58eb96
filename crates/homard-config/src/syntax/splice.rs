//! Changing a JSON5 text value by value, so that comments and layout stay.
//!
//! [`rewrite`] makes one edit at a time and reads the text again after each: files are small, and an edit
//! that cannot go wrong is worth more than one that is fast. When a text resists (for example, a member whose
//! removal does not remove it), the whole value is written anew and the comments are lost.

use std::ops::Range;

use homard_runtime::Arrange as _;
use serde_json::Value;

use crate::syntax::document::{self, Kind, Member, Node};

/// Most single edits tried before the file is written anew.
const MAX_EDITS: usize = 2_000;

/// A replacement of bytes.
struct Edit {
    range: Range<usize>,
    text: String,
}

/// The text changed so that it reads as `new`.
pub(crate) fn rewrite(text: &str, new: &Value) -> String {
    let mut current = text.to_owned();
    for _ in 0..MAX_EDITS {
        let Ok(root) = document::parse(&current) else { break };
        let Some(edit) = difference(&current, &root, new) else { return current };
        if current.get(edit.range.clone()).is_none() {
            break;
        }
        current.replace_range(edit.range, &edit.text);
    }
    fresh(new)
}

/// A whole file written anew.
pub(crate) fn fresh(value: &Value) -> String {
    let mut text = pretty(value, "");
    text.push('\n');
    text
}

/// The first edit that brings the text nearer to `new`, or `None` when it reads so already.
fn difference(text: &str, node: &Node, new: &Value) -> Option<Edit> {
    match (&node.kind, new) {
        (Kind::Object(members), Value::Object(map)) => {
            if let Some(at) = members.iter().position(|m| !map.contains_key(&m.key)) {
                return Some(removal(text, members, at));
            }
            for (key, value) in map {
                match node.member(key) {
                    Some(member) => {
                        if let Some(edit) = difference(text, &member.value, value) {
                            return Some(edit);
                        }
                    }
                    None => return Some(insertion(text, node, members, key, value)),
                }
            }
            None
        }
        (Kind::Array(items), Value::Array(values)) if items.len() == values.len() => {
            items.iter().zip(values).find_map(|(item, value)| difference(text, item, value))
        }
        _ => (node.to_value() != *new)
            .then(|| Edit { range: node.span.clone(), text: pretty(new, indent_at(text, node.span.start)) }),
    }
}

/// Takes one member out with its comma, and its line when nothing else stands there.
fn removal(text: &str, members: &[Member], at: usize) -> Edit {
    let Some(member) = members.get(at) else { return Edit { range: 0..0, text: String::new() } };
    let mut start = member.key_span.start;
    let mut end = member.comma.as_ref().map_or(member.value.span.end, |c| c.end);
    let before = text.get(..start).unwrap_or("");
    let blank = before.trim_end_matches([' ', '\t']);
    let after = text.get(end..).unwrap_or("");
    let mut line_ends = after.trim_start_matches([' ', '\t']);
    if blank.ends_with('\n') && line_ends.starts_with("//") {
        // A remark behind the member on its own line is about the member.
        line_ends = line_ends.find('\n').and_then(|at| line_ends.get(at..)).unwrap_or("");
    }
    if blank.ends_with('\n') && (line_ends.starts_with('\n') || line_ends.starts_with("\r\n")) {
        start = blank.strip_suffix('\n').map_or(start, |b| b.strip_suffix('\r').unwrap_or(b).len());
        end = text.len() - line_ends.len();
    } else if member.comma.is_some() {
        end = text.len() - line_ends.len();
    }
    // Without a comma of its own it was the last; the comma before it would be left over, which JSON5
    // allows and strict readers do not.
    if member.comma.is_none()
        && let Some(comma) = at.checked_sub(1).and_then(|i| members.get(i)).and_then(|m| m.comma.clone())
        && text.get(comma.end..start).is_some_and(|between| between.trim().is_empty())
    {
        start = comma.start;
    }
    Edit { range: start..end, text: String::new() }
}

/// Adds a member at the end of an object, in the manner of the members that are there.
fn insertion(text: &str, node: &Node, members: &[Member], key: &str, value: &Value) -> Edit {
    let close = node.span.end.saturating_sub(1);
    let name = match members.first() {
        Some(m)
            if !text.get(m.key_span.clone()).is_some_and(|k| k.starts_with(['"', '\''])) && is_name(key) =>
        {
            key.to_owned()
        }
        _ => Value::String(key.to_owned()).to_string(),
    };
    let outer = indent_at(text, close);
    let inside = text.get(node.span.clone()).unwrap_or("");
    let Some(last) = members.last() else {
        let inner = format!("{outer}  ");
        let written = format!("{name}: {}", pretty(value, &inner));
        let head = text.get(..close).unwrap_or("").trim_end().len().max(node.span.start + 1);
        return Edit { range: head..close, text: format!("\n{inner}{written}\n{outer}") };
    };
    let tail = text.get(last.value.span.end..close).unwrap_or("");
    let trimmed = tail.trim_end();
    // The comma goes right behind the last value; a comment may stand between it and the closing brace.
    let comma = if last.comma.is_some() { "" } else { "," };
    if !inside.contains('\n') {
        let written = format!("{name}: {}", pretty(value, outer));
        let close_gap = tail.get(trimmed.len()..).unwrap_or("");
        return Edit {
            range: last.value.span.end..close,
            text: format!("{comma}{trimmed} {written}{close_gap}"),
        };
    }
    let inner = indent_at(text, last.key_span.start);
    let inner = if inner.len() > outer.len() { inner.to_owned() } else { format!("{outer}  ") };
    let written = format!("{name}: {}", pretty(value, &inner));
    let ending = if last.comma.is_some() { "," } else { "" };
    Edit {
        range: last.value.span.end..close,
        text: format!("{comma}{trimmed}\n{inner}{written}{ending}\n{outer}"),
    }
}

/// White space at the start of the line that holds byte `at`.
fn indent_at(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or("");
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(line..).unwrap_or("");
    let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    line.get(..end).unwrap_or("")
}

/// JSON over several lines, further lines indented to stand under `indent`.
fn pretty(value: &Value, indent: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string());
    if indent.is_empty() { text } else { text.replace('\n', &format!("\n{indent}")) }
}

fn is_name(key: &str) -> bool {
    !key.is_empty()
        && !key.starts_with(|c: char| c.is_ascii_digit())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// Replaces several byte ranges of a text at once; ranges that do not fit it are left alone.
pub(crate) fn replace_texts(text: &str, replacements: &[(Range<usize>, String)]) -> String {
    let mut sorted: Vec<_> = replacements.iter().collect();
    sorted.arrange_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut out = text.to_owned();
    for (range, with) in sorted {
        if out.get(range.clone()).is_some() {
            out.replace_range(range.clone(), with);
        }
    }
    out
}

#[cfg(test)]
mod tests;
