//! Shared secrets: is what was presented what the owner set, and how often may one be wrong.

use std::collections::HashMap;
use std::time::{Duration, Instant};

pub(crate) use homard_protocol::connect::AuthMethod;
use homard_protocol::connect::{AuthMode, ConnectAuth};
use homard_runtime::{Mutex, hex};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Bytes of a secret's fingerprint.
const GENERATION_BYTES: usize = 16;

/// How the owner wants clients to prove themselves.
#[derive(Clone)]
pub(crate) enum SharedAuth {
    None,
    /// With a token; `None` when none is set, in which case nobody gets in.
    Token(Option<String>),
    /// With a password; `None` when none is set, in which case nobody gets in.
    Password(Option<String>),
    /// By the word of a proxy; programs on this machine use the secret, where one is set.
    TrustedProxy(Option<String>),
}

/// Why a shared secret was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AuthRefusal {
    /// No secret was sent.
    TokenMissing,
    /// A wrong one was.
    TokenMismatch,
    /// The owner has set none.
    TokenNotConfigured,
    /// No secret was sent.
    PasswordMissing,
    /// A wrong one was.
    PasswordMismatch,
    /// The owner has set none.
    PasswordNotConfigured,
    /// The proxy did not say who is calling.
    IdentityHeaderRequired,
    /// Somebody who is not the owner's proxy said so.
    ProxyNotTrusted,
    /// The proxy named somebody who is not let in.
    UserNotAllowed,
    /// The tailnet's proxy named nobody.
    TailscaleIdentityMissing,
    /// Somebody was named, but not by the tailnet's proxy.
    TailscaleProxyMissing,
    /// The tailnet does not know.
    TailscaleWhoisFailed,
    /// The tailnet says it is somebody else.
    TailscaleIdentityMismatch,
}

impl AuthRefusal {
    /// The finer code clients decide on.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::TokenMissing => "AUTH_TOKEN_MISSING",
            Self::TokenMismatch => "AUTH_TOKEN_MISMATCH",
            Self::TokenNotConfigured => "AUTH_TOKEN_NOT_CONFIGURED",
            Self::PasswordMissing => "AUTH_PASSWORD_MISSING",
            Self::PasswordMismatch => "AUTH_PASSWORD_MISMATCH",
            Self::PasswordNotConfigured => "AUTH_PASSWORD_NOT_CONFIGURED",
            Self::IdentityHeaderRequired => "AUTH_IDENTITY_HEADER_REQUIRED",
            Self::ProxyNotTrusted | Self::UserNotAllowed => "AUTH_UNAUTHORIZED",
            Self::TailscaleIdentityMissing => "AUTH_TAILSCALE_IDENTITY_MISSING",
            Self::TailscaleProxyMissing => "AUTH_TAILSCALE_PROXY_MISSING",
            Self::TailscaleWhoisFailed => "AUTH_TAILSCALE_WHOIS_FAILED",
            Self::TailscaleIdentityMismatch => "AUTH_TAILSCALE_IDENTITY_MISMATCH",
        }
    }

    /// The reason in lower case, which older clients read.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::TokenMissing => "token_missing",
            Self::TokenMismatch => "token_mismatch",
            Self::TokenNotConfigured => "token_not_configured",
            Self::PasswordMissing => "password_missing",
            Self::PasswordMismatch => "password_mismatch",
            Self::PasswordNotConfigured => "password_not_configured",
            Self::IdentityHeaderRequired => "identity_header_required",
            Self::ProxyNotTrusted => "trusted_proxy_untrusted_source",
            Self::UserNotAllowed => "trusted_proxy_user_not_allowed",
            Self::TailscaleIdentityMissing => "tailscale_identity_missing",
            Self::TailscaleProxyMissing => "tailscale_proxy_missing",
            Self::TailscaleWhoisFailed => "tailscale_whois_failed",
            Self::TailscaleIdentityMismatch => "tailscale_identity_mismatch",
        }
    }

    /// What a person reads.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::TokenMissing => {
                "unauthorized: no gateway token was sent (open the link `homard dashboard` prints)"
            }
            Self::TokenMismatch => {
                "unauthorized: the gateway token does not match (open the link `homard dashboard` prints)"
            }
            Self::TokenNotConfigured => "unauthorized: the gateway has no token set (set gateway.auth.token)",
            Self::PasswordMissing => "unauthorized: no gateway password was sent",
            Self::PasswordMismatch => "unauthorized: the gateway password does not match",
            Self::PasswordNotConfigured => {
                "unauthorized: the gateway has no password set (set gateway.auth.password)"
            }
            Self::IdentityHeaderRequired => "unauthorized: the proxy did not say who is calling",
            Self::ProxyNotTrusted => {
                "unauthorized: only the gateway's own proxy may say who is calling (gateway.trustedProxies)"
            }
            Self::UserNotAllowed => {
                "unauthorized: this person is not let in (gateway.auth.trustedProxy.allowUsers)"
            }
            Self::TailscaleIdentityMissing => "unauthorized: the tailnet names no person for this device",
            Self::TailscaleProxyMissing => "unauthorized: this did not come through the tailnet's own proxy",
            Self::TailscaleWhoisFailed => "unauthorized: the tailnet does not know who is calling",
            Self::TailscaleIdentityMismatch => {
                "unauthorized: the tailnet says it is somebody else who is calling"
            }
        }
    }

    /// What a client should do.
    pub(crate) fn next_step(self) -> &'static str {
        match self {
            Self::TokenNotConfigured | Self::PasswordNotConfigured => "update_auth_configuration",
            Self::IdentityHeaderRequired | Self::ProxyNotTrusted | Self::UserNotAllowed => {
                "review_auth_configuration"
            }
            _ => "update_auth_credentials",
        }
    }

    /// Whether it is about who somebody else says is calling; no device would help.
    pub(crate) fn is_about_a_person(self) -> bool {
        matches!(
            self,
            Self::IdentityHeaderRequired
                | Self::ProxyNotTrusted
                | Self::UserNotAllowed
                | Self::TailscaleIdentityMissing
                | Self::TailscaleProxyMissing
                | Self::TailscaleWhoisFailed
                | Self::TailscaleIdentityMismatch
        )
    }

    /// Whether a secret was tried, which is what the failure limit counts.
    pub(crate) fn is_guess(self) -> bool {
        matches!(self, Self::TokenMismatch | Self::PasswordMismatch)
    }
}

/// Compares without telling by time how much was right.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.as_bytes().ct_eq(b.as_bytes()).into()
}

impl SharedAuth {
    /// Looks at what a client sent. The secret is taken from either field, as clients differ in which they use.
    pub(crate) fn check(&self, sent: Option<&ConnectAuth>) -> Result<AuthMethod, AuthRefusal> {
        let tokens = sent.map(|auth| [auth.token.as_deref(), auth.password.as_deref()]).unwrap_or_default();
        let sent: Vec<&str> = tokens.into_iter().flatten().filter(|s| !s.is_empty()).collect();
        self.check_any(&sent)
    }

    /// The same for a bearer token of an HTTP request.
    pub(crate) fn check_bearer(&self, bearer: Option<&str>) -> Result<AuthMethod, AuthRefusal> {
        self.check_any(bearer.as_slice())
    }

    fn check_any(&self, sent: &[&str]) -> Result<AuthMethod, AuthRefusal> {
        let (secret, good, missing, mismatch, unset) = match self {
            Self::None => return Ok(AuthMethod::None),
            Self::Token(secret) => (
                secret,
                AuthMethod::Token,
                AuthRefusal::TokenMissing,
                AuthRefusal::TokenMismatch,
                AuthRefusal::TokenNotConfigured,
            ),
            Self::Password(secret) => (
                secret,
                AuthMethod::Password,
                AuthRefusal::PasswordMissing,
                AuthRefusal::PasswordMismatch,
                AuthRefusal::PasswordNotConfigured,
            ),
            Self::TrustedProxy(secret) => (
                secret,
                AuthMethod::Token,
                AuthRefusal::IdentityHeaderRequired,
                AuthRefusal::TokenMismatch,
                AuthRefusal::IdentityHeaderRequired,
            ),
        };
        let Some(secret) = secret.as_deref().filter(|s| !s.is_empty()) else { return Err(unset) };
        if sent.is_empty() {
            return Err(missing);
        }
        if sent.iter().any(|s| same(s, secret)) { Ok(good) } else { Err(mismatch) }
    }

    /// A name for this secret that tells nothing about it but whether it is the same.
    pub(crate) fn generation(&self) -> String {
        let secret = match self {
            Self::None => None,
            Self::Token(secret) | Self::Password(secret) | Self::TrustedProxy(secret) => secret.as_deref(),
        };
        let mut hash = Sha256::new();
        for part in ["homard shared secret", self.mode().as_str(), secret.unwrap_or("")] {
            hash.update(part);
            hash.update([0]);
        }
        hex(hash.finalize().iter().take(GENERATION_BYTES))
    }

    /// The mode as `hello-ok` and `config` spell it.
    pub(crate) fn mode(&self) -> AuthMode {
        match self {
            Self::None => AuthMode::None,
            Self::Token(_) => AuthMode::Token,
            Self::Password(_) => AuthMode::Password,
            Self::TrustedProxy(_) => AuthMode::TrustedProxy,
        }
    }
}

impl std::fmt::Debug for SharedAuth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.mode().as_str())
    }
}

/// How many wrong guesses are allowed, in what time, and how long the door stays shut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GuessLimit {
    /// Wrong guesses before the door shuts.
    pub(crate) max_attempts: u32,
    pub(crate) window: Duration,
    pub(crate) lockout: Duration,
}

/// Most addresses remembered; the oldest are forgotten first.
const MAX_TRACKED: usize = 10_000;

/// Counts wrong guesses per address (or per browser origin on this machine).
#[derive(Debug, Default)]
pub(crate) struct GuessCounter {
    seen: Mutex<HashMap<String, Guesses>>,
}

#[derive(Debug, Clone, Copy)]
struct Guesses {
    count: u32,
    since: Instant,
    shut_until: Option<Instant>,
}

impl GuessCounter {
    /// How long `auth` must wait, if the door is shut.
    pub(crate) fn shut_for(&self, who: &str, now: Instant) -> Option<Duration> {
        let seen = self.seen.lock();
        let until = seen.get(who)?.shut_until?;
        until.checked_duration_since(now).filter(|left| !left.is_zero())
    }

    /// Counts a wrong guess.
    pub(crate) fn wrong(&self, who: &str, limit: GuessLimit, now: Instant) {
        let mut seen = self.seen.lock();
        if seen.len() >= MAX_TRACKED && !seen.contains_key(who) {
            let oldest = seen.iter().min_by_key(|(_, g)| g.since).map(|(key, _)| key.clone());
            if let Some(oldest) = oldest {
                seen.remove(&oldest);
            }
        }
        let guesses =
            seen.entry(who.to_owned()).or_insert(Guesses { count: 0, since: now, shut_until: None });
        let expired = now.duration_since(guesses.since) > limit.window
            || guesses.shut_until.is_some_and(|until| until <= now);
        if expired {
            *guesses = Guesses { count: 0, since: now, shut_until: None };
        }
        guesses.count = guesses.count.saturating_add(1);
        if guesses.count >= limit.max_attempts {
            guesses.shut_until = now.checked_add(limit.lockout);
        }
    }

    /// Forgets `auth` after a right guess.
    pub(crate) fn right(&self, who: &str) {
        self.seen.lock().remove(who);
    }
}

#[cfg(test)]
mod tests;
