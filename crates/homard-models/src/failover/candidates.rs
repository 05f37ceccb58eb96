//! Who can be asked for one model: credentials in order, without those that cool.

use homard_llm::{CredentialKind, FailReason, LlmError};
use homard_protocol::ProviderId;
use homard_runtime::{Timestamp, millis_i64};

use super::policy::PROBE_BEFORE;
use super::{CallerParts, Memory};
use crate::auth::Candidate;
use crate::catalogue;

/// Who can be asked for a model.
#[derive(Debug)]
pub(super) enum Lineup {
    /// These, in order. `None` is nobody in particular: the provider asks for no proof.
    Ready(Vec<Option<Candidate>>),
    /// Nobody before this one's cooldown ends, at this moment.
    Cooling(Candidate, Timestamp),
    /// Nobody, for this reason.
    Nobody(LlmError),
}

/// Lines up the credentials for the model at `at` of the chain.
pub(super) async fn lineup(parts: &CallerParts, memory: &Memory, at: usize) -> Lineup {
    let Some(model) = parts.chain.get(at) else { return Lineup::Ready(Vec::new()) };
    let provider = &model.model.provider;
    let Some(auth) = parts.auth.get(provider) else { return Lineup::Ready(vec![None]) };
    let sticky = memory.0.lock().winner.as_ref().filter(|winner| &winner.provider == provider).cloned();
    // A key chosen for another provider says nothing about this one's.
    let locked =
        parts.pinned.as_ref().filter(|pinned| pinned.by_user && !is_foreign(parts, &pinned.id, provider));
    let wanted = match (locked, sticky) {
        (Some(locked), _) => Some(locked.id.clone()),
        (None, Some(winner)) => winner.profile,
        (None, None) => parts.pinned.as_ref().map(|pinned| pinned.id.clone()),
    };
    let mut candidates = parts.profiles.candidates(auth, wanted.as_deref()).await;
    if let Some(locked) = locked {
        if candidates.iter().any(|candidate| candidate.id == locked.id) {
            candidates.retain(|candidate| candidate.id == locked.id);
        } else if at == 0 {
            return Lineup::Nobody(missing_pin(&locked.id, provider));
        }
    }
    if candidates.is_empty() {
        let error = parts.profiles.nothing_usable(auth).await;
        return Lineup::Nobody(with_variable(error, provider));
    }
    choose(parts, candidates, at)
}

/// Whether a credential's name says that it is another known provider's.
fn is_foreign(parts: &CallerParts, id: &str, provider: &ProviderId) -> bool {
    let owner = id.split_once(':').map_or("", |(owner, _)| owner);
    owner != provider.as_str() && parts.auth.keys().any(|known| known.as_str() == owner)
}

fn choose(parts: &CallerParts, candidates: Vec<Candidate>, at: usize) -> Lineup {
    let now = parts.clock.now_ms();
    let until = |candidate: &Candidate| candidate.cooling_until.filter(|until| *until > now);
    let (cooling, ready): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|c| until(c).is_some());
    if !ready.is_empty() {
        return Lineup::Ready(ready.into_iter().map(Some).collect());
    }
    let soonest = cooling.into_iter().filter_map(|candidate| Some((until(&candidate)?, candidate)));
    let Some((end, candidate)) = soonest.min_by_key(|(end, _)| *end) else {
        return Lineup::Ready(Vec::new());
    };
    let soon = end.saturating_sub(now) <= millis_i64(PROBE_BEFORE);
    if at == 0 && soon && parts.pacing.earliest(&candidate.id, now) <= now {
        return Lineup::Ready(vec![Some(candidate)]);
    }
    Lineup::Cooling(candidate, end)
}

fn missing_pin(id: &str, provider: &ProviderId) -> LlmError {
    let text = format!(
        "the chosen profile `{id}` cannot be used for `{provider}`: it is gone, expired or disabled; \
         `homard models auth list` shows those there are"
    );
    LlmError::new(FailReason::Auth, text)
}

/// Adds the variable that would help, where the provider has one.
fn with_variable(mut error: LlmError, provider: &ProviderId) -> LlmError {
    let row = catalogue::find(provider.as_str());
    let keys = || row.iter().flat_map(|row| row.env);
    let key = keys().find(|variable| variable.kind == CredentialKind::ApiKey).or_else(|| keys().next());
    if let Some(variable) = key {
        error.message = format!("{}, or set {}", error.message, variable.name);
    }
    error
}
