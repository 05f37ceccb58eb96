//! Finding hooks: folders with a `HOOK.md`, in the workspace, the state directory and where else the owner says, and
//! those that come with the program.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use homard_config::{Config, Paths};
use homard_protocol::AgentId;
use homard_runtime::Arrange as _;
use homard_skills::front_matter::{self, FrontMatter};
use homard_skills::gate::{Needed, Programs, this_os};
use serde_json::Value;

use super::bundled::Bundled;
use super::event;

/// The file that describes a hook.
const HEAD: &str = "HOOK.md";
/// Largest such file, in bytes.
const MAX_HEAD: u64 = 256 * 1024;
/// Most folders looked into in one place.
const MAX_FOLDERS: usize = 200;

/// Where a hook was found, those that win first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookOrigin {
    Bundled,
    /// In the state directory.
    Managed,
    /// Where the owner says besides.
    Extra,
    /// In the workspace, where the assistant writes, too.
    Workspace,
}

impl HookOrigin {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bundled => "bundled",
            Self::Managed => "managed",
            Self::Extra => "extra",
            Self::Workspace => "workspace",
        }
    }
}

/// What runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Handler {
    Bundled(Bundled),
    Program(PathBuf),
    /// Nothing does; the text says why.
    None(String),
}

/// A hook that was found.
#[derive(Debug, Clone)]
pub struct FoundHook {
    pub name: String,
    pub description: String,
    pub origin: HookOrigin,
    pub dir: PathBuf,
    /// What it listens to.
    pub events: Vec<String>,
    pub emoji: Option<String>,
    /// What it needs and does not find, in words.
    pub missing: Vec<String>,
    /// Why it cannot be used, whatever the owner wants.
    pub problem: Option<String>,
    /// Whether the owner lets it run.
    pub enabled: bool,
    pub(super) handler: Handler,
}

impl FoundHook {
    /// Whether it runs.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.enabled && self.is_eligible()
    }

    /// Whether it would run if the owner let it.
    #[must_use]
    pub fn is_eligible(&self) -> bool {
        self.problem.is_none() && self.missing.is_empty()
    }

    /// The program that runs; `None` for one that comes with Homard, or that cannot run.
    #[must_use]
    pub fn program(&self) -> Option<&Path> {
        match &self.handler {
            Handler::Program(path) => Some(path),
            Handler::Bundled(_) | Handler::None(_) => None,
        }
    }
}

/// The folders hooks are found in beside the program: the workspace's and the state directory's.
#[must_use]
pub fn hook_dirs(workspace: &Path, paths: &Paths) -> (PathBuf, PathBuf) {
    (workspace.join("hooks"), paths.state_dir.join("hooks"))
}

/// All hooks an agent's workspace and this machine have; `written` is the configuration as the owner wrote it. Blocks while
/// it reads folders.
#[must_use]
pub fn find(config: &Config, written: &Value, workspace: &Path, paths: &Paths) -> Vec<FoundHook> {
    let settings = &config.hooks.internal;
    let (of_workspace, managed) = hook_dirs(workspace, paths);
    let mut programs = Programs::on_path(&[], config.env.get("PATH"));
    let workspaces: Vec<PathBuf> =
        config.agents.list.iter().filter_map(|agent| agent.workspace.canonicalize().ok()).collect();
    let mut found: Vec<FoundHook> = Bundled::ALL.iter().map(|hook| hook.found(settings)).collect();
    let places = std::iter::once((HookOrigin::Managed, managed))
        .chain(settings.extra_dirs.iter().map(|dir| (HookOrigin::Extra, dir.clone())))
        .chain([(HookOrigin::Workspace, of_workspace)]);
    for (origin, place) in places {
        // The assistant writes there, whichever list names the folder.
        let is_in_workspace = place
            .canonicalize()
            .is_ok_and(|place| workspaces.iter().any(|workspace| place.starts_with(workspace)));
        for dir in folders(&place) {
            let mut hook = read(&dir, origin, config, written, &mut programs);
            let is_named = settings.entries.get(&hook.name).is_some_and(|entry| entry.enabled == Some(true));
            hook.enabled &= is_named || !is_in_workspace;
            if let Some(other) = found.iter().find(|other| other.name == hook.name) {
                hook.problem = Some(taken_by(other));
            }
            found.push(hook);
        }
    }
    found
}

/// What runs for all agents, each of a workspace with the agent it is of. One whose name is taken in another agent's
/// workspace does not run: the owner switched the other one on.
pub(super) fn find_for_all(
    config: &Config,
    written: &Value,
    paths: &Paths,
) -> Vec<(FoundHook, Option<AgentId>)> {
    let first = config.agents.default_agent();
    let others = config.agents.list.iter().filter(|agent| agent.id != first.id);
    let mut all: Vec<(FoundHook, Option<AgentId>)> = Vec::new();
    for agent in std::iter::once(first).chain(others) {
        for mut hook in find(config, written, &agent.workspace, paths) {
            let of = (hook.origin == HookOrigin::Workspace).then(|| agent.id.clone());
            if all.iter().any(|(known, _)| known.dir == hook.dir && known.name == hook.name) {
                continue;
            }
            if let Some((other, _)) = all.iter().find(|(known, _)| known.name == hook.name)
                && hook.problem.is_none()
            {
                hook.problem = Some(taken_by(other));
            }
            all.push((hook, of));
        }
    }
    all
}

fn taken_by(other: &FoundHook) -> String {
    format!("its name is taken by the hook in {}", other.dir.display())
}

/// Folders with a description, in order. What is a link is left out: it may lead anywhere.
fn folders(place: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(place) else { return Vec::new() };
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let entries = entries.filter_map(Result::ok).filter(is_folder).take(MAX_FOLDERS);
    let mut dirs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    dirs.retain(|dir| dir.join(HEAD).is_file());
    dirs.arrange();
    dirs
}

fn read(
    dir: &Path,
    origin: HookOrigin,
    config: &Config,
    written: &Value,
    programs: &mut Programs,
) -> FoundHook {
    let folder = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut hook = FoundHook {
        name: folder,
        description: String::new(),
        origin,
        dir: dir.to_owned(),
        events: Vec::new(),
        emoji: None,
        missing: Vec::new(),
        problem: None,
        enabled: false,
        handler: Handler::None(String::new()),
    };
    match head(dir) {
        Ok(front) => fill(&mut hook, front, config, written, programs),
        Err(problem) => hook.problem = Some(problem),
    }
    hook
}

fn head(dir: &Path) -> Result<FrontMatter, String> {
    let path = dir.join(HEAD);
    let size = std::fs::metadata(&path).map_err(|error| error.to_string())?.len();
    if size > MAX_HEAD {
        return Err(format!("{HEAD} is longer than {MAX_HEAD} bytes"));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{HEAD} cannot be read: {error}"))?;
    front_matter::parse(&text).map_err(|error| format!("{HEAD} {error}"))
}

fn fill(hook: &mut FoundHook, front: FrontMatter, config: &Config, written: &Value, programs: &mut Programs) {
    let settings = &config.hooks.internal;
    if let Some(name) = front.name {
        hook.name = name;
    }
    let entry = settings.entries.get(&hook.name);
    // In the workspace the assistant writes; what runs from there the owner has named.
    let unless_told = hook.origin != HookOrigin::Workspace;
    hook.enabled = settings.enabled && entry.and_then(|entry| entry.enabled).unwrap_or(unless_told);
    hook.description = front.description;
    let is_set = |name: &str| {
        entry.is_some_and(|entry| entry.env.contains_key(name)) || config.env.get(name).is_some()
    };
    let missing = Needed { os: this_os(), written, is_set: &is_set }.missing(&front.about, programs);
    let each = |kind: &'static str, names: Vec<String>| {
        names.into_iter().map(move |name| format!("{kind} `{name}`"))
    };
    hook.missing.extend(each("program", missing.bins).chain(each("variable", missing.env)));
    hook.missing.extend(each("setting", missing.config));
    if !missing.any_bins.is_empty() {
        hook.missing.push(format!("one of the programs {}", missing.any_bins.join(", ")));
    }
    if !missing.os.is_empty() {
        hook.missing.push(format!("the system {}", missing.os.join(" or ")));
    }
    hook.emoji = front.about.emoji;
    hook.events = front.about.events;
    hook.handler = handler(&hook.dir);
    let unknown = event::unknown(&hook.events);
    hook.problem = match &hook.handler {
        Handler::None(why) => Some(why.clone()),
        _ if hook.events.is_empty() => Some("names no events (metadata.openclaw.events)".to_owned()),
        _ if !unknown.is_empty() => Some(format!("listens to what is no event: {}", unknown.join(", "))),
        Handler::Bundled(_) | Handler::Program(_) => None,
    };
}

/// The program of a hook: a file called `handler`, with or without an ending, that may be run.
fn handler(dir: &Path) -> Handler {
    let Ok(entries) = std::fs::read_dir(dir) else { return Handler::None("cannot be read".to_owned()) };
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|path| path.file_stem().is_some_and(|stem| stem == "handler"));
    files.arrange();
    let runs = |path: &&PathBuf| {
        std::fs::symlink_metadata(path)
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if let Some(program) = files.iter().find(runs) {
        return Handler::Program(program.clone());
    }
    let is_script = |path: &PathBuf| {
        let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
        ending.is_some_and(|ending| ["ts", "js", "mjs", "cjs"].contains(&ending.as_str()))
    };
    Handler::None(match files.iter().find(|path| is_script(path)) {
        Some(script) => format!(
            "its handler `{}` is a JavaScript module, and Homard runs programs: write an executable `handler` that reads the event as JSON",
            script.file_name().unwrap_or_default().to_string_lossy()
        ),
        None if files.is_empty() => "has no `handler` beside its HOOK.md".to_owned(),
        None => "its `handler` may not be run: chmod +x it".to_owned(),
    })
}

#[cfg(test)]
mod tests;
