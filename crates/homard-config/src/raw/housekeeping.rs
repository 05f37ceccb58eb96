//! Shapes of the sections that keep the house: `meta`, `env`, `wizard`, `update`, `logging`, `diagnostics`, `ui`, `auth`, `secrets`.
//!
//! Doc comments are the help people read; what the values mean is decided in [`crate::config`].

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::config::logging::{ConsoleStyle, LogLevel, RedactSensitive};
use crate::raw::value::SecretText;

/// Stamps left by the last write.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Meta {
    /// Version of the program that last wrote this file.
    pub last_touched_version: Option<String>,
    /// When this file was last written by a program.
    pub last_touched_at: Option<String>,
}

/// Importing missing keys from the owner's login shell.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShellEnv {
    /// Run the login shell once and import expected keys that are not set.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// How long the login shell may take, in milliseconds.
    ///
    /// Default: `15000`.
    pub timeout_ms: Option<u64>,
}

/// What the setup wizard did last.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Wizard {
    /// When a wizard last ran.
    pub last_run_at: Option<String>,
    /// Version of the program whose wizard ran.
    pub last_run_version: Option<String>,
    /// Source revision of that program.
    pub last_run_commit: Option<String>,
    /// Which command started the wizard.
    pub last_run_command: Option<String>,
    /// What kind of gateway it set up.
    #[schemars(extend("enum" = ["local","remote"]))]
    pub last_run_mode: Option<String>,
}

/// How updates are looked for.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Update {
    /// Which releases to follow.
    ///
    /// Default: `stable`.
    #[schemars(extend("enum" = ["stable","beta","dev","extended-stable"]))]
    pub channel: Option<String>,
    /// Look for a newer release at start, once a day.
    ///
    /// Default: `true`.
    pub check_on_start: Option<bool>,
}

/// What is logged, where, and how much of it.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Logging {
    /// How much goes to the log file.
    ///
    /// Default: `info`.
    pub level: Option<LogLevel>,
    /// Log file; one file a day under the system's temporary directory when unset.
    pub file: Option<String>,
    /// Largest size of one log file, in bytes.
    pub max_file_bytes: Option<u64>,
    /// How much goes to the terminal.
    ///
    /// Default: `info`.
    pub console_level: Option<LogLevel>,
    /// How terminal lines look.
    ///
    /// Default: `pretty`.
    pub console_style: Option<ConsoleStyle>,
    /// Whether secrets in tool summaries are masked.
    ///
    /// Default: `tools`.
    pub redact_sensitive: Option<RedactSensitive>,
    /// Further patterns whose matches are masked.
    pub redact_patterns: Option<Vec<String>>,
}

/// Sending traces and metrics to a collector.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Otel {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// Address of the collector.
    pub endpoint: Option<String>,
    /// How to speak to it.
    ///
    /// Default: `http/protobuf`.
    #[schemars(extend("enum" = ["http/protobuf","grpc"]))]
    pub protocol: Option<String>,
    /// Headers sent with every export.
    pub headers: Option<BTreeMap<String, SecretText>>,
    /// Name under which this gateway appears.
    pub service_name: Option<String>,
    /// Send traces.
    pub traces: Option<bool>,
    /// Send metrics.
    pub metrics: Option<bool>,
    /// Send log records.
    pub logs: Option<bool>,
    /// Share of traces kept.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub sample_rate: Option<f64>,
    /// Time between exports, in milliseconds.
    pub flush_interval_ms: Option<u64>,
}

/// Recording what was sent to a model, for cache debugging.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CacheTrace {
    /// Turn it on.
    ///
    /// Default: `false`.
    pub enabled: Option<bool>,
    /// File to append to.
    pub file_path: Option<String>,
    /// Record messages.
    pub include_messages: Option<bool>,
    /// Record prompts.
    pub include_prompt: Option<bool>,
    /// Record the system prompt.
    pub include_system: Option<bool>,
}

/// Self-observation.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Diagnostics {
    /// Turn diagnostics on.
    pub enabled: Option<bool>,
    /// Names of extra diagnostics.
    pub flags: Option<Vec<String>>,
    /// OpenTelemetry export.
    pub otel: Option<Otel>,
    /// Prompt cache traces.
    pub cache_trace: Option<CacheTrace>,
}

/// How the assistant appears on the page.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assistant {
    /// Name shown.
    #[schemars(length(max = 50))]
    pub name: Option<String>,
    /// Picture or emoji shown.
    #[schemars(length(max = 200))]
    pub avatar: Option<String>,
}

/// Looks of the Control UI.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ui {
    /// Accent colour, as six hex digits.
    #[schemars(extend("format" = "hex-color"))]
    pub seam_color: Option<String>,
    /// The assistant's appearance.
    pub assistant: Option<Assistant>,
    /// Preferences saved by the page.
    pub prefs: Option<Value>,
}

/// One named way to sign in at a provider; holds no secret.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthProfile {
    /// Provider it belongs to.
    pub provider: Option<String>,
    /// Kind of credential.
    #[schemars(extend("enum" = ["api_key","oauth","token"]))]
    pub mode: Option<String>,
    /// Account it belongs to.
    pub email: Option<String>,
}

/// How long a failing credential rests.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuthCooldowns {
    /// First rest after a billing failure, in hours.
    ///
    /// Default: `5`.
    pub billing_backoff_hours: Option<f64>,
    /// The same, per provider.
    pub billing_backoff_hours_by_provider: Option<BTreeMap<String, f64>>,
    /// Longest rest after billing failures, in hours.
    ///
    /// Default: `24`.
    pub billing_max_hours: Option<f64>,
    /// How far back failures count, in hours.
    ///
    /// Default: `24`.
    pub failure_window_hours: Option<f64>,
}

/// Which credentials are used in which order.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Auth {
    /// Named credentials.
    pub profiles: Option<BTreeMap<String, AuthProfile>>,
    /// Order of credentials per provider.
    pub order: Option<BTreeMap<String, Vec<String>>>,
    /// Rests after failures.
    pub cooldowns: Option<AuthCooldowns>,
}

/// A place secrets are fetched from.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretProvider {
    /// Kind of place.
    #[schemars(extend("enum" = ["env","file","exec","store"]))]
    pub source: Option<String>,
    /// Variables that may be read.
    pub allowlist: Option<Vec<String>>,
    /// File that holds the secrets.
    pub path: Option<String>,
    /// How the file is read.
    #[schemars(extend("enum" = ["json","singleValue"]))]
    pub mode: Option<String>,
    /// Longest wait, in milliseconds.
    #[schemars(range(min = 1, max = 120000))]
    pub timeout_ms: Option<u64>,
    /// Largest file, in bytes.
    #[schemars(range(min = 1, max = 20971520))]
    pub max_bytes: Option<u64>,
    /// Absolute path of the program that prints the secret.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Option<Vec<String>>,
    /// Variables handed to it.
    pub pass_env: Option<Vec<String>>,
    /// Directories the program may live in.
    pub trusted_dirs: Option<Vec<String>>,
}

/// Which provider a secret reference means when it names none.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SecretDefaults {
    /// For `env` references.
    pub env: Option<String>,
    /// For `file` references.
    pub file: Option<String>,
    /// For `exec` references.
    pub exec: Option<String>,
    /// For `store` references.
    pub store: Option<String>,
}

/// Where secret references are looked up.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Secrets {
    /// Named places.
    pub providers: Option<BTreeMap<String, SecretProvider>>,
    /// Default place per kind.
    pub defaults: Option<SecretDefaults>,
}
