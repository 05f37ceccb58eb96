//! A protocol client that shows tests the exact frames: raw JSON in, raw JSON out, nothing interpreted.
//!
//! It reads from the socket only while a test waits for something, so a test that waits for nothing *is* a slow
//! consumer. Every wait is capped; running into the cap says what was awaited and what came instead.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use futures_util::{SinkExt, StreamExt};
use homard_protocol::Scope;
use homard_protocol::limits::{DEFAULT_PORT, MAX_PAYLOAD, PROTOCOL_VERSION};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_websockets::{ClientBuilder, Limits, Message, WebSocketStream};

use crate::device::{ProofVersion, TestDevice};

/// The longest any wait takes; generous, because the machine may be busy, and never reached when all is well.
pub const WAIT_CAP: Duration = Duration::from_secs(30);

/// One connection.
pub struct TestClient {
    socket: WebSocketStream<TcpStream>,
    challenge: Value,
    hello: Value,
    events: Vec<Value>,
    /// Events before this one have been returned by [`next_event`](TestClient::next_event) or passed over.
    unheard: Vec<usize>,
    responses: VecDeque<Value>,
    next_id: u64,
    closed: Option<(u16, String)>,
}

/// How a handshake was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The error of the response, `null` when the socket was closed without one.
    pub error: Value,
    /// The close code; 0 when the line went dead without one.
    pub code: u16,
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "refused with {} and closed with {} `{}`", self.error, self.code, self.reason)
    }
}

impl std::error::Error for Refusal {}

impl TestClient {
    /// Opens a socket and hears the challenge, nothing more.
    ///
    /// # Errors
    /// When nobody listens or no challenge comes.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_with(url, &[]).await
    }

    /// The same with request headers of the test's choosing, `origin` for example, or `host` for another name of
    /// the gateway.
    ///
    /// # Errors
    /// As [`connect`](TestClient::connect).
    pub async fn connect_with(url: &str, headers: &[(&'static str, &str)]) -> Result<Self> {
        let mut client = Self::open_with(url, headers).await?;
        let challenge = client.next_event("connect.challenge").await?;
        client.challenge = challenge.get("payload").cloned().unwrap_or_default();
        Ok(client)
    }

    /// Opens a socket without waiting for anything.
    ///
    /// # Errors
    /// When nobody listens.
    pub async fn open(url: &str) -> Result<Self> {
        Self::open_with(url, &[]).await
    }

    async fn open_with(url: &str, headers: &[(&'static str, &str)]) -> Result<Self> {
        let uri: http::Uri = url.parse().with_context(|| format!("not a URL: {url}"))?;
        let address = (uri.host().unwrap_or("127.0.0.1"), uri.port_u16().unwrap_or(DEFAULT_PORT));
        let stream = TcpStream::connect(address).await.with_context(|| format!("nobody listens at {url}"))?;
        stream.set_nodelay(true)?;
        let limits = Limits::default().max_payload_len(Some(MAX_PAYLOAD));
        let name = headers.iter().find(|(name, _)| *name == "host").map(|(_, host)| format!("ws://{host}/"));
        let called = name.map_or(Ok(uri), |name| name.parse())?;
        let mut upgrade = ClientBuilder::from_uri(called).limits(limits);
        for (name, value) in headers.iter().filter(|(name, _)| *name != "host") {
            upgrade = upgrade.add_header(http::HeaderName::from_static(name), value.parse()?)?;
        }
        let (socket, _) = capped("the upgrade", async { Ok(upgrade.connect_on(stream).await?) }).await?;
        Ok(Self {
            socket,
            challenge: Value::Null,
            hello: Value::Null,
            events: Vec::new(),
            unheard: Vec::new(),
            responses: VecDeque::new(),
            next_id: 1,
            closed: None,
        })
    }

    /// A command line of the owner's with every permission and a device nobody has seen before.
    ///
    /// # Errors
    /// When the gateway refuses.
    pub async fn operator(url: &str, token: &str) -> Result<Self> {
        Self::operator_on(url, token, &TestDevice::new()?).await
    }

    /// The same on a device of the test's choosing.
    ///
    /// # Errors
    /// When the gateway refuses.
    pub async fn operator_on(url: &str, token: &str, device: &TestDevice) -> Result<Self> {
        let mut client = Self::connect(url).await?;
        let mut params = operator_params(token);
        let proof = device.proof(ProofVersion::V3, &params, &client.challenge);
        if let Some(params) = params.as_object_mut() {
            params.insert("device".into(), proof);
        }
        client.handshake(params).await?;
        Ok(client)
    }

    /// Sends `connect` with exactly these params.
    ///
    /// # Errors
    /// How it was refused: the error and then the close.
    pub async fn handshake(&mut self, params: Value) -> Result<Value, Refusal> {
        let answer = match self.request("connect", params).await {
            Ok(answer) => answer,
            Err(_closed) => return Err(self.refusal(Value::Null).await),
        };
        if answer.get("ok") == Some(&Value::Bool(true)) {
            self.hello = answer.get("payload").cloned().unwrap_or_default();
            return Ok(self.hello.clone());
        }
        Err(self.refusal(answer.get("error").cloned().unwrap_or_default()).await)
    }

    async fn refusal(&mut self, error: Value) -> Refusal {
        let (code, reason) = match self.close_code().await {
            Ok(closed) => closed,
            Err(error) => (0, error.to_string()),
        };
        Refusal { error, code, reason }
    }

    /// The challenge's payload.
    #[must_use]
    pub fn challenge(&self) -> &Value {
        &self.challenge
    }

    /// The hello's payload; `null` before the handshake.
    #[must_use]
    pub fn hello(&self) -> &Value {
        &self.hello
    }

    /// Every event frame so far, oldest first.
    #[must_use]
    pub fn events(&self) -> &[Value] {
        &self.events
    }

    /// Sends text as it is.
    ///
    /// # Errors
    /// When the socket is closed.
    pub async fn send_raw(&mut self, text: impl Into<String>) -> Result<()> {
        let message = Message::text(text.into());
        capped("the socket to take a frame", async { Ok(self.socket.send(message).await?) }).await
    }

    /// Sends a binary message, which the protocol does not know.
    ///
    /// # Errors
    /// When the socket is closed.
    pub async fn send_binary(&mut self, bytes: Vec<u8>) -> Result<()> {
        let message = Message::binary(bytes);
        capped("the socket to take a frame", async { Ok(self.socket.send(message).await?) }).await
    }

    /// Sends a request and returns its id without waiting.
    ///
    /// # Errors
    /// When the socket is closed.
    pub async fn send(&mut self, method: &str, params: Value) -> Result<String> {
        let id = format!("t{}", self.next_id);
        self.next_id += 1;
        let frame = json!({"type": "req", "id": id, "method": method, "params": params});
        self.send_raw(frame.to_string()).await?;
        Ok(id)
    }

    /// Sends a request and returns the whole response frame.
    ///
    /// # Errors
    /// When the socket closes or nothing comes.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value> {
        let id = self.send(method, params).await?;
        self.response(&id).await.with_context(|| format!("while waiting for the answer to {method}"))
    }

    /// Sends a request that must succeed and returns its payload.
    ///
    /// # Errors
    /// As [`request`](TestClient::request), and when the gateway refuses.
    pub async fn call(&mut self, method: &str, params: Value) -> Result<Value> {
        let mut answer = self.request(method, params).await?;
        if answer.get("ok") != Some(&Value::Bool(true)) {
            bail!("{method} was refused: {answer}");
        }
        Ok(answer.get_mut("payload").map(Value::take).unwrap_or_default())
    }

    /// The next response with this id; call it again for the second answer of a two-phase method.
    ///
    /// # Errors
    /// When the socket closes or nothing comes.
    pub async fn response(&mut self, id: &str) -> Result<Value> {
        let is_it = |frame: &Value| frame.get("id").and_then(Value::as_str) == Some(id);
        let what = format!("a response with id {id}");
        let found = async {
            loop {
                if let Some(at) = self.responses.iter().position(is_it) {
                    return self.responses.remove(at).ok_or_else(|| anyhow!("a response vanished"));
                }
                self.read_frame().await?;
            }
        };
        capped(&what, found).await
    }

    /// The next event of this name that has not been returned yet.
    ///
    /// # Errors
    /// When the socket closes or nothing comes.
    pub async fn next_event(&mut self, name: &str) -> Result<Value> {
        self.next_event_where(name, |_| true).await
    }

    /// The next such event whose payload fits.
    ///
    /// # Errors
    /// When the socket closes or nothing comes.
    pub async fn next_event_where(&mut self, name: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let outcome = capped(&format!("an event {name}"), self.find_event(name, fits)).await;
        outcome.with_context(|| format!("events so far: {}", self.event_names()))
    }

    async fn find_event(&mut self, name: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        loop {
            let events = &self.events;
            let found = self.unheard.iter().position(|&at| {
                events.get(at).is_some_and(|event| {
                    event.get("event").and_then(Value::as_str) == Some(name)
                        && fits(event.get("payload").unwrap_or(&Value::Null))
                })
            });
            if let Some(place) = found {
                let at = self.unheard.remove(place);
                return self.events.get(at).cloned().ok_or_else(|| anyhow!("an event vanished"));
            }
            self.read_frame().await?;
        }
    }

    /// Waits until a run ended, in whatever way, and returns the payload of its last `chat` event.
    ///
    /// # Errors
    /// When the socket closes or the run does not end.
    pub async fn wait_chat_final(&mut self, run_id: &str) -> Result<Value> {
        let ended = |payload: &Value| {
            let state = payload.get("state").and_then(Value::as_str);
            payload.get("runId").and_then(Value::as_str) == Some(run_id)
                && matches!(state, Some("final" | "aborted" | "error"))
        };
        let mut event = self.next_event_where("chat", ended).await?;
        Ok(event.get_mut("payload").map(Value::take).unwrap_or_default())
    }

    /// Waits for the gateway to close and returns code and reason; code 0 when it simply hung up.
    ///
    /// # Errors
    /// When it does not close.
    pub async fn close_code(&mut self) -> Result<(u16, String)> {
        capped("the gateway to close the socket", async {
            while self.closed.is_none() {
                if self.read_frame().await.is_err() && self.closed.is_none() {
                    self.closed = Some((0, String::new()));
                }
            }
            Ok(())
        })
        .await?;
        self.closed.clone().ok_or_else(|| anyhow!("the socket is still open"))
    }

    /// Closes politely.
    ///
    /// # Errors
    /// When the other side does not answer the close.
    pub async fn close(mut self) -> Result<()> {
        capped("the socket to close", async { Ok(self.socket.close().await?) }).await
    }

    /// Reads one message into the collections.
    async fn read_frame(&mut self) -> Result<()> {
        if let Some((code, reason)) = &self.closed {
            bail!("the socket is closed: {code} `{reason}`");
        }
        let message = match self.socket.next().await {
            Some(Ok(message)) => message,
            Some(Err(error)) => return Err(self.hung_up(&error.to_string())),
            None => return Err(self.hung_up("end of stream")),
        };
        if let Some((code, reason)) = message.as_close() {
            let code = u16::from(code);
            self.closed = Some((code, reason.to_owned()));
            bail!("the gateway closed the socket: {code} `{reason}`");
        }
        let Some(text) = message.as_text() else { return Ok(()) };
        let frame: Value = serde_json::from_str(text).with_context(|| format!("not JSON: {text}"))?;
        match frame.get("type").and_then(Value::as_str) {
            Some("res") => self.responses.push_back(frame),
            Some("event") => {
                self.unheard.push(self.events.len());
                self.events.push(frame);
            }
            _ => bail!("neither a response nor an event: {frame}"),
        }
        Ok(())
    }

    fn hung_up(&mut self, how: &str) -> anyhow::Error {
        self.closed = Some((0, how.to_owned()));
        anyhow!("the gateway hung up: {how}")
    }

    fn event_names(&self) -> String {
        let names = self.events.iter().map(|event| {
            let part = |path| event.pointer(path).and_then(Value::as_str).unwrap_or("");
            format!("{} {}", part("/event"), part("/payload/state")).trim_end().to_owned()
        });
        names.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Debug for TestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClient")
            .field("events", &self.event_names())
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

/// `connect` params of the owner's command line, without a device.
#[must_use]
pub fn operator_params(token: &str) -> Value {
    json!({
        "minProtocol": PROTOCOL_VERSION,
        "maxProtocol": PROTOCOL_VERSION,
        "client": {"id": "cli", "mode": "cli", "version": "0.0.0-test", "platform": "linux"},
        "role": "operator",
        "scopes": Scope::ALL.map(Scope::as_str),
        "caps": ["tool-events"],
        "auth": {"token": token},
    })
}

/// Waits, but never longer than [`WAIT_CAP`].
pub(crate) async fn capped<T>(what: &str, wait: impl Future<Output = Result<T>>) -> Result<T> {
    match tokio::time::timeout(WAIT_CAP, wait).await {
        Ok(outcome) => outcome,
        Err(_elapsed) => bail!("waited {} s in vain for {what}", WAIT_CAP.as_secs()),
    }
}

#[cfg(test)]
mod tests;
