//! A model that repeats what it was asked: for tests that count whether every message was answered exactly once.
//!
//! It names every marked word that was said since it last named it. So an answer that got lost on the way is missing in
//! the end, and a message that is told again after it was answered is answered twice.

use serde_json::Value;

/// How a line begins that the gateway says itself, such as what became of a delivery; nobody asks for what is in it.
const EVENT: &str = "System: [";
/// What it says when nothing is left to name.
const NOTHING: &str = "nothing new";

/// The answer to a request: all words beginning with `mark` that are still to be named, in order of their first
/// appearance.
pub(super) fn answer(body: &[u8], mark: &str) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let mut open: Vec<String> = Vec::new();
    for message in body.get("messages").and_then(Value::as_array).into_iter().flatten() {
        let words = marked(message.get("content").unwrap_or(&Value::Null), mark);
        match message.get("role").and_then(Value::as_str) {
            Some("user") => {
                for word in words {
                    if !open.contains(&word) {
                        open.push(word);
                    }
                }
            }
            Some("assistant") => open.retain(|word| !words.contains(word)),
            _ => {}
        }
    }
    if open.is_empty() { NOTHING.to_owned() } else { open.join(" ") }
}

/// The marked words of a message's content, in order.
fn marked(content: &Value, mark: &str) -> Vec<String> {
    let words = |text: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
        let asked = text.lines().filter(|line| !line.starts_with(EVENT));
        let words = asked.flat_map(move |line| line.split(move |c: char| !is_part(c)));
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
    fn what_was_said_since_it_was_named_is_named() {
        let body = json!({"messages": [
            {"role": "system", "content": "tok-9"},
            {"role": "user", "content": "tok-1 please"},
            {"role": "assistant", "content": "tok-1"},
            {"role": "user", "content": [{"type": "text", "text": "(tok-3) and tok-2"}]},
            {"role": "user", "content": "System: [now] It said: tok-4\n\ntok-1"},
        ]});
        assert_eq!(answer(body.to_string().as_bytes(), "tok-"), "tok-3 tok-2 tok-1");
        assert_eq!(answer(b"{}", "tok-"), "nothing new");
    }
}
