//! A headless node: a machine that lets a gateway somewhere else use some of its commands.
//!
//! Reading order: [`Machine`] is what there is, `commands` what of it is offered (one file per family), `link` serves
//! one connection, [`Host`] keeps connecting. What may run is decided here, by the machine's own list, whatever the
//! gateway thinks of it.

mod commands;
mod host;
mod keep;
mod link;
mod machine;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;
#[cfg(not(target_os = "linux"))]
#[path = "elsewhere.rs"]
mod platform;

pub use commands::offered;
pub use host::{Host, HostError, HostOptions, NodeNotice};
pub use keep::{KeepError, NodeFolder};
pub use machine::Machine;
