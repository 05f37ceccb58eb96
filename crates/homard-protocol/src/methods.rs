//! The methods, one file per family, one empty type per method.

pub mod agents;
pub mod approvals;
pub mod channels;
pub mod chat;
pub mod config;
pub mod cron;
pub mod devices;
pub mod memory;
pub mod models;
pub mod nodes;
pub mod sessions;
pub mod system;
pub mod tools;
pub mod usage;
pub mod voice;
