//! Renewing logins, once at a time: in this process by the pen, across processes by the file's lock.
//!
//! Providers hand out a new refresh token with each renewal and take the old one as theft when it comes again.
//! So who renews holds the lock, looks first whether somebody else just did, makes sure that it can write, asks,
//! and writes before anybody uses what came. It does so in a task of its own: a caller who hangs up must not lose
//! the answer.

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use homard_llm::{ApiKey, FailReason, LlmError};
use homard_runtime::{OrCancel as _, millis_i64, off_thread};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::candidate::{Candidate, OAuthRow};
use super::change::{Change, Fields};
use super::document::{OAuthProof, Profile, Proof};
use super::file::{Loaded, Lock, Prepared, StoreError};
use super::oauth::{OAuthClient, TokenError, Tokens};
use super::state::{Inner, ProfilePlace};

/// How long before its end a token is renewed.
const EARLY: Duration = Duration::from_secs(10 * 60);
/// Short-lived tokens are renewed when this part of their life is left.
const EARLY_PART: u32 = 4;
/// How long a failed renewal is not repeated while the old token is good.
const RETRY_PAUSE_MS: i64 = 60_000;

/// What this process knows about a login beside its tokens.
#[derive(Debug, Default)]
pub(crate) struct Renewal {
    /// Renewals tried so far; tells a waiting caller that the one before it has failed for both.
    attempts: u64,
    last_failure: Option<LlmError>,
    /// Not before then, after a failure.
    retry_at: i64,
    /// A refresh token the provider has called worthless.
    revoked: Option<ApiKey>,
    /// An access token a provider has refused, whatever its expiry says.
    rejected: Option<ApiKey>,
    /// An access token this process got, and when it should be renewed.
    planned: Option<(ApiKey, i64)>,
}

/// What can be said of a login's access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freshness {
    Fresh,
    /// Good still, but should be renewed.
    Ageing,
    Stale,
}

/// The logins of a handle, kept fresh.
#[derive(Debug, Clone, Copy)]
pub(super) struct Renewals<'a> {
    pub(super) inner: &'a Arc<Inner>,
}

impl Renewals<'_> {
    /// A login with an access token that is good now, renewed when it has to be.
    pub(super) async fn renewed(
        self,
        row: Option<&'static OAuthRow>,
        candidate: &Candidate,
        profile: Profile,
        cancel: &CancellationToken,
    ) -> Result<Profile, LlmError> {
        let Proof::OAuth(oauth) = &profile.proof else { return Ok(profile) };
        let freshness = self.freshness(&candidate.id, oauth);
        if freshness == Freshness::Fresh {
            return Ok(profile);
        }
        let (Some(row), Some(refresh)) = (row, &oauth.refresh) else {
            let ageing = freshness == Freshness::Ageing;
            return if ageing { Ok(profile) } else { Err(log_in_again(candidate, "has expired")) };
        };
        let attempts = match self.worth_asking(&candidate.id, refresh, freshness) {
            Ok(attempts) => attempts,
            Err(_) if freshness == Freshness::Ageing => return Ok(profile),
            Err(revoked) => {
                return Err(if revoked {
                    log_in_again(candidate, "was revoked")
                } else {
                    LlmError::aborted()
                });
            }
        };
        let renewed = Box::pin(self.renew_apart(row, candidate, oauth, attempts).or_cancel(cancel));
        if freshness == Freshness::Stale {
            return renewed.await.unwrap_or_else(|_cancelled| Err(LlmError::aborted()));
        }
        match timeout(self.inner.limits.grace_wait, renewed).await {
            Ok(Ok(Ok(renewed))) => Ok(renewed),
            Ok(Err(_cancelled)) => Err(LlmError::aborted()),
            Ok(Ok(Err(error))) => {
                tracing::warn!(profile = %candidate.id, %error, "could not renew a login; its old token is still good");
                Ok(profile)
            }
            Err(_slow) => Ok(profile),
        }
    }

    /// A provider refused what this profile proved itself with: its present access token counts as expired.
    pub(super) fn reject(self, id: &str) {
        let proof = self.inner.view().document.profile(id).map(|profile| profile.proof);
        let mut memory = self.inner.memory();
        memory.exchanged.remove(id);
        memory.aws.remove(id);
        if let Some(Proof::OAuth(oauth)) = proof {
            memory.renewals.entry(id.to_owned()).or_default().rejected = Some(oauth.access);
        }
    }

    fn freshness(self, id: &str, oauth: &OAuthProof) -> Freshness {
        let now = self.inner.cx.clock.now_ms();
        let memory = self.inner.memory();
        let renewal = memory.renewals.get(id);
        let rejected = renewal.and_then(|renewal| renewal.rejected.as_ref()) == Some(&oauth.access);
        if rejected || oauth.expires <= now {
            return Freshness::Stale;
        }
        let planned = renewal.and_then(|renewal| renewal.planned.as_ref());
        let planned = planned.filter(|(access, _)| *access == oauth.access).map(|(_, at)| *at);
        let due = planned.unwrap_or_else(|| oauth.expires.saturating_sub(millis_i64(EARLY)));
        if now < due { Freshness::Fresh } else { Freshness::Ageing }
    }

    /// How often a renewal was tried so far, or that it makes no sense to try: `Err(true)` when the refresh token
    /// is known to be worthless.
    fn worth_asking(self, id: &str, refresh: &ApiKey, freshness: Freshness) -> Result<u64, bool> {
        let now = self.inner.cx.clock.now_ms();
        let mut memory = self.inner.memory();
        let renewal = memory.renewals.entry(id.to_owned()).or_default();
        if renewal.revoked.as_ref() == Some(refresh) {
            return Err(true);
        }
        // A clock that was turned back must not stretch the pause.
        let pausing = now < renewal.retry_at && renewal.retry_at - now <= RETRY_PAUSE_MS;
        if freshness == Freshness::Ageing && pausing {
            return Err(false);
        }
        Ok(renewal.attempts)
    }

    async fn renew_apart(
        self,
        row: &'static OAuthRow,
        candidate: &Candidate,
        oauth: &OAuthProof,
        attempts: u64,
    ) -> Result<Profile, LlmError> {
        let (tell, told) = oneshot::channel();
        let inner = Arc::clone(self.inner);
        let job = Job { row, candidate: candidate.clone(), access: oauth.access.clone(), attempts };
        self.inner.cx.tasks.spawn(async move {
            let outcome = Renewals { inner: &inner }.renew(&job).await;
            if tell.send(outcome).is_err() {
                tracing::debug!(profile = %job.candidate.id, "a login was renewed for a caller who has left");
            }
        });
        told.await.unwrap_or_else(|_dropped| Err(LlmError::aborted()))
    }

    async fn renew(self, job: &Job) -> Result<Profile, LlmError> {
        let id = &job.candidate.id;
        let _pen = self.inner.pen.lock().await;
        {
            let mut memory = self.inner.memory();
            let renewal = memory.renewals.entry(id.clone()).or_default();
            if renewal.attempts != job.attempts
                && let Some(error) = &renewal.last_failure
            {
                return Err(error.clone());
            }
        }
        let outcome = self.renew_held(job).await;
        let now = self.inner.cx.clock.now_ms();
        let mut memory = self.inner.memory();
        if let Entry::Occupied(mut entry) = memory.renewals.entry(id.clone()) {
            let renewal = entry.get_mut();
            renewal.attempts += 1;
            renewal.last_failure = outcome.as_ref().err().cloned();
            renewal.retry_at = if outcome.is_err() { now.saturating_add(RETRY_PAUSE_MS) } else { 0 };
        }
        outcome
    }

    /// Renews with the pen in hand.
    async fn renew_held(self, job: &Job) -> Result<Profile, LlmError> {
        let id = &job.candidate.id;
        let place = self.inner.view().place;
        let lock = self
            .inner
            .file(place)
            .lock(self.inner.limits.lock_wait)
            .await
            .map_err(|error| not_kept(&error))?;
        let mut worthless: Option<ApiKey> = None;
        let (lock, loaded) = self.read_held(lock).await?;
        let mut held = HeldFile { lock, loaded };
        loop {
            let profile = held.loaded.document.profile(id);
            let Some(Profile { proof: Proof::OAuth(oauth), .. }) = &profile else {
                return Err(gone(&job.candidate));
            };
            if oauth.access != job.access && self.freshness(id, oauth) == Freshness::Fresh {
                // Somebody else has renewed it while we waited.
                self.inner.adopt(place, held.loaded.clone());
                return profile.ok_or_else(|| gone(&job.candidate));
            }
            let refresh = oauth.refresh.clone().filter(|refresh| Some(refresh) != worthless.as_ref());
            let Some(refresh) = refresh else {
                self.inner.memory().renewals.entry(id.clone()).or_default().revoked = worthless;
                return Err(log_in_again(&job.candidate, "was revoked"));
            };
            let prepared = held.lock.prepare().map_err(|error| not_kept(&error))?;
            let server = self.inner.token_server(job.row);
            let client = self.client(job, oauth).await?;
            match server.refresh(&refresh, &client).await {
                Ok(tokens) => {
                    return self
                        .keep(job, held, RenewedTokens { place, replaces: refresh, prepared, tokens })
                        .await;
                }
                Err(TokenError::Revoked) => {
                    // A program that does not know our lock may have renewed it meanwhile.
                    worthless = Some(refresh);
                    let (lock, loaded) = self.read_held(held.lock).await?;
                    held = HeldFile { lock, loaded };
                }
                Err(error) => return Err(refused(&job.candidate, &error)),
            }
        }
    }

    /// In whose name a login was made: what is stored with it counts, then what its row says.
    async fn client(self, job: &Job, oauth: &OAuthProof) -> Result<OAuthClient, LlmError> {
        let (row, stored) = (job.row, oauth.client_id.clone());
        if let Some(id) = stored.filter(|_| row.borrowed.is_none() || oauth.client_secret.is_some()) {
            return Ok(OAuthClient { id, secret: oauth.client_secret.clone() });
        }
        let env = self.inner.environment.get().cloned().unwrap_or_default();
        let found = off_thread(move || row.client(&env));
        found.await.map_err(|_stopped| LlmError::aborted())?.map_err(|error| {
            let id = &job.candidate.id;
            LlmError::new(FailReason::Auth, format!("the login `{id}` could not be renewed: {error}"))
        })
    }

    /// Writes new tokens, then lets them be used.
    async fn keep(self, job: &Job, held: HeldFile, gained: RenewedTokens) -> Result<Profile, LlmError> {
        let RenewedTokens { place, replaces, prepared, tokens } = gained;
        let id = &job.candidate.id;
        self.plan(id, &tokens);
        let change = Change::Renewed { id: id.clone(), fields: Fields(tokens.fields()), replaces };
        match self.write_tokens(held, prepared, change.clone()).await {
            Ok(loaded) => self.inner.adopt(place, loaded),
            Err(error) => {
                // The old refresh token is void by now; memory is all there is until the disk takes it.
                tracing::error!(profile = %id, %error, "a renewed login could not be written; it is kept in memory and tried again");
                self.inner.note(change);
            }
        }
        self.inner.view().document.profile(id).ok_or_else(|| gone(&job.candidate))
    }

    async fn write_tokens(
        self,
        held: HeldFile,
        prepared: Prepared,
        change: Change,
    ) -> Result<Loaded, StoreError> {
        let earlier = self.inner.memory().unwritten_tokens();
        let policy = self.inner.policy.clone();
        let written = off_thread(move || {
            // Read again: somebody may have edited the file by hand while the server was thinking. A file that
            // was broken by that is not replaced.
            let before = held.lock.read()?;
            let mut document = before.document.clone();
            for earlier in earlier {
                earlier.apply(&mut document, &policy);
            }
            if !change.apply(&mut document, &policy) {
                return Err(StoreError::NoSuchProfile { id: change.id().to_owned() });
            }
            if document == before.document { Ok(before) } else { prepared.commit(document) }
        });
        written.await.map_err(|_stopped| StoreError::Stopped)?
    }

    async fn read_held(self, lock: Lock) -> Result<(Lock, Loaded), LlmError> {
        let read = off_thread(move || lock.read().map(|loaded| (lock, loaded)));
        let (lock, mut loaded) =
            read.await.map_err(|_stopped| LlmError::aborted())?.map_err(|error| not_kept(&error))?;
        for change in self.inner.memory().unwritten_tokens() {
            change.apply(&mut loaded.document, &self.inner.policy);
        }
        Ok((lock, loaded))
    }

    /// Remembers when tokens that live shorter than usual should be renewed.
    fn plan(self, id: &str, tokens: &Tokens) {
        let early = EARLY.min(tokens.life / EARLY_PART);
        let at = tokens.expires.unwrap_or(i64::MAX).saturating_sub(millis_i64(early));
        let mut memory = self.inner.memory();
        let renewal = memory.renewals.entry(id.to_owned()).or_default();
        renewal.planned = Some((tokens.access.clone(), at));
        renewal.revoked = None;
        renewal.rejected = None;
    }
}

/// A renewal to be made.
struct Job {
    row: &'static OAuthRow,
    candidate: Candidate,
    /// The access token that has to be replaced.
    access: ApiKey,
    /// Renewals tried when the caller began to wait.
    attempts: u64,
}

/// The file's lock and what the file held when it was taken.
struct HeldFile {
    lock: Lock,
    loaded: Loaded,
}

/// New tokens and what is needed to keep them.
struct RenewedTokens {
    place: ProfilePlace,
    /// The refresh token they were had for.
    replaces: ApiKey,
    prepared: Prepared,
    tokens: Tokens,
}

/// Tells the person to log in again.
pub(super) fn log_in_again(candidate: &Candidate, what: &str) -> LlmError {
    let (id, provider) = (&candidate.id, candidate.provider.as_str());
    let message = format!("the login `{id}` {what}; run `homard models auth login --provider {provider}`");
    LlmError::new(FailReason::Auth, message)
}

pub(super) fn gone(candidate: &Candidate) -> LlmError {
    LlmError::new(FailReason::Auth, format!("the profile `{}` is no longer there", candidate.id))
}

fn refused(candidate: &Candidate, error: &TokenError) -> LlmError {
    let id = &candidate.id;
    match error {
        TokenError::Unreachable(why) => {
            LlmError::new(FailReason::Timeout, format!("could not renew the login `{id}`: {why}"))
        }
        TokenError::Refused { code } => log_in_again(candidate, &format!("could not be renewed ({code})")),
        TokenError::Revoked | TokenError::Pending | TokenError::SlowDown | TokenError::Late => {
            log_in_again(candidate, "was revoked")
        }
    }
}

fn not_kept(error: &StoreError) -> LlmError {
    let reason = match error {
        StoreError::Locked { .. } | StoreError::Stopped => FailReason::Timeout,
        StoreError::Broken { .. }
        | StoreError::TooLarge { .. }
        | StoreError::Io { .. }
        | StoreError::NoSuchProfile { .. }
        | StoreError::WrongProvider { .. }
        | StoreError::Incomplete(_) => FailReason::Auth,
    };
    LlmError::new(reason, format!("could not renew a login: {error}"))
}
