//! Locks and process numbers that a crash left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_exec::has_ended;
use rustix::process::Pid;
use serde_json::Value;

use crate::files::{entries, name_of};
use crate::finding::{Act, Finding};
use crate::scene::Scene;

/// A lock folder this old was left by a crash: whoever works touches it.
const STALE: Duration = Duration::from_secs(60 * 60);

/// Largest lock that is read, in bytes.
const MAX_LOCK: u64 = 64 * 1024;

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let paths = &scene.source.paths;
    let mut found = Vec::new();
    if scene.rooms.lock.is_left {
        let words =
            "the last gateway was killed or lost its power; what it was doing is finished at the next start";
        found.push(Finding::warn("locks.crashed", words).act(Act::EmptyLock { path: paths.lock_file() }));
    }
    let folders = entries(&paths.agents_dir())
        .into_iter()
        .flat_map(|agent| [agent.join("agent"), agent.join("sessions")]);
    let folders = folders.chain([paths.state_dir.clone(), paths.state_dir.join("credentials")]);
    let locks = folders.flat_map(|folder| entries(&folder)).filter(|path| *path != paths.lock_file());
    let stale: Vec<PathBuf> =
        locks.filter(|path| name_of(path).ends_with(".lock") && is_stale(path)).collect();
    found.extend(stale.into_iter().map(|path| {
        let words = format!("{} was left by a program that is no more", path.display());
        Finding::warn("locks.stale", words).act(Act::SetAside { path })
    }));
    found
}

fn is_stale(path: &Path) -> bool {
    let Ok(about) = fs::symlink_metadata(path) else { return false };
    if about.is_dir() {
        return about.modified().ok().and_then(|then| then.elapsed().ok()).is_some_and(|age| age > STALE);
    }
    // A pipe, or what a link leads to, is no lock of ours.
    if !about.is_file() || about.len() > MAX_LOCK {
        return false;
    }
    let holder = fs::read_to_string(path).ok().and_then(|text| process_in(&text));
    holder.and_then(Pid::from_raw).is_some_and(has_ended)
}

/// The process a lock names: a bare number, or the `pid` of JSON.
fn process_in(text: &str) -> Option<i32> {
    let json = serde_json::from_str::<Value>(text).ok();
    let number = json.and_then(|value| value.get("pid").unwrap_or(&value).as_i64());
    let number = number.or_else(|| text.split_whitespace().next()?.parse().ok())?;
    i32::try_from(number).ok().filter(|&number| number > 1)
}
