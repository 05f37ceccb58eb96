//! Indexes that are up to date before anybody asks: changes of files are heard of, a conversation that begins brings them
//! in, and so does the clock where the owner wants that. An agent's notes are listened to from the first time they are
//! used; nothing wakes up while nothing changes.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;

use homard_config::config::agents::Agent;
use homard_memory::{IndexError, Memories, MemoryPlace, Synced};
use homard_protocol::AgentId;
use homard_runtime::Mutex;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::sleep;

use super::apart;
use super::sessions::Depth;
use crate::parts::Recall;

/// How often is waited for quiet before what changes all the time is read.
const MAX_WAITS: usize = 20;

/// How far is looked for what changed.
type Look = fn(&Memories, &MemoryPlace) -> Result<Option<Synced>, IndexError>;

/// Whose notes are listened to.
#[derive(Debug, Default)]
pub(crate) struct NoteWatch {
    agents: Mutex<BTreeSet<AgentId>>,
}

impl Recall {
    /// A conversation of an agent begins: its index is brought up to date beside it, where the owner wants that.
    pub(crate) fn session_started(&self, agent: &Agent) {
        self.keep_up(agent);
        let settings = &agent.memory_search;
        if !settings.enabled || !settings.sync.on_session_start {
            return;
        }
        let (recall, agent) = (self.clone(), agent.clone());
        self.inner().tasks().spawn(async move {
            recall.catch_up(&agent).await;
            recall.take_in_sessions(&agent, Depth::All).await;
            recall.fill_vectors(&agent);
        });
    }

    /// Listens to an agent's notes from now on, as the owner wants.
    pub(super) fn keep_up(&self, agent: &Agent) {
        let (settings, sync) = (&agent.memory_search, agent.memory_search.sync);
        let is_wanted = settings.enabled && (sync.watch || sync.interval.is_some());
        if !is_wanted || !self.keeping().agents.lock().insert(agent.id.clone()) {
            return;
        }
        let (recall, agent) = (self.clone(), agent.clone());
        self.inner().tasks().spawn(async move {
            // Nobody waits for it, so it ends when stopping begins and not when everything else is over.
            let stopping = recall.inner().stopping().clone();
            tokio::select! {
                () = recall.keep(&agent) => {}
                () = stopping.cancelled() => {}
            }
            recall.keeping().agents.lock().remove(&agent.id);
        });
    }

    /// Until the owner wants it otherwise; whoever uses the notes then begins anew.
    async fn keep(&self, agent: &Agent) {
        let (place, sync) = (self.place(agent), agent.memory_search.sync);
        let bell = if sync.watch { self.bell(&place) } else { None };
        if bell.is_some() {
            self.catch_up(agent).await;
        } else if sync.interval.is_none() {
            // Tried once; without the system's help the files are looked at before each search.
            return std::future::pending().await;
        }
        let is_as_before = || {
            let now = self.agent(Some(&agent.id)).ok().filter(|now| now.memory_search.enabled);
            now.is_some_and(|now| self.place(&now) == place && now.memory_search.sync == sync)
        };
        while is_as_before() {
            let look: Look = tokio::select! {
                () = rings(bell.as_ref()) => {
                    // A note that never rests is read all the same.
                    for _ in 0..MAX_WAITS {
                        let _heard = self.memories().hears(&place);
                        sleep(sync.debounce).await;
                        if !self.memories().hears(&place) {
                            break;
                        }
                    }
                    Memories::catch_up
                },
                () = sleep(sync.interval.unwrap_or_default()), if sync.interval.is_some() => Memories::sync,
            };
            if is_as_before() {
                self.bring_up(agent, look).await;
            }
        }
        self.memories().unwatch(&place);
    }

    #[expect(
        deprecated,
        reason = "its successor is `unsafe` for the sake of types that own no descriptor; this one does"
    )]
    fn bell(&self, place: &MemoryPlace) -> Option<AsyncFd<OwnedFd>> {
        let bell = self.memories().watch(place);
        let bell = bell.and_then(|bell| AsyncFd::with_interest(bell, Interest::READABLE));
        if let Err(error) = &bell {
            tracing::info!(%error, "notes are not watched; they are looked at before each search");
        }
        bell.ok()
    }

    /// Makes no thread where there is nothing to do: of conversations that begin together each would make one.
    async fn catch_up(&self, agent: &Agent) {
        if !self.memories().needs_no_look(&self.place(agent)) {
            self.bring_up(agent, Memories::catch_up).await;
        }
    }

    /// Reads what changed, and has vectors made of it.
    async fn bring_up(&self, agent: &Agent, look: Look) {
        let (place, memories) = (self.place(agent), self.memories().clone());
        match apart(move || look(&memories, &place)).await {
            Ok(Ok(Some(synced))) if synced.has_changed() => self.fill_vectors(agent),
            Ok(Ok(_)) | Err(_) => {}
            Ok(Err(error)) => tracing::warn!(%error, agent = %agent.id, "notes could not be indexed"),
        }
    }
}

/// Returns once there is something to hear; never without a bell.
async fn rings(bell: Option<&AsyncFd<OwnedFd>>) {
    let Some(bell) = bell else { return std::future::pending().await };
    match bell.readable().await {
        Ok(mut ready) => ready.clear_ready(),
        Err(error) => {
            tracing::warn!(%error, "notes are not heard of any more");
            std::future::pending::<()>().await;
        }
    }
}
