//! The ports of a turn: the relay's own, made here for each, and those of the rooms above.
//!
//! The relay's hold it weakly: a command in the background may hold what came with its turn for longer than the relay
//! lives. While a turn is under way the relay is there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_protocol::{RunId, UserBlock};
use homard_store::StoreError;
use homard_tools::{
    AgentLine, AgentsPort, ChildLine, ChildTask, Described, FoundMessages, HistoryPage, HistoryWanted,
    MemoryPort, MessageArgs, MessagePort, NoteLines, PortError, Ports, Recollection, SessionFilter,
    SessionMessage, SessionMessageAnswer, SessionsPage, SessionsPort, SessionsQuestion, Spawned, ToolCx,
    VisionPort,
};

use crate::parts::{Parts, TurnSetup};
use crate::relay::Relay;

/// The relay as tools see it.
struct Room {
    parts: Weak<Parts>,
}

impl Room {
    fn relay(&self) -> Result<Relay, PortError> {
        self.parts.upgrade().map(Relay::of).ok_or(PortError::Closed)
    }
}

impl TurnSetup {
    /// Everything a turn's tools may ask.
    pub(crate) fn ports(&self) -> Ports {
        let room = Arc::new(Room { parts: self.downgrade() });
        Ports {
            sessions: Some(Arc::clone(&room) as _),
            agents: Some(Arc::clone(&room) as _),
            memory: Some(Arc::clone(&room) as _),
            message: Some(Arc::clone(&room) as _),
            vision: Some(room),
            ..self.inner().ports_above()
        }
    }
}

/// What the model reads when the store fails.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands errors over by value")]
pub(crate) fn not_kept(error: StoreError) -> PortError {
    tracing::error!(%error, "a tool's question to the store failed");
    PortError::Failed(error.to_string())
}

/// The name of the run a call causes. The same call with the same words has the same name, so that a repeated
/// call never causes a second run; call ids alone are repeated by some models.
pub(crate) fn run_name(kind: &str, cx: &ToolCx, words: &[&str]) -> Result<RunId, PortError> {
    let mut hasher = DefaultHasher::new();
    (cx.run_id.as_str(), cx.call_id.as_str(), words).hash(&mut hasher);
    let name = format!("{kind}-{:016x}", hasher.finish());
    RunId::parse(&name).map_err(|error| PortError::Failed(error.to_string()))
}

/// A method of the relay, asked through a port.
macro_rules! ask {
    ($room:expr, |$relay:ident| $asked:expr) => {
        async move {
            let $relay = $room.relay()?;
            $asked.await
        }
        .boxed()
    };
}

impl SessionsPort for Room {
    fn list<'a>(
        &'a self,
        cx: &'a ToolCx,
        filter: SessionFilter,
    ) -> BoxFuture<'a, Result<SessionsPage, PortError>> {
        ask!(self, |relay| relay.sessions().sessions_seen(cx, &filter))
    }

    fn history<'a>(
        &'a self,
        cx: &'a ToolCx,
        wanted: HistoryWanted,
    ) -> BoxFuture<'a, Result<HistoryPage, PortError>> {
        ask!(self, |relay| relay.sessions().history_seen(cx, &wanted))
    }

    fn search<'a>(
        &'a self,
        cx: &'a ToolCx,
        question: SessionsQuestion,
    ) -> BoxFuture<'a, Result<FoundMessages, PortError>> {
        ask!(self, |relay| relay.sessions().search_seen(cx, question))
    }

    fn send<'a>(
        &'a self,
        cx: &'a ToolCx,
        letter: SessionMessage,
    ) -> BoxFuture<'a, Result<SessionMessageAnswer, PortError>> {
        ask!(self, |relay| relay.sessions().send_letter(cx, letter))
    }

    fn spawn<'a>(&'a self, cx: &'a ToolCx, task: ChildTask) -> BoxFuture<'a, Result<Spawned, PortError>> {
        ask!(self, |relay| relay.subagents().spawn_child(cx, task))
    }

    fn children<'a>(
        &'a self,
        cx: &'a ToolCx,
        recent: Duration,
    ) -> BoxFuture<'a, Result<Vec<ChildLine>, PortError>> {
        ask!(self, |relay| relay.subagents().children_of(cx, recent))
    }

    fn kill<'a>(
        &'a self,
        cx: &'a ToolCx,
        target: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ChildLine>, PortError>> {
        ask!(self, |relay| relay.subagents().kill_children(cx, target))
    }

    fn steer<'a>(
        &'a self,
        cx: &'a ToolCx,
        target: &'a str,
        message: String,
    ) -> BoxFuture<'a, Result<ChildLine, PortError>> {
        ask!(self, |relay| relay.subagents().steer_child(cx, target, message))
    }

    fn status<'a>(
        &'a self,
        cx: &'a ToolCx,
        key: Option<&'a str>,
        model: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, PortError>> {
        ask!(self, |relay| relay.sessions().status_card(cx, key, model))
    }
}

impl AgentsPort for Room {
    fn agents(&self, cx: &ToolCx) -> Result<Vec<AgentLine>, PortError> {
        Ok(self.relay()?.sessions().agents_startable(cx))
    }
}

impl MessagePort for Room {
    fn is_anywhere(&self) -> bool {
        self.relay().is_ok_and(|relay| relay.inner().accounts().platforms_on().next().is_some())
    }

    fn act<'a>(
        &'a self,
        cx: &'a ToolCx,
        wish: MessageArgs,
    ) -> BoxFuture<'a, Result<serde_json::Value, PortError>> {
        ask!(self, |relay| relay.messages().act_for_tool(cx, wish))
    }
}

impl MemoryPort for Room {
    fn is_on(&self) -> bool {
        self.relay().is_ok_and(|relay| {
            relay.inner().config().agents.list.iter().any(|agent| agent.memory_search.enabled)
        })
    }

    fn search<'a>(
        &'a self,
        cx: &'a ToolCx,
        query: String,
        most: Option<usize>,
        least: Option<f64>,
    ) -> BoxFuture<'a, Result<Recollection, PortError>> {
        ask!(self, |relay| relay.recall().search_for_tool(cx, query, most, least))
    }

    fn lines<'a>(
        &'a self,
        cx: &'a ToolCx,
        path: String,
        from: usize,
        lines: usize,
    ) -> BoxFuture<'a, Result<NoteLines, PortError>> {
        ask!(self, |relay| relay.recall().lines_for_tool(cx, path, from, lines))
    }
}

impl VisionPort for Room {
    fn sees(&self) -> bool {
        self.relay().is_ok_and(|relay| relay.inner().router().seeing().next().is_some())
    }

    fn look<'a>(
        &'a self,
        cx: &'a ToolCx,
        prompt: String,
        pictures: Vec<UserBlock>,
        model: Option<String>,
    ) -> BoxFuture<'a, Result<Described, PortError>> {
        ask!(self, |relay| relay.setup().look_at(cx, prompt, pictures, model.as_deref()))
    }
}
