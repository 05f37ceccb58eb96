//! What decides about access: the rules of the configuration, and what is remembered of those who tried.

use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use homard_config::config::gateway::AuthMode;
use homard_config::{Config, Secret};
use homard_network::Tailscale;
use homard_protocol::ErrorShape;
use homard_protocol::limits::{CONTROL_WRITE_LIMIT, CONTROL_WRITE_WINDOW};
use homard_runtime::{Clock, LogLimiter, millis};
use serde_json::json;

use super::auth::{GuessCounter, GuessLimit, SharedAuth};
use super::caller::Caller;
use super::proxy::ProxyRules;
use super::scope_upgrades::ScopeUpgrades;
use super::write_limit::WriteLimit;

/// Who is let in, and how often anybody may try.
pub(crate) struct Access {
    rules: ArcSwap<AccessRules>,
    writes: WriteLimit,
    /// Wrong secrets, by who sent them.
    pub(crate) guesses: GuessCounter,
    /// Devices that asked for more than they have.
    pub(crate) upgrades: ScopeUpgrades,
    /// Who knows who is calling, where that counts.
    pub(crate) tailscale: Option<Tailscale>,
    /// Asked before every line that somebody who has not proven anything can cause.
    pub(crate) noise: LogLimiter,
}

impl Access {
    /// Access as the configuration has it; nobody has tried yet.
    pub(crate) fn new(config: &Config, tailscale: Option<Tailscale>, clock: &Clock) -> Self {
        Self {
            rules: ArcSwap::from_pointee(AccessRules::new(config)),
            writes: WriteLimit::new(CONTROL_WRITE_LIMIT, CONTROL_WRITE_WINDOW),
            guesses: GuessCounter::default(),
            upgrades: ScopeUpgrades::default(),
            tailscale,
            noise: LogLimiter::new(clock.clone()),
        }
    }

    /// The rules in effect.
    pub(crate) fn rules(&self) -> Arc<AccessRules> {
        self.rules.load_full()
    }

    /// Takes over what a changed configuration says.
    pub(crate) fn refresh(&self, config: &Config) {
        self.rules.store(Arc::new(AccessRules::new(config)));
    }

    /// Counts a control-plane write.
    pub(crate) fn check_write_limit(&self, method: &str, caller: &Caller) -> Result<(), ErrorShape> {
        let key = format!("{method}|{}", caller.limit_key());
        self.writes.take(&key, Instant::now()).map_err(|wait| {
            ErrorShape::unavailable(format!("rate limit exceeded for {method}"))
                .with_details(json!({"method": method, "limit": "30 per 60s"}))
                .retry_after(millis(wait))
        })
    }
}

/// Who may come in, computed from the configuration once per change.
#[derive(Debug)]
pub(crate) struct AccessRules {
    pub(crate) auth: SharedAuth,
    /// Names the shared secret without telling it; device tokens live as long as it.
    pub(crate) generation: String,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) proxies: ProxyRules,
    pub(crate) exempt_loopback: bool,
    pub(crate) guess_limit: GuessLimit,
}

impl AccessRules {
    fn new(config: &Config) -> Self {
        let auth = &config.gateway.auth;
        let secret = |secret: Option<&Secret>| secret.map(|secret| secret.expose().to_owned());
        let shared = match auth.mode {
            AuthMode::None => SharedAuth::None,
            AuthMode::Token => SharedAuth::Token(secret(auth.token.as_ref())),
            AuthMode::Password => SharedAuth::Password(secret(auth.password.as_ref())),
            AuthMode::TrustedProxy => {
                SharedAuth::TrustedProxy(secret(auth.token.as_ref().or(auth.password.as_ref())))
            }
        };
        let limit = &auth.rate_limit;
        Self {
            generation: shared.generation(),
            auth: shared,
            allowed_origins: config.gateway.control_ui.allowed_origins.clone(),
            proxies: ProxyRules::new(config),
            exempt_loopback: limit.exempt_loopback,
            guess_limit: GuessLimit {
                max_attempts: u32::try_from(limit.max_attempts).unwrap_or(u32::MAX),
                window: limit.window,
                lockout: limit.lockout,
            },
        }
    }
}
