//! One WebSocket connection, from its challenge to its goodbye.
//!
//! One task per socket does both directions. Handlers that are ready at once (most reads) are answered in
//! this task; the others run on their own, so that a client may have many requests under way and a socket
//! that closes never cuts a handler in half.

use crate::error::RequestError;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use homard_config::Secret;
use homard_protocol::connect::{ConnectChallenge, ConnectParams, HelloOk};
use homard_protocol::events::CONNECT_CHALLENGE;
use homard_protocol::frame::FrameError;
use homard_protocol::limits::{
    CLOSE_GRACE, HANDSHAKE_TIMEOUT, MAX_CLOSE_REASON, MAX_PAYLOAD, MAX_PENDING_REQUESTS,
    MAX_UNAUTHORIZED_CALLS, PING_INTERVAL,
};
use homard_protocol::{ConnId, ErrorCode, RequestFrame};
use homard_runtime::Clip;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_websockets::{CloseCode, Message, WebSocketStream};

use crate::access::caller::Caller;
use crate::access::handshake::{self, Admission, Refusal};
use crate::access::origin::Peer;
use crate::connections::connection_limits::Ticket;
use crate::connections::fanout::{Batch, Client, ClientCaps, Close};
use crate::connections::hello::hello;
use crate::gateway::Gateway;
use crate::table::{Cx, error_frame, parse_params};

/// Overrides the time a socket may take to finish `connect`, in milliseconds.
const HANDSHAKE_TIMEOUT_VARIABLE: &str = "HOMARD_HANDSHAKE_TIMEOUT_MS";
/// First byte of an unfragmented close frame.
const CLOSE_FRAME: u8 = 0x88;
/// The close code of a message that is too large.
const TOO_LARGE: u16 = 1009;
/// What is read and thrown away at a time from a client that sent too much.
const DRAIN_BUFFER: usize = 64 * 1024;
/// How much of a name nobody knows is written to the log.
const SHOWN_METHOD_CHARS: usize = 80;

/// Why a socket ended without a close frame of ours.
enum SocketEnd {
    /// The other side went away.
    Left,
    /// It sent more than it may.
    TooLarge,
}

impl From<tokio_websockets::Error> for SocketEnd {
    fn from(error: tokio_websockets::Error) -> Self {
        match error {
            tokio_websockets::Error::PayloadTooLong { .. } => Self::TooLarge,
            _ => Self::Left,
        }
    }
}

/// Serves one socket to its end. `ticket` is its place among the unauthenticated.
pub(crate) async fn run<S>(
    gateway: Arc<Gateway>,
    mut socket: WebSocketStream<S>,
    peer: Peer,
    ticket: Ticket,
    cancel: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let greeted = tokio::select! {
        greeted = greet(&gateway, &mut socket, peer) => greeted,
        () = gateway.lifecycle().stopping.cancelled() => Ok(Err(service_restart())),
    };
    drop(ticket);
    let mut too_large = "preauth payload too large";
    let ended = match greeted {
        Ok(Ok(present)) => {
            too_large = "payload too large";
            socket.limits_mut().set_max_payload_len(Some(MAX_PAYLOAD));
            let ended = tokio::select! {
                ended = serve(&gateway, &mut socket, &present.caller) => ended,
                () = cancel.cancelled() => Ok(service_restart()),
            };
            ended
        }
        Ok(Err(close)) => Ok(close),
        Err(gone) => Err(gone),
    };
    match ended {
        Ok(close) => say_goodbye(&mut socket, &close).await,
        Err(SocketEnd::TooLarge) => hang_up_on(&mut socket, too_large).await,
        Err(SocketEnd::Left) => {}
    }
}

/// A client among the connected, until dropped; also when a handler panics.
struct Present {
    gateway: Arc<Gateway>,
    caller: Arc<Caller>,
}

impl Present {
    fn new(gateway: &Arc<Gateway>, caller: &Arc<Caller>) -> Self {
        gateway.connected(caller);
        Self { gateway: Arc::clone(gateway), caller: Arc::clone(caller) }
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.gateway.disconnected(&self.caller);
    }
}

fn service_restart() -> Close {
    Close::new(1012, "service restart")
}

/// Says 1009 to a client that sent too much, and reads on for a while so that the word is not lost with what
/// the client still sends. Written past the library, whose own close frame would give another reason.
async fn hang_up_on<S>(socket: &mut WebSocketStream<S>, reason: &str)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let reason = reason.clip_bytes(MAX_CLOSE_REASON).as_bytes();
    let mut frame = vec![CLOSE_FRAME, u8::try_from(reason.len() + 2).unwrap_or(2)];
    frame.extend_from_slice(&TOO_LARGE.to_be_bytes());
    frame.extend_from_slice(reason);
    let parting = async {
        let raw = socket.get_mut();
        if raw.write_all(&frame).await.is_ok() && raw.flush().await.is_ok() {
            let mut unwanted = vec![0_u8; DRAIN_BUFFER];
            while matches!(raw.read(&mut unwanted).await, Ok(read) if read > 0) {}
        }
    };
    let _grace_over = timeout(CLOSE_GRACE, parting).await;
}

/// Sends the challenge and waits for a good `connect`.
async fn greet<S>(
    gateway: &Arc<Gateway>,
    socket: &mut WebSocketStream<S>,
    peer: Peer,
) -> Result<Result<Present, Close>, SocketEnd>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let nonce = uuid::Uuid::new_v4().to_string();
    let challenge =
        ConnectChallenge { nonce: nonce.clone(), ts: gateway.clock().now_ms(), capabilities: Vec::new() };
    let frame = json!({"type": "event", "event": CONNECT_CHALLENGE, "payload": challenge}).to_string();
    socket.send(Message::text(frame)).await?;
    let Ok(first) = timeout(handshake_timeout(gateway), next_text(socket)).await else {
        return Ok(Err(Close::new(1000, "handshake timeout")));
    };
    let text = first?;
    let request = match first_request(&text) {
        Ok(request) => request,
        Err(refusal) => return refuse(socket, refusal.0.as_deref(), refusal.1).await,
    };
    let params = match connect_params(&request) {
        Ok(params) => params,
        Err(refusal) => return refuse(socket, Some(&request.id), refusal).await,
    };
    match handshake::admit(gateway, &params, &peer, &nonce).await {
        Ok(admission) => Ok(Ok(welcome(gateway, socket, &request, (params, peer, admission)).await?)),
        Err(refusal) => {
            log_refusal(gateway, &params, &peer, &refusal);
            refuse(socket, Some(&request.id), refusal).await
        }
    }
}

/// How long a socket may take to finish `connect`.
fn handshake_timeout(gateway: &Gateway) -> Duration {
    let config = gateway.config().current();
    let set = config.env.get(HANDSHAKE_TIMEOUT_VARIABLE).and_then(|ms| ms.parse().ok());
    set.map_or(HANDSHAKE_TIMEOUT, Duration::from_millis)
}

/// Notes who was not let in. What is the gateway's own fault is worth more than a note.
fn log_refusal(gateway: &Gateway, params: &ConnectParams, peer: &Peer, refusal: &Refusal) {
    let (ip, client, error) = (peer.ip, params.client.id, refusal.error.message());
    match refusal.error.code() {
        ErrorCode::Unavailable if gateway.access().noise.allows("connect impossible") => {
            tracing::error!(%ip, %client, %error, "nobody could be let in");
        }
        ErrorCode::Unavailable => {}
        _ if gateway.access().noise.allows("connect refused") => {
            tracing::info!(%ip, %client, %error, "connect refused");
        }
        _ => {}
    }
}

/// Answers `connect` with the hello. The client counts as connected before it reads that, so that nothing
/// published from then on passes it by.
async fn welcome<S>(
    gateway: &Arc<Gateway>,
    socket: &mut WebSocketStream<S>,
    request: &RequestFrame,
    (params, peer, admission): (ConnectParams, Peer, Admission),
) -> Result<Present, SocketEnd>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let conn = ConnId::from(uuid::Uuid::new_v4());
    let mut hello: HelloOk = hello(gateway, &conn, &admission);
    hello.plugin_surface_urls = crate::http::surface_urls(gateway, &conn, &peer);
    let device = admission.device.as_ref().map(|device| device.id.clone());
    let caps = ClientCaps::read(&params.caps);
    let client = Arc::new(Client::new(conn, admission.role, admission.scopes, device, caps));
    let (id, mode, via) = (params.client.id, params.client.mode, admission.method);
    let token = admission.device_token.as_ref().map(|(token, _issued)| Secret::new(token.as_str()));
    let caller = Arc::new(Caller { client, id, mode, peer, via, token });
    gateway.connections().presence.arrive(&caller, &params, gateway.clock().now_ms());
    let frame = homard_protocol::ResponseFrame::ok(request.id.as_str(), hello);
    let text = serde_json::to_string(&frame).map_err(|_never| SocketEnd::Left)?;
    let (node, from) = (Arc::clone(&caller.client), caller.peer.ip.to_string());
    if let Err(error) = gateway.nodes().take_in(node, from, &params).await {
        tracing::error!(%error, "a node could not be taken in");
        return Err(SocketEnd::Left);
    }
    let present = Present::new(gateway, &caller);
    socket.send(Message::text(text)).await?;
    Ok(present)
}

fn first_request(text: &str) -> Result<RequestFrame, (Option<String>, Refusal)> {
    let refusal = |message: &str| Refusal::policy(RequestError::invalid(message));
    match RequestFrame::parse(text) {
        Ok(request) if request.method == "connect" => Ok(request),
        Ok(request) => Err((Some(request.id), refusal("invalid handshake: first request must be connect"))),
        Err(FrameError::NotARequest { id, .. }) => Err((id, refusal("invalid request frame"))),
        Err(FrameError::NotJson) => Err((None, refusal("invalid request frame"))),
    }
}

fn connect_params(request: &RequestFrame) -> Result<ConnectParams, Refusal> {
    let text = request.params.as_ref().map_or("{}", |params| params.get());
    parse_params("connect", text).map_err(Refusal::policy)
}

async fn refuse<S, T>(
    socket: &mut WebSocketStream<S>,
    id: Option<&str>,
    refusal: Refusal,
) -> Result<Result<T, Close>, SocketEnd>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    if let Some(id) = id {
        socket.send(Message::text(error_frame(id, *refusal.error))).await?;
    }
    Ok(Err(refusal.close))
}

/// The next text message; control messages are answered by the library.
async fn next_text<S>(socket: &mut WebSocketStream<S>) -> Result<String, SocketEnd>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    loop {
        let message = socket.next().await.ok_or(SocketEnd::Left)??;
        if let Some(text) = message.as_text() {
            return Ok(text.to_owned());
        }
        if message.is_close() {
            return Err(SocketEnd::Left);
        }
    }
}

/// Both directions until one side is done; `Err` when the other side simply went away.
async fn serve<S>(
    gateway: &Arc<Gateway>,
    socket: &mut WebSocketStream<S>,
    caller: &Arc<Caller>,
) -> Result<Close, SocketEnd>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let mut requests = Requests { gateway, caller, wrong_role: 0, pending: Arc::new(AtomicUsize::new(0)) };
    let mut alive = Heartbeat::new();
    loop {
        tokio::select! {
            message = socket.next() => {
                alive.heard();
                let message = message.ok_or(SocketEnd::Left)??;
                if gateway.lifecycle().stopping.is_cancelled() {
                    // Nobody is left to answer it: whoever comes back sends it again.
                    return Ok(service_restart());
                }
                if let Some(text) = message.as_text() {
                    if let Some(close) = requests.take(text) {
                        return Ok(close);
                    }
                } else if message.is_close() {
                    return Err(SocketEnd::Left);
                }
            }
            batch = caller.client.next_batch() => match batch {
                Batch::Frames(frames) => write(socket, caller, frames).await?,
                Batch::Close(close) => return Ok(close),
            },
            () = alive.due() => {
                if alive.is_lost() {
                    return Err(SocketEnd::Left);
                }
                socket.send(Message::ping("")).await?;
            }
        }
    }
}

/// Writes a batch; gives up when the client does not take it and must go.
async fn write<S>(
    socket: &mut WebSocketStream<S>,
    caller: &Caller,
    frames: Vec<String>,
) -> Result<(), SocketEnd>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let sending = async {
        for frame in frames {
            socket.feed(Message::text(frame)).await?;
        }
        socket.flush().await
    };
    tokio::pin!(sending);
    tokio::select! {
        biased;
        sent = &mut sending => Ok(sent?),
        _close = caller.client.must_close() => {
            timeout(CLOSE_GRACE, sending).await.map_err(|_stuck| SocketEnd::Left)?.map_err(SocketEnd::from)
        }
    }
}

async fn say_goodbye<S>(socket: &mut WebSocketStream<S>, close: &Close)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let code = CloseCode::try_from(close.code).unwrap_or(CloseCode::NORMAL_CLOSURE);
    let message = Message::close(Some(code), close.reason.clip_bytes(MAX_CLOSE_REASON));
    let parting = async {
        // Nothing is lost if the peer is gone already.
        if socket.send(message).await.is_ok() {
            while let Some(Ok(_late)) = socket.next().await {}
        }
    };
    let _grace_over = timeout(CLOSE_GRACE, parting).await;
}

/// Pings, and notices when nobody answers.
struct Heartbeat {
    next_ping: Instant,
    last_heard: Instant,
}

impl Heartbeat {
    fn new() -> Self {
        let now = Instant::now();
        Self { next_ping: now + PING_INTERVAL, last_heard: now }
    }

    fn heard(&mut self) {
        self.last_heard = Instant::now();
    }

    async fn due(&mut self) {
        tokio::time::sleep_until(self.next_ping).await;
        self.next_ping += PING_INTERVAL;
    }

    /// Whether two whole intervals passed in silence: a ping went unanswered.
    fn is_lost(&self) -> bool {
        self.last_heard.elapsed() > PING_INTERVAL * 2 + Duration::from_secs(1)
    }
}

/// The request side of a connection.
struct Requests<'a> {
    gateway: &'a Arc<Gateway>,
    caller: &'a Arc<Caller>,
    wrong_role: u32,
    pending: Arc<AtomicUsize>,
}

impl Requests<'_> {
    /// Takes one message; `Some` when the socket must close.
    fn take(&mut self, text: &str) -> Option<Close> {
        let request = match RequestFrame::parse(text) {
            Ok(request) => request,
            Err(FrameError::NotJson) => {
                tracing::debug!(conn = %self.caller.client.conn, "ignored a message that is not JSON");
                return None;
            }
            Err(FrameError::NotARequest { id, reason }) => {
                let error = RequestError::invalid(format!("invalid request frame: {reason}"));
                self.caller.client.respond(error_frame(id.as_deref().unwrap_or("invalid"), error));
                return None;
            }
        };
        let id = request.id.clone();
        let error = self.start(request).err()?;
        self.caller.client.respond(error_frame(&id, error));
        (self.wrong_role > MAX_UNAUTHORIZED_CALLS).then(|| Close::new(1008, "repeated unauthorized calls"))
    }

    fn start(&mut self, request: RequestFrame) -> Result<(), RequestError> {
        let wrong_role = std::mem::take(&mut self.wrong_role);
        if request.method == "connect" {
            return Err(RequestError::invalid("connect is only valid as the first request"));
        }
        let Some(entry) = self.gateway.connections().methods.get(&request.method) else {
            // What other clients miss is worth knowing; the name is theirs, so it is cut and escaped.
            let name: String = request.method.escape_default().take(SHOWN_METHOD_CHARS).collect();
            tracing::info!(method = %name, conn = %self.caller.client.conn, "unknown method");
            return Err(RequestError::invalid(format!("unknown method: {}", request.method)));
        };
        // Scopes are checked with the parameters.
        if !self.caller.has_role_for(entry.facts.access) {
            self.wrong_role = wrong_role + 1;
            return Err(self.caller.wrong_role());
        }
        if entry.rate_limited {
            self.gateway.access().check_write_limit(&request.method, self.caller)?;
        }
        if self.pending.load(Ordering::Relaxed) >= MAX_PENDING_REQUESTS {
            return Err(
                RequestError::unavailable("too many requests under way; wait for answers").retry_after(100)
            );
        }
        self.gateway.diagnostics().metrics.request(&request.method);
        let id: Arc<str> = Arc::from(request.id);
        let cx = Cx {
            gateway: Arc::clone(self.gateway),
            caller: Arc::clone(self.caller),
            request_id: Arc::clone(&id),
        };
        let mut answer = entry.call(cx, request.params);
        if let Some(result) = poll_once(&mut answer) {
            respond(self.gateway, &self.caller.client, &id, result);
            return Ok(());
        }
        self.pending.fetch_add(1, Ordering::Relaxed);
        let (pending, client) = (Arc::clone(&self.pending), Arc::clone(&self.caller.client));
        let (gateway, stopping) = (Arc::clone(self.gateway), self.gateway.lifecycle().tasks.token().clone());
        self.gateway.lifecycle().tasks.spawn(async move {
            let result = tokio::select! {
                result = answer => result,
                () = stopping.cancelled() => Err(RequestError::unavailable("the gateway is stopping").retry_after(1_000)),
            };
            pending.fetch_sub(1, Ordering::Relaxed);
            respond(&gateway, &client, &id, result);
        });
        Ok(())
    }
}

fn respond(gateway: &Gateway, client: &Client, id: &str, result: Result<String, RequestError>) {
    // Sockets are closing: that says it better. A refusal could be the last word on a message which the process that
    // takes over would have answered.
    let is_closing = || gateway.lifecycle().stopping.is_cancelled();
    if result.as_ref().is_err_and(|error| error.code() == ErrorCode::Unavailable) && is_closing() {
        return;
    }
    client.respond(result.unwrap_or_else(|error| error_frame(id, error)));
}

/// The result, if the future has it at once.
fn poll_once<T>(future: &mut Pin<Box<dyn Future<Output = T> + Send>>) -> Option<T> {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut cx) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
