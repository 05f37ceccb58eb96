//! Everybody who can think, put together: rows, configuration, environment and stored credentials become a
//! [`ModelRouter`], again whenever one of them changes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_config::config::budgets::Budgets;
use homard_config::{Config, ConfigHandle, Paths};
use homard_llm::{Http, Models};
use homard_models::auth::{AuthContext, ProviderAuth};
use homard_models::budget::{Amount, Ledger, Spender, Spent, micro_usd};
use homard_models::catalogue;
use homard_models::cli_backend::{self, CliParts, SessionIds};
use homard_models::discovery::{Discovered, Discovery, DiscoveryParts, Keys, Report, targets};
use homard_models::failover::{FailoverPolicy, Pacing};
use homard_models::providers::{
    ConfiguredProviders, Inputs, configure_providers, read_models_json, write_models_json,
};
use homard_models::router::{LongLived, ModelRouter, PROFILES_FILE, ProfileShelf};
use homard_models::select::Selector;
use homard_protocol::{AgentId, ProviderId, SessionId};
use homard_relay::{Relay, time_zone};
use homard_runtime::{Clock, OrLog, Redactor, Tasks, off_thread};
use homard_store::{Store, StoreError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How often stored credentials are looked at for changes made by other programs.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The list of providers other programs read, in each agent's directory.
const MODELS_FILE: &str = "models.json";

/// What makes routers.
#[derive(Clone)]
pub(crate) struct ModelRoom {
    http: Http,
    clock: Clock,
    lasting: LongLived,
    cli: CliParts,
    discovery: Discovery,
    /// What was found has been seen up to the opening.
    found: watch::Receiver<Arc<Discovered>>,
    tasks: Tasks,
    /// Held by who makes a router for the gateway, so that an older one never replaces a newer.
    making: Arc<tokio::sync::Mutex<()>>,
    /// Whether servers are asked what they have without anybody wanting to know.
    asks: bool,
}

/// What the room needs from the supervisor.
pub(crate) struct RoomParts<'a> {
    pub(crate) config: &'a ConfigHandle,
    pub(crate) paths: &'a Paths,
    pub(crate) http: Http,
    pub(crate) clock: Clock,
    pub(crate) tasks: Tasks,
    pub(crate) sessions: Arc<dyn SessionIds>,
    /// Whether servers are asked in the background; a command that only looks does not.
    pub(crate) asks: bool,
    /// Is told every value of a credential.
    pub(crate) secrets: Redactor,
}

impl ModelRoom {
    /// Opens the room. Asks nobody and waits for nothing.
    pub(crate) fn open(parts: RoomParts<'_>) -> Self {
        let RoomParts { config, paths, http, clock, tasks, sessions, asks, secrets } = parts;
        let current = config.current();
        let zone = time_zone(current.agents.defaults.user_timezone.as_deref());
        let cx = AuthContext { clock: clock.clone(), http: http.clone(), tasks: tasks.clone(), secrets };
        let followed = config.clone();
        let fallback = paths.clone();
        let agent_dir = move |id: &AgentId| {
            let config = followed.current();
            config.agents.agent(id).map_or_else(|| fallback.agent_dir(id), |agent| agent.agent_dir.clone())
        };
        let profiles = ProfileShelf::new(Box::new(agent_dir), &current, cx);
        let default_agent = current.agents.default_agent().id.clone();
        let discovery = Discovery::start(DiscoveryParts {
            http: http.clone(),
            clock: clock.clone(),
            tasks: tasks.clone(),
            cache: paths.state_dir.join("cache").join("model-discovery.json"),
            keys: Some(keys(profiles.clone(), default_agent)),
            bedrock: current.models.bedrock_discovery.clone(),
            targets: Vec::new(),
        });
        let lasting = LongLived {
            ledger: Ledger::new(current.budgets.clone(), clock.clone(), zone),
            profiles,
            pacing: Pacing::default(),
            policy: FailoverPolicy::default(),
            discovery: Some(discovery.clone()),
            clock: clock.clone(),
        };
        let cli = CliParts::new(clock.clone(), sessions);
        let found = discovery.changes();
        Self { http, clock, lasting, cli, discovery, found, tasks, making: Arc::default(), asks }
    }

    /// A router for the configuration as it is now, with what servers have listed so far.
    pub(crate) async fn router(&self, config: &Config) -> ModelRouter {
        self.lasting.profiles.follow(config);
        let configured = self.configured(config, &self.discovery.current()).await;
        if self.asks {
            self.discovery.set_targets(targets(&configured, &config.models.bedrock_discovery, false));
            self.publish(config, &configured);
        }
        let ConfiguredProviders { providers, auth, notes, .. } = configured;
        for note in notes {
            tracing::warn!("{note}");
        }
        let locked = catalogue::ROWS.iter().filter(|row| !row.is_keyless()).map(|row| row.id);
        let mut models = Models::new(providers, &self.http, &self.clock).with_locked(locked);
        for (provider, specs) in cli_backend::providers(config, &self.cli) {
            models = models.with_provider(provider, specs);
        }
        let written: Vec<ProviderId> = config.models.providers.keys().cloned().collect();
        ModelRouter::new(models, auth, &written, Selector::new(config), self.lasting.clone())
    }

    /// Makes a router for the configuration there is when everybody before is done, and hands it over.
    pub(crate) async fn renew(&self, config: &ConfigHandle, take: impl FnOnce(&Config, ModelRouter)) {
        let _making = self.making.lock().await;
        let current = config.current();
        take(&current, self.router(&current).await);
    }

    async fn configured(&self, config: &Config, discovered: &Discovered) -> ConfiguredProviders {
        let agent = config.agents.default_agent();
        let stored_profiles = self.stored(config).await;
        let kept = read_models_json(&agent.agent_dir.join(MODELS_FILE));
        configure_providers(&Inputs {
            config,
            env: &config.env,
            stored_profiles: &stored_profiles,
            discovered,
            kept: kept.as_ref(),
        })
    }

    /// Tells other programs, by way of a file, who can be called.
    fn publish(&self, config: &Config, configured: &ConfiguredProviders) {
        let path = config.agents.default_agent().agent_dir.join(MODELS_FILE);
        let value = configured.models_json.clone();
        self.tasks.spawn(async move {
            let writing = off_thread(move || write_models_json(&path, &value)).await;
            match writing {
                Ok(Ok(_changed)) => {}
                Ok(Err(error)) => tracing::warn!(%error, "models.json could not be written"),
                Err(error) => tracing::warn!(%error, "models.json could not be written"),
            }
        });
    }

    /// Asks servers now what they have: those configured and those people run on their own machine.
    pub(crate) async fn scan(&self, config: &Config, only: Option<&ProviderId>) -> Report {
        let configured = self.configured(config, &self.discovery.current()).await;
        let mut asked = targets(&configured, &config.models.bedrock_discovery, true);
        asked.retain(|target| only.is_none_or(|only| target.provider == *only));
        self.discovery.scan(asked).await
    }

    /// What servers have listed so far.
    pub(crate) fn discovered(&self) -> Arc<Discovered> {
        self.discovery.current()
    }

    /// Waits until everything is on disk.
    pub(crate) async fn flush(&self) {
        self.lasting.profiles.flush().await;
    }

    /// What was spent and may be.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.lasting.ledger
    }

    /// Takes the owner's new limits and counts what they concern.
    ///
    /// # Errors
    /// When the usage table cannot be read.
    pub(crate) async fn budget(&self, config: &Config, store: &Store) -> Result<(), StoreError> {
        let (ledger, limits) = (self.ledger(), &config.budgets);
        match self.spent(limits, store).await {
            Ok(rows) => ledger.take_limits(limits.clone(), rows.into_iter()),
            Err(error) => {
                ledger.set_limits(limits.clone());
                return Err(error);
            }
        }
        // Calls that ended while the table was read.
        ledger.restore(self.spent(limits, store).await?.into_iter());
        Ok(())
    }

    /// What was spent in the periods of these limits.
    async fn spent(&self, limits: &Budgets, store: &Store) -> Result<Vec<Spent>, StoreError> {
        let mut spent = Vec::new();
        for (span, since) in self.ledger().periods_of(limits) {
            let rows = store.usage().spent_since(since).await?;
            spent.extend(rows.into_iter().map(|row| Spent {
                who: Spender { agent: row.agent_id, session: row.session_key, job: row.job_id },
                span,
                amount: Amount { tokens: row.tokens, micro_usd: micro_usd(row.usd) },
            }));
        }
        Ok(spent)
    }

    /// Makes a new router whenever servers list something new or stored credentials change, until `cancel`.
    pub(crate) async fn follow(&self, relay: &Relay, config: &ConfigHandle, cancel: &CancellationToken) {
        // As of the opening: a server may have answered between the first router and now.
        let mut found = self.found.clone();
        let (mut seen, mut known) = (stamps(&config.current()), self.stored(&config.current()).await);
        loop {
            tokio::select! {
                () = cancel.cancelled() => return,
                changed = found.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(LOOK_EVERY) => {
                    let now = stamps(&config.current());
                    if now == seen {
                        continue;
                    }
                    seen = now;
                    // The file also changes with every call that counts; only other providers are news.
                    let stored = self.stored(&config.current()).await;
                    if stored == known {
                        continue;
                    }
                    known = stored;
                }
            }
            self.renew(config, |_current, router| relay.take_router(router)).await;
        }
    }

    /// The providers that have stored credentials.
    async fn stored(&self, config: &Config) -> BTreeSet<ProviderId> {
        self.lasting.profiles.of(&config.agents.default_agent().id).providers().await
    }
}

/// When the files of stored credentials last changed.
fn stamps(config: &Config) -> Vec<Option<SystemTime>> {
    let file = |dir: &PathBuf| std::fs::metadata(dir.join(PROFILES_FILE)).and_then(|m| m.modified()).ok();
    config.agents.list.iter().map(|agent| file(&agent.agent_dir)).collect()
}

/// Finds stored credentials for asking servers what they have.
fn keys(profiles: ProfileShelf, agent: AgentId) -> Keys {
    Arc::new(move |auth: ProviderAuth| {
        let profiles = profiles.of(&agent);
        async move {
            let candidates = profiles.candidates(&auth, None).await;
            let usable = candidates.iter().find(|candidate| candidate.cooling_until.is_none())?;
            profiles.credential(&auth, usable, &CancellationToken::new()).await.ok()
        }
        .boxed()
    })
}

/// Programs' own names for conversations, kept with the conversations.
pub(crate) struct StoredSessionIds(pub(crate) Store);

impl SessionIds for StoredSessionIds {
    fn get<'a>(&'a self, session: &'a str, backend: &'a ProviderId) -> BoxFuture<'a, Option<String>> {
        async move {
            let id = SessionId::parse(session).ok()?;
            let record = self.0.sessions().by_id(&id).await.ok()??;
            record.entry.cli_session_ids.get(backend.as_str()).cloned()
        }
        .boxed()
    }

    fn set<'a>(
        &'a self,
        session: &'a str,
        backend: &'a ProviderId,
        name: Option<String>,
    ) -> BoxFuture<'a, ()> {
        async move {
            let Ok(id) = SessionId::parse(session) else { return };
            let Ok(Some(record)) = self.0.sessions().by_id(&id).await else { return };
            let backend = backend.to_string();
            let patched = self.0.sessions().patch(&record.key, move |entry| {
                match name {
                    Some(name) => entry.cli_session_ids.insert(backend, name),
                    None => entry.cli_session_ids.remove(&backend),
                };
            });
            patched.await.or_log("a program's name for a conversation was not kept");
        }
        .boxed()
    }
}
