//! `fs.listDir`: the folders in a folder, for picking one.

use std::path::{Path, PathBuf};

use homard_runtime::Arrange as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CommandCall, Failure, Reply, blocking, read};

/// Most folders in one answer.
const MAX_ENTRIES: usize = 2_000;

#[derive(Deserialize)]
struct Params {
    #[serde(default)]
    path: Option<String>,
}

/// Lists folders; without a path those of the home folder.
pub(super) async fn list(call: CommandCall) -> Reply {
    let Params { path } = read(call.params)?;
    let home = call.machine.home.clone();
    let wanted = wanted(path.as_deref().unwrap_or(""), &home)?;
    blocking(move || look(&wanted, &home)).await?
}

fn wanted(path: &str, home: &Path) -> Result<PathBuf, Failure> {
    let path = path.trim();
    let full = match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ if path.is_empty() => home.to_path_buf(),
        _ => PathBuf::from(path),
    };
    if full.is_absolute() {
        Ok(full)
    } else {
        Err(Failure::invalid("`path` must be absolute or begin with ~"))
    }
}

fn look(wanted: &Path, home: &Path) -> Reply {
    let refused = |error: std::io::Error| Failure::unavailable(format!("could not list the folder: {error}"));
    let folder = wanted.canonicalize().map_err(refused)?;
    let mut entries: Vec<(String, Value)> = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(refused)?.flatten() {
        if entries.len() >= MAX_ENTRIES {
            break;
        }
        let Ok(name) = entry.file_name().into_string() else { continue };
        if !entry.path().is_dir() {
            continue;
        }
        let mut row = json!({"name": name, "path": entry.path().display().to_string()});
        if let (true, Some(row)) = (name.starts_with('.'), row.as_object_mut()) {
            row.insert("hidden".into(), json!(true));
        }
        entries.push((name.to_lowercase(), row));
    }
    entries.arrange_by(|a, b| a.0.cmp(&b.0));
    let mut answer = json!({
        "path": folder.display().to_string(),
        "home": home.display().to_string(),
        "entries": entries.into_iter().map(|(_, row)| row).collect::<Vec<_>>(),
    });
    if let (Some(parent), Some(answer)) = (folder.parent(), answer.as_object_mut()) {
        answer.insert("parent".into(), json!(parent.display().to_string()));
    }
    Ok(answer)
}
