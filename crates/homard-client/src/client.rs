//! Calling a gateway by method type.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use homard_protocol::Method;
use homard_protocol::connect::HelloOk;
use homard_protocol::limits::CLOSE_GRACE;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::connect::{ConnectOptions, connect};
use crate::connection::{Answer, Closed, Connection, Ticket};
use crate::error::ClientError;
use crate::events::Events;

/// How long an answer may take unless the caller says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Ticks that may stay out before the line counts as dead.
const SILENT_TICKS: u32 = 2;

/// A connection to a gateway. Dropping it ends the connection; [`close`](Client::close) does so politely.
pub struct Client {
    connection: Connection,
    hello: HelloOk,
    next_id: AtomicU64,
    timeout: Duration,
    /// Dropped after the connection.
    companion: Option<Box<dyn Send + Sync>>,
}

impl Client {
    /// Connects and shakes hands.
    ///
    /// # Errors
    /// When nobody listens, somebody else listens, or the gateway refuses.
    pub async fn connect(options: &ConnectOptions) -> Result<Self, ClientError> {
        let (socket, hello) = connect(options).await?;
        let silence = Duration::from_millis(hello.policy.tick_interval_ms) * SILENT_TICKS;
        let connection = Connection::start(socket, silence);
        Ok(Self { connection, hello, next_id: AtomicU64::new(1), timeout: DEFAULT_TIMEOUT, companion: None })
    }

    /// Changes how long answers may take; [`DEFAULT_TIMEOUT`] otherwise.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Keeps something until the connection ends, such as the tunnel it goes through.
    #[must_use]
    pub fn with_companion(mut self, companion: impl Send + Sync + 'static) -> Self {
        self.companion = Some(Box::new(companion));
        self
    }

    /// What the gateway said about itself when we connected.
    #[must_use]
    pub fn hello(&self) -> &HelloOk {
        &self.hello
    }

    /// Calls a method and waits for its answer.
    ///
    /// # Errors
    /// When the gateway refuses, does not answer in time, or goes away.
    pub async fn call<M: Method>(&self, params: &M::Params) -> Result<M::Result, ClientError> {
        let text = self.request(M::NAME, params);
        let payload = self.ask(M::NAME, text, self.timeout).await?;
        read(M::NAME, payload)
    }

    /// Calls a method this client has no type for.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub async fn call_raw(&self, method: &str, params: &Value) -> Result<Value, ClientError> {
        self.ask(method, self.request(method, params), self.timeout).await
    }

    /// Calls a method that answers twice, and returns after the first answer.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub async fn call_two_phase(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<TwoPhase, ClientError> {
        self.ask_twice(method, self.request(method, params)).await
    }

    /// Calls a method that answers twice, such as `agent`, and waits up to `within` for the second answer.
    ///
    /// # Errors
    /// As [`call`](Client::call).
    pub async fn call_final<M: Method>(
        &self,
        params: &M::Params,
        within: Duration,
    ) -> Result<M::Result, ClientError> {
        let payload = self.call_two_phase(M::NAME, params).await?.finished(within).await?;
        read(M::NAME, payload)
    }

    /// What happens from now on. Call it before the request whose events matter.
    #[must_use]
    pub fn events(&self) -> Events {
        Events::of(self.connection.heard().as_ref())
    }

    /// How the connection ended, if it has.
    #[must_use]
    pub fn closed(&self) -> Option<Closed> {
        self.connection.closed()
    }

    /// Says goodbye and waits briefly for the gateway to do the same.
    pub async fn close(self) {
        self.connection.close(CLOSE_GRACE).await;
        drop(self.companion);
    }

    /// A request that was not sent yet. What comes after is the same code for all types of parameters.
    fn request(&self, method: &str, params: &impl Serialize) -> Result<RequestText, ClientError> {
        let id = format!("r{}", self.next_id.fetch_add(1, Ordering::Relaxed));
        let text = request_text(&id, method, params)?;
        Ok(RequestText { id, text })
    }

    async fn ask(
        &self,
        method: &str,
        request: Result<RequestText, ClientError>,
        within: Duration,
    ) -> Result<Value, ClientError> {
        let mut ticket = self.send(request?, false).await?;
        wait(method, &mut ticket, within).await
    }

    async fn ask_twice(
        &self,
        method: &str,
        request: Result<RequestText, ClientError>,
    ) -> Result<TwoPhase, ClientError> {
        let mut ticket = self.send(request?, true).await?;
        let accepted = wait(method, &mut ticket, self.timeout).await?;
        Ok(TwoPhase { method: method.to_owned(), accepted, ticket })
    }

    async fn send(&self, request: RequestText, until_final: bool) -> Result<Ticket, ClientError> {
        let RequestText { id, text } = request;
        self.connection.ask(id, text, until_final).await.map_err(ClientError::Closed)
    }
}

/// A request as it is sent.
struct RequestText {
    id: String,
    text: String,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("server", &self.hello.server).finish_non_exhaustive()
    }
}

/// A request that was accepted and has not finished.
pub struct TwoPhase {
    method: String,
    /// The first answer; the only one when the gateway had the result at hand.
    pub accepted: Value,
    ticket: Ticket,
}

impl TwoPhase {
    /// Waits for the second answer.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn finished(mut self, within: Duration) -> Result<Value, ClientError> {
        if self.accepted.get("status").and_then(Value::as_str) != Some("accepted") {
            return Ok(self.accepted);
        }
        wait(&self.method, &mut self.ticket, within).await
    }
}

impl fmt::Debug for TwoPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TwoPhase").field("method", &self.method).finish_non_exhaustive()
    }
}

async fn wait(method: &str, ticket: &mut Ticket, within: Duration) -> Result<Value, ClientError> {
    let method = method.to_owned();
    match tokio::time::timeout(within, ticket.answer()).await {
        Err(_elapsed) => Err(ClientError::Timeout { method, seconds: within.as_secs() }),
        Ok(Err(closed)) => Err(ClientError::Closed(closed)),
        Ok(Ok(Answer::Good(payload))) => Ok(payload),
        Ok(Ok(Answer::Bad(error))) => Err(ClientError::Rejected { method, error: Box::new(error) }),
        Ok(Ok(Answer::Unreadable(source))) => Err(ClientError::BadAnswer { method, source }),
    }
}

fn read<T: DeserializeOwned>(method: &str, payload: Value) -> Result<T, ClientError> {
    homard_runtime::json::from_value(payload)
        .map_err(|source| ClientError::BadAnswer { method: method.to_owned(), source })
}

#[derive(Serialize)]
struct Request<'a, P> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a str,
    method: &'a str,
    params: &'a P,
}

/// A request frame as text.
pub(crate) fn request_text(id: &str, method: &str, params: &impl Serialize) -> Result<String, ClientError> {
    serde_json::to_string(&Request { kind: "req", id, method, params })
        .map_err(|source| ClientError::BadParams { method: method.to_owned(), source })
}
