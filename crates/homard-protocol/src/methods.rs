//! The methods, one file per family, one empty type per method.

pub mod agent;
pub mod approvals;
pub mod channels;
pub mod chat;
pub mod chat_startup;
pub mod compact;
pub mod config;
pub mod cron;
pub mod devices;
pub mod exec_policy;
pub mod node_exec_policy;
pub mod node_invoke;
pub mod nodes;
pub mod session_context;
pub mod session_look;
pub mod sessions;
pub mod side_lists;
pub mod skills;
pub mod system;
pub mod tools;
pub mod undo;
pub mod usage;
pub mod voicewake;
