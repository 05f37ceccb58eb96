//! What all connections of one fake share: chats and their messages, waiting updates, files, records and faults.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use homard_runtime::{Clock, Mutex};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::faults::Faults;
use super::webhook::Webhook;

/// The name of the fake's bot.
pub(super) const BOT_NAME: &str = "homard_test_bot";
/// Its id, the first half of its token.
pub(super) const BOT_ID: i64 = 7_000_000_001;
/// The first update's number; real ones begin anywhere.
const FIRST_UPDATE: i64 = 500_000_001;

/// A file that came with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// The parameter it was sent as.
    pub field: String,
    pub file_name: String,
    /// Its media type, if the sender gave one.
    pub mime: Option<String>,
    pub bytes: Vec<u8>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Done, and the caller was told.
    Taken,
    /// Done, but the caller never heard of it: the connection was cut.
    TakenUnheard,
    /// Not done, and the caller was told why: code and words.
    Refused(u16, String),
    /// Not done, and the caller heard nothing, or nothing of use.
    Lost,
}

impl Outcome {
    /// Whether people see what was sent.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::Taken | Self::TakenUnheard)
    }
}

/// A call as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    /// The method, as the documentation writes it.
    pub method: &'static str,
    pub params: Value,
    pub uploads: Vec<Upload>,
    /// What became of it.
    pub outcome: Outcome,
    /// The id of the message it made.
    pub message_id: Option<i64>,
    /// The text or caption as people see it.
    pub shown: Option<String>,
    /// When it was answered.
    pub at: Instant,
}

impl Sent {
    /// The text or caption as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        let text = self.params.get("text").or_else(|| self.params.get("caption"));
        text.and_then(Value::as_str).unwrap_or_default()
    }

    /// The chat it went to.
    #[must_use]
    pub fn chat(&self) -> i64 {
        self.params.get("chat_id").and_then(chat_number).unwrap_or_default()
    }

    /// A parameter.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Value> {
        self.params.get(name)
    }
}

/// Chats are numbers, which may also come as text.
pub(super) fn chat_number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// A message in a chat.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) message: Value,
    pub(super) is_ours: bool,
}

/// A chat the bot knows.
#[derive(Debug, Default)]
pub(super) struct Chat {
    pub(super) about: Value,
    pub(super) last_message: i64,
    pub(super) messages: BTreeMap<i64, Kept>,
    pub(super) topics: BTreeSet<i64>,
    /// Why the bot may not write here.
    pub(super) closed: Option<String>,
    pub(super) moved_to: Option<i64>,
    pub(super) no_voice: bool,
}

/// A file people can fetch.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    /// What the server says its size is, when that differs.
    pub(super) claimed: Option<u64>,
}

/// Everything that changes.
#[derive(Debug)]
pub(super) struct State {
    pub(super) chats: HashMap<i64, Chat>,
    pub(super) names: HashMap<i64, String>,
    pub(super) next_update: i64,
    pub(super) updates: VecDeque<(i64, Value)>,
    pub(super) allowed: Option<Vec<String>>,
    /// Counts polls; an older one than this was taken over.
    pub(super) poll: u64,
    pub(super) webhook: Option<Webhook>,
    pub(super) sent: Vec<Sent>,
    pub(super) files: HashMap<String, Stored>,
    pub(super) next_file: u64,
    pub(super) commands: Vec<Value>,
    pub(super) faults: Faults,
    pub(super) latency: Duration,
    pub(super) reads_all: bool,
    pub(super) callbacks: BTreeSet<String>,
}

/// Counters others wait on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) calls: usize,
    /// Those among them that people see the effect of.
    pub(super) shown: usize,
    /// Updates made so far.
    pub(super) updates: usize,
    /// Polls begun so far.
    pub(super) polls: usize,
    /// Updates still waiting to be confirmed.
    pub(super) waiting: usize,
    /// Grows when something a poll or the webhook waits for has changed.
    pub(super) news: usize,
}

/// See the file's description.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) token: String,
    pub(super) clock: Clock,
    state: Mutex<State>,
    tally: watch::Sender<Tally>,
    connections: Mutex<CancellationToken>,
}

impl Shared {
    pub(super) fn new(token: String) -> Self {
        let state = State {
            chats: HashMap::new(),
            names: HashMap::new(),
            next_update: FIRST_UPDATE,
            updates: VecDeque::new(),
            allowed: None,
            poll: 0,
            webhook: None,
            sent: Vec::new(),
            files: HashMap::new(),
            next_file: 1,
            commands: Vec::new(),
            faults: Faults::default(),
            latency: Duration::ZERO,
            reads_all: true,
            callbacks: BTreeSet::new(),
        };
        Self {
            token,
            clock: Clock::system(),
            state: Mutex::new(state),
            tally: watch::Sender::new(Tally::default()),
            connections: Mutex::default(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(super) fn tally(&self) -> watch::Receiver<Tally> {
        self.tally.subscribe()
    }

    pub(super) fn count(&self, change: impl FnOnce(&mut Tally)) {
        self.tally.send_modify(change);
    }

    /// A token that ends with the next [`cut_all`](Self::cut_all).
    pub(super) fn connection(&self) -> CancellationToken {
        self.connections.lock().child_token()
    }

    /// Cuts every open connection.
    pub(super) fn cut_all(&self) {
        std::mem::take(&mut *self.connections.lock()).cancel();
    }

    pub(super) fn record(&self, sent: Sent) {
        let is_shown = super::is_shown(&sent);
        self.state().sent.push(sent);
        self.count(|tally| {
            tally.calls += 1;
            tally.shown += usize::from(is_shown);
        });
    }

    /// Seconds since 1970.
    pub(super) fn now(&self) -> i64 {
        self.clock.now_ms() / 1_000
    }
}

impl State {
    /// What the bot is called by `getMe` and in its own messages.
    pub(super) fn bot(&self) -> Value {
        json!({
            "id": BOT_ID, "is_bot": true, "first_name": "Homard", "username": BOT_NAME,
        })
    }

    /// Somebody, under the name they were given.
    pub(super) fn person(&self, id: i64) -> Value {
        let name = self.names.get(&id).cloned().unwrap_or_else(|| format!("User{id}"));
        let username = name.to_lowercase().replace(' ', "_");
        json!({"id": id, "is_bot": false, "first_name": name, "username": username, "language_code": "en"})
    }

    /// A chat, made on first use: private when its number is a person's, else a supergroup.
    pub(super) fn chat(&mut self, id: i64) -> &mut Chat {
        let person = self.person(id);
        self.chats.entry(id).or_insert_with(|| {
            let about = if id > 0 {
                json!({
                    "id": id, "type": "private", "first_name": person.get("first_name"),
                    "username": person.get("username"),
                })
            } else {
                json!({"id": id, "type": "supergroup", "title": format!("Group {id}")})
            };
            Chat { about, ..Chat::default() }
        })
    }

    /// Keeps a file and returns its id.
    pub(super) fn store_file(&mut self, folder: &str, name: &str, bytes: Vec<u8>) -> String {
        let number = self.next_file;
        self.next_file += 1;
        let id = format!("AgACAgIAAx-fake-{number}");
        let path = format!("{folder}/file_{number}{}", extension(name));
        self.files.insert(id.clone(), Stored { path, bytes, claimed: None });
        id
    }
}

fn extension(name: &str) -> String {
    name.rsplit_once('.').map_or_else(String::new, |(_, end)| format!(".{end}"))
}
