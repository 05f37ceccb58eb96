//! Ports to rooms above: what a tool needs from the relay or the gateway, as traits those rooms implement.
//!
//! Tools are built before the rooms that use them, so a [`Port`] is handed out closed and opened later, once.
//! A tool behind a closed door is not offered.
//!
//! A new tool that needs a room above (`message`, `nodes`, `memory_search`, `memory_get`, `browser`,
//! `canvas`, `tts`) is one file under `tools/` and one line in `registry.rs`:
//!
//! 1. a trait here that says what the tool asks of the room, in the tool's words, with boxed futures;
//! 2. a field of that trait in [`Ports`];
//! 3. the tool, whose `is_open` is `self.door.is_open()`;
//! 4. the room implements the trait holding only a weak handle of itself (rooms hold the tools), and the
//!    composition root opens the door.
//!
//! A room that has no use for a door of its own gives its tool to [`Toolbox::with`](crate::Toolbox::with).

mod cron;
mod gateway;
mod message;
mod nodes;
mod sessions;
mod vision;

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use crate::outcome::ToolOutcome;

pub use cron::{CronAsk, CronPort};
pub use gateway::{ConfigWrite, GatewayPort};
pub use message::{ButtonArgs, MessageArgs, MessagePort, MessageVerb};
pub use nodes::{NodeAnswer, NodeCall, NodesPort};
pub use sessions::{
    AgentLine, AgentsPort, ChildLine, ChildTask, HistoryLine, HistoryPage, HistoryWanted, Letter,
    LetterAnswer, SessionFilter, SessionLine, SessionTarget, SessionsPage, SessionsPort, Spawned,
};
pub use vision::{Described, VisionPort};

/// Why what is behind a door could not be done; the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// The room is not there yet, or not any more.
    #[error("the gateway is starting or stopping; try again in a moment")]
    Closed,
    /// There is no such conversation, or none that may be seen; both are told alike.
    #[error("there is no session `{0}` that you can see; sessions_list shows those you can")]
    NoSession(String),
    /// The owner's settings do not allow it.
    #[error("not allowed: {0}")]
    NotAllowed(String),
    /// An argument cannot be used.
    #[error("{0}")]
    Invalid(String),
    /// It was tried and did not work.
    #[error("{0}")]
    Failed(String),
    /// The call was stopped.
    #[error("stopped")]
    Stopped,
}

/// A handle of a room that may not be there yet. Clones are the same door.
pub struct Port<T: ?Sized> {
    room: Arc<OnceLock<Arc<T>>>,
}

impl<T: ?Sized> Port<T> {
    /// Opens it. The first room stays.
    pub fn open(&self, room: Arc<T>) {
        if self.room.set(room).is_err() {
            tracing::error!("a door was opened a second time");
        }
    }

    /// Whether somebody is behind it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.room.get().is_some()
    }

    /// Who is behind it.
    ///
    /// # Errors
    /// [`PortError::Closed`] when nobody is.
    pub fn room(&self) -> Result<&T, PortError> {
        self.room.get().map(|room| &**room).ok_or(PortError::Closed)
    }
}

impl<T: ?Sized> Clone for Port<T> {
    fn clone(&self) -> Self {
        Self { room: Arc::clone(&self.room) }
    }
}

impl<T: ?Sized> Default for Port<T> {
    fn default() -> Self {
        Self { room: Arc::default() }
    }
}

impl<T: ?Sized> fmt::Debug for Port<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Port").field("is_open", &self.is_open()).finish()
    }
}

/// Every door there is.
#[derive(Debug, Clone, Default)]
pub struct Ports {
    /// Conversations and the agents started in them.
    pub sessions: Port<dyn SessionsPort>,
    /// Who there is.
    pub agents: Port<dyn AgentsPort>,
    /// Jobs that run by the clock.
    pub cron: Port<dyn CronPort>,
    /// The gateway itself.
    pub gateway: Port<dyn GatewayPort>,
    /// People on chat platforms.
    pub message: Port<dyn MessagePort>,
    /// Machines that offer commands.
    pub nodes: Port<dyn NodesPort>,
    /// Models that see.
    pub vision: Port<dyn VisionPort>,
}

/// What came back through a door, as the model reads it.
pub(crate) fn told<T: Serialize>(answer: Result<T, PortError>) -> ToolOutcome {
    match answer.map(|answer| serde_json::to_string(&answer)) {
        Ok(Ok(text)) => ToolOutcome::text(text),
        Ok(Err(error)) => ToolOutcome::from_error(&error),
        Err(error) => ToolOutcome::from_error(&error),
    }
}
