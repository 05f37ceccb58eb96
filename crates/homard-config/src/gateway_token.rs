//! A token for a gateway whose owner has not chosen one: deny first, but let the first start work.

use homard_runtime::hex;
use serde_json::Value;

use crate::changes::handle::InvalidConfig;
use crate::changes::overrides::Overrides;
use crate::changes::write::{WriteError, set_path};
use crate::config::gateway::AuthMode;
use crate::load::{ConfigSource, Snapshot};
use crate::secret::Secret;

/// Random bytes in a generated token.
const TOKEN_BYTES: usize = 32;

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be used.
    #[error(transparent)]
    Config(#[from] InvalidConfig),
    /// The token could not be written down.
    #[error(
        "could not store a generated gateway token; set HOMARD_GATEWAY_TOKEN or `gateway.auth.token` yourself"
    )]
    Write(#[from] WriteError),
    /// The system has no randomness.
    #[error("the system gave no random bytes for a gateway token")]
    Random(#[source] getrandom::Error),
}

/// The token callers must know: the configured one, or a new one that is written to the file. `None` when
/// callers prove themselves in another way.
///
/// # Errors
/// When the file cannot be used or the new token cannot be written.
pub fn ensure_gateway_token(source: &ConfigSource) -> Result<Option<Secret>, TokenError> {
    let snapshot = Snapshot::load(source, &Overrides::default());
    let Some(config) = snapshot.config else {
        return Err(InvalidConfig { path: snapshot.path, issues: snapshot.issues }.into());
    };
    let auth = &config.gateway.auth;
    if auth.mode != AuthMode::Token {
        return Ok(None);
    }
    if let Some(token) = &auth.token {
        return Ok(Some(token.clone()));
    }
    let token = new_gateway_token()?;
    set_path(source, "gateway.auth.token", Value::String(token.expose().to_owned()))?;
    Ok(Some(token))
}

/// A token nobody can guess, for whoever writes it down together with other settings.
///
/// # Errors
/// When the system has no randomness.
pub fn new_gateway_token() -> Result<Secret, TokenError> {
    let mut bytes = [0_u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
    Ok(Secret::new(hex(&bytes)))
}
