//! `agents.*.memorySearch`: what of an agent's notes is searched, and how.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_protocol::AgentId;

use super::Embeddings;
use crate::config::{Resolve, models};
use crate::paths::Paths;
use crate::raw::agents as raw;
use crate::secret::Secret;

/// Characters of a token, as the setting counts them.
const TOKEN_CHARS: u64 = 4;
/// Shortest passage: what is shorter has no meaning of its own.
const MIN_PASSAGE_CHARS: usize = 120;
const MAX_RESULTS: usize = 100;
const DEFAULT_LAMBDA: f64 = 0.7;
const DEFAULT_HALF_LIFE: u64 = 30;
const DEFAULT_DEBOUNCE: Duration = Duration::from_millis(1_500);
/// Longest quiet time and longest interval; longer ones are slips of the pen.
const MAX_DEBOUNCE: Duration = Duration::from_mins(10);
/// The source that is conversations.
const SESSIONS: &str = "sessions";
const MAX_INTERVAL_MINUTES: u64 = 60 * 24 * 30;
/// Whom a server speaks like where the owner names it and no provider.
const USUAL_SERVER: &str = "openai";
/// Where the agent's name stands in the path of an index.
const AGENT: &str = "{agentId}";

/// Decided `agents.*.memorySearch`.
#[derive(Debug, Clone, PartialEq)]
pub struct MemorySearch {
    pub enabled: bool,
    /// Files and folders beside the workspace's own; relative ones begin in the workspace.
    pub extra_paths: Vec<PathBuf>,
    /// Who makes the vectors, as far as the owner says.
    pub embeddings: Option<Embeddings>,
    /// Where that provider is asked, if not where it is asked for answers.
    pub(super) remote: Option<MemoryRemote>,
    /// The provider that is asked when that one fails.
    pub fallback: Option<String>,
    /// A model file of the owner's.
    pub local_model: Option<PathBuf>,
    /// Where the index is, with `{agentId}` in it.
    index: Option<String>,
    /// Longest passage, in characters.
    pub passage_chars: usize,
    pub query: MemoryQuery,
    pub sync: MemorySync,
    /// Whether conversations are among the sources.
    names_sessions: bool,
    /// Whether that is wanted by name.
    wants_sessions: bool,
}

/// A server that makes vectors and nothing else.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MemoryRemote {
    /// Its address; `None` means the provider's own.
    pub base_url: Option<String>,
    pub api_key: Option<Secret>,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, Secret>,
}

/// When an index is brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemorySync {
    pub on_session_start: bool,
    pub on_search: bool,
    /// Whether changes of files are heard of.
    pub watch: bool,
    /// How long it must be quiet before a change counts.
    pub debounce: Duration,
    pub interval: Option<Duration>,
    /// By how many bytes or messages a conversation grows before it is read again.
    pub delta_bytes: u64,
    pub delta_messages: u64,
}

/// How results are picked.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryQuery {
    pub max_results: usize,
    pub min_score: f64,
    /// Whether vectors are used where there are any.
    pub is_hybrid: bool,
    pub vector_weight: f64,
    pub text_weight: f64,
    pub candidates: usize,
    /// Share of fitting where the same is not told twice; `None` is off.
    pub diversity: Option<f64>,
    /// After so many days a dated note counts half; `None` is off.
    pub half_life_days: Option<u64>,
    /// Whether the assistant is told where what it finds stands.
    pub cites: bool,
}

impl MemorySearch {
    /// What holds when nobody says anything.
    pub(super) fn usual() -> Self {
        Self {
            enabled: true,
            extra_paths: Vec::new(),
            embeddings: None,
            remote: None,
            fallback: None,
            local_model: None,
            index: None,
            passage_chars: 1_600,
            query: MemoryQuery {
                max_results: 6,
                min_score: 0.35,
                is_hybrid: true,
                vector_weight: 0.3,
                text_weight: 0.7,
                candidates: 4,
                diversity: None,
                half_life_days: None,
                cites: true,
            },
            sync: MemorySync {
                on_session_start: true,
                on_search: true,
                watch: true,
                debounce: DEFAULT_DEBOUNCE,
                interval: None,
                delta_bytes: 100_000,
                delta_messages: 50,
            },
            names_sessions: false,
            wants_sessions: false,
        }
    }

    /// The same with what is written laid over it; `at` is where that stands.
    pub(super) fn with(self, raw: Option<raw::MemorySearch>, at: &str, cx: &mut Resolve<'_>) -> Self {
        let Some(raw) = raw else { return self };
        let paths = cx.paths;
        let remote = match raw.remote {
            Some(remote) => Some(self.remote.unwrap_or_default().with(remote, &format!("{at}.remote"), cx)),
            None => self.remote,
        };
        let local = raw.local.and_then(|local| local.model_path).map(|path| paths.expand(&path));
        let local = local.or(self.local_model);
        let passage = raw.chunking.and_then(|chunking| chunking.tokens).map(|tokens| {
            usize::try_from(tokens.saturating_mul(TOKEN_CHARS)).unwrap_or(usize::MAX).max(MIN_PASSAGE_CHARS)
        });
        let extra = raw.extra_paths.map(|extra| extra.iter().map(|path| place(path, paths)).collect());
        let named = raw.provider.filter(|provider| provider != "auto" && !provider.trim().is_empty());
        let embeddings = match named {
            Some(provider) => Some(Embeddings { provider, model: raw.model }),
            None => {
                let is_meant = remote.is_some() && local.is_none();
                let usual = || Embeddings { provider: USUAL_SERVER.to_owned(), model: None };
                let own = self.embeddings.or_else(|| is_meant.then(usual));
                own.map(|own| Embeddings { model: raw.model.or(own.model), ..own })
            }
        };
        let fallback = match raw.fallback.map(|fallback| fallback.trim().to_owned()) {
            Some(fallback) if matches!(fallback.as_str(), "" | "none") => None,
            Some(fallback) => Some(fallback),
            None => self.fallback,
        };
        Self {
            enabled: raw.enabled.unwrap_or(self.enabled),
            extra_paths: extra.unwrap_or(self.extra_paths),
            embeddings,
            remote,
            fallback,
            local_model: local,
            index: raw.store.and_then(|store| store.path).or(self.index),
            passage_chars: passage.unwrap_or(self.passage_chars),
            query: self.query.with(raw.query.unwrap_or_default()),
            sync: self.sync.with(&raw.sync.unwrap_or_default()),
            names_sessions: raw
                .sources
                .map_or(self.names_sessions, |all| all.iter().any(|one| one == SESSIONS)),
            wants_sessions: raw
                .experimental
                .and_then(|trial| trial.session_memory)
                .unwrap_or(self.wants_sessions),
        }
    }

    /// Whether conversations are searched beside the notes.
    #[must_use]
    pub fn has_sessions(&self) -> bool {
        self.names_sessions && self.wants_sessions
    }

    /// The file of an agent's index.
    #[must_use]
    pub fn index_of(&self, agent: &AgentId, paths: &Paths) -> PathBuf {
        match &self.index {
            Some(path) => paths.expand(&path.replace(AGENT, agent.as_str())),
            None => paths.state_dir.join("memory").join(format!("{agent}.sqlite")),
        }
    }
}

impl MemorySearch {
    /// Has a file beside the one that other agents have, too: what is in an index is found by whoever asks it.
    pub(super) fn keep_apart(&mut self) {
        self.index = self.index.take().map(|path| format!("{path}.{AGENT}"));
    }
}

impl MemoryRemote {
    fn with(self, raw: raw::MemoryRemote, at: &str, cx: &mut Resolve<'_>) -> Self {
        let mut headers = self.headers;
        headers.extend(models::headers(raw.headers, at, cx));
        let base_url = models::address(raw.base_url, at, cx);
        // Another server does not get the key of the one before.
        let known_key = self.api_key.filter(|_| base_url.is_none());
        let api_key = models::key(raw.api_key, at, cx).or(known_key);
        Self { base_url: base_url.or(self.base_url), api_key, headers }
    }
}

impl MemorySync {
    fn with(self, raw: &raw::MemorySync) -> Self {
        let sessions = raw.sessions.clone().unwrap_or_default();
        let interval = raw.interval_minutes.map(|minutes| {
            (minutes > 0).then(|| Duration::from_secs(minutes.min(MAX_INTERVAL_MINUTES) * 60))
        });
        Self {
            on_session_start: raw.on_session_start.unwrap_or(self.on_session_start),
            on_search: raw.on_search.unwrap_or(self.on_search),
            watch: raw.watch.unwrap_or(self.watch),
            debounce: raw
                .watch_debounce_ms
                .map_or(self.debounce, |ms| Duration::from_millis(ms).min(MAX_DEBOUNCE)),
            interval: interval.unwrap_or(self.interval),
            delta_bytes: sessions.delta_bytes.unwrap_or(self.delta_bytes),
            delta_messages: sessions.delta_messages.unwrap_or(self.delta_messages),
        }
    }
}

impl MemoryQuery {
    fn with(self, raw: raw::MemoryQuery) -> Self {
        let hybrid = raw.hybrid.unwrap_or_default();
        let count = |written: Option<u64>, usual: usize| {
            written.and_then(|n| usize::try_from(n).ok()).unwrap_or(usual)
        };
        let diversity = hybrid.mmr.map(|mmr| {
            mmr.enabled.unwrap_or(false).then(|| mmr.lambda.unwrap_or(DEFAULT_LAMBDA).clamp(0.0, 1.0))
        });
        let half_life = hybrid.temporal_decay.map(|decay| {
            decay.enabled.unwrap_or(false).then(|| decay.half_life_days.unwrap_or(DEFAULT_HALF_LIFE).max(1))
        });
        Self {
            max_results: count(raw.max_results, self.max_results).clamp(1, MAX_RESULTS),
            min_score: raw.min_score.unwrap_or(self.min_score).clamp(0.0, 1.0),
            is_hybrid: hybrid.enabled.unwrap_or(self.is_hybrid),
            vector_weight: hybrid.vector_weight.unwrap_or(self.vector_weight).clamp(0.0, 1.0),
            text_weight: hybrid.text_weight.unwrap_or(self.text_weight).clamp(0.0, 1.0),
            candidates: count(hybrid.candidate_multiplier, self.candidates).clamp(1, 20),
            diversity: diversity.unwrap_or(self.diversity),
            half_life_days: half_life.unwrap_or(self.half_life_days),
            cites: self.cites,
        }
    }
}

/// Relative paths stay so: they begin in the workspace, which is another for every agent.
fn place(path: &str, paths: &Paths) -> PathBuf {
    if path.starts_with('~') || Path::new(path).is_absolute() {
        paths.expand(path)
    } else {
        PathBuf::from(path)
    }
}

#[cfg(test)]
mod tests;
