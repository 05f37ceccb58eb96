//! `agents.files.*`: the files of a workspace that every turn is told, and no others.

use std::fs::Metadata;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use homard_protocol::methods::agents::{
    AgentFile, AgentsFilesGetParams, AgentsFilesGetResult, AgentsFilesListParams, AgentsFilesListResult,
    AgentsFilesSetParams, AgentsFilesSetResult, MAX_AGENT_FILE_BYTES,
};
use homard_protocol::{AgentId, ErrorShape};
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::gateway::Gateway;
use crate::methods::config::blocking;
use crate::table::Cx;

/// The files there may be; other names are not looked at.
const NAMES: [&str; 8] = [
    "AGENTS.md",
    "SOUL.md",
    "TOOLS.md",
    "IDENTITY.md",
    "USER.md",
    "HEARTBEAT.md",
    "BOOTSTRAP.md",
    "MEMORY.md",
];

/// `agents.files.list`.
pub(crate) async fn list(cx: Cx, params: AgentsFilesListParams) -> Result<AgentsFilesListResult, ErrorShape> {
    let (id, workspace) = workspace(&cx.gateway, &params.agent_id)?;
    let folder = workspace.clone();
    let looked = move || NAMES.iter().map(|name| look(&folder, name, false)).collect::<Result<Vec<_>, _>>();
    let files = blocking(looked).await??;
    Ok(AgentsFilesListResult { agent_id: id, workspace: workspace.display().to_string(), files })
}

/// `agents.files.get`.
pub(crate) async fn get(cx: Cx, params: AgentsFilesGetParams) -> Result<AgentsFilesGetResult, ErrorShape> {
    let (id, workspace) = workspace(&cx.gateway, &params.agent_id)?;
    let name = known(&params.name)?;
    let folder = workspace.clone();
    let file = blocking(move || look(&folder, name, true)).await??;
    Ok(AgentsFilesGetResult { agent_id: id, workspace: workspace.display().to_string(), file })
}

/// `agents.files.set`.
pub(crate) async fn set(cx: Cx, params: AgentsFilesSetParams) -> Result<AgentsFilesSetResult, ErrorShape> {
    let (id, workspace) = workspace(&cx.gateway, &params.agent_id)?;
    let name = known(&params.name)?;
    if u64::try_from(params.content.len()).unwrap_or(u64::MAX) > MAX_AGENT_FILE_BYTES {
        return Err(ErrorShape::invalid(format!(
            "the file would be larger than {MAX_AGENT_FILE_BYTES} bytes"
        )));
    }
    let (folder, agent) = (workspace.clone(), id.clone());
    let file = blocking(move || {
        let now = look(&folder, name, true)?;
        if let Some(expected) = &params.expected_hash
            && now.hash.as_ref() != Some(expected)
        {
            let said = "the file changed since it was read; read it again and repeat the change";
            return Err(ErrorShape::invalid(said).with_details(json!({
                "type": "agent_file_conflict", "agentId": agent, "name": name, "currentHash": now.hash,
            })));
        }
        put(&folder, name, &params.content).map_err(|e| unwritable(name, &e))?;
        look(&folder, name, true)
    });
    let file = file.await??;
    Ok(AgentsFilesSetResult { ok: true, agent_id: id, workspace: workspace.display().to_string(), file })
}

pub(crate) fn workspace(gateway: &Gateway, id: &str) -> Result<(String, PathBuf), ErrorShape> {
    let id = AgentId::parse(id).map_err(|e| ErrorShape::invalid(e.to_string()))?;
    match gateway.config().current().agents.agent(&id) {
        Some(agent) => Ok((id.to_string(), agent.workspace.clone())),
        None => Err(ErrorShape::invalid(format!("unknown agent id \"{id}\""))),
    }
}

fn known(name: &str) -> Result<&'static str, ErrorShape> {
    let unknown = || ErrorShape::invalid(format!("unsupported file \"{name}\"; one of {}", NAMES.join(", ")));
    NAMES.into_iter().find(|known| *known == name).ok_or_else(unknown)
}

fn unwritable(name: &str, error: &std::io::Error) -> ErrorShape {
    ErrorShape::unavailable(format!("`{name}` could not be written: {error}"))
}

/// A file as it is now. Links and other things that are not plain files are refused: they may lead anywhere.
pub(crate) fn look(workspace: &Path, name: &str, with_text: bool) -> Result<AgentFile, ErrorShape> {
    let path = workspace.join(name);
    let mut file = AgentFile {
        name: name.to_owned(),
        path: path.display().to_string(),
        missing: true,
        ..AgentFile::default()
    };
    let unreadable = |error| ErrorShape::unavailable(format!("`{name}` could not be read: {error}"));
    let meta = match std::fs::symlink_metadata(&path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(file);
        }
        Err(error) => return Err(unreadable(error)),
    };
    if !meta.is_file() {
        return match with_text {
            true => Err(ErrorShape::invalid(format!("`{name}` is not a plain file"))),
            false => Ok(file),
        };
    }
    (file.missing, file.size, file.updated_at_ms) = (false, Some(meta.len()), changed_at(&meta));
    if with_text {
        if meta.len() > MAX_AGENT_FILE_BYTES {
            return Err(ErrorShape::invalid(format!("`{name}` is larger than {MAX_AGENT_FILE_BYTES} bytes")));
        }
        let bytes = std::fs::read(&path).map_err(unreadable)?;
        file.hash = Some(hash(&bytes));
        file.content = Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(file)
}

pub(crate) fn changed_at(meta: &Metadata) -> Option<i64> {
    let since = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Puts a new text in the place of the old one, in one step.
fn put(workspace: &Path, name: &str, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(workspace)?;
    let fresh = workspace.join(format!(".{name}.{}", Uuid::new_v4()));
    let written = std::fs::File::create_new(&fresh).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&fresh, workspace.join(name))
    });
    if written.is_err() {
        drop(std::fs::remove_file(&fresh));
    }
    written
}
