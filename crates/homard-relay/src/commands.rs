//! Messages that are commands: `/stop`, `/new`, `/status` and so on. Answered without a model.
//!
//! What a message means is read once, by `homard-policy::words`, and arrives here as a [`Call`]. A command has a run
//! like any message, so that it is not obeyed twice. Command and answer stand in the history people read, and not in the
//! conversation the model is told. Who may use a command was asked before; what it does is an entry of its family's file: most
//! are a few lines, and a file each would be mostly imports.

mod admin;
mod allowlist;
mod family;
mod lists;
mod session;

use std::fmt::Write as _;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_channel::Sender;
use homard_config::config::commands::Commands;
use homard_policy::words::table::{Switch, available};
use homard_policy::words::{Call, Command, Where, read};
use homard_protocol::{
    AssistantMessage, Message, RunId, SessionKey, StopCause, StopReason, UserContent, UserMessage, Word,
};
use homard_runtime::OrLog;
use homard_store::{Accepted as Stored, FinishRun, ResetReason, StoreError};

use crate::delivery::deliver::last_word;
use crate::delivery::outbox::OutgoingText;
use crate::delivery::run_delivery::ReplyRoute;
use crate::hook_points::{self, Speaker};
use crate::intake::admit::Admitted;
use crate::parts::{ChatCommands, Turns};
use crate::relay::Inner;
use crate::sessions::asides;
use crate::turns::accept::{AcceptError, Accepted, known as known_run, new_run, run_id};
use crate::turns::compact::CompactOptions;
use crate::turns::lane::Kind;
use crate::turns::outcome::{NotBegun, RunEnd, TurnOutcome};
use crate::turns::queue::Queue;
use crate::turns::request::{TurnOptions, TurnRequest};
use crate::turns::runs::Run;

/// What came of a command: words for whoever typed it.
type Answer = Result<String, String>;

/// A command that is kept and about to be obeyed.
pub(crate) struct OpenCommand {
    run: Arc<Run>,
    admitted: Admitted,
    reply: Option<Box<ReplyRoute>>,
}

impl OpenCommand {
    fn key(&self) -> &SessionKey {
        self.admitted.session_key()
    }
}

/// What a command of the table does.
struct Entry {
    name: &'static str,
    run: for<'a> fn(&'a ChatCommands, &'a OpenCommand, &'a str) -> BoxFuture<'a, Answer>,
}

/// A command that is answered at once, and what answers it.
struct Answerable {
    command: &'static Command,
    entry: &'static Entry,
    rest: String,
}

impl Answerable {
    /// A word without an entry is only a text.
    fn of(command: &'static Command, rest: String) -> Option<Self> {
        let entry = FAMILIES.iter().copied().flatten().find(|entry| entry.name == command.name)?;
        Some(Self { command, entry, rest })
    }
}

/// Everything that can be obeyed, by family. A command of the table without an entry here fails a test.
const FAMILIES: [&[Entry]; 6] =
    [GENERAL, admin::ENTRIES, allowlist::ENTRIES, family::ENTRIES, lists::ENTRIES, session::ENTRIES];

const GENERAL: &[Entry] = &[
    Entry {
        name: "context",
        run: |commands, begun, _| {
            async move {
                let report = commands.setup().context_report(begun.key()).await;
                report.map(|report| report.to_string()).map_err(words)
            }
            .boxed()
        },
    },
    Entry { name: "new", run: |commands, begun, _| commands.begin_anew(begun, ResetReason::New).boxed() },
    Entry { name: "reset", run: |commands, begun, _| commands.begin_anew(begun, ResetReason::Reset).boxed() },
    Entry { name: "status", run: |commands, begun, _| commands.status(&begun.admitted).boxed() },
    Entry { name: "stop", run: |commands, begun, _| commands.stop_all(begun).boxed() },
    Entry {
        name: "undo",
        run: |commands, begun, _| {
            async move {
                let report = commands.sessions().undo(begun.key()).await;
                report.map(|report| report.to_string()).map_err(words)
            }
            .boxed()
        },
    },
];

/// A command as lists show it.
#[derive(Debug, Clone, Copy)]
pub struct ListedCommand {
    pub name: &'static str,
    /// What else may be typed.
    pub aliases: &'static [&'static str],
    /// How its arguments are written; empty when it takes none.
    pub arguments: &'static str,
    pub help: &'static str,
}

/// Every command that exists for this owner, alphabetical, for those who offer them to people.
pub fn known(commands: &Commands) -> impl Iterator<Item = ListedCommand> {
    available(commands).map(|command| ListedCommand {
        name: command.name,
        aliases: command.aliases,
        arguments: command.arguments,
        help: command.help,
    })
}

impl ChatCommands {
    /// Obeys a message of an operator that is a command, keeps the settings that are all it says, or takes those out of
    /// it that hold for it alone.
    pub(crate) async fn obey(
        &self,
        admitted: &mut Admitted,
        options: &mut TurnOptions,
    ) -> Result<Option<Accepted>, AcceptError> {
        let message = admitted.message();
        // Most messages have none, and long ones are not to be copied to learn that.
        if !message.text.contains('/') && !message.text.trim_start().starts_with('!') {
            return Ok(None);
        }
        let is_only_text = message.images.is_empty();
        let rules = self.inner().company_rules();
        let mut meaning = read(&message.text, &rules.words.operator_reading());
        if let Some(call) = meaning.command.take().filter(|_| is_only_text) {
            return self.obey_call(admitted, options, call).await;
        }
        if !meaning.only_directives || !is_only_text {
            options.settings.take(&meaning.directives);
            options.queue = meaning.queue_wish();
            admitted.reword(meaning.text);
            return Ok(None);
        }
        let (run_id, session_key) = (run_id(admitted)?, admitted.session_key().clone());
        let (admitted, options) = (admitted.clone(), options.clone());
        self.dispatch().keep_directives(admitted, options, &meaning.directives).await?;
        Ok(Some(Accepted::Answered { run_id, session_key }))
    }

    /// Obeys a command that was read; `None` where it leaves something that the model is told, as `admitted` then says.
    pub(crate) async fn obey_call(
        &self,
        admitted: &mut Admitted,
        options: &TurnOptions,
        call: Call,
    ) -> Result<Option<Accepted>, AcceptError> {
        let Some(command) = call.command else {
            self.setup().call_named_skill(admitted, &call.name, &call.args).await;
            return Ok(None);
        };
        let rest = call.args;
        match command.name {
            "compact" => {
                let instructions = (!rest.is_empty()).then_some(rest);
                let queue = Queue::Compact(CompactOptions { instructions, max_entries: None }, None);
                let (admitted, options) = (admitted.clone(), options.clone());
                return self.turns().enqueue(admitted, options, queue, None).await.map(Some);
            }
            "new" | "reset" if !rest.is_empty() => {
                let id = run_id(admitted)?;
                // A repeated request must not begin anew what it has begun already.
                if self.inner().store().runs().get(&id).await?.is_none() && self.runs().get(&id).is_none() {
                    let reason = ResetReason::of_word(command.name);
                    let by = Speaker::of(admitted.message());
                    self.sessions().reset_by(admitted.session_key(), reason, Some(by)).await?;
                }
                *admitted = self.setup().call_skill(admitted.clone().with_text(rest)).await;
            }
            "skill" if !rest.is_empty() => {
                let (name, args) = rest.split_once(char::is_whitespace).unwrap_or((rest.as_str(), ""));
                admitted.reword(format!("/{rest}"));
                self.setup().call_named_skill(admitted, name, args.trim()).await;
            }
            _ => {
                if let Some(answerable) = Answerable::of(command, rest) {
                    let (admitted, options) = (admitted.clone(), options.clone());
                    return self.answer_at_once(admitted, options, answerable).await.map(Some);
                }
            }
        }
        Ok(None)
    }

    /// Keeps a command as a run, so that it is obeyed once; answers with what became of it if it is known.
    pub(crate) async fn begin_command(
        &self,
        admitted: Admitted,
        options: TurnOptions,
    ) -> Result<Result<OpenCommand, Accepted>, AcceptError> {
        let run_id = run_id(&admitted)?;
        let TurnOptions { source, reply, origin, inbox, .. } = options;
        let options = TurnOptions { source, reply: reply.clone(), origin, inbox, ..TurnOptions::default() };
        let request = TurnRequest::new(&admitted, options, Kind::Command);
        let kept = self.inner().store().runs().accept(new_run(&admitted, &run_id, &request)).await?;
        if let Stored::Duplicate(record) = kept {
            return Ok(Err(known_run(record)));
        }
        let run = self.turns().run_of(&admitted, run_id, &request);
        Ok(Ok(OpenCommand { run, admitted, reply }))
    }

    /// Records what came of a command and says it where it was typed.
    pub(crate) async fn end_command(&self, begun: OpenCommand, answer: Result<String, String>) -> Accepted {
        let OpenCommand { run, admitted, reply } = begun;
        self.tell_there(&run.id, reply.as_deref(), &answer).await;
        keep_in_history(self.inner(), &run, &answer).await.or_log("a command is not in the history");
        conclude(&self.turns(), &run, answer).await;
        Accepted::Answered { run_id: run.id.clone(), session_key: admitted.session_key().clone() }
    }

    async fn answer_at_once(
        &self,
        admitted: Admitted,
        options: TurnOptions,
        asked: Answerable,
    ) -> Result<Accepted, AcceptError> {
        let begun = match self.begin_command(admitted, options).await? {
            Ok(begun) => begun,
            Err(known) => return Ok(known),
        };
        // It may ask whether it may run, and what answers that comes by the same way behind it.
        if asked.command.needs == Some(Switch::Bash) && begun.reply.is_some() {
            return Ok(self.answer_meanwhile(begun, asked));
        }
        let answer = self.answer(&begun, &asked).await;
        Ok(self.end_command(begun, answer).await)
    }

    /// Answers a command of a chat platform while its conversation goes on.
    fn answer_meanwhile(&self, begun: OpenCommand, asked: Answerable) -> Accepted {
        let (run_id, session_key) = (begun.run.id.clone(), begun.admitted.session_key().clone());
        let relay = self.clone();
        self.inner().tasks().spawn(async move {
            let answer = relay.answer(&begun, &asked).await;
            relay.end_command(begun, answer).await;
        });
        Accepted::Answered { run_id, session_key }
    }

    async fn answer(&self, begun: &OpenCommand, asked: &Answerable) -> Answer {
        let Answerable { command, rest, .. } = asked;
        let (admitted, key) = (&begun.admitted, begun.admitted.session_key());
        let config = self.inner().config();
        if let Some(switch) = command.needs.filter(|switch| !switch.is_on(&config.commands)) {
            return Err(format!("/{} is turned off ({})", command.name, switch.key()));
        }
        if command.place == Where::Groups && !key.is_group() {
            return Err(format!("/{} means something in groups only", command.name));
        }
        let message = admitted.message();
        if message.sender != Sender::Operator
            && writes_config(command.name, rest)
            && !self.inner().may_write_config(&message.channel, &message.account)
        {
            let channel = &message.channel;
            return Err(format!(
                "changing settings by a message is turned off here (channels.{channel}.configWrites)"
            ));
        }
        (asked.entry.run)(self, begun, rest).await
    }

    async fn begin_anew(&self, begun: &OpenCommand, reason: ResetReason) -> Answer {
        let by = Speaker::of(begun.admitted.message());
        let reset = self.sessions().reset_by(begun.key(), reason, Some(by)).await.map_err(words);
        reset.map(|_| "A new conversation begins.".to_owned())
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
        let saying = OutgoingText {
            address: reply.address.clone(),
            text: text.clone(),
            reply_to: None,
            key: run_id.to_string(),
        };
        self.outgoing().say(saying).await.or_log("the answer to a command could not be kept");
    }

    async fn stop_all(&self, begun: &OpenCommand) -> Result<String, String> {
        let stopped = self.turns().abort(begun.key(), None, StopCause::Stop).await.run_ids.len();
        hook_points::stopped(self.inner(), begun.key(), &Speaker::of(begun.admitted.message())).await;
        Ok(match stopped {
            0 => "Nothing was going on.".to_owned(),
            1 => "Stopped.".to_owned(),
            many => format!("Stopped {many} runs."),
        })
    }

    async fn status(&self, admitted: &Admitted) -> Result<String, String> {
        let key = admitted.session_key();
        let session = self.inner().store().sessions().get(key).await.map_err(|error| error.to_string())?;
        let model = self.sessions().model_for(key, session.as_ref());
        let mut text = format!(
            "Homard {}\nAgent: {}\nSession: {key}\nModel: {model}",
            env!("CARGO_PKG_VERSION"),
            admitted.agent()
        );
        if let Some(entry) = session.map(|session| session.entry) {
            let (used, window) = (entry.total_tokens.unwrap_or(0), entry.context_tokens.unwrap_or(0));
            let share = used.saturating_mul(100).checked_div(window);
            let share = share.map(|percent| format!(" of {window} ({percent} %)")).unwrap_or_default();
            let compactions = entry.compaction_count.unwrap_or(0);
            let thinking = entry.thinking_level.as_ref().map_or("default", Word::as_str);
            let queue = entry.queue_mode.as_ref().map_or("default", Word::as_str);
            let _written = write!(
                text,
                "\nContext: {used}{share} tokens, compacted {compactions} times\nThinking: {thinking}\nQueue: {queue}"
            );
        }
        let runs = self.turns().views(key);
        let running = runs.iter().filter(|run| run.text.is_some()).count();
        let _written = write!(text, "\nRuns: {running} under way, {} waiting", runs.len() - running);
        Ok(text)
    }
}

/// Whether a command changes the configuration.
fn writes_config(command: &str, rest: &str) -> bool {
    let verb = rest.split_whitespace().next().unwrap_or_default().to_lowercase();
    match command {
        "config" => !matches!(verb.as_str(), "" | "show" | "get"),
        "allowlist" => !matches!(verb.as_str(), "" | "list"),
        _ => false,
    }
}

/// An error for whoever typed the command.
fn words(error: impl Into<Box<dyn std::error::Error>>) -> String {
    error.into().to_string()
}

/// Writes a command and what came of it into the conversation, beside what the model is told.
pub(crate) async fn keep_in_history(inner: &Inner, run: &Run, answer: &Answer) -> Result<(), StoreError> {
    let now = inner.clock().now_ms();
    let hidden = |text: &str| {
        let mut text = text.to_owned();
        inner.guards().secrets.hide_in(&mut text);
        text
    };
    let asked = UserMessage {
        content: UserContent::Text(hidden(&run.asked)),
        timestamp: now,
        idempotency_key: Some(format!("{}:user", run.id)),
    };
    let answered = match answer {
        Ok(text) => AssistantMessage::injected(hidden(text), StopReason::Stop, now),
        Err(error) => AssistantMessage {
            content: Vec::new(),
            error_message: Some(hidden(error)),
            ..AssistantMessage::injected(String::new(), StopReason::Error, now)
        },
    };
    let both = vec![Message::User(asked), Message::Assistant(answered)];
    asides::append(inner, &run.session_key, both).await.map(drop)
}

/// Records what came of a command and tells everyone.
pub(crate) async fn conclude(turns: &Turns, run: &Arc<Run>, answer: Result<String, String>) {
    let inner = turns.inner();
    let now = inner.clock().now_ms();
    let (reply, error) = (answer.clone().ok(), answer.err());
    let outcome = TurnOutcome::NotBegun(NotBegun::Command { stopped: run.stopped_by(), error, at: now });
    let mut finish = FinishRun::new(run.id.clone(), outcome.status());
    finish.reply.clone_from(&reply);
    finish.error = outcome.error().map(str::to_owned);
    inner.store().runs().finish(finish).await.or_log("the end of a command could not be recorded");
    let end = RunEnd { outcome, reply, ended_at: now, look: None };
    run.narrator.end(last_word(&end));
    inner.run_ended(run, end);
    turns.runs().remove(run);
}

#[cfg(test)]
mod tests;
