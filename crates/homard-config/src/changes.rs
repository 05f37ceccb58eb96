//! A configuration while a gateway runs: held, watched, written, taken back.

pub(crate) mod adopt;
pub(crate) mod audit;
pub(crate) mod draft;
pub(crate) mod handle;
pub(crate) mod last_good;
pub(crate) mod overrides;
pub(crate) mod reload;
pub(crate) mod restore;
pub(crate) mod watch;
pub(crate) mod write;
