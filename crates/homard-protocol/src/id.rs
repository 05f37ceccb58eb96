//! Names of things, as types that cannot be mixed up.
//!
//! Two families: *slugs*, which appear inside session keys and file names and so are restricted to
//! `[a-z0-9][a-z0-9_-]{0,63}`; and *opaque* ids, which come from outside and are only required to be
//! non-empty, bounded and free of control characters. Both are checked once, when they are made.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

/// Longest slug, in bytes.
pub const MAX_SLUG_LEN: usize = 64;
/// Longest opaque id, in bytes; also the longest session key clients may send.
pub const MAX_OPAQUE_LEN: usize = 512;

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("{what} is empty")]
    Empty { what: &'static str },
    /// Too long for its family.
    #[error("{what} is longer than {limit} bytes")]
    TooLong {
        what: &'static str,
        /// The limit that was exceeded.
        limit: usize,
    },
    /// A character its family does not allow.
    #[error("{what} has a character that is not allowed: {character:?} in `{text}`")]
    BadCharacter { what: &'static str, character: char, text: String },
    /// `provider/model` without a slash or with an empty side.
    #[error("`{text}` is not a model reference: write it as provider/model")]
    NotAModelRef { text: String },
}

/// Bends free text into a slug the way clients do: lower case, runs of anything else become one `-`,
/// edges trimmed, cut at [`MAX_SLUG_LEN`]. `None` when nothing is left.
#[must_use]
pub fn slugify(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len().min(MAX_SLUG_LEN));
    for c in text.trim().chars().flat_map(char::to_lowercase) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-' {
            out.push(c);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    let trimmed = out.trim_matches('-');
    let cut: String = trimmed.chars().take(MAX_SLUG_LEN).collect();
    let start = cut.trim_start_matches(['-', '_']);
    (!start.is_empty()).then(|| start.to_owned())
}

fn check_slug(what: &'static str, text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty { what });
    }
    if text.len() > MAX_SLUG_LEN {
        return Err(IdError::TooLong { what, limit: MAX_SLUG_LEN });
    }
    let bad = text
        .char_indices()
        .find(|&(i, c)| !(c.is_ascii_lowercase() || c.is_ascii_digit() || (i > 0 && (c == '_' || c == '-'))));
    match bad {
        Some((_, character)) => Err(IdError::BadCharacter { what, character, text: text.to_owned() }),
        None => Ok(()),
    }
}

fn check_opaque(what: &'static str, text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty { what });
    }
    if text.len() > MAX_OPAQUE_LEN {
        return Err(IdError::TooLong { what, limit: MAX_OPAQUE_LEN });
    }
    match text.chars().find(|c| c.is_control()) {
        Some(character) => Err(IdError::BadCharacter { what, character, text: text.to_owned() }),
        None => Ok(()),
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $check:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and takes a text.
            ///
            /// # Errors
            /// When the text breaks the rules of this id's family.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                $check($what, text)?;
                Ok(Self(Arc::from(text)))
            }

            /// The text itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;
            fn from_str(text: &str) -> Result<Self, IdError> {
                Self::parse(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(text: String) -> Result<Self, IdError> {
                $check($what, &text)?;
                Ok(Self(Arc::from(text)))
            }
        }

        impl From<Uuid> for $name {
            fn from(fresh: Uuid) -> Self {
                Self(fresh.to_string().into())
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.as_ref().to_owned()
            }
        }

        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), &*self.0)
            }
        }
    };
}

id!(/// One configured agent; `main` unless the owner says otherwise.
    AgentId, "agent id", check_slug);
id!(/// One account on a chat platform; `default` unless the owner runs several.
    AccountId, "account id", check_slug);
id!(/// A chat platform: `telegram`, `irc`, `webchat` and so on.
    ChannelId, "channel id", check_slug);
id!(/// A person, group or room as its platform names it.
    PeerId, "peer id", check_opaque);
id!(/// A thread or topic inside a conversation.
    ThreadId, "thread id", check_opaque);
id!(/// One conversation's transcript; a session key gets a new one at every reset.
    SessionId, "session id", check_opaque);
id!(/// One turn of an agent; equal to the idempotency key of the request that asked for it.
    RunId, "run id", check_opaque);
id!(/// One call of a tool, as the model names it.
    ToolCallId, "tool call id", check_opaque);
id!(/// A client's key pair: hex SHA-256 of its Ed25519 public key. A node is named by its device's.
    DeviceId, "device id", check_opaque);
id!(/// One WebSocket connection.
    ConnId, "connection id", check_opaque);
id!(/// One line of a transcript.
    EntryId, "entry id", check_opaque);
id!(/// A job that runs by the clock.
    JobId, "job id", check_opaque);
id!(/// A question to a person: may this be done?
    ApprovalId, "approval id", check_opaque);
id!(/// A configured model provider.
    ProviderId, "provider id", check_opaque);
id!(/// A model as its provider names it; may contain slashes.
    ModelId, "model id", check_opaque);

/// Reads an id that clients may have padded with blanks; nothing but blanks is no id.
///
/// # Errors
/// When the text breaks the rules of this id's family.
pub(crate) fn padded<'de, D, I>(from: D) -> Result<Option<I>, D::Error>
where
    D: Deserializer<'de>,
    I: FromStr<Err = IdError>,
{
    let text = Option::<String>::deserialize(from)?.unwrap_or_default();
    let id = Some(text.trim()).filter(|text| !text.is_empty()).map(str::parse);
    id.transpose().map_err(D::Error::custom)
}

impl AgentId {
    /// The agent that exists when the owner configured none.
    #[must_use]
    pub fn main() -> Self {
        Self(Arc::from("main"))
    }
}

impl DeviceId {
    /// The device whose public key has this SHA-256.
    #[must_use]
    pub fn of_key(hash: [u8; 32]) -> Self {
        Self(hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into())
    }
}

impl Default for AgentId {
    fn default() -> Self {
        Self::main()
    }
}

impl ChannelId {
    /// The channel of messages that operators send themselves, from the page, the command line or a program.
    #[must_use]
    pub fn operator() -> Self {
        Self(Arc::from("webchat"))
    }
}

impl AccountId {
    /// The account that exists when the owner configured none.
    #[must_use]
    pub fn default_account() -> Self {
        Self(Arc::from("default"))
    }
}

/// Which model, at which provider. Spelled `provider/model` only at the edges.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct ModelRef {
    pub provider: ProviderId,
    /// The provider's own name for the model.
    pub model: ModelId,
}

impl ModelRef {
    /// Reads `provider/model`; the model may contain further slashes.
    ///
    /// # Errors
    /// When there is no slash or a side is empty.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let not = || IdError::NotAModelRef { text: text.to_owned() };
        let (provider, model) = text.trim().split_once('/').ok_or_else(not)?;
        if provider.trim().is_empty() || model.trim().is_empty() {
            return Err(not());
        }
        Ok(Self {
            provider: ProviderId::parse(&provider.trim().to_lowercase())?,
            model: ModelId::parse(model.trim())?,
        })
    }
}

impl FromStr for ModelRef {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for ModelRef {
    type Error = IdError;
    fn try_from(text: String) -> Result<Self, IdError> {
        Self::parse(&text)
    }
}

impl From<ModelRef> for String {
    fn from(model: ModelRef) -> Self {
        model.to_string()
    }
}

impl fmt::Display for ModelRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider, self.model)
    }
}

#[cfg(test)]
mod tests;
