//! Hiding what must not be shown: texts known to be secret, wherever they stand and in the spellings they are
//! carried about in.
//!
//! One handle is filled by whoever learns a secret (settings, stored logins, renewed tokens) and used by whoever
//! passes text on: to a model, to a watcher, to the log. A text without secrets is not copied.

use std::borrow::Cow;
use std::sync::Arc;

use crate::Arrange as _;
use crate::{Mutex, RwLock};
use aho_corasick::{AhoCorasick, MatchKind};

mod spellings;
mod stream;

pub use stream::HidingStream;

/// What a reader finds in place of a secret.
pub const HIDDEN: &str = "[secret hidden]";
/// Shorter texts are too likely to be ordinary words.
pub const MIN_SECRET: usize = 8;
/// Secrets remembered; beyond it the oldest are forgotten, which are tokens that were renewed since.
const MAX_SECRETS: usize = 1_000;
/// Longest secret: a private key with its frame. Nothing longer is looked for.
const MAX_SECRET: usize = 16 * 1024;
/// What people write where a key is wanted and none is needed.
const PLACEHOLDERS: [&str; 12] = [
    "changeme",
    "change-me",
    "dummy-key",
    "llama.cpp",
    "lm-studio",
    "localhost",
    "no-key-needed",
    "not-needed",
    "not-required",
    "ollama-local",
    "placeholder",
    "your-api-key",
];

/// The secrets of one process. Clone-cheap; clones know the same secrets. The default knows none.
#[derive(Clone, Default)]
pub struct Redactor {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    known: Mutex<Vec<String>>,
    finder: RwLock<Option<Arc<Finder>>>,
}

/// All spellings of all secrets, ready to be looked for.
struct Finder {
    machine: AhoCorasick,
    /// Sorted, so that beginnings of secrets are found.
    spellings: Vec<String>,
    longest: usize,
}

impl Redactor {
    /// Hides these texts from now on. Those that are too short or stand for "none" are passed over.
    pub fn keep<S: AsRef<str>>(&self, secrets: impl IntoIterator<Item = S>) {
        let mut known = self.inner.known.lock();
        let before = known.len();
        for secret in secrets {
            let secret = secret.as_ref().trim();
            if is_worth_hiding(secret) && !known.iter().any(|old| old == secret) {
                known.push(secret.to_owned());
            }
        }
        if known.len() == before {
            return;
        }
        let surplus = known.len().saturating_sub(MAX_SECRETS);
        known.drain(..surplus);
        match Finder::new(&known) {
            Some(finder) => {
                *self.inner.finder.write() = Some(Arc::new(finder));
            }
            None => tracing::error!("the secrets known by now cannot be looked for; earlier ones still are"),
        }
    }

    /// The text without secrets.
    #[must_use]
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.hide_as(text, HIDDEN)
    }

    /// The same with another mark in their place.
    #[must_use]
    pub fn hide_as<'t>(&self, text: &'t str, mark: &str) -> Cow<'t, str> {
        let Some(finder) = self.finder() else { return Cow::Borrowed(text) };
        let mut out = String::new();
        let mut done = 0;
        for found in finder.machine.find_iter(text) {
            out.push_str(text.get(done..found.start()).unwrap_or_default());
            out.push_str(mark);
            done = found.end();
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// Hides secrets in place.
    pub fn hide_in(&self, text: &mut String) {
        if let Cow::Owned(hidden) = self.hide(text) {
            *text = hidden;
        }
    }

    /// For text that comes in pieces, which may cut a secret in two.
    #[must_use]
    pub fn stream(&self) -> HidingStream {
        HidingStream::new(self.clone())
    }

    fn finder(&self) -> Option<Arc<Finder>> {
        self.inner.finder.read().clone()
    }
}

fn is_worth_hiding(secret: &str) -> bool {
    (MIN_SECRET..=MAX_SECRET).contains(&secret.len()) && !PLACEHOLDERS.contains(&secret)
}

impl Finder {
    fn new(known: &[String]) -> Option<Self> {
        let mut spellings: Vec<String> = known.iter().flat_map(|secret| spellings::of(secret)).collect();
        spellings.arrange();
        spellings.dedup();
        let longest = spellings.iter().map(String::len).max().unwrap_or(0);
        let machine = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&spellings).ok()?;
        Some(Self { machine, spellings, longest })
    }
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = self.inner.known.lock().len();
        f.debug_struct("Redactor").field("known", &known).finish()
    }
}

#[cfg(test)]
mod tests;
