//! The handlers, one file per family, and the table that names them.

mod agents;
pub(crate) mod approvals;
pub(crate) mod channels;
pub(crate) mod chat;
pub(crate) mod config;
mod cron;
mod devices;
mod memory;
mod models;
pub(crate) mod nodes;
pub(crate) mod sessions;
mod system;
mod tools;
mod usage;
mod voice;

use homard_protocol::{AgentId, SessionKey, SessionRef};

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::table::MethodTable;

/// Every method, family by family. (`connect` is answered by the handshake.)
pub(crate) fn table() -> MethodTable {
    let families: [fn(MethodTable) -> MethodTable; 15] = [
        agents::register,
        approvals::register,
        channels::register,
        chat::register,
        config::register,
        cron::register,
        devices::register,
        memory::register,
        models::register,
        nodes::register,
        sessions::register,
        system::register,
        tools::register,
        usage::register,
        voice::register,
    ];
    families.into_iter().fold(MethodTable::default(), |table, register| register(table))
}

/// Refuses a number that is out of its documented range.
fn check_range<N: PartialOrd + std::fmt::Display>(
    method: &str,
    field: &str,
    value: Option<N>,
    range: std::ops::RangeInclusive<N>,
) -> Result<(), RequestError> {
    match value {
        Some(value) if !range.contains(&value) => Err(RequestError::invalid(format!(
            "invalid {method} params: at /{field}: must be between {} and {}",
            range.start(),
            range.end()
        ))),
        _ => Ok(()),
    }
}

/// The conversation a client means; bare keys belong to `agent`, or to the default one.
fn session_key(
    gateway: &Gateway,
    said: &SessionRef,
    agent: Option<&AgentId>,
) -> Result<SessionKey, RequestError> {
    let config = gateway.config().current();
    Ok(said.of(agent.unwrap_or(&config.agents.default_agent().id))?)
}

#[cfg(test)]
mod tests;
