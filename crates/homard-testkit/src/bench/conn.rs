//! A connection that costs its own process as little as it can: text in, text out, one flush per batch.

use anyhow::{Context, Result, anyhow, bail};
use futures_util::{FutureExt, SinkExt, StreamExt};
use homard_protocol::limits::MAX_PAYLOAD;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_websockets::{ClientBuilder, Limits, Message, WebSocketStream};

use crate::client::{capped, operator_params};
use crate::device::{ProofVersion, TestDevice};

/// One authenticated operator connection.
pub(super) struct Conn {
    socket: WebSocketStream<TcpStream>,
}

impl Conn {
    /// Connects as the owner on this device, with these capabilities beside the usual ones.
    pub(super) async fn operator(port: u16, token: &str, device: &TestDevice, caps: &[&str]) -> Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.context("the gateway does not listen")?;
        stream.set_nodelay(true)?;
        let uri: http::Uri = format!("ws://127.0.0.1:{port}").parse()?;
        let limits = Limits::default().max_payload_len(Some(MAX_PAYLOAD));
        let (socket, _) = ClientBuilder::from_uri(uri).limits(limits).connect_on(stream).await?;
        let mut conn = Self { socket };
        let challenge = capped("the challenge", conn.next()).await?;
        let challenge: Value = serde_json::from_str(text(&challenge)).context("the challenge")?;
        let mut params = operator_params(token);
        if let Some(known) = params.get_mut("caps").and_then(Value::as_array_mut) {
            known.extend(caps.iter().map(|cap| json!(cap)));
        }
        let challenge = challenge.get("payload").cloned().unwrap_or_default();
        let proof = device.proof(ProofVersion::V3, &params, &challenge);
        if let Some(params) = params.as_object_mut() {
            params.insert("device".into(), proof);
        }
        conn.call("connect", &params).await?;
        Ok(conn)
    }

    /// Listens to these sessions.
    pub(super) async fn listen(&mut self, keys: impl IntoIterator<Item = &String>) -> Result<()> {
        for key in keys {
            self.call("sessions.messages.subscribe", &json!({"key": key})).await?;
        }
        Ok(())
    }

    /// Queues a frame; it leaves with the next wait.
    pub(super) async fn feed(&mut self, frame: String) -> Result<()> {
        Ok(self.socket.feed(Message::text(frame)).await?)
    }

    /// The next text message. What was queued is flushed only when there is nothing left to read, as a busy
    /// client would do.
    pub(super) async fn next(&mut self) -> Result<Message> {
        loop {
            let message = match self.socket.next().now_or_never() {
                Some(ready) => ready,
                None => {
                    self.socket.flush().await?;
                    self.socket.next().await
                }
            };
            let message = message.ok_or_else(|| anyhow!("the gateway hung up"))??;
            if let Some((code, reason)) = message.as_close() {
                bail!("the gateway closed the socket: {} `{reason}`", u16::from(code));
            }
            if message.is_text() {
                return Ok(message);
            }
        }
    }

    /// Asks and waits; for what is not measured.
    pub(super) async fn call(&mut self, method: &str, params: &Value) -> Result<Value> {
        let frame = json!({"type": "req", "id": "call", "method": method, "params": params});
        self.feed(frame.to_string()).await?;
        let answer = async {
            loop {
                let message = self.next().await?;
                if response_id(text(&message)) == Some("call") {
                    return Ok(message);
                }
            }
        };
        let message = capped(method, answer).await?;
        let mut answer: Value = serde_json::from_str(text(&message))?;
        if answer.get("ok") != Some(&Value::Bool(true)) {
            bail!("{method} was refused: {answer}");
        }
        Ok(answer.get_mut("payload").map(Value::take).unwrap_or_default())
    }
}

/// A message's text.
pub(super) fn text(message: &Message) -> &str {
    message.as_text().unwrap_or_default()
}

/// The id of a response, found without parsing; `None` for an event.
pub(super) fn response_id(frame: &str) -> Option<&str> {
    quoted_after(frame.strip_prefix(r#"{"type":"res","#)?, r#""id":""#)
}

/// Whether a response is a refusal. Quotes inside strings are escaped, so the bare words can only be the field.
pub(super) fn is_refusal(frame: &str) -> bool {
    frame.contains(r#""ok":false,"error""#)
}

/// What stands between `opening` and the next quote.
pub(super) fn quoted_after<'a>(frame: &'a str, opening: &str) -> Option<&'a str> {
    let (_, rest) = frame.split_once(opening)?;
    rest.split_once('"').map(|(value, _)| value)
}
