//! The desk every turn goes to: which models there are, which one is meant, and somebody to ask it.
//!
//! A desk is a snapshot made from one configuration; what outlives a change (credentials, the ledger, what is
//! known about rests) is shared between snapshots.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use homard_config::config::agents::Agent;
use homard_config::{Config, Environment};
use homard_llm::{CLI_API, ModelError, ModelSpec, Models, Resolved};
use homard_protocol::{AgentId, ModelRef, ProviderId};
use homard_runtime::{Clock, Mutex};

use crate::auth::{AuthContext, ProfileFiles, ProfilePolicy, Profiles, ProviderAuth};
use crate::budget::{Ledger, Spender};
use crate::discovery::Discovery;
use crate::failover::{Caller, CallerParts, FailoverPolicy, Meter, Pacing, Pinned};
use crate::select::{SelectError, Selector};

/// The file credentials are kept in, in each agent's directory.
pub const PROFILES_FILE: &str = "auth-profiles.json";

/// Who is asked first when the owner chose nobody and keys of several lie at hand, and for what: the model of
/// each that an assistant is best served by, or whichever comes first on its list.
const PREFERRED: [(&str, &str); 4] = [
    ("anthropic", "claude-opus-4-6"),
    ("openai", "gpt-5.2"),
    ("google", "gemini-3-pro-preview"),
    ("openrouter", ""),
];
/// Who is asked last then: their keys lie at hand for other reasons.
const LAST: [&str; 2] = ["amazon-bedrock", "github-copilot"];

/// What outlives a change of configuration. Clone-cheap.
#[derive(Debug, Clone)]
pub struct LongLived {
    /// What was spent and may be.
    pub ledger: Ledger,
    pub profiles: ProfileShelf,
    /// When credentials that rest may be asked early.
    pub pacing: Pacing,
    /// How patient callers are.
    pub policy: FailoverPolicy,
    /// Asks servers what they have; `None` where nobody is asked.
    pub discovery: Option<Discovery>,
    /// What time it is.
    pub clock: Clock,
}

/// The models of one configuration, ready to be asked.
#[derive(Debug)]
pub struct ModelRouter {
    models: Arc<Models>,
    auth: Arc<BTreeMap<ProviderId, ProviderAuth>>,
    selector: Selector,
    /// The model of an owner who chose none.
    first: ModelRef,
    lasting: LongLived,
}

/// On whose behalf a run asks.
pub struct Run {
    pub spender: Spender,
    /// The credential the conversation keeps to.
    pub pinned: Option<Pinned>,
    /// Where its calls are counted.
    pub meter: Arc<dyn Meter>,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("spender", &self.spender).finish_non_exhaustive()
    }
}

/// Why a model somebody wrote down is not asked.
#[derive(Debug, thiserror::Error)]
pub enum WishError {
    #[error(transparent)]
    NotAName(#[from] SelectError),
    /// The owner's list leaves it out.
    #[error("model not allowed: {0}")]
    NotAllowed(ModelRef),
    #[error(transparent)]
    CannotBeAsked(#[from] ModelError),
}

impl ModelRouter {
    /// Puts a desk together. `written` are the providers the owner wrote down, which are asked before those
    /// found by their keys.
    #[must_use]
    pub fn new(
        models: Models,
        auth: BTreeMap<ProviderId, ProviderAuth>,
        written: &[ProviderId],
        selector: Selector,
        lasting: LongLived,
    ) -> Self {
        let first = first_choice(&models, written);
        Self { models: Arc::new(models), auth: Arc::new(auth), selector, first, lasting }
    }

    /// Every model.
    #[must_use]
    pub fn models(&self) -> &Arc<Models> {
        &self.models
    }

    /// Who understands what people call models.
    #[must_use]
    pub fn selector(&self) -> &Selector {
        &self.selector
    }

    /// The models that see pictures and may be asked.
    pub fn seeing(&self) -> impl Iterator<Item = ModelRef> {
        let seeing = self.models.list().filter(|model| model.sees_images());
        let named =
            seeing.map(|model| ModelRef { provider: model.provider.clone(), model: model.id.clone() });
        named.filter(|model| self.selector.allows(model))
    }

    /// What providers can be called with.
    #[must_use]
    pub fn auth(&self) -> &BTreeMap<ProviderId, ProviderAuth> {
        &self.auth
    }

    /// What was spent and may be.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.lasting.ledger
    }

    /// Asks servers what they have.
    pub(crate) fn discovery(&self) -> Option<&Discovery> {
        self.lasting.discovery.as_ref()
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.lasting.clock
    }

    /// An agent's credentials.
    #[must_use]
    pub fn profiles(&self, agent: &AgentId) -> Profiles {
        self.lasting.profiles.of(agent)
    }

    /// The model of an owner who chose none: the first they wrote down, else the first whose key lies at
    /// hand, else the demo.
    #[must_use]
    pub fn first_choice(&self) -> &ModelRef {
        &self.first
    }

    /// The models a turn of `agent` may be answered by: the wanted one, then the owner's fallbacks.
    ///
    /// # Errors
    /// When the wanted one cannot be asked. Fallbacks that cannot are left out.
    pub fn chain(&self, agent: &Agent, wanted: &ModelRef) -> Result<Vec<Resolved>, ModelError> {
        let mut chain = vec![self.models.resolve(wanted)?];
        for next in self.selector.chain(agent, wanted).into_iter().filter(|next| next != wanted) {
            match self.models.resolve(&next) {
                Ok(resolved) => chain.push(resolved),
                Err(error) => tracing::warn!(%error, model = %next, "a fallback cannot be asked"),
            }
        }
        Ok(chain)
    }

    /// Whether a turn of `agent` may be answered by the model that somebody wrote down for later.
    ///
    /// # Errors
    /// When it is no name, the owner does not allow it, or it cannot be asked.
    pub fn check_wish(&self, agent: &Agent, text: &str) -> Result<(), WishError> {
        let wanted = self.selector.parse(text)?.model;
        if !self.selector.allows(&wanted) {
            return Err(WishError::NotAllowed(wanted));
        }
        self.chain(agent, &wanted)?;
        Ok(())
    }

    /// Somebody to ask `chain` on a run's behalf.
    #[must_use]
    pub fn caller(&self, chain: Vec<Resolved>, run: Run) -> Caller {
        let LongLived { ledger, profiles, pacing, policy, clock, discovery: _ } = self.lasting.clone();
        Caller::new(CallerParts {
            chain,
            auth: Arc::clone(&self.auth),
            profiles: profiles.of(&run.spender.agent),
            ledger,
            spender: run.spender,
            pinned: run.pinned,
            meter: run.meter,
            pacing,
            clock,
            policy,
        })
    }
}

fn first_choice(models: &Models, written: &[ProviderId]) -> ModelRef {
    let demo = Models::demo();
    let rank = |model: &&Arc<ModelSpec>| {
        let provider = model.provider.as_str();
        let preferred = PREFERRED.iter().position(|&(id, _)| id == provider);
        let last = LAST.iter().position(|&id| id == provider);
        match (written.contains(&model.provider), preferred, last) {
            (true, _, _) => (0, 0, false),
            (false, Some(at), _) => (1, at, !PREFERRED.contains(&(provider, model.id.as_str()))),
            (false, None, None) => (2, 0, false),
            (false, None, Some(at)) => (3, at, false),
        }
    };
    let real = models.list().filter(|model| model.provider != demo.provider && model.api != CLI_API);
    // Of equals the first stays, which is the owner's order within a provider.
    let best = real.min_by_key(rank);
    best.map_or(demo, |model| ModelRef { provider: model.provider.clone(), model: model.id.clone() })
}

/// Finds an agent's directory.
pub type AgentDirs = Box<dyn Fn(&AgentId) -> PathBuf + Send + Sync>;

/// Every agent's credentials, opened when first asked for. Clone-cheap.
#[derive(Clone)]
pub struct ProfileShelf {
    inner: Arc<ShelfInner>,
}

struct ShelfInner {
    opened: Mutex<HashMap<AgentId, Profiles>>,
    /// What the owner says about order and rests, and where other tools' keys may lie.
    policy: Mutex<(ProfilePolicy, Environment)>,
    agent_dir: AgentDirs,
    cx: AuthContext,
}

impl fmt::Debug for ProfileShelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.inner.opened.lock().keys()).finish()
    }
}

impl ProfileShelf {
    /// A shelf on which nothing is opened yet.
    #[must_use]
    pub fn new(agent_dir: AgentDirs, config: &Config, cx: AuthContext) -> Self {
        let policy = Mutex::new((config.auth.clone(), config.env.clone()));
        let opened = Mutex::default();
        Self { inner: Arc::new(ShelfInner { opened, policy, agent_dir, cx }) }
    }

    /// An agent's credentials.
    #[must_use]
    pub fn of(&self, agent: &AgentId) -> Profiles {
        // Held to the end, so that nobody opens by a policy that was just replaced.
        let mut opened = self.inner.opened.lock();
        opened.entry(agent.clone()).or_insert_with(|| self.open(agent)).clone()
    }

    fn open(&self, agent: &AgentId) -> Profiles {
        let file = |agent: &AgentId| (self.inner.agent_dir)(agent).join(PROFILES_FILE);
        let main = AgentId::main();
        let files = ProfileFiles { own: file(agent), main: (*agent != main).then(|| file(&main)) };
        let (policy, env) = self.inner.policy.lock().clone();
        Profiles::open(files, policy, self.inner.cx.clone()).with_environment(env)
    }

    /// The configuration changed. What it says about credentials takes effect with the next question; how
    /// credentials fared is not forgotten.
    pub fn follow(&self, config: &Config) {
        let policy = (config.auth.clone(), config.env.clone());
        let mut opened = self.inner.opened.lock();
        if *self.inner.policy.lock() == policy {
            return;
        }
        *self.inner.policy.lock() = policy;
        for (agent, profiles) in opened.iter_mut() {
            let anew = self.open(agent);
            anew.inherit(profiles);
            *profiles = anew;
        }
    }

    /// Waits until everything is on disk.
    pub async fn flush(&self) {
        let all: Vec<Profiles> = self.inner.opened.lock().values().cloned().collect();
        for profiles in all {
            profiles.flush().await;
        }
    }
}

#[cfg(test)]
mod tests;
