//! What all connections of one fake share: settings, script, records and counters.

use std::collections::{HashMap, VecDeque};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use homard_runtime::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use super::dialect::{Api, Dialect};
use super::incoming::PlannedTool;
use super::log::LogLine;
use super::repeats;
use super::script::{Speech, Turn, numbered};

/// Most prebuilt answers kept; a benchmark uses one or two.
const MAX_PREBUILT: usize = 64;

/// How a fake is started.
#[derive(Debug, Clone)]
pub struct FakeLlmOptions {
    /// The port; 0 for any.
    pub port: u16,
    /// Words of a turn nobody scripted.
    pub chunks: usize,
    /// Milliseconds between two words.
    pub delay_ms: u64,
    /// Milliseconds before the first word.
    pub first_ms: u64,
    /// Whether requests a real provider would refuse are refused.
    pub strict: bool,
    /// Whether bodies are kept for [`FakeLlm::requests`](super::FakeLlm::requests).
    pub keep_bodies: bool,
}

impl Default for FakeLlmOptions {
    fn default() -> Self {
        Self { port: 0, chunks: 8, delay_ms: 0, first_ms: 0, strict: true, keep_bodies: true }
    }
}

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// When its body was complete: nanoseconds of the machine's monotonic clock.
    pub at_ns: u64,
    /// The path it was sent to.
    pub path: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Recorded {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// What `/_ctl` reads and writes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Settings {
    pub(super) chunks: usize,
    pub(super) delay_ms: u64,
    pub(super) first_ms: u64,
    pub(super) tool: Option<PlannedTool>,
}

/// Counters others wait on.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tally {
    pub(super) requests: usize,
    pub(super) in_flight: usize,
    pub(super) peak: usize,
    /// Answers whose caller did not wait for the end.
    pub(super) hangups: usize,
    /// Connections opened so far.
    pub(super) connections: usize,
}

/// See the file's description.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) strict: bool,
    pub(super) keep_bodies: bool,
    /// The largest body that fits.
    fits: AtomicUsize,
    takes_tools: AtomicBool,
    settings: Mutex<Settings>,
    script: Mutex<VecDeque<Turn>>,
    recorded: Mutex<Vec<Recorded>>,
    log: Mutex<Vec<LogLine>>,
    prebuilt: Mutex<HashMap<(Api, usize, String), Bytes>>,
    repeats: Mutex<Option<String>>,
    tally: watch::Sender<Tally>,
}

impl Shared {
    pub(super) fn new(options: &FakeLlmOptions) -> Self {
        let &FakeLlmOptions { port: _, chunks, delay_ms, first_ms, strict, keep_bodies } = options;
        Self {
            strict,
            keep_bodies,
            fits: AtomicUsize::new(usize::MAX),
            takes_tools: AtomicBool::new(true),
            settings: Mutex::new(Settings { chunks, delay_ms, first_ms, tool: None }),
            script: Mutex::default(),
            recorded: Mutex::default(),
            log: Mutex::default(),
            prebuilt: Mutex::default(),
            repeats: Mutex::default(),
            tally: watch::Sender::new(Tally::default()),
        }
    }

    pub(super) fn repeat(&self, mark: String) {
        *self.repeats.lock() = Some(mark);
    }

    /// What a turn nobody scripted says, if it repeats.
    pub(super) fn repeated(&self, body: &[u8]) -> Option<Turn> {
        let mark = self.repeats.lock().clone()?;
        Some(repeats::turn(body, &mark))
    }

    pub(super) fn overflow_above(&self, bytes: usize) {
        self.fits.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn take_no_tools(&self) {
        self.takes_tools.store(false, Ordering::Relaxed);
    }

    /// What a server says to a request with tools for a model that has no template for them.
    pub(super) fn refuse_tools(&self, model: &str, offers: bool) -> Option<String> {
        let refuses = offers && !self.takes_tools.load(Ordering::Relaxed);
        refuses.then(|| format!("registry.ollama.ai/library/{model} does not support tools"))
    }

    /// What a model says to a body that is too long for it.
    pub(super) fn overflow(&self, bytes: usize) -> Option<String> {
        let fits = self.fits.load(Ordering::Relaxed);
        (bytes > fits).then(|| {
            format!("This model's maximum context length is {fits} bytes, but {bytes} were sent; shorten the messages.")
        })
    }

    pub(super) fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock()
    }

    pub(super) fn script(&self) -> MutexGuard<'_, VecDeque<Turn>> {
        self.script.lock()
    }

    pub(super) fn recorded(&self) -> MutexGuard<'_, Vec<Recorded>> {
        self.recorded.lock()
    }

    pub(super) fn log(&self) -> MutexGuard<'_, Vec<LogLine>> {
        self.log.lock()
    }

    pub(super) fn tally(&self) -> watch::Receiver<Tally> {
        self.tally.subscribe()
    }

    /// Counts a connection in.
    pub(super) fn connected(&self) {
        self.tally.send_modify(|tally| tally.connections += 1);
    }

    /// Counts a request in and returns its number.
    pub(super) fn begin(&self) -> usize {
        let mut number = 0;
        self.tally.send_modify(|tally| {
            number = tally.requests;
            tally.requests += 1;
            tally.in_flight += 1;
            tally.peak = tally.peak.max(tally.in_flight);
        });
        number
    }

    /// Counts a request out.
    pub(super) fn end(&self, line: LogLine, hung_up: bool) {
        self.log().push(line);
        self.tally.send_modify(|tally| {
            tally.in_flight -= 1;
            tally.hangups += usize::from(hung_up);
        });
    }

    /// The content of a turn of `count` numbered words, in one piece, built once.
    pub(super) fn numbered(&self, dialect: &Dialect<'_>, count: usize) -> Bytes {
        let key = (dialect.api, count, dialect.model.to_owned());
        let mut prebuilt = self.prebuilt.lock();
        if let Some(bytes) = prebuilt.get(&key) {
            return bytes.clone();
        }
        if prebuilt.len() >= MAX_PREBUILT {
            prebuilt.clear();
        }
        let mut all = BytesMut::new();
        for piece in dialect.content(&Speech { words: numbered(count), ..Speech::default() }) {
            all.extend_from_slice(&piece);
        }
        let bytes = all.freeze();
        prebuilt.insert(key, bytes.clone());
        bytes
    }
}
