//! The handle on one agent's stored credentials: what may be tried, and what came of it.
//!
//! `state` is what the handle knows, `credential` makes proofs, `refresh` renews them, `manage` is for people.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homard_config::Environment;
use homard_llm::{CredentialKind, FailReason, Http, LlmError};
use homard_protocol::ProviderId;
use homard_runtime::{Clock, Redactor, Tasks};

use super::candidate::{Candidate, ProviderAuth, Source};
use super::change::Change;
use super::cooldown::{Failure, after_failure, after_success, cooling_until, cools};
use super::order::{Lineup, cooling_last, line_up};
use super::policy::{AuthLimits, ProfilePolicy};
use super::refresh::Renewals;
use super::state::Inner;

/// Where an agent's credentials are kept.
#[derive(Debug, Clone)]
pub struct ProfileFiles {
    /// The agent's own `auth-profiles.json`; need not exist.
    pub own: PathBuf,
    /// The main agent's, used while the agent's own is empty. `None` for the main agent itself.
    pub main: Option<PathBuf>,
}

/// What the handle needs from the house.
#[derive(Debug, Clone)]
pub struct AuthContext {
    /// Tells when tokens expire.
    pub clock: Clock,
    /// Talks to token servers.
    pub http: Http,
    /// Renews and writes in the background; shutdown waits for both.
    pub tasks: Tasks,
    /// Is told every value that must not be shown, before anybody uses it.
    pub secrets: Redactor,
}

/// A clone-cheap handle on one agent's stored credentials. Opening does no input or output.
#[derive(Debug, Clone)]
pub struct Profiles {
    pub(super) inner: Arc<Inner>,
}

impl Profiles {
    /// A handle; the files are read when something is asked.
    #[must_use]
    pub fn open(files: ProfileFiles, policy: ProfilePolicy, cx: AuthContext) -> Self {
        Self::open_with(files, policy, cx, AuthLimits::default())
    }

    /// A handle with limits of its own.
    #[must_use]
    pub fn open_with(
        files: ProfileFiles,
        policy: ProfilePolicy,
        cx: AuthContext,
        limits: AuthLimits,
    ) -> Self {
        Self { inner: Arc::new(Inner::new(files, policy, cx, limits)) }
    }

    /// Tells where AWS tools would look; without it the AWS chain finds nothing. The first call counts, for all
    /// clones of the handle.
    #[must_use]
    pub fn with_environment(self, environment: Environment) -> Self {
        self.inner.environment.get_or_init(|| environment);
        self
    }

    /// What it was told of the environment.
    #[must_use]
    pub fn environment(&self) -> Environment {
        self.inner.environment.get().cloned().unwrap_or_default()
    }

    /// What may be tried for a provider, the best first: stored profiles, then the environment, the
    /// configuration, the AWS chain, and nothing at all; what is cooling comes last. `pinned` comes first
    /// unless it is cooling.
    pub async fn candidates(&self, auth: &ProviderAuth, pinned: Option<&str>) -> Vec<Candidate> {
        let now = self.inner.cx.clock.now_ms();
        let lineup = self.line_up(&auth.provider, now).await;
        let stored = lineup.usable.into_iter().map(|entry| Candidate {
            id: entry.id,
            provider: auth.provider.clone(),
            source: Source::Profile,
            kind: entry.kind,
            cooling_until: entry.cooling_until,
        });
        let mut all: Vec<_> = stored.chain(self.beside(auth, now)).collect();
        cooling_last(&mut all, |candidate| candidate.cooling_until);
        let is_pinned = |c: &Candidate| Some(c.id.as_str()) == pinned && c.cooling_until.is_none();
        if let Some(at) = all.iter().position(is_pinned) {
            all.get_mut(..=at).unwrap_or_default().rotate_right(1);
        }
        all
    }

    /// Why there is nothing to try for a provider, and what a person can do.
    pub async fn nothing_usable(&self, auth: &ProviderAuth) -> LlmError {
        let provider = auth.provider.as_str();
        let lineup = self.line_up(&auth.provider, self.inner.cx.clock.now_ms()).await;
        let skipped: Vec<_> = lineup.skipped.iter().map(|(id, why)| format!("`{id}`: {why}")).collect();
        let seen = if skipped.is_empty() { String::new() } else { format!(" ({})", skipped.join("; ")) };
        let way = if auth.oauth.is_some() { "login" } else { "add" };
        let message = match self.inner.view().problem {
            Some(problem) => format!("no credential for `{provider}`: {problem}"),
            None => format!(
                "no credential for `{provider}`{seen}; run `homard models auth {way} --provider {provider}`"
            ),
        };
        LlmError::new(FailReason::Auth, message)
    }

    /// A call succeeded with it: its failures are forgiven. Seen at once, written soon.
    pub fn mark_good(&self, candidate: &Candidate) {
        let at = self.inner.cx.clock.now_ms();
        if candidate.source == Source::Profile {
            self.inner.note(Change::Good { id: candidate.id.clone(), at });
            return;
        }
        let mut memory = self.inner.memory();
        let stats = memory.transient.entry(candidate.id.clone()).or_default();
        *stats = after_success(stats, at);
    }

    /// A call failed with it: it rests, when the failure is one of credential or provider. Seen at once, written
    /// soon.
    pub fn mark_failed(&self, candidate: &Candidate, reason: FailReason, retry_after: Option<Duration>) {
        if !cools(reason) {
            return;
        }
        let failure = Failure { reason, at: self.inner.cx.clock.now_ms(), retry_after };
        if reason == FailReason::Auth {
            Renewals { inner: &self.inner }.reject(&candidate.id);
        }
        if candidate.source == Source::Profile {
            self.inner.note(Change::Failed { id: candidate.id.clone(), failure });
            return;
        }
        let policy = &self.inner.policy.cooldowns;
        let mut memory = self.inner.memory();
        let stats = memory.transient.entry(candidate.id.clone()).or_default();
        *stats = after_failure(stats, &failure, &candidate.provider, policy);
    }

    /// Waits until everything that happened so far is on disk, or has been given up with a word in the log.
    pub async fn flush(&self) {
        self.inner.flush().await;
    }

    /// Takes over what another handle on the same files knows and no file does.
    pub(crate) fn inherit(&self, other: &Self) {
        self.inner.inherit(&other.inner);
    }

    async fn line_up(&self, provider: &ProviderId, now: i64) -> Lineup {
        self.inner.look().await;
        let view = self.inner.view();
        let lineup = line_up(&view.document, view.own_order(provider), provider, &self.inner.policy, now);
        for (id, reason) in &lineup.skipped {
            tracing::debug!(profile = %id, reason, "a stored credential is not used");
        }
        lineup
    }

    /// What can be tried beside stored profiles.
    fn beside(&self, auth: &ProviderAuth, now: i64) -> Vec<Candidate> {
        let provider = auth.provider.as_str();
        let mut found = Vec::new();
        for (at, (name, _)) in auth.env.iter().enumerate() {
            let id = if at == 0 { format!("{provider}:env") } else { format!("{provider}:env:{name}") };
            found.push((id, Source::Env(name.clone()), auth.env_kind));
        }
        if auth.config_key.is_some() {
            found.push((format!("{provider}:config"), Source::Config, CredentialKind::ApiKey));
        }
        if auth.aws {
            found.push((format!("{provider}:aws"), Source::AwsChain, CredentialKind::Aws));
        }
        if auth.keyless {
            found.push((format!("{provider}:none"), Source::Keyless, CredentialKind::ApiKey));
        }
        let memory = self.inner.memory();
        let candidate = |(id, source, kind): (String, Source, CredentialKind)| Candidate {
            cooling_until: memory.transient.get(&id).and_then(|stats| cooling_until(stats, now)),
            provider: auth.provider.clone(),
            id,
            source,
            kind,
        };
        found.into_iter().map(candidate).collect()
    }
}
