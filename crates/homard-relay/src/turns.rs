//! Turns: the lane they wait in, the run they are, how they are taken, told, stopped, and finished after a restart.

pub(crate) mod accept;
pub(crate) mod compact;
pub(crate) mod control;
pub(crate) mod drain;
pub(crate) mod inline;
pub(crate) mod lane;
pub(crate) mod listen;
pub(crate) mod meter;
pub(crate) mod narrate;
pub(crate) mod outcome;
pub(crate) mod overflow;
pub(crate) mod places;
pub(crate) mod queue;
pub(crate) mod recover;
pub(crate) mod request;
pub(crate) mod retry_interrupted;
pub(crate) mod runs;
pub(crate) mod steering;
pub(crate) mod turn;
pub(crate) mod wake;

use crate::intake::call_quota::CallQuota;
use crate::relay::Inner;

/// What turns keep.
pub(crate) struct TurnsState {
    pub(crate) runs: runs::Runs,
    pub(crate) lanes: lane::Lanes,
    pub(crate) places: places::Places,
    pub(crate) wakes: wake::Wakes,
    /// Calls to models that others than the owner cause.
    pub(crate) call_quota: CallQuota,
}

impl TurnsState {
    pub(crate) fn new(inner: &Inner) -> Self {
        Self {
            runs: runs::Runs::default(),
            lanes: lane::Lanes::new(inner.tasks().clone()),
            places: places::Places::new(&inner.config()),
            wakes: wake::Wakes::default(),
            call_quota: CallQuota::default(),
        }
    }
}
