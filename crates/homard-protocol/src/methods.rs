//! The methods, one file per family, one empty type per method.

pub mod agent;
pub mod chat;
pub mod compact;
pub mod config;
pub mod sessions;
pub mod system;
pub mod usage;
