//! `agents`: who answers, with which model, in which directory.

pub mod cli_backends;
pub mod compaction;
pub mod delegation;
pub mod heartbeat;
pub mod identity;
pub mod memory_search;
pub mod pruning;
pub mod sandbox;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use homard_protocol::{AgentId, ModelRef, ProviderId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::cli_backends::CliBackend;
use self::compaction::Compaction;
use self::delegation::{AgentSubagents, Subagents};
use self::heartbeat::Heartbeat;
use self::identity::Identity;
use self::memory_search::{MemoryRemote, MemorySearch};
use self::pruning::ContextPruning;
use self::sandbox::Sandbox;
use super::Resolve;
use super::messages::GroupChat;
use super::tools::AgentTools;
use crate::raw::agents as raw;
use crate::raw::value::ModelChoice;

/// What a server that makes vectors of notes is called among providers.
const MEMORY_SERVER: &str = "memory-search";
/// The provider of vectors that is a file of the owner's.
const MODEL_FILE: &str = "local";
const DEFAULT_MAX_CONCURRENT: u64 = 4;
const DEFAULT_TIMEOUT_SECONDS: u64 = 600;
/// What `timeoutSeconds: 0` means: as long as a 32-bit millisecond timer can count (about 24.8 days).
const NO_TIMEOUT: Duration = Duration::from_millis(i32::MAX as u64);
const DEFAULT_BOOTSTRAP_MAX_CHARS: u64 = 20_000;
const DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS: u64 = 150_000;

/// How hard a model thinks before answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// Not at all.
    Off,
    /// As little as possible.
    Minimal,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// Very much.
    Xhigh,
    /// As the model sees fit.
    Adaptive,
    /// As much as the model can.
    Max,
    /// More than that, where a provider offers it.
    Ultra,
}

/// Decided `agents`. There is always at least one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Agents {
    /// What every agent has unless it says otherwise.
    pub defaults: AgentDefaults,
    /// The agents, as listed; the implicit `main` when none is.
    pub list: Vec<Agent>,
    default: usize,
    /// Whether the owner said which agent is the default.
    is_marked: bool,
}

/// What every agent has unless it says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentDefaults {
    pub model: ModelSelection,
    /// Model for pictures when the main one cannot see; empty when nothing was said.
    pub image_model: ModelSelection,
    /// Models that may be chosen, where the newer list is written; empty means that it is not.
    pub model_allow: Vec<ModelRef>,
    /// What the owner says about models. Not empty: also the list `/model` offers.
    pub models: BTreeMap<ModelRef, CatalogEntry>,
    /// Directory agents work in.
    pub(crate) workspace: PathBuf,
    /// How many runs may happen at once.
    pub max_concurrent: usize,
    pub timeout: Duration,
    /// Longest part of one workspace file in the prompt, in characters.
    pub bootstrap_max_chars: usize,
    /// Longest total of workspace files in the prompt, in characters.
    pub bootstrap_total_max_chars: usize,
    /// Do not create the starting files of a workspace.
    pub skip_bootstrap: bool,
    /// The owner's time zone; `None` means the host's.
    pub user_timezone: Option<String>,
    /// In which zone models are told when a message was sent.
    pub stamps: Stamps,
    /// Whether models are told the time since the last message.
    pub envelope_elapsed: bool,
    /// What chat platforms are shown of tools, as written.
    pub verbose: Option<String>,
    /// How hard models think; `None` means low for models that think, off for others.
    pub(crate) thinking: Option<ThinkingLevel>,
    /// Upper bound for the context, in tokens; `None` means the model's own.
    pub context_tokens: Option<u64>,
    /// Which conversations belong into a sandbox.
    pub(crate) sandbox: Sandbox,
    /// Command-line programs used as models, by the provider name they answer to.
    pub cli_backends: BTreeMap<String, CliBackend>,
    /// Summarising conversations that outgrow their context.
    pub compaction: Compaction,
    /// Agents started by agents.
    pub subagents: Subagents,
    /// Forgetting old tool results.
    pub context_pruning: ContextPruning,
    /// Searching notes, for agents that say nothing themselves.
    pub memory_search: MemorySearch,
}

/// In which zone models are told when a message was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamps {
    /// They are not told.
    Off,
    Owner,
    Machine,
    /// The one of this name.
    Zone(String),
}

impl Stamps {
    fn read(timestamp: Option<&str>, zone: Option<&str>) -> Self {
        if timestamp == Some("off") {
            return Self::Off;
        }
        match zone.map(str::trim).unwrap_or_default() {
            "" | "local" => Self::Machine,
            "user" => Self::Owner,
            word if word.eq_ignore_ascii_case("utc") => Self::Zone("UTC".to_owned()),
            name => Self::Zone(name.to_owned()),
        }
    }
}

/// Who makes vectors of texts, as far as the owner says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embeddings {
    pub provider: String,
    /// The model; `None` means the provider's usual one.
    pub model: Option<String>,
}

/// A server that makes vectors of notes and nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryServer<'a> {
    /// What it goes by among the providers of models.
    pub name: ProviderId,
    /// The provider it speaks like.
    pub like: &'a str,
    pub remote: &'a MemoryRemote,
}

/// A model and what to try when it fails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelSelection {
    /// First choice; `None` means whatever has credentials.
    pub primary: Option<ModelRef>,
    /// Tried in order when it fails.
    pub fallbacks: Vec<ModelRef>,
}

/// What the owner says about one model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogEntry {
    pub alias: Option<String>,
    /// What every call to it asks for, as written.
    pub params: Map<String, Value>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub id: AgentId,
    /// Its name in lists.
    pub name: Option<String>,
    /// Directory it works in.
    pub workspace: PathBuf,
    /// Directory of its own state.
    pub agent_dir: PathBuf,
    /// Its model, the defaults' filled in.
    pub model: ModelSelection,
    /// Who it is to people.
    pub identity: Identity,
    /// Its behaviour in groups, where it has its own.
    pub group_chat: GroupChat,
    /// Tools it may use.
    pub tools: AgentTools,
    /// Which of its conversations belong into a sandbox; the default's filled in.
    pub sandbox: Sandbox,
    /// Skills it may use; `None` means all.
    pub skills: Option<Vec<String>>,
    /// How hard it thinks; the default's filled in.
    pub thinking: Option<ThinkingLevel>,
    /// Agents it may start.
    pub subagents: AgentSubagents,
    /// When it looks around by itself; `None` for an agent that never does.
    pub heartbeat: Option<Heartbeat>,
    /// Searching its notes; the default's filled in.
    pub memory_search: MemorySearch,
}

impl Agents {
    /// The agent that answers when nothing else is said: the first marked so, else the first.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "`resolve` never leaves the list empty nor the index outside it"
    )]
    pub fn default_agent(&self) -> &Agent {
        &self.list[self.default]
    }

    /// The agent that is meant by nobody in particular: the only one, or the one the owner marked.
    #[must_use]
    pub fn unnamed(&self) -> Option<&Agent> {
        (self.is_marked || self.list.len() == 1).then(|| self.default_agent())
    }

    /// The agent with this id.
    #[must_use]
    pub fn agent(&self, id: &AgentId) -> Option<&Agent> {
        self.list.iter().find(|agent| agent.id == *id)
    }

    /// `sparing` says that calls of the usual credential are counted per hour.
    pub(super) fn resolve(
        raw: raw::Agents,
        memory: raw::Memory,
        sparing: bool,
        cx: &mut Resolve<'_>,
    ) -> Self {
        let mut raw_defaults = raw.defaults.unwrap_or_default();
        let mut all_beats = raw_defaults.heartbeat.take().unwrap_or_default();
        let defaults = AgentDefaults::resolve(raw_defaults, memory, cx);
        let listed = raw.list.unwrap_or_default().into_iter().enumerate();
        let mut entries: Vec<(String, raw::AgentEntry)> =
            listed.map(|(at, entry)| (format!("agents.list[{at}]"), entry)).collect();
        for (id, mut entry) in raw.entries.unwrap_or_default() {
            entry.id.get_or_insert_with(|| id.clone());
            entries.push((format!("agents.entries.{id}"), entry));
        }
        if entries.is_empty() {
            let id = Some(AgentId::main().to_string());
            entries.push((String::new(), raw::AgentEntry { id, ..raw::AgentEntry::default() }));
        }
        let marked = entries.iter().position(|(_, e)| e.default == Some(true));
        let default = marked.unwrap_or(0);
        let paths: Vec<String> = entries.iter().map(|(path, _)| path.clone()).collect();
        let some_have_own = entries.iter().any(|(_, entry)| entry.heartbeat.is_some());
        let looks = looks_around(all_beats.agent_id.take(), &entries, cx).unwrap_or(default);
        let mut list = Vec::with_capacity(entries.len());
        for (at, (path, mut entry)) in entries.into_iter().enumerate() {
            let (own, is_default) = (entry.heartbeat.take(), at == default);
            let beats = own.is_some() || (at == looks && !some_have_own);
            let place = Place { path, default: is_default };
            let mut agent = Agent::resolve(entry, &place, &defaults, cx);
            if beats {
                let at = own.as_ref().map_or("agents.defaults", |_| place.path.as_str());
                let raw = heartbeat::merged(own.clone().unwrap_or_default(), &all_beats);
                let at = format!("{at}.heartbeat");
                agent.heartbeat = Some(Heartbeat::resolve(raw, &agent.id, &at, sparing, cx));
            }
            list.push(agent);
        }
        check_unique(&list, &paths, cx);
        part_indexes(&mut list, cx);
        Self { defaults, list, default, is_marked: marked.is_some() }
    }
}

impl Agents {
    /// The server that makes vectors of an agent's notes, where the owner names one.
    #[must_use]
    pub fn memory_server<'a>(&self, agent: &'a Agent) -> Option<MemoryServer<'a>> {
        let (own, all) = (&agent.memory_search, &self.defaults.memory_search);
        let (remote, embeddings) = (own.remote.as_ref()?, own.embeddings.as_ref()?);
        if embeddings.provider == MODEL_FILE {
            return None;
        }
        let same_provider = all.embeddings.as_ref().is_some_and(|all| all.provider == embeddings.provider);
        let name = match same_provider && all.remote.as_ref() == Some(remote) {
            true => MEMORY_SERVER.to_owned(),
            false => format!("{MEMORY_SERVER}-{}", agent.id),
        };
        Some(MemoryServer { name: ProviderId::parse(&name).ok()?, like: &embeddings.provider, remote })
    }
}

/// Which agent is meant by `agents.defaults.heartbeat.agentId`.
fn looks_around(
    named: Option<String>,
    entries: &[(String, raw::AgentEntry)],
    cx: &mut Resolve<'_>,
) -> Option<usize> {
    let named = named.map(|id| id.trim().to_lowercase()).filter(|id| !id.is_empty())?;
    let found = entries.iter().position(|(_, entry)| entry.id.as_deref() == Some(named.as_str()));
    if found.is_none() {
        let told = format!("there is no agent `{named}`; until then the default one looks around");
        cx.warn("agents.defaults.heartbeat.agentId", told);
    }
    found
}

/// Two agents' notes in one index would be found by both.
fn part_indexes(list: &mut [Agent], cx: &mut Resolve<'_>) {
    let (mut taken, mut parted) = (BTreeSet::new(), Vec::new());
    for agent in list {
        let index = |agent: &Agent| agent.memory_search.index_of(&agent.id, cx.paths);
        if taken.contains(&index(agent)) {
            agent.memory_search.keep_apart();
            parted.push(agent.id.to_string());
        }
        taken.insert(index(agent));
    }
    if !parted.is_empty() {
        let told = format!(
            "names one file for several agents; `{}` have their own beside it: write `{{agentId}}` into it",
            parted.join("`, `")
        );
        cx.warn("agents.defaults.memorySearch.store.path", told);
    }
}

struct Place {
    path: String,
    default: bool,
}

/// Two agents may share neither id nor directory: they would write over each other.
fn check_unique(list: &[Agent], paths: &[String], cx: &mut Resolve<'_>) {
    for (at, (agent, path)) in list.iter().zip(paths).enumerate() {
        let mut earlier = list.iter().take(at);
        if earlier.clone().any(|other| other.id == agent.id) {
            cx.issue(format!("{path}.id"), format!("the id `{}` is used twice", agent.id));
        } else if let Some(other) = earlier.find(|other| other.agent_dir == agent.agent_dir) {
            let dir = agent.agent_dir.display();
            cx.issue(
                format!("{path}.agentDir"),
                format!(
                    "agents `{}` and `{}` both use `{dir}`; give each its own directory",
                    other.id, agent.id
                ),
            );
        }
    }
}

impl AgentDefaults {
    fn resolve(raw: raw::AgentDefaults, memory: raw::Memory, cx: &mut Resolve<'_>) -> Self {
        let models = catalog(raw.models.unwrap_or_default(), cx);
        let model = raw.model.map(|choice| selection(choice, "agents.defaults.model", &models, cx));
        let image_model =
            raw.image_model.map(|choice| selection(choice, "agents.defaults.imageModel", &models, cx));
        let subagents = Subagents::resolve(raw.subagents.unwrap_or_default(), |choice| {
            selection(choice, "agents.defaults.subagents.model", &models, cx)
        });
        let allowed = raw.model_policy.and_then(|policy| policy.allow).unwrap_or_default();
        let workspace = raw.workspace.map_or_else(|| cx.paths.default_workspace(), |w| cx.paths.expand(&w));
        let timeout = match raw.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS) {
            0 => NO_TIMEOUT,
            seconds => Duration::from_secs(seconds).min(NO_TIMEOUT),
        };
        let mut memory_search = MemorySearch::usual();
        memory_search.query.cites = memory.citations.as_deref() != Some("off");
        let memory_search = memory_search.with(raw.memory_search, "agents.defaults.memorySearch", cx).with(
            memory.search,
            "memory.search",
            cx,
        );
        Self {
            model: model.unwrap_or_default(),
            image_model: image_model.unwrap_or_default(),
            model_allow: allow_list(&allowed, cx),
            models,
            workspace,
            max_concurrent: size(raw.max_concurrent, DEFAULT_MAX_CONCURRENT),
            timeout,
            bootstrap_max_chars: size(raw.bootstrap_max_chars, DEFAULT_BOOTSTRAP_MAX_CHARS),
            bootstrap_total_max_chars: size(raw.bootstrap_total_max_chars, DEFAULT_BOOTSTRAP_TOTAL_MAX_CHARS),
            skip_bootstrap: raw.skip_bootstrap.unwrap_or(false),
            user_timezone: raw.user_timezone,
            stamps: Stamps::read(raw.envelope_timestamp.as_deref(), raw.envelope_timezone.as_deref()),
            envelope_elapsed: raw.envelope_elapsed.as_deref() != Some("off"),
            verbose: raw.verbose_default,
            thinking: raw.thinking_default,
            context_tokens: raw.context_tokens,
            sandbox: Sandbox::usual(cx.paths).with(raw.sandbox.unwrap_or_default(), cx.paths),
            cli_backends: cli_backends::resolve(raw.cli_backends.unwrap_or_default(), cx),
            compaction: Compaction::resolve(&raw.compaction.unwrap_or_default()),
            subagents,
            context_pruning: ContextPruning::resolve(raw.context_pruning.unwrap_or_default()),
            memory_search,
        }
    }
}

fn size(written: Option<u64>, default: u64) -> usize {
    usize::try_from(written.unwrap_or(default)).unwrap_or(usize::MAX)
}

fn catalog(
    raw: BTreeMap<String, raw::CatalogEntry>,
    cx: &mut Resolve<'_>,
) -> BTreeMap<ModelRef, CatalogEntry> {
    let mut models = BTreeMap::new();
    for (name, entry) in raw {
        match ModelRef::parse(&name) {
            Ok(model) => {
                models.insert(
                    model,
                    CatalogEntry {
                        alias: entry.alias,
                        params: entry.params.unwrap_or_default().into_iter().collect(),
                    },
                );
            }
            Err(error) => cx.issue(format!("agents.defaults.models[\"{name}\"]"), error.to_string()),
        }
    }
    models
}

/// Reads the list of models that may be chosen; `provider/*` stands for all of a provider.
fn allow_list(written: &[String], cx: &mut Resolve<'_>) -> Vec<ModelRef> {
    let mut read = |(at, text): (usize, &String)| {
        let issue = |error: &homard_protocol::IdError| {
            cx.issue(format!("agents.defaults.modelPolicy.allow[{at}]"), error.to_string());
        };
        ModelRef::parse(text).inspect_err(issue).ok()
    };
    written.iter().enumerate().filter_map(&mut read).collect()
}

/// Reads a choice of model; short names are looked up in the catalogue.
fn selection(
    choice: ModelChoice,
    path: &str,
    models: &BTreeMap<ModelRef, CatalogEntry>,
    cx: &mut Resolve<'_>,
) -> ModelSelection {
    let mut read = |text: &str, path: String| {
        let text = text.trim();
        let by_alias =
            || models.iter().find(|(_, e)| e.alias.as_deref().is_some_and(|a| a.eq_ignore_ascii_case(text)));
        match ModelRef::parse(text) {
            Ok(model) => Some(model),
            Err(error) => by_alias().map(|(model, _)| model.clone()).or_else(|| {
                cx.issue(path, error.to_string());
                None
            }),
        }
    };
    match choice {
        ModelChoice::One(text) => {
            ModelSelection { primary: read(&text, path.to_owned()), fallbacks: Vec::new() }
        }
        ModelChoice::Many(chain) => {
            let fallbacks = chain.fallbacks.unwrap_or_default().into_iter().enumerate();
            ModelSelection {
                primary: chain.primary.and_then(|text| read(&text, format!("{path}.primary"))),
                fallbacks: fallbacks
                    .filter_map(|(i, text)| read(&text, format!("{path}.fallbacks[{i}]")))
                    .collect(),
            }
        }
    }
}

impl Agent {
    fn resolve(raw: raw::AgentEntry, place: &Place, defaults: &AgentDefaults, cx: &mut Resolve<'_>) -> Self {
        let path = &place.path;
        let id = agent_id(raw.id.as_deref(), path, cx);
        let own_workspace = raw.workspace.map(|w| cx.paths.expand(&w));
        let workspace = own_workspace.unwrap_or_else(|| {
            if place.default { defaults.workspace.clone() } else { cx.paths.workspace(&id) }
        });
        let env_dir = ["HOMARD_AGENT_DIR", "PI_CODING_AGENT_DIR"].iter().find_map(|name| cx.env.get(name));
        let env_dir = env_dir.filter(|_| place.default);
        let agent_dir = raw.agent_dir.as_deref().or(env_dir).map(|d| cx.paths.expand(d));
        let model = raw.model.map(|choice| own_model(choice, &format!("{path}.model"), defaults, cx));
        let subagents = AgentSubagents::resolve(raw.subagents.unwrap_or_default(), |choice| {
            selection(choice, &format!("{path}.subagents.model"), &defaults.models, cx)
        });
        let identity = raw.identity.unwrap_or_default();
        let memory = raw.memory.and_then(|memory| memory.search);
        let memory_search = defaults.memory_search.clone();
        let memory_search = memory_search.with(raw.memory_search, &format!("{path}.memorySearch"), cx);
        Self {
            name: raw.name,
            workspace,
            agent_dir: agent_dir.unwrap_or_else(|| cx.paths.agent_dir(&id)),
            model: model.unwrap_or_else(|| defaults.model.clone()),
            identity: Identity {
                name: identity.name,
                theme: identity.theme,
                emoji: identity.emoji,
                avatar: identity.avatar,
            },
            group_chat: GroupChat::resolve(raw.group_chat.unwrap_or_default()),
            tools: AgentTools::resolve(raw.tools.unwrap_or_default()),
            sandbox: defaults.sandbox.clone().with(raw.sandbox.unwrap_or_default(), cx.paths),
            skills: raw.skills,
            thinking: raw.thinking_default.or(defaults.thinking),
            subagents,
            heartbeat: None,
            memory_search: memory_search.with(memory, &format!("{path}.memory.search"), cx),
            id,
        }
    }
}

/// The id as written; a bad one is told about and replaced, so that the other checks can go on.
fn agent_id(written: Option<&str>, path: &str, cx: &mut Resolve<'_>) -> AgentId {
    let told = match written.map(AgentId::parse) {
        Some(Ok(id)) => return id,
        Some(Err(error)) => error.to_string(),
        None => "every agent needs an id of lower-case letters, digits, `_` and `-`".to_owned(),
    };
    cx.issue(format!("{path}.id"), told);
    AgentId::parse(&format!("unnamed-{}", cx.issues.len())).unwrap_or_else(|_| AgentId::main())
}

/// An agent's own choice: what it leaves unsaid comes from the defaults; an empty list of fallbacks is said.
fn own_model(
    choice: ModelChoice,
    path: &str,
    defaults: &AgentDefaults,
    cx: &mut Resolve<'_>,
) -> ModelSelection {
    let says_fallbacks = matches!(&choice, ModelChoice::Many(chain) if chain.fallbacks.is_some());
    let own = selection(choice, path, &defaults.models, cx);
    ModelSelection {
        primary: own.primary.or_else(|| defaults.model.primary.clone()),
        fallbacks: if says_fallbacks { own.fallbacks } else { defaults.model.fallbacks.clone() },
    }
}
