//! Closed lists of words, and words of a list that may have grown.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::{DeserializeSeed, EnumAccess, Error, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Makes an enum that stands on the wire as one word, the same that `as_str` and `Display` give.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// All words of the list, in its order.
            pub const WORDS: &'static [&'static str] = &[$($word,)+];

            const MEMBERS: &'static [Self] = &[$(Self::$variant,)+];

            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let list = $crate::word::WordList { name: stringify!($name), words: Self::WORDS };
                let at = list.read(from)?;
                Self::MEMBERS.get(at).copied().ok_or_else(|| serde::de::Error::custom("a word beyond its list"))
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::word::UnknownWord;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::MEMBERS.iter().find(|known| known.as_str() == text);
                found.copied().ok_or_else(|| $crate::word::UnknownWord(text.to_owned()))
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use words;

/// A closed list, from which one word is read. What serde would make anew for every list is made once, and says the
/// same where a word is wrong.
#[derive(Clone, Copy)]
pub(crate) struct WordList {
    pub(crate) name: &'static str,
    pub(crate) words: &'static [&'static str],
}

impl WordList {
    /// Where in the list the word is.
    pub(crate) fn read<'de, D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_enum(self.name, self.words, self)
    }
}

impl<'de> Visitor<'de> for WordList {
    type Value = usize;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "enum {}", self.name)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, chosen: A) -> Result<usize, A::Error> {
        let (at, nothing_else) = chosen.variant_seed(Place(self.words))?;
        nothing_else.unit_variant()?;
        Ok(at)
    }
}

/// Reads a word as its place in a list.
struct Place(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Place {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Place {
    type Value = usize;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("variant identifier")
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<usize, E> {
        self.0.iter().position(|known| *known == word).ok_or_else(|| E::unknown_variant(word, self.0))
    }
}

/// A word that is not in its list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a word that is known here")]
pub struct UnknownWord(pub(crate) String);

/// A word from elsewhere (a client, a file): one we know, or one that only a newer version does or that people spell
/// their own way, and that is left to whoever reads it.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String")]
pub enum Word<W> {
    Known(W),
    Other(String),
}

impl<W: Copy> Word<W> {
    /// The word, if we know it.
    pub fn known(&self) -> Option<W> {
        match self {
            Self::Known(word) => Some(*word),
            Self::Other(_) => None,
        }
    }

    /// The word, if we know it or `parse` understands it.
    pub fn read(&self, parse: impl FnOnce(&str) -> Option<W>) -> Option<W> {
        match self {
            Self::Known(word) => Some(*word),
            Self::Other(text) => parse(text),
        }
    }
}

impl<W: AsRef<str>> Word<W> {
    /// As it is written.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(word) => word.as_ref(),
            Self::Other(word) => word,
        }
    }
}

impl<W> Default for Word<W> {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl<W> From<W> for Word<W> {
    fn from(word: W) -> Self {
        Self::Known(word)
    }
}

impl<W: FromStr> Word<W> {
    /// The word of a text.
    pub fn of(text: impl Into<String> + AsRef<str>) -> Self {
        text.as_ref().parse().map_or_else(|_unknown| Self::Other(text.into()), Self::Known)
    }
}

impl<W: AsRef<str>> Display for Word<W> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<W: AsRef<str>> Serialize for Word<W> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de, W: FromStr> Deserialize<'de> for Word<W> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self::of)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Word;
    use crate::methods::cron::CronDeliveryStatus as Status;

    #[test]
    fn a_word_is_written_shown_and_read_alike() {
        assert_eq!(serde_json::to_value(Status::NotDelivered).unwrap(), json!("not-delivered"));
        assert_eq!(serde_json::from_value::<Status>(json!("unknown")).unwrap().to_string(), "unknown");
        assert!(serde_json::from_value::<Status>(json!("green")).is_err());
        assert_eq!("not-delivered".parse(), Ok(Status::NotDelivered));
        assert!("Unknown".parse::<Status>().is_err());
    }

    #[test]
    fn a_word_that_is_not_known_yet_is_kept() {
        for (word, known) in [("not-delivered", Some(Status::NotDelivered)), ("green", None), ("", None)] {
            let read: Word<Status> = serde_json::from_value(json!(word)).unwrap();
            assert_eq!((read.known(), read.to_string().as_str()), (known, word));
            assert_eq!(serde_json::to_value(read).unwrap(), json!(word));
        }
    }
}
