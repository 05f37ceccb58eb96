//! `update`: where newer programs come from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::raw::housekeeping as raw;

/// Which releases are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UpdateChannel {
    #[default]
    Stable,
    ExtendedStable,
    Beta,
    Dev,
}

impl UpdateChannel {
    /// The word of the file, and the folder of a release source.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::ExtendedStable => "extended-stable",
            Self::Beta => "beta",
            Self::Dev => "dev",
        }
    }
}

/// Decided `update`. Whether the key is one is for whoever checks signatures with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    pub channel: UpdateChannel,
    /// Where releases lie, as it is written.
    pub source: Option<String>,
    /// The key releases are signed with, as it is written.
    pub public_key: Option<String>,
}

impl Update {
    pub(crate) fn resolve(raw: raw::Update) -> Self {
        let told = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        Self {
            channel: raw.channel.unwrap_or_default(),
            source: told(raw.source),
            public_key: told(raw.public_key),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Update, UpdateChannel};

    #[test]
    fn what_is_empty_is_not_set_and_the_usual_channel_is_stable() {
        let read = |value| Update::resolve(serde_json::from_value(value).unwrap());
        assert_eq!(read(json!({ "source": " ", "publicKey": "" })), Update::default());
        assert_eq!(read(json!({ "channel": "extended-stable" })).channel, UpdateChannel::ExtendedStable);
        for channel in
            [UpdateChannel::Stable, UpdateChannel::ExtendedStable, UpdateChannel::Beta, UpdateChannel::Dev]
        {
            assert_eq!(json!(channel), json!(channel.word()));
        }
    }
}
