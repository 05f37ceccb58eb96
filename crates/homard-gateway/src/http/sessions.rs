//! Conversations over HTTP: what was said, as a page or as it is said, and stopping what runs.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::FutureExt;
use homard_protocol::limits::{DEFAULT_HISTORY_LIMIT, MAX_HISTORY_BYTES, MAX_HISTORY_LIMIT};
use homard_protocol::{AgentId, ConnId, Role, Scope, ScopeSet, SessionId, SessionKey, StopCause};
use homard_store::{PageQuery, SessionRecord, StoreError};
use http::header::ACCEPT;
use http::{HeaderMap, Method, Request, StatusCode};
use hyper::body::Incoming;
use serde_json::{Value, json};

use super::routes::{RouteCx, RouteEntry, RouteGuard, RouteMethods};
use super::{auth, folder};
use crate::access::auth::SharedAuth;
use crate::access::origin::Peer;
use crate::connections::fanout::{Batch, Client, ClientCaps};
use crate::gateway::Gateway;
use crate::methods::chat::{MAX_MESSAGE_CHARS, fit};
use homard_http::answers::{Answer, events, json_answer, method_not_allowed, missing_scope, text};

/// Where conversations are.
const PREFIX: &str = "/sessions/";
/// The header by which callers who proved who they are name what they may do.
const SCOPES_HEADER: &str = "x-openclaw-scopes";

/// Conversations.
pub(super) const ENTRY: RouteEntry = RouteEntry {
    reserved: &[],
    methods: RouteMethods::Own,
    guard: RouteGuard::Guarded,
    owns: |_known, path| owned(path).is_some(),
    answer: |cx| answer(cx).boxed(),
};

/// What a path asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SessionsRoute {
    History(String),
    /// That its runs end.
    Kill(String),
}

/// Whether `path` is about a conversation.
fn owned(path: &str) -> Option<SessionsRoute> {
    let (key, what) = path.strip_prefix(PREFIX)?.rsplit_once('/')?;
    if key.is_empty() || key.contains('/') {
        return None;
    }
    match what {
        "history" => Some(SessionsRoute::History(key.to_owned())),
        "kill" => Some(SessionsRoute::Kill(key.to_owned())),
        _ => None,
    }
}

/// Answers it.
async fn answer(cx: RouteCx<'_>) -> Answer {
    let Some(wanted) = owned(cx.path()) else { return text(StatusCode::NOT_FOUND, "Not Found") };
    let RouteCx { gateway, request, peer } = cx;
    match wanted {
        SessionsRoute::History(_) if !matches!(*request.method(), Method::GET | Method::HEAD) => {
            method_not_allowed("GET, HEAD")
        }
        SessionsRoute::Kill(_) if *request.method() != Method::POST => method_not_allowed("POST"),
        SessionsRoute::History(key) => history(gateway, &request, peer, &key).await,
        SessionsRoute::Kill(key) => kill(gateway, request.headers(), peer, &key).await,
    }
}

/// Part of a conversation that somebody wants to see.
#[derive(Debug, Clone)]
struct View {
    key: SessionKey,
    limit: usize,
    before: Option<i64>,
}

impl View {
    fn read(gateway: &Gateway, key: &str, query: &str) -> Result<Self, String> {
        let (mut limit, mut before, mut agent) = (DEFAULT_HISTORY_LIMIT, None, None);
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "limit" => {
                    let asked = value.parse().ok().filter(|limit| (1..=MAX_HISTORY_LIMIT).contains(limit));
                    limit = asked.ok_or(format!("limit must be between 1 and {MAX_HISTORY_LIMIT}"))?;
                }
                "cursor" => {
                    let place =
                        value.strip_prefix("seq:").unwrap_or(&value).parse().ok().filter(|at| *at > 0);
                    before = Some(place.ok_or("cursor is not one of ours")?);
                }
                "agentId" => agent = Some(AgentId::parse(&value).map_err(|wrong| wrong.to_string())?),
                _other => {}
            }
        }
        let agent = agent.unwrap_or_else(|| gateway.config().current().agents.default_agent().id.clone());
        let key = folder::decoded(key).ok_or("the session key is not spelled right")?;
        let key = SessionKey::parse_for(&key, &agent).map_err(|wrong| wrong.to_string())?;
        Ok(Self { key, limit: usize::try_from(limit).unwrap_or(1), before })
    }

    /// The page as it stands, and its newest place.
    async fn page(&self, gateway: &Gateway, session: &SessionId) -> Result<(Value, i64), StoreError> {
        let query = PageQuery { limit: self.limit, before_seq: self.before, offset: 0 };
        let page = gateway.store().transcripts().page(session, query).await?;
        let newest = page.entries.last().map_or(0, |entry| entry.seq);
        let max_chars = usize::try_from(MAX_MESSAGE_CHARS).unwrap_or(usize::MAX);
        let (messages, _, left_out) = fit(page.entries, max_chars, MAX_HISTORY_BYTES);
        let has_more = page.has_more || left_out;
        let oldest = messages.first().and_then(seq_of).filter(|_| has_more);
        let mut body = json!({
            "sessionKey": self.key.to_string(),
            "items": messages,
            "messages": messages,
            "hasMore": has_more,
        });
        if let (Some(oldest), Some(fields)) = (oldest, body.as_object_mut()) {
            fields.insert("nextCursor".to_owned(), json!(oldest.to_string()));
        }
        Ok((body, newest))
    }

    /// What was said after a place, oldest first.
    async fn after(
        &self,
        gateway: &Gateway,
        session: &SessionId,
        place: i64,
    ) -> Result<(Vec<Value>, i64), StoreError> {
        let page = gateway.store().transcripts().page(session, PageQuery::default()).await?;
        let entries: Vec<_> = page.entries.into_iter().filter(|entry| entry.seq > place).collect();
        let newest = entries.last().map_or(place, |entry| entry.seq);
        let max_chars = usize::try_from(MAX_MESSAGE_CHARS).unwrap_or(usize::MAX);
        let (messages, _, _) = fit(entries, max_chars, MAX_HISTORY_BYTES);
        Ok((messages, newest))
    }
}

fn seq_of(message: &Value) -> Option<i64> {
    message.pointer("/__openclaw/seq")?.as_i64()
}

async fn history(gateway: &Arc<Gateway>, request: &Request<Incoming>, peer: &Peer, key: &str) -> Answer {
    if let Err(refused) = auth::check(gateway, request.headers(), peer, Scope::Read) {
        return *refused;
    }
    let view = match View::read(gateway, key, request.uri().query().unwrap_or_default()) {
        Ok(view) => view,
        Err(wrong) => return failed(StatusCode::BAD_REQUEST, "invalid_request_error", &wrong),
    };
    let session = match gateway.store().sessions().get(&view.key).await {
        Ok(Some(session)) => session,
        Ok(None) => return unknown(&view.key),
        Err(error) => return not_read(&error),
    };
    let first = match view.page(gateway, &session.session_id).await {
        Ok(page) => page,
        Err(error) => return not_read(&error),
    };
    let accept = request.headers().get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept.contains("text/event-stream") && *request.method() == Method::GET {
        return stream(gateway, view, session, first);
    }
    json_answer(StatusCode::OK, &first.0)
}

/// Sends the page, and what is said from then on. It listens as a client does, and so is cut off as one when it does
/// not read.
fn stream(gateway: &Arc<Gateway>, view: View, session: SessionRecord, first: (Value, i64)) -> Answer {
    let (sender, answer) = events();
    let Ok(conn) = ConnId::parse(&format!("http-{}", uuid::Uuid::new_v4())) else { return answer };
    let scopes = ScopeSet::from_iter([Scope::Read]);
    let client = Arc::new(Client::new(conn.clone(), Role::Operator, scopes, None, ClientCaps::default()));
    client.sessions_subscribed.store(true, std::sync::atomic::Ordering::Relaxed);
    gateway.connections().clients.add(Arc::clone(&client));
    let here = Arc::clone(gateway);
    gateway.connections().sockets.spawn(async move {
        let (page, place) = first;
        let mut told = LastTold { session: session.session_id, place };
        let mut is_open = sender.send(event("history", &page)).await.is_ok();
        // What was said between reading the page and listening.
        for words in told.news(&here, &view).await {
            is_open = is_open && sender.send(words).await.is_ok();
        }
        while is_open {
            let batch = tokio::select! {
                batch = client.next_batch() => batch,
                () = sender.closed() => break,
                () = here.lifecycle().stopping.cancelled() => break,
            };
            let Batch::Frames(frames) = batch else { break };
            let wanted = view.key.to_string();
            if frames.iter().any(|frame| is_news(frame, &wanted)) {
                for words in told.news(&here, &view).await {
                    is_open = is_open && sender.send(words).await.is_ok();
                }
            }
        }
        here.connections().clients.remove(&conn);
    });
    answer
}

/// Whether an event may mean that something was said here.
fn is_news(frame: &str, key: &str) -> bool {
    let Ok(frame) = serde_json::from_str::<Value>(frame) else { return false };
    let name = frame.get("event").and_then(Value::as_str);
    let payload = frame.get("payload");
    let of = payload.and_then(|payload| payload.get("sessionKey")).and_then(Value::as_str);
    let state = payload.and_then(|payload| payload.get("state")).and_then(Value::as_str);
    of == Some(key) && (name == Some("sessions.changed") || (name == Some("chat") && state != Some("delta")))
}

/// What a listener was told last.
struct LastTold {
    session: SessionId,
    place: i64,
}

impl LastTold {
    /// What there is to tell since: messages, or everything when the conversation began anew.
    async fn news(&mut self, gateway: &Gateway, view: &View) -> Vec<Bytes> {
        let Ok(Some(session)) = gateway.store().sessions().get(&view.key).await else { return Vec::new() };
        if session.session_id != self.session || view.before.is_some() {
            self.session = session.session_id;
            let Ok((page, place)) = view.page(gateway, &self.session).await else { return Vec::new() };
            self.place = place;
            return vec![event("history", &page)];
        }
        let Ok((messages, place)) = view.after(gateway, &self.session, self.place).await else {
            return Vec::new();
        };
        self.place = place;
        let key = view.key.to_string();
        let told = |message: &Value| {
            let body = json!({"sessionKey": key, "message": message, "messageSeq": seq_of(message)});
            event("message", &body)
        };
        messages.iter().map(told).collect()
    }
}

fn event(name: &str, body: &Value) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {body}\n\n"))
}

async fn kill(gateway: &Arc<Gateway>, headers: &HeaderMap, peer: &Peer, key: &str) -> Answer {
    if let Err(refused) = auth::check(gateway, headers, peer, Scope::Read) {
        return *refused;
    }
    // A secret that many share says nothing about who sends; only a caller who is known may end what others began.
    if !matches!(gateway.access().rules().auth, SharedAuth::None) || !claimed(headers).grants(Scope::Admin) {
        return missing_scope(Scope::Admin.as_str());
    }
    let view = match View::read(gateway, key, "") {
        Ok(view) => view,
        Err(wrong) => return failed(StatusCode::BAD_REQUEST, "invalid_request_error", &wrong),
    };
    match gateway.store().sessions().get(&view.key).await {
        Ok(Some(_)) => {}
        Ok(None) => return unknown(&view.key),
        Err(error) => return not_read(&error),
    }
    let aborted = gateway.relay().abort(&view.key, None, StopCause::Http).await;
    json_answer(StatusCode::OK, &json!({"ok": true, "killed": !aborted.run_ids.is_empty()}))
}

fn claimed(headers: &HeaderMap) -> ScopeSet {
    let said = headers.get(SCOPES_HEADER).and_then(|value| value.to_str().ok()).unwrap_or_default();
    ScopeSet::parse(said.split(',').map(str::trim))
}

fn failed(status: StatusCode, kind: &str, message: &str) -> Answer {
    json_answer(status, &json!({"ok": false, "error": {"type": kind, "message": message}}))
}

fn unknown(key: &SessionKey) -> Answer {
    failed(StatusCode::NOT_FOUND, "not_found", &format!("Session not found: {key}"))
}

fn not_read(error: &StoreError) -> Answer {
    tracing::error!(%error, "a conversation could not be read for an HTTP request");
    failed(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "the conversation cannot be read now")
}

#[cfg(test)]
mod tests {
    use super::{SessionsRoute, is_news, owned};

    #[test]
    fn only_the_two_paths_of_a_conversation_are_taken() {
        let rows = [
            (
                "/sessions/agent%3Amain%3Amain/history",
                Some(SessionsRoute::History("agent%3Amain%3Amain".to_owned())),
            ),
            ("/sessions/main/kill", Some(SessionsRoute::Kill("main".to_owned()))),
            ("/sessions", None),
            ("/sessions/", None),
            ("/sessions/main", None),
            ("/sessions//history", None),
            ("/sessions/a/b/history", None),
            ("/sessions/main/history/", None),
        ];
        for (path, expected) in rows {
            assert_eq!(owned(path), expected, "{path}");
        }
    }

    #[test]
    fn news_are_the_ends_of_turns_and_changes_of_the_same_conversation() {
        let frame = |name: &str, key: &str, state: &str| {
            format!(
                r#"{{"type":"event","event":"{name}","payload":{{"sessionKey":"{key}","state":"{state}"}}}}"#
            )
        };
        for (name, key, state, expected) in [
            ("chat", "k", "final", true),
            ("chat", "k", "error", true),
            ("chat", "k", "delta", false),
            ("chat", "other", "final", false),
            ("sessions.changed", "k", "", true),
            ("tick", "k", "final", false),
        ] {
            assert_eq!(is_news(&frame(name, key, state), "k"), expected, "{name} {key} {state}");
        }
        assert!(!is_news("not json", "k"));
    }
}
