//! What the owner wrote in `channels.irc`, read and decided.
//!
//! Only the keys of this platform are here; who may speak and how groups behave are keys all platforms share.

use std::path::Path;
use std::time::Duration;

use homard_channel::Dialect;
use homard_client::Fingerprint;
use homard_config::{Environment, Secret, SecretText};
use homard_protocol::AccountId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::pace::Pace;
use crate::registry::{BuildError, Parts};

/// Where servers listen, with and without encryption.
const TLS_PORT: u16 = 6697;
const PLAIN_PORT: u16 = 6667;
/// Characters of one message: a line of 512 bytes holds them together with who says it to whom.
const TEXT_LIMIT: usize = 350;
/// Smallest and largest limit that makes sense.
const TEXT_LIMITS: std::ops::RangeInclusive<usize> = 50..=4_000;
/// Longest pause between two lines that can be asked for.
const MAX_INTERVAL_MS: u64 = 60_000;
/// Most lines that can be asked to go at once.
const MAX_BURST: u32 = 1_000;
/// Largest file with a password.
const MAX_PASSWORD_FILE: u64 = 4 * 1024;
/// What names of channels begin with.
const CHANNEL_MARKS: [char; 4] = ['#', '&', '+', '!'];
/// Longest nick any server allows, and some.
const MAX_NICK: usize = 64;

/// The section, as written.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[schemars(extend("x-form" = {
    "people": "Nicks, or account:name, separated by commas.",
    "named": "nick",
    "servers": true,
}))]
pub(super) struct IrcSection {
    /// The server, such as `irc.libera.chat`. For the default account also IRC_HOST.
    #[schemars(title = "Server", extend("x-form" = {
        "needed": true,
        "initial": "irc.libera.chat",
        "pattern": r"^[^\s/]+$",
        "problem": "Write only the server’s name, without spaces or slashes.",
    }))]
    host: Option<String>,
    /// Its port; 6697 with TLS, 6667 without. Also IRC_PORT.
    #[schemars(range(min = 1, max = 65_535), extend("x-form" = {
        "narrow": true,
        "example": "6697 or 6667",
        "problem": "A port is a number from 1 to 65535.",
    }))]
    port: Option<u16>,
    /// Whether the connection is encrypted; true unless you say otherwise. Also IRC_TLS.
    #[schemars(title = "Encrypted connection (TLS)", extend("x-form" = { "initial": true }))]
    tls: Option<bool>,
    /// SHA-256 of the server's certificate. With it, that certificate counts and no other; without it, the machine's
    /// own roots decide. For servers that signed their certificate themselves.
    tls_fingerprint: Option<String>,
    /// Our name there. Also IRC_NICK.
    #[schemars(extend("x-form" = {
        "needed": true,
        "pattern": r"^[^\s,:!@#\d-][^\s,:!@#]*$",
        "problem": "A nick has no spaces and does not begin with a digit or a dash.",
    }))]
    nick: Option<String>,
    /// Channels to join: `#name`, or `#name key`. Also IRC_CHANNELS, separated by commas.
    #[schemars(title = "Channels to join", extend("x-form" = {
        "help": "Separated by commas. A channel with a key: #name key",
        "example": "#homard",
        "pattern": r"^\S+( \S+)?$",
        "problem": "It cannot be a channel: a name has no commas, and a key stands after one space.",
    }))]
    channels: Option<Vec<String>>,
    /// The user name in `nick!user@host`; the nick unless given. Also IRC_USERNAME.
    username: Option<String>,
    /// What a `WHOIS` shows. Also IRC_REALNAME.
    realname: Option<String>,
    /// The server's password. Also IRC_PASSWORD.
    #[schemars(title = "Server password", extend("x-form" = {
        "more": true,
        "help": "Only for servers that ask everybody for one.",
        "instead": ["passwordFile"],
    }))]
    password: Option<SecretText>,
    /// A file that holds the server's password.
    password_file: Option<String>,
    /// The service that guards nicks.
    nickserv: Option<NickServSection>,
    /// Proving an account while connecting. When this is given and does not work, we do not connect.
    #[schemars(title = "The nick is registered (SASL)", extend("x-form" = {}))]
    sasl: Option<SaslSection>,
    /// Longest message in bytes; 350 unless given.
    text_chunk_limit: Option<usize>,
    /// How answers are formatted: `plain` (the default) or `codes`, the control codes for bold, italics and so on.
    formatting: Option<Formatting>,
    /// How fast we may speak.
    flood: Option<FloodSection>,
}

/// The service that guards nicks.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NickServSection {
    /// Whether it is used; true when there is a password.
    enabled: Option<bool>,
    /// What it is called; `NickServ` unless given.
    service: Option<String>,
    /// The password of our nick. Also IRC_NICKSERV_PASSWORD.
    password: Option<SecretText>,
    /// A file that holds the password.
    password_file: Option<String>,
    /// Whether to register the nick; needs `registerEmail`.
    register: Option<bool>,
    /// The address the service writes to. Also IRC_NICKSERV_REGISTER_EMAIL.
    register_email: Option<String>,
}

/// An account at the server.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SaslSection {
    /// Whether it is used; true unless you say otherwise.
    enabled: Option<bool>,
    /// The account; the nick unless given.
    #[schemars(title = "Account", extend("x-form" = { "help": "The nick, if left empty." }))]
    username: Option<String>,
    /// Its password; that of `nickserv` unless given.
    #[schemars(extend("x-form" = { "needed": true, "instead": ["passwordFile"] }))]
    password: Option<SecretText>,
    /// A file that holds the password.
    password_file: Option<String>,
}

/// How fast we may speak.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct FloodSection {
    /// Lines that may go at once after a silence; 4 unless given.
    burst: Option<u32>,
    /// Milliseconds between two lines after that; 2000 unless given, 0 for no limit. Only for servers of your own.
    interval_ms: Option<u64>,
}

/// How answers are formatted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Formatting {
    /// Not at all.
    #[default]
    Plain,
    /// With control codes.
    Codes,
}

/// Whether and how a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tls {
    Off,
    /// The machine's roots decide whom to believe.
    System,
    /// One certificate is believed.
    Pinned(Fingerprint),
}

/// The service that guards nicks, ready to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NickServ {
    pub(super) service: String,
    pub(super) password: Secret,
    /// The address to register with, when we are to register.
    pub(super) register: Option<String>,
}

/// An account to prove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sasl {
    pub(super) account: String,
    pub(super) password: Secret,
    /// Whether we stay away when it does not work.
    pub(super) is_required: bool,
}

/// A channel to join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) name: String,
    pub(super) key: Option<Secret>,
}

/// Everything decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: Tls,
    pub(super) nick: String,
    pub(super) username: String,
    pub(super) realname: String,
    pub(super) password: Option<Secret>,
    pub(super) nickserv: Option<NickServ>,
    pub(super) sasl: Option<Sasl>,
    pub(super) rooms: Vec<Room>,
    pub(super) text_limit: usize,
    pub(super) dialect: Dialect,
    pub(super) pace: Pace,
}

/// Where an account is, and which channels it is in.
pub(super) fn details(section: &Value) -> Vec<(&'static str, String)> {
    let mut details = Vec::new();
    if let Some(host) = section.get("host").and_then(Value::as_str) {
        let port = section.get("port").and_then(Value::as_u64).map(|port| format!(":{port}"));
        let is_plain = section.get("tls").and_then(Value::as_bool) == Some(false);
        let how = if is_plain { "not encrypted" } else { "encrypted" };
        details.push(("Connection", format!("{host}{}, {how}", port.unwrap_or_default())));
    }
    let written = section.get("channels").and_then(Value::as_array).into_iter().flatten();
    // What stands after a name is its key.
    let names = written.filter_map(|room| room.as_str()?.split_whitespace().next()).map(marked);
    let names = names.collect::<Vec<_>>().join(", ");
    if !names.is_empty() {
        details.push(("Channels", names));
    }
    details
}

/// A channel's name as servers write it.
fn marked(name: &str) -> String {
    if name.starts_with(CHANNEL_MARKS) { name.to_owned() } else { format!("#{name}") }
}

/// Whether a section, or the environment, names a server and a nick.
pub(super) fn is_configured(section: &Value, env: &Environment) -> bool {
    let has = |key: &str, variable: &str| {
        let written = section.get(key).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
        written || env.get(variable).is_some()
    };
    has("host", "IRC_HOST") && has("nick", "IRC_NICK")
}

impl Settings {
    /// Reads an account's section.
    ///
    /// # Errors
    /// When something is missing or cannot be used.
    pub(super) fn read(parts: &Parts) -> Result<Self, BuildError> {
        let value =
            if parts.section.is_null() { Value::Object(Default::default()) } else { parts.section.clone() };
        let section: IrcSection = homard_runtime::json::from_value(value).map_err(|error| {
            let path = format!("{}.{}", parts.channel, error.path());
            BuildError::BadValue { path, problem: error.to_string() }
        })?;
        SectionReader { parts, env: Variables::of(parts) }.decide(section)
    }
}

/// Variables; only the default account has any.
struct Variables<'a>(Option<&'a Environment>);

impl<'a> Variables<'a> {
    fn of(parts: &'a Parts) -> Self {
        Self((parts.account == AccountId::default_account()).then_some(&parts.env))
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.0?.get(name).map(str::trim)
    }
}

/// A section being decided.
struct SectionReader<'a> {
    parts: &'a Parts,
    env: Variables<'a>,
}

impl SectionReader<'_> {
    fn decide(&self, section: IrcSection) -> Result<Settings, BuildError> {
        let host = self.word("host", section.host, "IRC_HOST")?;
        let nick = self.word("nick", section.nick, "IRC_NICK")?;
        let (Some(host), Some(nick)) = (host, nick) else {
            return Err(BuildError::Incomplete(
                "IRC needs `host` and `nick` in `channels.irc`, or the variables IRC_HOST and IRC_NICK"
                    .to_owned(),
            ));
        };
        self.check_nick(&nick)?;
        let tls = self.tls(section.tls, section.tls_fingerprint.as_deref())?;
        let username = self.word("username", section.username, "IRC_USERNAME")?;
        let realname = filled(section.realname).or_else(|| self.variable("IRC_REALNAME"));
        let (password, file) = (section.password, section.password_file);
        let nickserv = self.nickserv(section.nickserv.unwrap_or_default())?;
        let sasl = self.sasl(section.sasl, nickserv.as_ref(), &nick)?;
        Ok(Settings {
            port: self.port(section.port, tls)?,
            username: username.unwrap_or_else(|| nick.to_lowercase()),
            realname: without_breaks(&realname.unwrap_or_else(|| "Homard".to_owned())),
            password: self.secret("password", password, file, Some("IRC_PASSWORD"))?,
            rooms: self.rooms(section.channels)?,
            text_limit: self.text_limit(section.text_chunk_limit)?,
            dialect: match section.formatting.unwrap_or_default() {
                Formatting::Plain => Dialect::Plain,
                Formatting::Codes => Dialect::IrcCodes,
            },
            pace: self.pace(section.flood.unwrap_or_default())?,
            host,
            nick,
            tls,
            nickserv,
            sasl,
        })
    }

    fn bad(&self, key: &str, problem: impl Into<String>) -> BuildError {
        BuildError::BadValue { path: format!("{}.{key}", self.parts.channel), problem: problem.into() }
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.env.get(name).map(str::to_owned)
    }

    /// One word, from the section or a variable.
    fn word(&self, key: &str, written: Option<String>, variable: &str) -> Result<Option<String>, BuildError> {
        let Some(word) = filled(written).or_else(|| self.variable(variable)) else { return Ok(None) };
        if word.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
            return Err(self.bad(key, format!("`{word}` has spaces or control characters; write one word")));
        }
        Ok(Some(word))
    }

    fn check_nick(&self, nick: &str) -> Result<(), BuildError> {
        let first = nick.chars().next().unwrap_or('0');
        let ill_begun = first.is_ascii_digit() || first == '-' || CHANNEL_MARKS.contains(&first);
        if ill_begun || nick.len() > MAX_NICK || nick.contains([':', '!', '@', ',', '*', '?', '.']) {
            return Err(
                self.bad("nick", format!("`{nick}` cannot be a nick; use letters, digits, `-` and `_`"))
            );
        }
        Ok(())
    }

    fn tls(&self, written: Option<bool>, fingerprint: Option<&str>) -> Result<Tls, BuildError> {
        let is_on = match (written, self.env.get("IRC_TLS")) {
            (Some(is_on), _) => is_on,
            (None, Some(_)) => self.parts.env.flag("IRC_TLS"),
            (None, None) => true,
        };
        match fingerprint {
            _ if !is_on => Ok(Tls::Off),
            None => Ok(Tls::System),
            Some(text) => Fingerprint::parse(text)
                .map(Tls::Pinned)
                .map_err(|error| self.bad("tlsFingerprint", error.to_string())),
        }
    }

    fn port(&self, written: Option<u16>, tls: Tls) -> Result<u16, BuildError> {
        let named = match (written, self.env.get("IRC_PORT")) {
            (Some(port), _) => Some(port),
            (None, Some(text)) => Some(
                text.parse()
                    .map_err(|_not_a_port| self.bad("port", format!("IRC_PORT is `{text}`, not a port")))?,
            ),
            (None, None) => None,
        };
        match named {
            Some(0) => Err(self.bad("port", "0 is not a port; leave it out for the usual one")),
            Some(port) => Ok(port),
            None => Ok(if tls == Tls::Off { PLAIN_PORT } else { TLS_PORT }),
        }
    }

    fn secret(
        &self,
        key: &str,
        written: Option<SecretText>,
        file: Option<String>,
        variable: Option<&str>,
    ) -> Result<Option<Secret>, BuildError> {
        let text = match written {
            Some(SecretText::Text(text)) => filled(Some(text.0)),
            Some(SecretText::Reference(place)) if place.source == "env" => {
                let found = self.parts.env.get(&place.id).map(str::to_owned);
                Some(found.ok_or_else(|| self.bad(key, format!("the variable `{}` is not set", place.id)))?)
            }
            Some(SecretText::Reference(place)) => {
                return Err(
                    self.bad(key, format!("secrets from `{}` cannot be read yet; use `env`", place.source))
                );
            }
            None => None,
        };
        let text = match (text, filled(file)) {
            (Some(text), _) => Some(text),
            (None, Some(path)) => Some(self.secret_file(key, Path::new(&path))?),
            (None, None) => variable.and_then(|name| self.variable(name)),
        };
        match text {
            Some(text) if text.contains(['\r', '\n', '\0']) => Err(self.bad(key, "a password is one line")),
            text => Ok(text.map(Secret::new)),
        }
    }

    fn secret_file(&self, key: &str, path: &Path) -> Result<String, BuildError> {
        let unreadable =
            |why: String| self.bad(&format!("{key}File"), format!("`{}`: {why}", path.display()));
        let size = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?.len();
        if size > MAX_PASSWORD_FILE {
            return Err(unreadable(format!("{size} bytes are too many for a password")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        filled(Some(text)).ok_or_else(|| unreadable("the file is empty".to_owned()))
    }

    fn nickserv(&self, section: NickServSection) -> Result<Option<NickServ>, BuildError> {
        let (written, file) = (section.password, section.password_file);
        let password = self.secret("nickserv.password", written, file, Some("IRC_NICKSERV_PASSWORD"))?;
        let email = filled(section.register_email).or_else(|| self.variable("IRC_NICKSERV_REGISTER_EMAIL"));
        if section.register == Some(true) && (email.is_none() || password.is_none()) {
            return Err(self.bad("nickserv.register", "registering needs `password` and `registerEmail`"));
        }
        let Some(password) = password.filter(|_| section.enabled != Some(false)) else { return Ok(None) };
        let service =
            self.word("nickserv.service", section.service, "")?.unwrap_or_else(|| "NickServ".to_owned());
        let register = email.filter(|_| section.register == Some(true));
        Ok(Some(NickServ { service, password, register }))
    }

    /// With an account of its own, or with the nick's password where the server happens to offer it.
    fn sasl(
        &self,
        section: Option<SaslSection>,
        nickserv: Option<&NickServ>,
        nick: &str,
    ) -> Result<Option<Sasl>, BuildError> {
        let fallback = nickserv.map(|nickserv| nickserv.password.clone());
        let Some(section) = section else {
            let by_nick = |password| Sasl { account: nick.to_owned(), password, is_required: false };
            return Ok(fallback.map(by_nick));
        };
        if section.enabled == Some(false) {
            return Ok(None);
        }
        let (written, file) = (section.password, section.password_file);
        let Some(password) = self.secret("sasl.password", written, file, None)?.or(fallback) else {
            return Err(
                self.bad("sasl.password", "an account needs a password; set it here or in `nickserv`")
            );
        };
        let account = self.word("sasl.username", section.username, "")?.unwrap_or_else(|| nick.to_owned());
        Ok(Some(Sasl { account, password, is_required: true }))
    }

    fn rooms(&self, written: Option<Vec<String>>) -> Result<Vec<Room>, BuildError> {
        let named =
            written.or_else(|| Some(self.env.get("IRC_CHANNELS")?.split(',').map(str::to_owned).collect()));
        let mut rooms: Vec<Room> = Vec::new();
        for text in named.unwrap_or_default() {
            let mut words = text.split_whitespace();
            let Some(name) = words.next() else { continue };
            let name = marked(name);
            if name.contains([',', '\u{7}']) || words.clone().count() > 1 {
                return Err(self
                    .bad("channels", format!("`{name}` cannot be a channel; write `#name` or `#name key`")));
            }
            if rooms.iter().all(|room| !room.name.eq_ignore_ascii_case(&name)) {
                rooms.push(Room { name, key: words.next().map(Secret::new) });
            }
        }
        Ok(rooms)
    }

    fn text_limit(&self, written: Option<usize>) -> Result<usize, BuildError> {
        let limit = written.unwrap_or(TEXT_LIMIT);
        if TEXT_LIMITS.contains(&limit) {
            return Ok(limit);
        }
        let (least, most) = (TEXT_LIMITS.start(), TEXT_LIMITS.end());
        Err(self.bad("textChunkLimit", format!("{limit} is not between {least} and {most}")))
    }

    fn pace(&self, section: FloodSection) -> Result<Pace, BuildError> {
        let usual = Pace::default();
        let burst = section.burst.unwrap_or(usual.burst);
        if !(1..=MAX_BURST).contains(&burst) {
            return Err(self.bad("flood.burst", format!("{burst} is not between 1 and {MAX_BURST}")));
        }
        let interval = match section.interval_ms {
            None => usual.interval,
            Some(ms) if ms > MAX_INTERVAL_MS => {
                return Err(self.bad("flood.intervalMs", format!("{ms} is more than {MAX_INTERVAL_MS}")));
            }
            Some(ms) => Duration::from_millis(ms),
        };
        Ok(Pace { burst, interval })
    }
}

fn filled(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn without_breaks(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests;
