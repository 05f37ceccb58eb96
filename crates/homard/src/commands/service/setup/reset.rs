//! Beginning anew: what there is is put aside beside the state folder, and nothing is deleted.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::args::ResetScope;
use crate::commands::Cx;
use crate::compose::lock::{self, Holder};
use crate::report::Advice;

/// What belongs to keys and conversations, in the state folder.
const RECORDS: [&str; 9] = [
    "agents",
    "credentials",
    "cron",
    "devices",
    "identity",
    "homard.sqlite",
    "homard.sqlite-wal",
    "homard.sqlite-shm",
    "taint",
];

/// Puts it aside and says where it is now; `None` when there was nothing.
///
/// # Errors
/// When a gateway runs on it, or something cannot be moved.
pub(super) fn put_aside(cx: &Cx, scope: ResetScope) -> anyhow::Result<Option<PathBuf>> {
    let paths = &cx.source.paths;
    if matches!(lock::holder(&paths.lock_file()), Holder::Process(_)) {
        return Err(Advice::error("a gateway runs on these files", "stop it first: homard gateway stop"));
    }
    if !paths.state_dir.exists() {
        return Ok(None);
    }
    let now = cx.source.clock.now_rfc3339().replace(':', "-");
    let aside = beside(&paths.state_dir, &format!("reset-{now}"));
    if scope == ResetScope::Full {
        move_to(&paths.state_dir, &aside)?;
        return Ok(Some(aside));
    }
    let config = paths.config_path.file_name().map(PathBuf::from).into_iter();
    let records = RECORDS.iter().map(PathBuf::from).filter(|_| scope == ResetScope::ConfigCredsSessions);
    let there: Vec<PathBuf> =
        records.chain(config).filter(|name| paths.state_dir.join(name).exists()).collect();
    if there.is_empty() {
        return Ok(None);
    }
    homard_runtime::create_private_dir(&aside)
        .with_context(|| format!("could not make `{}`", aside.display()))?;
    for name in there {
        move_to(&paths.state_dir.join(&name), &aside.join(&name))?;
    }
    Ok(Some(aside))
}

fn beside(dir: &Path, suffix: &str) -> PathBuf {
    let mut name = dir.file_name().map(std::ffi::OsStr::to_os_string).unwrap_or_default();
    name.push(format!(".{suffix}"));
    dir.with_file_name(name)
}

#[expect(clippy::disallowed_methods, reason = "moves what there is; nothing is written")]
fn move_to(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::rename(from, to)
        .with_context(|| format!("could not move `{}` to `{}`", from.display(), to.display()))
}
