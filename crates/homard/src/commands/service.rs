//! Commands about the running gateway: its health, log and page.

pub(crate) mod dashboard;
pub(crate) mod health;
pub(crate) mod hooks;
pub(crate) mod logs;
pub(crate) mod status;
pub(crate) mod system;
