//! In which order a provider's stored profiles are tried. Pure.

use homard_llm::CredentialKind;
use homard_protocol::ProviderId;
use homard_runtime::Arrange as _;

use super::cooldown::cooling_until;
use super::document::{Document, Proof};
use super::policy::ProfilePolicy;

/// A profile that may be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) kind: CredentialKind,
    pub(crate) cooling_until: Option<i64>,
}

/// What is in store for a provider: what may be tried, and what may not and why.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lineup {
    pub(crate) usable: Vec<Entry>,
    pub(crate) skipped: Vec<(String, &'static str)>,
}

/// Orders a provider's profiles: the store's order, else the configuration's, else by kind and age of last
/// use. `own_order` is the order the agent keeps for itself when the profiles are another agent's.
pub(crate) fn line_up(
    document: &Document,
    own_order: Option<Vec<String>>,
    provider: &ProviderId,
    policy: &ProfilePolicy,
    now: i64,
) -> Lineup {
    let stored: Vec<String> = document
        .ids()
        .into_iter()
        .filter(|id| document.profile(id).is_some_and(|profile| profile.provider == *provider))
        .map(str::to_owned)
        .collect();
    let known = |ids: Vec<String>| -> Option<Vec<String>> {
        let mut kept: Vec<String> = Vec::with_capacity(ids.len());
        for id in ids.into_iter().filter(|id| stored.contains(id)) {
            if !kept.contains(&id) {
                kept.push(id);
            }
        }
        // An order that names nothing that exists is a leftover, not a wish to use nothing.
        (!kept.is_empty()).then_some(kept)
    };
    let explicit = own_order
        .and_then(&known)
        .or_else(|| document.order(provider.as_str()).and_then(&known))
        .or_else(|| policy.order.get(provider).cloned().and_then(&known));
    let is_explicit = explicit.is_some();
    let named = || {
        let named = policy.profiles.iter().filter(|(_, profile)| profile.provider == *provider);
        known(named.map(|(id, _)| id.clone()).collect())
    };
    let ids = explicit.or_else(named).unwrap_or_else(|| stored.clone());

    let mut lineup = Lineup::default();
    for id in ids {
        let Some(profile) = document.profile(&id) else { continue };
        if let Some(reason) = unusable(&profile.proof, now) {
            lineup.skipped.push((id, reason));
            continue;
        }
        let cooling_until = cooling_until(&document.stats(&id), now);
        lineup.usable.push(Entry { id, kind: profile.proof.kind(), cooling_until });
    }
    if !is_explicit {
        lineup
            .usable
            .arrange_by_key(|entry| (rank(entry.kind), document.stats(&entry.id).last_used.unwrap_or(0)));
    }
    cooling_last(&mut lineup.usable, |entry| entry.cooling_until);
    lineup
}

/// Moves what is cooling to the end, the soonest ready first; the rest keeps its order.
pub(crate) fn cooling_last<T>(list: &mut [T], until: impl Fn(&T) -> Option<i64>) {
    // `None` sorts before every `Some`, and the sort is stable.
    list.arrange_by_key(until);
}

/// Why a proof cannot be tried at all.
pub(crate) fn unusable(proof: &Proof, now: i64) -> Option<&'static str> {
    match proof {
        Proof::Key(_) => None,
        Proof::Token { expires, .. } => {
            expires.is_some_and(|at| at <= now).then_some("its token has expired")
        }
        Proof::OAuth(oauth) => (oauth.refresh.is_none() && oauth.expires <= now)
            .then_some("its login has expired and cannot be renewed"),
        Proof::Unusable(reason) => Some(reason),
    }
}

fn rank(kind: CredentialKind) -> u8 {
    match kind {
        CredentialKind::OAuth => 0,
        CredentialKind::Token => 1,
        CredentialKind::ApiKey => 2,
        CredentialKind::Aws => 3,
    }
}

#[cfg(test)]
mod tests;
