//! Asking servers which models they have.
//!
//! Nothing waits for it: what was found last time is read from a small file at the start, servers are asked in
//! the background, and whoever is interested is told when something new was found. Every question is bounded
//! in time and size; an answer that makes no sense leaves what was known before. What the found models are used
//! for is decided in [`providers`](crate::providers).

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};
use homard_config::config::models::BedrockDiscovery;
use homard_llm::{Credential, Http, LlmError};
use homard_protocol::ProviderId;
use homard_runtime::{Clock, Mutex, OrLog as _, Tasks, millis_i64, off_thread};
use tokio::sync::{Notify, watch};

use crate::auth::ProviderAuth;

mod ask;
mod bedrock;
mod found;
mod listing;
mod ollama;
mod own_server;
mod targets;

pub use found::{Discovered, Found, FoundModel};
pub use targets::{Target, targets};

/// How long an answer stays fresh.
pub const REFRESH_EVERY: Duration = Duration::from_secs(3_600);
/// How often freshness is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(600);
/// How many servers are asked at once.
const AT_ONCE: usize = 4;

/// Finds the credential of a provider whose key lies neither in the environment nor in the configuration.
pub type Keys = Arc<dyn Fn(ProviderAuth) -> BoxFuture<'static, Option<Arc<Credential>>> + Send + Sync>;

/// What discovery needs from the house.
#[derive(Clone)]
pub struct DiscoveryParts {
    pub http: Http,
    /// Tells how old an answer is.
    pub clock: Clock,
    pub tasks: Tasks,
    /// Where answers are kept: `<state>/cache/model-discovery.json`.
    pub cache: PathBuf,
    /// Finds stored credentials; without it only keys of the environment and the configuration are used.
    pub keys: Option<Keys>,
    /// What the owner says about asking Amazon.
    pub bedrock: BedrockDiscovery,
    pub targets: Vec<Target>,
}

impl fmt::Debug for DiscoveryParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscoveryParts").field("cache", &self.cache).finish_non_exhaustive()
    }
}

/// A clone-cheap handle on what was found and on the asking.
#[derive(Debug, Clone)]
pub struct Discovery {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    parts: DiscoveryParts,
    targets: Mutex<Vec<Target>>,
    found: watch::Sender<Arc<Discovered>>,
    /// One asking at a time: the background's and a person's would only do the same twice.
    asking: tokio::sync::Mutex<()>,
    /// The list of targets changed.
    news: Notify,
}

/// What asking brought.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// How many models each server listed, or why it did not.
    pub providers: BTreeMap<ProviderId, Result<usize, LlmError>>,
}

impl Discovery {
    /// Reads what was found last time and begins to ask in the background. Does not wait.
    #[must_use]
    pub fn start(parts: DiscoveryParts) -> Self {
        let known = Arc::new(Discovered::load(&parts.cache));
        let targets = Mutex::new(parts.targets.clone());
        let inner = Inner {
            targets,
            found: watch::Sender::new(known),
            asking: tokio::sync::Mutex::default(),
            news: Notify::new(),
            parts,
        };
        let discovery = Self { inner: Arc::new(inner) };
        let background = discovery.clone();
        discovery.inner.parts.tasks.spawn(async move { background.watch().await });
        discovery
    }

    /// What is known now.
    #[must_use]
    pub fn current(&self) -> Arc<Discovered> {
        self.inner.found.borrow().clone()
    }

    /// Tells when something else is known than before.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Arc<Discovered>> {
        self.inner.found.subscribe()
    }

    /// Says whom to ask from now on; those not asked recently are asked soon.
    pub fn set_targets(&self, targets: Vec<Target>) {
        *self.inner.targets.lock() = targets;
        self.inner.news.notify_one();
    }

    /// Asks now, whatever the age of what is known; `only` these, or everybody when empty.
    pub async fn refresh(&self, only: &[ProviderId]) -> Report {
        let targets = self.targets();
        let wanted = |target: &Target| only.is_empty() || only.contains(&target.provider);
        self.ask(targets.into_iter().filter(wanted).collect()).await
    }

    /// Asks these servers now, also such as are not targets: a person looks for servers of their own.
    pub async fn scan(&self, targets: Vec<Target>) -> Report {
        self.ask(targets).await
    }

    fn targets(&self) -> Vec<Target> {
        self.inner.targets.lock().clone()
    }

    async fn watch(&self) {
        let cancel = self.inner.parts.tasks.token().clone();
        loop {
            let looking = async {
                let stale = self.stale();
                if !stale.is_empty() {
                    self.ask(stale).await;
                }
                tokio::select! {
                    () = self.inner.news.notified() => {}
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
            };
            tokio::select! {
                () = looking => {}
                () = cancel.cancelled() => return,
            }
        }
    }

    /// Whose answer is older than it may be.
    fn stale(&self) -> Vec<Target> {
        let now = self.inner.parts.clock.now_ms();
        let known = self.current();
        let mut targets = self.targets();
        targets.retain(|target| {
            let limit = target.refresh_every(&self.inner.parts.bedrock);
            let limit = millis_i64(limit);
            let asked = known.asked_at(&target.provider, &target.base_url);
            // A clock that was turned back makes everything stale rather than fresh for ever.
            asked.is_none_or(|asked| asked > now || now - asked >= limit)
        });
        targets
    }

    async fn ask(&self, targets: Vec<Target>) -> Report {
        let _one_at_a_time = self.inner.asking.lock().await;
        let parts = &self.inner.parts;
        let asked = stream::iter(targets)
            .map(|target| async move {
                let answer = ask::models(parts, &target).await;
                (target, answer)
            })
            .buffer_unordered(AT_ONCE)
            .collect::<Vec<_>>()
            .await;
        let now = parts.clock.now_ms();
        let mut next = Discovered::clone(&self.current());
        let mut report = Report::default();
        for (target, answer) in asked {
            let outcome = match answer {
                Ok(models) => {
                    let count = models.len();
                    next.put(target.provider.clone(), Found { at: now, base_url: target.base_url, models });
                    Ok(count)
                }
                Err(error) => {
                    tracing::debug!(provider = %target.provider, %error, "could not ask for models");
                    next.missed(&target.provider, &target.base_url, now);
                    Err(error)
                }
            };
            report.providers.insert(target.provider, outcome);
        }
        self.publish(next).await;
        report
    }

    async fn publish(&self, next: Discovered) {
        let next = Arc::new(next);
        let (saved, path) = (Arc::clone(&next), self.inner.parts.cache.clone());
        let saving = off_thread(move || saved.save(&path)).await;
        if let Ok(outcome) = saving {
            outcome.or_log("found models are not remembered");
        }
        self.inner.found.send_if_modified(|known| {
            let is_new = !known.same_models(&next);
            *known = next;
            is_new
        });
    }
}
