//! Shortening a conversation because somebody asked for it: a run in the session's lane like any other, so that
//! nothing else writes to the transcript meanwhile.

use std::sync::{Arc, OnceLock};

use homard_agent::{Agent, Compacted, CompactionOptions, History, NotShorter};
use homard_protocol::EntryId;
use homard_protocol::events::SessionChange;
use homard_runtime::OrLog;
use homard_store::StartedRun;
use serde::{Deserialize, Serialize};

use crate::commands::{conclude, keep_in_history};
use crate::parts::Turns;
use crate::turns::lane::WaitingTurn;
use crate::turns::turn::{is_kept, prepare};

/// What stands for an entry nobody wrote.
const NO_ENTRY: &str = "none";

/// What whoever asks for a compaction wants of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompactOptions {
    /// What the summary should keep or leave out.
    pub instructions: Option<String>,
    /// Keep so many of the newest entries, without asking a model.
    pub max_entries: Option<usize>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub enum CompactReport {
    /// The conversation is shorter.
    Done(Box<Compacted>),
    /// It is not, and why.
    Not(String),
}

/// Where a report is put for whoever waits for it.
pub(crate) type ReportSlot = Arc<OnceLock<CompactReport>>;

/// Takes a request through its turn.
pub(crate) async fn take(
    turns: &Turns,
    mut waiting: WaitingTurn,
    wish: CompactOptions,
    history: &mut Option<History>,
) {
    let run = Arc::clone(&waiting.run);
    let (slot, reply) = (waiting.report.take(), waiting.request.options.reply.clone());
    if !is_kept(waiting.kept.take()).await {
        turns.runs().remove(&run);
        return;
    }
    let report = compact(turns, waiting, &wish, history).await;
    let told = match &report {
        CompactReport::Done(done) => {
            Ok(format!("Compacted: about {} tokens before, {} now.", done.tokens_before, done.tokens_after))
        }
        CompactReport::Not(why) => Ok(format!("Not compacted: {why}")),
    };
    match slot {
        // Nobody else fills it.
        Some(slot) => drop(slot.set(report)),
        // Nobody waits for a report: somebody typed the command.
        None => {
            keep_in_history(turns.inner(), &run, &told).await.or_log("a command is not in the history");
        }
    }
    turns.commands().tell_there(&run.id, reply.as_deref(), &told).await;
    conclude(turns, &run, told).await;
}

async fn compact(
    turns: &Turns,
    waiting: WaitingTurn,
    wish: &CompactOptions,
    history: &mut Option<History>,
) -> CompactReport {
    let inner = turns.inner();
    let run = Arc::clone(&waiting.run);
    let not = |why: String| CompactReport::Not(why);
    let session = match inner.store().sessions().get(&run.session_key).await {
        Ok(Some(session)) => session,
        Ok(None) => return not("there is no conversation yet.".to_owned()),
        Err(error) => return not(error.to_string()),
    };
    let Ok(entry_id) = EntryId::parse(NO_ENTRY) else { return not("a bug of ours".to_owned()) };
    let count = session.entry.compaction_count.unwrap_or(0);
    // Nothing was said, so the conversation is read as it is.
    let started = StartedRun { session, new_session: false, entry_id, seq: 0 };
    *history = None;
    let mut prepared = match prepare(turns, waiting, started, history, &run).await {
        Ok(prepared) => prepared,
        Err(why) => return not(why),
    };
    let agent = Agent { store: inner.store().clone(), clock: inner.clock().clone() };
    let narrator = Arc::clone(&run.narrator);
    let mut on_step = |step: homard_agent::Step<'_>| narrator.step(&step);
    let wish =
        CompactionOptions { instructions: wish.instructions.as_deref(), max_entries: wish.max_entries };
    let subject = (&prepared.turn, &mut prepared.told);
    match agent.compact(subject, wish, &mut on_step, &run.cancel).await {
        Ok(done) => {
            let tokens = done.tokens_after;
            let changed = inner.store().sessions().patch(&run.session_key, move |entry| {
                entry.compaction_count = Some(count.saturating_add(1));
                entry.total_tokens = Some(tokens);
                entry.total_tokens_fresh = Some(false);
            });
            match changed.await {
                Ok(session) => {
                    inner.session_changed(
                        &session,
                        SessionChange::Compact,
                        turns.runs().active_ids(&session.key),
                    );
                }
                Err(error) => tracing::error!(%error, "a compaction could not be counted"),
            }
            CompactReport::Done(Box::new(done))
        }
        Err(NotShorter::NothingToDrop) => not("there is nothing worth summarising.".to_owned()),
        Err(NotShorter::Stopped) => not("it was stopped.".to_owned()),
        Err(NotShorter::Store(error)) => not(error.to_string()),
    }
}
