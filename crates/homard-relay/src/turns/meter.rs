//! Every model call of a run, put into the usage table.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_models::failover::{CallRecord, Meter, OpenedCall};
use homard_store::{CallId, CallOwner, CallRow, OpenCall, Store};

use crate::intake::admit::Admitted;
use crate::intake::call_quota::{CallQuota, Guest};
use crate::parts::Turns;

/// Counts the calls of one run.
pub(crate) struct RunMeter {
    pub(crate) store: Store,
    pub(crate) owner: CallOwner,
    /// Whose calls they are, where they are not the owner's.
    pub(crate) guest: Option<(CallQuota, Guest)>,
}

impl RunMeter {
    /// For a turn, which may be somebody else's than the owner's.
    pub(crate) fn of_turn(turns: &Turns, owner: CallOwner, admitted: &Admitted) -> Self {
        let guest = Guest::behind(admitted.message(), admitted.standing().is_owner);
        let guest = guest.map(|guest| (turns.call_quota().clone(), guest));
        Self { store: turns.inner().store().clone(), owner, guest }
    }
}

impl Meter for RunMeter {
    fn opening(&self, call: OpenedCall) -> BoxFuture<'_, Option<CallId>> {
        async move {
            let open =
                OpenCall { at: call.at, owner: self.owner.clone(), target: call.target, worst: call.worst };
            match self.store.usage().open(open).await {
                Ok(id) => Some(id),
                Err(error) => {
                    tracing::error!(%error, "a call could not be noted before it is made");
                    None
                }
            }
        }
        .boxed()
    }

    fn call(&self, record: CallRecord) {
        if let Some((quota, guest)) = &self.guest {
            quota.count(guest, record.at);
        }
        let row = CallRow {
            at: record.at,
            owner: self.owner.clone(),
            target: record.target,
            usage: record.usage,
            first_ms: record.first_ms,
            total_ms: record.total_ms,
            outcome: record.outcome.into(),
        };
        match record.open {
            Some(id) => self.store.usage().settle(id, row),
            None => self.store.usage().record(row),
        }
    }
}
