//! The door: WebSocket and HTTP on one port, for operators and nodes.
//!
//! A connection's life: `server` accepts, `http` answers or upgrades, `conn` greets and serves, `handshake`
//! decides who is calling, `table` finds the method, a handler in `methods` answers, `fanout` tells everyone
//! else. Handlers translate between the wire and the rooms below; they hold no policy of their own.

mod access;
mod approvals;
mod connections;
mod error;
mod gateway;
mod generated;
mod http;
mod lifecycle;
mod methods;
mod ports;
mod replay;
mod session_rows;
mod table;
mod tool_answer;
mod wizard;

pub use connections::server::bind;
pub use gateway::{Gateway, GatewayParts, GatewayPorts, HostFacts, NetworkParts};
pub use generated::manual::renewed as renewed_manual;
pub use http::{PageFile, Pages};
pub use lifecycle::run::{Hooks, OnReload, Stopped, run};
pub use methods::approvals::exec_policy::snapshot as exec_policy_snapshot;
pub use methods::channels::check::{AccountTrial, TrialError};
pub use wizard::{AndThen, SetupWizard, WizardRefusal};
