//! Nodes: machines lent to the gateway. Who they are, what they say they offer, and the commands on their way to them.
//!
//! One owner of all of it. What a node may be asked is never kept: it is worked out for every command from what the
//! node declares, what the owner approved (`homard-store`) and the gateway's lists (`commands`), so a yes that was
//! taken back counts at once. `registry` knows who is here, `surface` asks the owner about what a node declares,
//! `pairing` takes the answers, `invoke` sends commands and waits, `activity` is what nodes say of themselves, `rows` is
//! how clients see them, `port` how the assistant does, `wake_words` what they listen for.

mod activity;
mod commands;
mod invoke;
mod pairing;
mod port;
mod registry;
mod rows;
mod surface;
mod wake_words;

use std::sync::Arc;

use homard_config::ConfigHandle;
use homard_relay::Bus;
use homard_runtime::Clock;
use homard_store::Store;

pub use commands::{NotAllowed, approve_scopes};
pub use invoke::{DEFAULT_TIMEOUT, Done, IN_BACKGROUND, InvokeError, InvokeRequest, MAX_TIMEOUT, OnProgress};
pub use pairing::PairingError;
pub use registry::{NodeRegistry, NodeSession, NodeSocket};
pub use rows::{claim, is_node};

/// The nodes: those that are here, and what is known of all.
#[derive(Debug)]
pub struct Nodes {
    registry: Arc<NodeRegistry>,
    config: ConfigHandle,
    store: Store,
    bus: Bus,
    clock: Clock,
}

impl Nodes {
    /// None is here yet. Those that come hear what the bus tells of conversations they listen to.
    #[must_use]
    pub fn new(config: ConfigHandle, store: Store, bus: Bus, clock: Clock) -> Self {
        let registry = Arc::new(NodeRegistry::default());
        bus.listen(Arc::clone(&registry) as _);
        Self { registry, config, store, bus, clock }
    }

    /// Those that are here.
    #[must_use]
    pub fn registry(&self) -> &NodeRegistry {
        &self.registry
    }
}
