//! `send`, `poll` and `message.action`: writing to people on chat platforms.
//!
//! A repeated request gets the answer of the first while that is remembered, and after that the outbox knows its key.

use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_protocol::methods::channels::sending::{
    MAX_POLL_OPTIONS, MAX_POLL_SECONDS, MIN_POLL_OPTIONS, MessageActionParams, ParseMode, PollParams,
    SendParams,
};
use homard_protocol::{AgentId, RunId, SessionRef};
use homard_relay::{
    ActError, ActingFor, Action, ActionOutcome, FileForm, FileWanted, MessageAction, Place, PollDraft, Post,
    SendError, Writing,
};
use homard_tools::MessageArgs;
use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::error::{self, RequestError};
use crate::gateway::Gateway;
use crate::methods::check_range;
use crate::methods::session_key;
use crate::replay::{Turn, wait};
use crate::table::Cx;

/// Seconds in an hour.
const HOUR: u64 = 3_600;

/// `send`.
pub(crate) async fn send(cx: Cx, params: SendParams) -> Result<Value, RequestError> {
    let post = post_of(&params)?;
    let key = checked_key("send", &params.idempotency_key)?;
    let action = Action {
        deed: MessageAction::Send(post),
        to: Place {
            channel: params.channel,
            target: Some(params.to),
            account: params.account_id,
            thread: params.thread_id,
        },
        key: format!("send:{key}"),
        dry_run: false,
    };
    let acting = acting(&cx.gateway, params.agent_id.as_ref(), params.session_key.as_ref())?;
    once(&cx.gateway, &action.key.clone(), async {
        let acted = cx.gateway.relay().messages().act(action, &acting).await;
        acted.map(|acted| sent(&key, &acted)).map_err(|e| refusal(&e, "channel"))
    })
    .await
}

fn post_of(params: &SendParams) -> Result<Post, RequestError> {
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let places = filled(&params.media_url).into_iter().chain(params.media_urls.clone().unwrap_or_default());
    let mut files: Vec<FileWanted> = places.map(FileWanted::At).collect();
    if let Some(buffer) = filled(&params.buffer) {
        let data = buffer.split_once(";base64,").map_or(buffer.as_str(), |(_, data)| data);
        let bytes = STANDARD.decode(data.trim());
        let bytes = bytes.map_err(|error| {
            RequestError::invalid(format!("invalid send params: at /buffer: not base64: {error}"))
        })?;
        files.push(FileWanted::Bytes {
            bytes,
            name: params.filename.clone(),
            mime: params.content_type.clone(),
        });
    }
    let text = filled(&params.message);
    if text.is_none() && files.is_empty() {
        return Err(RequestError::invalid("invalid send params: text or media is required"));
    }
    let is = |flag: Option<bool>| flag == Some(true);
    let guise = match () {
        () if is(params.as_voice) => FileForm::Voice,
        () if is(params.force_document) => FileForm::Document,
        () if is(params.gif_playback) => FileForm::Animation,
        () => FileForm::Plain,
    };
    Ok(Post {
        text: text.unwrap_or_default(),
        writing: match params.parse_mode {
            Some(ParseMode::Html) => Writing::Tags,
            None => Writing::Markdown,
        },
        files,
        guise,
        buttons: Vec::new(),
        reply_to: filled(&params.reply_to_id),
        silent: is(params.silent),
    })
}

/// `poll`.
pub(crate) async fn poll(cx: Cx, params: PollParams) -> Result<Value, RequestError> {
    check_range("poll", "options", Some(params.options.len()), MIN_POLL_OPTIONS..=MAX_POLL_OPTIONS)?;
    let most = u64::try_from(MAX_POLL_OPTIONS).unwrap_or(u64::MAX);
    check_range("poll", "maxSelections", params.max_selections, 1..=most)?;
    check_range("poll", "durationSeconds", params.duration_seconds, 1..=MAX_POLL_SECONDS)?;
    check_range("poll", "durationHours", params.duration_hours, 1..=u64::MAX)?;
    let key = checked_key("poll", &params.idempotency_key)?;
    let hours = params.duration_hours.map(|hours| hours.saturating_mul(HOUR));
    let action = Action {
        deed: MessageAction::Poll(PollDraft {
            question: params.question,
            options: params.options,
            max_selections: params.max_selections.and_then(|n| u32::try_from(n).ok()).unwrap_or(1),
            open_seconds: params.duration_seconds.or(hours),
            anonymous: params.is_anonymous.unwrap_or(true),
            silent: params.silent == Some(true),
        }),
        to: Place {
            channel: params.channel,
            target: Some(params.to),
            account: params.account_id,
            thread: params.thread_id,
        },
        key: format!("poll:{key}"),
        dry_run: false,
    };
    let acting = acting(&cx.gateway, None, None)?;
    once(&cx.gateway, &action.key.clone(), async {
        let acted = cx.gateway.relay().messages().act(action, &acting).await;
        acted.map(|acted| sent(&key, &acted)).map_err(|e| refusal(&e, "poll channel"))
    })
    .await
}

/// `message.action`.
pub(crate) async fn action(cx: Cx, params: MessageActionParams) -> Result<Value, RequestError> {
    let MessageActionParams { channel, action, params: own, idempotency_key, .. } = &params;
    let unsupported =
        || RequestError::invalid(format!("Channel {channel} does not support action {action}."));
    let key = checked_key("message.action", idempotency_key)?;
    if cx.gateway.channels().entry(channel).is_none() {
        return Err(unsupported());
    }
    let wish = wish_of(channel, action, own, &params).map_err(|why| match why {
        Some(why) => RequestError::invalid(format!("invalid message.action params: at /params: {why}")),
        None => unsupported(),
    })?;
    let acting = ActingFor {
        gated: true,
        ..acting(&cx.gateway, params.agent_id.as_ref(), params.session_key.as_ref())?
    };
    let key = format!("action:{key}");
    once(&cx.gateway, &key, async {
        let acted = cx.gateway.relay().messages().act_as_wished(wish, &acting, &key).await;
        acted.map_err(|e| match e {
            ActError::UnknownChannel(_) => unsupported(),
            e => refusal(&e, "channel"),
        })
    })
    .await
}

/// The action's own parameters as the one shape all actions have; `None` when there is no such action.
fn wish_of(
    channel: &str,
    action: &str,
    own: &Map<String, Value>,
    params: &MessageActionParams,
) -> Result<MessageArgs, Option<String>> {
    let verb: Result<homard_tools::MessageVerb, _> = homard_runtime::json::from_value(json!(action));
    let verb = verb.map_err(|_unknown| None)?;
    let mut wish: MessageArgs = homard_runtime::json::from_value(Value::Object(own.clone()))
        .map_err(|error| Some(error.to_string()))?;
    wish.action = verb;
    wish.channel = Some(channel.to_owned());
    wish.account_id = params.account_id.clone().or(wish.account_id);
    let reply = params.reply.as_ref().and_then(|reply| reply.get("replyToId")).and_then(Value::as_str);
    wish.reply_to = wish.reply_to.or_else(|| reply.map(str::to_owned));
    Ok(wish)
}

/// On whose behalf: the conversation is looked up only to know where it is.
fn acting(
    gateway: &Gateway,
    agent: Option<&AgentId>,
    session: Option<&SessionRef>,
) -> Result<ActingFor, RequestError> {
    let config = gateway.config().current();
    let session = session.map(|key| session_key(gateway, key, agent)).transpose()?;
    let named = agent.cloned();
    let of_session = || session.as_ref().and_then(|key| key.agent_id().cloned());
    let agent = named.or_else(of_session).unwrap_or_else(|| config.agents.default_agent().id.clone());
    if config.agents.agent(&agent).is_none() {
        return Err(RequestError::invalid(format!("unknown agent id `{agent}`")));
    }
    // An operator may write to whomever they like, so the rules of one conversation do not bind them.
    Ok(ActingFor::operator(agent))
}

/// Does something once per key: whoever asks again meanwhile or soon after gets the same answer.
async fn once(
    gateway: &Gateway,
    key: &str,
    doing: impl Future<Output = Result<Value, RequestError>>,
) -> Result<Value, RequestError> {
    match gateway.http().tool_calls.enter(key, Instant::now()) {
        Turn::First(sender) => {
            let done = doing.await?;
            sender.send_replace(Some((StatusCode::OK, done.clone())));
            Ok(done)
        }
        Turn::Again(coming) => {
            let said = wait(coming).await.map(|(_, said)| said);
            said.ok_or_else(|| {
                RequestError::unavailable("the first request with this key came to nothing; try again")
            })
        }
    }
}

fn checked_key(method: &str, key: &str) -> Result<String, RequestError> {
    let key = RunId::parse(key.trim());
    let bad = |error| RequestError::invalid(format!("invalid {method} params: at /idempotencyKey: {error}"));
    key.map(|key| key.to_string()).map_err(bad)
}

fn sent(key: &str, acted: &ActionOutcome) -> Value {
    let mut told = json!({
        "runId": key,
        "messageId": acted.message_ids.last().cloned().unwrap_or_default(),
        "channel": acted.channel,
        "chatId": acted.to,
        "accountId": acted.account_id,
    });
    if let Some(fields) = told.as_object_mut() {
        fields.extend(acted.thread_id.clone().map(|thread| ("threadId".to_owned(), json!(thread))));
        fields.extend(acted.pending.then(|| ("pending".to_owned(), json!(true))));
    }
    told
}

/// Why it was not done, in the words clients know.
fn refusal(failure: &ActError, what: &str) -> RequestError {
    match failure {
        ActError::UnknownChannel(channel) => RequestError::invalid(format!("unsupported {what}: {channel}")),
        ActError::Store(inner) | ActError::Send(SendError::Store(inner)) => inner.into(),
        ActError::Send(_) => RequestError::unavailable(failure.to_string()),
        ActError::File(inner) => RequestError::invalid(error::chain(inner)),
        ActError::NoChannel
        | ActError::WhichChannel(_)
        | ActError::NoTarget
        | ActError::BadTarget(_)
        | ActError::Unsupported { .. }
        | ActError::TurnedOff { .. }
        | ActError::NotAllowed(_)
        | ActError::HeldBack(_)
        | ActError::Invalid(_) => RequestError::invalid(failure.to_string()),
    }
}

#[cfg(test)]
mod tests;
