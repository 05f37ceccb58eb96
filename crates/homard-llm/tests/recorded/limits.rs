//! Servers that keep a call open without answering it, and what the headers of a refusal say, over sockets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use homard_llm::wire::TABLE;
use homard_llm::{Http, HttpOptions, LlmError, ModelSpec, Models, ProviderSpec, Request, StreamEvent};
use homard_protocol::{ModelId, ModelRef, ProviderId};
use homard_runtime::{Clock, Tasks};
use serde::Deserialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::recorded::chunks::{Part, bytes};
use crate::recorded::wires::request;

/// The moment every call is made at: 2023-11-14T22:13:20Z.
const NOW: i64 = 1_700_000_000_000;
/// A limit small enough to be met in a test; no test depends on how small.
const SHORT: Duration = Duration::from_millis(200);
/// One that is never met in a test.
const LONG: Duration = Duration::from_secs(60);
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// What a server sends: once, then again and again until the caller hangs up.
struct Script {
    first: Vec<u8>,
    again: Vec<u8>,
}

fn patient() -> HttpOptions {
    HttpOptions {
        connect_timeout: LONG,
        first_byte_timeout: LONG,
        stall_timeout: LONG,
        event_timeout: LONG,
        call_timeout: LONG,
    }
}

/// Calls a server that follows `script` and returns how the call ends.
async fn call(api: &str, options: HttpOptions, script: Script) -> Result<String, LlmError> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let tasks = Tasks::new();
    tasks.spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        serve(socket, script).await;
    });
    let id = ProviderId::parse("fake").unwrap();
    let mut spec = ProviderSpec::new(id.clone(), api, base);
    spec.models.push(ModelSpec::new(id, ModelId::parse("m").unwrap(), api));
    let clock = Clock::fixed(NOW);
    let models = Models::new(vec![spec], &Http::new(options, clock.clone()), &clock);
    let found = models.resolve(&ModelRef::parse("fake/m").unwrap()).unwrap();
    let asked = Request { model: Arc::clone(&found.model), ..request(api) };
    let events: Vec<_> = found.provider.stream(asked, CancellationToken::new()).collect().await;
    tasks.token().cancel();
    match events.into_iter().last() {
        Some(StreamEvent::Done(answer)) => Ok(answer.message.text()),
        Some(StreamEvent::Failed(error)) => Err(error),
        other => panic!("{api}: {other:?}"),
    }
}

async fn serve(mut socket: TcpStream, script: Script) {
    let mut asked = [0; 64 * 1024];
    let read = socket.read(&mut asked).await.unwrap();
    assert!(read > 0);
    socket.write_all(&script.first).await.unwrap();
    let mut tick = tokio::time::interval(Duration::from_millis(5));
    while !script.again.is_empty() {
        tick.tick().await;
        if socket.write_all(&script.again).await.is_err() {
            return;
        }
    }
    // What was sent is on its way; the caller reads until the connection closes.
    if socket.shutdown().await.is_err() {
        assert_eq!(script.again, b"", "a caller may be gone already");
    }
}

#[tokio::test]
async fn bytes_that_say_nothing_are_not_waited_for_without_end() {
    let options = HttpOptions { event_timeout: SHORT, ..patient() };
    for wire in TABLE {
        let noise: &[u8] = match wire.api {
            // An endless frame: one byte at a time, and none of them the last.
            "bedrock-converse-stream" => &[0],
            "ollama" => b" ",
            _ => b": still here\n",
        };
        let first = match wire.api {
            "bedrock-converse-stream" => {
                let mut frame = bytes(wire.api, Part::Text(&"x".repeat(100_000)));
                frame.truncate(12);
                frame
            }
            _ => Vec::new(),
        };
        let script = Script { first: [HEAD.as_bytes(), &first].concat(), again: noise.to_vec() };
        let error = call(wire.api, options, script).await.unwrap_err();
        assert_eq!(error.reason.as_str(), "timeout", "{}: {error}", wire.api);
        assert!(error.message.contains("said nothing"), "{}: {error}", wire.api);
    }
}

#[tokio::test]
async fn a_call_that_drips_for_ever_ends() {
    let options = HttpOptions { call_timeout: SHORT, ..patient() };
    for wire in TABLE {
        let first = [HEAD.as_bytes(), &bytes(wire.api, Part::Open)].concat();
        let script = Script { first, again: bytes(wire.api, Part::Text("x")) };
        let error = call(wire.api, options, script).await.unwrap_err();
        assert_eq!(error.reason.as_str(), "timeout", "{}: {error}", wire.api);
        assert!(error.message.contains("not over"), "{}: {error}", wire.api);
        assert!(error.partial.unwrap().text().starts_with("xx"), "{}", wire.api);
    }
}

#[tokio::test]
async fn comments_before_the_first_word_are_patience_and_no_answer() {
    for api in ["openai-completions", "anthropic-messages"] {
        let mut first = HEAD.as_bytes().to_vec();
        first.extend_from_slice(&b": processing\n\n".repeat(1_000));
        for part in [Part::Open, Part::Text("hi"), Part::Close { tokens: 1 }] {
            first.extend(bytes(api, part));
        }
        assert_eq!(call(api, patient(), Script { first, again: Vec::new() }).await.unwrap(), "hi");
    }
}

#[tokio::test]
async fn a_refusal_inside_a_success_is_a_refusal() {
    let body = r#"{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}"#;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
    let script = Script { first: format!("{head}{body}").into_bytes(), again: Vec::new() };
    let error = call("openai-completions", patient(), script).await.unwrap_err();
    assert_eq!(error.reason.as_str(), "billing", "{error}");
}

#[derive(Deserialize)]
struct Row {
    status: Option<u16>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: String,
    reason: String,
    wait_ms: Option<u64>,
}

#[tokio::test]
async fn recorded_refusals_mean_the_same_over_a_socket() {
    let rows = include_str!("errors.jsonl").lines().map(|line| serde_json::from_str::<Row>(line).unwrap());
    for row in rows.filter(|row| row.status.is_some_and(|status| status >= 400)) {
        let status = row.status.unwrap();
        let kind = if row.body.starts_with('<') { "text/html" } else { "application/json" };
        let mut answer = format!("HTTP/1.1 {status} No\r\ncontent-type: {kind}\r\nconnection: close\r\n");
        for (name, value) in &row.headers {
            answer.push_str(&format!("{name}: {value}\r\n"));
        }
        answer.push_str(&format!("content-length: {}\r\n\r\n{}", row.body.len(), row.body));
        let script = Script { first: answer.into_bytes(), again: Vec::new() };
        let error = call("openai-completions", patient(), script).await.unwrap_err();
        assert_eq!(
            (error.status, error.reason.as_str()),
            (Some(status), row.reason.as_str()),
            "{}",
            row.body
        );
        let wait = error.retry_after.map(homard_runtime::millis);
        assert_eq!(wait, row.wait_ms, "{}", row.body);
    }
}
