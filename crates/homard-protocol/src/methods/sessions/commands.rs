//! `sessions.create`, `.send`, `.steer`, `.abort` and `.get`: acting on a conversation by its key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::{AgentId, RunId, SessionId};
use crate::method::{Access, Method};
use crate::methods::chat::{Attachment, ChatSendResult};
use crate::methods::sessions::ResolvedModel;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::session_words::ThinkingLevel;
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
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsCreateParams {
    /// The key; one is made when it is left out.
    pub key: Option<SessionRef>,
    /// The same one never makes a second session or run.
    pub idempotency_key: Option<RunId>,
    pub agent_id: Option<AgentId>,
    /// Its name, unique per agent.
    pub label: Option<String>,
    /// A name to show.
    pub display_name: Option<String>,
    /// Text a title may be made from.
    pub title_source: Option<String>,
    /// The drawer it goes into.
    pub category: Option<String>,
    pub model: Option<String>,
    /// Who runs the turns; only Homard does.
    pub agent_runtime: Option<String>,
    pub context_window: Option<Value>,
    /// How hard to think.
    pub thinking_level: Option<Word<ThinkingLevel>>,
    pub fast_mode: Option<Value>,
    pub permission_mode: Option<Word<PermissionMode>>,
    /// Refused: tools are chosen by policy.
    pub tool_overrides: Option<Value>,
    /// Refused when true: everything is kept.
    pub incognito: Option<bool>,
    /// Taken without effect: there is one owner.
    pub visibility: Option<String>,
    /// Refused: there are no other catalogues.
    pub catalog_id: Option<String>,
    /// The conversation it comes from.
    pub parent_session_key: Option<SessionRef>,
    /// How deep it lies.
    pub spawn_depth: Option<u32>,
    /// Refused when true: nothing is copied from the parent.
    pub fork: Option<bool>,
    pub fork_from: Option<String>,
    pub emit_command_hooks: Option<bool>,
    pub succeeds_parent: Option<bool>,
    /// Time limit of the first run.
    pub timeout_ms: Option<u64>,
    /// The first message, as a task.
    pub task: Option<String>,
    pub message: Option<String>,
    pub mentions: Option<Value>,
    /// Files of the first message.
    pub attachments: Option<Vec<Attachment>>,
    /// Refused: there are no projects.
    pub project_id: Option<String>,
    pub project_git_url: Option<String>,
    pub repository: Option<Value>,
    /// Refused when true: there are no managed working copies.
    pub worktree: Option<bool>,
    pub worktree_source: Option<String>,
    pub worktree_base_ref: Option<String>,
    pub worktree_name: Option<String>,
    /// The node commands run on.
    pub exec_node: Option<String>,
    /// Refused: agents work in their workspace.
    pub cwd: Option<String>,
}

/// Answer of [`SessionsCreate`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsCreateResult {
    pub ok: bool,
    pub key: SessionKey,
    pub session_id: SessionId,
    pub entry: Value,
    /// Whether a first run was started.
    pub run_started: bool,
    pub run_id: Option<RunId>,
    /// Why not, when one was wanted.
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
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsSendParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    pub message: String,
    pub mentions: Option<Value>,
    /// How hard to think in this turn.
    pub thinking: Option<Word<ThinkingLevel>>,
    pub attachments: Option<Vec<Attachment>>,
    /// Time limit of the run.
    pub timeout_ms: Option<u64>,
    /// Becomes the run id; one is made when it is left out.
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
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsAbortParams {
    pub key: Option<SessionRef>,
    pub run_id: Option<RunId>,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// Taken without effect: messages that wait go too unless a run is named.
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
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsGetParams {
    pub key: Option<SessionRef>,
    pub session_key: Option<SessionRef>,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// How many at most.
    pub limit: Option<u32>,
}

/// Answer of [`SessionsGet`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsGetResult {
    pub messages: Vec<Value>,
}
