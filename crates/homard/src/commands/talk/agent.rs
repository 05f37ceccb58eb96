//! `homard agent`: one turn, streamed to the terminal, and where its answer goes beside that.

use std::io::{self, Read};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use homard_client::questions::Change;
use homard_client::{Client, ClientEvent, Events, TwoPhase};
use homard_protocol::methods::chat::agent::{AgentFinished, AgentParams};
use homard_protocol::methods::chat::{ChatAbort, ChatAbortParams};
use homard_protocol::methods::sessions::{SessionsPatch, SessionsPatchParams};
use homard_protocol::session_words::Verbosity;
use homard_protocol::{AgentId, RunAnswer, RunId, SessionId, SessionKey, SessionRef, Word};
use serde_json::{Map, Value, json};

use crate::commands::approvals::prompt::Prompt;
use crate::commands::connection::{self, Target};
use crate::commands::{Cx, terminal};
use crate::report::{Advice, Console};

/// How much longer than the run itself the client waits for its end.
const END_GRACE: Duration = Duration::from_secs(30);
/// Longest message read from standard input or a file.
const MAX_MESSAGE_BYTES: u64 = 4 * 1024 * 1024;
const EXAMPLES: &str = "\
Examples:
  homard agent \"what is in my notes about Lisbon?\"
  git diff | homard agent -                          the message comes from standard input
  homard agent -m \"plan my day\" --session-key agent:main:planning
  homard agent --message-file question.md --thinking high --timeout 300
  homard agent \"sum up my mail\" --deliver --channel telegram --to 123456789
  homard agent hi --json | jq -r '.result.payloads[].text'";

/// Say something to an agent and print its answer
///
/// The answer is printed as it comes. Ctrl-C stops the run. Ends with exit code 1 when the run failed or was stopped.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct AgentArgs {
    #[command(flatten)]
    said: SaidArgs,
    /// In which conversation; the agent's main one otherwise
    #[arg(long, value_name = "KEY", conflicts_with_all = ["session_id", "agent"])]
    session_key: Option<SessionRef>,
    /// In which conversation, by transcript
    #[arg(long, value_name = "ID")]
    session_id: Option<SessionId>,
    /// To which agent; the default one otherwise
    #[arg(long, value_name = "ID")]
    agent: Option<AgentId>,
    /// Think with another model this once, as provider/model
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// How hard to think: off, minimal, low, medium, high …
    #[arg(long, value_name = "LEVEL", value_parser = super::thinking_level)]
    thinking: Option<String>,
    /// How much of the work chat platforms are shown in this conversation, from now on
    #[arg(long, value_name = "HOW", value_parser = PossibleValuesParser::new(Verbosity::WORDS), conflicts_with = "session_id")]
    verbose: Option<String>,
    /// How long the run may take, in seconds
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,
    /// Print the result as JSON when the run has ended
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    delivery: DeliveryArgs,
    #[command(flatten)]
    target: Target,
}

/// What is said.
#[derive(Args)]
struct SaidArgs {
    /// What to say; `-` reads it from standard input
    #[arg(value_name = "TEXT", conflicts_with_all = ["message", "message_file"])]
    words: Vec<String>,
    /// What to say, as an option
    #[arg(long, short, value_name = "TEXT", conflicts_with = "message_file")]
    message: Option<String>,
    /// What to say, from a file
    #[arg(long, value_name = "PATH")]
    message_file: Option<PathBuf>,
}

/// Where the answer goes beside this terminal.
#[derive(Args)]
#[command(next_help_heading = "Delivery")]
struct DeliveryArgs {
    /// Send the answer to a chat platform, too; where the conversation was last spoken to, unless said otherwise
    #[arg(long)]
    deliver: bool,
    /// The platform
    #[arg(long, value_name = "CHANNEL", requires = "deliver")]
    channel: Option<String>,
    /// To whom there, as `homard message send --target` takes it
    #[arg(long, short = 't', value_name = "TARGET", requires = "deliver", allow_hyphen_values = true)]
    to: Option<String>,
    /// The platform, where it is not that of --channel
    #[arg(long, value_name = "CHANNEL", requires = "deliver")]
    reply_channel: Option<String>,
    /// To whom, where it is not --to
    #[arg(long, value_name = "TARGET", requires = "deliver", allow_hyphen_values = true)]
    reply_to: Option<String>,
    /// Which of our accounts speaks there
    #[arg(long, value_name = "ID", requires = "deliver")]
    reply_account: Option<String>,
}

impl DeliveryArgs {
    /// As the gateway reads it.
    fn wishes(&self) -> Map<String, Value> {
        if !self.deliver {
            return Map::new();
        }
        let places = [
            ("channel", &self.channel),
            ("to", &self.to),
            ("replyChannel", &self.reply_channel),
            ("replyTo", &self.reply_to),
            ("replyAccountId", &self.reply_account),
        ];
        let places =
            places.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text.as_ref()?))));
        places.chain([("deliver".to_owned(), Value::Bool(true))]).collect()
    }
}

/// Runs the command.
///
/// # Errors
/// When the run could not be started, failed, or was stopped.
pub(crate) async fn run(cx: &Cx, args: AgentArgs) -> anyhow::Result<()> {
    let text = message(cx.console, &args.said)?;
    let limit = run_limit(cx, args.timeout);
    let json = args.json;
    let client = connection::connect(cx, &args.target, homard_client::DEFAULT_TIMEOUT).await?;
    // Before the request, so that not even the first word is missed.
    let events = client.events();
    let verbose = args.verbose.clone();
    let params = params(args, text, &client);
    if let (Some(level), Some(key)) = (verbose, &params.session_key) {
        let settings = Map::from_iter([("verboseLevel".to_owned(), json!(level))]);
        let wish = SessionsPatchParams { key: key.clone(), agent_id: None, settings };
        client.call::<SessionsPatch>(&wish).await?;
    }
    let started = client.call_two_phase("agent", &params).await?;
    let mut answer = Answer::new(cx.console, &params.idempotency_key, !json);
    let mut doubts = RunApprovals { prompt: Prompt::new(cx.console), run_id: answer.run_id.clone(), cx };
    let finished = watch(&client, events, started, (&mut answer, &mut doubts, limit)).await?;
    client.close().await;
    conclude(cx, &finished, &mut answer, json)
}

fn message(console: Console, said: &SaidArgs) -> anyhow::Result<String> {
    let given = said.message.clone().unwrap_or_else(|| said.words.join(" "));
    let text = match &said.message_file {
        Some(path) => {
            let what = || format!("could not read the message in `{}`", path.display());
            let file = std::fs::File::open(path).with_context(what)?;
            read(file).with_context(what)?
        }
        None if given.is_empty() && terminal::is_manned() => {
            terminal::ask(console, "What do you want to say?")?
        }
        None if given == "-" => read(io::stdin().lock()).context("could not read the message")?,
        None => given,
    };
    if text.trim().is_empty() {
        return Err(Advice::usage(
            "the message is empty",
            "homard agent \"what is in my notes about Lisbon?\", or `homard agent -` to read it from standard input",
        ));
    }
    Ok(text)
}

/// A message from elsewhere; one that is too long is refused rather than cut.
fn read(from: impl Read) -> anyhow::Result<String> {
    let mut text = String::new();
    from.take(MAX_MESSAGE_BYTES + 1).read_to_string(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > MAX_MESSAGE_BYTES {
        bail!("it is longer than {MAX_MESSAGE_BYTES} bytes");
    }
    Ok(text)
}

fn run_limit(cx: &Cx, timeout: Option<f64>) -> Duration {
    let asked = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let configured = || cx.snapshot().config.map(|config| config.agents.defaults.timeout);
    asked.or_else(configured).unwrap_or_default().max(END_GRACE).saturating_add(END_GRACE)
}

fn params(args: AgentArgs, message: String, client: &Client) -> AgentParams {
    let main = || client.hello().snapshot.session_defaults.main_session_key.clone();
    let session_key = match (&args.session_key, &args.session_id, &args.agent) {
        (Some(key), _, _) => Some(key.clone()),
        (None, Some(_), _) => None,
        (None, None, Some(agent)) => Some(SessionRef::from(&SessionKey::main(agent.clone()))),
        (None, None, None) => Some(main().into()),
    };
    AgentParams {
        message,
        idempotency_key: uuid::Uuid::now_v7().to_string(),
        agent_id: args.agent,
        session_key,
        session_id: args.session_id,
        model: args.model,
        thinking: args.thinking.map(Word::of),
        timeout: args.timeout,
        rest: args.delivery.wishes(),
        ..AgentParams::default()
    }
}

/// Prints what comes until the run has ended; Ctrl-C asks the gateway to end it.
async fn watch(
    client: &Client,
    mut events: Events,
    started: TwoPhase,
    (answer, doubts, limit): (&mut Answer, &mut RunApprovals<'_>, Duration),
) -> anyhow::Result<Value> {
    let session_key = started.accepted.get("sessionKey").and_then(Value::as_str).unwrap_or("").to_owned();
    let run_id = answer.run_id.clone();
    let finished = started.finished(limit);
    tokio::pin!(finished);
    let mut stopping = false;
    let mut listening = true;
    loop {
        tokio::select! {
            // Events first: they were sent before the end.
            biased;
            heard = events.next(), if listening => match heard {
                Some(heard) => {
                    answer.hear(&heard)?;
                    doubts.hear(&heard);
                }
                None => listening = false,
            },
            finished = &mut finished => return Ok(finished?),
            line = doubts.prompt.typed() => doubts.prompt.take(client, line?).await,
            pressed = tokio::signal::ctrl_c(), if !stopping => {
                pressed?;
                stopping = true;
                let params = ChatAbortParams {
                    session_key: session_key.as_str().into(),
                    run_id: Some(RunId::parse(&run_id)?),
                    ..ChatAbortParams::default()
                };
                client.call::<ChatAbort>(&params).await.context("could not stop the run")?;
            }
        }
    }
}

fn conclude(cx: &Cx, finished: &Value, answer: &mut Answer, json: bool) -> anyhow::Result<()> {
    if json {
        cx.console.json(finished)?;
    }
    let Ok(finished) = homard_runtime::json::from_value::<AgentFinished>(finished.clone()) else {
        bail!("the gateway's answer has no result: {finished}");
    };
    if !json {
        let texts: Vec<&str> =
            finished.result.payloads.iter().filter_map(|payload| payload.text.as_deref()).collect();
        answer.complete(&texts.join("\n\n"))?;
    }
    if finished.result.meta.aborted {
        return Err(Advice::error(
            "the run was stopped",
            "what was said until then is kept in the conversation",
        ));
    }
    if finished.status != RunAnswer::Ok {
        return Err(Advice::error(finished.summary, "`homard logs` says more"));
    }
    Ok(())
}

/// What the run may not do before somebody says yes.
struct RunApprovals<'a> {
    prompt: Prompt,
    run_id: String,
    cx: &'a Cx,
}

impl RunApprovals<'_> {
    /// Asks about what this run wants to do; other runs are none of our business.
    fn hear(&mut self, heard: &ClientEvent) {
        let ClientEvent::Event(frame) = heard else { return };
        let change = match Change::read(frame) {
            Some(Change::Asked(asked)) if asked.run_id.as_deref() != Some(self.run_id.as_str()) => return,
            Some(change) => change,
            None => return,
        };
        self.prompt.hear(change, self.cx.source.clock.now_ms());
    }
}

/// What has been printed of an answer. Snapshots of the whole text arrive, possibly with some left out, so only
/// what is new in each is printed.
struct Answer {
    console: Console,
    run_id: String,
    shown: bool,
    printed: String,
}

impl Answer {
    fn new(console: Console, run_id: &str, shown: bool) -> Self {
        Self { console, run_id: run_id.to_owned(), shown, printed: String::new() }
    }

    fn hear(&mut self, heard: &ClientEvent) -> io::Result<()> {
        let ClientEvent::Event(frame) = heard else { return Ok(()) };
        let text = |path| frame.payload.pointer(path).and_then(Value::as_str);
        if frame.event != "chat" || text("/runId") != Some(&self.run_id) || text("/state") != Some("delta") {
            return Ok(());
        }
        match (text("/message/content/0/text"), text("/deltaText")) {
            (Some(whole), delta) => self.show(whole, delta.unwrap_or("")),
            (None, Some(delta)) => self.add(delta),
            (None, None) => Ok(()),
        }
    }

    fn show(&mut self, whole: &str, delta: &str) -> io::Result<()> {
        let new = whole.strip_prefix(self.printed.as_str()).unwrap_or(delta).to_owned();
        self.add(&new)
    }

    fn add(&mut self, text: &str) -> io::Result<()> {
        self.printed.push_str(text);
        if self.shown { self.console.part(text) } else { Ok(()) }
    }

    /// Prints what the stream left out, and ends the line.
    fn complete(&mut self, whole: &str) -> io::Result<()> {
        let missing = if self.printed.trim().is_empty() {
            whole.to_owned()
        } else {
            whole.strip_prefix(self.printed.as_str()).unwrap_or("").to_owned()
        };
        self.add(&missing)?;
        if self.printed.is_empty() || self.printed.ends_with('\n') { Ok(()) } else { self.add("\n") }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use homard_client::ClientEvent;
    use serde_json::json;

    use super::{Answer, DeliveryArgs, SaidArgs, message};
    use crate::report::Console;

    fn delta(run: &str, whole: &str, delta: &str) -> ClientEvent {
        let payload = json!({
            "runId": run, "state": "delta", "deltaText": delta, "message": {"content": [{"type":"text","text": whole}]}
        });
        ClientEvent::Event(Arc::new(
            serde_json::from_value(json!({"type":"event","event":"chat","payload":payload})).unwrap(),
        ))
    }

    #[test]
    fn an_answer_is_whole_even_when_parts_were_missed() {
        let mut answer = Answer::new(Console::new(true), "r", false);
        for heard in [
            delta("r", "Hel", "Hel"),
            delta("other", "Nothing of ours", "Nothing of ours"),
            ClientEvent::Missed(3),
            delta("r", "Hello wor", "wor"),
        ] {
            answer.hear(&heard).unwrap();
        }
        assert_eq!(answer.printed, "Hello wor");
        answer.complete("Hello world").unwrap();
        assert_eq!(answer.printed, "Hello world\n");
    }

    #[test]
    fn an_answer_that_did_not_stream_is_printed_at_the_end() {
        let mut answer = Answer::new(Console::new(true), "r", false);
        answer.complete("all of it").unwrap();
        assert_eq!(answer.printed, "all of it\n");
    }

    #[test]
    fn a_text_that_begins_anew_is_added_by_its_parts() {
        let mut answer = Answer::new(Console::new(true), "r", false);
        answer.hear(&delta("r", "Let me look. ", "Let me look. ")).unwrap();
        answer.hear(&delta("r", "Found it.", "Found it.")).unwrap();
        answer.complete("Found it.").unwrap();
        assert_eq!(answer.printed, "Let me look. Found it.\n");
    }

    #[test]
    fn an_empty_message_is_refused() {
        let said = |text: &str| SaidArgs { words: vec![text.into()], message: None, message_file: None };
        assert!(message(Console::new(true), &said("  \n")).is_err());
        assert_eq!(message(Console::new(true), &said("hi")).unwrap(), "hi");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "from a file").unwrap();
        let in_file = SaidArgs { message_file: Some(file.path().to_owned()), ..said("") };
        assert_eq!(message(Console::new(true), &in_file).unwrap(), "from a file");
    }

    #[test]
    fn nothing_is_said_about_a_delivery_nobody_wants() {
        let mut wish = DeliveryArgs {
            deliver: false,
            channel: Some("telegram".into()),
            to: Some("-7".into()),
            reply_channel: None,
            reply_to: None,
            reply_account: None,
        };
        assert!(wish.wishes().is_empty());
        wish.deliver = true;
        assert_eq!(json!(wish.wishes()), json!({"deliver": true, "channel": "telegram", "to": "-7"}));
    }
}
