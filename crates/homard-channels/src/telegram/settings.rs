//! What the owner wrote about a bot.

use std::time::Duration;

use homard_config::{Environment, Secret, SecretText};
use homard_protocol::AccountId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::webhook::HEALTH_PATH;
use crate::registry::{BuildError, Parts, own_schema};

/// Where the Bot API is unless the owner runs a server of their own.
const PUBLIC_ROOT: &str = "https://api.telegram.org";
/// The variable that holds the default account's token.
const TOKEN_VARIABLE: &str = "TELEGRAM_BOT_TOKEN";
/// Where updates are brought unless the owner says otherwise.
const WEBHOOK_HOST: &str = "127.0.0.1";
const WEBHOOK_PORT: u16 = 8_787;
const WEBHOOK_PATH: &str = "/telegram-webhook";
/// How long a file may take unless the owner says otherwise; uploads are slow.
const CALL_SECONDS: u64 = 500;
/// Longest token file that is read.
const MAX_TOKEN_FILE: usize = 4_096;

/// The section, as far as the adapter itself is concerned; who may speak is for others to judge.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-form" = {
    "steps": [
        "Open Telegram and write to @BotFather.",
        "Send /newbot and answer its two questions.",
        "Copy the token it gives you into the field below.",
    ],
    "people": "Telegram’s numbers, separated by commas.",
    "handle": "@",
    "refused": "Telegram does not accept the token. Send /token to @BotFather, then put the new token in.",
}))]
struct Section {
    /// Token from @BotFather.
    #[schemars(title = "Bot token", extend("x-form" = {
        "needed": true,
        "help": "Looks like 123456789:AAE… It is kept in the configuration and never shown again.",
        "pattern": r"^\d{3,20}:[\w-]{20,100}$",
        "problem": "A bot token is a number, a colon, and 35 letters or so.",
        "instead": ["tokenFile"],
    }))]
    bot_token: Option<SecretText>,
    /// File that holds the token, for those who keep it apart; the token itself comes first.
    token_file: Option<String>,
    /// Root of a Bot API server of your own; the public one if left out.
    #[schemars(title = "Bot API server", extend("x-form" = {
        "more": true,
        "help": "Only for a server of your own; Telegram’s is used otherwise.",
        "example": "https://api.telegram.org",
        "pattern": r"^https?://\S+$",
        "problem": "Write a whole address, for example https://host.",
    }))]
    api_root: Option<String>,
    /// Proxy for everything sent to Telegram: http, https or socks5 address.
    #[schemars(extend("x-form" = {
        "more": true,
        "help": "An http, https or socks5 address; may be left empty.",
        "pattern": r"^(https?|socks5h?)://\S+$",
        "problem": "Write a whole address, for example https://host.",
    }))]
    proxy: Option<String>,
    /// Seconds a file may take on its way; calls without one get a minute at most.
    timeout_seconds: Option<u64>,
    /// Whether links show a preview; on unless switched off.
    link_preview: Option<bool>,
    /// More commands for the menu; choosing one sends it as a message.
    custom_commands: Option<Vec<CustomCommand>>,
    /// Which reactions the agent is told of: off, own (those to its messages) or all.
    reaction_notifications: Option<Reactions>,
    /// Public address Telegram brings updates to; without it they are fetched.
    webhook_url: Option<String>,
    /// What Telegram proves itself with when it brings updates; needed with webhookUrl.
    webhook_secret: Option<SecretText>,
    /// Path updates are brought to; /telegram-webhook unless given.
    webhook_path: Option<String>,
    /// Address a listener of the webhook's own binds; 127.0.0.1 unless given. Without this and webhookPort there is
    /// none, and updates come by the gateway's port.
    webhook_host: Option<String>,
    /// Port a listener of the webhook's own binds; 8787 with webhookHost alone, 0 for none.
    webhook_port: Option<u16>,
}

/// A command of the owner's own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) struct CustomCommand {
    /// Its name, with or without the slash.
    pub(super) command: String,
    /// What the menu says about it.
    pub(super) description: String,
}

/// Which reactions are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reactions {
    /// None.
    Off,
    /// Those to what the bot wrote.
    #[default]
    Own,
    /// All.
    All,
}

/// Everything decided.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) token: Secret,
    pub(super) root: Url,
    pub(super) proxy: Option<Secret>,
    pub(super) call_timeout: Duration,
    pub(super) link_preview: bool,
    pub(super) custom_commands: Vec<CustomCommand>,
    pub(super) reactions: Reactions,
    pub(super) webhook: Option<Webhook>,
}

/// How updates are brought.
#[derive(Debug, Clone)]
pub(super) struct Webhook {
    pub(super) public: String,
    pub(super) secret: Secret,
    pub(super) path: String,
    /// Where a listener of its own binds, if there is to be one; the gateway's port takes updates in any case.
    pub(super) listener: Option<(String, u16)>,
}

/// Keys that are known from elsewhere and do nothing yet.
pub(super) const INERT_KEYS: &[&str] = &[
    "draftChunk",
    "errorPolicy",
    "execApprovals",
    "network",
    "reactionLevel",
    "retry",
    "richMessages",
    "threadBindings",
];

/// The schema of the bot's own keys.
pub(super) fn schema() -> Value {
    own_schema::<Section>()
}

/// How a bot hears.
pub(super) fn details(section: &Value) -> Vec<(&'static str, String)> {
    let address = section.get("webhookUrl").and_then(Value::as_str).unwrap_or_default();
    let how = match address.trim() {
        "" => "Fetches messages (long polling)",
        _ => "Messages are brought (webhook)",
    };
    vec![("Connection", how.to_owned())]
}

/// Whether anything says where a token is.
pub(super) fn is_configured(section: &Value, env: &Environment) -> bool {
    let has_own = |section: &Value| {
        ["botToken", "tokenFile"].iter().any(|key| match section.get(key) {
            Some(Value::String(text)) => !text.trim().is_empty(),
            Some(Value::Object(_)) => true,
            _ => false,
        })
    };
    let accounts = section.get("accounts").and_then(Value::as_object);
    has_own(section)
        || accounts.is_some_and(|accounts| accounts.values().any(has_own))
        || env.get(TOKEN_VARIABLE).is_some()
}

impl Settings {
    /// Decides what the section leaves open.
    pub(super) fn read(parts: &Parts) -> Result<Self, BuildError> {
        let place = Place { parts };
        let section: Section = match &parts.section {
            Value::Null => Section::default(),
            section => homard_runtime::json::from_value(section.clone())
                .map_err(|error| place.bad(&error.path(), error.to_string()))?,
        };
        let token = token(&place, &section)?;
        let root = section.api_root.as_deref().map_or(PUBLIC_ROOT, str::trim);
        Ok(Self {
            token,
            root: place.url("apiRoot", root)?,
            proxy: section.proxy.clone().filter(|proxy| !proxy.trim().is_empty()).map(Secret::new),
            call_timeout: Duration::from_secs(section.timeout_seconds.unwrap_or(CALL_SECONDS).max(1)),
            link_preview: section.link_preview.unwrap_or(true),
            reactions: section.reaction_notifications.unwrap_or_default(),
            webhook: webhook(&place, &section)?,
            custom_commands: section.custom_commands.unwrap_or_default(),
        })
    }

    /// The bot's number: the half of the token that is no secret.
    pub(super) fn bot_id(&self) -> Option<i64> {
        self.token.expose().split_once(':')?.0.parse().ok()
    }
}

/// Where problems are.
struct Place<'p> {
    parts: &'p Parts,
}

impl Place<'_> {
    fn bad(&self, key: &str, problem: impl Into<String>) -> BuildError {
        BuildError::BadValue { path: format!("{}.{key}", self.parts.channel), problem: problem.into() }
    }

    fn url(&self, key: &str, text: &str) -> Result<Url, BuildError> {
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
            _ => Err(self.bad(key, "not an address; write it like https://api.telegram.org")),
        }
    }

    fn secret(&self, key: &str, text: &SecretText) -> Result<Option<Secret>, BuildError> {
        let value = match text {
            SecretText::Text(text) => text.0.as_str(),
            SecretText::Reference(reference) if reference.source == "env" => self
                .parts
                .env
                .get(&reference.id)
                .ok_or_else(|| self.bad(key, format!("the variable `{}` is not set", reference.id)))?,
            SecretText::Reference(reference) => {
                let problem = format!("secrets from `{}` are not looked up here; use env", reference.source);
                return Err(self.bad(key, problem));
            }
        };
        let value = value.trim();
        Ok((!value.is_empty()).then(|| Secret::new(value)))
    }
}

/// `botToken`, then `tokenFile`, then the variable, which only the default account may use.
fn token(place: &Place<'_>, section: &Section) -> Result<Secret, BuildError> {
    if let Some(text) = &section.bot_token
        && let Some(token) = place.secret("botToken", text)?
    {
        return checked(place, token);
    }
    if let Some(path) = section.token_file.as_deref().filter(|path| !path.trim().is_empty()) {
        let path = path.trim();
        let text = std::fs::read_to_string(path)
            .map_err(|error| place.bad("tokenFile", format!("`{path}` cannot be read: {error}")))?;
        if text.len() > MAX_TOKEN_FILE || text.trim().is_empty() {
            return Err(place.bad("tokenFile", format!("`{path}` does not hold a token")));
        }
        return checked(place, Secret::new(text.trim()));
    }
    let from_environment = place.parts.env.get(TOKEN_VARIABLE);
    match from_environment.filter(|_| place.parts.account == AccountId::default_account()) {
        Some(token) => checked(place, Secret::new(token.trim())),
        None => Err(BuildError::Incomplete(format!(
            "Telegram account `{}` has no token; set channels.telegram.botToken to the one @BotFather gave you",
            place.parts.account
        ))),
    }
}

/// A token is a number, a colon and letters; anything else would change the address it stands in.
fn checked(place: &Place<'_>, token: Secret) -> Result<Secret, BuildError> {
    let fits = token.expose().split_once(':').is_some_and(|(id, secret)| {
        let is_secret = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        id.parse::<u64>().is_ok() && !secret.is_empty() && secret.chars().all(is_secret)
    });
    if fits { Ok(token) } else { Err(place.bad("botToken", "not a token; it looks like 123456:ABC-DEF")) }
}

fn webhook(place: &Place<'_>, section: &Section) -> Result<Option<Webhook>, BuildError> {
    let Some(public) = section.webhook_url.as_deref().map(str::trim).filter(|url| !url.is_empty()) else {
        return Ok(None);
    };
    place.url("webhookUrl", public)?;
    let secret = match &section.webhook_secret {
        Some(text) => place.secret("webhookSecret", text)?,
        None => None,
    };
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let Some(secret) = secret.filter(|s| s.expose().len() <= 256 && s.expose().chars().all(allowed)) else {
        return Err(
            place.bad("webhookSecret", "needed with webhookUrl: 1 to 256 letters, digits, `_` and `-`")
        );
    };
    let path = section.webhook_path.clone().unwrap_or_else(|| WEBHOOK_PATH.to_owned());
    if !path.starts_with('/') || path == HEALTH_PATH {
        return Err(place.bad("webhookPath", "must begin with a slash and not be /healthz"));
    }
    Ok(Some(Webhook {
        public: public.to_owned(),
        secret,
        path,
        listener: listener(section.webhook_host.as_deref(), section.webhook_port),
    }))
}

/// Where a listener of the webhook's own binds. Nobody gets one without asking: the gateway's port takes updates.
fn listener(host: Option<&str>, port: Option<u16>) -> Option<(String, u16)> {
    if host.is_none() && port.is_none() {
        return None;
    }
    let port = port.unwrap_or(WEBHOOK_PORT);
    (port != 0).then(|| (host.unwrap_or(WEBHOOK_HOST).to_owned(), port))
}

#[cfg(test)]
mod tests;
