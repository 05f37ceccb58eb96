//! Who may write to an account: the ways its section knows, and what the chosen one writes.

use homard_channel::Form;
use homard_protocol::methods::config::wizard::WizardOption;
use serde_json::{Map, Value, json};

use super::answers::{AnswerError, line, option};

/// The way in that asks for names.
pub(super) const NAMED: &str = "allowlist";
/// The one that wants a second thought.
pub(super) const OPEN: &str = "open";
/// The one that holds where nothing is written.
const USUAL: &str = "pairing";
/// Whoever it is.
const EVERYBODY: &str = "*";
const POLICY: &str = "dmPolicy";
const LIST: &str = "allowFrom";

/// The ways in, for a person to choose from.
pub(super) fn options(form: Option<&Form>) -> Vec<WizardOption> {
    let words = form.map(|form| form.ways_in.as_slice()).unwrap_or_default();
    words.iter().map(|word| option(word, label(word), None)).collect()
}

fn label(word: &str) -> &str {
    match word {
        USUAL => "People you let in; others get a code",
        NAMED => "Only people you name",
        OPEN => "Everybody",
        "disabled" => "Nobody",
        other => other,
    }
}

/// The way in that holds now.
pub(super) fn present(section: &Map<String, Value>, written: &Map<String, Value>) -> Value {
    let older = || written.get("dm").and_then(|dm| dm.get("policy"));
    section.get(POLICY).or_else(|| written.get(POLICY)).or_else(older).cloned().unwrap_or(json!(USUAL))
}

/// The people who are named.
pub(super) fn people(section: &Map<String, Value>, written: &Map<String, Value>) -> Vec<Value> {
    let list = section.get(LIST).or_else(|| written.get(LIST)).and_then(Value::as_array);
    list.into_iter().flatten().filter(|one| *one != EVERYBODY).cloned().collect()
}

/// Reads names that were typed.
pub(super) fn read_people(value: Option<&Value>) -> Result<Vec<Value>, AnswerError> {
    let text = line(value)?;
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<Value> = names.map(|name| json!(name)).collect();
    match names.iter().any(|name| name == EVERYBODY) {
        true => Err(AnswerError::Value("`*` is everybody: name people here".to_owned())),
        false if names.is_empty() => {
            Err(AnswerError::Value("name at least one, or nobody could write".to_owned()))
        }
        false => Ok(names),
    }
}

/// Writes a way in and who is on the list. Whoever was let in because everybody was is on none.
pub(super) fn put(
    section: &mut Map<String, Value>,
    written: &Map<String, Value>,
    word: &str,
    mut people: Vec<Value>,
) {
    section.insert(POLICY.to_owned(), json!(word));
    if word == OPEN {
        people.push(json!(EVERYBODY));
    }
    let had_some = written.contains_key(LIST) || section.contains_key(LIST);
    if had_some || !people.is_empty() {
        section.insert(LIST.to_owned(), Value::Array(people));
    }
}
