//! Files: rights, links, folders that are copied to somebody's cloud; secrets in settings and logs.

use homard_config::config::logging::RedactSensitive;
use serde_json::json;

use crate::checks::places;
use crate::files::{OTHERS, OTHERS_WRITE, mode};
use crate::finding::{Act, Finding};
use crate::scene::Scene;

/// Parts of paths that are copied elsewhere.
const SYNCED: [&str; 6] = ["Dropbox", "OneDrive", "Google Drive", "iCloud", "Mobile Documents", "Nextcloud"];

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let state = &scene.source.paths.state_dir;
    let mut found: Vec<Finding> = places(scene)
        .iter()
        .filter_map(|place| {
            let mode = mode(&place.path).filter(|mode| mode & OTHERS != 0)?;
            let (shown, kind) = (place.path.display(), place.kind);
            let close = Act::Close { path: place.path.clone(), mode: mode & !OTHERS };
            let finding = if place.is_shielded {
                Finding::info(
                    format!("fs.{kind}.perms_shielded"),
                    format!("{shown} has mode {mode:o}; its folder keeps others out"),
                )
            } else if mode & OTHERS_WRITE != 0 {
                Finding::error(
                    format!("fs.{kind}.perms_writable"),
                    format!("other users can change {shown} (mode {mode:o})"),
                )
            } else {
                Finding::warn(
                    format!("fs.{kind}.perms_readable"),
                    format!("other users can look into {shown} (mode {mode:o})"),
                )
            };
            Some(finding.act(close))
        })
        .collect();
    if state.is_symlink() {
        let words =
            format!("{} is a link; whoever can change it chooses where everything is kept", state.display());
        found.push(
            Finding::warn("fs.state_dir.symlink", words).fix("name the real folder in HOMARD_STATE_DIR"),
        );
    }
    if let Some(name) = SYNCED.iter().find(|name| state.to_string_lossy().contains(*name)) {
        let words =
            format!("{} lies in {name}: keys and conversations are copied elsewhere", state.display());
        found.push(
            Finding::warn("fs.synced_dir", words)
                .fix("move it out, or name another folder in HOMARD_STATE_DIR"),
        );
    }
    found
}

/// Secrets that stand in the file itself. It is the owner's alone, so this is for those who share or version it.
pub(super) fn secrets(scene: &Scene<'_>) -> Vec<Finding> {
    let known = [
        ("gateway.auth.password", "config.secrets.gateway_password_in_config"),
        ("gateway.auth.token", "config.secrets.gateway_token_in_config"),
        ("hooks.token", "config.secrets.hooks_token_in_config"),
    ];
    let written = known.iter().filter_map(|(key, id)| {
        let pointer = format!("/{}", key.replace('.', "/"));
        let text = scene.snapshot.parsed.pointer(&pointer)?.as_str()?;
        let is_plain = !text.is_empty() && !text.contains("${");
        is_plain.then(|| {
            let words = format!("`{key}` stands in {} in plain text", scene.snapshot.path.display());
            Finding::info(*id, words).fix(format!(
                "keep it in .env of the state folder and write homard config set {key} '${{MY_SECRET}}'"
            ))
        })
    });
    written.collect()
}

pub(super) fn logging(scene: &Scene<'_>) -> Vec<Finding> {
    let is_off = scene.settings().logging.redact == RedactSensitive::Off;
    let words = "`logging.redactSensitive` is off: what merely looks like a key is written into the log";
    let act = Act::Set { key: "logging.redactSensitive".to_owned(), value: json!("tools") };
    is_off.then(|| Finding::warn("logging.redact_off", words).act(act)).into_iter().collect()
}
