//! Commands about the gateway as a whole: setting it up, its health, log and page.

pub(crate) mod dashboard;
pub(crate) mod health;
pub(crate) mod hooks;
pub(crate) mod logs;
pub(crate) mod setup;
pub(crate) mod status;
pub(crate) mod system;
