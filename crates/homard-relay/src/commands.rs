//! Messages that are commands: `/stop`, `/new`, `/status` and so on. Answered without a model.
//!
//! A message is a command when it is nothing else and its first word is in `TABLE`. It has a run like any
//! message, so that it is not obeyed twice; its answer is in that run's record and not in the conversation the
//! model is told.

use std::fmt::Write as _;
use std::sync::Arc;

use homard_protocol::events::{ChatMessage, ChatState, ErrorKind, FinalMessage};
use homard_protocol::{RunId, SessionKey, Usage};
use homard_runtime::OrLog;
use homard_store::{Accepted, FinishRun, NewRun, ResetReason, ResetSession, RunStatus, StoreError};

use crate::compact::CompactWish;
use crate::lane::{Kind, Overrides, Request};
use crate::outbox::Saying;
use crate::queue::Queue;
use crate::relay::{Inner, Relay};
use crate::reply_route::ReplyRoute;
use crate::route::Routed;
use crate::runs::{Run, RunEnd};
use crate::submit::{Brought, Placed, SubmitError, Submitted};

/// Who stopped a run that somebody typed `/stop` at.
const BY_STOP: &str = "stop";
/// Who stopped a run whose session begins anew.
const BY_RESET: &str = "reset";

/// A line of the table.
struct Command {
    name: &'static str,
    aliases: &'static [&'static str],
    /// How its arguments are written; empty when it takes none.
    arguments: &'static str,
    help: &'static str,
    act: Act,
}

/// A command that is kept and about to be obeyed.
pub(crate) struct Begun {
    run: Arc<Run>,
    routed: Routed,
    reply: Option<Box<ReplyRoute>>,
}

/// What a command does.
#[derive(Debug, Clone, Copy)]
enum Act {
    Compact,
    Context,
    Help,
    Queue,
    Reset(ResetReason),
    Status,
    Stop,
    Undo,
}

/// Every command, alphabetical. All of them are for whoever may speak to the agent.
const TABLE: &[Command] = &[
    row("commands", &[], "", "list the commands", Act::Help),
    row("compact", &[], "[instructions]", "summarise the beginning of the conversation", Act::Compact),
    row("context", &[], "", "what the model is told, and how much of it", Act::Context),
    row("help", &[], "", "list the commands", Act::Help),
    row("new", &[], "[message]", "begin a new conversation", Act::Reset(ResetReason::New)),
    row(
        "queue",
        &[],
        "[steer|followup|default]",
        "what happens to messages while a run is under way",
        Act::Queue,
    ),
    row("reset", &[], "[message]", "begin a new conversation", Act::Reset(ResetReason::Reset)),
    row("status", &[], "", "model, context and what is going on", Act::Status),
    row("stop", &["abort"], "", "stop what is going on", Act::Stop),
    row("undo", &[], "", "put back the files the last run changed", Act::Undo),
];

const fn row(
    name: &'static str,
    aliases: &'static [&'static str],
    arguments: &'static str,
    help: &'static str,
    act: Act,
) -> Command {
    Command { name, aliases, arguments, help, act }
}

/// A command as lists show it.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// Without the slash.
    pub name: &'static str,
    /// What else may be typed.
    pub aliases: &'static [&'static str],
    /// How its arguments are written; empty when it takes none.
    pub arguments: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// Every command, alphabetical, for those who offer them to people.
pub fn known() -> impl Iterator<Item = Known> {
    TABLE.iter().map(|command| Known {
        name: command.name,
        aliases: command.aliases,
        arguments: command.arguments,
        help: command.help,
    })
}

/// The command a text is, with what stands behind it.
fn parse(text: &str) -> Option<(&'static Command, &str)> {
    let text = text.trim();
    let word = text.strip_prefix('/')?;
    let end = word.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(word.len());
    let (word, rest) = word.split_at(end);
    let rest = rest.strip_prefix(':').unwrap_or(rest).trim();
    // Groups address one of several programs as `/stop@name`.
    let name = word.split('@').next().unwrap_or(word);
    let is = |known: &&str| known.eq_ignore_ascii_case(name);
    let command = TABLE.iter().find(|command| is(&command.name) || command.aliases.iter().any(is))?;
    (rest.is_empty() || !command.arguments.is_empty()).then_some((command, rest))
}

impl Relay {
    /// Begins a conversation anew: what goes on in it is stopped, its transcript put away.
    ///
    /// # Errors
    /// When the store does not do it.
    pub async fn reset(&self, key: &SessionKey, reason: ResetReason) -> Result<ResetSession, StoreError> {
        // A run under way belongs to the old transcript; it is stopped, and what it said is kept there.
        self.abort(key, None, BY_RESET).await;
        self.end_commands(key);
        let reset = self.inner().store().reset_session(key, reason).await?;
        let word = if reason == ResetReason::New { "new" } else { "reset" };
        self.announce_change(&reset.record, word);
        Ok(reset)
    }

    /// Obeys a message that is a command; `None` when it is none. What `brought` holds goes with it.
    pub(crate) async fn obey(
        &self,
        placed: &mut Placed,
        brought: &mut Brought,
    ) -> Result<Option<Submitted>, SubmitError> {
        if !placed.routed.message().images.is_empty() {
            return Ok(None);
        }
        let text = placed.routed.message().text.clone();
        let Some((command, rest)) = parse(&text) else { return Ok(None) };
        match command.act {
            Act::Compact => {
                let instructions = (!rest.is_empty()).then(|| rest.to_owned());
                let queue = Queue::Compact(CompactWish { instructions, max_entries: None }, None);
                self.take_placed(placed.clone(), queue, std::mem::take(brought)).await.map(Some)
            }
            Act::Reset(reason) if !rest.is_empty() => {
                placed.routed.reword(rest.to_owned());
                let id = placed.run_id()?;
                // A repeated request must not begin anew what it has begun already.
                if self.inner().store().run(&id).await?.is_none() && self.inner().runs().get(&id).is_none() {
                    self.reset(placed.routed.session_key(), reason).await?;
                }
                Ok(None)
            }
            act => self.answer_at_once(placed.clone(), std::mem::take(brought), act).await.map(Some),
        }
    }

    /// Keeps a command as a run, so that it is obeyed once; answers with what became of it if it is known.
    pub(crate) async fn begin_command(
        &self,
        placed: Placed,
        brought: Brought,
    ) -> Result<Result<Begun, Submitted>, SubmitError> {
        let inner = self.inner();
        let run_id = placed.run_id()?;
        let Placed { routed, source, .. } = placed;
        let message = crate::submit::user_message(&routed, &run_id);
        let key = routed.session_key().clone();
        let Brought { reply, origin, inbox, .. } = brought;
        let overrides = Overrides { reply: reply.clone(), origin, ..Overrides::default() };
        let request = Request { message: message.clone(), overrides, kind: Kind::Command };
        let new = NewRun {
            run_id: run_id.clone(),
            session_key: key.clone(),
            agent_id: routed.agent().clone(),
            source: source.to_owned(),
            message: request.to_json(),
            inbox,
        };
        if let Accepted::Duplicate(record) = inner.store().accept_run(new).await? {
            return Ok(Err(if record.status.is_finished() {
                Submitted::Finished(record)
            } else {
                Submitted::InFlight { run_id, session_key: key }
            }));
        }
        let run = self.run_of(&routed, run_id, &message);
        Ok(Ok(Begun { run, routed, reply }))
    }

    /// Records what came of a command and says it where it was typed.
    pub(crate) async fn end_command(&self, begun: Begun, answer: Result<String, String>) -> Submitted {
        let Begun { run, routed, reply } = begun;
        self.tell_there(&run.id, reply.as_deref(), &answer).await;
        conclude(self.inner(), &run, answer).await;
        Submitted::Answered { run_id: run.id.clone(), session_key: routed.session_key().clone() }
    }

    async fn answer_at_once(
        &self,
        placed: Placed,
        brought: Brought,
        act: Act,
    ) -> Result<Submitted, SubmitError> {
        let begun = match self.begin_command(placed, brought).await? {
            Ok(begun) => begun,
            Err(known) => return Ok(known),
        };
        let (routed, key) = (&begun.routed, begun.routed.session_key().clone());
        let answer = match act {
            Act::Stop => self.stop_all(&key).await,
            Act::Reset(reason) => match self.reset(&key, reason).await {
                Ok(_) => Ok("A new conversation begins.".to_owned()),
                Err(error) => Err(error.to_string()),
            },
            Act::Status => self.status(routed).await,
            Act::Help => Ok(help() + &self.skill_commands(routed).await),
            Act::Queue => {
                self.queue_as(&key, parse(&routed.message().text).map_or("", |(_, rest)| rest)).await
            }
            Act::Context => match self.context_report(&key).await {
                Ok(report) => Ok(report.to_string()),
                Err(error) => Err(error.to_string()),
            },
            Act::Undo => match self.undo(&key).await {
                Ok(report) => Ok(report.to_string()),
                Err(error) => Err(error.to_string()),
            },
            // Shortening waits for its turn; it never comes here.
            Act::Compact => Err("not now".to_owned()),
        };
        Ok(self.end_command(begun, answer).await)
    }

    /// Says what came of a command where it was typed. Before the end is recorded, and under the run's own name: if a
    /// crash comes in between, what is said after the restart has the same name and is not said twice.
    pub(crate) async fn tell_there(
        &self,
        run_id: &RunId,
        reply: Option<&ReplyRoute>,
        answer: &Result<String, String>,
    ) {
        let Some(reply) = reply else { return };
        let (Ok(text) | Err(text)) = answer;
        let saying = Saying {
            address: reply.address.clone(),
            text: text.clone(),
            reply_to: None,
            key: run_id.to_string(),
        };
        self.say(saying).await.or_log("the answer to a command could not be kept");
    }

    async fn stop_all(&self, key: &SessionKey) -> Result<String, String> {
        let stopped = self.abort(key, None, BY_STOP).await.run_ids.len();
        Ok(match stopped {
            0 => "Nothing was going on.".to_owned(),
            1 => "Stopped.".to_owned(),
            many => format!("Stopped {many} runs."),
        })
    }

    async fn status(&self, routed: &Routed) -> Result<String, String> {
        let key = routed.session_key();
        let session = self.inner().store().session(key).await.map_err(|error| error.to_string())?;
        let model = self.model_for(key, session.as_ref());
        let mut text = format!(
            "Homard {}\nAgent: {}\nSession: {key}\nModel: {model}",
            env!("CARGO_PKG_VERSION"),
            routed.agent()
        );
        if let Some(entry) = session.map(|session| session.entry) {
            let (used, window) = (entry.total_tokens.unwrap_or(0), entry.context_tokens.unwrap_or(0));
            let share = used.saturating_mul(100).checked_div(window);
            let share = share.map(|percent| format!(" of {window} ({percent} %)")).unwrap_or_default();
            let compactions = entry.compaction_count.unwrap_or(0);
            let thinking = entry.thinking_level.as_deref().unwrap_or("default");
            let queue = entry.queue_mode.as_deref().unwrap_or("default");
            let _written = write!(
                text,
                "\nContext: {used}{share} tokens, compacted {compactions} times\nThinking: {thinking}\nQueue: {queue}"
            );
        }
        let runs = self.views(key);
        let running = runs.iter().filter(|run| run.text.is_some()).count();
        let _written = write!(text, "\nRuns: {running} under way, {} waiting", runs.len() - running);
        Ok(text)
    }
}

fn help() -> String {
    let mut text = "Commands:".to_owned();
    for command in TABLE {
        let space = if command.arguments.is_empty() { "" } else { " " };
        let Command { name, arguments, help, .. } = command;
        let _written = write!(text, "\n/{name}{space}{arguments} — {help}");
    }
    text
}

/// Records what came of a command and tells everyone.
pub(crate) async fn conclude(inner: &Inner, run: &Arc<Run>, answer: Result<String, String>) {
    let stopped = run.stopped_by();
    let status = match &answer {
        _ if stopped.is_some() => RunStatus::Aborted,
        Ok(_) => RunStatus::Ok,
        Err(_) => RunStatus::Error,
    };
    let (reply, error) = (answer.clone().ok(), answer.err());
    let mut finish = FinishRun::new(run.id.clone(), status);
    finish.reply.clone_from(&reply);
    finish.error.clone_from(&error);
    inner.store().finish_run(finish).await.or_log("the end of a command could not be recorded");
    let now = inner.clock().now_ms();
    let message = reply.clone().map(|text| ChatMessage::new(text, now));
    run.narrator.end(match (&error, stopped) {
        (_, Some(by)) => ChatState::Aborted { message, stop_reason: by.to_owned() },
        (Some(error), None) => {
            ChatState::Error { error_message: error.clone(), error_kind: ErrorKind::Unknown, message }
        }
        (None, None) => {
            ChatState::Final { message: message.map(FinalMessage::Text), usage: None, stop_reason: None }
        }
    });
    let end = RunEnd {
        status,
        reply,
        error,
        stop_reason: stopped.map(str::to_owned),
        started_at: Some(now),
        ended_at: now,
        session_id: None,
        provider: String::new(),
        model: String::new(),
        usage: Usage::default(),
        attempts: Vec::new(),
        wishes: Vec::new(),
        calls: Vec::new(),
    };
    inner.run_ended(&end);
    run.ended(end);
    inner.runs().remove(run);
}

#[cfg(test)]
mod tests;
