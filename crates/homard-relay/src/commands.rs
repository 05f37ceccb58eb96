//! Messages that are commands: `/stop`, `/new`, `/status` and so on. Answered without a model.
//!
//! A message is a command when it is nothing else and its first word is in the table of `homard-policy`. It has a run
//! like any message, so that it is not obeyed twice; its answer is in that run's record and not in the conversation the
//! model is told. Who may use a command was asked before; what it does is in one file per family.

mod admin;
mod allowlist;
mod family;
mod lists;
mod session;

use std::fmt::Write as _;
use std::sync::Arc;

use homard_channel::Sender;
use homard_config::Config;
use homard_config::config::commands::Commands;
use homard_policy::words::table::{self, Form, available};
use homard_policy::words::{Command, Vocabulary, Where, read};
use homard_protocol::events::{ChatMessage, ChatState, ErrorKind, FinalMessage};
use homard_protocol::{RunId, SessionKey, Usage};
use homard_runtime::OrLog;
use homard_store::{Accepted as Stored, FinishRun, ResetReason, RunStatus};

use crate::delivery::outbox::OutgoingText;
use crate::delivery::reply_route::ReplyRoute;
use crate::intake::admit::Admitted;
use crate::parts::ChatCommands;
use crate::relay::Inner;
use crate::turns::accept::{AcceptError, Accepted, Obeyed, known as known_run, new_run, run_id};
use crate::turns::compact::CompactOptions;
use crate::turns::lane::Kind;
use crate::turns::queue::Queue;
use crate::turns::request::{TurnOptions, TurnRequest};
use crate::turns::runs::{Run, RunEnd};
use crate::turns::source::StopCause;
use session::whoami;

/// What came of a command: words for whoever typed it.
type Answer = Result<String, String>;

/// A command that is kept and about to be obeyed.
pub(crate) struct Begun {
    run: Arc<Run>,
    admitted: Admitted,
    reply: Option<Box<ReplyRoute>>,
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

/// Every command that exists for this owner, alphabetical, for those who offer them to people.
pub fn known(commands: &Commands) -> impl Iterator<Item = Known> {
    available(commands).map(|command| Known {
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
    if let Some(channel) = name.strip_prefix("dock-").or_else(|| name.strip_prefix("dock_")) {
        return table::command("dock").filter(|_| rest.is_empty()).map(|command| (command, channel));
    }
    let command = table::command(name)?;
    (rest.is_empty() || !command.arguments.is_empty()).then_some((command, rest))
}

/// The command of a text that begins with an exclamation mark, where those are for the host.
fn parse_shell<'t>(text: &'t str, commands: &Commands) -> Option<(&'static Command, &'t str)> {
    let rest = text.trim().strip_prefix('!').filter(|_| commands.bash)?.trim();
    // A row of exclamation marks is only loud.
    let is_command = !rest.is_empty() && !rest.starts_with('!');
    table::command("bash").filter(|_| is_command).map(|command| (command, rest))
}

impl ChatCommands {
    /// Obeys a message that is a command.
    pub(crate) async fn obey(&self, admitted: Admitted, options: TurnOptions) -> Result<Obeyed, AcceptError> {
        if !admitted.message().images.is_empty() {
            return Ok(Obeyed::No(admitted, options));
        }
        let text = admitted.message().text.clone();
        let config = self.inner().config();
        let called = parse(&text).or_else(|| parse_shell(&text, &config.commands));
        let Some((command, rest)) = called else { return Ok(Obeyed::No(admitted, options)) };
        match command.name {
            "compact" => {
                let instructions = (!rest.is_empty()).then(|| rest.to_owned());
                let queue = Queue::Compact(CompactOptions { instructions, max_entries: None }, None);
                self.turns().enqueue(admitted, options, (queue, None)).await.map(Obeyed::Yes)
            }
            "new" | "reset" if !rest.is_empty() => {
                let id = run_id(&admitted)?;
                // A repeated request must not begin anew what it has begun already.
                if self.inner().store().run(&id).await?.is_none() && self.inner().runs().get(&id).is_none() {
                    self.sessions().reset(admitted.session_key(), reset_reason(command)).await?;
                }
                Ok(Obeyed::No(admitted.with_text(rest.to_owned()), options))
            }
            // A skill that is called by its own name is told to the model.
            "skill" if !rest.is_empty() => Ok(Obeyed::No(admitted.with_text(format!("/{rest}")), options)),
            _ if command.form == Form::Directive && command.name != "queue" => {
                self.obey_directives(admitted, options, &config).await
            }
            _ => self.answer_at_once(admitted, options).await.map(Obeyed::Yes),
        }
    }

    /// Keeps settings that are all a message says; one that says more is none.
    async fn obey_directives(
        &self,
        admitted: Admitted,
        options: TurnOptions,
        config: &Config,
    ) -> Result<Obeyed, AcceptError> {
        let words = Vocabulary::of(config);
        let meaning = read(&admitted.message().text, &words.reading(None, &[]));
        if !meaning.only_directives {
            return Ok(Obeyed::No(admitted, options));
        }
        let (run_id, session_key) = (run_id(&admitted)?, admitted.session_key().clone());
        self.dispatch().keep_directives(admitted, options, &meaning.directives).await?;
        Ok(Obeyed::Yes(Accepted::Answered { run_id, session_key }))
    }

    /// Keeps a command as a run, so that it is obeyed once; answers with what became of it if it is known.
    pub(crate) async fn begin_command(
        &self,
        admitted: Admitted,
        options: TurnOptions,
    ) -> Result<Result<Begun, Accepted>, AcceptError> {
        let run_id = run_id(&admitted)?;
        let TurnOptions { source, reply, origin, inbox, .. } = options;
        let options = TurnOptions { source, reply: reply.clone(), origin, inbox, ..TurnOptions::default() };
        let request = TurnRequest::new(&admitted, options, Kind::Command);
        let kept = self.inner().store().accept_run(new_run(&admitted, &run_id, &request)).await?;
        if let Stored::Duplicate(record) = kept {
            return Ok(Err(known_run(record)));
        }
        let run = self.turns().run_of(&admitted, run_id, &request.message);
        Ok(Ok(Begun { run, admitted, reply }))
    }

    /// Records what came of a command and says it where it was typed.
    pub(crate) async fn end_command(&self, begun: Begun, answer: Result<String, String>) -> Accepted {
        let Begun { run, admitted, reply } = begun;
        self.tell_there(&run.id, reply.as_deref(), &answer).await;
        conclude(self.inner(), &run, answer).await;
        Accepted::Answered { run_id: run.id.clone(), session_key: admitted.session_key().clone() }
    }

    async fn answer_at_once(
        &self,
        admitted: Admitted,
        options: TurnOptions,
    ) -> Result<Accepted, AcceptError> {
        let begun = match self.begin_command(admitted, options).await? {
            Ok(begun) => begun,
            Err(known) => return Ok(known),
        };
        let config = self.inner().config();
        let text = begun.admitted.message().text.clone();
        let answer = match parse(&text).or_else(|| parse_shell(&text, &config.commands)) {
            // It may ask whether it may run, and what answers that comes by the same way behind it.
            Some((command, rest)) if command.name == "bash" && begun.reply.is_some() => {
                return Ok(self.answer_meanwhile(begun, command, rest.to_owned()));
            }
            // Boxed: what all commands need together would make every message's walk as large.
            Some((command, rest)) => Box::pin(self.answer(&begun, command, rest)).await,
            None => Err("that is no command".to_owned()),
        };
        Ok(self.end_command(begun, answer).await)
    }

    /// Answers a command of a chat platform while its conversation goes on.
    fn answer_meanwhile(&self, begun: Begun, command: &'static Command, rest: String) -> Accepted {
        let (run_id, session_key) = (begun.run.id.clone(), begun.admitted.session_key().clone());
        let relay = self.clone();
        self.inner().tasks().spawn(async move {
            let answer = Box::pin(relay.answer(&begun, command, &rest)).await;
            relay.end_command(begun, answer).await;
        });
        Accepted::Answered { run_id, session_key }
    }

    async fn answer(&self, begun: &Begun, command: &'static Command, rest: &str) -> Answer {
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
        match command.name {
            "activation" => self.set_activation(key, rest).await,
            "allowlist" => self.allowlist(begun, rest).await,
            "approve" => self.answer_question(begun, rest),
            "bash" => self.run_on_host(begun, rest).await,
            "commands" => Ok(self.commands_page(admitted, rest).await),
            "config" => self.look_at_config(rest).await,
            "context" => {
                self.setup().context_report(key).await.map(|report| report.to_string()).map_err(words)
            }
            "debug" => self.override_config(rest).await,
            "dock" => self.dock(begun, rest).await,
            "export-session" => self.export(admitted, rest).await,
            "help" => Ok(help(&config) + &self.setup().skill_commands(admitted).await),
            "kill" => self.subagent_commands().kill(begun, rest).await,
            "models" => Ok(self.models_page(rest)),
            "new" | "reset" => {
                let begun = self.sessions().reset(key, reset_reason(command)).await.map_err(words);
                begun.map(|_| "A new conversation begins.".to_owned())
            }
            "queue" => self.turns().queue_as(key, rest).await,
            "restart" => self.restart(begun).await,
            "send" => self.set_sending(key, rest).await,
            "skill" => Ok(self.skills_page(admitted).await),
            "status" => self.status(admitted).await,
            "steer" => self.subagent_commands().steer_by_hand(begun, rest).await,
            "stop" => self.stop_all(key).await,
            "subagents" => self.subagent_commands().obey(begun, rest).await,
            "tts" => self.set_speech(key, rest).await,
            "undo" => self.sessions().undo(key).await.map(|report| report.to_string()).map_err(words),
            "usage" => self.set_usage(key, rest).await,
            "whoami" => Ok(whoami(admitted)),
            name => Err(format!("/{name} is known, but not built yet")),
        }
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

    async fn stop_all(&self, key: &SessionKey) -> Result<String, String> {
        let stopped = self.turns().abort(key, None, StopCause::Stop).await.run_ids.len();
        Ok(match stopped {
            0 => "Nothing was going on.".to_owned(),
            1 => "Stopped.".to_owned(),
            many => format!("Stopped {many} runs."),
        })
    }

    async fn status(&self, admitted: &Admitted) -> Result<String, String> {
        let key = admitted.session_key();
        let session = self.inner().store().session(key).await.map_err(|error| error.to_string())?;
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
            let thinking = entry.thinking_level.as_deref().unwrap_or("default");
            let queue = entry.queue_mode.as_deref().unwrap_or("default");
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

fn help(config: &Config) -> String {
    let mut text = "Commands:".to_owned();
    for command in available(&config.commands) {
        let _written = write!(text, "\n{}", table::line(command));
    }
    text
}

fn reset_reason(command: &Command) -> ResetReason {
    if command.name == "new" { ResetReason::New } else { ResetReason::Reset }
}

/// An error for whoever typed the command.
fn words(error: impl Into<Box<dyn std::error::Error>>) -> String {
    error.into().to_string()
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
        (_, Some(by)) => ChatState::Aborted { message, stop_reason: by.as_str().to_owned() },
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
        stop_reason: stopped.map(|by| by.as_str().to_owned()),
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
