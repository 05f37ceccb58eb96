//! Turns: the lane they wait in, the run they are, how they are taken, told, stopped, and finished after a restart.

pub(crate) mod accept;
pub(crate) mod compact;
pub(crate) mod control;
pub(crate) mod drain;
pub(crate) mod lane;
pub(crate) mod listen;
pub(crate) mod meter;
pub(crate) mod narrate;
pub(crate) mod outcome;
pub(crate) mod queue;
pub(crate) mod recover;
pub(crate) mod request;
pub(crate) mod retry_interrupted;
pub(crate) mod runs;
pub(crate) mod source;
pub(crate) mod steering;
pub(crate) mod turn;
pub(crate) mod wake;
