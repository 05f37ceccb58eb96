//! What changes a conversation as a whole, and telling those who watch.

use homard_protocol::{ModelRef, SessionKey};
use homard_store::{ResetReason, ResetSession, SessionRecord, StoreError};

use crate::hook_points;
use crate::parts::Sessions;
use crate::turn_setup::settings::chosen_model;
use crate::turns::source::StopCause;

impl Sessions {
    /// Begins a conversation anew: what goes on in it is stopped, its transcript put away.
    ///
    /// # Errors
    /// When the store does not do it.
    pub async fn reset(&self, key: &SessionKey, reason: ResetReason) -> Result<ResetSession, StoreError> {
        // A run under way belongs to the old transcript; it is stopped, and what it said is kept there.
        self.turns().abort(key, None, StopCause::Reset).await;
        self.end_commands(key);
        let reset = self.inner().store().sessions().reset(key, reason).await?;
        let word = if reason == ResetReason::New { "new" } else { "reset" };
        self.announce_change(&reset.record, word);
        hook_points::session_reset(self.inner(), key, reason).await;
        Ok(reset)
    }

    /// Tells filters that a conversation was deleted.
    pub async fn ended(&self, key: &SessionKey) {
        hook_points::session_ended(self.inner(), key, "deleted").await;
    }

    /// Tells watchers of the session list that a session changed.
    pub fn announce_change(&self, session: &SessionRecord, reason: &'static str) {
        self.inner().session_changed(session, reason, self.runs().active_ids(&session.key));
    }

    /// The model a session would use now: its provider and name.
    #[must_use]
    pub fn model_for(&self, key: &SessionKey, session: Option<&SessionRecord>) -> ModelRef {
        let config = self.inner().config();
        let agent =
            key.agent_id().and_then(|id| config.agents.agent(id)).unwrap_or(config.agents.default_agent());
        chosen_model(&self.inner().rooms().router, agent, session.map(|record| &record.entry))
    }
}
