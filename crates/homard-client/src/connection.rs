//! One open socket: who waits for which answer, and the two tasks that read and write.
//!
//! Nothing here knows a method; [`client`](crate::client) does. A connection never reconnects and never repeats
//! a request: what was under way when it ended is answered with why it ended.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use homard_protocol::{ErrorShape, EventFrame, ResponseFrame};
use homard_runtime::json::ReadError;
use homard_runtime::{Mutex, OrCancel, Tasks};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_websockets::{CloseCode, Message, WebSocketStream};

use crate::events::{ClientEvent, EVENT_BUFFER};
use crate::tls::ByteStream;

/// Requests that may wait to be written. When full, callers wait.
const OUTGOING_BUFFER: usize = 64;
/// Answers one request can get: accepted and finished.
const ANSWERS_PER_REQUEST: usize = 2;
/// What a client says when the gateway has been silent for two ticks.
const TICK_TIMEOUT_CODE: u16 = 4_000;

pub(crate) type Socket = WebSocketStream<Box<dyn ByteStream>>;

/// How a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The WebSocket close code; absent when the line simply went dead.
    pub code: Option<u16>,
    /// What the other side said.
    pub reason: String,
}

impl Closed {
    pub(crate) fn dead(reason: impl Into<String>) -> Self {
        Self { code: None, reason: reason.into() }
    }

    pub(crate) fn hint(&self) -> Option<String> {
        let text = match self.code {
            Some(1_012 | 1_013) => "the gateway is restarting; try again in a moment",
            Some(4_001) => "its credentials changed; connect again with the new ones",
            Some(1_008) if self.reason.contains("slow consumer") => "this program read too slowly",
            Some(_) => return None,
            None => "look whether the gateway still runs: homard health",
        };
        Some(text.to_owned())
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.reason.as_str()) {
            (Some(code), "") => write!(f, "close code {code}"),
            (Some(code), reason) => write!(f, "{reason} (close code {code})"),
            (None, reason) => f.write_str(reason),
        }
    }
}

/// What a request is answered with.
#[derive(Debug)]
pub(crate) enum Answer {
    Good(Value),
    Bad(ErrorShape),
    Unreadable(ReadError),
}

struct Waiter {
    answers: mpsc::Sender<Answer>,
    /// Whether `accepted` is not yet the answer.
    until_final: bool,
}

enum State {
    Open(HashMap<String, Waiter>),
    Closed(Closed),
}

/// Who waits for which answer.
pub(crate) struct Waiting(Mutex<State>);

impl Waiting {
    fn forget(&self, id: &str) {
        if let State::Open(waiters) = &mut *self.0.lock() {
            waiters.remove(id);
        }
    }

    fn end(&self, closed: Closed) {
        let mut state = self.0.lock();
        if matches!(*state, State::Open(_)) {
            *state = State::Closed(closed);
        }
    }

    fn closed(&self) -> Closed {
        match &*self.0.lock() {
            State::Closed(closed) => closed.clone(),
            State::Open(_) => Closed::dead("the connection went away"),
        }
    }

    fn answer(&self, id: &str, answer: Answer) {
        let State::Open(waiters) = &mut *self.0.lock() else { return };
        let Some(waiter) = waiters.get(id) else {
            tracing::debug!(id, "an answer nobody waits for");
            return;
        };
        let more_comes = waiter.until_final && is_accepted(&answer);
        // Cannot be full: a third answer finds no waiter any more. Closed means the caller gave up.
        if waiter.answers.try_send(answer).is_err() || !more_comes {
            waiters.remove(id);
        }
    }
}

fn is_accepted(answer: &Answer) -> bool {
    matches!(answer, Answer::Good(payload) if payload.get("status").and_then(Value::as_str) == Some("accepted"))
}

/// A place in the queue of one request; leaving it, by whatever way, forgets the request.
pub(crate) struct Ticket {
    id: String,
    waiting: Arc<Waiting>,
    answers: mpsc::Receiver<Answer>,
}

impl Ticket {
    /// The next answer, or how the connection ended before it came.
    pub(crate) async fn answer(&mut self) -> Result<Answer, Closed> {
        match self.answers.recv().await {
            Some(answer) => Ok(answer),
            None => Err(self.waiting.closed()),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.waiting.forget(&self.id);
    }
}

/// One open socket.
pub(crate) struct Connection {
    outgoing: mpsc::Sender<Message>,
    waiting: Arc<Waiting>,
    heard: broadcast::WeakSender<ClientEvent>,
    tasks: Tasks,
}

impl Connection {
    /// Takes over a socket whose handshake is done. `silence` is how long the gateway may say nothing.
    pub(crate) fn start(socket: Socket, silence: Duration) -> Self {
        let (sink, stream) = socket.split();
        let (outgoing, queue) = mpsc::channel(OUTGOING_BUFFER);
        let (heard, _) = broadcast::channel(EVENT_BUFFER);
        let waiting = Arc::new(Waiting(Mutex::new(State::Open(HashMap::new()))));
        let tasks = Tasks::new();
        let connection =
            Self { outgoing, waiting: Arc::clone(&waiting), heard: heard.downgrade(), tasks: tasks.clone() };
        let cancel = tasks.token().clone();
        tasks.spawn(write(sink, queue, cancel.clone()));
        let reader = Reader { stream, waiting, heard, last_seq: 0, silence };
        tasks.spawn(reader.run(connection.outgoing.downgrade(), cancel));
        connection
    }

    /// Sends a request and takes a place in the queue for its answer.
    pub(crate) async fn ask(&self, id: String, text: String, until_final: bool) -> Result<Ticket, Closed> {
        let (sender, answers) = mpsc::channel(ANSWERS_PER_REQUEST);
        match &mut *self.waiting.0.lock() {
            State::Closed(closed) => return Err(closed.clone()),
            State::Open(waiters) => {
                waiters.insert(id.clone(), Waiter { answers: sender, until_final });
            }
        }
        let ticket = Ticket { id, waiting: Arc::clone(&self.waiting), answers };
        match self.outgoing.send(Message::text(text)).await {
            Ok(()) => Ok(ticket),
            Err(_gone) => Err(self.waiting.closed()),
        }
    }

    /// Where events come from; `None` when the connection has ended.
    pub(crate) fn heard(&self) -> Option<broadcast::Sender<ClientEvent>> {
        self.heard.upgrade()
    }

    /// How the connection ended, if it has.
    pub(crate) fn closed(&self) -> Option<Closed> {
        match &*self.waiting.0.lock() {
            State::Closed(closed) => Some(closed.clone()),
            State::Open(_) => None,
        }
    }

    /// Says goodbye and waits for the other side to agree, but not for long.
    pub(crate) async fn close(&self, grace: Duration) {
        let goodbye = Message::close(Some(CloseCode::NORMAL_CLOSURE), "");
        if self.outgoing.send(goodbye).await.is_ok() {
            self.tasks.finish(grace).await;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.tasks.token().cancel();
    }
}

async fn write(
    mut sink: SplitSink<Socket, Message>,
    mut queue: mpsc::Receiver<Message>,
    cancel: CancellationToken,
) {
    while let Ok(Some(message)) = queue.recv().or_cancel(&cancel).await {
        let last = message.is_close();
        // A failed write ends the stream too; the reader tells everybody.
        if sink.send(message).await.is_err() || last {
            return;
        }
    }
}

struct Reader {
    stream: SplitStream<Socket>,
    waiting: Arc<Waiting>,
    heard: broadcast::Sender<ClientEvent>,
    last_seq: u64,
    silence: Duration,
}

impl Reader {
    async fn run(mut self, outgoing: mpsc::WeakSender<Message>, cancel: CancellationToken) {
        let closed = match self.read().or_cancel(&cancel).await {
            Ok(closed) => closed,
            Err(_cancelled) => Closed::dead("closed by this program"),
        };
        if closed.code == Some(TICK_TIMEOUT_CODE) {
            say_timeout(&outgoing);
        }
        self.waiting.end(closed);
        // Also stops the writer, should it still wait for something to write.
        cancel.cancel();
    }

    async fn read(&mut self) -> Closed {
        loop {
            let Ok(next) = tokio::time::timeout(self.silence, self.stream.next()).await else {
                return Closed { code: Some(TICK_TIMEOUT_CODE), reason: "tick timeout".into() };
            };
            match next {
                None => return Closed::dead("the gateway hung up"),
                Some(Err(error)) => return Closed::dead(error.to_string()),
                Some(Ok(message)) => {
                    if let Some((code, reason)) = message.as_close() {
                        return Closed { code: Some(code.into()), reason: reason.to_owned() };
                    }
                    if let Some(text) = message.as_text() {
                        self.take(text);
                    }
                }
            }
        }
    }

    fn take(&mut self, text: &str) {
        match Incoming::parse(text) {
            Incoming::Answer(id, answer) => self.waiting.answer(&id, answer),
            Incoming::Event(frame) => self.tell(frame),
            Incoming::Unknown => tracing::debug!("a frame that is neither answer nor event"),
        }
    }

    fn tell(&mut self, frame: EventFrame) {
        if let Some(seq) = frame.seq {
            let missed = seq.saturating_sub(self.last_seq + 1);
            if missed > 0 && self.last_seq > 0 {
                self.send(ClientEvent::Missed(missed));
            }
            self.last_seq = seq;
        }
        self.send(ClientEvent::Event(Arc::new(frame)));
    }

    fn send(&self, heard: ClientEvent) {
        // An error only means that nobody listens.
        drop(self.heard.send(heard));
    }
}

fn say_timeout(outgoing: &mpsc::WeakSender<Message>) {
    let Some(outgoing) = outgoing.upgrade() else { return };
    if let Ok(code) = CloseCode::try_from(TICK_TIMEOUT_CODE) {
        drop(outgoing.try_send(Message::close(Some(code), "tick timeout")));
    }
}

/// A frame from the gateway.
pub(crate) enum Incoming {
    Answer(String, Answer),
    Event(EventFrame),
    Unknown,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    id: String,
}

impl Incoming {
    pub(crate) fn parse(text: &str) -> Self {
        let Ok(head) = serde_json::from_str::<Head>(text) else { return Self::Unknown };
        match head.kind.as_str() {
            "res" => match serde_json::from_str::<ResponseFrame>(text) {
                Ok(frame) => Self::Answer(head.id, answer_of(frame)),
                Err(error) => Self::Answer(head.id, Answer::Unreadable(serde::de::Error::custom(error))),
            },
            "event" => serde_json::from_str(text).map_or(Self::Unknown, Self::Event),
            _ => Self::Unknown,
        }
    }
}

fn answer_of(frame: ResponseFrame) -> Answer {
    match (frame.ok, frame.error) {
        (true, _) => Answer::Good(frame.payload.unwrap_or(Value::Null)),
        (false, Some(error)) => Answer::Bad(error),
        (false, None) => Answer::Bad(ErrorShape::unavailable("refused without a reason")),
    }
}
