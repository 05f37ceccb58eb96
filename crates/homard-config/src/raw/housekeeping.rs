//! Shapes of the sections that keep the house: `meta`, `env`, `wizard`, `update`, `logging`, `diagnostics`,
//! `auth`.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::config::logging::{ConsoleStyle, LogLevel, RedactSensitive};
use crate::config::update::UpdateChannel;
use crate::raw::value::SecretText;

/// Stamps left by the last write.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "stamps; the loader looks at them in the value")]
pub(crate) struct Meta {
    /// Version of the program that last wrote this file.
    pub(crate) last_touched_version: Option<String>,
    /// When this file was last written by a program.
    pub(crate) last_touched_at: Option<String>,
}

/// Importing missing keys from the owner's login shell.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "the loader takes it from the value, before references are resolved")]
pub(crate) struct ShellEnv {
    /// Run the login shell once and import expected keys that are not set.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// How long the login shell may take, in milliseconds.
    ///
    /// Default: `15000`.
    pub(crate) timeout_ms: Option<u64>,
}

/// What the setup wizard did last.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "stamps for people")]
pub(crate) struct Wizard {
    /// When a wizard last ran.
    pub(crate) last_run_at: Option<String>,
    /// Version of the program whose wizard ran.
    pub(crate) last_run_version: Option<String>,
    /// Source revision of that program.
    pub(crate) last_run_commit: Option<String>,
    /// Which command started the wizard.
    pub(crate) last_run_command: Option<String>,
    /// What kind of gateway it set up.
    #[schemars(extend("enum" = ["local","remote"]))]
    pub(crate) last_run_mode: Option<String>,
}

/// Where newer programs come from, and which.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// Which releases to follow.
    ///
    /// Default: `stable`.
    pub(crate) channel: Option<UpdateChannel>,
    /// Where releases lie: an https address, or a folder. There is no public one yet.
    pub(crate) source: Option<String>,
    /// Ed25519 key of whoever makes the releases, as PEM text or in base64. A release behind an address is taken only
    /// with its signature.
    pub(crate) public_key: Option<String>,
}

/// What is logged, where, and how much of it.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Logging {
    /// How much goes to the log file.
    ///
    /// Default: `info`.
    pub(crate) level: Option<LogLevel>,
    /// Log file; one file a day under the system's temporary directory when unset.
    pub(crate) file: Option<String>,
    /// Largest size of one log file, in bytes.
    pub(crate) max_file_bytes: Option<u64>,
    /// How much goes to the terminal.
    ///
    /// Default: `info`.
    pub(crate) console_level: Option<LogLevel>,
    /// How terminal lines look.
    ///
    /// Default: `pretty`.
    pub(crate) console_style: Option<ConsoleStyle>,
    /// Whether secrets in tool summaries are masked.
    ///
    /// Default: `tools`.
    pub(crate) redact_sensitive: Option<RedactSensitive>,
    /// Further patterns whose matches are masked.
    pub(crate) redact_patterns: Option<Vec<String>>,
}

/// Sending traces and metrics to a collector.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Otel {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub(crate) enabled: Option<bool>,
    /// Address of the collector.
    pub(crate) endpoint: Option<String>,
    /// How to speak to it.
    ///
    /// Default: `http/protobuf`.
    #[schemars(extend("enum" = ["http/protobuf","grpc"]))]
    pub(crate) protocol: Option<String>,
    /// Headers sent with every export.
    pub(crate) headers: Option<BTreeMap<String, SecretText>>,
    /// Name under which this gateway appears.
    pub(crate) service_name: Option<String>,
    /// Send traces.
    pub(crate) traces: Option<bool>,
    /// Share of traces kept.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(crate) sample_rate: Option<f64>,
    /// Time between exports, in milliseconds.
    pub(crate) flush_interval_ms: Option<u64>,
}

/// Self-observation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Diagnostics {
    /// Turn diagnostics on.
    pub(crate) enabled: Option<bool>,
    /// OpenTelemetry export.
    pub(crate) otel: Option<Otel>,
}

/// One named way to sign in at a provider; holds no secret.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AuthProfile {
    /// Provider it belongs to.
    pub(crate) provider: Option<String>,
    /// Kind of credential. With `oauth` or `token` of Anthropic, heartbeats are an hour apart unless told otherwise.
    #[schemars(extend("enum" = ["api_key","oauth","token"]))]
    pub(crate) mode: Option<String>,
}

/// How long a failing credential rests.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AuthCooldowns {
    /// First rest after a billing failure, in hours.
    ///
    /// Default: `5`.
    pub(crate) billing_backoff_hours: Option<f64>,
    /// The same, per provider.
    pub(crate) billing_backoff_hours_by_provider: Option<BTreeMap<String, f64>>,
    /// Longest rest after billing failures, in hours.
    ///
    /// Default: `24`.
    pub(crate) billing_max_hours: Option<f64>,
    /// How far back failures count, in hours.
    ///
    /// Default: `24`.
    pub(crate) failure_window_hours: Option<f64>,
}

/// Which credentials are used in which order.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Auth {
    /// Named credentials.
    pub(crate) profiles: Option<BTreeMap<String, AuthProfile>>,
    /// Order of credentials per provider.
    pub(crate) order: Option<BTreeMap<String, Vec<String>>>,
    /// Rests after failures.
    pub(crate) cooldowns: Option<AuthCooldowns>,
}
