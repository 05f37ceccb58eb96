//! `models.authStatus`: which providers can be called, and with what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;

/// `models.authStatus`: the health of credentials, never their values.
#[derive(Debug)]
pub struct ModelsAuthStatus;

impl Method for ModelsAuthStatus {
    const NAME: &'static str = "models.authStatus";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ModelsAuthStatusParams;
    type Result = ModelsAuthStatusResult;
}

/// Parameters of [`ModelsAuthStatus`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelsAuthStatusParams {
    /// Taken without effect: nothing here is old.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`ModelsAuthStatus`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelsAuthStatusResult {
    pub ts: i64,
    /// Those that have a credential.
    pub providers: Vec<ProviderAuthStatus>,
    /// All that are known.
    pub provider_capabilities: Vec<ProviderCapability>,
    /// Why stored credentials could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

/// What is at hand for one provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderAuthStatus {
    pub provider: String,
    /// Whose credentials it uses.
    pub auth_provider: String,
    pub display_name: String,
    /// `ok`, `static` (a key of configuration or environment), `expiring`, `expired`, `cooldown` or `missing`.
    pub status: String,
    pub profiles: Vec<AuthProfileStatus>,
    /// Where a key comes from that is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ApiKeySource>,
}

/// One stored credential.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthProfileStatus {
    pub profile_id: String,
    /// `api_key`, `token` or `oauth`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `ok`, `static`, `expiring`, `expired`, `cooldown` or `invalid`.
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// Until when it rests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cooldown_until: Option<i64>,
    /// When it last worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<i64>,
    /// Why it cannot be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Where a key comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeySource {
    /// `env`, `config`, `aws` or `none`.
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_var: Option<String>,
}

/// How one can get in at a provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCapability {
    pub provider: String,
    #[serde(default)]
    pub display_name: String,
    /// Whether it asks for nothing: a server of one's own.
    #[serde(default)]
    pub keyless: bool,
    /// Whether a key can be stored.
    pub api_key_supported: bool,
    /// Whether a key is all it takes.
    pub quick_api_key_setup: bool,
    /// Ways to log in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login_options: Option<Vec<String>>,
}
