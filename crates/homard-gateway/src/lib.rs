//! The door: WebSocket and HTTP on one port, for operators and nodes.
//!
//! A connection's life: `server` accepts, `http` answers or upgrades, `conn` greets and serves, `handshake`
//! decides who is calling, `table` finds the method, a handler in `methods` answers, `fanout` tells everyone
//! else. Handlers translate between the wire and the rooms below; they hold no policy of their own.

mod approvals;
mod auth;
mod caller;
mod conn;
mod crowd;
mod device_auth;
mod devices;
mod error;
mod fanout;
mod gateway;
mod handshake;
mod health;
mod hooks;
mod http;
mod log_tail;
mod manual;
mod methods;
mod metrics;
mod nodes;
mod origin;
mod pairing;
mod ports;
mod presence;
mod proxy;
mod restart_note;
mod run;
mod scope_upgrades;
mod server;
mod session_rows;
mod setup_codes;
mod speech;
mod table;
mod tool_answer;
#[cfg(test)]
mod typescript;
mod voicewake;
mod wizard;
mod write_limit;

pub use gateway::{Gateway, GatewayParts, HostFacts, NetworkParts};
pub use http::{PageFile, Pages};
pub use manual::renewed as renewed_manual;
pub use methods::approvals::exec_policy::snapshot as exec_policy_snapshot;
pub use run::{Hooks, OnReload, Stopped, run};
pub use server::bind;
