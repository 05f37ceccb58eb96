//! `sessions.files.*`: the files a conversation works on, without changing anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method};
use crate::methods::agents::workspace::{WorkspaceEncoding, WorkspaceEntry};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::word::words;

/// `sessions.files.list`: what a conversation changed, and what lies in a folder of its workspace.
#[derive(Debug)]
pub struct SessionsFilesList;

impl Method for SessionsFilesList {
    const NAME: &'static str = "sessions.files.list";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsFilesListParams;
    type Result = SessionsFilesListResult;
}

/// Parameters of [`SessionsFilesList`].
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsFilesListParams {
    pub session_key: SessionRef,
    pub agent_id: Option<AgentId>,
    /// The folder, seen from the workspace; the workspace itself when it is left out.
    pub path: Option<String>,
    /// Only files of that folder whose name has this in it.
    pub search: Option<String>,
}

/// Answer of [`SessionsFilesList`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsFilesListResult {
    pub session_key: SessionKey,
    pub root: String,
    /// What file tools changed, as far back as it can be undone. What was only read is not told.
    pub files: Vec<SessionFile>,
    pub browser: FolderView,
}

/// What lies in a folder.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FolderView {
    /// Seen from the workspace; empty for the workspace itself.
    pub path: String,
    pub parent_path: Option<String>,
    pub search: Option<String>,
    pub entries: Vec<WorkspaceEntry>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

words! {
    /// What was done with a file.
    SessionFileKind {
        Modified = "modified",
        Read = "read",
    }
}

words! {
    /// How a file can be looked at.
    PreviewKind {
        Text = "text",
        Image = "image",
        Unsupported = "unsupported",
    }
}

/// A file of a conversation.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionFile {
    pub path: String,
    /// Seen from the workspace, where it lies in there.
    pub workspace_path: Option<String>,
    pub name: String,
    pub kind: SessionFileKind,
    pub missing: bool,
    pub size: Option<u64>,
    pub updated_at_ms: Option<i64>,
    #[serde(default, flatten)]
    pub preview: Option<FilePreview>,
}

/// What is in a file; in `sessions.files.get` alone.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilePreview {
    pub preview_kind: PreviewKind,
    pub mime_type: String,
    pub content_encoding: Option<WorkspaceEncoding>,
    pub content: Option<String>,
}

/// `sessions.files.get`: one file of a conversation's workspace.
#[derive(Debug)]
pub struct SessionsFilesGet;

impl Method for SessionsFilesGet {
    const NAME: &'static str = "sessions.files.get";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsFilesGetParams;
    type Result = SessionsFilesGetResult;
}

/// Parameters of [`SessionsFilesGet`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsFilesGetParams {
    pub session_key: SessionRef,
    /// Seen from the workspace, or as a list told it.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`SessionsFilesGet`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsFilesGetResult {
    pub session_key: SessionKey,
    pub root: String,
    pub file: SessionFile,
}
