//! Every secret the settings hold, for whoever hides them. Stored logins are told by `homard-models` itself.

use homard_config::{ConfigHandle, is_sensitive_key, schema, secrets_in};

/// The secrets of the settings in effect: keys, tokens and passwords of every section, and variables named like
/// one.
pub(crate) fn of(config: &ConfigHandle) -> Vec<String> {
    let mut found = secrets_in(&config.snapshot().effective, schema());
    let current = config.current();
    let auth = &current.gateway.auth;
    found.extend(auth.token.iter().chain(&auth.password).map(|secret| secret.expose().to_owned()));
    let named = current.env.iter().filter(|(name, _)| is_sensitive_key(name));
    found.extend(named.map(|(_, value)| value.to_owned()));
    found
}
