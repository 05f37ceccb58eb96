//! A model that repeats what it was asked: for tests that count whether every message was answered exactly once.
//!
//! It names every marked word that people said more often than it has named it. So an answer that got lost on the way
//! is missing in the end, and a message that was told twice is answered twice.

use std::collections::BTreeMap;

use serde_json::Value;

/// What it says when nothing is left to name.
const NOTHING: &str = "nothing new";

/// The answer to a request: all words beginning with `mark` that are still to be named, in order of their first
/// appearance.
pub(super) fn answer(body: &[u8], mark: &str) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let mut open: BTreeMap<String, (usize, i64)> = BTreeMap::new();
    let mut place = 0;
    for message in body.get("messages").and_then(Value::as_array).into_iter().flatten() {
        let step = match message.get("role").and_then(Value::as_str) {
            Some("user") => 1,
            Some("assistant") => -1,
            _ => continue,
        };
        for word in marked(message.get("content").unwrap_or(&Value::Null), mark) {
            place += 1;
            open.entry(word).or_insert((place, 0)).1 += step;
        }
    }
    let mut left: Vec<(usize, String)> = open
        .into_iter()
        .filter(|(_, (_, count))| *count > 0)
        .map(|(word, (place, _))| (place, word))
        .collect();
    left.sort();
    match left.is_empty() {
        true => NOTHING.to_owned(),
        false => left.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" "),
    }
}

/// The marked words of a message's content, in order.
fn marked(content: &Value, mark: &str) -> Vec<String> {
    let words = |text: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let words = text.split(move |c: char| !is_part(c));
        words.filter(|word| word.starts_with(mark)).map(str::to_owned).collect::<Vec<_>>()
    };
    match content {
        Value::String(text) => words(text),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block.get("text")?.as_str()).flat_map(words).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::answer;

    #[test]
    fn what_was_said_more_often_than_named_is_named() {
        let body = json!({"messages": [
            {"role": "system", "content": "tok-9"},
            {"role": "user", "content": "tok-1 please"},
            {"role": "assistant", "content": "tok-1"},
            {"role": "user", "content": [{"type": "text", "text": "(tok-3) and tok-2"}]},
            {"role": "user", "content": "tok-1"},
        ]});
        assert_eq!(answer(body.to_string().as_bytes(), "tok-"), "tok-1 tok-3 tok-2");
        assert_eq!(answer(b"{}", "tok-"), "nothing new");
    }
}
