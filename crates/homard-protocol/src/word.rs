//! Closed lists of words, and words of a list that may have grown.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes an enum that stands on the wire as one word, the same that `as_str` and `Display` give.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::word::UnknownWord;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = [$(Self::$variant,)+].into_iter().find(|known| known.as_str() == text);
                found.ok_or_else(|| $crate::word::UnknownWord(text.to_owned()))
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

/// A word that is not in its list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a word that is known here")]
pub struct UnknownWord(pub(crate) String);

/// A word a client sent: one we know, or one that only a newer client does and that is left to whoever reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
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
}

impl<W: std::fmt::Display> std::fmt::Display for Word<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(word) => word.fmt(f),
            Self::Other(word) => f.write_str(word),
        }
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
