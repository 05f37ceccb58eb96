//! The content of `auth-profiles.json`: typed where we understand it, untouched where we do not.
//!
//! The JSON itself is kept and edited in place, so that fields of other programs and later versions survive a
//! rewrite. No input or output here.

use std::collections::BTreeMap;
use std::fmt;

use homard_llm::{ApiKey, CredentialKind};
use homard_protocol::ProviderId;
use homard_runtime::CollectOrdered as _;
use serde_json::{Map, Value, json};

/// The version this program writes, and the newest it understands.
const VERSION: i64 = 1;

/// Why a file's content cannot be used. Never quotes it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("it is not JSON (line {line}, column {column})")]
    Syntax {
        /// Where, counting from 1.
        line: usize,
        /// Where in the line.
        column: usize,
    },
    /// JSON, but not an object, or a section is not.
    #[error("`{section}` is not an object")]
    Shape { section: &'static str },
    /// Written by a program that knows more than this one.
    #[error("it has version {version}; this program understands {VERSION}")]
    Newer { version: i64 },
}

/// The whole file. `Debug` shows ids only.
#[derive(Clone, PartialEq)]
pub(crate) struct Document {
    root: Map<String, Value>,
}

impl Default for Document {
    fn default() -> Self {
        let mut root = Map::new();
        root.insert("version".to_owned(), json!(VERSION));
        root.insert("profiles".to_owned(), json!({}));
        Self { root }
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Document").field(&self.ids()).finish()
    }
}

impl Document {
    /// Reads a file's content; an empty file is an empty store.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut root = object(bytes)?;
        if let Some(version) = root.get("version").and_then(Value::as_i64)
            && version > VERSION
        {
            return Err(Unreadable::Newer { version });
        }
        for section in ["profiles", "order", "lastGood", "usageStats"] {
            if root.get(section).is_some_and(|value| !value.is_object()) {
                return Err(Unreadable::Shape { section });
            }
        }
        root.entry("version").or_insert_with(|| json!(VERSION));
        root.entry("profiles").or_insert_with(|| json!({}));
        Ok(Self { root })
    }

    /// Reads the older `auth.json`: one credential per provider, by the provider's name.
    pub(crate) fn parse_older(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut document = Self::default();
        for (provider, value) in object(bytes)? {
            let Value::Object(mut fields) = value else { continue };
            if !fields.contains_key("type") {
                continue;
            }
            fields.entry("provider").or_insert_with(|| json!(provider));
            document.put(&format!("{provider}:default"), fields);
        }
        Ok(document)
    }

    /// What is written.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(&self.root).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// The ids of all profiles, in the file's order.
    pub(crate) fn ids(&self) -> Vec<&str> {
        self.section("profiles").map(|all| all.keys().map(String::as_str).collect()).unwrap_or_default()
    }

    /// Whether it holds no profile.
    pub(crate) fn is_empty(&self) -> bool {
        self.section("profiles").is_none_or(Map::is_empty)
    }

    /// One profile; `None` when there is none of that id or nobody can tell whose it is.
    pub(crate) fn profile(&self, id: &str) -> Option<Profile> {
        let fields = self.section("profiles")?.get(id)?.as_object()?;
        let named = fields.get("provider").and_then(Value::as_str);
        let provider = named.or_else(|| id.split_once(':').map(|(provider, _)| provider))?;
        let provider = ProviderId::parse(&provider.trim().to_lowercase()).ok()?;
        Some(Profile { provider, proof: Proof::read(fields), fields: fields.clone() })
    }

    /// Puts a profile, replacing one of the same id and forgetting that one's failures.
    pub(crate) fn put(&mut self, id: &str, fields: Map<String, Value>) {
        self.edit("profiles", |all| all.insert(id.to_owned(), Value::Object(fields)));
        self.edit_existing("usageStats", |all| {
            all.remove(id);
        });
    }

    /// Changes fields of a profile that exists; `null` takes a field out.
    pub(crate) fn amend(&mut self, id: &str, fields: Map<String, Value>) {
        self.edit_existing("profiles", |all| {
            let Some(Value::Object(profile)) = all.get_mut(id) else { return };
            for (name, value) in fields {
                if value.is_null() {
                    profile.remove(&name);
                } else {
                    profile.insert(name, value);
                }
            }
        });
    }

    /// Takes a profile out, with everything that is said about it. Tells whether it was there.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let was_there = self.edit("profiles", |all| all.remove(id).is_some());
        self.edit_existing("usageStats", |all| {
            all.remove(id);
        });
        self.edit_existing("lastGood", |good| good.retain(|_, value| value.as_str() != Some(id)));
        self.edit_existing("order", |order| {
            for ids in order.values_mut().filter_map(Value::as_array_mut) {
                ids.retain(|value| value.as_str() != Some(id));
            }
        });
        was_there
    }

    /// The order written for a provider.
    pub(crate) fn order(&self, provider: &str) -> Option<Vec<String>> {
        let ids = lookup(self.section("order")?, provider)?.as_array()?;
        let ids: Vec<_> = ids.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        (!ids.is_empty()).then_some(ids)
    }

    /// Writes or takes out the order for a provider.
    pub(crate) fn set_order(&mut self, provider: &str, ids: Option<&[String]>) {
        let is_empty = self.edit("order", |order| {
            order.retain(|name, _| !name.trim().eq_ignore_ascii_case(provider));
            if let Some(ids) = ids {
                order.insert(provider.to_owned(), json!(ids));
            }
            order.is_empty()
        });
        if is_empty {
            self.root.remove("order");
        }
    }

    /// Which profile worked last for a provider.
    pub(crate) fn last_good(&self, provider: &str) -> Option<&str> {
        lookup(self.section("lastGood")?, provider)?.as_str()
    }

    /// Remembers which profile worked last.
    pub(crate) fn set_last_good(&mut self, provider: &str, id: &str) {
        self.edit("lastGood", |good| good.insert(provider.to_owned(), json!(id)));
    }

    /// How a profile fared.
    pub(crate) fn stats(&self, id: &str) -> Stats {
        let fields = self.section("usageStats").and_then(|all| all.get(id)).and_then(Value::as_object);
        fields.map(Stats::read).unwrap_or_default()
    }

    /// Writes how a profile fared, keeping fields that are not ours.
    pub(crate) fn set_stats(&mut self, id: &str, stats: &Stats) {
        self.edit("usageStats", |all| {
            let mut fields = match all.get_mut(id).map(Value::take) {
                Some(Value::Object(fields)) => fields,
                _ => Map::new(),
            };
            stats.write(&mut fields);
            all.insert(id.to_owned(), Value::Object(fields));
        });
    }

    fn section(&self, name: &str) -> Option<&Map<String, Value>> {
        self.root.get(name).and_then(Value::as_object)
    }

    /// Changes a section in its place, making it when it is missing.
    fn edit<T>(&mut self, name: &str, edit: impl FnOnce(&mut Map<String, Value>) -> T) -> T {
        let mut section = match self.root.get_mut(name).map(Value::take) {
            Some(Value::Object(section)) => section,
            _ => Map::new(),
        };
        let out = edit(&mut section);
        self.root.insert(name.to_owned(), Value::Object(section));
        out
    }

    /// Changes a section if there is one.
    fn edit_existing(&mut self, name: &str, edit: impl FnOnce(&mut Map<String, Value>)) {
        if let Some(Value::Object(section)) = self.root.get_mut(name) {
            edit(section);
        }
    }
}

fn object(bytes: &[u8]) -> Result<Map<String, Value>, Unreadable> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(root)) => Ok(root),
        Ok(_) => Err(Unreadable::Shape { section: "the whole file" }),
        Err(error) => Err(Unreadable::Syntax { line: error.line(), column: error.column() }),
    }
}

fn lookup<'a>(section: &'a Map<String, Value>, provider: &str) -> Option<&'a Value> {
    let found = section.get(provider);
    found.or_else(|| {
        section.iter().find(|(name, _)| name.trim().eq_ignore_ascii_case(provider)).map(|(_, value)| value)
    })
}

/// A whole number of milliseconds, however it is spelled.
fn ms(value: &Value) -> Option<i64> {
    // Other programs write numbers with a fraction; cutting it off is meant.
    value.as_i64().or_else(|| value.as_f64().map(|number| number as i64))
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned)
}

/// One stored credential. `Debug` shows no value.
#[derive(Clone)]
pub(crate) struct Profile {
    pub(crate) provider: ProviderId,
    pub(crate) proof: Proof,
    fields: Map<String, Value>,
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("provider", &self.provider)
            .field("proof", &self.proof)
            .finish_non_exhaustive()
    }
}

impl Profile {
    /// A text field that is not part of the proof: `email`, `accountId`, `resourceUrl`.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        text(&self.fields, name)
    }

    /// A point in time that is not part of the proof.
    pub(crate) fn time(&self, name: &str) -> Option<i64> {
        self.fields.get(name).and_then(ms)
    }

    /// A value of `metadata`.
    pub(crate) fn metadata(&self, name: &str) -> Option<String> {
        text(self.fields.get("metadata")?.as_object()?, name)
    }
}

/// What a profile proves itself with.
#[derive(Debug, Clone)]
pub(crate) enum Proof {
    Key(ApiKey),
    Token {
        token: ApiKey,
        expires: Option<i64>,
    },
    OAuth(OAuthProof),
    /// Something this program cannot use, and why.
    Unusable(&'static str),
}

/// A login's tokens.
#[derive(Debug, Clone)]
pub(crate) struct OAuthProof {
    pub(crate) access: ApiKey,
    pub(crate) refresh: Option<ApiKey>,
    pub(crate) expires: i64,
    pub(crate) client_id: Option<String>,
    /// The secret of that id, where the vendor wants one.
    pub(crate) client_secret: Option<ApiKey>,
}

impl Proof {
    fn read(fields: &Map<String, Value>) -> Self {
        let secret = |name: &str| text(fields, name).map(|value| ApiKey::new(&value));
        match fields.get("type").and_then(Value::as_str) {
            Some("api_key") => match secret("key") {
                Some(key) => Self::Key(key),
                None if fields.contains_key("keyRef") => Self::Unusable("its key is kept elsewhere (keyRef)"),
                None => Self::Unusable("it has no key"),
            },
            Some("token") => match secret("token") {
                Some(token) => {
                    Self::Token { token, expires: fields.get("expires").and_then(ms).filter(|at| *at > 0) }
                }
                None => Self::Unusable("it has no token"),
            },
            Some("oauth") => match secret("access") {
                Some(access) => Self::OAuth(OAuthProof {
                    access,
                    refresh: secret("refresh"),
                    expires: fields.get("expires").and_then(ms).unwrap_or(0),
                    client_id: text(fields, "clientId"),
                    client_secret: secret("clientSecret"),
                }),
                None => Self::Unusable("it has no access token"),
            },
            _ => Self::Unusable("its type is none this program knows"),
        }
    }

    /// How the rest of the house calls it.
    pub(crate) fn kind(&self) -> CredentialKind {
        match self {
            Self::Key(_) | Self::Unusable(_) => CredentialKind::ApiKey,
            Self::Token { .. } => CredentialKind::Token,
            Self::OAuth(_) => CredentialKind::OAuth,
        }
    }
}

/// How a profile fared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    pub(crate) last_used: Option<i64>,
    pub(crate) cooldown_until: Option<i64>,
    pub(crate) disabled_until: Option<i64>,
    pub(crate) disabled_reason: Option<String>,
    pub(crate) error_count: u32,
    pub(crate) failure_counts: BTreeMap<String, u32>,
    pub(crate) last_failure_at: Option<i64>,
}

impl Stats {
    fn read(fields: &Map<String, Value>) -> Self {
        let time = |name: &str| fields.get(name).and_then(ms).filter(|at| *at > 0);
        let count = |value: &Value| value.as_u64().map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let counts = fields.get("failureCounts").and_then(Value::as_object);
        Self {
            last_used: time("lastUsed"),
            cooldown_until: time("cooldownUntil"),
            disabled_until: time("disabledUntil"),
            disabled_reason: text(fields, "disabledReason"),
            error_count: fields.get("errorCount").and_then(count).unwrap_or(0),
            failure_counts: counts
                .into_iter()
                .flatten()
                .filter_map(|(reason, n)| Some((reason.clone(), count(n)?)))
                .collect_map(),
            last_failure_at: time("lastFailureAt"),
        }
    }

    fn write(&self, fields: &mut Map<String, Value>) {
        let mut set = |name: &str, value: Option<Value>| {
            match value {
                Some(value) => fields.insert(name.to_owned(), value),
                None => fields.remove(name),
            };
        };
        set("lastUsed", self.last_used.map(Value::from));
        set("cooldownUntil", self.cooldown_until.map(Value::from));
        set("disabledUntil", self.disabled_until.map(Value::from));
        set("disabledReason", self.disabled_reason.clone().map(Value::from));
        set("errorCount", Some(Value::from(self.error_count)));
        let counts = (!self.failure_counts.is_empty()).then(|| json!(self.failure_counts));
        set("failureCounts", counts);
        set("lastFailureAt", self.last_failure_at.map(Value::from));
    }
}

#[cfg(test)]
mod tests;
