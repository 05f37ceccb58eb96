//! `homard message`: writing to people on chat platforms, through the gateway.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, Subcommand};
use homard_protocol::methods::channels::sending::{
    MAX_POLL_SECONDS, MessageAction, MessageActionParams, Poll, PollParams, Send, SendParams,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::commands::Cx;
use crate::commands::connection::{self, ConnectArgs};
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard message send --target telegram:123456789 --message \"The tea is ready\"
  homard message send -t irc:#home -m \"good morning\"
  homard message send -t telegram:-1001234:topic:7 --media chart.png -m \"May\"
  homard message poll -t telegram:123 --poll-question \"When?\" --poll-option Mon --poll-option Tue
  homard message react -t telegram:123 --message-id 42 --emoji 👍
  homard message broadcast --targets telegram:123 --targets irc:#home -m \"back in an hour\"";

/// Seconds in an hour.
const HOUR: u64 = 3_600;

/// Write to people on chat platforms
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MessageArgs {
    #[command(subcommand)]
    command: MessageCommand,
}

#[derive(Subcommand)]
enum MessageCommand {
    /// Send a message, a file, or both
    #[command(after_help = EXAMPLES)]
    Send(Box<SendArgs>),
    /// Send the same to several
    Broadcast(Box<BroadcastArgs>),
    /// Ask people to choose
    Poll(Box<PollArgs>),
    /// React to a message
    React(Box<ReactArgs>),
    /// Change a message of ours
    Edit(Box<EditArgs>),
    /// Take a message back
    Delete(Box<OneMessageArgs>),
    /// Pin a message
    Pin(Box<OneMessageArgs>),
    /// Unpin a message
    Unpin(Box<OneMessageArgs>),
    /// Threads
    Thread(Box<ThreadArgs>),
}

/// Where.
#[derive(Args)]
struct Whereto {
    /// To whom: telegram:123456789, irc:#room, or an id alone with --channel
    #[arg(long, short = 't', value_name = "TARGET")]
    target: String,
    #[command(flatten)]
    with: With,
}

#[derive(Args)]
struct With {
    /// The platform, where the target does not name it
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// Which of our accounts speaks
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// Only say what would be sent, and where
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct SendArgs {
    #[command(flatten)]
    to: Whereto,
    /// The text, in Markdown
    #[arg(long, short, required_unless_present = "media")]
    message: Option<String>,
    /// A file: a path on this machine, or an http(s) address
    #[arg(long, value_name = "PATH|URL")]
    media: Option<String>,
    /// The message it answers
    #[arg(long, value_name = "ID")]
    reply_to: Option<String>,
    /// The thread or topic
    #[arg(long, value_name = "ID")]
    thread_id: Option<String>,
    /// Send a picture as a file
    #[arg(long)]
    force_document: bool,
    /// Show a film as a moving picture
    #[arg(long)]
    gif_playback: bool,
    /// Pin it
    #[arg(long)]
    pin: bool,
    /// Without a sound
    #[arg(long)]
    silent: bool,
}

#[derive(Args)]
struct BroadcastArgs {
    /// To whom; several times
    #[arg(long, value_name = "TARGET", required = true, num_args = 1..)]
    targets: Vec<String>,
    /// The text, in Markdown
    #[arg(long, short)]
    message: Option<String>,
    /// A file the gateway can read, or an http(s) address
    #[arg(long, value_name = "PATH|URL")]
    media: Option<String>,
    #[command(flatten)]
    with: With,
}

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct PollArgs {
    #[command(flatten)]
    to: Whereto,
    /// The question
    #[arg(long)]
    poll_question: String,
    /// An answer to choose; 2 to 12 of them
    #[arg(long, required = true)]
    poll_option: Vec<String>,
    /// Let people choose more than one
    #[arg(long)]
    poll_multi: bool,
    /// How long it is open
    #[arg(long, value_name = "HOURS", conflicts_with = "poll_duration_seconds")]
    poll_duration_hours: Option<u64>,
    /// How long it is open
    #[arg(long, value_name = "SECONDS")]
    poll_duration_seconds: Option<u64>,
    /// Nobody sees who chose what
    #[arg(long, conflicts_with = "poll_public")]
    poll_anonymous: bool,
    /// Everybody sees who chose what
    #[arg(long)]
    poll_public: bool,
    /// The thread or topic
    #[arg(long, value_name = "ID")]
    thread_id: Option<String>,
    /// Without a sound
    #[arg(long)]
    silent: bool,
}

#[derive(Args)]
struct ReactArgs {
    #[command(flatten)]
    one: OneMessageArgs,
    /// With what
    #[arg(long, required_unless_present = "remove")]
    emoji: Option<String>,
    /// Take ours back
    #[arg(long)]
    remove: bool,
}

#[derive(Args)]
struct EditArgs {
    #[command(flatten)]
    one: OneMessageArgs,
    /// What it says now
    #[arg(long, short)]
    message: String,
}

#[derive(Args)]
struct OneMessageArgs {
    #[command(flatten)]
    to: Whereto,
    /// Which message
    #[arg(long, value_name = "ID")]
    message_id: String,
}

#[derive(Args)]
struct ThreadArgs {
    #[command(subcommand)]
    command: ThreadCommand,
}

#[derive(Subcommand)]
enum ThreadCommand {
    /// Begin a thread
    Create(Box<ThreadCreateArgs>),
    /// Write in a thread
    Reply(Box<ThreadReplyArgs>),
}

#[derive(Args)]
struct ThreadCreateArgs {
    #[command(flatten)]
    to: Whereto,
    /// What it is called
    #[arg(long, value_name = "NAME")]
    thread_name: String,
    /// What is said first in it
    #[arg(long, short)]
    message: Option<String>,
}

#[derive(Args)]
struct ThreadReplyArgs {
    #[command(flatten)]
    to: Whereto,
    /// Which thread
    #[arg(long, value_name = "ID")]
    thread_id: String,
    /// The text, in Markdown
    #[arg(long, short)]
    message: String,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, or it could not be sent.
pub(crate) async fn run(cx: &Cx, args: MessageArgs) -> anyhow::Result<()> {
    match args.command {
        MessageCommand::Send(args) => send(cx, *args).await,
        MessageCommand::Broadcast(args) => {
            let fields = json!({"targets": args.targets, "message": args.message, "media": args.media});
            act(cx, "broadcast", None, &args.with, fields).await
        }
        MessageCommand::Poll(args) => poll(cx, *args).await,
        MessageCommand::React(args) => {
            let fields =
                json!({"messageId": args.one.message_id, "emoji": args.emoji, "remove": args.remove});
            to_one(cx, "react", &args.one.to, fields).await
        }
        MessageCommand::Edit(args) => {
            let fields = json!({"messageId": args.one.message_id, "message": args.message});
            to_one(cx, "edit", &args.one.to, fields).await
        }
        MessageCommand::Delete(args) => {
            to_one(cx, "delete", &args.to, json!({"messageId": args.message_id})).await
        }
        MessageCommand::Pin(args) => to_one(cx, "pin", &args.to, json!({"messageId": args.message_id})).await,
        MessageCommand::Unpin(args) => {
            to_one(cx, "unpin", &args.to, json!({"messageId": args.message_id})).await
        }
        MessageCommand::Thread(args) => match args.command {
            ThreadCommand::Create(args) => {
                let fields = json!({"threadName": args.thread_name, "message": args.message});
                to_one(cx, "thread-create", &args.to, fields).await
            }
            ThreadCommand::Reply(args) => {
                let fields = json!({"threadId": args.thread_id, "message": args.message});
                to_one(cx, "thread-reply", &args.to, fields).await
            }
        },
    }
}

async fn send(cx: &Cx, args: SendArgs) -> anyhow::Result<()> {
    let SendArgs { to, message, media, .. } = &args;
    if to.with.dry_run {
        let fields = json!({"message": message, "media": media, "threadId": args.thread_id});
        return to_one(cx, "send", to, fields).await;
    }
    let (media_url, buffer, filename) = match media {
        Some(media) if is_address(media) => (Some(media.clone()), None, None),
        Some(path) => {
            let (bytes, name) = read(path)?;
            (None, Some(STANDARD.encode(bytes)), name)
        }
        None => (None, None, None),
    };
    let is = |flag: bool| flag.then_some(true);
    let params = SendParams {
        to: to.target.clone(),
        idempotency_key: Uuid::new_v4().to_string(),
        message: message.clone(),
        media_url,
        media_urls: None,
        buffer,
        filename,
        content_type: None,
        as_voice: None,
        gif_playback: is(args.gif_playback),
        channel: to.with.channel.clone(),
        account_id: to.with.account.clone(),
        agent_id: None,
        reply_to_id: args.reply_to.clone(),
        thread_id: args.thread_id.clone(),
        force_document: is(args.force_document),
        silent: is(args.silent),
        parse_mode: None,
        session_key: None,
    };
    let client = connection::connect(cx, &to.with.reach.target, to.with.reach.patience.limit()).await?;
    let sent = client.call::<Send>(&params).await?;
    client.close().await;
    let id = sent.get("messageId").and_then(Value::as_str).unwrap_or_default().to_owned();
    tell(cx, &to.with, &sent)?;
    if args.pin && !id.is_empty() {
        let channel = sent.get("channel").and_then(Value::as_str).map(str::to_owned);
        let reach = &to.with;
        return act(cx, "pin", channel, reach, json!({"target": to.target, "messageId": id})).await;
    }
    Ok(())
}

async fn poll(cx: &Cx, args: PollArgs) -> anyhow::Result<()> {
    let to = &args.to;
    let most = u64::try_from(args.poll_option.len()).unwrap_or(1);
    let hours = args.poll_duration_hours.map(|hours| hours.saturating_mul(HOUR));
    let params = PollParams {
        to: to.target.clone(),
        question: args.poll_question.clone(),
        options: args.poll_option.clone(),
        idempotency_key: Uuid::new_v4().to_string(),
        max_selections: Some(if args.poll_multi { most } else { 1 }),
        duration_seconds: args.poll_duration_seconds.or(hours).map(|seconds| seconds.min(MAX_POLL_SECONDS)),
        duration_hours: None,
        silent: args.silent.then_some(true),
        is_anonymous: match (args.poll_anonymous, args.poll_public) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        },
        thread_id: args.thread_id.clone(),
        channel: to.with.channel.clone(),
        account_id: to.with.account.clone(),
    };
    let client = connection::connect(cx, &to.with.reach.target, to.with.reach.patience.limit()).await?;
    let sent = client.call::<Poll>(&params).await?;
    client.close().await;
    tell(cx, &to.with, &sent)
}

async fn to_one(cx: &Cx, action: &str, to: &Whereto, mut fields: Value) -> anyhow::Result<()> {
    if let Some(fields) = fields.as_object_mut() {
        fields.insert("target".to_owned(), Value::String(to.target.clone()));
    }
    let named = to.target.split_once(':').map(|(name, _)| name);
    let named = named.and_then(homard_channels::entry).map(|entry| entry.id.to_owned());
    act(cx, action, named, &to.with, fields).await
}

async fn act(cx: &Cx, action: &str, named: Option<String>, with: &With, fields: Value) -> anyhow::Result<()> {
    let channel = with.channel.clone().or(named).or_else(|| first_platform(&fields));
    let Some(channel) = channel else {
        return Err(Advice::error(
            "nobody said on which platform",
            "write the target as telegram:123456789, or use --channel",
        ));
    };
    let mut own: Map<String, Value> = fields.as_object().cloned().unwrap_or_default();
    own.retain(|_, value| !value.is_null());
    own.insert("dryRun".to_owned(), Value::Bool(with.dry_run));
    let params = MessageActionParams {
        channel,
        action: action.to_owned(),
        params: own,
        idempotency_key: Uuid::new_v4().to_string(),
        reply: None,
        account_id: with.account.clone(),
        requester_account_id: None,
        requester_sender_id: None,
        sender_is_owner: None,
        session_key: None,
        session_id: None,
        inbound_turn_kind: None,
        agent_id: None,
        tool_context: None,
    };
    let client = connection::connect(cx, &with.reach.target, with.reach.patience.limit()).await?;
    let done = client.call::<MessageAction>(&params).await?;
    client.close().await;
    tell(cx, with, &done)
}

/// The platform the first target of a broadcast names.
fn first_platform(fields: &Value) -> Option<String> {
    let first = fields.get("targets")?.as_array()?.first()?.as_str()?;
    let (name, _) = first.split_once(':')?;
    homard_channels::entry(name).map(|entry| entry.id.to_owned())
}

fn is_address(place: &str) -> bool {
    place.starts_with("http://") || place.starts_with("https://")
}

/// A file of this machine: whoever can read it here may send it.
fn read(path: &str) -> anyhow::Result<(Vec<u8>, Option<String>)> {
    let bytes = std::fs::read(path).map_err(|error| {
        Advice::error(
            format!("{path} cannot be read: {error}"),
            "name a file of this machine, or an http(s) address",
        )
    })?;
    let name = std::path::Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    Ok((bytes, name))
}

fn tell(cx: &Cx, with: &With, done: &Value) -> anyhow::Result<()> {
    if with.reach.json {
        return Ok(cx.console.json(done)?);
    }
    for line in in_words(done) {
        cx.console.line(&cx.console.mark(if line.0 { Mark::Good } else { Mark::Bad }, &line.1))?;
    }
    Ok(())
}

/// What came of it, and whether that is good.
fn in_words(done: &Value) -> Vec<(bool, String)> {
    let text = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(results) = done.get("results").and_then(Value::as_array) {
        let row = |row: &Value| {
            let is_done = row.get("ok") == Some(&Value::Bool(true));
            let words = if is_done { "sent".to_owned() } else { text(row, "error") };
            (is_done, format!("{}: {words}", text(row, "target")))
        };
        return results.iter().map(row).collect();
    }
    let is = |key: &str| done.get(key) == Some(&Value::Bool(true));
    let to =
        [text(done, "chatId"), text(done, "to")].into_iter().find(|to| !to.is_empty()).unwrap_or_default();
    let id = text(done, "messageId");
    let id = if id.is_empty() { String::new() } else { format!(", message {id}") };
    let state = match (is("dryRun"), is("pending")) {
        (true, _) => "would go",
        (false, true) => "is kept and goes out later",
        (false, false) => "done",
    };
    vec![(true, format!("{} {to}: {state}{id}", text(done, "channel")))]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{first_platform, in_words};

    #[test]
    fn what_came_of_it_is_told_in_a_line_each() {
        let rows = [
            (json!({"channel": "irc", "chatId": "#a", "messageId": ""}), vec![(true, "irc #a: done")]),
            (
                json!({"channel": "telegram", "to": "1", "messageId": "7", "pending": true}),
                vec![(true, "telegram 1: is kept and goes out later, message 7")],
            ),
            (json!({"channel": "irc", "to": "#a", "dryRun": true}), vec![(true, "irc #a: would go")]),
            (
                json!({"results": [{"target": "a", "ok": true}, {"target": "b", "ok": false, "error": "no"}]}),
                vec![(true, "a: sent"), (false, "b: no")],
            ),
        ];
        for (done, expected) in rows {
            let told = in_words(&done);
            let told: Vec<(bool, &str)> = told.iter().map(|(good, words)| (*good, words.as_str())).collect();
            assert_eq!(told, expected, "{done}");
        }
        assert_eq!(first_platform(&json!({"targets": ["nobody:1"]})), None);
    }
}
