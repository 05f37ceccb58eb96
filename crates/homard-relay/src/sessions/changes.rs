//! What changes a conversation as a whole, and telling those who watch.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_protocol::events::SessionChange;
use homard_protocol::{ModelRef, SessionKey, StopCause};
use homard_runtime::OrLog;
use homard_store::{ResetReason, ResetSession, SessionRecord, StoreError};
use homard_tools::{HookPoint, HookValue};

use crate::hook_points::{self, Speaker};
use crate::parts::Sessions;
use crate::turn_setup::settings::chosen_model;

impl Sessions {
    /// Begins a conversation anew: what goes on in it is stopped, its transcript put away.
    ///
    /// # Errors
    /// When the store does not do it.
    pub fn reset<'a>(
        &'a self,
        key: &'a SessionKey,
        reason: ResetReason,
    ) -> BoxFuture<'a, Result<ResetSession, StoreError>> {
        async move { self.reset_by(key, reason, None).await }.boxed()
    }

    /// The same for somebody who asked for it with a command.
    pub(crate) async fn reset_by(
        &self,
        key: &SessionKey,
        reason: ResetReason,
        by: Option<Speaker>,
    ) -> Result<ResetSession, StoreError> {
        // A run under way belongs to the old transcript; it is stopped, and what it said is kept there.
        self.turns().abort(key, None, StopCause::Reset).await;
        self.end_commands(key);
        let said = self.last_said(key).await;
        let reset = self.inner().store().sessions().reset(key, reason).await?;
        let change = if reason == ResetReason::New { SessionChange::New } else { SessionChange::Reset };
        self.announce_change(&reset.record, change);
        hook_points::session_reset(self.inner(), key, reason, said, by).await;
        Ok(reset)
    }

    /// What was said last, while it can still be read; nothing where nobody wants to know.
    async fn last_said(&self, key: &SessionKey) -> HookValue {
        if self.inner().hooks().is_quiet(HookPoint::SessionReset) {
            return HookValue::Nothing;
        }
        let labels = self.setup().labels_of(key).await;
        let labels = labels.or_log("whose words a conversation is made of is not known").unwrap_or_default();
        hook_points::last_said(self.inner(), key, labels).await
    }

    /// Tells filters that a conversation was deleted.
    pub async fn ended(&self, key: &SessionKey) {
        hook_points::session_ended(self.inner(), key, "deleted").await;
    }

    /// Tells watchers of the session list that a session changed.
    pub fn announce_change(&self, session: &SessionRecord, reason: SessionChange) {
        self.inner().session_changed(session, reason, self.runs().active_ids(&session.key));
    }

    /// The model a session would use now: its provider and name.
    #[must_use]
    pub fn model_for(&self, key: &SessionKey, session: Option<&SessionRecord>) -> ModelRef {
        let config = self.inner().config();
        let agent =
            key.agent_id().and_then(|id| config.agents.agent(id)).unwrap_or(config.agents.default_agent());
        chosen_model(&self.inner().reloadable().router, agent, session.map(|record| &record.entry))
    }
}
