//! `sessions.create`, `.send`, `.steer`, `.abort` and `.get`.

use homard_protocol::events::SessionChange;
use homard_protocol::methods::chat::ChatSendResult;
use homard_protocol::methods::sessions::MAX_LABEL_CHARS;
use homard_protocol::methods::sessions::commands::{
    DEFAULT_GET_LIMIT, MAX_DISPLAY_NAME_CHARS, MAX_GET_LIMIT, SessionsAbortParams, SessionsAbortResult,
    SessionsAbortStatus, SessionsCreateParams, SessionsCreateResult, SessionsGetParams, SessionsGetResult,
    SessionsSendParams,
};
use homard_protocol::{ModelRef, QueueMode, SessionKey, SessionRef, StopCause, ThinkingLevel, Word};
use homard_runtime::hex;
use homard_store::{PageQuery, SessionEntry};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::chat::{self, announce, shown};
use crate::methods::check_range;
use crate::methods::session_key;
use crate::methods::sessions::patch::{check_settings, usable_model};
use crate::methods::sessions::{entry_value, resolved};
use crate::table::{Cx, parse_params};

/// Longest text of one message of `sessions.get`.
const MAX_CHARS: usize = 500_000;
/// Who is said to have made a session here.
const CREATED_VIA: &str = "operator";

/// `sessions.create`.
pub(crate) async fn create(
    cx: Cx,
    params: SessionsCreateParams,
) -> Result<SessionsCreateResult, RequestError> {
    let gateway = &cx.gateway;
    refuse_what_is_not_here(&params)?;
    let key = key_for(gateway, &params)?;
    let first = first_message(&params);
    let wanted = NewSessionSettings::read(gateway, &params)?;
    let record = gateway.store().sessions().patch(&key, move |entry| wanted.apply(entry)).await?;
    gateway.relay().sessions().announce_change(&record, SessionChange::Create);
    let mut result = SessionsCreateResult {
        ok: true,
        key: key.clone(),
        session_id: record.session_id.clone(),
        entry: entry_value(&record),
        run_started: false,
        run_id: None,
        run_error: None,
        resolved: resolved(gateway, &record),
    };
    if let Some(message) = first {
        let run_id = params.idempotency_key.unwrap_or_else(|| Uuid::new_v4().into());
        let send = SessionsSendParams {
            key: SessionRef::from(&key),
            message,
            attachments: params.attachments,
            timeout_ms: params.timeout_ms,
            idempotency_key: Some(run_id.clone()),
            ..SessionsSendParams::default()
        };
        // The session is there whatever becomes of its first message.
        match say(cx, send, None).await {
            Ok(_sent) => (result.run_started, result.run_id) = (true, Some(run_id)),
            Err(error) => result.run_error = serde_json::to_value(error.into_shape()).ok(),
        }
    }
    Ok(result)
}

/// Says no to what this gateway does not have, where going on without it would not be what was asked for.
fn refuse_what_is_not_here(params: &SessionsCreateParams) -> Result<(), RequestError> {
    let said = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let refused = [
        (params.incognito == Some(true), "incognito", "every conversation is kept"),
        (params.fork == Some(true), "fork", "use sessions.fork"),
        (said(&params.catalog_id), "catalogId", "there are no other catalogues"),
        (params.tool_overrides.is_some(), "toolOverrides", "tools are chosen by policy"),
        (params.worktree == Some(true), "worktree", "there are no managed working copies"),
        (params.repository.is_some(), "repository", "there are no managed working copies"),
        (said(&params.project_git_url), "projectGitUrl", "there are no projects"),
        (said(&params.project_id), "projectId", "there are no projects"),
        (said(&params.cwd), "cwd", "agents work in their workspace"),
    ];
    match refused.into_iter().find(|(asked, ..)| *asked) {
        Some((_, field, why)) => Err(RequestError::invalid(format!("{field} is not available here: {why}"))),
        None => Ok(()),
    }
}

/// The key a new session gets. A repeated request means the same one.
fn key_for(gateway: &Gateway, params: &SessionsCreateParams) -> Result<SessionKey, RequestError> {
    let config = gateway.config().current();
    if let Some(id) = params.agent_id.as_ref().filter(|id| config.agents.agent(id).is_none()) {
        return Err(RequestError::invalid(format!("unknown agent id \"{id}\"")));
    }
    let name = match (&params.key, &params.idempotency_key) {
        (Some(key), _) => key.clone(),
        (None, Some(once)) => {
            let digest = Sha256::digest(once.as_str().as_bytes());
            let hex = hex(digest.iter().take(16));
            format!("dashboard:{hex}").into()
        }
        (None, None) => format!("dashboard:{}", Uuid::new_v4()).into(),
    };
    let key = session_key(gateway, &name, params.agent_id.as_ref())?;
    if let Some(id) = key.agent_id().filter(|id| config.agents.agent(id).is_none()) {
        return Err(RequestError::invalid(format!("unknown agent id \"{id}\"")));
    }
    Ok(key)
}

/// What is said first; files may come without words.
fn first_message(params: &SessionsCreateParams) -> Option<String> {
    let message = params.message.as_ref().or(params.task.as_ref());
    let has_files = params.attachments.as_ref().is_some_and(|files| !files.is_empty());
    message.filter(|text| !text.trim().is_empty()).cloned().or_else(|| has_files.then(String::new))
}

/// What a new session is given, checked.
struct NewSessionSettings {
    label: Option<String>,
    display_name: Option<String>,
    category: Option<String>,
    model: Option<ModelRef>,
    thinking_level: Option<Word<ThinkingLevel>>,
    exec_node: Option<String>,
    parent: Option<String>,
    spawn_depth: Option<u32>,
}

impl NewSessionSettings {
    fn read(gateway: &Gateway, params: &SessionsCreateParams) -> Result<Self, RequestError> {
        let length = |text: &Option<String>| text.as_ref().map(|text| text.chars().count());
        check_range("sessions.create", "label", length(&params.label), 1..=MAX_LABEL_CHARS)?;
        check_range("sessions.create", "category", length(&params.category), 1..=MAX_LABEL_CHARS)?;
        check_range(
            "sessions.create",
            "displayName",
            length(&params.display_name),
            1..=MAX_DISPLAY_NAME_CHARS,
        )?;
        let level = params.thinking_level.as_ref().map(|level| ("thinkingLevel".to_owned(), json!(level)));
        check_settings(gateway, &Map::from_iter(level))?;
        let parent = params.parent_session_key.as_ref();
        let parent = parent.map(|key| session_key(gateway, key, params.agent_id.as_ref())).transpose()?;
        Ok(Self {
            label: params.label.clone(),
            display_name: params.display_name.clone(),
            category: params.category.clone(),
            model: params.model.as_deref().map(|model| usable_model(gateway, model)).transpose()?,
            thinking_level: params.thinking_level.clone(),
            exec_node: params.exec_node.clone(),
            parent: parent.map(|key| key.to_string()),
            spawn_depth: params.spawn_depth,
        })
    }

    /// What was not asked for stays as it is: the session may be there already.
    fn apply(self, entry: &mut SessionEntry) {
        let set = |field: &mut Option<String>, wanted: Option<String>| {
            if wanted.is_some() {
                *field = wanted;
            }
        };
        set(&mut entry.label, self.label);
        set(&mut entry.display_name, self.display_name);
        set(&mut entry.category, self.category);
        entry.thinking_level = self.thinking_level.or(entry.thinking_level.take());
        set(&mut entry.exec_node, self.exec_node);
        set(&mut entry.parent_session_key, self.parent);
        entry.spawn_depth = self.spawn_depth.or(entry.spawn_depth);
        entry.created_via.get_or_insert_with(|| CREATED_VIA.to_owned());
        if self.model.is_some() {
            entry.choose_model(self.model.as_ref());
        }
    }
}

/// `sessions.send`.
pub(crate) async fn send(cx: Cx, params: SessionsSendParams) -> Result<ChatSendResult, RequestError> {
    say(cx, params, None).await
}

/// `sessions.steer`.
pub(crate) async fn steer(cx: Cx, params: SessionsSendParams) -> Result<ChatSendResult, RequestError> {
    say(cx, params, Some(QueueMode::Interrupt)).await
}

async fn say(
    cx: Cx,
    params: SessionsSendParams,
    mode: Option<QueueMode>,
) -> Result<ChatSendResult, RequestError> {
    let idempotency_key = params.idempotency_key.unwrap_or_else(|| Uuid::new_v4().into());
    let mut asked = json!({
        "sessionKey": params.key, "message": params.message, "idempotencyKey": idempotency_key,
    });
    let optional = [
        ("agentId", params.agent_id.map(|id| json!(id))),
        ("thinking", params.thinking.map(|level| json!(level))),
        ("timeoutMs", params.timeout_ms.map(Value::from)),
        ("queueMode", mode.map(|mode| json!(mode))),
        ("attachments", params.attachments.and_then(|files| serde_json::to_value(files).ok())),
    ];
    if let Some(asked) = asked.as_object_mut() {
        asked.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    }
    chat::send(cx, parse_params("sessions.send", &asked.to_string())?).await
}

/// `sessions.abort`.
pub(crate) async fn abort(cx: Cx, params: SessionsAbortParams) -> Result<SessionsAbortResult, RequestError> {
    let gateway = &cx.gateway;
    let run = params.run_id;
    let named = params.key.as_ref().map(|key| session_key(gateway, key, params.agent_id.as_ref()));
    let key = match (named.transpose()?, &run) {
        (Some(key), _) => Some(key),
        (None, Some(run)) => gateway.relay().turns().session_of(run),
        (None, None) => return Err(RequestError::invalid("key or runId is required")),
    };
    let stopped = match &key {
        Some(key) => gateway.relay().abort(key, run.as_ref(), StopCause::Rpc).await.run_ids,
        None => Vec::new(),
    };
    if let (Some(key), false) = (&key, stopped.is_empty()) {
        announce(gateway, key, SessionChange::Abort).await?;
    }
    let status =
        if stopped.is_empty() { SessionsAbortStatus::NoActiveRun } else { SessionsAbortStatus::Aborted };
    let aborted_run_id = stopped.first().cloned();
    Ok(SessionsAbortResult { ok: true, aborted_run_id, status })
}

/// `sessions.get`.
pub(crate) async fn get(cx: Cx, params: SessionsGetParams) -> Result<SessionsGetResult, RequestError> {
    let gateway = &cx.gateway;
    check_range("sessions.get", "limit", params.limit, 1..=MAX_GET_LIMIT)?;
    let named = params.key.as_ref().or(params.session_key.as_ref());
    let named = named.ok_or_else(|| RequestError::invalid("key is required"))?;
    let key = session_key(gateway, named, params.agent_id.as_ref())?;
    let Some(record) = gateway.store().sessions().get(&key).await? else {
        return Ok(SessionsGetResult::default());
    };
    let limit = usize::try_from(params.limit.unwrap_or(DEFAULT_GET_LIMIT)).unwrap_or(1);
    let query = PageQuery { limit, ..PageQuery::default() };
    let page = gateway.store().transcripts().page(&record.session_id, query).await?;
    let messages = page.entries.into_iter().filter_map(|place| shown(place, MAX_CHARS)).collect();
    Ok(SessionsGetResult { messages })
}
