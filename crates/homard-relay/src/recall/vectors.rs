//! Vectors of questions and notes: who makes them, in which pieces, and what is done when nobody does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use homard_config::config::agents::Agent;
use homard_memory::{LocalModelError, MemoryPlace, Unseen};
use homard_models::budget::Spender;
use homard_models::embed::{NotEmbedded, Wanted};
use homard_models::router::Run;
use homard_protocol::{AgentId, ModelId, ModelRef, ProviderId, SessionKey};
use homard_runtime::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{NotRecalled, blocking};
use crate::parts::Recall;

/// Passages that become vectors in one request, and how many characters they have at most.
const BATCH: usize = 32;
const BATCH_CHARS: usize = 30_000;
/// How long a provider may take: somebody waits for the answer to a question.
const WITHIN: Duration = Duration::from_secs(20);
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
    #[error("the embedding provider did not answer within {} seconds", WITHIN.as_secs())]
    Late,
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
    trouble: BTreeMap<AgentId, String>,
}

impl VectorWork {
    /// Why vectors of an agent's notes are not made.
    pub(super) fn trouble(&self, agent: &AgentId) -> Option<String> {
        self.state.lock().trouble.get(agent).cloned()
    }

    fn note(&self, agent: &AgentId, trouble: Option<String>) {
        let mut state = self.state.lock();
        match trouble {
            Some(trouble) => state.trouble.insert(agent.clone(), trouble),
            None => state.trouble.remove(agent),
        };
    }
}

impl Recall {
    /// Who makes vectors for an agent, where the owner wants any: a named provider, or a model file.
    pub(super) fn maker(&self, agent: &Agent) -> Option<Maker> {
        let settings = &agent.memory_search;
        let named = settings.embeddings.as_ref();
        if let Some(path) =
            settings.local_model.as_ref().filter(|_| named.is_none_or(|named| named.provider == LOCAL))
        {
            return Some(Maker::Local(path.clone()));
        }
        let named = named?;
        let usual = USUAL.iter().find(|(provider, _)| *provider == named.provider).map(|(_, model)| *model);
        let model = named.model.as_deref().or(usual)?;
        let (provider, model) = (ProviderId::parse(&named.provider).ok()?, ModelId::parse(model).ok()?);
        Some(Maker::Remote(ModelRef { provider, model }))
    }

    /// Makes vectors, one for each text.
    pub(super) async fn vectors(
        &self,
        maker: &Maker,
        agent: &AgentId,
        texts: Vec<String>,
    ) -> Result<Vec<Vec<f32>>, NoVectors> {
        let made = self.ask_for_vectors(maker, agent, texts).await;
        self.vector_work().note(agent, made.as_ref().err().map(ToString::to_string));
        made
    }

    async fn ask_for_vectors(
        &self,
        maker: &Maker,
        agent: &AgentId,
        texts: Vec<String>,
    ) -> Result<Vec<Vec<f32>>, NoVectors> {
        let model = match maker {
            Maker::Local(path) => {
                let (path, memories) = (path.clone(), self.memories().clone());
                return Ok(blocking(move || memories.local_vectors(&path, &texts)).await??);
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
        let asked = Wanted { model, input: texts, dimensions: None };
        let asking = router.embed(&asked, &run, &cancel);
        let made = timeout(WITHIN, asking).await.map_err(|_elapsed| NoVectors::Late)??;
        match made.vectors.len() == wanted {
            true => Ok(made.vectors),
            false => Err(NoVectors::Count(made.vectors.len(), wanted)),
        }
    }

    /// Makes vectors of notes that have none, in the background, one agent's once at a time. The first failure ends it;
    /// the next question tries again.
    pub(super) fn fill_vectors(&self, maker: &Maker, agent: &Agent) {
        if !self.vector_work().state.lock().running.insert(agent.id.clone()) {
            return;
        }
        let (recall, maker, place, id) = (self.clone(), maker.clone(), self.place(agent), agent.id.clone());
        self.inner().tasks().spawn(async move {
            let cancel = recall.inner().tasks().token().clone();
            tokio::select! {
                () = recall.fill(&maker, &place, &id) => {}
                () = cancel.cancelled() => {}
            }
            recall.vector_work().state.lock().running.remove(&id);
        });
    }

    async fn fill(&self, maker: &Maker, place: &MemoryPlace, agent: &AgentId) {
        loop {
            let (memories, asked, model) = (self.memories().clone(), place.clone(), maker.name());
            let unseen = blocking(move || memories.unseen(&asked, &model, BATCH)).await;
            let Ok(Ok(unseen)) = unseen else { return };
            if unseen.is_empty() {
                let (memories, asked, model) = (self.memories().clone(), place.clone(), maker.name());
                let swept = blocking(move || memories.sweep_vectors(&asked, &model)).await;
                if let Ok(Err(error)) = swept {
                    tracing::debug!(%error, "old vectors stay");
                }
                return;
            }
            let batch = batch(unseen);
            let texts = batch.iter().map(|unseen| unseen.text.clone()).collect();
            let Ok(vectors) = self.vectors(maker, agent, texts).await else { return };
            let made: Vec<(String, Vec<f32>)> =
                batch.into_iter().map(|unseen| unseen.hash).zip(vectors).collect();
            let (memories, asked, model) = (self.memories().clone(), place.clone(), maker.name());
            match blocking(move || memories.keep_vectors(&asked, &model, &made)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    self.vector_work().note(agent, Some(error.to_string()));
                    return;
                }
                Err(_stopped) => return,
            }
        }
    }
}

/// As many as fit into one request, at least one.
fn batch(unseen: Vec<Unseen>) -> Vec<Unseen> {
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
