//! `models.authStatus`: which providers can be called, and with what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::word::words;

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
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelsAuthStatusParams {
    /// Taken without effect: nothing here is old.
    pub refresh: Option<bool>,
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

words! {
    /// How a credential stands, or the best of a provider's.
    AuthStatus {
        Ok = "ok",
        /// A key of configuration or environment.
        Static = "static",
        Expiring = "expiring",
        Expired = "expired",
        /// It rests after a failure.
        Cooldown = "cooldown",
        Invalid = "invalid",
        /// There is none.
        Missing = "missing",
    }
}

words! {
    /// Where a key comes from that is not stored.
    KeySource {
        Env = "env",
        Config = "config",
        Aws = "aws",
        /// None is needed.
        None = "none",
    }
}

/// What is at hand for one provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderAuthStatus {
    pub provider: String,
    /// Whose credentials it uses.
    pub auth_provider: String,
    pub display_name: String,
    pub status: AuthStatus,
    pub profiles: Vec<AuthProfileStatus>,
    /// Where a key comes from that is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<ApiKeySource>,
}

/// One stored credential.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuthProfileStatus {
    pub profile_id: String,
    /// `api_key`, `token` or `oauth`.
    #[serde(rename = "type")]
    pub kind: String,
    pub status: AuthStatus,
    pub email: Option<String>,
    pub expires_at: Option<i64>,
    /// Until when it rests.
    pub cooldown_until: Option<i64>,
    /// When it last worked.
    pub last_used_at: Option<i64>,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeySource {
    pub source: KeySource,
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
