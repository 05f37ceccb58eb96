//! Reading what a program printed. Pure, and at peace with anything a program may print.

use homard_config::config::agents::cli_backends::CliOutput;
use homard_protocol::Usage;
use serde_json::{Map, Value};

/// Where an answer may be, in a document or an event, the surest first.
const TEXT_FIELDS: [&str; 5] = ["result", "message", "text", "content", "response"];
/// How deep an answer may be wrapped.
const MAX_DEPTH: usize = 8;
/// Longest name of a session.
const MAX_SESSION_LEN: usize = 200;

/// Spellings of token counts.
const INPUT: [&str; 4] = ["input_tokens", "inputTokens", "input", "prompt_tokens"];
const OUTPUT: [&str; 4] = ["output_tokens", "outputTokens", "output", "completion_tokens"];
const CACHE_READ: [&str; 3] = ["cache_read_input_tokens", "cacheReadInputTokens", "cacheRead"];
const CACHE_WRITE: [&str; 3] = ["cache_creation_input_tokens", "cacheCreationInputTokens", "cacheWrite"];
/// Read from the cache too, but already counted in the input.
const CACHED_INPUT: [&str; 2] = ["cached_input_tokens", "cachedInputTokens"];
const TOTAL: [&str; 3] = ["total_tokens", "totalTokens", "total"];

/// What was printed, understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ProgramOutput {
    /// The answer; empty when there was none.
    pub(super) text: String,
    /// The program's name for the session.
    pub(super) session: Option<String>,
    /// What it says the call used.
    pub(super) usage: Usage,
    /// What it says went wrong.
    pub(super) error: Option<String>,
    /// Whether it looked like the promised format and was not.
    pub(super) broken: bool,
}

/// Reads `printed` as `format`. What is not in the promised format at all is taken as the answer itself.
pub(super) fn read(format: CliOutput, printed: &str, session_fields: &[String]) -> ProgramOutput {
    let printed = printed.trim();
    let plain = || ProgramOutput { text: printed.to_owned(), ..ProgramOutput::default() };
    let mut events = Events { session_fields, ..Events::default() };
    match format {
        CliOutput::Text => return plain(),
        CliOutput::Json => match document(printed) {
            Some(Value::Array(list)) => list.iter().for_each(|event| events.take(event)),
            Some(document) => return read_document(&document, session_fields),
            None => printed.lines().for_each(|line| events.take_line(line)),
        },
        CliOutput::Jsonl => printed.lines().for_each(|line| events.take_line(line)),
    }
    if !events.any {
        let broken = printed.starts_with(['{', '[']);
        return ProgramOutput { broken, ..if broken { ProgramOutput::default() } else { plain() } };
    }
    events.finish()
}

/// The document in a text that may have a line or two of chatter before it.
fn document(printed: &str) -> Option<Value> {
    let parse =
        |text: &str| serde_json::from_str::<Value>(text).ok().filter(|v| v.is_object() || v.is_array());
    parse(printed).or_else(|| {
        let start = printed.find("\n{").map(|at| at + 1)?;
        parse(printed.get(start..)?)
    })
}

fn read_document(document: &Value, session_fields: &[String]) -> ProgramOutput {
    let Value::Object(fields) = document else { return ProgramOutput::default() };
    let text = answer(fields, 0).unwrap_or_default();
    let error = error(fields, &text);
    ProgramOutput {
        text: if error.is_some() { String::new() } else { text.trim().to_owned() },
        session: session(fields, session_fields),
        usage: fields.get("usage").map(usage).unwrap_or_default(),
        error,
        broken: false,
    }
}

/// What a document says went wrong: a flag with the reason as its text, a list of reasons, or an error.
fn error(fields: &Map<String, Value>, text: &str) -> Option<String> {
    let listed = fields.get("errors").and_then(Value::as_array).map(|errors| {
        let said = errors.iter().filter_map(|error| message_of(error, 0));
        said.collect::<Vec<_>>().join("; ")
    });
    let listed = listed.filter(|errors| !errors.is_empty());
    if fields.get("is_error").and_then(Value::as_bool) == Some(true) {
        let said = listed.or_else(|| Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
        let kind = || fields.get("subtype").and_then(Value::as_str).map(str::to_owned);
        return Some(said.or_else(kind).unwrap_or_else(|| "it did not say why".to_owned()));
    }
    let own = fields.get("error").and_then(|error| message_of(error, 0));
    own.or(listed).filter(|_| text.trim().is_empty())
}

fn message_of(error: &Value, depth: usize) -> Option<String> {
    match error {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Object(fields) if depth < MAX_DEPTH => {
            ["message", "error", "detail"].iter().find_map(|key| message_of(fields.get(*key)?, depth + 1))
        }
        _ => None,
    }
}

/// The answer in an object, whichever way it is wrapped.
fn answer(fields: &Map<String, Value>, depth: usize) -> Option<String> {
    TEXT_FIELDS.iter().find_map(|key| text_of(fields.get(*key)?, depth + 1))
}

fn text_of(value: &Value, depth: usize) -> Option<String> {
    let found = match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) if depth < MAX_DEPTH => {
            blocks.iter().filter_map(|block| text_of(block, depth + 1)).collect()
        }
        Value::Object(fields) if depth < MAX_DEPTH => return answer(fields, depth),
        _ => return None,
    };
    (!found.trim().is_empty()).then_some(found)
}

/// The program's name for the session; only what can be an argument, since that is what it becomes.
fn session(fields: &Map<String, Value>, names: &[String]) -> Option<String> {
    let found = names.iter().find_map(|name| fields.get(name)?.as_str())?.trim();
    is_session_id(found).then(|| found.to_owned())
}

/// Whether a text may be handed to a program as the name of a session.
pub(super) fn is_session_id(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_SESSION_LEN
        && !text.starts_with('-')
        && text.chars().all(|c| c.is_ascii_graphic())
}

fn usage(value: &Value) -> Usage {
    let count = |names: &[&str]| names.iter().find_map(|name| value.get(*name)?.as_u64()).unwrap_or(0);
    let cached = count(&CACHED_INPUT);
    let mut usage = Usage {
        input: count(&INPUT).saturating_sub(cached),
        output: count(&OUTPUT),
        cache_read: count(&CACHE_READ).saturating_add(cached),
        cache_write: count(&CACHE_WRITE),
        ..Usage::default()
    };
    usage.total_tokens = count(&TOTAL).max(usage.prompt_tokens().saturating_add(usage.output));
    usage
}

/// Events read so far.
#[derive(Default)]
struct Events<'a> {
    session_fields: &'a [String],
    any: bool,
    /// What the program said on the way, piece by piece.
    said: Vec<String>,
    /// Texts of events of no known kind, used when there is nothing better.
    loose: Vec<String>,
    /// A final summary, which replaces the pieces.
    last: Option<ProgramOutput>,
    session: Option<String>,
    usage: Usage,
    /// Trouble on the way, which the program may have overcome.
    trouble: Option<String>,
    /// Trouble that ended it.
    failed: Option<String>,
}

impl Events<'_> {
    /// Lines that are not events are chatter.
    fn take_line(&mut self, line: &str) {
        let line = line.trim();
        if line.starts_with('{')
            && let Ok(event) = serde_json::from_str::<Value>(line)
        {
            self.take(&event);
        }
    }

    fn take(&mut self, event: &Value) {
        let Value::Object(fields) = event else { return };
        self.any = true;
        if let Some(found) = session(fields, self.session_fields) {
            self.session = Some(found);
        }
        if let Some(found) = fields.get("usage").filter(|usage| usage.is_object()) {
            self.usage = usage(found);
        }
        let said = |key: &str| fields.get(key).and_then(|value| text_of(value, 0));
        match fields.get("type").and_then(Value::as_str) {
            Some("result") => self.last = Some(read_document(event, self.session_fields)),
            Some("item.completed") => self.said.extend(fields.get("item").and_then(spoken)),
            Some("assistant") => self.said.extend(said("message")),
            Some("turn.failed") => {
                self.failed = message_of(event, 0).or_else(|| Some("it did not say why".to_owned()));
            }
            Some("error") => self.trouble = message_of(event, 0),
            Some("message" | "text" | "agent_message" | "assistant_message") | None => {
                self.loose.extend(answer(fields, 0));
                self.trouble = error(fields, "").or(self.trouble.take());
            }
            Some(_) => {}
        }
    }

    fn finish(self) -> ProgramOutput {
        let mut reading = self.last.unwrap_or_default();
        if reading.text.is_empty() && reading.error.is_none() {
            let pieces = if self.said.is_empty() { self.loose } else { self.said };
            reading.text = pieces.join("\n\n").trim().to_owned();
        }
        let overcome = !reading.text.is_empty();
        reading.error = reading.error.or(self.failed).or(self.trouble.filter(|_| !overcome));
        if reading.error.is_some() {
            reading.text = String::new();
        }
        reading.session = reading.session.or(self.session);
        if reading.usage == Usage::default() {
            reading.usage = self.usage;
        }
        reading
    }
}

/// What a finished item says to the person; commands, plans and reasoning are not for them.
fn spoken(item: &Value) -> Option<String> {
    let kind = item.get("type").and_then(Value::as_str)?;
    matches!(kind, "agent_message" | "assistant_message" | "message").then(|| text_of(item, 0)).flatten()
}

#[cfg(test)]
mod tests;
