//! Something that happened to a stored credential and belongs into its file.

use homard_llm::ApiKey;
use serde_json::{Map, Value};

use super::cooldown::{Failure, after_failure, after_success};
use super::document::{Document, Proof};
use super::policy::ProfilePolicy;

/// Something that happened and belongs into a file.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Good {
        id: String,
        at: i64,
    },
    Failed {
        id: String,
        failure: Failure,
    },
    /// Tokens the disk would not take when they came; never forgotten, for a rotated token is worth a login.
    Renewed {
        id: String,
        fields: Fields,
        replaces: ApiKey,
    },
    /// Something that can be had again.
    Amend {
        id: String,
        fields: Fields,
    },
}

/// Fields of a profile. `Debug` shows names only.
#[derive(Clone)]
pub(super) struct Fields(pub(super) Map<String, Value>);

impl std::fmt::Debug for Fields {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

impl Change {
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Good { id, .. }
            | Self::Failed { id, .. }
            | Self::Renewed { id, .. }
            | Self::Amend { id, .. } => id,
        }
    }

    /// Applies it where its profile is; tells whether it is there.
    pub(super) fn apply(&self, document: &mut Document, policy: &ProfilePolicy) -> bool {
        let Some(profile) = document.profile(self.id()) else { return false };
        match self {
            Self::Good { id, at } => {
                let stats = after_success(&document.stats(id), *at);
                document.set_stats(id, &stats);
                document.set_last_good(profile.provider.as_str(), id);
            }
            Self::Failed { id, failure } => {
                let stats = after_failure(&document.stats(id), failure, &profile.provider, &policy.cooldowns);
                document.set_stats(id, &stats);
            }
            Self::Renewed { id, fields, replaces } => {
                // Anything else is a newer login, made while these tokens waited.
                if matches!(&profile.proof, Proof::OAuth(held) if held.refresh.as_ref() == Some(replaces)) {
                    document.amend(id, fields.0.clone());
                }
            }
            Self::Amend { id, fields } => document.amend(id, fields.0.clone()),
        }
        true
    }
}
