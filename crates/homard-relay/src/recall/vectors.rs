//! Vectors of questions and notes: who makes them, in which pieces, and what is done when nobody does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use homard_config::config::agents::Agent;
use homard_memory::{LocalModelError, Memories, MemoryPlace, MissingVector};
use homard_models::budget::Spender;
use homard_models::embed::{EmbedTexts, NotEmbedded};
use homard_models::router::Run;
use homard_protocol::{AgentId, ModelId, ModelRef, ProviderId, SessionKey};
use homard_runtime::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{NotRecalled, apart, blocking};
use crate::parts::Recall;

/// Passages that become vectors in one request, and how many characters they have at most.
const BATCH: usize = 32;
const BATCH_CHARS: usize = 30_000;
/// How long a provider may take for a question, whose answer somebody waits for, and for a batch of passages.
const QUESTION_WITHIN: Duration = Duration::from_secs(5);
const BATCH_WITHIN: Duration = Duration::from_secs(60);
/// How long a provider is not asked about questions that did not answer: nobody waits for it again and again.
const RESTS: Duration = Duration::from_secs(60);
/// The provider that is a file of the owner's.
const LOCAL: &str = "local";
/// Models that are asked where the owner names only the provider.
const USUAL: [(&str, &str); 4] = [
    ("openai", "text-embedding-3-small"),
    ("google", "gemini-embedding-001"),
    ("ollama", "nomic-embed-text"),
    ("voyage", "voyage-4-large"),
];

/// Who makes vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Maker {
    Remote(ModelRef),
    Local(PathBuf),
}

impl Maker {
    /// The same model, asked at a server of its own where there is one.
    fn at(self, server: Option<ProviderId>) -> Self {
        match (self, server) {
            (Self::Remote(model), Some(provider)) => Self::Remote(ModelRef { provider, ..model }),
            (maker, _) => maker,
        }
    }

    /// What its vectors are kept under. Another file in the place of a model's makes other vectors.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Remote(_) => self.name(),
            Self::Local(path) => format!("{}#{}", self.name(), Memories::local_mark(path)),
        }
    }

    /// As `provider/model`.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Remote(model) => format!("{}/{}", model.provider, model.model),
            Self::Local(path) => {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                format!("{LOCAL}/{}", name.unwrap_or_default())
            }
        }
    }
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoVectors {
    #[error("{0}")]
    Provider(#[from] NotEmbedded),
    #[error("the embedding provider did not answer within {} seconds", .0.as_secs())]
    Late(Duration),
    #[error("the embedding provider answered with {0} vectors for {1} texts")]
    Count(usize, usize),
    #[error("{0}")]
    Local(#[from] LocalModelError),
    #[error("{0}")]
    Stopped(#[from] NotRecalled),
}

/// Whose notes are being made into vectors, and what went wrong the last time.
#[derive(Debug, Default)]
pub(crate) struct VectorWork {
    state: Mutex<WorkState>,
}

#[derive(Debug, Default)]
struct WorkState {
    running: BTreeSet<AgentId>,
    /// By agent and maker: that another can does not mean that this one does.
    trouble: BTreeMap<(AgentId, String), String>,
    /// Makers that did not answer in time, and until when they are left alone.
    resting: BTreeMap<String, Instant>,
}

impl VectorWork {
    /// Why vectors of an agent's notes are not made by who should make them now.
    pub(super) fn trouble(&self, agent: &AgentId, makers: &[Maker]) -> Option<String> {
        let state = self.state.lock();
        makers.iter().find_map(|maker| state.trouble.get(&(agent.clone(), maker.name())).cloned())
    }

    /// Why a maker is not asked just now.
    fn rest_of(&self, agent: &AgentId, maker: &Maker) -> Option<String> {
        let mut state = self.state.lock();
        state.resting.retain(|_, until| *until > Instant::now());
        let (name, is_resting) = (maker.name(), state.resting.contains_key(&maker.name()));
        let trouble = state.trouble.get(&(agent.clone(), name)).cloned();
        is_resting.then(|| trouble.unwrap_or_else(|| NoVectors::Late(QUESTION_WITHIN).to_string()))
    }

    fn note(&self, agent: &AgentId, maker: &Maker, trouble: Option<String>) {
        let (mut state, key) = (self.state.lock(), (agent.clone(), maker.name()));
        match trouble {
            Some(trouble) => state.trouble.insert(key, trouble),
            None => state.trouble.remove(&key),
        };
    }
}

impl Recall {
    /// Who makes vectors for an agent, where the owner wants any: a named provider or a model file, and then whoever is
    /// asked when that fails.
    pub(super) fn makers(&self, agent: &Agent) -> Vec<Maker> {
        let settings = &agent.memory_search;
        let local = || settings.local_model.clone().map(Maker::Local);
        let first = match &settings.embeddings {
            None => local(),
            Some(named) if named.provider == LOCAL => local(),
            Some(named) => {
                let server = self.inner().config().agents.memory_server(agent).map(|server| server.name);
                remote(&named.provider, named.model.as_deref()).map(|maker| maker.at(server))
            }
        };
        let Some(first) = first else { return Vec::new() };
        let second = match settings.fallback.as_deref() {
            Some(LOCAL) => local(),
            Some(provider) => remote(provider, None),
            None => None,
        };
        let second = second.filter(|second| *second != first);
        [first].into_iter().chain(second).collect()
    }

    /// The vector of a question. Who hung when asked is left alone for a while.
    pub(super) async fn vector_of_question(
        &self,
        maker: &Maker,
        agent: &AgentId,
        words: &str,
    ) -> Result<Option<Vec<f32>>, String> {
        if let Some(trouble) = self.vector_work().rest_of(agent, maker) {
            return Err(trouble);
        }
        match self.vectors(maker, agent, vec![words.to_owned()], QUESTION_WITHIN).await {
            Ok(mut made) => Ok(made.pop()),
            Err(error) => {
                if matches!(error, NoVectors::Late(_)) {
                    let until = Instant::now() + RESTS;
                    self.vector_work().state.lock().resting.insert(maker.name(), until);
                }
                Err(error.to_string())
            }
        }
    }

    /// Makes vectors, one for each text.
    async fn vectors(
        &self,
        maker: &Maker,
        agent: &AgentId,
        texts: Vec<String>,
        within: Duration,
    ) -> Result<Vec<Vec<f32>>, NoVectors> {
        let made = self.ask_for_vectors(maker, agent, texts, within).await;
        self.vector_work().note(agent, maker, made.as_ref().err().map(ToString::to_string));
        made
    }

    async fn ask_for_vectors(
        &self,
        maker: &Maker,
        agent: &AgentId,
        texts: Vec<String>,
        within: Duration,
    ) -> Result<Vec<Vec<f32>>, NoVectors> {
        let model = match maker {
            Maker::Local(path) => {
                let (path, memories) = (path.clone(), self.memories().clone());
                let work = move || memories.local_vectors(&path, &texts);
                // One text is a question; many are notes, which can wait.
                return Ok(if within == QUESTION_WITHIN {
                    blocking(work).await?
                } else {
                    apart(work).await?
                }?);
            }
            Maker::Remote(model) => model.clone(),
        };
        let wanted = texts.len();
        let session = SessionKey::main(agent.clone());
        let run = Run {
            spender: Spender { agent: agent.clone(), session: session.clone(), job: None },
            pinned: None,
            meter: self.setup().meter(agent.clone(), session),
        };
        let cancel = CancellationToken::new();
        let _stops = cancel.clone().drop_guard();
        let router = self.inner().router();
        let asked = EmbedTexts { model, input: texts, dimensions: None };
        let asking = router.embed(&asked, &run, &cancel);
        let made = timeout(within, asking).await.map_err(|_elapsed| NoVectors::Late(within))??;
        match made.vectors.len() == wanted {
            true => Ok(made.vectors),
            false => Err(NoVectors::Count(made.vectors.len(), wanted)),
        }
    }

    /// Makes vectors of notes that have none, in the background, one agent's once at a time. The first failure of a maker
    /// ends its work; the next question tries again.
    pub(super) fn fill_vectors(&self, agent: &Agent) {
        let makers = self.makers(agent);
        if makers.is_empty() || !self.vector_work().state.lock().running.insert(agent.id.clone()) {
            return;
        }
        let (recall, place, id) = (self.clone(), self.place(agent), agent.id.clone());
        self.inner().tasks().spawn(async move {
            let cancel = recall.inner().tasks().token().clone();
            tokio::select! {
                () = recall.fill_all(&makers, &place, &id) => {}
                () = cancel.cancelled() => {}
            }
            recall.vector_work().state.lock().running.remove(&id);
        });
    }

    /// By the first of them that can; vectors of the others stay for the day it cannot.
    async fn fill_all(&self, makers: &[Maker], place: &MemoryPlace, agent: &AgentId) {
        for maker in makers {
            if self.fill(maker, place, agent).await {
                let (memories, place) = (self.memories().clone(), place.clone());
                let models: Vec<String> = makers.iter().map(Maker::key).collect();
                let swept = blocking(move || memories.sweep_vectors(&place, &models)).await;
                if let Ok(Err(error)) = swept {
                    tracing::debug!(%error, "old vectors stay");
                }
                return;
            }
        }
    }

    /// Whether every passage has a vector of this maker's now.
    async fn fill(&self, maker: &Maker, place: &MemoryPlace, agent: &AgentId) -> bool {
        let mut after = String::new();
        loop {
            let (memories, asked, model, last) =
                (self.memories().clone(), place.clone(), maker.key(), after.clone());
            let unseen = blocking(move || memories.unseen(&asked, &model, &last, BATCH)).await;
            let Ok(Ok(unseen)) = unseen else { return false };
            if unseen.is_empty() && after.is_empty() {
                return true;
            }
            let batch = batch(unseen);
            // From the beginning once more: what came meanwhile may stand before.
            after = batch.last().map_or_else(String::new, |last| last.hash.clone());
            if batch.is_empty() {
                continue;
            }
            let texts = batch.iter().map(|unseen| unseen.text.clone()).collect();
            let Ok(vectors) = self.vectors(maker, agent, texts, BATCH_WITHIN).await else { return false };
            let made: Vec<(String, Vec<f32>)> =
                batch.into_iter().map(|unseen| unseen.hash).zip(vectors).collect();
            let (memories, asked, model) = (self.memories().clone(), place.clone(), maker.key());
            match blocking(move || memories.keep_vectors(&asked, &model, &made)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    self.vector_work().note(agent, maker, Some(error.to_string()));
                    return false;
                }
                Err(_stopped) => return false,
            }
        }
    }
}

/// A provider with its model, or the one that is usual there.
fn remote(provider: &str, model: Option<&str>) -> Option<Maker> {
    // It is asked for by the model's name, too.
    let provider = if provider == "gemini" { "google" } else { provider };
    let usual = USUAL.iter().find(|(known, _)| *known == provider).map(|(_, model)| *model);
    let model = ModelId::parse(model.or(usual)?).ok()?;
    Some(Maker::Remote(ModelRef { provider: ProviderId::parse(provider).ok()?, model }))
}

/// As many as fit into one request, at least one.
fn batch(unseen: Vec<MissingVector>) -> Vec<MissingVector> {
    let mut chars = 0;
    let mut taken = Vec::new();
    for unseen in unseen {
        chars += unseen.text.chars().count();
        if chars > BATCH_CHARS && !taken.is_empty() {
            break;
        }
        taken.push(unseen);
    }
    taken
}
