//! Approvals: what waits for a yes, and the rules for commands.

pub(crate) mod exec;
pub(crate) mod exec_policy;
