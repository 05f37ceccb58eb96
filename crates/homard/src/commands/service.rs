//! Commands about the running gateway: its health, log and page, and the service it runs as.

pub(crate) mod daemon;
pub(crate) mod dashboard;
pub(crate) mod health;
pub(crate) mod hooks;
pub(crate) mod logs;
pub(crate) mod status;
pub(crate) mod system;
