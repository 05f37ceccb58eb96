//! The skills of all agents of a running program: looked at before every turn, read again only when something
//! on disk or in the settings changed.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use homard_config::config::agents::Agent;
use homard_config::{Config, ConfigHandle};
use homard_protocol::AgentId;
use homard_protocol::methods::tools::skills::{SkillsInstallResult, SkillsStatusResult};
use homard_runtime::{Arrange as _, Mutex, OrLog, off_thread};

use crate::gate::{GateFacts, Programs, this_os};
use crate::install::{self, InstallError};
use crate::load::{Loaded, Skill, load, managed_dir, roots};
use crate::snapshot::Snapshot;
use crate::stamps::Stamps;
use crate::{bundled, command, env, prompt, report};

/// How many files are looked at in the turn's own task.
const FEW_FILES: usize = 64;
/// How long a turn takes the folders of the path to be as they were: what is installed there is nobody's next word, and
/// there are more of them than of everything else that is looked at.
const PATH_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// The skills of all agents. Clone-cheap.
#[derive(Clone)]
pub struct Skills {
    inner: Arc<Inner>,
}

struct Inner {
    config: ConfigHandle,
    /// Whether a command's name means something else than a skill.
    is_taken: fn(&str) -> bool,
    bundled: OnceLock<Option<PathBuf>>,
    kept: Mutex<HashMap<AgentId, AgentSkills>>,
}

/// What was found for an agent.
struct AgentSkills {
    config: Arc<Config>,
    seen: Arc<SkillsState>,
    snapshot: Arc<Snapshot>,
}

/// What everything looked like that the skills depend on.
#[derive(Default)]
struct SkillsState {
    files: Stamps,
    /// The folders of the path, where skills need programs.
    path: Stamps,
    /// When these were last looked at.
    path_at: Mutex<Option<Instant>>,
}

impl SkillsState {
    fn len(&self) -> usize {
        self.files.len() + self.path.len()
    }

    fn is_current(&self, glance: Glance) -> bool {
        if self.len() > glance.most || !self.files.are_current() {
            return false;
        }
        let mut at = self.path_at.lock();
        if at.is_some_and(|at| at.elapsed() < glance.path_again_after) {
            return true;
        }
        *at = Some(Instant::now());
        self.path.are_current()
    }
}

/// How much is looked at to see whether anything changed.
#[derive(Clone, Copy)]
struct Glance {
    /// More files than this are not looked at here: they are as if they had changed.
    most: usize,
    /// The folders of the path are taken to be as they were so long ago.
    path_again_after: Duration,
}

impl Glance {
    const IN_A_TURN: Self = Self { most: FEW_FILES, path_again_after: PATH_AGAIN_AFTER };
    const WHOLE: Self = Self { most: usize::MAX, path_again_after: Duration::ZERO };
}

impl Skills {
    /// The skills of the agents in these settings, none of which becomes a command whose name `is_taken`. Looks at
    /// nothing yet.
    #[must_use]
    pub fn new(config: ConfigHandle, is_taken: fn(&str) -> bool) -> Self {
        let inner = Inner { config, is_taken, bundled: OnceLock::new(), kept: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    /// What a turn of this agent that begins now knows about skills.
    pub async fn for_turn(&self, config: &Arc<Config>, agent: &Agent) -> Arc<Snapshot> {
        // A few looks at dates cost less here than asking another thread to make them.
        if let Some(kept) = self.still_current(config, &agent.id, Glance::IN_A_TURN) {
            return kept;
        }
        let (skills, config, agent) = (self.clone(), Arc::clone(config), agent.clone());
        let looked = off_thread(move || skills.look(&config, &agent)).await;
        looked.or_log("the skills could not be looked at, so this turn has none").unwrap_or_default()
    }

    /// The same; blocks while it looks at the files.
    #[must_use]
    pub fn look(&self, config: &Arc<Config>, agent: &Agent) -> Arc<Snapshot> {
        if let Some(kept) = self.still_current(config, &agent.id, Glance::WHOLE) {
            return kept;
        }
        let (loaded, seen, snapshot) = self.build(config, agent);
        let mut all = self.inner.kept.lock();
        let before = all.get(&agent.id).map(|kept| Arc::clone(&kept.snapshot));
        let snapshot = match before {
            Some(before) if before.is_like(&snapshot) => before,
            before => {
                tell(agent, &loaded, &snapshot);
                let version = before.map_or(0, |before| before.version) + 1;
                Arc::new(Snapshot { version, ..snapshot })
            }
        };
        let (config, seen) = (Arc::clone(config), Arc::new(seen));
        all.insert(agent.id.clone(), AgentSkills { config, seen, snapshot: Arc::clone(&snapshot) });
        snapshot
    }

    /// All skills that were found and what was decided about each. Blocks.
    #[must_use]
    pub fn report(&self, config: &Arc<Config>, agent: &Agent) -> SkillsStatusResult {
        let loaded = self.load(config, agent);
        let snapshot = self.look(config, agent);
        let written = self.inner.config.snapshot();
        let mut judge = judge(config, agent, &written.effective);
        let mut skills: Vec<_> = loaded
            .skills
            .values()
            .map(|skill| {
                let verdict = judge.judge(skill);
                report::skill(skill, &verdict, &judge, &snapshot.commands)
            })
            .chain(loaded.broken.iter().map(report::broken))
            .collect();
        skills.arrange_by(|a, b| (&a.name, &a.file_path).cmp(&(&b.name, &b.file_path)));
        SkillsStatusResult {
            workspace_dir: agent.workspace.display().to_string(),
            managed_skills_dir: managed_dir(&self.inner.config.source().paths).display().to_string(),
            agent_id: agent.id.clone(),
            skills,
        }
    }

    /// The programs that skills of any agent refer to, sorted. Blocks.
    #[must_use]
    pub fn bins(&self, config: &Config) -> Vec<String> {
        let mut bins = BTreeSet::new();
        for agent in &config.agents.list {
            for skill in self.load(config, agent).skills.values() {
                let about = &skill.front.about;
                let installed = about.install.iter().flat_map(|way| &way.bins);
                bins.extend(about.bins.iter().chain(&about.any_bins).chain(installed).cloned());
            }
        }
        bins.into_iter().collect()
    }

    /// Installs what a skill needs in one of the ways it names.
    ///
    /// # Errors
    /// When there is no such skill or way, or the installer cannot be run. An installer that ran and failed is an
    /// answer.
    pub async fn install(
        &self,
        agent: &Agent,
        name: &str,
        id: &str,
        timeout: Duration,
    ) -> Result<SkillsInstallResult, InstallError> {
        let config = self.inner.config.current();
        let (skills, settings, owner) = (self.clone(), Arc::clone(&config), agent.clone());
        let loaded = off_thread(move || skills.load(&settings, &owner)).await?;
        let is_it = |skill: &&Arc<Skill>| skill.name == name || skill.key() == name;
        let skill =
            loaded.skills.values().find(is_it).ok_or_else(|| InstallError::UnknownSkill(name.to_owned()))?;
        let ways = report::ways(skill, &config.skills, this_os());
        let Some(way) = ways.iter().find(|way| way.id == id) else {
            let known: Vec<&str> = ways.iter().map(|way| way.id.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(InstallError::UnknownWay { skill: skill.name.clone(), id: id.to_owned(), known });
        };
        install::install(way, &config, &self.inner.config.source().paths.home, timeout).await
    }

    /// What was found before, if at this glance everything still looks the same.
    fn still_current(&self, config: &Arc<Config>, agent: &AgentId, glance: Glance) -> Option<Arc<Snapshot>> {
        let (seen, snapshot) = {
            let all = self.inner.kept.lock();
            let kept = all.get(agent).filter(|kept| Arc::ptr_eq(&kept.config, config))?;
            (Arc::clone(&kept.seen), Arc::clone(&kept.snapshot))
        };
        (!config.skills.watch || seen.is_current(glance)).then_some(snapshot)
    }

    fn load(&self, config: &Config, agent: &Agent) -> Loaded {
        let source = self.inner.config.source();
        let bundled = self.inner.bundled.get_or_init(|| bundled::dir(&source.paths, &config.env));
        let roots = roots(&source.paths, &config.skills, &agent.workspace, bundled.as_deref());
        load(&roots, &config.skills.limits)
    }

    fn build(&self, config: &Config, agent: &Agent) -> (Loaded, SkillsState, Snapshot) {
        let mut loaded = self.load(config, agent);
        let mut seen = SkillsState { files: std::mem::take(&mut loaded.stamps), ..SkillsState::default() };
        let written = self.inner.config.snapshot();
        let mut judge = judge(config, agent, &written.effective);
        if loaded.skills.values().any(|skill| needs_programs(skill)) {
            // A program that is installed or removed changes its folder.
            judge.programs.dirs().iter().for_each(|dir| seen.path.take(dir));
        }
        let has = |skill: &&Arc<Skill>| judge.judge(skill).is_eligible();
        let skills: Vec<Arc<Skill>> = loaded.skills.values().filter(has).cloned().collect();
        let home = self.inner.config.source().paths.home.clone();
        let each = || skills.iter().map(Arc::as_ref);
        // A list of files that may not be read would only lead to refusals.
        let stays_inside = config.tools.fs.workspace_only || agent.tools.workspace_only == Some(true);
        let readable = each().filter(|skill| !stays_inside || skill.dir.starts_with(&agent.workspace));
        let snapshot = Snapshot {
            version: 0,
            prompt: prompt::block(readable, &config.skills.limits, &home),
            env: env::gather(each(), &config.skills, &config.env),
            commands: command::named(&skills, self.inner.is_taken),
            home,
            skills,
        };
        (loaded, seen, snapshot)
    }
}

fn judge<'a>(config: &'a Config, agent: &'a Agent, written: &'a serde_json::Value) -> GateFacts<'a> {
    GateFacts {
        settings: &config.skills,
        for_agent: agent.skills.as_deref(),
        env: &config.env,
        written,
        os: this_os(),
        programs: Programs::on_path(&config.tools.exec.path_prepend, config.env.get("PATH")),
    }
}

fn needs_programs(skill: &Skill) -> bool {
    !skill.front.about.bins.is_empty() || !skill.front.about.any_bins.is_empty()
}

/// Says in the log what changed.
fn tell(agent: &Agent, loaded: &Loaded, snapshot: &Snapshot) {
    let (found, usable) = (loaded.skills.len(), snapshot.skills.len());
    tracing::debug!(agent = %agent.id, found, usable, "skills looked at");
    for broken in &loaded.broken {
        tracing::warn!(skill = %broken.dir.display(), "a skill cannot be used: its file {}", broken.reason);
    }
    for words in &loaded.left_out {
        tracing::warn!("{words}");
    }
}

#[cfg(test)]
mod tests;
