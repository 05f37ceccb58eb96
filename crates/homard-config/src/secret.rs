//! Texts that must not be printed.
//!
//! [`Secret`] is the only type the rest of the house holds a credential in; `expose()` is the one greppable
//! way to read it.

use serde::{Deserialize, Serialize, Serializer};

/// What stands in place of a secret in values handed to clients; written back, it means "unchanged".
pub const REDACTED: &str = "__OPENCLAW_REDACTED__";
/// What stands in place of a secret in texts for people.
pub(crate) const MASK: &str = "••••";

/// A credential. `Debug` masks it, `Serialize` writes the redaction sentinel, there is no `Display`.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Takes a text that must not be printed from here on.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself; use it where it goes on the wire and nowhere else.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

#[cfg(test)]
mod tests;
