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
use homard_protocol::events::{SessionChange, SessionsChangedEvent};
use homard_protocol::{RunId, SessionKey, StopCause};
use homard_runtime::{Clock, Tasks};
use homard_skills::Skills;
use homard_store::{SessionRecord, Store};
use homard_tools::{Approvals, Guards, HookPoints, Ports, Toolbox, Undo};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::bus::{Audience, Bus};
use crate::events::{DomainEvent, DomainEvents};
use crate::intake::rules::KeptRules;
use crate::message_actions::{ChannelName, Names};
use crate::parts::{
    ChatApprovals, MessageActions, Outgoing, Parts, Platforms, Recall, Sessions, Subagents, TurnSetup, Turns,
};
use crate::trail;
use crate::turn_setup::SetupState;
use crate::turn_setup::offer::Offers;
use crate::turns::accept::{AcceptError, Accepted};
use crate::turns::control::{ABORT_WAIT, Aborted};
use crate::turns::outcome::RunEnd;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;
use crate::turns::runs::Run;

/// What the relay is made of.
pub struct RelayParts {
    pub config: ConfigHandle,
    pub store: Store,
    pub router: ModelRouter,
    /// What the model may do.
    pub tools: Toolbox,
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
    /// Where commands go on in the background.
    pub processes: Processes,
    /// What the chat platforms are called.
    pub channel_names: Vec<ChannelName>,
}

/// What a reload may replace.
#[derive(Debug)]
pub(crate) struct Reloadable {
    pub(crate) router: Arc<ModelRouter>,
    pub(crate) tools: Arc<Toolbox>,
    pub(crate) offers: Offers,
    /// What tools may ask of the rooms above the relay.
    above: Ports,
}

impl Reloadable {
    /// The same with no offer made yet: what an offer was made of may have changed.
    fn afresh(&self) -> Self {
        Self {
            router: Arc::clone(&self.router),
            tools: Arc::clone(&self.tools),
            offers: Offers::default(),
            above: self.above.clone(),
        }
    }
}

/// What all parts share.
pub(crate) struct Inner {
    config: ConfigHandle,
    store: Store,
    bus: Bus,
    events: DomainEvents,
    clock: Clock,
    tasks: Tasks,
    stopping: CancellationToken,
    holding: CancellationToken,
    guards: Guards,
    reloadable: ArcSwap<Reloadable>,
    rules: KeptRules,
    hooks: HookPoints,
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

    /// Who may have a say about what happens.
    pub(crate) fn hooks(&self) -> &HookPoints {
        &self.hooks
    }

    /// What tools may ask of the rooms above.
    pub(crate) fn ports_above(&self) -> Ports {
        self.reloadable.load().above.clone()
    }

    pub(crate) fn bus(&self) -> &Bus {
        &self.bus
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn reloadable(&self) -> Arc<Reloadable> {
        self.reloadable.load_full()
    }

    /// Replaces some of it. Several may do so at once (models are found, the settings change, the gateway begins its
    /// life), and none undoes what another did; so `renewed` may be asked more than once.
    fn replace(&self, renewed: impl Fn(&Reloadable) -> Reloadable) {
        self.reloadable.rcu(|old| renewed(old));
    }

    /// Where models are chosen and paid for.
    pub(crate) fn router(&self) -> Arc<ModelRouter> {
        Arc::clone(&self.reloadable().router)
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Where things are kept.
    pub(crate) fn paths(&self) -> &homard_config::Paths {
        &self.config.source().paths
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

    pub(crate) fn guards(&self) -> &Guards {
        &self.guards
    }

    /// What `~` means to the owner.
    pub(crate) fn home(&self) -> &std::path::Path {
        &self.config.source().paths.home
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Cancelled when no turn is to begin any more, though messages are still taken.
    pub(crate) fn holding(&self) -> &CancellationToken {
        &self.holding
    }

    /// The rules for messages as they were last made.
    pub(crate) fn kept_rules(&self) -> &KeptRules {
        &self.rules
    }

    /// Tells watchers of the session list, with the runs that are under way in it.
    pub(crate) fn session_changed(
        &self,
        session: &SessionRecord,
        reason: SessionChange,
        active_run_ids: Vec<RunId>,
    ) {
        self.events.publish_with(|| DomainEvent::SessionChanged { session: session.key.clone(), reason });
        let event = SessionsChangedEvent {
            session_key: session.key.clone(),
            agent_id: Some(session.agent_id.clone()),
            session_id: Some(session.session_id.clone()),
            reason,
            ts: self.clock.now_ms(),
            session: None,
            has_active_run: !active_run_ids.is_empty(),
            active_run_ids,
        };
        self.bus.publish_to(&event, Audience::SessionSubscribers);
    }

    /// Tells those who subscribed and those who wait that a run is over.
    pub(crate) fn run_ended(&self, run: &Run, end: RunEnd) {
        trail::ended(run, &end);
        let end = Arc::new(end);
        self.events.publish_with(|| DomainEvent::RunEnded(Arc::clone(&end)));
        run.ended(end);
    }
}

/// The walk of a message. Clone-cheap.
#[derive(Clone)]
pub struct Relay {
    parts: Arc<Parts>,
}

impl Relay {
    /// Puts the relay together.
    #[must_use]
    pub fn new(parts: RelayParts) -> Self {
        let RelayParts { config, store, router, tools, bus, clock, approvals, skills, guards, undo, .. } =
            parts;
        let reloadable = Reloadable {
            router: Arc::new(router),
            tools: Arc::new(tools),
            offers: Offers::default(),
            above: Ports::default(),
        };
        let stopping = CancellationToken::new();
        let prompt = Arc::new(Prompt::new(clock.clone()));
        let inner = Inner {
            config,
            store,
            bus,
            events: DomainEvents::default(),
            clock,
            tasks: Tasks::new(),
            holding: stopping.child_token(),
            stopping,
            guards,
            reloadable: ArcSwap::from_pointee(reloadable),
            rules: KeptRules::default(),
            hooks: HookPoints::default(),
        };
        let setup = SetupState { approvals, prompt, skills, undo, processes: parts.processes };
        let names = Names::new(parts.channel_names);
        let relay = Self { parts: Arc::new(Parts::new(inner, setup, names)) };
        relay.setup().warn_of_tool_settings();
        relay.inner().name_owners();
        relay
    }

    /// What happens here, for any number of subscribers.
    #[must_use]
    pub fn events(&self) -> &DomainEvents {
        &self.inner().events
    }

    /// Where filters are registered that have a say about what happens here, and in the turns.
    #[must_use]
    pub fn hook_points(&self) -> &HookPoints {
        &self.inner().hooks
    }

    /// Tells questions to those who subscribed, and shows them on chat platforms.
    pub fn follow_approvals(&self) {
        let told = self.downgrade();
        self.approvals().subscribe(move |question| {
            let Some(parts) = told.upgrade() else { return };
            let question = Box::new(question.clone());
            parts.inner().events.publish(&match question.outcome {
                None => DomainEvent::ApprovalAsked(question),
                Some(_) => DomainEvent::ApprovalEnded(question),
            });
        });
        let shown = self.downgrade();
        self.events().subscribe(move |event| {
            if let (DomainEvent::ApprovalAsked(question), Some(parts)) = (event, shown.upgrade()) {
                ChatApprovals::of(parts).show(question);
            }
        });
    }

    /// Takes new models and tools after the configuration changed. Runs under way keep what they began with.
    pub fn reload(&self, router: ModelRouter, tools: Toolbox) {
        let (router, tools) = (Arc::new(router), Arc::new(tools));
        self.inner().replace(|old| Reloadable {
            router: Arc::clone(&router),
            tools: Arc::clone(&tools),
            ..old.afresh()
        });
        self.turns().places().resize(&self.inner().config());
        self.setup().warn_of_tool_settings();
        self.inner().name_owners();
    }

    /// Takes what tools may ask of the rooms above, when those begin their life and before any turn does. The relay's own
    /// ports it makes itself, for every turn.
    pub fn begin(&self, above: &Ports) {
        self.inner().replace(|old| Reloadable { above: above.clone(), ..old.afresh() });
    }

    /// Takes new models only: somebody found out what a server offers. Everything else stays.
    pub fn take_router(&self, router: ModelRouter) {
        let router = Arc::new(router);
        self.inner().replace(|old| Reloadable { router: Arc::clone(&router), ..old.afresh() });
    }

    /// The models in use.
    #[must_use]
    pub fn models(&self) -> Arc<Models> {
        Arc::clone(self.inner().reloadable().router.models())
    }

    /// Where a person is asked before something is done.
    #[must_use]
    pub fn approvals(&self) -> &Approvals {
        self.parts.approvals()
    }

    /// What agents have been taught.
    #[must_use]
    pub fn skills(&self) -> &Skills {
        self.parts.skills()
    }

    /// Where models are chosen and paid for.
    #[must_use]
    pub fn router(&self) -> Arc<ModelRouter> {
        self.inner().router()
    }

    /// Takes no more messages and begins no more turns. Those under way go on.
    pub fn take_no_more(&self) {
        // Platforms first: what they are not told "received" for comes again.
        self.platforms().channels().hear_no_more();
        self.inner().stopping.cancel();
    }

    /// Takes no more messages, lets running turns finish for `grace`, then stops them. Messages that still
    /// wait stay kept and are answered after the next start.
    pub async fn stop(&self, grace: Duration) {
        self.take_no_more();
        self.platforms().channels().closed().await;
        let wait_for_runs = async {
            let runs = self.turns().runs().all();
            let endings: Vec<_> = runs.iter().filter(|run| run.has_begun()).map(|run| run.watch()).collect();
            drop(runs);
            for mut ending in endings {
                // The sender is gone only when the run is.
                let _gone = ending.wait_for(Option::is_some).await;
            }
        };
        if timeout(grace, wait_for_runs).await.is_err() {
            for run in self.turns().runs().all().iter().filter(|run| run.has_begun()) {
                run.stop(StopCause::Restart);
            }
        }
        self.inner().tasks.finish(ABORT_WAIT).await;
        self.outgoing().outbox().close().await;
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

    /// Notes that files hold words of others. Blocks on the disk.
    pub fn mark_words_of_others(&self, paths: &[std::path::PathBuf], from: &homard_tools::Label) {
        self.inner().guards.files.mark(paths, from);
    }

    /// Whose words a file holds, where they are not the owner's. Blocks on the disk.
    #[must_use]
    pub fn words_of_others_in(&self, path: &std::path::Path) -> Option<homard_tools::Label> {
        self.inner().guards.files.label_by_name_or_content(path)
    }

    /// Turns under way and to come.
    #[must_use]
    pub fn turns(&self) -> Turns {
        Turns::of(Arc::clone(&self.parts))
    }

    /// Conversations.
    #[must_use]
    pub fn sessions(&self) -> Sessions {
        Sessions::of(Arc::clone(&self.parts))
    }

    /// What agents wrote down.
    #[must_use]
    pub fn recall(&self) -> Recall {
        Recall::of(Arc::clone(&self.parts))
    }

    /// The accounts that are connected to chat platforms.
    #[must_use]
    pub fn platforms(&self) -> Platforms {
        Platforms::of(Arc::clone(&self.parts))
    }

    /// Acts on chat platforms.
    #[must_use]
    pub fn messages(&self) -> MessageActions {
        MessageActions::of(Arc::clone(&self.parts))
    }

    /// What turns are made of.
    #[must_use]
    pub fn setup(&self) -> TurnSetup {
        TurnSetup::of(Arc::clone(&self.parts))
    }

    /// What goes out.
    pub(crate) fn outgoing(&self) -> Outgoing {
        Outgoing::of(Arc::clone(&self.parts))
    }

    /// Agents that work for another.
    pub(crate) fn subagents(&self) -> Subagents {
        Subagents::of(Arc::clone(&self.parts))
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        self.parts.inner()
    }

    pub(crate) fn of(parts: Arc<Parts>) -> Self {
        Self { parts }
    }

    pub(crate) fn downgrade(&self) -> Weak<Parts> {
        Arc::downgrade(&self.parts)
    }
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").field("runs", &self.turns().active_count()).finish_non_exhaustive()
    }
}
