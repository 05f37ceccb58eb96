//! Shape of the `browser`, `talk`, `discovery`, `canvasHost`, `nodeHost`, `web` and `audio` sections.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::raw::value::SecretText;

/// One browser.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BrowserProfile {
    /// Control port.
    #[schemars(range(min = 1))]
    pub(crate) cdp_port: Option<u16>,
    /// Control address.
    pub(crate) cdp_url: Option<String>,
    /// How it is driven.
    pub(crate) driver: Option<String>,
    /// Colour of its frame.
    #[schemars(extend("format" = "hex-color"))]
    pub(crate) color: Option<String>,
}

/// The browser agents use.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Browser {
    /// Offer it.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Let agents run scripts in pages.
    ///
    /// Default: `true`.
    pub(crate) evaluate_enabled: Option<bool>,
    /// Control address.
    pub(crate) cdp_url: Option<String>,
    /// Longest wait for it, in milliseconds.
    ///
    /// Default: `1500`.
    pub(crate) remote_cdp_timeout_ms: Option<u64>,
    /// Longest greeting, in milliseconds.
    pub(crate) remote_cdp_handshake_timeout_ms: Option<u64>,
    /// Colour of its frame.
    ///
    /// Default: `#FF4500`.
    #[schemars(extend("format" = "hex-color"))]
    pub(crate) color: Option<String>,
    /// Program to start.
    pub(crate) executable_path: Option<String>,
    /// Run without a screen.
    ///
    /// Default: `false`.
    pub(crate) headless: Option<bool>,
    /// Run without its own sandbox.
    ///
    /// Default: `false`.
    pub(crate) no_sandbox: Option<bool>,
    /// Never start one.
    ///
    /// Default: `false`.
    pub(crate) attach_only: Option<bool>,
    /// First control port.
    #[schemars(range(min = 1))]
    pub(crate) cdp_port_range_start: Option<u16>,
    /// Profile used.
    ///
    /// Default: `chrome`.
    pub(crate) default_profile: Option<String>,
    /// Profiles.
    pub(crate) profiles: Option<BTreeMap<String, BrowserProfile>>,
    /// How pages are shown to the model.
    pub(crate) snapshot_defaults: Option<Value>,
    /// Which private addresses may be opened.
    pub(crate) ssrf_policy: Option<Value>,
    /// Further arguments.
    pub(crate) extra_args: Option<Vec<String>>,
}

/// Speaking with the assistant.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
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

/// Being found beyond it.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WideArea {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Domain announced.
    pub(crate) domain: Option<String>,
}

/// Being found.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Discovery {
    /// Local network.
    pub(crate) mdns: Option<Mdns>,
    /// Beyond it.
    pub(crate) wide_area: Option<WideArea>,
}

/// Pages agents make.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CanvasHost {
    /// Serve them.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Directory.
    pub(crate) root: Option<String>,
    /// Port.
    ///
    /// Default: `18793`.
    #[schemars(range(min = 1))]
    pub(crate) port: Option<u16>,
    /// Reload on change.
    ///
    /// Default: `true`.
    pub(crate) live_reload: Option<bool>,
}

/// Lending this machine's browser.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BrowserProxy {
    /// Lend it.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Profiles lent.
    pub(crate) allow_profiles: Option<Vec<String>>,
}

/// This machine as a node.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NodeHost {
    /// Lending the browser.
    pub(crate) browser_proxy: Option<BrowserProxy>,
}

/// Trying again after a lost connection.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Reconnect {
    /// First wait, in milliseconds.
    ///
    /// Default: `2000`.
    pub(crate) initial_ms: Option<u64>,
    /// Longest wait, in milliseconds.
    ///
    /// Default: `30000`.
    pub(crate) max_ms: Option<u64>,
    /// Growth.
    ///
    /// Default: `1.8`.
    pub(crate) factor: Option<f64>,
    /// Randomness.
    ///
    /// Default: `0.25`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) jitter: Option<f64>,
    /// Most tries; 0 means without end.
    ///
    /// Default: `12`.
    pub(crate) max_attempts: Option<u64>,
}

/// The web-based chat connection.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WebChannel {
    /// Turn it on.
    ///
    /// Default: `true`.
    pub(crate) enabled: Option<bool>,
    /// Seconds between signs of life.
    ///
    /// Default: `60`.
    pub(crate) heartbeat_seconds: Option<u64>,
    /// Trying again.
    pub(crate) reconnect: Option<Reconnect>,
}
