//! The handle: how messages get in, how runs are watched and stopped.

use std::sync::{Arc, Weak};
use std::time::Duration;

use arc_swap::ArcSwap;
use homard_agent::Prompt;
use homard_channel::Inbound;
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
use crate::events::{DomainEvent, DomainEvents};
use crate::intake::IntakeState;
use crate::message_actions::Names;
use crate::parts::{Intake, MessageActions, Outgoing, Platforms, Sessions, Subagents, TurnSetup, Turns};
use crate::platforms::channels::Channels;
use crate::sessions::subagents::Family;
use crate::turn_setup::offer::Offers;
use crate::turns::accept::{AcceptError, Accepted};
use crate::turns::control::{ABORT_WAIT, Aborted};
use crate::turns::lane::{Lanes, Waiting};
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;
use crate::turns::runs::{RunEnd, Runs};
use crate::turns::source::StopCause;
use crate::turns::wake::Wakes;

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
    intake: IntakeState,
    stopping: CancellationToken,
    holding: CancellationToken,
    processes: std::sync::OnceLock<Processes>,
    events: DomainEvents,
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

    /// Where what happens is told.
    pub(crate) fn events(&self) -> &DomainEvents {
        &self.events
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

    /// Where models are chosen and paid for.
    pub(crate) fn router(&self) -> Arc<ModelRouter> {
        Arc::clone(&self.rooms().router)
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
    pub(crate) fn intake(&self) -> &IntakeState {
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
        self.events.publish(&DomainEvent::SessionChanged { session: session.key.clone(), reason });
        let event = SessionsChangedEvent {
            session_key: session.key.clone(),
            agent_id: Some(session.agent_id.clone()),
            session_id: Some(session.session_id.clone()),
            reason,
            ts: self.clock.now_ms(),
            session: None,
            has_active_run,
            active_run_ids: if has_active_run { self.runs.active_ids(&session.key) } else { Vec::new() },
        };
        self.bus.publish_to(&event, Audience::SessionSubscribers);
    }

    pub(crate) fn run_ended(&self, end: &RunEnd) {
        self.events.publish(&DomainEvent::RunEnded(Box::new(end.clone())));
    }
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
            intake: IntakeState::default(),
            holding: stopping.child_token(),
            stopping,
            processes: std::sync::OnceLock::new(),
            events: DomainEvents::default(),
            owners_places: Arc::new(Semaphore::new(OWNERS_PLACES)),
        };
        let relay = Self { inner: Arc::new(inner) };
        relay.setup().warn_of_misspelled_tools();
        relay.inner.name_owners();
        relay
    }

    /// What happens here, for any number of subscribers.
    #[must_use]
    pub fn events(&self) -> &DomainEvents {
        &self.inner.events
    }

    /// Tells questions to those who subscribed, and shows them on the platform their run was asked from.
    pub fn follow_approvals(&self) {
        let told = Arc::downgrade(&self.inner);
        self.inner.approvals.subscribe(move |question| {
            let Some(inner) = told.upgrade() else { return };
            let question = Box::new(question.clone());
            inner.events.publish(&match question.outcome {
                None => DomainEvent::ApprovalAsked(question),
                Some(_) => DomainEvent::ApprovalEnded(question),
            });
        });
        let shown = Arc::downgrade(&self.inner);
        self.inner.events.subscribe(move |event| {
            if let (DomainEvent::ApprovalAsked(question), Some(inner)) = (event, shown.upgrade()) {
                Outgoing::of(inner).show_approval(question);
            }
        });
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
        self.setup().warn_of_misspelled_tools();
        self.inner.name_owners();
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

    /// What agents have been taught.
    #[must_use]
    pub fn skills(&self) -> &Skills {
        &self.inner.skills
    }

    /// Where models are chosen and paid for.
    #[must_use]
    pub fn router(&self) -> Arc<ModelRouter> {
        self.inner.router()
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

    /// Takes a message; see [`Turns::accept`].
    ///
    /// # Errors
    /// When the sender may not speak, the message belongs nowhere, too many wait, or it cannot be kept.
    pub async fn accept(
        &self,
        message: Inbound,
        options: TurnOptions,
        queue: Queue,
    ) -> Result<Accepted, AcceptError> {
        self.turns().accept(message, options, queue).await
    }

    /// Stops one run, or every run of a session, with the agents they started, and waits until they are over.
    pub async fn abort(&self, key: &SessionKey, only: Option<&RunId>, by: StopCause) -> Aborted {
        self.turns().abort(key, only, by).await
    }

    /// Turns under way and to come.
    #[must_use]
    pub fn turns(&self) -> Turns {
        Turns::of(Arc::clone(&self.inner))
    }

    /// Conversations.
    #[must_use]
    pub fn sessions(&self) -> Sessions {
        Sessions::of(Arc::clone(&self.inner))
    }

    /// The accounts that are connected to chat platforms.
    #[must_use]
    pub fn platforms(&self) -> Platforms {
        Platforms::of(Arc::clone(&self.inner))
    }

    /// Acts on chat platforms.
    #[must_use]
    pub fn messages(&self) -> MessageActions {
        MessageActions::of(Arc::clone(&self.inner))
    }

    /// What turns are made of.
    #[must_use]
    pub fn setup(&self) -> TurnSetup {
        TurnSetup::of(Arc::clone(&self.inner))
    }

    /// What goes out.
    #[must_use]
    pub fn outgoing(&self) -> Outgoing {
        Outgoing::of(Arc::clone(&self.inner))
    }

    /// What comes in from platforms.
    #[must_use]
    pub fn intake(&self) -> Intake {
        Intake::of(Arc::clone(&self.inner))
    }

    /// Agents that work for another.
    pub(crate) fn subagents(&self) -> Subagents {
        Subagents::of(Arc::clone(&self.inner))
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
        f.debug_struct("Relay").field("runs", &self.turns().active_count()).finish_non_exhaustive()
    }
}
