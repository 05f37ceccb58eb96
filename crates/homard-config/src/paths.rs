//! Where things are on disk.
//!
//! State is always written under the state directory. The *file that is read* may be an older program's
//! (`openclaw.json`, also under its older names) when there is no `homard.json` yet; writes still go to
//! [`Paths::config_path`].

use std::path::{Path, PathBuf};

use homard_protocol::AgentId;

use crate::env::{Environment, ProcessFacts};

const CONFIG_NAME: &str = "homard.json";
const STATE_DIR: &str = ".homard";
/// Directories and file names of the programs this one replaces, newest first.
const LEGACY_DIRS: [&str; 4] = [".openclaw", ".clawdbot", ".moldbot", ".moltbot"];
const LEGACY_NAMES: [&str; 4] = ["openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json"];
/// Port of `--dev`, so that it runs beside the owner's own gateway.
pub const DEV_PORT: u16 = 19_001;

/// Which set of state to use, chosen on the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Profile {
    #[default]
    Default,
    /// `~/.homard-dev`, on another port.
    Dev,
    Named(String),
}

impl Profile {
    /// Reads a name given on the command line or in `HOMARD_PROFILE`.
    ///
    /// # Errors
    /// When the name could not be part of a directory name.
    pub fn parse(name: &str) -> Result<Self, PathsError> {
        let ok = !name.is_empty()
            && name.len() <= 64
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        match name {
            "default" => Ok(Self::Default),
            "dev" => Ok(Self::Dev),
            _ if ok => Ok(Self::Named(name.to_owned())),
            _ => Err(PathsError::BadProfile(name.to_owned())),
        }
    }
}

/// Why paths could not be decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathsError {
    /// Nothing says where home is.
    #[error("there is no home directory; set HOME or HOMARD_HOME")]
    NoHome,
    /// A profile name with characters a directory cannot have.
    #[error("`{0}` is not a profile name; use letters, digits, `-` and `_`")]
    BadProfile(String),
}

/// Where things are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The owner's home directory; `~` in settings.
    pub home: PathBuf,
    /// Where everything is kept.
    pub state_dir: PathBuf,
    /// The file that writes go to.
    pub config_path: PathBuf,
    /// Which set of state this is.
    pub profile: Profile,
    candidates: Vec<PathBuf>,
    default_workspace: Option<PathBuf>,
    has_dotenv: bool,
}

impl Paths {
    /// Decides from the environment; an explicit `profile` wins over `HOMARD_PROFILE`.
    ///
    /// # Errors
    /// When there is no home directory or the profile's name is unusable.
    pub fn resolve(
        env: &Environment,
        facts: &ProcessFacts,
        profile: Option<Profile>,
    ) -> Result<Self, PathsError> {
        let home = ["HOMARD_HOME", "HOME", "USERPROFILE"].iter().find_map(|n| env.get(n)).map(PathBuf::from);
        let home = home.or_else(|| facts.home.clone()).ok_or(PathsError::NoHome)?;
        let base = facts.working_dir.as_deref().unwrap_or(Path::new("/"));
        let absolute = |text: &str| absolute(text, &home, base);
        let profile = match profile {
            Some(profile) => profile,
            None => env.get("HOMARD_PROFILE").map(Profile::parse).transpose()?.unwrap_or_default(),
        };
        let explicit_state = env.get("HOMARD_STATE_DIR").map(absolute);
        let state_dir = explicit_state.clone().unwrap_or_else(|| match &profile {
            Profile::Default => home.join(STATE_DIR),
            Profile::Dev => home.join(format!("{STATE_DIR}-dev")),
            Profile::Named(name) => home.join(format!("{STATE_DIR}-{name}")),
        });
        let mut legacy: Vec<PathBuf> = LEGACY_NAMES.iter().map(|name| state_dir.join(name)).collect();
        if explicit_state.is_none() && profile == Profile::Default {
            legacy.extend(
                LEGACY_DIRS.iter().flat_map(|dir| LEGACY_NAMES.map(|name| home.join(dir).join(name))),
            );
        }
        let (config_path, candidates) = match env.get("HOMARD_CONFIG_PATH") {
            Some(path) => (absolute(path), Vec::new()),
            None => (state_dir.join(CONFIG_NAME), legacy),
        };
        let default_workspace = env.get("HOMARD_WORKSPACE_DIR").map(absolute);
        let (home, has_dotenv) = (home.clone(), true);
        Ok(Self { home, state_dir, config_path, profile, candidates, default_workspace, has_dotenv })
    }

    /// Everything under one directory, for tests and tools.
    #[must_use]
    pub fn under(dir: &Path) -> Self {
        let state_dir = dir.join(STATE_DIR);
        Self {
            home: dir.to_path_buf(),
            config_path: state_dir.join(CONFIG_NAME),
            state_dir,
            profile: Profile::Default,
            candidates: Vec::new(),
            default_workspace: None,
            has_dotenv: true,
        }
    }

    /// The file to read now: the first that exists, our own first. `config_path` when none does.
    #[must_use]
    pub fn config_source(&self) -> &Path {
        let found = std::iter::once(&self.config_path).chain(&self.candidates).find(|path| path.is_file());
        found.unwrap_or(&self.config_path)
    }

    /// The same without the files of other programs in their own folders: for whoever decides anew what is taken from
    /// them.
    #[must_use]
    pub fn ours_alone(&self) -> Self {
        let mut ours = self.clone();
        ours.candidates.retain(|path| path.starts_with(&self.state_dir));
        ours
    }

    /// The same as if the settings and the `.env` beside them were gone: for whoever is about to put them aside.
    #[must_use]
    pub fn without_settings(&self) -> Self {
        let mut bare = Self { has_dotenv: false, ..self.clone() };
        bare.config_path.set_extension("anew");
        bare
    }

    /// The folder whose `.env` counts beneath the working directory's.
    pub(crate) fn dotenv_dir(&self) -> Option<&Path> {
        Some(self.state_dir.as_path()).filter(|_| self.has_dotenv)
    }

    /// The gateway's own records.
    #[must_use]
    pub fn records(&self) -> Records {
        let below = |path: &Path| path.starts_with(&self.state_dir);
        let mut elsewhere: Vec<PathBuf> =
            self.candidates.iter().filter_map(|path| path.parent()).map(Path::to_owned).collect();
        elsewhere.push(self.config_path.clone());
        elsewhere.retain(|path| !below(path));
        elsewhere.dedup();
        Records { state_dir: self.state_dir.clone(), elsewhere }
    }

    /// Makes a setting absolute: `~` is home, anything relative is under the state directory.
    #[must_use]
    pub fn expand(&self, text: &str) -> PathBuf {
        absolute(text, &self.home, &self.state_dir)
    }

    /// The database of everything that is not a transcript.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.state_dir.join("homard.sqlite")
    }

    /// One directory per agent.
    #[must_use]
    pub fn agents_dir(&self) -> PathBuf {
        self.state_dir.join("agents")
    }

    /// Transcripts of an agent.
    #[must_use]
    pub fn sessions_dir(&self, agent: &AgentId) -> PathBuf {
        self.agents_dir().join(agent.as_str()).join("sessions")
    }

    /// An agent's own state, unless its settings name another place.
    #[must_use]
    pub fn agent_dir(&self, agent: &AgentId) -> PathBuf {
        self.agents_dir().join(agent.as_str()).join("agent")
    }

    /// Workspace of the default agent, unless settings name another place.
    #[must_use]
    pub fn default_workspace(&self) -> PathBuf {
        self.default_workspace.clone().unwrap_or_else(|| self.state_dir.join("workspace"))
    }

    /// Workspace of another agent, unless its settings name another place.
    #[must_use]
    pub fn workspace(&self, agent: &AgentId) -> PathBuf {
        self.state_dir.join(format!("workspace-{agent}"))
    }

    /// The owner's rules for commands.
    #[must_use]
    pub fn exec_approvals(&self) -> PathBuf {
        self.state_dir.join("exec-approvals.json")
    }

    /// Where file tools keep what they replace.
    #[must_use]
    pub fn undo_dir(&self) -> PathBuf {
        self.state_dir.join("undo")
    }

    /// Logs and audit trails.
    #[must_use]
    pub fn logs_dir(&self) -> PathBuf {
        self.state_dir.join("logs")
    }

    /// This host's own device key.
    #[must_use]
    pub fn identity_file(&self) -> PathBuf {
        self.state_dir.join("identity").join("device.json")
    }

    /// Held while a gateway runs on this state.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.state_dir.join("gateway.lock")
    }

    /// The gateway's own certificate, where it made one.
    #[must_use]
    pub fn tls_dir(&self) -> PathBuf {
        self.state_dir.join("gateway").join("tls")
    }
}

/// What the folders of the state directory begin with in which others than the gateway work, too. Everything else in it
/// is the gateway's own record: settings, logins, conversations, rules.
const SHARED_FOLDERS: [&str; 3] = ["media", "skills", "workspace"];

/// Whether a name in the state directory is one of the folders in which others work, too.
#[must_use]
pub fn is_shared_folder(name: &str) -> bool {
    SHARED_FOLDERS.iter().any(|shared| name.starts_with(shared))
}

/// The gateway's own records on disk: settings, logins, conversations, rules. Workspaces, and what is taught and
/// received, also lie in its directories and are not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records {
    /// The state directory; empty in a house without records.
    pub state_dir: PathBuf,
    /// Directories of programs this one replaces, and settings that lie elsewhere.
    pub elsewhere: Vec<PathBuf>,
}

impl Records {
    /// Those in one directory.
    #[must_use]
    pub fn in_dir(state_dir: impl Into<PathBuf>) -> Self {
        Self { state_dir: state_dir.into(), elsewhere: Vec::new() }
    }

    /// Every directory and file that is or holds records.
    pub fn places(&self) -> impl Iterator<Item = &Path> {
        let all = std::iter::once(&self.state_dir).chain(&self.elsewhere);
        all.filter(|place| !place.as_os_str().is_empty()).map(PathBuf::as_path)
    }

    /// Whether a file is one of them, all links followed; `workspace` is real, too. Blocks on the disk.
    #[must_use]
    pub fn contain(&self, workspace: &Path, real: &Path) -> bool {
        self.places().any(|place| {
            let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
            let Ok(inside) = real.strip_prefix(&place) else { return false };
            let first = inside.components().next().map(|part| part.as_os_str().to_string_lossy());
            let is_shared = first.map_or_else(|| !place.is_file(), |first| is_shared_folder(&first));
            // A workspace that is such a directory itself opens none of it.
            let is_work = workspace != place && workspace.starts_with(&place) && real.starts_with(workspace);
            !is_shared && !is_work
        })
    }
}

/// The path a person wrote, with `~` for the home; `None` when it is not said where it begins.
pub(crate) fn written_path(text: &str, home: &Path) -> Option<PathBuf> {
    let text = text.trim();
    let is_whole = text == "~" || text.starts_with("~/") || Path::new(text).is_absolute();
    is_whole.then(|| absolute(text, home, home))
}

fn absolute(text: &str, home: &Path, base: &Path) -> PathBuf {
    let text = text.trim();
    let path = match text.strip_prefix('~') {
        Some("") => home.to_path_buf(),
        Some(rest) if rest.starts_with(['/', '\\']) => home.join(rest.trim_start_matches(['/', '\\'])),
        _ => base.join(text),
    };
    normal(&path)
}

/// Without `.` and `..`, by text alone: the directory may not exist yet.
fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests;
