//! One turn: from a waiting message to what came of it.

use std::sync::Arc;
use std::time::Duration;

use homard_agent::{Agent, History, Turn, TurnEnd, TurnEndKind, overhead_tokens};
use homard_channel::Sender;
use homard_config::Config;
use homard_config::config::agents::Agent as ConfiguredAgent;
use homard_llm::Resolved;
use homard_models::budget::{HOOK, Spender};
use homard_models::failover::{Caller, Winner};
use homard_models::router;
use homard_protocol::events::{ErrorKind, RunPhase, SessionChange};
use homard_protocol::{
    AgentId, Message, ProviderId, SessionId, SessionKey, SessionScope, StopCause, TurnSource, Word,
};
use homard_runtime::{OrCancel, OrLog, TRACE};
use homard_store::{CallOwner, Context, SessionRecord, StartRun, StartedRun};
use homard_tools::{Label, Source, ToldTo, TurnSlot};
use tokio::sync::oneshot;
use tracing::Instrument;
use tracing::field::Empty;

use crate::delivery::deliver;
use crate::delivery::live;
use crate::delivery::look::HeartbeatLook;
use crate::delivery::work::ShownWork;
use crate::events::DomainEvent;
use crate::hook_points;
use crate::intake::admit::Admitted;
use crate::intake::origin;
use crate::parts::Turns;
use crate::relay::Inner;
use crate::sessions::access::works_for;
use crate::sessions::subagents::standing_orders;
use crate::trail;
use crate::turn_setup::exec_rules::exec_rules;
use crate::turn_setup::history_limit::history_limit;
use crate::turn_setup::policy_layers::{ModelName, PolicySubject, asker, policy_for};
use crate::turn_setup::program;
use crate::turn_setup::resident::Resident;
use crate::turn_setup::rules::rules_for;
use crate::turn_setup::sandbox;
use crate::turn_setup::settings::{TurnSettings, settings_for};
use crate::turn_setup::taint::{self, Granted};
use crate::turn_setup::turn_prompt::{self, system_prompt};
use crate::turns::compact;
use crate::turns::inline::InlineSettings;
use crate::turns::lane::{Kind, WaitingTurn};
use crate::turns::meter::RunMeter;
use crate::turns::outcome::{Failure, ModelUsed, TakenOver, TurnFacts, TurnOutcome};
use crate::turns::request::{TurnOptions, TurnRequest};
use crate::turns::runs::Run;
use crate::turns::steering;

/// The place of a transcript's first entry.
const FIRST_SEQ: i64 = 1;
/// How often what was said of an answer is kept, so that little is lost when the process dies.
const KEEP_PARTIAL_EVERY: Duration = Duration::from_secs(1);

/// A turn that can begin.
pub(crate) struct Prepared {
    pub(crate) turn: Turn,
    /// Who asks the models, and knows afterwards which answered.
    caller: Arc<Caller>,
    chain: Vec<Resolved>,
    /// Whether the conversation keeps to a credential already.
    is_pinned: bool,
    pub(crate) told: History,
    limit: Duration,
}

/// Frees the place of a turn when it is over, however that comes about.
struct HeldSlot(TurnSlot);

impl Drop for HeldSlot {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

/// Takes one waiting message through its turn and delivers what comes of it. Whatever happens, the run ends
/// and everyone is told.
pub(crate) async fn take(turns: &Turns, waiting: WaitingTurn, history: &mut Option<History>) {
    let (inner, outgoing) = (turns.inner(), turns.outgoing());
    let run = Arc::clone(&waiting.run);
    run.delivery.aim(waiting.request.options.reply.as_deref());
    if waiting.request.options.source() == TurnSource::Heartbeat {
        let look = HeartbeatLook::in_session(&inner.config(), &run.session_key);
        if look.with_reasoning {
            run.narrator.keep_reasoning();
        }
        run.delivery.look_around(look);
    }
    run.delivery.answers(waiting.merged.len() + waiting.request.options.inbox.len().max(1));
    live::acknowledge(&outgoing, &run);
    let begins_late = waiting.is_nested() || run.is_attended();
    let shut = if begins_late { inner.stopping() } else { inner.holding() };
    let permit = tokio::select! {
        biased;
        () = shut.cancelled() => {
            // Still kept, not begun: it is answered after the next start.
            waiting.merged.iter().chain([&run]).for_each(|run| turns.runs().remove(run));
            return;
        }
        permit = turns.places().take(&waiting).or_cancel(&run.cancel) => permit,
    };
    let outcome = match permit {
        Ok(permit) => {
            let _held = HeldSlot(run.take_slot(permit));
            run.begin();
            inner.events().publish_with(|| DomainEvent::RunStarted {
                run: run.id.clone(),
                session: run.session_key.clone(),
            });
            if let Kind::Compact(wish) = &waiting.request.kind {
                let wish = wish.clone();
                return Box::pin(compact::take(turns, waiting, wish, history)).await;
            }
            live::begin(&outgoing, &run);
            let span = tracing::info_span!(target: TRACE, parent: &run.span, "turn", error = Empty);
            let outcome = answer(turns, waiting, history, &run).instrument(span.clone()).await;
            if let Some(outcome) = outcome.as_ref().filter(|it| !matches!(it, TurnOutcome::Answered { .. })) {
                span.record("error", outcome.status().as_str());
            }
            outcome
        }
        Err(_cancelled) => {
            for merged in &waiting.merged {
                let stopped = TurnOutcome::stopped_before_it_began(merged);
                Box::pin(deliver::deliver(&outgoing, merged, stopped, &mut None)).await;
                turns.runs().remove(merged);
            }
            is_kept(waiting.kept).await.then(|| TurnOutcome::stopped_before_it_began(&run))
        }
    };
    let Some(outcome) = outcome else {
        // The message had been answered before, or could not be kept: whoever sent it has been told.
        run.delivery.sealed().cancel();
        turns.runs().remove(&run);
        return;
    };
    if outcome.leaves_history_stale() {
        *history = None;
    }
    deliver::deliver(&outgoing, &run, outcome, history).await;
    turns.runs().remove(&run);
}

/// Ends a run whose turn broke.
pub(crate) async fn give_up(turns: &Turns, run: &Arc<Run>) {
    tracing::error!(run = %run.id, "a turn ended unexpectedly");
    let error = "The turn ended unexpectedly; this is a bug in Homard. The log says more.".to_owned();
    let failed = TurnOutcome::failed_to_begin(error, turns.inner().clock().now_ms(), None);
    deliver::deliver(&turns.outgoing(), run, failed, &mut None).await;
    turns.runs().remove(run);
}

/// Ends a run that was stopped while it waited.
pub(crate) async fn stop_waiting(turns: &Turns, waiting: WaitingTurn) {
    let run = waiting.run;
    if is_kept(waiting.kept).await {
        deliver::deliver(&turns.outgoing(), &run, TurnOutcome::stopped_before_it_began(&run), &mut None)
            .await;
    }
    turns.runs().remove(&run);
}

/// Whether the message turned out to be kept, and new.
pub(crate) async fn is_kept(kept: Option<oneshot::Receiver<()>>) -> bool {
    match kept {
        Some(kept) => kept.await.is_ok(),
        None => true,
    }
}

/// What comes of a message; `None` when it turned out not to be ours to answer.
async fn answer(
    turns: &Turns,
    mut waiting: WaitingTurn,
    history: &mut Option<History>,
    run: &Arc<Run>,
) -> Option<TurnOutcome> {
    let inner = turns.inner();
    let started_at = inner.clock().now_ms();
    let kept = waiting.kept.take();
    let started = start(inner, &waiting, run).await;
    if !is_kept(kept).await {
        return None;
    }
    settle_merged(turns, &mut waiting, run, started.as_ref().err()).await;
    if let (Some(look), Ok(started)) = (run.delivery.look(), &started) {
        look.begins_at(started.seq);
    }
    let session = started.as_ref().ok().map(|started| started.session.session_id.clone());
    let prepared = match started {
        Ok(started) => prepare(turns, waiting, started, history, run).await,
        Err(not_begun) => Err(not_begun),
    };
    let mut outcome = match prepared {
        Ok(mut prepared) => {
            run.narrator.lifecycle(RunPhase::Start { started_at });
            run.narrator.status("starting_model");
            let model = &prepared.turn.model;
            let (provider, model) = (model.provider.id().to_string(), model.model.id.to_string());
            trail::started(run, &provider, &model);
            run.narrator.lifecycle(RunPhase::Model { provider, model });
            hook_points::agent_started(inner, run).await;
            let ended = ask(turns, &mut prepared, run).await;
            let outcome = outcome(ended, &prepared, started_at, run);
            *history = Some(prepared.told);
            outcome
        }
        Err(error) => TurnOutcome::failed_to_begin(error, started_at, session),
    };
    if let Some(error) = outcome.error_mut() {
        inner.guards().secrets.hide_in(error);
    }
    Some(outcome)
}

/// Ends the runs whose messages are in this one; if it did not begin, they share its fate.
async fn settle_merged(turns: &Turns, waiting: &mut WaitingTurn, run: &Run, not_begun: Option<&String>) {
    for merged in std::mem::take(&mut waiting.merged) {
        match not_begun {
            None => steering::settle(turns, &merged, TakenOver::Merged(run.id.clone()), None),
            Some(error) => {
                let failed =
                    TurnOutcome::failed_to_begin(error.clone(), turns.inner().clock().now_ms(), None);
                Box::pin(deliver::deliver(&turns.outgoing(), &merged, failed, &mut None)).await;
                turns.runs().remove(&merged);
            }
        }
    }
}

fn agent_of<'a>(config: &'a Config, admitted: &Admitted) -> Result<&'a ConfiguredAgent, String> {
    let agent = config.agents.agent(admitted.agent());
    agent.ok_or_else(|| format!("agent `{}` is not configured any more", admitted.agent()))
}

/// Records that the turn begins; the error is why it cannot.
async fn start(inner: &Inner, waiting: &WaitingTurn, run: &Run) -> Result<StartedRun, String> {
    let config = inner.config();
    let agent = agent_of(&config, &waiting.admitted)?;
    let TurnOptions { labels, program, .. } = &waiting.request.options;
    let is_unasked = run.delivery.look().is_some();
    let mut before = if labels.is_empty() { Vec::new() } else { vec![Label::entry(labels)] };
    before.extend(program.iter().flat_map(|program| program.entries()));
    let start = StartRun {
        run_id: run.id.clone(),
        message: waiting.request.message.clone(),
        // Lists show what was said last, and nobody said this.
        shown: Some(match is_unasked {
            true => String::new(),
            false => homard_policy::envelope::shown(&waiting.request.message.content.text()),
        }),
        before,
        is_unasked,
        cwd: sandbox::folder(agent, waiting.admitted.session_key()).display().to_string(),
        patch: origin::patch(&waiting.request.options),
        merged: waiting.merged.iter().map(|run| run.id.clone()).collect(),
    };
    inner.store().runs().start(start).await.map_err(words)
}

/// Gathers what a turn that has begun needs; the error is why it cannot go on.
pub(crate) async fn prepare(
    turns: &Turns,
    waiting: WaitingTurn,
    started: StartedRun,
    history: &mut Option<History>,
    run: &Arc<Run>,
) -> Result<Prepared, String> {
    let (inner, setup) = (turns.inner(), turns.setup());
    let WaitingTurn { admitted, request: TurnRequest { message, options, .. }, .. } = waiting;
    run.narrator.status("preparing_workspace");
    let config = inner.config();
    let agent = agent_of(&config, &admitted)?;
    let mut session = started.session;
    run.narrator.set_session(session.session_id.as_str());
    run.narrator.status("preparing_context");
    inner.session_changed(&session, SessionChange::Send, turns.runs().active_ids(&session.key));
    session.entry = options.settings.over(session.entry);
    let shown = session.entry.reasoning_level.as_ref().and_then(Word::known);
    run.narrator.set_reasoning(shown.filter(|_| run.delivery.look().is_none()).unwrap_or_default());
    run.delivery.work.show(ShownWork::of(&config, &session.entry));

    let rooms = inner.reloadable();
    let mut settings = settings_of(&config, &rooms.router, agent, &session, &options).await?;
    let works_for = works_for(inner.store(), &session).await;
    let model = settings.model.clone();
    let about = circumstances(&admitted, &options, &model, &session, works_for.as_ref());
    let (policy, asker) = (Arc::new(policy_for(&config, agent, &about)), asker(&config, &about));
    let resident = Resident::of(inner, &about);
    let usual = resident.speaking(&about);
    let offering = match resident.speaks(&about) {
        true => Arc::clone(&policy),
        false => Arc::new(policy_for(&config, agent, &usual)),
    };
    let skills = setup.skills().for_turn(&config, agent).await;
    turn_prompt::fit(&mut settings, &config, &usual, &offering, &skills);
    // What a program brought stands before the message, or in its place.
    let alone = options.program.as_ref().is_none_or(|program| program.before.is_empty());
    let mut told = match history.take().filter(|_| alone) {
        Some(mut kept) if kept.is_at(&session.session_id, started.seq) => {
            kept.record(Message::User(message), started.seq);
            kept
        }
        // Nothing was noted before the message either.
        _ if alone && started.new_session && started.seq == FIRST_SEQ => {
            let nothing = Context { last_seq: started.seq - 1, ..Context::default() };
            let mut told = History::new(session.session_id.clone(), nothing, settings.stamps.clone());
            told.record(Message::User(message), started.seq);
            told
        }
        _ => from_transcript(inner, &session, &settings).await?,
    };
    run.learn(told.taint());
    told.limit_turns(history_limit(&config, admitted.session_key()));
    let pictures =
        turn_prompt::picture_rules(&config, inner.home(), agent, &settings, admitted.session_key());
    turn_prompt::show_pictures(pictures, &model, admitted.message(), &options.labels, &mut told).await;
    if started.new_session {
        turns.recall().session_started(agent);
        hook_points::session_started(inner, run).await;
    }
    let offer = setup.offer(&offering, settings.compaction.window);
    let system = system_prompt(&setup, &settings.prompt, &offer.described).await.map_err(words)?;
    let orders = standing_orders(&session, config.agents.defaults.subagents.max_depth);
    let told_to = turn_prompt::told_to(&settings, &config, &usual);
    let extra = orders.or(options.extra_system);
    let system = told_first(inner, run, system.text, extra.as_deref(), told_to).await;
    settings.make_room(&config, overhead_tokens(&system, &offer.for_model)).map_err(words)?;
    let (owner, spender) = spending(run, &admitted, &options.settings, &session.session_id, &agent.id);
    let meter = Arc::new(RunMeter::of_turn(turns, owner, &admitted));
    let (chain, is_pinned) = (settings.chain, settings.pinned.is_some());
    let caller = router::Run { spender, pinned: settings.pinned, meter };
    let caller = Arc::new(rooms.router.caller(chain.clone(), caller));
    let exec = exec_rules(&config, agent, Some(&session.entry), inner.exec_policy());
    let steer = steering::of(turns, run, &session.session_id);
    let mut rules = rules_for(&config, &settings.model, Some(&session.entry), &policy, &settings.workspace);
    let offered = program::heed(options.program.as_deref(), offer.for_model, &mut rules);
    let turn = Turn {
        run_id: run.id.clone(),
        session_key: admitted.session_key().clone(),
        session_id: session.session_id,
        workspace: settings.workspace,
        model: Resolved { provider: Arc::clone(&caller) as _, model: settings.model.model },
        system,
        thinking: settings.thinking,
        offered,
        tools: Arc::clone(&rooms.tools),
        policy,
        compaction: settings.compaction,
        scope: taint::scope(
            &setup,
            &config,
            told.taint(),
            Granted::of(agent, admitted.session_key(), &skills, exec, asker).in_slot(run.slot()),
        ),
        rules,
        steer,
    };
    let limit = options.timeout_ms.map_or(settings.timeout, Duration::from_millis);
    Ok(Prepared { turn, caller, chain, is_pinned, told, limit })
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// What the turn uses, as its message wants it.
async fn settings_of(
    config: &Config,
    router: &router::ModelRouter,
    agent: &ConfiguredAgent,
    session: &SessionRecord,
    options: &TurnOptions,
) -> Result<TurnSettings, String> {
    let asked = options.settings.model.as_deref();
    let settings = settings_for(config, router, agent, Some(&session.entry), asked);
    let mut settings = settings.map_err(words)?;
    settings.heed(options);
    settings.workspace = sandbox::open(agent, &session.key).await;
    Ok(settings)
}

/// What the model is told first: the prompt, what a subagent is told or a program brought, and what filters add.
async fn told_first(
    inner: &Inner,
    run: &Run,
    prompt: Arc<str>,
    extra: Option<&str>,
    told_to: ToldTo,
) -> Arc<str> {
    let added = hook_points::prompt_addition(inner, run, told_to).await;
    let more = extra.into_iter().chain((!added.is_empty()).then_some(added.as_str()));
    let system = more.fold(prompt, |told, more| Arc::from(format!("{told}\n{more}\n")));
    let system = taint::prompt_without_secrets(system, &inner.guards().secrets);
    hook_points::prompt_made(inner, run, &system).await;
    system
}

/// Whose calls to models a turn's are, for the usage table and for the budgets.
fn spending(
    run: &Run,
    admitted: &Admitted,
    settings: &InlineSettings,
    session: &SessionId,
    agent: &AgentId,
) -> (CallOwner, Spender) {
    let key = admitted.session_key();
    let job = settings.hook.as_ref().map(|name| format!("{HOOK}{name}")).or_else(|| job_of(key));
    let owner = CallOwner {
        run_id: Some(run.id.clone()),
        session_key: key.clone(),
        session_id: Some(session.clone()),
        agent_id: agent.clone(),
        job_id: job.clone(),
    };
    (owner, Spender { agent: agent.clone(), session: key.clone(), job })
}

/// The scheduled job a conversation belongs to.
fn job_of(key: &SessionKey) -> Option<String> {
    match key {
        SessionKey::Agent { scope: SessionScope::Cron { job, .. }, .. } => Some(job.clone()),
        SessionKey::Agent { .. } | SessionKey::Global | SessionKey::Unknown => None,
    }
}

/// What decides which tools the turn is offered, and who asks for it.
fn circumstances<'a>(
    admitted: &'a Admitted,
    options: &TurnOptions,
    model: &'a Resolved,
    session: &'a SessionRecord,
    works_for: Option<&'a SessionKey>,
) -> PolicySubject<'a> {
    let message = admitted.message();
    let is_of_others = |label: &Label| matches!(label.source, Source::Message | Source::Hook);
    PolicySubject {
        key: admitted.session_key(),
        sender: &message.sender,
        channel: &message.channel,
        account: Some(&message.account).filter(|_| message.sender != Sender::Operator),
        model: ModelName { provider: model.provider.id().as_str(), model: model.model.id.as_str() },
        session: Some(&session.entry),
        works_for,
        is_owner: admitted.standing().is_owner,
        passed_on: options.labels.iter().any(is_of_others),
        without_admin: options.without_admin,
    }
}

/// What was said, this turn's message included, as the transcript has it.
async fn from_transcript(
    inner: &Inner,
    session: &SessionRecord,
    settings: &TurnSettings,
) -> Result<History, String> {
    let context = inner.store().transcripts().context(&session.session_id).await.map_err(words)?;
    Ok(History::new(session.session_id.clone(), context, settings.stamps.clone()))
}

/// Asks the agent, tells the story as it goes, and stops it when its time is up.
async fn ask(turns: &Turns, prepared: &mut Prepared, run: &Arc<Run>) -> TurnEnd {
    let inner = turns.inner();
    let Prepared { turn, told, limit, .. } = prepared;
    let turn = &*turn;
    let agent = Agent { store: inner.store().clone(), clock: inner.clock().clone() };
    let (narrator, prompt) = (Arc::clone(&run.narrator), Arc::clone(turns.setup().prompt()));
    let mut on_step = |step: homard_agent::Step<'_>| {
        if let homard_agent::Step::ToolEnd { call, result } = &step {
            // The tool may have changed a file that the next prompt is made of.
            prompt.forget(&turn.workspace);
            inner.events().publish_with(|| DomainEvent::ToolCalled {
                run: turn.run_id.clone(),
                session: turn.session_key.clone(),
                tool: call.name.clone(),
                failed: result.is_error,
            });
        }
        run.delivery.work.step(&step);
        narrator.step(&step);
    };
    let running = agent.run(turn, told, &mut on_step, &run.cancel);
    let time_is_up = tokio::time::sleep(*limit);
    tokio::pin!(running, time_is_up);
    let mut kept = tokio::time::interval(KEEP_PARTIAL_EVERY);
    loop {
        tokio::select! {
            biased;
            ended = &mut running => return ended,
            () = run.narrator.due() => run.narrator.flush(),
            _ = kept.tick() => keep_partial(inner, run),
            () = &mut time_is_up, if !run.cancel.is_cancelled() => run.stop(StopCause::Timeout),
        }
    }
}

/// Keeps what was said of the present answer, if anything was since the last time. Nothing waits for it.
fn keep_partial(inner: &Inner, run: &Arc<Run>) {
    let Some(text) = run.narrator.unkept() else { return };
    let (store, run_id) = (inner.store().clone(), run.id.clone());
    inner.tasks().spawn(async move {
        store.runs().keep_partial(&run_id, text).await.or_log("part of an answer could not be kept");
    });
}

/// The credential the conversation keeps to from now on. One that stood in for a provider in trouble does not
/// replace the one kept for that provider: its cache is met again when the trouble is over.
fn to_keep(winner: Option<Winner>, wanted: &ProviderId, is_pinned: bool) -> Option<String> {
    winner.filter(|winner| winner.provider == *wanted || !is_pinned)?.profile
}

/// What comes of an ended turn.
fn outcome(ended: TurnEnd, prepared: &Prepared, started_at: i64, run: &Run) -> TurnOutcome {
    let TurnEnd { how, answer, spent, handed } = ended;
    let facts = TurnFacts {
        started_at,
        session_id: prepared.turn.session_id.clone(),
        used: model_used(prepared),
        attempts: prepared.caller.attempts(),
        spent,
    };
    let (failure, is_unrecorded) = match how {
        TurnEndKind::Done => return TurnOutcome::Answered { facts, answer, calls: handed },
        TurnEndKind::Stopped => return TurnOutcome::Stopped { facts, answer, by: run.stopped_by() },
        TurnEndKind::Failed(error) => {
            let (reason, hint) = (error.reason, error.hint());
            let words = if hint.is_empty() { error.message } else { format!("{} ({hint})", error.message) };
            (Failure::of(reason, words), false)
        }
        TurnEndKind::Looped(words) => (Failure { error: words, kind: ErrorKind::Unknown }, false),
        TurnEndKind::NotRecorded(error) => {
            let error = format!("A step could not be recorded, so the run was stopped: {error}");
            (Failure { error, kind: ErrorKind::Unknown }, true)
        }
    };
    TurnOutcome::Failed { facts, answer, failure, is_unrecorded }
}

/// The model that answered; the one that was wanted, where none did.
fn model_used(prepared: &Prepared) -> ModelUsed {
    let Prepared { turn, caller, chain, is_pinned, .. } = prepared;
    let winner = caller.winner();
    let answered = winner.as_ref().and_then(|winner| {
        let is_winner =
            |next: &&Resolved| *next.provider.id() == winner.provider && next.model.id == winner.model;
        chain.iter().find(is_winner).map(|next| &next.model)
    });
    let model = answered.unwrap_or(&turn.model.model);
    ModelUsed {
        provider: model.provider.to_string(),
        model: model.id.to_string(),
        context_window: model.context_window.map(u64::from),
        profile: to_keep(winner, &turn.model.model.provider, *is_pinned),
    }
}

#[cfg(test)]
mod tests;
