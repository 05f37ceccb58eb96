//! Files that belong to nothing any more: drafts of killed programs, agents and workspaces nobody lists, what a restore
//! kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::files::{entries, name_of};
use crate::finding::{Act, Finding};
use crate::scene::Scene;

/// A draft this old is nobody's.
const ABANDONED: Duration = Duration::from_secs(60 * 60);
/// A rejected configuration this old has been looked at, or never will be.
const OLD: Duration = Duration::from_secs(30 * 24 * 60 * 60);

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let state = &scene.source.paths.state_dir;
    let here = entries(state);
    let aside = |path: &PathBuf, id: &str, words: &str| {
        Finding::info(id, format!("{} {words}", path.display())).act(Act::SetAside { path: path.clone() })
    };
    let drafts =
        here.iter().filter(|path| name_of(path).starts_with(".homard-") && is_older(path, ABANDONED));
    let mut found: Vec<Finding> =
        drafts.map(|path| aside(path, "orphans.draft", "was left by a program that was killed")).collect();
    let rejected = here.iter().filter(|path| name_of(path).contains(".rejected.") && is_older(path, OLD));
    found.extend(
        rejected
            .map(|path| aside(path, "orphans.rejected", "is a configuration that did not start, long ago")),
    );
    found.extend(restores(state));
    if scene.snapshot.config.is_some() {
        found.extend(nobodys(scene, &here));
    }
    found
}

/// What restoring a backup leaves beside the state folder.
fn restores(state: &Path) -> Vec<Finding> {
    let (Some(above), name) = (state.parent(), name_of(state)) else { return Vec::new() };
    let beside = entries(above).into_iter().filter_map(|path| {
        let rest = name_of(&path).strip_prefix(&name)?.to_owned();
        let words = match rest {
            rest if rest.starts_with(".restoring-") => "is a restore that was not finished",
            rest if rest.starts_with(".before-restore-") => "is what was there before a backup was restored",
            _ => return None,
        };
        let shown = path.display().to_string();
        Some(
            Finding::info("orphans.restore", format!("{shown} {words}"))
                .fix(format!("delete it when nothing is missing: rm -r {shown}")),
        )
    });
    beside.collect()
}

/// Folders of agents the settings do not name.
fn nobodys(scene: &Scene<'_>, here: &[PathBuf]) -> Vec<Finding> {
    let settings = scene.settings();
    let listed = |id: &str| settings.agents.list.iter().any(|agent| agent.id.as_str() == id);
    let agents = entries(&scene.source.paths.agents_dir()).into_iter().filter(|path| path.is_dir());
    let agents = agents.map(|path| (name_of(&path), path));
    let workspaces = here.iter().filter(|path| path.is_dir());
    let workspaces = workspaces
        .filter_map(|path| Some((name_of(path).strip_prefix("workspace-")?.to_owned(), path.clone())));
    let nobodys = agents.chain(workspaces).filter(|(id, _)| !listed(id));
    nobodys
        .map(|(id, path)| {
            let words = format!("{} belongs to `{id}`, an agent the settings do not name", path.display());
            Finding::info("orphans.agent", words)
                .fix(format!("homard agents add {id} brings it back; else delete the folder"))
        })
        .collect()
}

fn is_older(path: &Path, age: Duration) -> bool {
    let modified = fs::symlink_metadata(path).and_then(|about| about.modified()).ok();
    modified.and_then(|then| then.elapsed().ok()).is_some_and(|old| old > age)
}
