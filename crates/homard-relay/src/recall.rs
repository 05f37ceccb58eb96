//! What agents wrote down, found again: for tools, methods, the page and the command line alike.
//!
//! `homard-memory` searches and blocks; here its work is put on threads of its own, whose settings hold is decided, and
//! vectors are asked for: of a provider, or of the owner's model file. Without them, or when they fail, the words alone are
//! searched, and it is said.

mod keeping;
mod sessions;
mod tools;
mod vectors;
mod written;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_config::config::agents::Agent;
use homard_memory::{
    FoundPassage, IndexError, MemoryPlace, MemoryQuestion, MemoryStatus, PickRules, Sessions, Synced,
    WorkspaceFileError, session_of,
};
use homard_protocol::methods::memory::{MemorySource, MemoryWriter};
use homard_protocol::{AgentId, SessionKey};
use homard_runtime::off_thread;
use homard_store::StoreError;
use homard_tools::Label;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::parts::Recall;
use crate::turn_setup::settings::time_zone;
pub(crate) use keeping::NoteWatch;
pub(crate) use sessions::SessionLooks;
use sessions::{Depth, Keys};
use vectors::Maker;
pub(crate) use vectors::VectorWork;
pub(crate) use written::WrittenByAgents;

/// Why nothing was remembered.
#[derive(Debug, thiserror::Error)]
pub enum NotRecalled {
    #[error("unknown agent id \"{0}\"")]
    UnknownAgent(AgentId),
    #[error("searching notes is turned off for agent `{0}` (memorySearch.enabled)")]
    Off(AgentId),
    #[error(transparent)]
    File(#[from] WorkspaceFileError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the work was stopped")]
    Stopped,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    pub agent_id: AgentId,
    pub passages: Vec<RecalledPassage>,
    /// Who made vectors for it, as `provider/model`; `None` where the words alone were searched.
    pub model: Option<String>,
    /// What is not as it should be.
    pub note: Option<String>,
}

/// A passage, with what is known about its file.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledPassage {
    pub found: FoundPassage,
    pub updated_at_ms: Option<i64>,
    /// Whose words it is, where they are not the owner's or the agent's.
    pub from_others: Option<Label>,
    /// The conversation it was said in.
    pub session_key: Option<SessionKey>,
}

impl RecalledPassage {
    /// What it is of.
    #[must_use]
    pub fn source(&self) -> MemorySource {
        if self.session_key.is_some() { MemorySource::Sessions } else { MemorySource::Memory }
    }

    /// Who wrote it, as far as is known.
    #[must_use]
    pub fn by(&self) -> MemoryWriter {
        match (&self.from_others, self.found.is_of_agent) {
            (Some(_), _) => MemoryWriter::Others,
            (None, true) => MemoryWriter::Agent,
            (None, false) => MemoryWriter::Owner,
        }
    }
}

/// How an agent's memory stands.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryStanding {
    pub agent_id: AgentId,
    pub index: std::path::PathBuf,
    pub standing: MemoryStatus,
    /// Who makes vectors, as `provider/model`.
    pub model: Option<String>,
    /// Why vectors are not made, as far as somebody tried.
    pub trouble: Option<String>,
}

/// What bringing an index up to date came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    pub agent_id: AgentId,
    /// `None` when somebody else is at it.
    pub synced: Option<Synced>,
}

/// A question's vector, and who made it.
struct QuestionVector {
    maker: Maker,
    vector: Vec<f32>,
}

impl Recall {
    /// Searches an agent's notes, and all of its conversations where the owner wants that; the default agent's when none is
    /// named.
    ///
    /// # Errors
    /// When there is no such agent, it may not, or the index cannot be used.
    pub fn search<'a>(
        &'a self,
        agent: Option<&'a AgentId>,
        words: String,
        most: Option<usize>,
        least: Option<f64>,
    ) -> BoxFuture<'a, Result<Recalled, NotRecalled>> {
        async move {
            let agent = self.agent(agent)?;
            let sessions = self.all_sessions(&agent).await?;
            let picking = picking(&agent, most, least);
            self.search_in(agent, sessions, words, picking).await
        }
        .boxed()
    }

    /// The same in its notes and these conversations.
    async fn search_in(
        &self,
        agent: Agent,
        sessions: Keys,
        words: String,
        picking: PickRules,
    ) -> Result<Recalled, NotRecalled> {
        let settings = &agent.memory_search;
        if !settings.enabled {
            return Err(NotRecalled::Off(agent.id));
        }
        self.keep_up(&agent);
        if settings.sync.on_search {
            self.take_in_sessions(&agent, Depth::Grown).await;
        }
        let place = self.place(&agent);
        let (vector, mut note) = self.question_vector(&agent, &words).await;
        let (today, catches_up) = (self.today(), settings.sync.on_search);
        let memories = self.memories().clone();
        let model = vector.as_ref().map(|asked| asked.maker.name());
        let key = vector.as_ref().map(|asked| asked.maker.key()).unwrap_or_default();
        let asked = place.clone();
        let seen = Arc::new(sessions.keys().cloned().collect());
        let has_all = !catches_up || memories.is_current(&place);
        let search = move || {
            let vector = vector.as_ref().map(|asked| (key.as_str(), asked.vector.as_slice()));
            let seen = Sessions::Only(&seen);
            let question = MemoryQuestion { words: &words, sessions: seen, today, vector, catches_up };
            memories.search(&asked, &question, &picking)
        };
        let found = if has_all { blocking(search).await?? } else { alone(search).await?? };
        if note.is_none() && found.is_empty() && self.is_being_made(&place).await {
            note = Some("the index is being made; ask again in a moment".to_owned());
        }
        let passages = self.about(&place, found, &sessions).await?;
        Ok(Recalled { passages, agent_id: agent.id, model, note })
    }

    /// The vector of a question with who made it, and what is to be said where it is not who should have.
    async fn question_vector(&self, agent: &Agent, words: &str) -> (Option<QuestionVector>, Option<String>) {
        let makers = if agent.memory_search.query.is_hybrid { self.makers(agent) } else { Vec::new() };
        if !makers.is_empty() {
            self.fill_vectors(agent);
        }
        let mut failed: Option<String> = None;
        for maker in &makers {
            match self.vector_of_question(maker, &agent.id, words).await {
                Ok(made) => {
                    let instead = failed.map(|error| format!("searched with `{}`: {error}", maker.name()));
                    return (made.map(|vector| QuestionVector { maker: maker.clone(), vector }), instead);
                }
                Err(error) => failed = Some(failed.unwrap_or(error)),
            }
        }
        (None, failed.map(|error| format!("searched by words alone: {error}")))
    }

    /// Brings an index up to date, or makes it `anew`, and has vectors made of what is new.
    ///
    /// # Errors
    /// When there is no such agent, or the index cannot be written.
    pub fn index<'a>(
        &'a self,
        agent: Option<&'a AgentId>,
        anew: bool,
    ) -> BoxFuture<'a, Result<Indexed, NotRecalled>> {
        async move {
            let agent = self.agent(agent)?;
            let (place, memories) = (self.place(&agent), self.memories().clone());
            let synced =
                apart(move || if anew { memories.rebuild(&place) } else { memories.sync(&place) }).await??;
            self.session_looks().forget(&agent.id);
            self.take_in_sessions(&agent, Depth::All).await;
            self.keep_up(&agent);
            self.fill_vectors(&agent);
            Ok(Indexed { agent_id: agent.id, synced })
        }
        .boxed()
    }

    /// How an agent's memory stands.
    ///
    /// # Errors
    /// When there is no such agent, or the index cannot be read.
    pub async fn standing(&self, agent: Option<&AgentId>) -> Result<MemoryStanding, NotRecalled> {
        let agent = self.agent(agent)?;
        let (place, memories) = (self.place(&agent), self.memories().clone());
        let index = place.index.clone();
        let standing = blocking(move || memories.standing(&place)).await??;
        let makers = self.makers(&agent);
        let model = makers.first().map(Maker::name);
        let trouble = self.vector_work().trouble(&agent.id, &makers);
        Ok(MemoryStanding { agent_id: agent.id, index, standing, model, trouble })
    }

    /// Where an agent's memory is.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn place_of(&self, agent: Option<&AgentId>) -> Result<(AgentId, MemoryPlace), NotRecalled> {
        let agent = self.agent(agent)?;
        let place = self.place(&agent);
        Ok((agent.id, place))
    }

    fn agent(&self, id: Option<&AgentId>) -> Result<Agent, NotRecalled> {
        let config = self.inner().config();
        match id {
            Some(id) => config.agents.agent(id).cloned().ok_or_else(|| NotRecalled::UnknownAgent(id.clone())),
            None => Ok(config.agents.default_agent().clone()),
        }
    }

    fn place(&self, agent: &Agent) -> MemoryPlace {
        let settings = &agent.memory_search;
        MemoryPlace {
            workspace: agent.workspace.clone(),
            extra: settings.extra_paths.clone(),
            index: settings.index_of(&agent.id, self.inner().paths()),
            passage_chars: settings.passage_chars,
        }
    }

    /// The owner's day.
    fn today(&self) -> Date {
        let config = self.inner().config();
        let zone = time_zone(config.agents.defaults.user_timezone.as_deref());
        let now = Timestamp::from_millisecond(self.inner().clock().now_ms()).unwrap_or(Timestamp::UNIX_EPOCH);
        now.to_zoned(zone).date()
    }

    async fn is_being_made(&self, place: &MemoryPlace) -> bool {
        let (place, memories) = (place.clone(), self.memories().clone());
        let standing = blocking(move || memories.standing(&place)).await;
        standing.is_ok_and(|standing| standing.is_ok_and(|standing| standing.progress.is_some()))
    }

    /// Adds when the files of passages changed and whose words they are.
    async fn about(
        &self,
        place: &MemoryPlace,
        found: Vec<FoundPassage>,
        sessions: &Keys,
    ) -> Result<Vec<RecalledPassage>, NotRecalled> {
        let mut labels: BTreeMap<&SessionKey, Option<Label>> = BTreeMap::new();
        for key in found.iter().filter_map(|found| sessions.get(session_of(&found.path)?)) {
            if !labels.contains_key(key) {
                labels.insert(key, self.setup().labels_of(key).await?.into_iter().next());
            }
        }
        let of_talk = |found: &FoundPassage| {
            let key = sessions.get(session_of(&found.path)?)?;
            Some((key.clone(), labels.get(key).cloned().flatten()))
        };
        let found: Vec<_> = found.into_iter().map(|found| (of_talk(&found), found)).collect();
        let (files, workspace) = (self.inner().guards().files.clone(), place.workspace.clone());
        blocking(move || {
            let workspace = workspace.canonicalize().unwrap_or(workspace);
            let about = |(talk, found): (Option<(SessionKey, Option<Label>)>, FoundPassage)| {
                if let Some((key, from_others)) = talk {
                    return RecalledPassage {
                        updated_at_ms: None,
                        from_others,
                        session_key: Some(key),
                        found,
                    };
                }
                let file = workspace.join(&found.path);
                let file = file.canonicalize().unwrap_or(file);
                RecalledPassage {
                    updated_at_ms: changed_at(&file),
                    from_others: files.label_by_name_or_content(&file),
                    session_key: None,
                    found,
                }
            };
            found.into_iter().map(about).collect()
        })
        .await
    }

    /// A note was written for an agent, by the house and not by one of its tools.
    pub fn written_for_agent(&self, text: &[u8]) {
        self.written().tell(text);
    }
}

fn changed_at(file: &Path) -> Option<i64> {
    let since = file.metadata().ok()?.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(homard_runtime::millis_i64(since))
}

pub(super) fn picking(agent: &Agent, most: Option<usize>, least: Option<f64>) -> PickRules {
    let query = &agent.memory_search.query;
    PickRules {
        limit: most.unwrap_or(query.max_results).clamp(1, 100),
        min_score: least.unwrap_or(query.min_score).clamp(0.0, 1.0),
        text_weight: query.text_weight,
        vector_weight: query.vector_weight,
        candidates: query.candidates,
        diversity: query.diversity,
        half_life_days: query.half_life_days.map(|days| days as f64),
    }
}

/// Runs what blocks where nobody waits for it.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, NotRecalled> {
    off_thread(work).await.map_err(|_gone| NotRecalled::Stopped)
}

/// Runs what takes long on a thread that gives way to everything else: somebody may be talking meanwhile.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, NotRecalled> {
    alone(move || {
        homard_memory::give_way();
        work()
    })
    .await
}

/// Runs what holds much on a thread of its own: among what others hold, the room it had would not go back to the system.
async fn alone<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, NotRecalled> {
    let (tell, told) = tokio::sync::oneshot::channel();
    let working = move || {
        let _nobody_waits_any_more = tell.send(work());
    };
    let begun = std::thread::Builder::new().name("memory".to_owned()).spawn(working);
    begun.map_err(|_no_thread| NotRecalled::Stopped)?;
    told.await.map_err(|_gone| NotRecalled::Stopped)
}

#[cfg(test)]
mod tests;
