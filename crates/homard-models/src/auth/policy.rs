//! What the owner and the house say about credentials: order and rests, and the limits of waiting.

use std::time::Duration;

/// What the configuration says: `auth.profiles`, `auth.order`, `auth.cooldowns`.
pub use homard_config::config::auth::Auth as ProfilePolicy;

/// How long credentials are waited for; tests make these small.
#[derive(Debug, Clone, Copy)]
pub struct AuthLimits {
    /// How long a token server may take. Rotated tokens are lost when this is too short.
    pub token_timeout: Duration,
    /// How long a call waits for a new token while the old one is still good.
    pub grace_wait: Duration,
    /// How long another process may keep the file locked; it may be waiting for a token server itself.
    pub lock_wait: Duration,
    /// What the pause between two questions about a device code grows by when the server finds us too eager.
    pub slow_down: Duration,
}

impl Default for AuthLimits {
    fn default() -> Self {
        Self {
            token_timeout: Duration::from_secs(20),
            grace_wait: Duration::from_secs(5),
            lock_wait: Duration::from_secs(60),
            slow_down: Duration::from_secs(5),
        }
    }
}
