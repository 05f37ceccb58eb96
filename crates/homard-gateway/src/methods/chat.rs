//! `chat.*`.

pub(crate) mod agent;
pub(crate) mod attached;
pub(crate) mod message;
mod origin;
mod since;
pub(crate) mod startup;

use std::ops::BitOr;

use homard_channel::Inbound;
use homard_protocol::events::SessionChange;
use homard_protocol::limits::{DEFAULT_HISTORY_LIMIT, MAX_HISTORY_BYTES, MAX_HISTORY_LIMIT, MAX_IMAGE_BYTES};
use homard_protocol::methods::chat::agent::{Agent, AgentWait, AgentsList};
use homard_protocol::methods::chat::message::ChatMessageGet;
use homard_protocol::methods::chat::startup::{ChatMetadata, ChatStartup, CommandsList};
use homard_protocol::methods::chat::{
    Attachment, ChatAbort, ChatAbortParams, ChatAbortResult, ChatHistory, ChatHistoryParams,
    ChatHistoryResult, ChatInject, ChatInjectParams, ChatInjectResult, ChatSend, ChatSendParams,
    ChatSendResult, InFlightRun, PendingInput, PendingInputs,
};
use homard_protocol::{
    EntryKind, Message, QueueMode, RunAnswer, RunId, Scope, SessionKey, StopCause, TurnSource, UserBlock,
};
use homard_relay::{Accepted, InlineSettings, Queue, RunView, TurnOptions};
use homard_runtime::Clip;
use homard_store::{PageEntry, PageQuery, SessionRecord};
use serde_json::{Map, Value, json};

use super::check_range;
use super::session_key;
use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::session_rows;
use crate::table::{Cx, MethodTable};

/// Longest text of one message in a history.
pub(crate) const MAX_MESSAGE_CHARS: u64 = 500_000;
/// How what was said beside the conversation is marked: commands and their answers.
const ASIDE: &str = "aside";
/// Longest label of an injected note.
const MAX_NOTE_LABEL: usize = 100;

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<Agent, _, _>(agent::agent)
        .on::<AgentWait, _, _>(agent::wait)
        .on::<AgentsList, _, _>(agent::list)
        .on::<ChatAbort, _, _>(abort)
        .on::<ChatHistory, _, _>(history)
        .on::<ChatInject, _, _>(inject)
        .on::<ChatMessageGet, _, _>(message::get)
        .on::<ChatMetadata, _, _>(startup::metadata)
        .on::<ChatSend, _, _>(send)
        .on::<ChatStartup, _, _>(startup::startup)
        .on::<CommandsList, _, _>(startup::list)
}

/// `chat.send`.
pub(super) async fn send(cx: Cx, params: ChatSendParams) -> Result<ChatSendResult, RequestError> {
    let gateway = &cx.gateway;
    let key = session_key(gateway, &params.session_key, params.agent_id.as_ref())?;
    let run_id = params.idempotency_key.clone();
    let attached = attached::take(gateway, params.attachments.as_deref().unwrap_or_default()).await?;
    if params.message.trim().is_empty() && attached.is_empty() {
        return Err(RequestError::invalid("message or attachment required"));
    }
    let to = origin::answered(gateway, &params, &key).await?;
    let quoted = origin::quoted(gateway, &params, &key, to.is_some()).await?;
    cx.caller.client.owns(run_id.clone());
    let interrupts = match &params.queue_mode {
        Some(mode) => mode.known() == Some(QueueMode::Interrupt),
        None => wants_interrupt(gateway, &key).await?,
    };
    let interrupted = interrupts && interrupt(gateway, &key, &run_id).await?;
    let text = format!("{}{}", quoted.unwrap_or_default(), attached.told(params.message));
    let message = operator_message(gateway, key, text, attached.blocks, run_id.to_string());
    let options = TurnOptions {
        settings: InlineSettings::asking(None, params.thinking),
        timeout_ms: params.timeout_ms,
        without_admin: cx.caller.check_scope(Scope::Admin).is_err(),
        is_plain_text: params.suppress_command_interpretation == Some(true),
        ..TurnOptions::of(TurnSource::Chat)
    };
    let queue = Queue::by_word(params.queue_mode.as_ref());
    let mut options = options.replying_to(to);
    if let Some(reply) = &mut options.reply {
        reply.message_id = params.reply_to_id;
    }
    let accepted = gateway.relay().accept(message, options, queue).await;
    let status = match accepted? {
        Accepted::Answered { .. } => RunAnswer::Ok,
        Accepted::Started { .. } => RunAnswer::Started,
        Accepted::InFlight { .. } => RunAnswer::InFlight,
        Accepted::Finished(record) => record.status.into(),
    };
    let interrupted_active_run = interrupted.then_some(true);
    Ok(ChatSendResult { run_id, status, interrupted_active_run })
}

/// Whether messages of a session stop what goes on in it. Where nothing does, nothing needs to be looked up.
async fn wants_interrupt(gateway: &Gateway, key: &SessionKey) -> Result<bool, RequestError> {
    let turns = gateway.relay().turns();
    if turns.active_ids(key).is_empty() {
        return Ok(false);
    }
    let session = gateway.store().sessions().get(key).await?;
    Ok(turns.operators_queue_mode(session.as_ref().map(|session| &session.entry)) == QueueMode::Interrupt)
}

/// Stops what a session does, so that a message comes next; tells whether there was anything. A repeated
/// message stops nothing.
async fn interrupt(gateway: &Gateway, key: &SessionKey, run_id: &RunId) -> Result<bool, RequestError> {
    if gateway.store().runs().get(run_id).await?.is_some() {
        return Ok(false);
    }
    Ok(!gateway.relay().abort(key, None, StopCause::Interrupt).await.run_ids.is_empty())
}

/// A message of the operator who is calling.
pub(super) fn operator_message(
    gateway: &Gateway,
    key: SessionKey,
    text: String,
    images: Vec<UserBlock>,
    message_id: String,
) -> Inbound {
    let now = gateway.clock().now_ms();
    Inbound { images, ..Inbound::from_operator(key, message_id, text, now) }
}

/// The attachments as blocks: pictures and documents. Other files are refused until their room is furnished.
pub(super) fn read_images(attachments: &[Attachment]) -> Result<Vec<UserBlock>, RequestError> {
    attachments.iter().map(read_attachment).collect()
}

/// What a file is and its bytes in base64, also where both are in a data URL.
pub(super) fn mime_and_data(attachment: &Attachment) -> (&str, &str) {
    let content = attachment.content.as_deref().unwrap_or_default();
    let (mime, data) = match content.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((mime, data)) => (Some(mime), data),
        None => (None, content),
    };
    (attachment.mime_type.as_deref().or(mime).unwrap_or_default(), data)
}

fn is_picture(mime_type: &str) -> bool {
    matches!(mime_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp")
}

/// Whether models can be shown files of this kind.
pub(super) fn is_for_models(mime_type: &str) -> bool {
    is_picture(mime_type)
        || mime_type.starts_with("text/")
        || matches!(mime_type, "application/pdf" | "application/json")
}

fn read_attachment(attachment: &Attachment) -> Result<UserBlock, RequestError> {
    let name = attachment.file_name.as_deref().unwrap_or("attachment");
    let (mime_type, data) = mime_and_data(attachment);
    if !is_for_models(mime_type) {
        return Err(RequestError::invalid(format!(
            "`{name}` cannot be attached: PNG, JPEG, GIF and WebP images, PDFs, text and JSON are accepted"
        )));
    }
    let bytes = u64::try_from(data.len()).unwrap_or(u64::MAX) / 4 * 3;
    if data.is_empty() || bytes > MAX_IMAGE_BYTES {
        return Err(RequestError::invalid(format!(
            "`{name}` is empty or larger than {MAX_IMAGE_BYTES} bytes"
        )));
    }
    use base64::Engine;
    if base64::engine::general_purpose::STANDARD.decode(data).is_err() {
        return Err(RequestError::invalid(format!("`{name}` is not valid base64")));
    }
    let (data, mime_type) = (data.to_owned(), mime_type.to_owned());
    Ok(match is_picture(&mime_type) {
        true => UserBlock::Image { data, mime_type },
        false => UserBlock::Document { data, mime_type, name: attachment.file_name.clone() },
    })
}

/// `chat.abort`.
pub(super) async fn abort(cx: Cx, params: ChatAbortParams) -> Result<ChatAbortResult, RequestError> {
    let key = session_key(&cx.gateway, &params.session_key, params.agent_id.as_ref())?;
    let only = params.run_id;
    let aborted = cx.gateway.relay().abort(&key, only.as_ref(), StopCause::Rpc).await;
    let run_ids = aborted.run_ids;
    if !run_ids.is_empty() {
        announce(&cx.gateway, &key, SessionChange::Abort).await?;
    }
    Ok(ChatAbortResult { ok: true, aborted: !run_ids.is_empty(), run_ids })
}

/// Tells watchers of the session list what became of a session.
pub(super) async fn announce(
    gateway: &Gateway,
    key: &SessionKey,
    reason: SessionChange,
) -> Result<(), RequestError> {
    if let Some(record) = gateway.store().sessions().get(key).await? {
        gateway.relay().sessions().announce_change(&record, reason);
    }
    Ok(())
}

/// `chat.inject`.
pub(super) async fn inject(cx: Cx, params: ChatInjectParams) -> Result<ChatInjectResult, RequestError> {
    let gateway = &cx.gateway;
    let label_chars = params.label.as_ref().map(|label| label.chars().count());
    check_range("chat.inject", "label", label_chars, 0..=MAX_NOTE_LABEL)?;
    let key = session_key(gateway, &params.session_key, params.agent_id.as_ref())?;
    let session = gateway.store().sessions().get(&key).await?;
    let Some(session) = session else { return Err(RequestError::invalid("session not found")) };
    let text = match params.label.as_deref().map(str::trim).filter(|label| !label.is_empty()) {
        Some(label) => format!("[{label}]\n\n{}", params.message),
        None => params.message,
    };
    let message_id = gateway.relay().sessions().inject(&session, text).await?;
    Ok(ChatInjectResult { ok: true, message_id })
}

/// `chat.history`.
pub(super) async fn history(cx: Cx, params: ChatHistoryParams) -> Result<ChatHistoryResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("chat.history", "limit", params.limit, 1..=MAX_HISTORY_LIMIT)?;
    check_range("chat.history", "maxBytes", params.max_bytes, 1_024..=u64::MAX)?;
    check_range("chat.history", "maxChars", params.max_chars, 1..=MAX_MESSAGE_CHARS)?;
    let key = session_key(gateway, &params.session_key, params.agent_id.as_ref())?;
    let record = gateway.store().sessions().get(&key).await?;
    let asked = params.session_id;
    let session_id = asked.or_else(|| record.as_ref().map(|record| record.session_id.clone()));
    let offset = params.offset.unwrap_or(0);
    let page = match &session_id {
        Some(id) => {
            let limit = params.limit.unwrap_or(DEFAULT_HISTORY_LIMIT);
            let query = PageQuery {
                limit: usize::try_from(limit).unwrap_or(1),
                before_seq: None,
                offset: usize::try_from(offset).unwrap_or(usize::MAX),
            };
            gateway.store().transcripts().page(id, query).await?
        }
        None => homard_store::Page::default(),
    };
    let max_chars = usize::try_from(params.max_chars.unwrap_or(MAX_MESSAGE_CHARS)).unwrap_or(usize::MAX);
    let max_bytes = params.max_bytes.and_then(|n| usize::try_from(n).ok()).unwrap_or(MAX_HISTORY_BYTES);
    let (messages, used, left_out) = fit(page.entries, max_chars, max_bytes.min(MAX_HISTORY_BYTES));
    let newest = if offset == 0 { since::cursor(session_id.as_ref(), &messages) } else { None };
    let has_more = (page.has_more || left_out) && params.cursor.is_none();
    let (kind, messages) = match params.cursor {
        None => (None, messages),
        Some(cursor) => since::answer(&cursor, session_id.as_ref(), messages),
    };
    let used = u64::try_from(used).unwrap_or(u64::MAX);
    let (pending_inputs, in_flight_run) = under_way(gateway.relay().turns().views(&key));
    Ok(ChatHistoryResult {
        delta_cursor: newest.filter(|_| kind != Some(since::RESET)),
        kind: kind.map(str::to_owned),
        session_id,
        messages,
        pending_inputs,
        has_more,
        next_offset: has_more.then(|| offset.saturating_add(used)),
        total_messages: page.total_messages,
        defaults: session_rows::defaults(gateway, Some(&key)),
        thinking_level: record.as_ref().and_then(|r| r.entry.thinking_level.clone()),
        verbose_level: record.as_ref().and_then(|r| r.entry.verbose_level.clone()),
        session_info: info(gateway, record.as_ref(), &key),
        session_key: key,
        in_flight_run,
    })
}

fn info(
    gateway: &Gateway,
    record: Option<&SessionRecord>,
    key: &SessionKey,
) -> homard_protocol::session_row::SessionRow {
    record.map_or_else(|| session_rows::empty_row(gateway, key), |record| session_rows::row(gateway, record))
}

/// What waits, and what is being said.
fn under_way(views: Vec<RunView>) -> (PendingInputs, Option<InFlightRun>) {
    let mut pending = PendingInputs::default();
    let mut in_flight = None;
    for view in views {
        let run_id = view.run_id;
        match view.text {
            Some(text) => in_flight = Some(InFlightRun { run_id, text }),
            None => pending.items.push(PendingInput { run_id, text: view.asked }),
        }
    }
    pending.total = u64::try_from(pending.items.len()).unwrap_or(u64::MAX);
    (pending, in_flight)
}

/// The newest messages that fit, oldest first; how many entries that took; and whether some did not fit.
pub(crate) fn fit(entries: Vec<PageEntry>, max_chars: usize, max_bytes: usize) -> (Vec<Value>, usize, bool) {
    let mut room = max_bytes;
    let mut kept = Vec::with_capacity(entries.len());
    let (mut used, mut left_out) = (0, false);
    for place in entries.into_iter().rev() {
        let Some(message) = shown(place, max_chars) else {
            used += 1;
            continue;
        };
        let size = message.to_string().len();
        if size > room && !kept.is_empty() {
            left_out = true;
            break;
        }
        room = room.saturating_sub(size);
        used += 1;
        kept.push(message);
    }
    kept.reverse();
    name_runs(&mut kept);
    (kept, used, left_out)
}

/// Writes down which run each answer belongs to: that of the last question before it. A command and its answer may stand
/// between a question and its answer.
fn name_runs(messages: &mut [Value]) {
    let (said, asides): (Vec<_>, Vec<_>) = messages.iter_mut().partition(|message| !is_aside(message));
    name_each(said);
    name_each(asides);
}

fn is_aside(message: &Value) -> bool {
    message.pointer("/__openclaw/kind").and_then(Value::as_str) == Some(ASIDE)
}

fn name_each(messages: Vec<&mut Value>) {
    let mut run: Option<String> = None;
    for message in messages {
        if message.get("role").and_then(Value::as_str) == Some("user") {
            let key = message.get("idempotencyKey").and_then(Value::as_str);
            if key.is_some_and(|key| key.ends_with(":steer")) {
                // Said into a run under way: the answers stay that run's.
                continue;
            }
            run = key.and_then(|key| key.strip_suffix(":user")).map(str::to_owned);
        } else if let (Some(run), Some(mark)) =
            (&run, message.get_mut("__openclaw").and_then(Value::as_object_mut))
        {
            mark.insert("runId".to_owned(), json!(run));
        }
    }
}

/// One entry as clients read it, with its id and place under `__openclaw`.
pub(super) fn shown(place: PageEntry, max_chars: usize) -> Option<Value> {
    let entry = place.entry;
    let mut mark = Map::from_iter([("id".to_owned(), json!(entry.id)), ("seq".to_owned(), json!(place.seq))]);
    let at = entry.timestamp.parse().map_or(0, jiff::Timestamp::as_millisecond);
    let mut message = match entry.kind {
        EntryKind::Message { message } => {
            if let Some(sender) = sender(&message) {
                mark.insert("senderLabel".to_owned(), json!(sender));
            }
            as_written(serde_json::to_value(message).ok()?)
        }
        EntryKind::Aside { message } => {
            mark.insert("kind".to_owned(), json!(ASIDE));
            serde_json::to_value(message).ok()?
        }
        EntryKind::Compaction { summary, tokens_before, .. } => {
            mark.insert("kind".to_owned(), json!("compaction"));
            mark.insert("tokensBefore".to_owned(), json!(tokens_before));
            json!({"role": "system", "content": [{"type": "text", "text": summary}], "timestamp": at})
        }
        EntryKind::CustomMessage { content, display: true, .. } => {
            json!({"role": "system", "content": content, "timestamp": at})
        }
        _ => return None,
    };
    if shorten(&mut message, max_chars) {
        mark.insert("truncated".to_owned(), json!(true));
    }
    message.as_object_mut()?.insert("__openclaw".to_owned(), Value::Object(mark));
    Some(message)
}

/// Who wrote a message that came through a channel.
fn sender(message: &Message) -> Option<String> {
    let Message::User(said) = message else { return None };
    homard_policy::envelope::written_by(&said.content.text())
}

/// A person's message as they wrote it, without what the model was told around it.
fn as_written(mut message: Value) -> Value {
    let is_user = message.get("role").and_then(Value::as_str) == Some("user");
    if let Some(content) = message.get_mut("content").filter(|_| is_user) {
        let texts = match content {
            Value::Array(blocks) => blocks.iter_mut().filter_map(|block| block.get_mut("text")).collect(),
            text => vec![text],
        };
        for text in texts {
            if let Value::String(text) = text {
                *text = homard_policy::envelope::shown(text);
            }
        }
    }
    message
}

/// Cuts texts longer than `max_chars`; tells whether it did.
fn shorten(value: &mut Value, max_chars: usize) -> bool {
    match value {
        Value::String(text) if text.len() > max_chars => {
            let end = text.clip_chars(max_chars).len();
            if end == text.len() {
                return false;
            }
            text.truncate(end);
            text.push_str("\n[… cut; open the message to read all of it …]");
            true
        }
        Value::Array(items) => {
            items.iter_mut().map(|item| shorten(item, max_chars)).fold(false, BitOr::bitor)
        }
        Value::Object(fields) => {
            fields.values_mut().map(|field| shorten(field, max_chars)).fold(false, BitOr::bitor)
        }
        _ => false,
    }
}
