//! Moving a run along: accept, start, finish, interrupt. Each step is one job, so a crash falls between steps
//! and never inside one.

use homard_protocol::{
    AssistantBlock, AssistantMessage, EntryKind, Message, RunId, SessionId, SessionKey, StopReason, ToolCall,
    ToolResultMessage, UserBlock, UserMessage,
};
use rusqlite::{OptionalExtension, params};

use super::{
    Accepted, FinishRun, Finished, NewRun, RunRecord, RunStatus, RunStore, StartRun, StartedRun, again, load,
    steered,
};
use crate::engine::writer::Batch;
use crate::inbox;
use crate::notes;
use crate::outbox;
use crate::sessions::{Draft, by_session_id, current, load_or_new, preview, save, save_unseen};
use crate::store::{StoreError, parse_column, to_json};
use crate::transcripts::{self, Appended};

/// What the transcript says of a run that a restart cut off.
const INTERRUPTED: &str = "interrupted by a gateway restart";
/// What the record of a run says, before the other's name, whose message another run answers.
const MERGED: &str = "merged:";
/// How far back an unanswered tool call is looked for: more calls than any model makes at once.
const MAX_OPEN_CALLS: usize = 256;

impl RunStore<'_> {
    /// Keeps a request. One that was kept before is not kept again; the caller is told how far it got.
    ///
    /// # Errors
    /// When the write is not committed: then the request must not be acknowledged.
    pub async fn accept(self, run: NewRun) -> Result<Accepted, StoreError> {
        self.store.write(move |batch| accept(batch, &run)).await
    }

    /// Hands a request to be kept to the writer; the future it returns says, once it is committed, whether it
    /// was new. A run posted this way may be started right away: the start is behind it in the queue, and the
    /// two usually share a commit.
    ///
    /// # Errors
    /// When the store is closed.
    pub async fn post(
        self,
        run: NewRun,
    ) -> Result<impl Future<Output = Result<Accepted, StoreError>> + Send + use<>, StoreError> {
        self.store.post(move |batch| accept(batch, &run)).await
    }

    /// Begins a run: makes session and transcript if there are none and appends what the person said.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if it was never accepted, [`StoreError::RunState`] if it is not queued.
    pub async fn start(self, start: StartRun) -> Result<StartedRun, StoreError> {
        self.store.write(move |batch| start_run(batch, start)).await
    }

    /// Ends a run: appends the answer and updates the session. If the session was reset or deleted meanwhile,
    /// only the run itself is marked.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`] if it was never accepted, [`StoreError::RunState`] if it has ended.
    pub async fn finish(self, finish: FinishRun) -> Result<Finished, StoreError> {
        self.store.write(move |batch| finish_run(batch, finish, None)).await
    }

    /// Ends a run that found nothing worth saying: its exchange, which begins with the message at `from`, leaves the
    /// transcript, and the session is as old as it was before. Where people have spoken in it meanwhile it stays, and
    /// the end is an ordinary one.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub async fn finish_unheard(self, finish: FinishRun, from: i64) -> Result<Finished, StoreError> {
        self.store.write(move |batch| finish_run(batch, finish, Some(from))).await
    }

    /// Marks a run that a restart cut off, and says so in its transcript in a way models accept: calls without
    /// results get one.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub async fn interrupt(self, run_id: &RunId) -> Result<Finished, StoreError> {
        let run_id = run_id.clone();
        self.store.write(move |batch| interrupt(batch, run_id)).await
    }

    /// Keeps what a run has said of its present answer, for the case that the process dies before its end.
    ///
    /// # Errors
    /// When the write is not committed.
    pub async fn keep_partial(self, run_id: &RunId, text: String) -> Result<(), StoreError> {
        let run_id = run_id.clone();
        self.store
            .write(move |batch| {
                let sql = "UPDATE runs SET reply = ?2 WHERE run_id = ?1 AND status = 'running'";
                batch.execute(sql, params![run_id.as_str(), text])?;
                Ok(())
            })
            .await
    }
}

fn accept(batch: &Batch<'_>, run: &NewRun) -> Result<Accepted, StoreError> {
    let inserted = batch.execute(
        "INSERT OR IGNORE INTO runs (run_id, session_key, agent_id, status, source, message, created_at)
         VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6)",
        params![
            run.run_id.as_str(),
            run.session_key.to_string(),
            run.agent_id.as_str(),
            run.source.as_str(),
            run.message,
            batch.now()
        ],
    )?;
    inbox::answered_by(batch, &run.inbox, run)?;
    if inserted > 0 {
        return Ok(Accepted::New);
    }
    let earlier = load(batch.conn, &run.run_id)?.ok_or_else(|| StoreError::UnknownRun(run.run_id.clone()))?;
    Ok(Accepted::Duplicate(Box::new(earlier)))
}

pub(super) fn existing(batch: &Batch<'_>, run_id: &RunId) -> Result<RunRecord, StoreError> {
    load(batch.conn, run_id)?.ok_or_else(|| StoreError::UnknownRun(run_id.clone()))
}

fn start_run(batch: &mut Batch<'_>, start: StartRun) -> Result<StartedRun, StoreError> {
    let run = existing(batch, &start.run_id)?;
    if run.status != RunStatus::Queued {
        return Err(StoreError::RunState { run_id: run.run_id, status: run.status });
    }
    let now = batch.now();
    for other in &start.merged {
        merge(batch, other, &run)?;
    }
    let mut draft = load_or_new(batch, &run.session_key, Some(&run.agent_id))?;
    let new_session = !draft.exists();
    let text = preview(&start.shown.unwrap_or_else(|| start.message.content.text()));
    if draft.record.derived_title.is_none() {
        draft.record.derived_title.clone_from(&text);
    }
    draft.record.last_message_preview = text.or(draft.record.last_message_preview);
    if !start.is_unasked {
        draft.record.entry.last_interaction_at = Some(now);
    }
    if let Some(patch) = start.patch {
        patch(&mut draft.record.entry);
    }
    match start.is_unasked {
        true => save_unseen(batch, &mut draft)?,
        false => save(batch, &mut draft)?,
    }
    let session_id = draft.record.session_id.clone();
    transcripts::ensure_ready(batch, &session_id, &start.cwd)?;
    let mut before = start.before;
    let Appended { entry_id, seq } = match again::already_said(batch, &run, &session_id)? {
        Some(said) => said,
        None => {
            before.extend(notes::take(batch, &run.session_key)?);
            let was_aborted = draft.record.entry.aborted_last_run == Some(true);
            // What a restart cut off goes on by itself, and says so.
            if was_aborted && last_status(batch, &run.session_key)? != Some(RunStatus::Interrupted) {
                before.push(notes::of_stopped());
            }
            append_user(batch, &session_id, before, start.message)?
        }
    };
    batch.execute(
        "UPDATE runs SET status = 'running', session_id = ?2, started_at = ?3 WHERE run_id = ?1",
        params![run.run_id.as_str(), session_id.as_str(), now],
    )?;
    Ok(StartedRun { session: draft.record, new_session, entry_id, seq })
}

/// How the last run of a conversation ended.
fn last_status(batch: &Batch<'_>, key: &SessionKey) -> Result<Option<RunStatus>, StoreError> {
    let mut statement = batch.conn.prepare_cached(
        "SELECT status FROM runs WHERE session_key = ?1 AND ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT 1",
    )?;
    let status: Option<String> = statement.query_row([key.to_string()], |row| row.get(0)).optional()?;
    status.map(|status| parse_column("status", &status)).transpose()
}

/// Ends a waiting run whose message is part of another's.
fn merge(batch: &Batch<'_>, other: &RunId, into: &RunRecord) -> Result<(), StoreError> {
    let ended = batch.execute(
        "UPDATE runs SET status = 'ok', started_at = ?2, ended_at = ?2, stop_reason = ?3, message = NULL
         WHERE run_id = ?1 AND status = 'queued' AND session_key = ?4",
        params![
            other.as_str(),
            batch.now(),
            format!("{MERGED}{}", into.run_id),
            into.session_key.to_string()
        ],
    )?;
    if ended > 0 {
        return Ok(());
    }
    let status = existing(batch, other)?.status;
    Err(StoreError::RunState { run_id: other.clone(), status })
}

/// Appends what the person said, after what is noted with it.
pub(super) fn append_user(
    batch: &mut Batch<'_>,
    session_id: &SessionId,
    before: Vec<EntryKind>,
    message: UserMessage,
) -> Result<Appended, StoreError> {
    let mut entries = before;
    // Results of a program's own tools speak for themselves.
    let is_result =
        |entry: &EntryKind| matches!(entry, EntryKind::Message { message: Message::ToolResult(_) });
    if !message.content.is_empty() || !entries.iter().any(is_result) {
        entries.push(EntryKind::Message { message: Message::User(message) });
    }
    let appended = transcripts::append(batch, session_id, entries)?;
    appended.into_iter().next_back().ok_or_else(|| StoreError::UnknownSession(session_id.clone()))
}

fn finish_run(
    batch: &mut Batch<'_>,
    finish: FinishRun,
    unheard_from: Option<i64>,
) -> Result<Finished, StoreError> {
    let run = existing(batch, &finish.run_id)?;
    if run.status.is_finished() {
        return Err(StoreError::RunState { run_id: run.run_id, status: run.status });
    }
    let usage = finish.usage.as_ref().map(|usage| to_json("usage", usage)).transpose()?;
    let tried = Some(&finish.attempts).filter(|list| !list.is_empty());
    let attempts = tried.map(|list| to_json("attempts", list)).transpose()?;
    batch.execute(
        "UPDATE runs SET status = ?2, ended_at = ?3, stop_reason = ?4, error = ?5, provider = ?6, model = ?7,
         usage = ?8, reply = ?9, attempts = ?10, message = NULL WHERE run_id = ?1",
        params![
            run.run_id.as_str(),
            finish.status.as_str(),
            batch.now(),
            finish.stop_reason.map(StopReason::as_str),
            finish.error,
            finish.provider,
            finish.model,
            usage,
            finish.reply,
            attempts,
        ],
    )?;
    for row in &finish.outbox {
        outbox::insert(batch, row)?;
    }
    let gone = Finished { appended: Vec::new(), session: None };
    let Some(session_id) = run.session_id else { return Ok(gone) };
    let record = current(batch, &run.session_key)?.filter(|record| record.session_id == session_id);
    let record = record.map_or_else(|| by_session_id(batch.conn, &session_id), |record| Ok(Some(record)))?;
    let Some(record) = record else { return Ok(gone) };
    let mut draft = Draft::of(record);
    let is_cut = match unheard_from {
        Some(from) => transcripts::cut_exchange(batch, &session_id, from)?,
        None => false,
    };
    if is_cut {
        if let Some(patch) = finish.patch {
            patch(&mut draft.record.entry);
        }
        save_unseen(batch, &mut draft)?;
        return Ok(Finished { appended: Vec::new(), session: Some(draft.record) });
    }
    draft.record.entry.last_activity_at = Some(batch.now());
    if let Some(text) = last_text(&finish.entries) {
        draft.record.last_message_preview = Some(text);
    }
    if let Some(patch) = finish.patch {
        patch(&mut draft.record.entry);
    }
    save(batch, &mut draft)?;
    let appended = match finish.entries.is_empty() {
        true => Vec::new(),
        false => transcripts::append(batch, &session_id, finish.entries)?,
    };
    Ok(Finished { appended, session: Some(draft.record) })
}

/// What a list should show of the entries: the last thing the model said.
fn last_text(entries: &[EntryKind]) -> Option<String> {
    entries.iter().rev().find_map(|kind| match kind {
        EntryKind::Message { message: Message::Assistant(message) } => preview(&message.text()),
        _ => None,
    })
}

fn interrupt(batch: &mut Batch<'_>, run_id: RunId) -> Result<Finished, StoreError> {
    let run = existing(batch, &run_id)?;
    let now = batch.now();
    let mut entries = Vec::new();
    if let Some(session_id) = &run.session_id
        && by_session_id(batch.conn, session_id)?.is_some()
    {
        transcripts::ensure_ready(batch, session_id, "")?;
        let mut tail = transcripts::tail_in_writer(batch, session_id, MAX_OPEN_CALLS)?;
        // Neither the run's own words nor a result of its calls.
        tail.retain(|message| !matches!(message, Message::Assistant(said) if said.is_said_beside()));
        if let Some(Message::User(last)) = tail.first() {
            steered::finish_if_written(batch, &run_id, session_id, last)?;
        }
        entries.extend(unanswered(&tail).map(|call| no_result(call, now)));
        let mut note = AssistantMessage::injected(String::new(), StopReason::Aborted, now);
        // Only words it said, and no empty text: some providers refuse one.
        note.content.clear();
        note.content.extend(partial(&run, &tail).map(AssistantBlock::text));
        note.error_message = Some(INTERRUPTED.to_owned());
        entries.push(EntryKind::Message { message: Message::Assistant(note) });
    }
    let mut finish = FinishRun::new(run_id, RunStatus::Interrupted);
    finish.stop_reason = Some(StopReason::Aborted);
    finish.error = Some(INTERRUPTED.to_owned());
    finish.entries = entries;
    finish.patch = Some(Box::new(|entry| entry.aborted_last_run = Some(true)));
    finish_run(batch, finish, None)
}

/// What the run said of an answer that is not in the conversation. `tail` is newest first.
fn partial(run: &RunRecord, tail: &[Message]) -> Option<String> {
    let text = run.reply.clone().filter(|text| !text.trim().is_empty())?;
    let written = tail.iter().find_map(|message| match message {
        Message::Assistant(message) => Some(message.text()),
        _ => None,
    });
    Some(text).filter(|text| !written.is_some_and(|written| written.starts_with(text.as_str())))
}

/// The calls of the last assistant message that no later message answers. `tail` is newest first.
fn unanswered(tail: &[Message]) -> impl Iterator<Item = &ToolCall> {
    let results = tail.iter().take_while(|message| matches!(message, Message::ToolResult(_))).count();
    let (results, older) = tail.split_at(results);
    let asked = match older.first() {
        Some(Message::Assistant(message)) => Some(message),
        _ => None,
    };
    let answered = move |call: &ToolCall| {
        results.iter().any(|message| matches!(message, Message::ToolResult(r) if r.tool_call_id == call.id))
    };
    asked.into_iter().flat_map(AssistantMessage::tool_calls).filter(move |call| !answered(call))
}

fn no_result(call: &ToolCall, timestamp: i64) -> EntryKind {
    let message = Message::ToolResult(ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: vec![UserBlock::text(INTERRUPTED)],
        details: None,
        is_error: true,
        timestamp,
    });
    EntryKind::Message { message }
}
