//! What tools find behind the relay's doors. The relay holds the tools, so its door holds the relay weakly.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_protocol::{RunId, UserBlock};
use homard_store::StoreError;
use homard_tools::{
    AgentLine, AgentsDoor, ChildLine, ChildTask, Described, DoorError, Doors, HistoryPage, HistoryWanted,
    Letter, LetterAnswer, MessageDoor, MessageWish, SessionFilter, SessionsDoor, SessionsPage, Spawned,
    ToolCx, VisionDoor,
};

use crate::relay::{Inner, Relay};

/// The relay as tools see it.
struct Room {
    inner: Weak<Inner>,
}

impl Room {
    fn relay(&self) -> Result<Relay, DoorError> {
        self.inner.upgrade().map(Relay::of).ok_or(DoorError::Closed)
    }
}

impl Relay {
    /// Opens the doors that lead here: sessions, agents, people on chat platforms and models that see.
    pub fn open_doors(&self, doors: &Doors) {
        let room = Arc::new(Room { inner: self.downgrade() });
        doors.sessions.open(Arc::clone(&room) as _);
        doors.agents.open(Arc::clone(&room) as _);
        doors.message.open(Arc::clone(&room) as _);
        doors.vision.open(room);
    }
}

/// What the model reads when the store fails.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands errors over by value")]
pub(crate) fn not_kept(error: StoreError) -> DoorError {
    tracing::error!(%error, "a tool's question to the store failed");
    DoorError::Failed(error.to_string())
}

/// The name of the run a call causes. The same call with the same words has the same name, so that a repeated
/// call never causes a second run; call ids alone are repeated by some models.
pub(crate) fn run_name(kind: &str, cx: &ToolCx, words: &[&str]) -> Result<RunId, DoorError> {
    let mut hasher = DefaultHasher::new();
    (cx.run_id.as_str(), cx.call_id.as_str(), words).hash(&mut hasher);
    let name = format!("{kind}-{:016x}", hasher.finish());
    RunId::parse(&name).map_err(|error| DoorError::Failed(error.to_string()))
}

/// A method of the relay, asked through the door.
macro_rules! ask {
    ($room:expr, |$relay:ident| $asked:expr) => {
        async move {
            let $relay = $room.relay()?;
            $asked.await
        }
        .boxed()
    };
}

impl SessionsDoor for Room {
    fn list<'a>(
        &'a self,
        cx: &'a ToolCx,
        filter: SessionFilter,
    ) -> BoxFuture<'a, Result<SessionsPage, DoorError>> {
        ask!(self, |relay| relay.sessions_seen(cx, &filter))
    }

    fn history<'a>(
        &'a self,
        cx: &'a ToolCx,
        wanted: HistoryWanted,
    ) -> BoxFuture<'a, Result<HistoryPage, DoorError>> {
        ask!(self, |relay| relay.history_seen(cx, &wanted))
    }

    fn send<'a>(&'a self, cx: &'a ToolCx, letter: Letter) -> BoxFuture<'a, Result<LetterAnswer, DoorError>> {
        ask!(self, |relay| relay.send_letter(cx, letter))
    }

    fn spawn<'a>(&'a self, cx: &'a ToolCx, task: ChildTask) -> BoxFuture<'a, Result<Spawned, DoorError>> {
        ask!(self, |relay| relay.spawn_child(cx, task))
    }

    fn children<'a>(
        &'a self,
        cx: &'a ToolCx,
        recent: Duration,
    ) -> BoxFuture<'a, Result<Vec<ChildLine>, DoorError>> {
        ask!(self, |relay| relay.children_of(cx, recent))
    }

    fn kill<'a>(
        &'a self,
        cx: &'a ToolCx,
        target: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ChildLine>, DoorError>> {
        ask!(self, |relay| relay.kill_children(cx, target))
    }

    fn steer<'a>(
        &'a self,
        cx: &'a ToolCx,
        target: &'a str,
        message: String,
    ) -> BoxFuture<'a, Result<ChildLine, DoorError>> {
        ask!(self, |relay| relay.steer_child(cx, target, message))
    }

    fn status<'a>(
        &'a self,
        cx: &'a ToolCx,
        key: Option<&'a str>,
        model: Option<&'a str>,
    ) -> BoxFuture<'a, Result<String, DoorError>> {
        ask!(self, |relay| relay.status_card(cx, key, model))
    }
}

impl AgentsDoor for Room {
    fn agents(&self, cx: &ToolCx) -> Result<Vec<AgentLine>, DoorError> {
        Ok(self.relay()?.agents_startable(cx))
    }
}

impl MessageDoor for Room {
    fn is_anywhere(&self) -> bool {
        self.relay().is_ok_and(|relay| relay.is_on_a_platform())
    }

    fn act<'a>(
        &'a self,
        cx: &'a ToolCx,
        wish: MessageWish,
    ) -> BoxFuture<'a, Result<serde_json::Value, DoorError>> {
        ask!(self, |relay| relay.act_for_tool(cx, wish))
    }
}

impl VisionDoor for Room {
    fn look<'a>(
        &'a self,
        cx: &'a ToolCx,
        prompt: String,
        pictures: Vec<UserBlock>,
        model: Option<String>,
    ) -> BoxFuture<'a, Result<Described, DoorError>> {
        ask!(self, |relay| relay.look_at(cx, prompt, pictures, model.as_deref()))
    }
}
