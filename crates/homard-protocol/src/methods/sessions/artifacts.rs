//! `artifacts.*`: pictures and documents that stand in a conversation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::{AgentId, RunId};
use crate::method::{Access, Method};
use crate::methods::agents::workspace::WorkspaceEncoding;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::word::words;

/// Most artifacts in one answer where the caller says how many.
pub const MAX_ARTIFACTS: u32 = 4;

words! {
    /// What it is.
    ArtifactType {
        Image = "image",
        File = "file",
    }
}

words! {
    /// Whose words it stands in. Models here answer with text alone, so that their own have none.
    ArtifactRole {
        Assistant = "assistant",
    }
}

/// `artifacts.list`: newest first.
#[derive(Debug)]
pub struct ArtifactsList;

impl Method for ArtifactsList {
    const NAME: &'static str = "artifacts.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ArtifactsListParams;
    type Result = ArtifactsListResult;
}

/// Parameters of [`ArtifactsList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ArtifactsListParams {
    pub session_key: Option<SessionRef>,
    /// A run, whose conversation is looked at.
    pub run_id: Option<RunId>,
    /// A task, whose conversation is looked at.
    pub task_id: Option<RunId>,
    pub agent_id: Option<AgentId>,
    pub message_role: Option<ArtifactRole>,
    #[serde(rename = "type")]
    pub wanted: Option<ArtifactType>,
    pub limit: Option<u32>,
    /// Where to go on: `nextCursor` of the answer before.
    pub cursor: Option<String>,
}

/// Answer of [`ArtifactsList`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactsListResult {
    pub artifacts: Vec<Artifact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// A picture or document, without what is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: ArtifactType,
    pub title: String,
    pub mime_type: String,
    pub size_bytes: u64,
    pub session_key: SessionKey,
    /// The place of the message it stands in.
    pub message_seq: i64,
    /// Always `session-transcript`, the one place they are found in.
    pub source: String,
    pub download: ArtifactDownload,
}

/// How it is fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactDownload {
    /// Always `bytes`: what is in it comes with `artifacts.download`.
    pub mode: String,
}

/// `artifacts.download`: one of them with what is in it.
#[derive(Debug)]
pub struct ArtifactsDownload;

impl Method for ArtifactsDownload {
    const NAME: &'static str = "artifacts.download";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = ArtifactsDownloadParams;
    type Result = ArtifactsDownloadResult;
}

words! {
    /// The way a client would rather have it; all get it in the answer.
    ArtifactTransport {
        Http = "http",
    }
}

/// Parameters of [`ArtifactsDownload`].
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArtifactsDownloadParams {
    pub session_key: Option<SessionRef>,
    pub run_id: Option<RunId>,
    pub task_id: Option<RunId>,
    pub agent_id: Option<AgentId>,
    pub message_role: Option<ArtifactRole>,
    pub artifact_id: String,
    pub transport: Option<ArtifactTransport>,
}

/// Answer of [`ArtifactsDownload`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactsDownloadResult {
    pub artifact: Artifact,
    pub encoding: WorkspaceEncoding,
    pub data: String,
}
