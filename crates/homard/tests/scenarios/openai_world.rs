//! What the stories of the OpenAI-compatible API share: requests with a body, and answers read as a client
//! reads them.

use homard_testkit::{FakeLlm, TEST_TOKEN, TestGateway, TestHome, WAIT_CAP};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::scenarios::world::{OPENAI, Page, World, config, launch};

pub(crate) const CHAT: &str = "/v1/chat/completions";
pub(crate) const RESPONSES: &str = "/v1/responses";
pub(crate) const EMBEDDINGS: &str = "/v1/embeddings";

/// A gateway that serves everything.
pub(crate) async fn open() -> World {
    open_with(|_| {}).await
}

/// The same with changes to its configuration.
pub(crate) async fn open_with(change: impl FnOnce(&mut Value)) -> World {
    let fake = FakeLlm::start().await.unwrap();
    let settings = config(&fake, OPENAI, |config| {
        config["gateway"]["http"]["endpoints"] =
            json!({"chatCompletions": {"enabled": true}, "responses": {"enabled": true}});
        change(config);
    });
    let home = TestHome::with_config(&settings).unwrap();
    World { gateway: TestGateway::start(launch(), home).await.unwrap(), fake }
}

/// Bytes on a connection of their own, and everything that comes back until it closes.
pub(crate) async fn raw(port: u16, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(WAIT_CAP, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    answer
}

/// Reads an answer, putting its pieces together.
pub(crate) fn page(answer: &[u8]) -> Page {
    let at = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&answer[..at]).into_owned();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = &answer[at + 4..];
    let mut page = Page { status, head, body: String::new() };
    page.body = match page.header("transfer-encoding") {
        Some("chunked") => unchunked(body),
        _ => String::from_utf8_lossy(body).into_owned(),
    };
    page
}

fn unchunked(mut body: &[u8]) -> String {
    let mut whole = Vec::new();
    loop {
        let line = body.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&body[..line]).unwrap(), 16).unwrap();
        if size == 0 {
            return String::from_utf8(whole).unwrap();
        }
        whole.extend_from_slice(&body[line + 2..line + 2 + size]);
        body = &body[line + 2 + size + 2..];
    }
}

/// A request's head and body as they go out.
pub(crate) fn post_bytes(path: &str, body: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{more}Connection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

impl World {
    /// Sends a body as the owner's program and reads the answer.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Page {
        self.post_with(path, body, &[]).await
    }

    /// The same with more headers.
    pub(crate) async fn post_with(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Page {
        let bearer = format!("Bearer {TEST_TOKEN}");
        let headers: Vec<(&str, &str)> =
            [("Authorization", bearer.as_str())].into_iter().chain(headers.iter().copied()).collect();
        page(&raw(self.gateway.port(), &post_bytes(path, &body.to_string(), &headers)).await)
    }

    /// The JSON of a good answer.
    pub(crate) async fn answer(&self, path: &str, body: &Value) -> Value {
        let page = self.post(path, body).await;
        assert_eq!(page.status, 200, "{page:?}");
        page.json()
    }
}

impl Page {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The events of a stream: names and data, without comments and without the end mark, which must be there.
    pub(crate) fn events(&self) -> Vec<(String, Value)> {
        assert_eq!(self.status, 200, "{self:?}");
        assert!(self.header("content-type").unwrap().starts_with("text/event-stream"), "{self:?}");
        let whole = self.body.strip_suffix("data: [DONE]\n\n").unwrap_or_else(|| panic!("{self:?}"));
        let events = whole.split("\n\n").filter(|event| !event.is_empty() && !event.starts_with(':'));
        events
            .map(|event| {
                let line = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let data = serde_json::from_str(line("data: ").unwrap()).unwrap();
                (line("event: ").unwrap_or_default().to_owned(), data)
            })
            .collect()
    }
}

/// A request with one message of a user.
pub(crate) fn says(text: &str) -> Value {
    json!({"model": "openclaw", "messages": [{"role": "user", "content": text}]})
}

/// A body with more fields.
pub(crate) fn with(mut body: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("{more}") };
    body.as_object_mut().unwrap().extend(more);
    body
}

/// What a model was told last: roles and texts, without the system prompt.
pub(crate) fn told(request: &Value) -> Vec<(String, String)> {
    let messages = request["messages"].as_array().unwrap();
    let said = messages.iter().filter(|message| message["role"] != "system");
    said.map(|message| {
        (message["role"].as_str().unwrap().to_owned(), crate::scenarios::world::text_of(message))
    })
    .collect()
}
