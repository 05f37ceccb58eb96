//! The methods, one file per family, one empty type per method.

pub mod agent;
pub mod approvals;
pub mod chat;
pub mod compact;
pub mod config;
pub mod devices;
pub mod exec_policy;
pub mod session_context;
pub mod sessions;
pub mod skills;
pub mod system;
pub mod tools;
pub mod undo;
pub mod usage;
