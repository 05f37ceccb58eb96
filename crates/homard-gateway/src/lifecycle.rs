//! From start to stop: serving, health, figures, the log, what is said after a restart.

pub(crate) mod health;
pub(crate) mod log_tail;
pub(crate) mod metrics;
pub(crate) mod restart_note;
pub(crate) mod run;

use std::path::PathBuf;
use std::time::Instant;

use homard_runtime::{Tasks, millis};
use tokio_util::sync::CancellationToken;

use self::health::Health;
use self::metrics::Metrics;
use crate::gateway::HostFacts;

/// This start of the gateway, from beginning to end.
pub(crate) struct Lifecycle {
    /// One per start of the gateway.
    pub(crate) boot_id: String,
    started: Instant,
    pub(crate) tasks: Tasks,
    /// Cancelled when the gateway begins to stop.
    pub(crate) stopping: CancellationToken,
    /// Cancelled when HTTP connections are to end with the request under way.
    pub(crate) leaving: CancellationToken,
    /// Cancelled when somebody asked for a restart.
    pub(crate) restart: CancellationToken,
    /// Cancelled when another process is ready to take over.
    pub(crate) hand_over: CancellationToken,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self {
            boot_id: uuid::Uuid::new_v4().to_string(),
            started: Instant::now(),
            tasks: Tasks::new(),
            stopping: CancellationToken::new(),
            leaving: CancellationToken::new(),
            restart: CancellationToken::new(),
            hand_over: CancellationToken::new(),
        }
    }
}

impl Lifecycle {
    /// How long it has been up.
    pub(crate) fn uptime_ms(&self) -> u64 {
        millis(self.started.elapsed())
    }
}

/// How the gateway is doing, and on which machine.
pub(crate) struct Diagnostics {
    pub(crate) host: HostFacts,
    log_file: Box<dyn Fn() -> PathBuf + Send + Sync>,
    /// The last look at everything.
    pub(crate) health: Health,
    pub(crate) metrics: Metrics,
}

impl Diagnostics {
    /// Nothing looked at and nothing counted yet.
    pub(crate) fn new(host: HostFacts, log_file: Box<dyn Fn() -> PathBuf + Send + Sync>) -> Self {
        Self { host, log_file, health: Health::default(), metrics: Metrics::new() }
    }

    /// The log file of today.
    pub(crate) fn log_file(&self) -> PathBuf {
        (self.log_file)()
    }
}
