//! Ports to rooms above: what a tool needs from the relay or the gateway, as traits those rooms implement.
//!
//! A tool holds no room. It finds the ports of its turn in [`Scope::ports`](crate::Scope::ports), where whoever makes
//! the turn put them, and is not offered in a turn that lacks the one it needs.
//!
//! A new tool that needs a room above (`message`, `nodes`, `memory_search`, `browser`,
//! `canvas`, `tts`) is one file under `tools/` and one line in `registry.rs`:
//!
//! 1. a trait here that says what the tool asks of the room, in the tool's words, with boxed futures;
//! 2. a field of that trait in [`Ports`], and its line in `asked!`;
//! 3. the tool, whose `is_open` says whether `ports` has it, and which asks `cx.scope.ports`;
//! 4. the room implements the trait holding only a weak handle of itself (a command in the background may hold what
//!    came with its turn for long). A room of the relay is put in where the relay makes the ports of a turn; one above
//!    is handed over when the gateway's life begins.
//!
//! A room that has no use for a port of its own gives its tool to [`Toolbox::with`](crate::Toolbox::with).

mod cron;
mod gateway;
mod memory;
mod message;
mod nodes;
mod sessions;
mod vision;

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::outcome::ToolOutcome;

pub use cron::{CronAsk, CronPort};
pub use gateway::{ConfigWrite, GatewayPort};
pub use memory::{MemoryPort, NoteLines, Passage, Recollection};
pub use message::{ButtonArgs, MessageArgs, MessagePort, MessageVerb};
pub use nodes::{NodeAnswer, NodeCall, NodesPort};
pub use sessions::{
    AgentLine, AgentsPort, ChildLine, ChildTask, FoundMessage, FoundMessages, HistoryLine, HistoryPage,
    HistoryWanted, SessionFilter, SessionLine, SessionMessage, SessionMessageAnswer, SessionMessageStatus,
    SessionTarget, SessionsPage, SessionsPort, SessionsQuestion, Spawned,
};
pub use vision::{Described, VisionPort};

/// Why what is behind a port could not be done; the model reads it.
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

/// What a turn's tools may ask of the rooms above. It comes with the turn ([`Scope::ports`](crate::Scope::ports)),
/// complete; a tool whose port is not in it is not offered. The default is a turn in a house without rooms.
#[derive(Clone, Default)]
pub struct Ports {
    /// Conversations and the agents started in them.
    pub sessions: Option<Arc<dyn SessionsPort>>,
    pub agents: Option<Arc<dyn AgentsPort>>,
    /// Jobs that run by the clock.
    pub cron: Option<Arc<dyn CronPort>>,
    pub gateway: Option<Arc<dyn GatewayPort>>,
    /// What was written down.
    pub memory: Option<Arc<dyn MemoryPort>>,
    /// People on chat platforms.
    pub message: Option<Arc<dyn MessagePort>>,
    /// Machines that offer commands.
    pub nodes: Option<Arc<dyn NodesPort>>,
    pub vision: Option<Arc<dyn VisionPort>>,
}

/// Makes the methods by which tools ask: a port that is missing is an answer the model can read.
macro_rules! asked {
    ($($name:ident: $port:ident),* $(,)?) => {
        impl Ports {
            $(
                pub(crate) fn $name(&self) -> Result<&dyn $port, PortError> {
                    self.$name.as_deref().ok_or(PortError::Closed)
                }
            )*
        }
    };
}

asked! {
    sessions: SessionsPort,
    agents: AgentsPort,
    cron: CronPort,
    gateway: GatewayPort,
    memory: MemoryPort,
    message: MessagePort,
    nodes: NodesPort,
    vision: VisionPort,
}

impl fmt::Debug for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = [
            ("sessions", self.sessions.is_some()),
            ("agents", self.agents.is_some()),
            ("cron", self.cron.is_some()),
            ("gateway", self.gateway.is_some()),
            ("memory", self.memory.is_some()),
            ("message", self.message.is_some()),
            ("nodes", self.nodes.is_some()),
            ("vision", self.vision.is_some()),
        ];
        f.debug_set().entries(there.iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name)).finish()
    }
}

/// What came back through a port, as the model reads it.
pub(crate) fn told<T: Serialize>(answer: Result<T, PortError>) -> ToolOutcome {
    match answer.map(|answer| serde_json::to_string(&answer)) {
        Ok(Ok(text)) => ToolOutcome::text(text),
        Ok(Err(error)) => ToolOutcome::from_error(&error),
        Err(error) => ToolOutcome::from_error(&error),
    }
}
