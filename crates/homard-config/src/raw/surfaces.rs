//! Shape of the `talk` and `discovery` sections.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::raw::value::SecretText;

/// Speaking with the assistant.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "handed to clients as written, by `talk.config`")]
pub(crate) struct Talk {
    /// Voice.
    pub(crate) voice_id: Option<String>,
    /// Names for voices.
    pub(crate) voice_aliases: Option<BTreeMap<String, String>>,
    /// Model.
    ///
    /// Default: `eleven_v3`.
    pub(crate) model_id: Option<String>,
    /// Sound format.
    ///
    /// Default: `mp3_44100_128`.
    pub(crate) output_format: Option<String>,
    /// Key.
    pub(crate) api_key: Option<SecretText>,
    /// Stop when the person speaks.
    ///
    /// Default: `true`.
    pub(crate) interrupt_on_speech: Option<bool>,
    /// Newer: who speaks.
    pub(crate) provider: Option<String>,
    /// Newer: settings per provider.
    pub(crate) providers: Option<Value>,
    /// Newer: live conversation.
    pub(crate) realtime: Option<Value>,
}

/// Being found on the local network.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Mdns {
    /// How much is announced.
    ///
    /// Default: `minimal`.
    #[schemars(extend("enum" = ["off","minimal","full"]))]
    pub(crate) mode: Option<String>,
}

/// Being found.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Discovery {
    /// Local network.
    pub(crate) mdns: Option<Mdns>,
}
