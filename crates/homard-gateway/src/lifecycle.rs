//! From start to stop: serving, health, figures, the log, what is said after a restart.

pub(crate) mod health;
pub(crate) mod log_tail;
pub(crate) mod metrics;
pub(crate) mod restart_note;
pub(crate) mod run;
