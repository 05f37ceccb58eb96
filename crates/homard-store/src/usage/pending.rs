//! Calls that wait for the next commit. Owns the waiting and the writing of them, not when a commit happens:
//! that is the writer's business.

use std::sync::Arc;

use homard_runtime::Mutex;
use rusqlite::Connection;

use super::{CallId, CallRow, CallState, insert, settle};
use crate::store::StoreError;

/// Most calls kept in memory while nothing can be committed; beyond it the newest are dropped and logged.
const MAX_PENDING: usize = 10_000;

/// Something to be written about a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PendingCall {
    Record(Box<CallRow>),
    /// It was open and ended.
    Settle(CallId, Box<CallRow>),
}

/// What waits. Clone-cheap; the store fills it, the writer empties it.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingCalls {
    waiting: Arc<Mutex<Vec<PendingCall>>>,
}

impl PendingCalls {
    /// Adds a finished call.
    pub(super) fn record(&self, row: CallRow) {
        self.push(PendingCall::Record(Box::new(row)));
    }

    /// Adds the end of an open call.
    pub(super) fn settle(&self, id: CallId, row: CallRow) {
        self.push(PendingCall::Settle(id, Box::new(row)));
    }

    fn push(&self, call: PendingCall) {
        let mut waiting = self.waiting.lock();
        if waiting.len() >= MAX_PENDING {
            tracing::error!("too many model calls wait to be written; the usage of one is lost");
            return;
        }
        waiting.push(call);
    }

    /// Takes all that waits.
    pub(crate) fn take(&self) -> Vec<PendingCall> {
        std::mem::take(&mut *self.waiting.lock())
    }

    /// Gives back what could not be committed, before what came since.
    pub(crate) fn put_back(&self, mut calls: Vec<PendingCall>) {
        let mut waiting = self.waiting.lock();
        calls.append(&mut waiting);
        calls.truncate(MAX_PENDING);
        *waiting = calls;
    }
}

/// Writes what waited, inside the writer's transaction.
pub(crate) fn write(conn: &Connection, calls: &[PendingCall]) -> Result<(), StoreError> {
    for call in calls {
        match call {
            PendingCall::Record(row) => insert(conn, row, CallState::Settled).map(drop)?,
            PendingCall::Settle(id, row) => settle(conn, *id, row)?,
        }
    }
    Ok(())
}
