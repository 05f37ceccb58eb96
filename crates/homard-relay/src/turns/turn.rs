//! One turn: from a waiting message to a reply.

use std::sync::Arc;
use std::time::Duration;

use homard_agent::{Agent, Ended, History, How, Turn};
use homard_config::Config;
use homard_config::config::agents::Agent as ConfiguredAgent;
use homard_llm::{Resolved, ThinkingLevel};
use homard_models::budget::Spender;
use homard_models::failover::{Caller, Winner};
use homard_models::router;
use homard_models::select::level_for;
use homard_protocol::{AgentId, Message, ProviderId, SessionId, SessionKey, SessionScope};
use homard_runtime::{OrCancel, OrLog, TRACE};
use homard_store::{CallOwner, Context, RawJson, RunStatus, SessionRecord, StartRun, Started};
use homard_tools::{Label, Source, ToolPolicy, TurnSlot};
use serde_json::json;
use tokio::sync::oneshot;
use tracing::Instrument;
use tracing::field::Empty;

use crate::delivery::deliver::{self, Reply};
use crate::delivery::live;
use crate::events::DomainEvent;
use crate::intake::admit::Admitted;
use crate::intake::origin;
use crate::relay::Inner;
use crate::sessions::access::works_for;
use crate::turn_setup::exec_rules::exec_rules;
use crate::turn_setup::history_limit::history_limit;
use crate::turn_setup::policy_layers::{Asker, Circumstances, asker, policy_for};
use crate::turn_setup::rules::rules_for;
use crate::turn_setup::settings::{TurnSettings, settings_for};
use crate::turn_setup::taint::{self, Granted};
use crate::turn_setup::turn_prompt::{self, system_prompt};
use crate::turns::compact;
use crate::turns::lane::{Kind, Waiting};
use crate::turns::meter::RunMeter;
use crate::turns::narrate::Reasoning;
use crate::turns::request::{TurnOptions, TurnRequest};
use crate::turns::runs::Run;
use crate::turns::source::StopCause;
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
    /// Where the prompt's tokens go, when that is news to the session.
    prompt_report: Option<RawJson>,
}

/// Why a turn could not even begin.
pub(crate) struct NotBegun(pub(crate) String);

/// Frees the place of a turn when it is over, however that comes about.
struct HeldSlot(TurnSlot);

impl Drop for HeldSlot {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

/// Takes one waiting message through its turn and delivers what comes of it. Whatever happens, the run ends
/// and everyone is told.
pub(crate) async fn take(inner: &Arc<Inner>, waiting: Waiting, history: &mut Option<History>) {
    let run = Arc::clone(&waiting.run);
    run.delivery.aim(waiting.request.options.reply.as_deref());
    live::acknowledge(inner, &run);
    let begins_late = waiting.is_nested() || run.is_attended();
    let shut = if begins_late { inner.stopping() } else { inner.holding() };
    let permit = tokio::select! {
        biased;
        () = shut.cancelled() => {
            // Still kept, not begun: it is answered after the next start.
            waiting.merged.iter().chain([&run]).for_each(|run| inner.runs().remove(run));
            return;
        }
        permit = inner.place(&waiting).or_cancel(&run.cancel) => permit,
    };
    let reply = match permit {
        Ok(permit) => {
            let _held = HeldSlot(run.take_slot(permit));
            run.begin();
            let (id, session) = (run.id.clone(), run.session_key.clone());
            inner.events().publish(&DomainEvent::RunStarted { run: id, session });
            if let Kind::Compact(wish) = &waiting.request.kind {
                let wish = wish.clone();
                return compact::take(inner, waiting, wish, history).await;
            }
            live::begin(inner, &run);
            let span = tracing::info_span!(target: TRACE, parent: &run.span, "turn", error = Empty);
            let reply = answer(inner, waiting, history, &run).instrument(span.clone()).await;
            if let Some(status) = reply.as_ref().map(|reply| reply.status).filter(|&s| s != RunStatus::Ok) {
                span.record("error", status.as_str());
            }
            reply
        }
        Err(_cancelled) => {
            for merged in &waiting.merged {
                deliver::deliver(inner, merged, Reply::stopped_before_it_began(), &mut None).await;
                inner.runs().remove(merged);
            }
            is_kept(waiting.kept).await.then(Reply::stopped_before_it_began)
        }
    };
    let Some(reply) = reply else {
        // The message had been answered before, or could not be kept: whoever sent it has been told.
        run.delivery.sealed().cancel();
        inner.runs().remove(&run);
        return;
    };
    if reply.changed_elsewhere {
        *history = None;
    }
    deliver::deliver(inner, &run, reply, history).await;
    inner.runs().remove(&run);
}

/// Ends a run whose turn broke.
pub(crate) async fn give_up(inner: &Arc<Inner>, run: &Arc<Run>) {
    tracing::error!(run = %run.id, "a turn ended unexpectedly");
    let error = "The turn ended unexpectedly; this is a bug in Homard. The log says more.".to_owned();
    deliver::deliver(inner, run, Reply::failed_to_begin(error, inner.clock().now_ms(), None), &mut None)
        .await;
    inner.runs().remove(run);
}

/// Ends a run that was stopped while it waited.
pub(crate) async fn stop_waiting(inner: &Arc<Inner>, waiting: Waiting) {
    let run = waiting.run;
    if is_kept(waiting.kept).await {
        deliver::deliver(inner, &run, Reply::stopped_before_it_began(), &mut None).await;
    }
    inner.runs().remove(&run);
}

/// Whether the message turned out to be kept, and new.
pub(crate) async fn is_kept(kept: Option<oneshot::Receiver<()>>) -> bool {
    match kept {
        Some(kept) => kept.await.is_ok(),
        None => true,
    }
}

/// The reply to a message; `None` when it turned out not to be ours to answer.
async fn answer(
    inner: &Arc<Inner>,
    mut waiting: Waiting,
    history: &mut Option<History>,
    run: &Arc<Run>,
) -> Option<Reply> {
    let started_at = inner.clock().now_ms();
    let kept = waiting.kept.take();
    let started = start(inner, &waiting, run).await;
    if !is_kept(kept).await {
        return None;
    }
    settle_merged(inner, &mut waiting, run, started.as_ref().err()).await;
    let session = started.as_ref().ok().map(|started| started.session.session_id.clone());
    let prepared = match started {
        Ok(started) => prepare(inner, waiting, started, history, run).await,
        Err(not_begun) => Err(not_begun),
    };
    let mut reply = match prepared {
        Ok(mut prepared) => {
            run.narrator.lifecycle(json!({"phase": "start", "startedAt": started_at}));
            run.narrator.status("starting_model");
            let model = &prepared.turn.model;
            let (provider, model) = (model.provider.id().to_string(), model.model.id.to_string());
            run.narrator.lifecycle(json!({"phase": "model", "provider": provider, "model": model}));
            let ended = ask(inner, &mut prepared, run).await;
            let reply = reply(ended, &prepared, started_at, run);
            *history = Some(prepared.told);
            reply
        }
        Err(NotBegun(error)) => Reply::failed_to_begin(error, started_at, session),
    };
    if let Some(error) = &mut reply.error {
        inner.guards().secrets.hide_in(error);
    }
    Some(reply)
}

/// Ends the runs whose messages are in this one; if it did not begin, they share its fate.
async fn settle_merged(inner: &Arc<Inner>, waiting: &mut Waiting, run: &Run, not_begun: Option<&NotBegun>) {
    for merged in std::mem::take(&mut waiting.merged) {
        match not_begun {
            None => steering::settle(inner, &merged, None, format!("merged:{}", run.id)),
            Some(NotBegun(error)) => {
                let failed = Reply::failed_to_begin(error.clone(), inner.clock().now_ms(), None);
                deliver::deliver(inner, &merged, failed, &mut None).await;
                inner.runs().remove(&merged);
            }
        }
    }
}

fn agent_of<'a>(config: &'a Config, admitted: &Admitted) -> Result<&'a ConfiguredAgent, NotBegun> {
    let agent = config.agents.agent(admitted.agent());
    agent.ok_or_else(|| NotBegun(format!("agent `{}` is not configured any more", admitted.agent())))
}

/// Records that the turn begins.
async fn start(inner: &Inner, waiting: &Waiting, run: &Run) -> Result<Started, NotBegun> {
    let config = inner.config();
    let agent = agent_of(&config, &waiting.admitted)?;
    let TurnOptions { labels, program, .. } = &waiting.request.options;
    let mut before = if labels.is_empty() { Vec::new() } else { vec![Label::entry(labels)] };
    before.extend(program.iter().flat_map(|program| program.entries()));
    let start = StartRun {
        run_id: run.id.clone(),
        message: waiting.request.message.clone(),
        shown: Some(homard_policy::envelope::shown(&waiting.request.message.content.text())),
        before,
        cwd: agent.workspace.display().to_string(),
        patch: origin::patch(&waiting.request.options),
        merged: waiting.merged.iter().map(|run| run.id.clone()).collect(),
    };
    inner.store().runs().start(start).await.map_err(|error| NotBegun(error.to_string()))
}

/// Gathers what a turn that has begun needs.
pub(crate) async fn prepare(
    inner: &Arc<Inner>,
    waiting: Waiting,
    started: Started,
    history: &mut Option<History>,
    run: &Arc<Run>,
) -> Result<Prepared, NotBegun> {
    let Waiting { admitted, request: TurnRequest { message, options, .. }, .. } = waiting;
    run.narrator.status("preparing_workspace");
    let config = inner.config();
    let agent = agent_of(&config, &admitted)?;
    let session = started.session;
    run.narrator.set_session(session.session_id.as_str());
    run.narrator.set_reasoning(Reasoning::of(session.entry.reasoning_level.as_deref()));
    run.narrator.status("preparing_context");
    inner.session_changed(&session, "send", true);

    let rooms = inner.rooms();
    let asked = options.model.as_deref();
    let mut settings = settings_for(&config, &rooms.router, agent, Some(&session.entry), asked)
        .map_err(|error| NotBegun(error.to_string()))?;
    if let Some(level) = options.thinking.as_deref().and_then(ThinkingLevel::parse) {
        settings.thinking = level_for(&settings.model.model, level);
    }
    let works_for = works_for(inner.store(), &session).await;
    let others = Others { works_for: works_for.as_ref(), options: &options };
    let (policy, asker) = tool_policy((&config, agent), &admitted, (&settings.model, &session), &others);
    let policy = Arc::new(policy);
    let skills = inner.skills().for_turn(&config, agent).await;
    turn_prompt::fit(&mut settings, (admitted.session_key(), asker.caller), &policy, &skills);
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
            let mut told = History::new(session.session_id.clone(), nothing, settings.zone.clone());
            told.record(Message::User(message), started.seq);
            told
        }
        _ => from_transcript(inner, &session, &settings).await?,
    };
    run.learn(told.taint());
    told.limit_turns(history_limit(&config, admitted.session_key()));
    turn_prompt::show_pictures(inner, (&config, agent), &settings, (&admitted, &mut told)).await;
    let offer = rooms.offers.of(&rooms.tools, &policy);
    let system = system_prompt(inner, &settings.prompt, &offer.described)
        .await
        .map_err(|error| NotBegun(error.to_string()))?;
    let prompt_report = turn_prompt::changed_report(&system.report, &session.entry);
    let system = match &options.extra_system {
        Some(extra) => Arc::from(format!("{}\n{extra}\n", system.text)),
        None => system.text,
    };
    let system = taint::prompt_without_secrets(system, &inner.guards().secrets);
    let (owner, spender) = spending(run, &admitted, &session.session_id, &agent.id);
    let meter = Arc::new(RunMeter::of_turn(inner, owner, &admitted));
    let (chain, is_pinned) = (settings.chain, settings.pinned.is_some());
    let for_run = router::Run { spender, pinned: settings.pinned, meter };
    let caller = Arc::new(rooms.router.caller(chain.clone(), for_run));
    let exec = exec_rules(&config, agent, Some(&session.entry), inner.exec_policy());
    let steer = steering::of(inner, run, &session.session_id);
    let mut rules = rules_for(&config, &settings.model, Some(&session.entry), (&policy, &settings.workspace));
    let offered = match &options.program {
        Some(program) => {
            rules.wishes = program.wishes();
            program.offer(offer.for_model)
        }
        None => offer.for_model,
    };
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
            inner,
            &config,
            told.taint(),
            Granted::of(agent, &skills, exec, asker).in_slot(run.slot()),
        ),
        rules,
        steer,
    };
    let limit = options.timeout_ms.map_or(settings.timeout, Duration::from_millis);
    Ok(Prepared { turn, caller, chain, is_pinned, told, limit, prompt_report })
}

/// Whose calls to models a turn's are, for the usage table and for the budgets.
fn spending(run: &Run, admitted: &Admitted, session: &SessionId, agent: &AgentId) -> (CallOwner, Spender) {
    let (key, job) = (admitted.session_key(), job_of(admitted.session_key()));
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

/// Others than the owner who may be behind a turn.
struct Others<'a> {
    /// The conversation at the beginning of a chain of subagents.
    works_for: Option<&'a SessionKey>,
    /// Whose words the message brings, and what the client it came from may do.
    options: &'a TurnOptions,
}

/// Which tools the turn is offered, and who asks for it.
fn tool_policy(
    (config, agent): (&Config, &ConfiguredAgent),
    admitted: &Admitted,
    (model, session): (&Resolved, &SessionRecord),
    others: &Others<'_>,
) -> (ToolPolicy, Asker) {
    let message = admitted.message();
    let about = Circumstances {
        key: admitted.session_key(),
        sender: &message.sender,
        channel: &message.channel,
        account: Some(&message.account),
        model: (model.provider.id().as_str(), model.model.id.as_str()),
        session: Some(&session.entry),
        works_for: others.works_for,
        is_owner: admitted.standing().is_owner,
        passed_on: others
            .options
            .labels
            .iter()
            .any(|label| matches!(label.source, Source::Message | Source::Hook)),
        without_admin: others.options.without_admin,
    };
    (policy_for(config, agent, &about), asker(config, &about))
}

/// What was said, this turn's message included, as the transcript has it.
async fn from_transcript(
    inner: &Inner,
    session: &SessionRecord,
    settings: &TurnSettings,
) -> Result<History, NotBegun> {
    let context = inner
        .store()
        .transcripts()
        .context(&session.session_id)
        .await
        .map_err(|error| NotBegun(error.to_string()))?;
    Ok(History::new(session.session_id.clone(), context, settings.zone.clone()))
}

/// Asks the agent, tells the story as it goes, and stops it when its time is up.
async fn ask(inner: &Inner, prepared: &mut Prepared, run: &Arc<Run>) -> Ended {
    let Prepared { turn, told, limit, .. } = prepared;
    let turn = &*turn;
    let agent = Agent { store: inner.store().clone(), clock: inner.clock().clone() };
    let (narrator, prompt) = (Arc::clone(&run.narrator), inner.prompt());
    let mut on_step = |step: homard_agent::Step<'_>| {
        if matches!(step, homard_agent::Step::ToolEnd { .. }) {
            // The tool may have changed a file that the next prompt is made of.
            prompt.forget(&turn.workspace);
        }
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
fn reply(ended: Ended, prepared: &Prepared, started_at: i64, run: &Run) -> Reply {
    let Ended { how, answer, usage, last_call, compactions, flushed, handed } = ended;
    let Prepared { turn, caller, chain, is_pinned, .. } = prepared;
    let winner = caller.winner();
    let answered = winner.as_ref().and_then(|winner| {
        let is_winner =
            |next: &&Resolved| *next.provider.id() == winner.provider && next.model.id == winner.model;
        chain.iter().find(is_winner).map(|next| &next.model)
    });
    let model = answered.unwrap_or(&turn.model.model);
    let mut reply = Reply {
        status: RunStatus::Ok,
        answer,
        error: None,
        started_at: Some(started_at),
        session_id: Some(turn.session_id.clone()),
        provider: model.provider.to_string(),
        model: model.id.to_string(),
        context_window: Some(u64::from(model.context_window)),
        attempts: caller.attempts(),
        profile: to_keep(winner, &turn.model.model.provider, *is_pinned),
        usage,
        last_call,
        compactions,
        flushed,
        handed,
        changed_elsewhere: false,
        prompt_report: prepared.prompt_report.clone(),
        error_kind: homard_protocol::events::ErrorKind::Unknown,
    };
    match how {
        How::Done => {}
        How::Stopped if run.stopped_by() == Some(StopCause::Timeout) => {
            reply.status = RunStatus::TimedOut;
            reply.error_kind = homard_protocol::events::ErrorKind::Timeout;
            reply.error = Some(
                "The run took longer than its time limit and was stopped (agents.defaults.timeoutSeconds)."
                    .to_owned(),
            );
        }
        How::Stopped => reply.status = RunStatus::Aborted,
        How::Failed(error) => {
            reply.status = RunStatus::Error;
            reply.error_kind = deliver::error_kind(error.reason);
            let hint = error.hint();
            reply.error =
                Some(if hint.is_empty() { error.message } else { format!("{} ({hint})", error.message) });
        }
        How::Looped(words) => {
            reply.status = RunStatus::Error;
            reply.error = Some(words);
        }
        How::NotRecorded(error) => {
            reply.status = RunStatus::Error;
            reply.changed_elsewhere = true;
            reply.error = Some(format!("A step could not be recorded, so the run was stopped: {error}"));
        }
    }
    reply
}

#[cfg(test)]
mod tests;
