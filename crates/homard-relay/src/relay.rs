//! The handle: how messages get in, how runs are watched and stopped.

use std::sync::{Arc, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use homard_agent::Prompt;
use homard_config::{Config, ConfigHandle};
use homard_exec::Processes;
use homard_exec::approvals::PolicyStore;
use homard_llm::Models;
use homard_models::router::ModelRouter;
use homard_protocol::events::SessionsChangedEvent;
use homard_protocol::{RunId, SessionKey};
use homard_runtime::{Clock, Tasks};
use homard_skills::Skills;
use homard_store::{SessionRecord, Store};
use homard_tools::{Approvals, Guards, Toolbox, Undo};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::bus::{Audience, Bus};
use crate::delivery::outbox::Outbox;
use crate::intake::Intake;
use crate::message_actions::Names;
use crate::platforms::channels::Channels;
use crate::sessions::subagents::Family;
use crate::turn_setup::offer::Offers;
use crate::turn_setup::settings::chosen_model;
use crate::turns::lane::{Lanes, Waiting};
use crate::turns::runs::{RunEnd, RunView, Runs};
use crate::turns::source::StopCause;
use crate::turns::turn;
use crate::turns::wake::Wakes;

/// How long an abort waits for the run to be over before it answers anyway.
const ABORT_WAIT: Duration = Duration::from_secs(5);

/// What the relay is made of.
pub struct RelayParts {
    /// The owner's settings.
    pub config: ConfigHandle,
    /// What is kept.
    pub store: Store,
    /// Who thinks.
    pub router: ModelRouter,
    /// What the model may do.
    pub tools: Toolbox,
    /// Where events go.
    pub bus: Bus,
    /// Where the time comes from.
    pub clock: Clock,
    /// Where a person is asked before something is done.
    pub approvals: Approvals,
    /// What agents have been taught.
    pub skills: Skills,
    /// What is known about secrets and strangers' files.
    pub guards: Guards,
    /// Where file tools keep what they replace.
    pub undo: Undo,
}

/// What a reload may replace.
#[derive(Debug)]
pub(crate) struct Reloadable {
    pub(crate) router: Arc<ModelRouter>,
    pub(crate) tools: Arc<Toolbox>,
    pub(crate) offers: Offers,
    capacity: Arc<Semaphore>,
    permits: usize,
    /// Places for runs that others may wait for: subagents, and messages between conversations.
    nested: Arc<Semaphore>,
    nested_permits: usize,
}

/// Places beside those, for the owner alone: others who take all of them do not keep the owner waiting.
const OWNERS_PLACES: usize = 1;

/// How many runs, and how many nested ones, the owner wants at once.
fn places(config: &Config) -> (usize, usize) {
    let defaults = &config.agents.defaults;
    (defaults.max_concurrent.max(1), defaults.subagents.max_concurrent.max(1))
}

/// The same places, if as many are wanted.
fn resized(old: &Arc<Semaphore>, had: usize, wanted: usize) -> Arc<Semaphore> {
    if had == wanted { Arc::clone(old) } else { Arc::new(Semaphore::new(wanted)) }
}

type EndListener = Box<dyn Fn(&RunEnd) + Send + Sync>;

pub(crate) struct Inner {
    config: ConfigHandle,
    store: Store,
    bus: Bus,
    approvals: Approvals,
    skills: Skills,
    guards: Guards,
    undo: Undo,
    clock: Clock,
    rooms: ArcSwap<Reloadable>,
    prompt: Arc<Prompt>,
    runs: Runs,
    lanes: Lanes,
    tasks: Tasks,
    family: Family,
    wakes: Wakes,
    channels: Channels,
    channel_names: Names,
    outbox: Outbox,
    intake: Intake,
    stopping: CancellationToken,
    holding: CancellationToken,
    processes: std::sync::OnceLock<Processes>,
    on_end: std::sync::OnceLock<EndListener>,
    owners_places: Arc<Semaphore>,
}

impl Inner {
    pub(crate) fn config(&self) -> Arc<Config> {
        self.config.current()
    }

    /// Where the owner's settings are read and written.
    pub(crate) fn config_handle(&self) -> &ConfigHandle {
        &self.config
    }

    /// The owner's rules for commands.
    pub(crate) fn exec_policy(&self) -> PolicyStore {
        PolicyStore::new(self.config.source().paths.exec_approvals())
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn bus(&self) -> &Bus {
        &self.bus
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn rooms(&self) -> Arc<Reloadable> {
        self.rooms.load_full()
    }

    pub(crate) fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    /// A place among the runs that run at once.
    pub(crate) async fn place(&self, waiting: &Waiting) -> Option<OwnedSemaphorePermit> {
        let (capacity, nested) = {
            let rooms = self.rooms.load();
            (Arc::clone(&rooms.capacity), Arc::clone(&rooms.nested))
        };
        if waiting.is_nested() {
            return nested.acquire_owned().await.ok();
        }
        if !waiting.admitted.standing().is_owner {
            return capacity.acquire_owned().await.ok();
        }
        tokio::select! {
            biased;
            place = capacity.acquire_owned() => place.ok(),
            place = Arc::clone(&self.owners_places).acquire_owned() => place.ok(),
        }
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    pub(crate) fn family(&self) -> &Family {
        &self.family
    }

    pub(crate) fn wakes(&self) -> &Wakes {
        &self.wakes
    }

    /// The accounts that are connected to chat platforms.
    pub(crate) fn channels(&self) -> &Channels {
        &self.channels
    }

    /// What the platforms are called.
    pub(crate) fn channel_names(&self) -> &Names {
        &self.channel_names
    }

    /// What goes out to them.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Where things are kept.
    pub(crate) fn paths(&self) -> &homard_config::Paths {
        &self.config.source().paths
    }

    /// What is remembered of messages that come in.
    pub(crate) fn intake(&self) -> &Intake {
        &self.intake
    }

    /// Where files that came with messages are kept.
    pub(crate) fn media_dir(&self) -> std::path::PathBuf {
        self.config.source().paths.state_dir.join("media").join("inbound")
    }

    /// Moves settings in the owner's file from one place to another. Blocks.
    pub(crate) fn rename_in_config(
        &self,
        new: &str,
        old: &str,
        value: serde_json::Value,
    ) -> Result<(), homard_config::WriteError> {
        self.config.set_path(new, value)?;
        self.config.unset_path(old)?;
        Ok(())
    }

    pub(crate) fn skills(&self) -> &Skills {
        &self.skills
    }

    pub(crate) fn guards(&self) -> &Guards {
        &self.guards
    }

    pub(crate) fn undo(&self) -> &Undo {
        &self.undo
    }

    /// What `~` means to the owner.
    pub(crate) fn home(&self) -> &std::path::Path {
        &self.config.source().paths.home
    }

    pub(crate) fn prompt(&self) -> Arc<Prompt> {
        Arc::clone(&self.prompt)
    }

    pub(crate) fn runs(&self) -> &Runs {
        &self.runs
    }

    pub(crate) fn lanes(&self) -> &Lanes {
        &self.lanes
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Cancelled when no turn is to begin any more, though messages are still taken.
    pub(crate) fn holding(&self) -> &CancellationToken {
        &self.holding
    }

    /// Where commands go on in the background, if somewhere.
    pub(crate) fn processes(&self) -> Option<&Processes> {
        self.processes.get()
    }

    pub(crate) fn commands_are_in(&self, processes: Processes) {
        if self.processes.set(processes).is_err() {
            tracing::error!("a second registry of commands was not taken");
        }
    }

    /// Tells watchers of the session list.
    pub(crate) fn session_changed(
        &self,
        session: &SessionRecord,
        reason: &'static str,
        has_active_run: bool,
    ) {
        let event = SessionsChangedEvent {
            session_key: session.key.to_string(),
            agent_id: Some(session.agent_id.to_string()),
            session_id: Some(session.session_id.to_string()),
            reason,
            ts: self.clock.now_ms(),
            session: None,
            has_active_run,
            active_run_ids: if has_active_run { self.runs.active_ids(&session.key) } else { Vec::new() },
        };
        self.bus.publish_to(&event, Audience::SessionSubscribers);
    }

    pub(crate) fn run_ended(&self, end: &RunEnd) {
        if let Some(listener) = self.on_end.get() {
            listener(end);
        }
    }
}

/// What an abort did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aborted {
    /// The runs that were stopped.
    pub run_ids: Vec<RunId>,
}

/// The walk of a message. Clone-cheap.
#[derive(Clone)]
pub struct Relay {
    inner: Arc<Inner>,
}

impl Relay {
    /// Puts the relay together.
    #[must_use]
    pub fn new(parts: RelayParts) -> Self {
        let RelayParts { config, store, router, tools, bus, clock, approvals, skills, guards, undo } = parts;
        let (permits, nested_permits) = places(&config.current());
        let rooms = Reloadable {
            router: Arc::new(router),
            tools: Arc::new(tools),
            offers: Offers::default(),
            capacity: Arc::new(Semaphore::new(permits)),
            permits,
            nested: Arc::new(Semaphore::new(nested_permits)),
            nested_permits,
        };
        let tasks = Tasks::new();
        let stopping = CancellationToken::new();
        let prompt = Arc::new(Prompt::new(clock.clone()));
        let inner = Inner {
            config,
            store,
            bus,
            approvals,
            skills,
            guards,
            undo,
            clock,
            rooms: ArcSwap::from_pointee(rooms),
            prompt,
            runs: Runs::default(),
            lanes: Lanes::default(),
            tasks,
            family: Family::default(),
            wakes: Wakes::default(),
            channels: Channels::default(),
            channel_names: Names::default(),
            outbox: Outbox::default(),
            intake: Intake::default(),
            holding: stopping.child_token(),
            stopping,
            processes: std::sync::OnceLock::new(),
            on_end: std::sync::OnceLock::new(),
            owners_places: Arc::new(Semaphore::new(OWNERS_PLACES)),
        };
        let relay = Self { inner: Arc::new(inner) };
        relay.warn_of_misspelled_tools();
        relay.name_owners();
        relay
    }

    /// Calls `listener` whenever a run ends; the first one given stands.
    pub fn on_end(&self, listener: impl Fn(&RunEnd) + Send + Sync + 'static) {
        if self.inner.on_end.set(Box::new(listener)).is_err() {
            tracing::error!("a second listener for ended runs was not taken");
        }
    }

    /// Takes new models and tools after the configuration changed. Runs under way keep what they began with.
    pub fn reload(&self, router: ModelRouter, tools: Toolbox) {
        let (permits, nested_permits) = places(&self.inner.config());
        let old = self.inner.rooms();
        let rooms = Reloadable {
            router: Arc::new(router),
            tools: Arc::new(tools),
            offers: Offers::default(),
            capacity: resized(&old.capacity, old.permits, permits),
            permits,
            nested: resized(&old.nested, old.nested_permits, nested_permits),
            nested_permits,
        };
        self.inner.rooms.store(Arc::new(rooms));
        self.warn_of_misspelled_tools();
        self.name_owners();
    }

    /// Takes new models only: somebody found out what a server offers. Everything else stays.
    pub fn take_router(&self, router: ModelRouter) {
        let old = self.inner.rooms();
        let rooms = Reloadable {
            router: Arc::new(router),
            tools: Arc::clone(&old.tools),
            offers: Offers::default(),
            capacity: Arc::clone(&old.capacity),
            permits: old.permits,
            nested: Arc::clone(&old.nested),
            nested_permits: old.nested_permits,
        };
        self.inner.rooms.store(Arc::new(rooms));
    }

    /// The models in use.
    #[must_use]
    pub fn models(&self) -> Arc<Models> {
        Arc::clone(self.inner.rooms().router.models())
    }

    /// Where a person is asked before something is done.
    #[must_use]
    pub fn approvals(&self) -> &Approvals {
        &self.inner.approvals
    }

    /// Tells those who watch a run that it waits for a person, or no longer does; a run that is over tells nothing.
    pub fn tell_approval(&self, run: &RunId, data: serde_json::Value) {
        if let Some(run) = self.inner.runs.get(run) {
            run.narrator.approval(data);
        }
    }

    /// What agents have been taught.
    #[must_use]
    pub fn skills(&self) -> &Skills {
        &self.inner.skills
    }

    /// Where models are chosen and paid for.
    #[must_use]
    pub fn router(&self) -> Arc<ModelRouter> {
        Arc::clone(&self.inner.rooms().router)
    }

    /// The model a session would use now: its provider and name.
    #[must_use]
    pub fn model_for(&self, key: &SessionKey, session: Option<&SessionRecord>) -> homard_protocol::ModelRef {
        let config = self.inner.config();
        let agent =
            key.agent_id().and_then(|id| config.agents.agent(id)).unwrap_or(config.agents.default_agent());
        chosen_model(&self.inner.rooms().router, agent, session.map(|record| &record.entry))
    }

    /// Stops one run, or every run of a session, with the agents they started, and waits until they are over.
    pub async fn abort(&self, key: &SessionKey, only: Option<&RunId>, by: StopCause) -> Aborted {
        let aborted = self.stop_runs(key, only, by).await;
        // Only now: a run that is over starts nobody any more.
        self.stop_children(key, only).await;
        aborted
    }

    /// Stops runs of a session, and waits until they are over.
    pub(crate) async fn stop_runs(&self, key: &SessionKey, only: Option<&RunId>, by: StopCause) -> Aborted {
        let mut runs = self.inner.runs.of_session(key);
        runs.retain(|run| only.is_none_or(|only| run.id == *only));
        let endings: Vec<_> = runs.iter().map(|run| run.watch()).collect();
        for run in &runs {
            run.stop(by);
            if let Some(waiting) = self.inner.lanes.withdraw(run) {
                turn::stop_waiting(&self.inner, waiting).await;
            }
        }
        let run_ids = runs.iter().map(|run| run.id.clone()).collect();
        // Only the endings are held from here: a run that is let go of without one must not be waited for.
        drop(runs);
        for mut ending in endings {
            // A run that does not end in time still ends; the caller is only not kept waiting.
            let _late = timeout(ABORT_WAIT, ending.wait_for(Option::is_some)).await;
        }
        Aborted { run_ids }
    }

    /// Waits for a run that is under way; `None` when it is not, or when `limit` passes first.
    pub async fn wait(&self, run_id: &RunId, limit: Duration) -> Option<RunEnd> {
        let mut ending = self.inner.runs.get(run_id)?.watch();
        let ended = timeout(limit, ending.wait_for(Option::is_some)).await.ok()?.ok()?;
        ended.clone()
    }

    /// The runs of a session, waiting and running.
    #[must_use]
    pub fn views(&self, key: &SessionKey) -> Vec<RunView> {
        self.inner.runs.views(key)
    }

    /// Their ids.
    #[must_use]
    pub fn active_ids(&self, key: &SessionKey) -> Vec<String> {
        self.inner.runs.active_ids(key)
    }

    /// The sessions that have runs under way.
    #[must_use]
    pub fn active_sessions(&self) -> Vec<SessionKey> {
        let mut keys: Vec<SessionKey> =
            self.inner.runs.all().iter().map(|run| run.session_key.clone()).collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// The session a run under way belongs to.
    #[must_use]
    pub fn session_of(&self, run_id: &RunId) -> Option<SessionKey> {
        self.inner.runs.get(run_id).map(|run| run.session_key.clone())
    }

    /// How many runs are under way.
    #[must_use]
    pub fn active_count(&self) -> usize {
        self.inner.runs.all().len()
    }

    /// How many sessions are in memory.
    #[must_use]
    pub fn lanes_awake(&self) -> usize {
        self.inner.lanes.awake()
    }

    /// Tells watchers of the session list that a session changed.
    pub fn announce_change(&self, session: &SessionRecord, reason: &'static str) {
        let active = !self.inner.runs.of_session(&session.key).is_empty();
        self.inner.session_changed(session, reason, active);
    }

    /// Takes no more messages and begins no more turns. Those under way go on.
    pub fn take_no_more(&self) {
        // Platforms first: what they are not told "received" for comes again.
        self.inner.channels.hear_no_more();
        self.inner.stopping.cancel();
    }

    /// Takes no more messages, lets running turns finish for `grace`, then stops them. Messages that still
    /// wait stay kept and are answered after the next start.
    pub async fn stop(&self, grace: Duration) {
        self.take_no_more();
        self.inner.channels.closed().await;
        let wait_for_runs = async {
            let runs = self.inner.runs.all();
            let endings: Vec<_> = runs.iter().filter(|run| run.has_begun()).map(|run| run.watch()).collect();
            drop(runs);
            for mut ending in endings {
                // The sender is gone only when the run is.
                let _gone = ending.wait_for(Option::is_some).await;
            }
        };
        if timeout(grace, wait_for_runs).await.is_err() {
            for run in self.inner.runs.all().iter().filter(|run| run.has_begun()) {
                run.stop(StopCause::Restart);
            }
        }
        self.inner.tasks.finish(ABORT_WAIT).await;
        self.inner.outbox.close().await;
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    pub(crate) fn of(inner: Arc<Inner>) -> Self {
        Self { inner }
    }

    pub(crate) fn downgrade(&self) -> Weak<Inner> {
        Arc::downgrade(&self.inner)
    }
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").field("runs", &self.active_count()).finish_non_exhaustive()
    }
}
