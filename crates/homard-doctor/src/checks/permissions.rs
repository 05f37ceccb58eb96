//! Who else on this machine can read or change what is the owner's, and whether we can ourselves.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use homard_config::is_shared_folder;
use rustix::fs::{Access, access};

use crate::files::{OTHERS, OTHERS_WRITE, entries, mode, name_of};
use crate::finding::{Act, Finding};
use crate::scene::Scene;

/// A place only its owner should see, and what it is.
pub(crate) struct PrivatePlace {
    pub(crate) path: PathBuf,
    /// The middle of the id of a finding about it, as the audit names it.
    pub(crate) kind: &'static str,
    /// Whether it lies in a state folder that is closed, so that nobody gets to it anyway.
    pub(crate) is_shielded: bool,
}

/// Every place with settings, keys or conversations.
pub(crate) fn places(scene: &Scene<'_>) -> Vec<PrivatePlace> {
    let paths = &scene.source.paths;
    let state = &paths.state_dir;
    let closed = mode(state).is_some_and(|mode| mode & OTHERS == 0);
    let mut found = vec![(state.clone(), "state_dir"), (scene.snapshot.path.clone(), "config")];
    found.extend(scene.snapshot.included.iter().map(|path| (path.clone(), "config_include")));
    found.push((state.join(".env"), "config"));
    found.push((state.join("credentials"), "credentials_dir"));
    found.push((state.join("identity").join("device.json"), "credentials_dir"));
    found.push((paths.database(), "sessions_store"));
    found.push((paths.logs_dir(), "log_file"));
    for agent in entries(&paths.agents_dir()) {
        found.push((agent.join("agent").join("auth-profiles.json"), "auth_profiles"));
        found.push((agent.join("sessions"), "sessions_store"));
    }
    let named: Vec<PathBuf> = found.iter().map(|(path, _)| path.clone()).collect();
    let others = entries(state).into_iter().filter(|path| !is_shared_folder(&name_of(path)));
    found.extend(others.filter(|path| !named.contains(path)).map(|path| (path, "state_dir")));
    let place = |(path, kind): (PathBuf, &'static str)| PrivatePlace {
        is_shielded: closed && path != *state && path.starts_with(state),
        path,
        kind,
    };
    found.into_iter().map(place).filter(|place| place.path.exists()).collect()
}

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = places(scene).iter().filter_map(loose).collect();
    found.extend(unusable(&scene.source.paths.state_dir));
    found
}

fn loose(place: &PrivatePlace) -> Option<Finding> {
    let mode = mode(&place.path).filter(|mode| mode & OTHERS != 0 && !place.is_shielded)?;
    let shown = place.path.display();
    let closed = mode & !OTHERS;
    let finding = if mode & OTHERS_WRITE != 0 {
        Finding::error("permissions.writable", format!("other users can change {shown} (mode {mode:o})"))
    } else {
        Finding::warn("permissions.readable", format!("other users can look into {shown} (mode {mode:o})"))
    };
    // What a link leads to may be the system's: whose it is decides its owner.
    if place.path.is_symlink() {
        let real = place.path.canonicalize().unwrap_or_else(|_gone| place.path.clone());
        return Some(finding.fix(format!("chmod {closed:o} {}", real.display())));
    }
    Some(finding.act(Act::Close { path: place.path.clone(), mode: closed }))
}

/// Whether we may write what is ours.
fn unusable(state: &Path) -> Option<Finding> {
    let Ok(about) = fs::metadata(state) else { return cannot_be_made(state) };
    let shown = state.display();
    let us = rustix::process::geteuid().as_raw();
    if about.uid() != us && us != 0 {
        let words = format!("{shown} belongs to another user (number {})", about.uid());
        return Some(
            Finding::error("permissions.foreign", words).fix(format!("sudo chown -R \"$USER\" {shown}")),
        );
    }
    let allowed = access(state, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK);
    allowed.is_err().then(|| {
        Finding::error(
            "permissions.read_only",
            format!("{shown} cannot be written, so no gateway can run on it"),
        )
        .fix(format!("make it writable (chmod u+rwx {shown}), or name another folder in HOMARD_STATE_DIR"))
    })
}

/// Whether there is no place for a state folder that is not there yet.
fn cannot_be_made(state: &Path) -> Option<Finding> {
    let there = state.ancestors().skip(1).find(|above| above.exists())?;
    let is_open = there.is_dir() && access(there, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    let words = format!("{} cannot be made: {} takes no folder of ours", state.display(), there.display());
    let fix = format!("make {} writable, or name another folder in HOMARD_STATE_DIR", there.display());
    (!is_open).then(|| Finding::error("permissions.no_place", words).fix(fix))
}
