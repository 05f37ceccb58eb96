//! `homard message`: writing to people on chat platforms, through the gateway. `args` is what can be typed, `heard` what
//! was said there.

mod args;
mod heard;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_protocol::methods::channels::sending::{
    MAX_POLL_SECONDS, MessageAction, MessageActionParams, Poll, PollParams, Send, SendParams,
};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::commands::Cx;

use crate::report::{Advice, Mark};
pub(crate) use args::MessageArgs;
use args::{MessageCommand, PollArgs, SendArgs, StickerCommand, ThreadCommand, Whereto, With};

/// Seconds in an hour.
const HOUR: u64 = 3_600;

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
        MessageCommand::Sticker(args) => {
            let StickerCommand::Send(args) = args.command;
            let fields = if is_address(&args.media) {
                json!({"media": args.media})
            } else {
                let (bytes, name) = read(&args.media)?;
                json!({"buffer": STANDARD.encode(bytes), "filename": name})
            };
            to_one(cx, "sticker", &args.to, fields).await
        }
        MessageCommand::Read(args) => heard::read(cx, *args).await,
        MessageCommand::Search(args) => heard::search(cx, *args).await,
    }
}

async fn send(cx: &Cx, args: SendArgs) -> anyhow::Result<()> {
    let SendArgs { to, message, media, .. } = &args;
    if to.with.dry_run {
        let fields = json!({"message": message, "media": media, "threadId": args.thread_id});
        return to_one(cx, "send", to, fields).await;
    }
    if let Some(buttons) = &args.buttons {
        let buttons: Value = serde_json::from_str(buttons).map_err(|error| {
            Advice::error(
                format!("--buttons is not JSON: {error}"),
                "write rows of buttons: '[[{\"text\":\"Yes\",\"callback_data\":\"yes\"}]]'",
            )
        })?;
        let fields = json!({
            "message": message, "buttons": buttons, "threadId": args.thread_id, "replyTo": args.reply_to,
            "silent": args.silent,
        });
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
        as_voice: is(args.as_voice),
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
    let client = to.with.reach.connect(cx).await?;
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
    let client = to.with.reach.connect(cx).await?;
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
    let client = with.reach.connect(cx).await?;
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
