//! The two calls every gateway knows: telling an agent something, and giving it something to do.

use std::time::Duration;

use homard_config::config::hooks::SessionMode;
use homard_protocol::{ThinkingLevel, WakeMode, Word};
use serde_json::{Map, Value};

use super::WebhookError;

/// What a hook is called when it gives no name.
const NAMELESS: &str = "Hook";
/// Longest name; the rest is cut.
const MAX_NAME: usize = 80;
/// Longest time a run may be given.
const MAX_SECONDS: u64 = 24 * 60 * 60;
/// Longest idempotency key, in characters.
pub const MAX_KEY: usize = 256;

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookCall {
    /// Tells an agent something.
    Wake(WakeCall),
    /// Gives an agent a message to answer.
    Agent(Box<AgentCall>),
}

/// Telling an agent something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WakeCall {
    pub text: String,
    pub mode: WakeMode,
    pub target: HookTarget,
    /// Whether the owner vouches for the content.
    pub is_trusted: bool,
}

/// Giving an agent a message to answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentCall {
    pub message: String,
    pub name: String,
    pub target: HookTarget,
    pub session_mode: SessionMode,
    pub idempotency_key: Option<String>,
    pub waits: bool,
    pub wake_mode: Option<WakeMode>,
    pub delivery: CallDelivery,
    pub model: Option<String>,
    pub thinking: Option<Word<ThinkingLevel>>,
    pub timeout: Option<Duration>,
    /// Whether the owner vouches for the content.
    pub is_trusted: bool,
}

/// Whom a call is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookTarget {
    pub agent: Option<String>,
    pub key: Option<NamedKey>,
}

/// A conversation somebody named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedKey {
    Callers(String),
    /// The owner, in a mapping.
    Owners(String),
}

/// Where the caller wants the answer to go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallDelivery {
    pub deliver: Option<bool>,
    pub channel: Option<String>,
    pub to: Option<String>,
    pub account: Option<String>,
}

impl CallDelivery {
    /// Whether the answer goes to a chat platform, if there is a place for it.
    pub fn is_wanted(&self) -> bool {
        self.deliver != Some(false)
    }

    /// Whether the caller said that it is to.
    pub fn is_asked_for(&self) -> bool {
        self.deliver == Some(true) || (self.is_wanted() && (self.channel.is_some() || self.to.is_some()))
    }
}

impl WakeCall {
    /// Reads the body of `/hooks/wake`.
    pub fn read(body: &Map<String, Value>) -> Result<Self, WebhookError> {
        let text = text(body, "text")?.ok_or_else(|| WebhookError::Invalid("text required".to_owned()))?;
        let mode = match self::text(body, "mode")?.as_deref() {
            None => WakeMode::Now,
            Some(word) => wake_mode("mode", word)?,
        };
        Ok(Self { text, mode, target: target(body)?, is_trusted: false })
    }
}

impl AgentCall {
    /// Reads the body of `/hooks/agent`.
    pub fn read(body: &Map<String, Value>) -> Result<Self, WebhookError> {
        let message =
            text(body, "message")?.ok_or_else(|| WebhookError::Invalid("message required".to_owned()))?;
        let session_mode = match text(body, "sessionMode")?.as_deref() {
            None => SessionMode::default(),
            Some(word) => SessionMode::parse(word).ok_or_else(|| {
                WebhookError::Invalid("sessionMode must be isolated or persistent".to_owned())
            })?,
        };
        let wake = text(body, "wakeMode")?.map(|word| wake_mode("wakeMode", &word)).transpose()?;
        let call = Self {
            message,
            name: name(text(body, "name")?),
            target: target(body)?,
            session_mode,
            idempotency_key: text(body, "idempotencyKey")?,
            waits: flag(body, "waitForCompletion")?.unwrap_or(false),
            wake_mode: wake,
            delivery: CallDelivery {
                deliver: flag(body, "deliver")?,
                channel: text(body, "channel")?,
                to: text(body, "to")?,
                account: text(body, "accountId")?,
            },
            model: text(body, "model")?,
            thinking: text(body, "thinking")?.map(Word::of),
            timeout: seconds(body)?,
            is_trusted: false,
        };
        call.check()
    }

    /// Refuses words that mean nothing.
    fn check(self) -> Result<Self, WebhookError> {
        if self.thinking.as_ref().is_some_and(|word| word.read(ThinkingLevel::parse).is_none()) {
            return Err(WebhookError::Invalid("thinking is not a known level".to_owned()));
        }
        check_key(self.idempotency_key.as_deref())?;
        Ok(self)
    }
}

/// A name that fits on a line.
fn name(given: Option<String>) -> String {
    let given = given.unwrap_or_else(|| NAMELESS.to_owned());
    given.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_NAME).collect()
}

/// Refuses an idempotency key that is too long.
pub fn check_key(key: Option<&str>) -> Result<(), WebhookError> {
    if key.is_some_and(|key| key.chars().count() > MAX_KEY) {
        return Err(WebhookError::Invalid(format!(
            "the idempotency key is longer than {MAX_KEY} characters"
        )));
    }
    Ok(())
}

fn target(body: &Map<String, Value>) -> Result<HookTarget, WebhookError> {
    Ok(HookTarget { agent: text(body, "agentId")?, key: text(body, "sessionKey")?.map(NamedKey::Callers) })
}

fn wake_mode(field: &str, word: &str) -> Result<WakeMode, WebhookError> {
    let unknown = |_word| WebhookError::Invalid(format!("{field} must be now or next-heartbeat"));
    word.parse().map_err(unknown)
}

/// A text; blank counts as left out.
fn text(body: &Map<String, Value>, field: &str) -> Result<Option<String>, WebhookError> {
    match body.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Some(_other) => Err(WebhookError::Invalid(format!("{field} must be a string"))),
    }
}

fn flag(body: &Map<String, Value>, field: &str) -> Result<Option<bool>, WebhookError> {
    match body.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_other) => Err(WebhookError::Invalid(format!("{field} must be true or false"))),
    }
}

fn seconds(body: &Map<String, Value>) -> Result<Option<Duration>, WebhookError> {
    let Some(value) = body.get("timeoutSeconds").filter(|value| !value.is_null()) else { return Ok(None) };
    limit(value.as_u64())
}

/// How long a run may take.
fn limit(seconds: Option<u64>) -> Result<Option<Duration>, WebhookError> {
    match seconds {
        Some(seconds @ 1..=MAX_SECONDS) => Ok(Some(Duration::from_secs(seconds))),
        _ => Err(WebhookError::Invalid(format!("timeoutSeconds must be between 1 and {MAX_SECONDS}"))),
    }
}

#[cfg(test)]
mod tests;
