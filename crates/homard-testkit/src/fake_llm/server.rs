//! The road of one request: read, judged, answered, recorded.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::stream;
use http::{Method, StatusCode, header};
use serde_json::{Value, json};

use super::bedrock::signature;
use super::desk::{Recorded, Settings, Shared};
use super::dialect::{Api, Dialect};
use super::embeddings::Route;
use super::incoming::{OpenTurn, Outline, PlannedTool, control, tool_control};
use super::log::{LogLine, now_ns};
use super::ollama;
use super::script::{Broken, Speech, Step, Turn, WrittenTurn, broken, gated, numbered, run_out, spoken};
use super::strict;

/// Largest body read.
const MAX_BODY: usize = 64 * 1024 * 1024;
/// Rough size of a token.
const BYTES_PER_TOKEN: usize = 4;
const JSON: &str = "application/json";
const PAGE: &str = "<!doctype html><html><head><title>Welcome to the hotel network</title></head><body>Log in.</body></html>";

/// Every path leads to one handler, because providers put their API under prefixes of their own.
pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new().fallback(handle).with_state(shared)
}

async fn handle(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let arrived = now_ns();
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        return document(StatusCode::PAYLOAD_TOO_LARGE, &json!({"error": {"message": "body too large"}}));
    };
    let path = head.uri.path();
    match (path, Api::at(path)) {
        ("/_ctl", _) => settings(&shared, &head.method, &body),
        ("/_script", _) => script(&shared, &body),
        ("/_log", _) => log(&shared, head.uri.query().unwrap_or_default()),
        (path, _) if path.ends_with("/models") => document(
            StatusCode::OK,
            &json!({"object": "list", "data": [{"id": "fake-1", "object": "model"}]}),
        ),
        (path, None) if Route::at(path).is_some() => embed(&shared, &head, &body, arrived),
        (path, None) if ollama::about(path, &body).is_some() => {
            let (status, about) = ollama::about(path, &body).unwrap_or_default();
            document(StatusCode::from_u16(status).unwrap_or_default(), &about)
        }
        (_, Some(api)) if head.method == Method::POST => {
            answer(&shared, api, Asked { arrived, head: &head, body: &body }).await
        }
        (path, _) => {
            document(StatusCode::NOT_FOUND, &json!({"error": {"message": format!("unknown path {path}")}}))
        }
    }
}

/// Vectors; the request is kept with the others but takes no turn of the script.
fn embed(shared: &Arc<Shared>, head: &http::request::Parts, body: &Bytes, arrived: u64) -> Response {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let asked = Asked { arrived, head, body };
    if shared.keep_bodies {
        shared.recorded().push(recorded(&asked, arrived, value.clone()));
    }
    let route = Route::at(head.uri.path()).unwrap_or(Route::OpenAi);
    let api = match route {
        Route::OpenAi | Route::Voyage => Api::OpenAi,
        Route::Gemini => Api::Google,
        Route::Ollama => Api::Ollama,
    };
    match route.answer(&value, &head.headers) {
        Ok(answer) => document(StatusCode::OK, &answer),
        Err(message) => document(StatusCode::BAD_REQUEST, &api.error(400, &message)),
    }
}

struct Asked<'a> {
    arrived: u64,
    head: &'a http::request::Parts,
    body: &'a Bytes,
}

async fn answer(shared: &Arc<Shared>, api: Api, asked: Asked<'_>) -> Response {
    let complete = now_ns();
    let refuse = |message: &str| document(StatusCode::BAD_REQUEST, &api.error(400, message));
    let Ok(outline) = serde_json::from_slice::<Outline<'_>>(asked.body) else {
        return refuse("the body is not the JSON this API expects");
    };
    let turn = outline.open_turn();
    let streams = api.streams(outline.stream);
    let mut record = Record::begin(shared, &asked, &outline, &turn);
    record.line.stream = streams;
    let model = api.model_in(asked.head.uri.path()).unwrap_or(&outline.model).to_owned();
    record.line.model.clone_from(&model);
    record.line.t_body = complete.to_string();
    if shared.keep_bodies || shared.strict {
        let Ok(value) = serde_json::from_slice::<Value>(asked.body) else {
            return record.finish(refuse("the body is not JSON"));
        };
        let verdict = if shared.strict { strict::check(api, &value, &asked.head.headers) } else { Ok(()) };
        if shared.keep_bodies {
            shared.recorded().push(recorded(&asked, complete, value));
        }
        record.announce();
        if let Err(message) = verdict {
            return record.finish(refuse(&message));
        }
        if let (true, Api::Bedrock, Err(message)) = (shared.strict, api, signature(asked.head, asked.body)) {
            return record.finish(document(StatusCode::FORBIDDEN, &api.error(403, &message)));
        }
    } else {
        record.announce();
    }
    if let Some(message) = shared.refuse_tools(&model, outline.offers_tools()) {
        return record.finish(refuse(&message));
    }
    if let Some(message) = shared.overflow(asked.body.len()) {
        return record.finish(refuse(&message));
    }
    let dialect = Dialect {
        api,
        model: &model,
        prompt_tokens: asked.body.len().div_ceil(BYTES_PER_TOKEN),
        number: record.line.i,
    };
    let scripted = shared.script().pop_front().or_else(|| shared.repeated(asked.body));
    match scripted {
        Some(scripted) => play(scripted, &dialect, record, streams).await,
        None => echo(&dialect, record, &turn, streams).await,
    }
}

/// A scripted turn.
async fn play(turn: Turn, dialect: &Dialect<'_>, mut record: Record, streams: bool) -> Response {
    match turn {
        Turn::Answers(speech) if streams => {
            record.line.kind = kind(&speech);
            flow(dialect.api, record, spoken(dialect, &speech))
        }
        Turn::Answers(speech) => whole(dialect, record, &speech),
        Turn::RunsOut(text) => flow(dialect.api, record, run_out(dialect, &text)),
        Turn::Fails { status, body, retry_after } => {
            record.finish(refusal(dialect.api, status, body, retry_after))
        }
        Turn::CutsAfter(count) => flow(dialect.api, record, broken(dialect, count, Broken::Cut)),
        Turn::StallsAfter(count) => flow(dialect.api, record, broken(dialect, count, Broken::Stall)),
        Turn::Malformed => flow(dialect.api, record, broken(dialect, 1, Broken::Garbage)),
        // The record is dropped when the caller hangs up, which counts it.
        Turn::Hangs => std::future::pending().await,
        Turn::Html => record.finish(response(StatusCode::OK, "text/html; charset=utf-8", Body::from(PAGE))),
        Turn::Gated { text, gate } => flow(dialect.api, record, gated(dialect, &text, &gate)),
    }
}

/// A turn nobody scripted: numbered words, or the tool the settings or the person's text ask for.
async fn echo(dialect: &Dialect<'_>, mut record: Record, turn: &OpenTurn, streams: bool) -> Response {
    let plan = plan(&record.shared.settings(), turn);
    if let Some(tool) = plan.tool {
        let speech = Speech { calls: vec![(tool.name, tool.args)], ..Speech::default() };
        record.line.kind = "tool";
        tokio::time::sleep(Duration::from_millis(plan.first_ms)).await;
        return if streams {
            flow(dialect.api, record, spoken(dialect, &speech))
        } else {
            whole(dialect, record, &speech)
        };
    }
    if !streams {
        return whole(dialect, record, &Speech { words: numbered(plan.chunks), ..Speech::default() });
    }
    let mut steps = vec![Step::Send(dialect.head())];
    if plan.first_ms > 0 {
        steps.insert(0, Step::Sleep(Duration::from_millis(plan.first_ms)));
    }
    if plan.delay_ms == 0 {
        steps.push(Step::Content(record.shared.numbered(dialect, plan.chunks)));
    } else {
        let words = Speech { words: numbered(plan.chunks), ..Speech::default() };
        for (n, piece) in dialect.content(&words).into_iter().enumerate() {
            if n > 0 {
                steps.push(Step::Sleep(Duration::from_millis(plan.delay_ms)));
            }
            steps.push(Step::Content(piece));
        }
    }
    steps.push(Step::Send(dialect.tail(false, plan.chunks)));
    flow(dialect.api, record, steps)
}

fn plan(settings: &Settings, turn: &OpenTurn) -> Settings {
    let mut plan = settings.clone();
    let number = |key: &str| control(&turn.text, key).and_then(|value| value.parse::<u64>().ok());
    if let Some(chunks) = number("chunks") {
        plan.chunks = usize::try_from(chunks).unwrap_or(usize::MAX).min(1_000_000);
    }
    plan.delay_ms = number("delay").unwrap_or(plan.delay_ms);
    plan.first_ms = number("first").unwrap_or(plan.first_ms);
    if let Some(value) = control(&turn.text, "tool") {
        plan.tool = tool_control(value);
    }
    // One call per turn: with its result at hand, the turn is answered in words.
    plan.tool = plan.tool.filter(|_: &PlannedTool| !turn.has_result);
    plan
}

/// Counts a request from its arrival to its last byte, or to the moment its caller hangs up.
struct Record {
    shared: Arc<Shared>,
    line: LogLine,
    complete: bool,
    announced: bool,
}

impl Record {
    fn begin(shared: &Arc<Shared>, asked: &Asked<'_>, outline: &Outline<'_>, turn: &OpenTurn) -> Self {
        let line = LogLine {
            t_arr: asked.arrived.to_string(),
            bytes: asked.body.len(),
            path: asked.head.uri.path().to_owned(),
            model: outline.model.clone().into_owned(),
            msgs: turn.messages,
            tools: turn.tools,
            tag: control(&turn.text, "tag").map(str::to_owned),
            kind: "text",
            last_role: turn.last_role.clone(),
            ..LogLine::default()
        };
        Self { shared: Arc::clone(shared), line, complete: false, announced: false }
    }

    /// Tells waiters that the request is here; its body can be read by now.
    fn announce(&mut self) {
        self.line.i = self.shared.begin();
        self.announced = true;
    }

    fn finish(mut self, response: Response) -> Response {
        self.complete = true;
        response
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if self.announced {
            self.shared.end(std::mem::take(&mut self.line), !self.complete);
        }
    }
}

fn recorded(asked: &Asked<'_>, at_ns: u64, body: Value) -> Recorded {
    let text = |value: &http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = asked.head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
    Recorded { at_ns, path: asked.head.uri.path().to_owned(), headers: headers.collect(), body }
}

fn kind(speech: &Speech) -> &'static str {
    if speech.calls.is_empty() { "text" } else { "tool" }
}

fn whole(dialect: &Dialect<'_>, mut record: Record, speech: &Speech) -> Response {
    record.line.kind = kind(speech);
    record.line.stamp();
    record.finish(document(StatusCode::OK, &dialect.whole(speech)))
}

/// Sends the steps: at once where nothing waits, else as a stream.
fn flow(api: Api, mut record: Record, steps: Vec<Step>) -> Response {
    if steps.iter().all(|step| matches!(step, Step::Send(_) | Step::Content(_))) {
        let mut all = BytesMut::new();
        for step in steps {
            if let Step::Send(bytes) | Step::Content(bytes) = step {
                all.extend_from_slice(&bytes);
            }
        }
        record.line.stamp();
        return record.finish(response(StatusCode::OK, api.stream_type(), Body::from(all.freeze())));
    }
    let state = (record, VecDeque::from(steps));
    response(StatusCode::OK, api.stream_type(), Body::from_stream(stream::unfold(state, next)))
}

type Flow = (Record, VecDeque<Step>);

async fn next((mut record, mut steps): Flow) -> Option<(Result<Bytes, std::io::Error>, Flow)> {
    loop {
        let Some(step) = steps.pop_front() else {
            record.complete = true;
            return None;
        };
        match step {
            Step::Send(bytes) => return Some((Ok(bytes), (record, steps))),
            Step::Content(bytes) => {
                record.line.stamp();
                return Some((Ok(bytes), (record, steps)));
            }
            Step::Sleep(pause) => tokio::time::sleep(pause).await,
            Step::Wait(gate) => gate.cancelled().await,
            Step::Hang => std::future::pending().await,
            Step::Cut => {
                record.complete = true;
                return Some((Err(std::io::ErrorKind::ConnectionReset.into()), (record, VecDeque::new())));
            }
        }
    }
}

fn refusal(api: Api, status: u16, body: Option<String>, retry_after: Option<Duration>) -> Response {
    let body = body.unwrap_or_else(|| api.error(status, "scripted refusal").to_string());
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = response(status, JSON, Body::from(body));
    if let Some(wait) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from(wait.as_secs()));
    }
    response
}

fn settings(shared: &Shared, method: &Method, body: &[u8]) -> Response {
    if method == Method::POST {
        let mut settings = shared.settings();
        let merged = serde_json::to_value(&*settings).map(|mut value| {
            if let (Some(value), Ok(Value::Object(patch))) =
                (value.as_object_mut(), serde_json::from_slice(body))
            {
                value.extend(patch);
            }
            value
        });
        match merged.and_then(serde_json::from_value) {
            Ok(merged) => *settings = merged,
            Err(error) => {
                return document(StatusCode::BAD_REQUEST, &json!({"error": {"message": error.to_string()}}));
            }
        }
    }
    let mut all = serde_json::to_value(&*shared.settings()).unwrap_or_default();
    let tally = *shared.tally().borrow();
    if let (Some(all), Ok(Value::Object(tally))) = (all.as_object_mut(), serde_json::to_value(tally)) {
        all.extend(tally);
    }
    document(StatusCode::OK, &all)
}

/// Adds turns that another process wrote.
fn script(shared: &Shared, body: &[u8]) -> Response {
    match serde_json::from_slice::<Vec<WrittenTurn>>(body) {
        Ok(turns) => {
            shared.script().extend(turns.into_iter().map(Turn::from));
            document(StatusCode::OK, &json!({"waiting": shared.script().len()}))
        }
        Err(error) => document(StatusCode::BAD_REQUEST, &json!({"error": {"message": error.to_string()}})),
    }
}

fn log(shared: &Shared, query: &str) -> Response {
    let since =
        query.split('&').find_map(|pair| pair.strip_prefix("since=")).and_then(|n| n.parse::<usize>().ok());
    let log = shared.log();
    let lines = log.get(since.unwrap_or(0)..).unwrap_or_default();
    document(StatusCode::OK, &serde_json::to_value(lines).unwrap_or_default())
}

fn document(status: StatusCode, value: &Value) -> Response {
    response(status, JSON, Body::from(value.to_string()))
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}
