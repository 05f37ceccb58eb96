//! `sessions.create`, `.send`, `.steer`, `.abort` and `.get`: acting on a conversation by its key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AgentId, RunId, SessionId};
use crate::method::{Access, Method};
use crate::methods::chat::{Attachment, ChatSendResult};
use crate::methods::sessions::ResolvedModel;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::word::{Word, words};

/// Most characters of a session's shown name.
pub const MAX_DISPLAY_NAME_CHARS: usize = 500;
/// Messages `sessions.get` answers with unless the caller says otherwise.
pub const DEFAULT_GET_LIMIT: u32 = 200;
/// Most messages `sessions.get` answers with.
pub const MAX_GET_LIMIT: u32 = 1_000;

/// `sessions.create`: make a conversation, or take one that is there, and perhaps say the first thing.
#[derive(Debug)]
pub struct SessionsCreate;

impl Method for SessionsCreate {
    const NAME: &'static str = "sessions.create";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = SessionsCreateParams;
    type Result = SessionsCreateResult;

    fn access_for(params: &Self::Params) -> Access {
        let rare = params.incognito == Some(true)
            || params.exec_node.is_some()
            || params.tool_overrides.is_some()
            || params.permission_mode.as_ref().and_then(Word::known) == Some(PermissionMode::Full);
        Access::Operator(if rare { Scope::Admin } else { Scope::Write })
    }
}

words! {
    /// What a conversation may do without being asked about; only the mode that needs more rights is told apart here.
    PermissionMode {
        Full = "full",
    }
}

/// Parameters of [`SessionsCreate`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsCreateParams {
    /// The key; one is made when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionRef>,
    /// The same one never makes a second session or run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// Its name, unique per agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// A name to show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Text a title may be made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_source: Option<String>,
    /// The drawer it goes into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Who runs the turns; only Homard does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_runtime: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<Value>,
    /// How hard to think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking_level: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fast_mode: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<Word<PermissionMode>>,
    /// Refused: tools are chosen by policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_overrides: Option<Value>,
    /// Refused when true: everything is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incognito: Option<bool>,
    /// Taken without effect: there is one owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// Refused: there are no other catalogues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog_id: Option<String>,
    /// The conversation it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_key: Option<SessionRef>,
    /// How deep it lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawn_depth: Option<u32>,
    /// Refused when true: nothing is copied from the parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork_from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emit_command_hooks: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub succeeds_parent: Option<bool>,
    /// Time limit of the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The first message, as a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentions: Option<Value>,
    /// Files of the first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<Attachment>>,
    /// Refused: there are no projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_git_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<Value>,
    /// Refused when true: there are no managed working copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_base_ref: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree_name: Option<String>,
    /// The node commands run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec_node: Option<String>,
    /// Refused: agents work in their workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
}

/// Answer of [`SessionsCreate`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsCreateResult {
    pub ok: bool,
    pub key: SessionKey,
    pub session_id: SessionId,
    pub entry: Value,
    /// Whether a first run was started.
    pub run_started: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// Why not, when one was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_error: Option<Value>,
    /// What a turn would use.
    pub resolved: ResolvedModel,
}

/// `sessions.send`: one user turn, by session key.
#[derive(Debug)]
pub struct SessionsSend;

impl Method for SessionsSend {
    const NAME: &'static str = "sessions.send";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = SessionsSendParams;
    type Result = ChatSendResult;
}

/// Parameters of [`SessionsSend`] and [`SessionsSteer`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsSendParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentions: Option<Value>,
    /// How hard to think in this turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<Attachment>>,
    /// Time limit of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Becomes the run id; one is made when it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<RunId>,
}

/// `sessions.steer`: the same, and a run under way is stopped for it.
#[derive(Debug)]
pub struct SessionsSteer;

impl Method for SessionsSteer {
    const NAME: &'static str = "sessions.steer";
    const ACCESS: Access = Access::Operator(Scope::Write);
    const ADVERTISED: bool = false;
    type Params = SessionsSendParams;
    type Result = ChatSendResult;
}

/// `sessions.abort`: stop what a session does, or one run.
#[derive(Debug)]
pub struct SessionsAbort;

impl Method for SessionsAbort {
    const NAME: &'static str = "sessions.abort";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = SessionsAbortParams;
    type Result = SessionsAbortResult;
}

/// Parameters of [`SessionsAbort`]: a key, a run, or both.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsAbortParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// For bare keys: whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// Taken without effect: messages that wait go too unless a run is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clear_queued: Option<bool>,
}

words! {
    /// What was there to stop.
    SessionsAbortStatus {
        Aborted = "aborted",
        NoActiveRun = "no-active-run",
    }
}

/// Answer of [`SessionsAbort`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsAbortResult {
    pub ok: bool,
    /// The run that was stopped.
    pub aborted_run_id: Option<RunId>,
    pub status: SessionsAbortStatus,
}

/// `sessions.get`: the last messages of a conversation.
#[derive(Debug)]
pub struct SessionsGet;

impl Method for SessionsGet {
    const NAME: &'static str = "sessions.get";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = SessionsGetParams;
    type Result = SessionsGetResult;
}

/// Parameters of [`SessionsGet`]: one of the two keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsGetParams {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<SessionRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<SessionRef>,
    /// For bare keys: whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// How many at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Answer of [`SessionsGet`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsGetResult {
    pub messages: Vec<Value>,
}
