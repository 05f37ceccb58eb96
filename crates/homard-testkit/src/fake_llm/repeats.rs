//! A model that repeats what it was asked: for tests that count whether every message was answered exactly once.
//!
//! It names every marked word that was said since it last named it. So an answer that got lost on the way is missing in
//! the end, and a message that is told again after it was answered is answered twice. Told that nobody heard its answer,
//! it says it again. How a marked word ends says how it is answered: slowly, with a file, or after something was done:
//! a command, a message with a button, a task for a subagent.

use std::time::Duration;

use serde_json::{Value, json};

use super::script::{Speech, Turn};

/// How a line begins that the gateway says itself, such as what became of a delivery; nobody asks for what is in it.
const EVENT: &str = "System: [";
/// What the gateway says to a model whose answer it cut off.
const CUT: &str = "the gateway was restarted while you were answering";
/// What it says at the latest when nobody has heard any of it.
const UNHEARD: &str = "nobody has heard anything of your answer";
/// What it says when nothing is left to name.
const NOTHING: &str = "nothing new";
/// Ends of words that are answered word by word, and with a file.
const SLOW: &str = "-slow";
const FILE: &str = "-file";
/// Ends of words that are answered after something was done, and of the word that is then found in the call.
const DOINGS: [(&str, &str); 4] =
    [("-tool", "-tool"), ("-ask", "-ask"), ("-menu", CHOICE), ("-child", "-report")];
/// How the word ends that stands above a button. People read it, nobody asks for it.
const CHOICE: &str = "-choice";
/// How long a slow answer takes between two words, and what it says besides.
const PAUSE: Duration = Duration::from_millis(15);
const MORE: &str = "is answered here at some length and word by word";

/// The next turn of a conversation.
pub(super) fn turn(body: &[u8], mark: &str) -> Turn {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let messages = body.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let open = open(messages, mark);
    let called = calls(messages);
    if let Some(call) = open.iter().find_map(|word| doing(word, &called)) {
        return Turn::calls([call]);
    }
    if open.is_empty() {
        return Turn::says(NOTHING);
    }
    let mut text = open.join(" ");
    if open.iter().any(|word| word.ends_with(FILE)) {
        text.push_str("\nMEDIA:./note.txt");
    }
    if !open.iter().any(|word| word.ends_with(SLOW)) {
        return Turn::says(text);
    }
    let words = format!("{text} {MORE}").split_inclusive(' ').map(str::to_owned).collect();
    Turn::Answers(Speech { words, pause: PAUSE, ..Speech::default() })
}

/// What is to be done before a word is named, unless that was done.
fn doing(word: &str, called: &str) -> Option<(String, Value)> {
    let (name, end, trace) =
        DOINGS.iter().find_map(|(end, trace)| Some((word.strip_suffix(end)?, end, trace)))?;
    let trace = format!("{name}{trace}");
    if called.contains(&trace) {
        return None;
    }
    let (tool, arguments) = match *end {
        "-menu" => {
            let button = json!({"text": "Go on", "callback_data": format!("please answer {name}-pressed")});
            ("message", json!({"message": format!("{trace} is yours"), "buttons": [[button]]}))
        }
        "-child" => ("sessions_spawn", json!({"task": format!("please answer {trace}")})),
        _ => ("exec", json!({"command": format!("echo {trace} >> effects.txt")})),
    };
    Some((tool.to_owned(), arguments))
}

/// All words beginning with `mark` that are still to be named, in order of their first appearance.
fn open(messages: &[Value], mark: &str) -> Vec<String> {
    let (mut open, mut just_named): (Vec<String>, Vec<String>) = Default::default();
    for message in messages {
        let text = text(message.get("content").unwrap_or(&Value::Null));
        let words = marked(&text, mark);
        match message.get("role").and_then(Value::as_str) {
            Some("user") => {
                let named = std::mem::take(&mut just_named);
                let again =
                    if text.contains(CUT) && text.contains(UNHEARD) { named.clone() } else { Vec::new() };
                // What people have read of an answer that was cut off is told again, but not asked again.
                let is_asked = |word: &String| !text.contains(CUT) || !named.contains(word);
                for word in again.into_iter().chain(words.into_iter().filter(is_asked)) {
                    if !open.contains(&word) {
                        open.push(word);
                    }
                }
            }
            Some("assistant") => {
                let (named, left) = open.into_iter().partition(|word| words.contains(word));
                open = left;
                just_named.extend::<Vec<String>>(named);
            }
            _ => {}
        }
    }
    open
}

/// The arguments of every call so far, as one text.
fn calls(messages: &[Value]) -> String {
    let calls = messages.iter().filter_map(|message| message.get("tool_calls"));
    calls.map(Value::to_string).collect()
}

/// The text of a message, without what the gateway says itself.
fn text(content: &Value) -> String {
    let all = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    all.lines().filter(|line| !line.starts_with(EVENT)).collect::<Vec<_>>().join("\n")
}

/// The marked words of a text, in order.
fn marked(text: &str, mark: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let words = text.split(|c: char| !is_part(c));
    words.filter(|word| word.starts_with(mark) && !word.ends_with(CHOICE)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CUT, Turn, UNHEARD, open, turn};

    fn left(messages: &Value) -> Vec<String> {
        open(messages.as_array().unwrap(), "tok-")
    }

    #[test]
    fn what_was_said_since_it_was_named_is_named() {
        let messages = json!([
            {"role": "system", "content": "tok-9"},
            {"role": "user", "content": "tok-1 please"},
            {"role": "assistant", "content": "tok-1"},
            {"role": "user", "content": [{"type": "text", "text": "(tok-3) and tok-2"}]},
            {"role": "user", "content": "System: [now] It said: tok-4\n\ntok-1"},
        ]);
        assert_eq!(left(&messages), ["tok-3", "tok-2", "tok-1"]);
        assert!(left(&json!([])).is_empty());
    }

    #[test]
    fn what_nobody_heard_is_named_again() {
        let asked = |note: &str| {
            json!([
                {"role": "user", "content": "tok-1 and tok-2"},
                {"role": "assistant", "content": "tok-1 is"},
                {"role": "user", "content": note},
            ])
        };
        assert_eq!(left(&asked(&format!("System: {CUT}, and {UNHEARD}."))), ["tok-2", "tok-1"]);
        assert_eq!(left(&asked(&format!("System: {CUT}. Read so far:\n\ntok-1 is"))), ["tok-2"]);
    }

    #[test]
    fn a_button_and_a_subagent_come_before_their_answers() {
        let call = |word: &str| {
            let messages = json!({"messages": [{"role": "user", "content": word}]});
            let Turn::Answers(speech) = turn(messages.to_string().as_bytes(), "tok-") else {
                panic!("no answer")
            };
            speech.calls
        };
        let button = json!([[{"text": "Go on", "callback_data": "please answer tok-1-pressed"}]]);
        let menu = json!({"message": "tok-1-choice is yours", "buttons": button});
        assert_eq!(call("tok-1-menu"), [("message".to_owned(), menu)]);
        let task = json!({"task": "please answer tok-2-report"});
        assert_eq!(call("tok-2-child"), [("sessions_spawn".to_owned(), task)]);
        assert_eq!(call("tok-3-choice"), []);
    }

    #[test]
    fn a_command_is_run_once_before_its_answer() {
        let mut messages = vec![json!({"role": "user", "content": "tok-1-tool"})];
        let ask = |messages: &[Value]| turn(json!({"messages": messages}).to_string().as_bytes(), "tok-");
        let Turn::Answers(first) = ask(&messages) else { panic!("no answer") };
        assert_eq!(first.calls.len(), 1);
        let call = json!([{"function": {"name": "exec", "arguments": "echo tok-1-tool"}}]);
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": call}));
        messages.push(json!({"role": "tool", "content": "done"}));
        let Turn::Answers(second) = ask(&messages) else { panic!("no answer") };
        assert_eq!((second.calls.len(), second.words.concat().as_str()), (0, "tok-1-tool"));
    }
}
