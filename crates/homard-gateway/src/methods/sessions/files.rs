//! `sessions.files.*`: the files a conversation works on. What was changed is what could be undone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_media::file_type::type_of_name;
use homard_memory::{FoundFile, WorkspaceFileError};
use homard_protocol::SessionKey;
use homard_protocol::methods::agents::workspace::{WorkspaceEncoding, WorkspaceEntryKind};
use homard_protocol::methods::sessions::files::{
    FilePreview, FolderView, PreviewKind, SessionFile, SessionFileKind, SessionsFilesGetParams,
    SessionsFilesGetResult, SessionsFilesListParams, SessionsFilesListResult,
};
use homard_runtime::{CollectOrdered as _, millis_i64};
use serde_json::json;

use crate::error::RequestError;
use crate::gateway::Gateway;
use crate::methods::agents::files::workspace;
use crate::methods::config::blocking;
use crate::methods::session_key;
use crate::table::Cx;

/// Most entries of one folder; a page says that there are more.
const MAX_ENTRIES: usize = 250;
/// How many runs are looked at for what they changed.
const RUNS: usize = 100;

/// `sessions.files.list`.
pub(crate) async fn list(
    cx: Cx,
    params: SessionsFilesListParams,
) -> Result<SessionsFilesListResult, RequestError> {
    let key = session_key(&cx.gateway, &params.session_key, params.agent_id.as_ref())?;
    let root = root(&cx.gateway, &key)?;
    let changed = changed(&cx.gateway, &key).await?;
    let (folder, asked) = (root.clone(), params.path.unwrap_or_default());
    let search = params.search.filter(|search| !search.trim().is_empty());
    let wanted = search.clone();
    let looked = move || {
        let files = changed.iter().map(|path| touched(&folder, path)).collect();
        Ok::<_, WorkspaceFileError>((files, view(&folder, &asked, wanted)?))
    };
    let (files, browser) = blocking(looked).await??;
    Ok(SessionsFilesListResult { session_key: key, root: root.display().to_string(), files, browser })
}

/// `sessions.files.get`.
pub(crate) async fn get(
    cx: Cx,
    params: SessionsFilesGetParams,
) -> Result<SessionsFilesGetResult, RequestError> {
    let key = session_key(&cx.gateway, &params.session_key, params.agent_id.as_ref())?;
    let root = root(&cx.gateway, &key)?;
    let changed = changed(&cx.gateway, &key).await?;
    let inside = Path::new(&params.path).strip_prefix(&root).map_or(params.path.clone(), shown);
    let is_changed = changed.contains(&root.join(&inside));
    let kind = if is_changed { SessionFileKind::Modified } else { SessionFileKind::Read };
    let folder = root.clone();
    let found = blocking(move || homard_memory::fetch(&folder, &inside)).await?;
    let found = found.map_err(|why| refused(&why, &params.path))?;
    let file = SessionFile {
        path: params.path,
        workspace_path: Some(found.path.clone()),
        name: found.name.clone(),
        kind,
        missing: false,
        size: Some(found.bytes.len() as u64),
        updated_at_ms: Some(found.updated_at_ms),
        preview: Some(preview(found)),
    };
    Ok(SessionsFilesGetResult { session_key: key, root: root.display().to_string(), file })
}

/// The folder a conversation's agent works in.
fn root(gateway: &Gateway, key: &SessionKey) -> Result<PathBuf, RequestError> {
    let config = gateway.config().current();
    let agent = key.agent_id().unwrap_or(&config.agents.default_agent().id);
    Ok(workspace(gateway, agent)?.1)
}

/// What file tools changed for a conversation.
async fn changed(gateway: &Gateway, key: &SessionKey) -> Result<BTreeSet<PathBuf>, RequestError> {
    let runs = gateway.relay().sessions().undo_list(Some(key.clone()), RUNS).await?;
    Ok(runs.into_iter().flat_map(|run| run.files).map(|file| file.path).collect_set())
}

fn touched(root: &Path, path: &Path) -> SessionFile {
    let meta = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    let changed_at = meta.as_ref().and_then(|meta| meta.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    SessionFile {
        path: shown(path),
        workspace_path: path.strip_prefix(root).ok().map(shown),
        name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        kind: SessionFileKind::Modified,
        missing: meta.is_none(),
        size: meta.as_ref().map(std::fs::Metadata::len),
        updated_at_ms: changed_at.map(millis_i64),
        preview: None,
    }
}

fn view(root: &Path, asked: &str, search: Option<String>) -> Result<FolderView, WorkspaceFileError> {
    if asked.is_empty() && !root.exists() {
        // It is made when its agent first works in it.
        return Ok(FolderView { search, ..FolderView::default() });
    }
    let (path, mut entries) = homard_memory::list(root, asked)?;
    if let Some(search) = search.as_deref().map(str::to_lowercase) {
        entries.retain(|entry| {
            entry.kind == WorkspaceEntryKind::File && entry.name.to_lowercase().contains(&search)
        });
    }
    let truncated = entries.len() > MAX_ENTRIES;
    entries.truncate(MAX_ENTRIES);
    let parent = path.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned());
    Ok(FolderView { parent_path: (!path.is_empty()).then_some(parent), path, search, entries, truncated })
}

/// What a page can show of it: text as it is, pictures as base64, of all else that it is there.
fn preview(found: FoundFile) -> FilePreview {
    let mime_type = type_of_name(&found.name).to_owned();
    let (preview_kind, content_encoding, content) = match String::from_utf8(found.bytes) {
        Ok(text) => (PreviewKind::Text, Some(WorkspaceEncoding::Utf8), Some(text)),
        Err(raw) if mime_type.starts_with("image/") => {
            (PreviewKind::Image, Some(WorkspaceEncoding::Base64), Some(STANDARD.encode(raw.as_bytes())))
        }
        Err(_) => (PreviewKind::Unsupported, None, None),
    };
    FilePreview { preview_kind, mime_type, content_encoding, content }
}

fn refused(why: &WorkspaceFileError, path: &str) -> RequestError {
    let kind = match why {
        WorkspaceFileError::TooLarge(_) => "session_file_too_large",
        _ => "session_file_not_found",
    };
    RequestError::invalid(why.to_string()).with_details(json!({"type": kind, "path": path}))
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
