//! `models.probe`, `models.authSetApiKey`, `models.authLogout` and `models.authImport`: trying credentials and
//! putting them where they belong. No answer holds a value.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::word::words;

/// Longest wait for one answer that can be asked for, in milliseconds.
pub const MAX_PROBE_MS: u64 = 120_000;
/// Longest key that is taken, in bytes.
pub const MAX_KEY_BYTES: usize = 16 * 1024;

/// `models.probe`: ask a provider for one word with each of its credentials.
#[derive(Debug)]
pub struct ModelsProbe;

impl Method for ModelsProbe {
    const NAME: &'static str = "models.probe";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = ModelsProbeParams;
    type Result = ModelsProbeResult;
}

/// Parameters of [`ModelsProbe`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelsProbeParams {
    pub provider: String,
    /// Only with this credential.
    pub profile_id: Option<String>,
    /// Longest wait for each.
    pub timeout_ms: Option<u64>,
    pub agent_id: Option<AgentId>,
}

/// Answer of [`ModelsProbe`]: the best of what its credentials brought, and each of them.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsProbeResult {
    pub provider: String,
    pub status: ProbeStatus,
    /// How long the answer took.
    pub latency_ms: Option<u64>,
    /// Why there was none.
    pub error: Option<String>,
    pub results: Vec<ProbeOutcome>,
}

words! {
    /// What came of trying a credential, the best first.
    #[derive(PartialOrd, Ord)]
    ProbeStatus {
        Ok = "ok",
        RateLimit = "rate_limit",
        Billing = "billing",
        Timeout = "timeout",
        Unknown = "unknown",
        Format = "format",
        Auth = "auth",
        /// The provider has no model to ask.
        NoModel = "no_model",
    }
}

/// What one credential brought.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProbeOutcome {
    /// Which; none when there is none to try.
    pub profile_id: Option<String>,
    /// Its name for people.
    pub label: String,
    pub status: ProbeStatus,
    /// How long the answer took.
    pub latency_ms: Option<u64>,
    /// Why there was none.
    pub error: Option<String>,
    /// What can be done about it.
    pub hint: Option<String>,
    /// The model that was asked.
    pub model: Option<String>,
}

/// `models.authSetApiKey`: keep a key with the credentials.
#[derive(Debug)]
pub struct ModelsAuthSetApiKey;

impl Method for ModelsAuthSetApiKey {
    const NAME: &'static str = "models.authSetApiKey";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = ModelsAuthSetApiKeyParams;
    type Result = ModelsAuthSetApiKeyResult;
}

/// Parameters of [`ModelsAuthSetApiKey`]. `Debug` does not show the key.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelsAuthSetApiKeyParams {
    pub provider: String,
    pub api_key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

impl fmt::Debug for ModelsAuthSetApiKeyParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelsAuthSetApiKeyParams").field("provider", &self.provider).finish_non_exhaustive()
    }
}

/// Answer of [`ModelsAuthSetApiKey`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsAuthSetApiKeyResult {
    pub provider: String,
    /// What it is kept as.
    pub profile_id: String,
    /// What the person should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// `models.authLogout`: forget stored credentials.
#[derive(Debug)]
pub struct ModelsAuthLogout;

impl Method for ModelsAuthLogout {
    const NAME: &'static str = "models.authLogout";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = ModelsAuthLogoutParams;
    type Result = ModelsAuthLogoutResult;
}

/// Which credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CredentialType {
    ApiKey,
}

/// Parameters of [`ModelsAuthLogout`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelsAuthLogoutParams {
    pub provider: String,
    /// Only these; all when left out.
    pub profile_ids: Option<Vec<String>>,
    /// `api_key`: only keys, no logins.
    pub credential_type: Option<CredentialType>,
    pub agent_id: Option<AgentId>,
}

/// Answer of [`ModelsAuthLogout`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsAuthLogoutResult {
    pub provider: String,
    pub removed_profiles: Vec<String>,
    /// Runs that were stopped for it; none are.
    pub aborted_run_ids: Vec<String>,
    /// What the person should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// `models.authImport`: logins other programs on the gateway's machine have made, and taking one over.
#[derive(Debug)]
pub struct ModelsAuthImport;

impl Method for ModelsAuthImport {
    const NAME: &'static str = "models.authImport";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    const RATE_LIMITED: bool = true;
    type Params = ModelsAuthImportParams;
    type Result = ModelsAuthImportResult;
}

/// Parameters of [`ModelsAuthImport`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelsAuthImportParams {
    /// The program whose login is taken over; without it nothing is, and what was found is told.
    pub program: Option<String>,
    pub agent_id: Option<AgentId>,
}

/// Answer of [`ModelsAuthImport`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsAuthImportResult {
    pub found: Vec<FoundLogin>,
}

/// A login of another program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundLogin {
    pub program: String,
    /// The file, from the home directory.
    pub file: String,
    /// Whose models it is for.
    pub provider: String,
    /// What it was kept as, when it was taken over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_id: Option<String>,
}
