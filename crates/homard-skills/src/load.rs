//! Finding skills: the places, weakest first, and the folders in them.
//!
//! A skill is a folder with a `SKILL.md`. A stronger place replaces a skill of the same name; one that is broken
//! replaces nothing. Nothing here fails: what cannot be used is listed with the reason.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use homard_config::Paths;
use homard_config::config::skills::{Skills as Settings, SkillsLimits};
use homard_runtime::Arrange as _;

use crate::front_matter::{self, FrontMatter};
use crate::stamps::Stamps;

/// The file that makes a folder a skill.
pub const FILE_NAME: &str = "SKILL.md";
/// How many entries of a folder are looked at for each candidate that may be taken: a bound for folders that hold
/// something else.
const ENTRIES_PER_CANDIDATE: usize = 20;

/// A kind of place, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillOrigin {
    /// A folder named in `skills.load.extraDirs`.
    Extra,
    /// Came with the program.
    Bundled,
    /// For all agents, in the state directory.
    Managed,
    /// For all programs of this person, in `~/.agents/skills`.
    Personal,
    /// For all programs that work in this workspace, in its `.agents/skills`.
    Project,
    /// In the workspace's `skills`.
    Workspace,
}

impl SkillOrigin {
    /// How clients know it.
    #[must_use]
    pub fn wire(self) -> &'static str {
        match self {
            Self::Extra => "openclaw-extra",
            Self::Bundled => "openclaw-bundled",
            Self::Managed => "openclaw-managed",
            Self::Personal => "agents-skills-personal",
            Self::Project => "agents-skills-project",
            Self::Workspace => "openclaw-workspace",
        }
    }

    /// Whether the agent itself works there, so that the owner may not have seen what is in it.
    #[must_use]
    pub fn is_the_agents_own(self) -> bool {
        matches!(self, Self::Project | Self::Workspace)
    }
}

/// A place to look in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillRoot {
    pub place: SkillOrigin,
    pub dir: PathBuf,
}

/// A skill that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub name: String,
    /// What it says about itself.
    pub front: FrontMatter,
    /// Where it comes from.
    pub place: SkillOrigin,
    pub dir: PathBuf,
    pub file: PathBuf,
}

impl Skill {
    /// Its key under `skills.entries`.
    #[must_use]
    pub fn key(&self) -> &str {
        self.front.about.skill_key.as_deref().unwrap_or(&self.name)
    }
}

/// A skill that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenSkill {
    pub name: String,
    /// Where it comes from.
    pub place: SkillOrigin,
    pub dir: PathBuf,
    /// Why: completes "the file …".
    pub reason: String,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Skills by name, the strongest of each.
    pub skills: BTreeMap<String, Arc<Skill>>,
    /// What cannot be read.
    pub broken: Vec<BrokenSkill>,
    /// What was left out because of a limit.
    pub left_out: Vec<String>,
    /// How everything that was looked at looked.
    pub stamps: Stamps,
}

/// The places of an agent, weakest first; of two that are the same folder the stronger.
#[must_use]
pub fn roots(paths: &Paths, settings: &Settings, workspace: &Path, bundled: Option<&Path>) -> Vec<SkillRoot> {
    let root = |place, dir: PathBuf| SkillRoot { place, dir };
    let extra = settings.extra_dirs.iter().map(|dir| root(SkillOrigin::Extra, dir.clone()));
    let agents = Path::new(".agents").join("skills");
    let all = extra
        .chain(bundled.map(|dir| root(SkillOrigin::Bundled, dir.to_owned())))
        .chain([
            root(SkillOrigin::Managed, managed_dir(paths)),
            root(SkillOrigin::Personal, paths.home.join(&agents)),
            root(SkillOrigin::Project, workspace.join(&agents)),
            root(SkillOrigin::Workspace, workspace.join("skills")),
        ])
        .collect::<Vec<_>>();
    let is_repeated = |n: usize, one: &SkillRoot| all.iter().skip(n + 1).any(|later| later.dir == one.dir);
    all.iter().enumerate().filter(|(n, one)| !is_repeated(*n, one)).map(|(_, one)| one.clone()).collect()
}

/// Where skills for all agents are kept.
#[must_use]
pub fn managed_dir(paths: &Paths) -> PathBuf {
    paths.state_dir.join("skills")
}

/// Looks in all places. Blocks.
#[must_use]
pub fn load(roots: &[SkillRoot], limits: &SkillsLimits) -> Loaded {
    let mut loaded = Loaded::default();
    for root in roots {
        loaded.stamps.take(&root.dir);
        // A place that is not there is empty.
        let Ok(real) = std::fs::canonicalize(&root.dir) else { continue };
        loaded.look_into(root, &real, limits);
    }
    loaded
}

impl Loaded {
    fn look_into(&mut self, root: &SkillRoot, real: &Path, limits: &SkillsLimits) {
        let mut taken = 0;
        for dir in self.candidates(root, limits) {
            let file = dir.join(FILE_NAME);
            self.stamps.take(&file);
            let skill = match read(root.place, &dir, real, limits) {
                Ok(Some(skill)) => skill,
                Ok(None) => {
                    // No skill yet; one may be put there.
                    self.stamps.take(&dir);
                    continue;
                }
                Err(reason) => {
                    self.broken.push(BrokenSkill { name: folder_name(&dir), place: root.place, dir, reason });
                    continue;
                }
            };
            if taken == limits.per_source {
                self.left_out.push(format!(
                    "only the first {taken} skills of `{}` are loaded (skills.limits.maxSkillsLoadedPerSource)",
                    root.dir.display()
                ));
                return;
            }
            taken += 1;
            self.skills.insert(skill.name.clone(), Arc::new(skill));
        }
    }

    /// The folders of a place, by name; the place itself when it is a skill.
    fn candidates(&mut self, root: &SkillRoot, limits: &SkillsLimits) -> Vec<PathBuf> {
        if root.dir.join(FILE_NAME).is_file() {
            return vec![root.dir.clone()];
        }
        let Ok(entries) = std::fs::read_dir(&root.dir) else { return Vec::new() };
        let most = limits.candidates_per_root.saturating_mul(ENTRIES_PER_CANDIDATE);
        let is_hidden = |path: &Path| {
            let name = folder_name(path);
            name.starts_with('.') || name == "node_modules"
        };
        let folders = entries.take(most).filter_map(|entry| Some(entry.ok()?.path()));
        let mut folders: Vec<PathBuf> = folders.filter(|path| !is_hidden(path) && path.is_dir()).collect();
        folders.arrange();
        if folders.len() > limits.candidates_per_root {
            folders.truncate(limits.candidates_per_root);
            self.left_out.push(format!(
                "only the first {} folders of `{}` are looked at (skills.limits.maxCandidatesPerRoot)",
                limits.candidates_per_root,
                root.dir.display()
            ));
        }
        folders
    }
}

fn folder_name(dir: &Path) -> String {
    dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads one folder; `None` when it is no skill.
fn read(place: SkillOrigin, dir: &Path, root: &Path, limits: &SkillsLimits) -> Result<Option<Skill>, String> {
    let file = dir.join(FILE_NAME);
    let real = match std::fs::canonicalize(&file) {
        Ok(real) => real,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !file.is_symlink() => return Ok(None),
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    if !real.starts_with(root) {
        return Err("leads out of its folder through a symbolic link: copy the skill, or name the folder it really is in under skills.load.extraDirs".to_owned());
    }
    let text = read_text(&real, limits.file_bytes)?;
    let front = front_matter::parse(&text).map_err(|error| error.to_string())?;
    let name = front.name.clone().unwrap_or_else(|| folder_name(dir));
    if !front_matter::is_name(&name) {
        return Err("has no `name`, and its folder's name cannot be one".to_owned());
    }
    Ok(Some(Skill { name, front, place, dir: dir.to_owned(), file }))
}

fn read_text(file: &Path, most: u64) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    let opened = std::fs::File::open(file).map_err(cannot)?;
    if !opened.metadata().map_err(cannot)?.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    opened.take(most + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most {
        return Err(format!(
            "is larger than {most} bytes: move details into other files beside it, or raise skills.limits.maxSkillFileBytes"
        ));
    }
    String::from_utf8(bytes).map_err(|_not_text| "is not UTF-8 text".to_owned())
}

#[cfg(test)]
mod tests;
