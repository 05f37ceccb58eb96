//! Commands about the gateway and what it keeps: setting it up; its health, log and page; the service it runs as; what is
//! wrong with it, copies of it, a newer program, its end.

pub(crate) mod backup;
pub(crate) mod daemon;
pub(crate) mod dashboard;
pub(crate) mod doctor;
pub(crate) mod erase;
mod examination;
pub(crate) mod health;
pub(crate) mod hooks;
pub(crate) mod logs;
mod meter;
pub(crate) mod secrets;
pub(crate) mod security;
pub(crate) mod setup;
pub(crate) mod status;
pub(crate) mod supervised;
pub(crate) mod system;
pub(crate) mod update;
pub(crate) mod webhooks;
