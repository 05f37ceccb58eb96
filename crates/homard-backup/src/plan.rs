//! What goes into an archive, decided before anything is read: so that it can be shown, and counted.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use homard_config::{ConfigSource, REDACTED, Snapshot};
use homard_runtime::Arrange as _;

use crate::archive::{About, ArchiveKind, FORMAT};
use crate::error::BackupError;

/// The state folder in an archive.
pub(crate) const STATE: &str = "state";
/// Settings that lie elsewhere.
pub(crate) const CONFIG: &str = "config";
/// Workspaces that lie elsewhere, by agent.
pub(crate) const WORKSPACES: &str = "workspaces";
/// Names at the top of the state folder that can be made again, or mean nothing without the process that made them.
const PASSING: [&str; 9] = [
    "cache",
    "doctor",
    "gateway.lock",
    "handover-outcome.json",
    "handover.json",
    "logs",
    "sandboxes",
    "undo",
    "exec-approvals.sock",
];
/// What beside settings an archive without secrets holds, by how it begins. A list of what is in, and not of what is out:
/// what nobody thought of stays at home.
const WITHOUT_SECRETS: [&str; 9] =
    ["homard.sqlite", "cron", "hooks", "media", "memory", "settings", "skills", "subagents", "workspace"];
/// What beside that it holds when it is asked for by name.
const WITHOUT_SECRETS_BY_NAME: [&str; 2] = ["cache", "logs"];
/// The folders of an agent that hold no secrets.
const AGENTS_WITHOUT_SECRETS: &str = "sessions";
/// Endings of what SQLite keeps beside a database; a copy of it needs none.
const BESIDE_DATABASES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// What the owner wants in an archive.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub no_secrets: bool,
    /// The settings and nothing else.
    pub only_config: bool,
    pub no_workspaces: bool,
    /// Paths in the archive that stay out, with all below them.
    pub exclude: Vec<String>,
    /// Names at the top of the state folder that are usually left out.
    pub include: Vec<String>,
}

/// How one thing gets into the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EntrySource {
    Folder,
    Copy,
    Link(PathBuf),
    /// By SQLite, from one moment.
    Database,
    /// These bytes instead of what is on the disk.
    Text(String),
}

/// One thing that goes in.
#[derive(Debug, Clone)]
pub(crate) struct PlanEntry {
    pub(crate) from: PathBuf,
    /// Its path in the archive.
    pub(crate) name: String,
    pub(crate) len: u64,
    pub(crate) mode: u32,
    pub(crate) mtime: u64,
    pub(crate) how: EntrySource,
}

/// Everything that goes in.
#[derive(Debug, Clone)]
pub struct Plan {
    pub about: About,
    pub(crate) items: Vec<PlanEntry>,
}

impl Plan {
    /// Looks at what there is. Nothing is written.
    ///
    /// # Errors
    /// When there is nothing, or it cannot be looked at.
    pub fn of(source: &ConfigSource, snapshot: &Snapshot, choice: &Choice) -> Result<Self, BackupError> {
        let paths = &source.paths;
        let mut walk = Walk { choice, items: Vec::new() };
        // A link in place of the state folder, or of a workspace, is how people put them on another disk.
        let state = real(&paths.state_dir);
        if choice.only_config {
            for name in ["homard.json", ".env"] {
                walk.add(&state.join(name), &format!("{STATE}/{name}"), snapshot)?;
            }
            for path in &snapshot.included {
                walk.below(&paths.state_dir, path, snapshot)?;
            }
        } else {
            walk.add(&state, STATE, snapshot)?;
        }
        let settings = &snapshot.path;
        if snapshot.exists && !settings.starts_with(&paths.state_dir) {
            let name =
                settings.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            walk.add(&real(settings), &format!("{CONFIG}/{name}"), snapshot)?;
        }
        let workspaces = workspaces(snapshot, &paths.state_dir, choice);
        for (agent, path) in &workspaces {
            walk.add(&real(path), &format!("{WORKSPACES}/{agent}"), snapshot)?;
        }
        if !walk.items.iter().any(|item| item.how != EntrySource::Folder) {
            return Err(BackupError::Nothing(paths.state_dir.clone()));
        }
        // Conversations may be ahead of the database that knows them, never behind it.
        walk.items
            .arrange_by_key(|item| item.how != EntrySource::Folder && item.how != EntrySource::Database);
        let about = About {
            format: FORMAT,
            kind: if choice.only_config { ArchiveKind::Config } else { ArchiveKind::Full },
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: source.clock.now_rfc3339(),
            has_secrets: !choice.no_secrets,
            state_dir: paths.state_dir.clone(),
            config_path: settings.clone(),
            workspaces: workspaces.into_iter().collect(),
        };
        Ok(Self { about, items: walk.items })
    }

    /// How many files, and how many bytes before they are packed.
    #[must_use]
    pub fn size(&self) -> (usize, u64) {
        let files = self.items.iter().filter(|item| item.how != EntrySource::Folder);
        files.fold((0, 0), |(count, bytes), item| (count + 1, bytes + item.len))
    }

    /// What goes in, by the first two parts of its path: names and bytes.
    #[must_use]
    pub fn parts(&self) -> Vec<(String, u64)> {
        let mut parts: Vec<(String, u64)> = Vec::new();
        for item in &self.items {
            let name = item.name.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
            match parts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, bytes)) => *bytes += item.len,
                None if name != STATE => parts.push((name, item.len)),
                None => {}
            }
        }
        parts.arrange();
        parts
    }
}

/// Workspaces that lie outside the state folder, each once: agents may share one, and one may lie in another. A link in
/// the state folder that leads out of it is one, too; it goes back to where the link leads.
fn workspaces(snapshot: &Snapshot, state: &Path, choice: &Choice) -> Vec<(String, PathBuf)> {
    let agents = snapshot.config.iter().flat_map(|config| &config.agents.list);
    let agents = agents.filter(|_| !choice.no_workspaces && !choice.only_config);
    let inside = real(state);
    let mut found: Vec<(String, PathBuf, PathBuf)> = Vec::new();
    for agent in agents {
        let there = real(&agent.workspace);
        if there.starts_with(&inside) || inside.starts_with(&there) {
            continue;
        }
        let place = if agent.workspace.starts_with(state) { &there } else { &agent.workspace };
        found.push((agent.id.as_str().to_owned(), place.clone(), there));
    }
    let is_held = |at: usize, there: &Path| {
        let others = found.iter().enumerate().filter(|(other, _)| *other != at);
        others.into_iter().any(|(other, (_, _, above))| {
            there.starts_with(above) && (there != above.as_path() || other < at)
        })
    };
    let kept = found.iter().enumerate().filter(|(at, (_, _, there))| !is_held(*at, there));
    kept.map(|(_, (agent, place, _))| (agent.clone(), place.clone())).collect()
}

/// A place with links followed; what is not there is taken as it is written.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_absent| path.to_owned())
}

struct Walk<'a> {
    choice: &'a Choice,
    items: Vec<PlanEntry>,
}

impl Walk<'_> {
    /// A file that the settings include, if it lies in the state folder.
    fn below(&mut self, state: &Path, path: &Path, snapshot: &Snapshot) -> Result<(), BackupError> {
        match path.strip_prefix(state) {
            Ok(name) => self.add(path, &format!("{STATE}/{}", name.display()), snapshot),
            Err(_elsewhere) => Ok(()),
        }
    }

    fn add(&mut self, path: &Path, name: &str, snapshot: &Snapshot) -> Result<(), BackupError> {
        let about = match fs::symlink_metadata(path) {
            Ok(about) => about,
            // It was there a moment ago, or never had to be.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(BackupError::read(path, error)),
        };
        if !self.wants(name) || (self.choice.no_secrets && is_other_settings(path, name, snapshot)) {
            return Ok(());
        }
        let how = if about.is_dir() {
            EntrySource::Folder
        } else if about.is_symlink() {
            EntrySource::Link(fs::read_link(path).map_err(|error| BackupError::read(path, error))?)
        } else if !about.is_file() {
            return Ok(());
        } else if self.choice.no_secrets && real(path) == real(&snapshot.path) {
            EntrySource::Text(without_secrets(snapshot))
        } else if name.ends_with(".sqlite") && is_database(path) {
            EntrySource::Database
        } else {
            EntrySource::Copy
        };
        let is_folder = how == EntrySource::Folder;
        let mtime = u64::try_from(about.mtime()).unwrap_or(0);
        let len = if is_folder { 0 } else { about.len() };
        self.items.push(PlanEntry {
            from: path.to_owned(),
            name: name.to_owned(),
            len,
            mode: about.mode() & 0o777,
            mtime,
            how,
        });
        if is_folder {
            let read = fs::read_dir(path).map_err(|error| BackupError::read(path, error))?;
            let mut below: Vec<_> = read.flatten().map(|entry| entry.file_name()).collect();
            below.arrange();
            for entry in below {
                self.add(&path.join(&entry), &format!("{name}/{}", entry.to_string_lossy()), snapshot)?;
            }
        }
        Ok(())
    }

    fn wants(&self, name: &str) -> bool {
        let is_below = |above: &String| {
            let above = above.trim_matches('/');
            [above.to_owned(), format!("{STATE}/{above}")].iter().any(|above| {
                name == above || name.strip_prefix(above.as_str()).is_some_and(|rest| rest.starts_with('/'))
            })
        };
        if self.choice.exclude.iter().any(is_below) {
            return false;
        }
        let Some(inside) = name.strip_prefix(STATE).and_then(|rest| rest.strip_prefix('/')) else {
            return true;
        };
        let is_named = self.choice.include.iter().any(is_below);
        let first = inside.split('/').next().unwrap_or_default();
        let last = inside.rsplit('/').next().unwrap_or_default();
        let is_passing = PASSING.contains(&first) || last.starts_with(".homard-") || last.ends_with(".lock");
        let is_beside = BESIDE_DATABASES.iter().any(|end| last.ends_with(&format!(".sqlite{end}")));
        let is_workspace = first.starts_with("workspace");
        let is_unwanted = is_passing || is_beside || is_workspace && self.choice.no_workspaces;
        (is_named || !is_unwanted) && self.may_be_told(inside, is_named)
    }

    /// Whether an archive without secrets may hold it.
    fn may_be_told(&self, inside: &str, is_named: bool) -> bool {
        let first = inside.split('/').next().unwrap_or_default();
        if !self.choice.no_secrets || inside == "homard.json" {
            return true;
        }
        if first == "agents" {
            return inside.split('/').nth(2).is_none_or(|part| part == AGENTS_WITHOUT_SECRETS);
        }
        (is_named && WITHOUT_SECRETS_BY_NAME.contains(&first))
            || WITHOUT_SECRETS.iter().any(|begin| first.starts_with(begin))
    }
}

/// Whether it is settings whose secrets nobody takes out: a part that is included, or `homard.json` where another file is
/// in effect.
fn is_other_settings(path: &Path, name: &str, snapshot: &Snapshot) -> bool {
    let is_own_name = name.strip_prefix(STATE) == Some("/homard.json");
    // Most homes have neither, and links are followed for every file.
    if !is_own_name && snapshot.included.is_empty() {
        return false;
    }
    let there = real(path);
    snapshot.included.iter().any(|included| real(included) == there)
        || (is_own_name && there != real(&snapshot.path))
}

/// The settings with every secret empty, which counts as not set. A file nobody can read says nothing.
fn without_secrets(snapshot: &Snapshot) -> String {
    let text = snapshot.redacted_raw().unwrap_or_else(|| "{}\n".to_owned());
    text.replace(&format!("\"{REDACTED}\""), "\"\"")
}

fn is_database(path: &Path) -> bool {
    use std::io::Read as _;
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let mut head = [0; MAGIC.len()];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *MAGIC
}
