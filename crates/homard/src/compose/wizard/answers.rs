//! What all conversations of the wizard share: how a question is put and an answer read.

use homard_protocol::methods::config::wizard::{WizardOption, WizardStep, WizardStepKind};
use serde_json::{Value, json};

/// Longest answer in words.
const MAX_TEXT: usize = 4_096;

/// Why an answer was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AnswerError {
    /// It answers another question.
    NotAsked,
    /// It is not one; these words say why.
    Value(String),
}

/// A name for a question that was not asked before.
pub(crate) fn fresh() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// A question that nothing is asked in yet.
pub(crate) fn blank(id: &str) -> WizardStep {
    WizardStep {
        id: id.to_owned(),
        kind: WizardStepKind::Text,
        title: None,
        message: None,
        options: None,
        initial_value: None,
        placeholder: None,
        sensitive: None,
        executor: "client".to_owned(),
    }
}

pub(crate) fn say(step: &mut WizardStep, title: &str, message: &str) {
    step.title = Some(title.to_owned());
    step.message = Some(message.to_owned());
}

pub(crate) fn option(value: &str, label: &str, hint: Option<&str>) -> WizardOption {
    WizardOption { value: json!(value), label: label.to_owned(), hint: hint.map(str::to_owned) }
}

pub(crate) fn one_of(value: Option<&Value>, options: &[WizardOption]) -> Result<String, AnswerError> {
    let chosen = options.iter().find(|option| Some(&option.value) == value);
    chosen
        .and_then(|option| option.value.as_str())
        .map(str::to_owned)
        .ok_or_else(|| AnswerError::Value("choose one of the options".to_owned()))
}

pub(crate) fn yes(value: Option<&Value>) -> Result<bool, AnswerError> {
    value.and_then(Value::as_bool).ok_or_else(|| AnswerError::Value("answer yes or no".to_owned()))
}

pub(crate) fn words(value: Option<&Value>, wish: &str) -> Result<String, AnswerError> {
    let text = line(value)?;
    if text.is_empty() { Err(AnswerError::Value(wish.to_owned())) } else { Ok(text) }
}

/// A line of words, which may be none.
pub(crate) fn line(value: Option<&Value>) -> Result<String, AnswerError> {
    let text = match value {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => String::new(),
    };
    if text.len() > MAX_TEXT || text.chars().any(char::is_control) {
        return Err(AnswerError::Value(format!("one line of at most {MAX_TEXT} bytes")));
    }
    Ok(text)
}
