//! The methods, one file per family, one empty type per method.

pub mod agent;
pub mod chat;
pub mod config;
pub mod session_context;
pub mod sessions;
pub mod system;
pub mod usage;
