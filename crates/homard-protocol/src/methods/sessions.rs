//! `sessions.*`: the list of conversations and their settings.

pub mod archive;
pub mod artifacts;
pub mod branches;
pub mod commands;
pub mod compact;
pub mod context;
pub mod details;
pub mod files;
pub mod groups;
pub mod patch_many;
pub mod search;
pub mod undo;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use crate::id::{AgentId, SessionId};
use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;
use crate::session_row::{SessionDefaults, SessionRow};
use crate::word::words;

/// Sessions in a list unless the caller says otherwise.
pub const DEFAULT_LIST_LIMIT: u32 = 100;
/// Most sessions in one list.
pub const MAX_LIST_LIMIT: u32 = 1_000;
/// Keys looked at by one `sessions.preview`.
pub const MAX_PREVIEW_KEYS: usize = 64;
/// Messages per preview unless the caller says otherwise.
pub const DEFAULT_PREVIEW_ITEMS: u32 = 12;
/// Characters per previewed message unless the caller says otherwise.
pub const DEFAULT_PREVIEW_CHARS: u32 = 240;
/// Longest label.
pub const MAX_LABEL_CHARS: usize = 512;

/// `sessions.list`.
#[derive(Debug)]
pub struct SessionsList;

impl Method for SessionsList {
    const NAME: &'static str = "sessions.list";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsListParams;
    type Result = SessionsListResult;
}

/// Parameters of [`SessionsList`]. Filters for things Homard does not have match everything.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SessionsListParams {
    pub limit: Option<u32>,
    pub offset: Option<u64>,
    /// Only what changed in the last so many minutes.
    pub active_minutes: Option<f64>,
    /// Only sessions with a run under way.
    pub active_only: Option<bool>,
    /// Only sessions somebody wrote to.
    pub require_last_interaction: Option<bool>,
    /// `updatedAt`, `lastInteractionAt` or `activity`.
    pub sort_by: Option<SessionsSortBy>,
    /// Whether to list `global`.
    pub include_global: Option<bool>,
    /// Whether to list `unknown`.
    pub include_unknown: Option<bool>,
    pub exclude_subagents: Option<bool>,
    pub exclude_cron: Option<bool>,
    /// Leave out background sessions.
    pub exclude_system: Option<bool>,
    /// Only agents that are configured.
    pub configured_agents_only: Option<bool>,
    /// With the beginning of the first message.
    pub include_derived_titles: Option<bool>,
    /// With the beginning of the last message.
    pub include_last_message: Option<bool>,
    /// With recaps; Homard has none.
    pub include_activity_summary: Option<bool>,
    pub label: Option<String>,
    /// Only of this agent.
    pub agent_id: Option<AgentId>,
    /// Text in key, label or title.
    pub search: Option<String>,
    /// `true`, `false` or `all`.
    pub archived: Option<Value>,
    pub pinned: Option<bool>,
    /// Only children of this session.
    pub spawned_by: Option<String>,
    /// Newer clients' filters, taken and ignored.
    pub project_id: Option<Value>,
    pub workspace_dir: Option<Value>,
    pub group: Option<Value>,
    pub board_face: Option<Value>,
    pub has_board: Option<Value>,
    pub creator_id: Option<Value>,
    pub owner_id: Option<Value>,
    pub owner_first: Option<Value>,
    pub involving_me: Option<Value>,
    pub profile_relation: Option<Value>,
    pub involving_profile_id: Option<Value>,
    pub include_people: Option<Value>,
}

/// Answer of [`SessionsList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsListResult {
    pub ts: i64,
    /// Where the rows are kept.
    pub path: String,
    /// Rows in this page.
    pub count: u64,
    /// Rows in all pages.
    pub total_count: u64,
    pub limit_applied: u64,
    /// Where the next page starts.
    pub next_offset: Option<u64>,
    /// Whether there is one.
    pub has_more: bool,
    /// People; Homard has one owner and lists none.
    pub owners: Vec<Value>,
    /// What a session without overrides would use.
    pub defaults: SessionDefaults,
    pub sessions: Vec<SessionRow>,
}

/// `sessions.preview`.
#[derive(Debug)]
pub struct SessionsPreview;

impl Method for SessionsPreview {
    const NAME: &'static str = "sessions.preview";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsPreviewParams;
    type Result = SessionsPreviewResult;
}

/// Parameters of [`SessionsPreview`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsPreviewParams {
    /// Which; the first [`MAX_PREVIEW_KEYS`] are looked at.
    pub keys: Vec<SessionRef>,
    pub limit: Option<u32>,
    pub max_chars: Option<u32>,
}

/// Answer of [`SessionsPreview`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionsPreviewResult {
    pub ts: i64,
    /// One for each key.
    pub previews: Vec<SessionPreview>,
}

/// The last words of one session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionPreview {
    pub key: SessionRef,
    pub status: PreviewStatus,
    pub items: Vec<PreviewItem>,
}

words! {
    /// Whether a session could be looked at.
    PreviewStatus {
        Ok = "ok",
        Empty = "empty",
        Missing = "missing",
        Error = "error",
    }
}

words! {
    /// Who speaks, in the spelling of previews.
    PreviewRole {
        User = "user",
        Assistant = "assistant",
        Tool = "tool",
    }
}

/// One previewed message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PreviewItem {
    pub role: PreviewRole,
    pub text: String,
}

/// `sessions.resolve`: from what a person knows to the key.
#[derive(Debug)]
pub struct SessionsResolve;

impl Method for SessionsResolve {
    const NAME: &'static str = "sessions.resolve";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    const ADVERTISED: bool = false;
    type Params = SessionsResolveParams;
    type Result = SessionsResolveResult;
}

/// Parameters of [`SessionsResolve`]: one of key, session id, label or short id.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SessionsResolveParams {
    /// A key, canonical or bare.
    pub key: Option<SessionRef>,
    pub session_id: Option<SessionId>,
    pub label: Option<String>,
    pub reference: Option<Value>,
    /// The beginning of a session id.
    pub short_id: Option<String>,
    /// Decoration of a link.
    pub slug_hint: Option<String>,
    pub agent_id: Option<AgentId>,
    /// Only children of this session.
    pub spawned_by: Option<String>,
    pub include_global: Option<bool>,
    pub include_unknown: Option<bool>,
    /// Answer `ok: false` instead of an error.
    pub allow_missing: Option<bool>,
}

/// Answer of [`SessionsResolve`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsResolveResult {
    /// Whether it was found.
    pub ok: bool,
    pub key: Option<SessionKey>,
    pub agent_id: Option<AgentId>,
    pub session_id: Option<SessionId>,
}

/// `sessions.patch`: per-session settings.
#[derive(Debug)]
pub struct SessionsPatch;

/// Settings a client with `operator.write` may change; the rest needs `operator.admin`.
const WRITABLE: [&str; 15] = [
    "label",
    "autoLabel",
    "icon",
    "color",
    "category",
    "boardFace",
    "boardPresentation",
    "pinned",
    "archived",
    "unread",
    "model",
    "agentRuntime",
    "thinkingLevel",
    "fastMode",
    "permissionMode",
];

impl Method for SessionsPatch {
    const LEAST: Access = Access::Operator(Scope::Write);
    const NAME: &'static str = "sessions.patch";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SessionsPatchParams;
    type Result = SessionsPatchResult;

    fn access_for(params: &Self::Params) -> Access {
        Self::access_of(&params.settings)
    }
}

impl SessionsPatch {
    /// Who may make this change.
    pub(crate) fn access_of(settings: &Map<String, Value>) -> Access {
        let full = settings.get("permissionMode").and_then(Value::as_str) == Some("full");
        let ordinary = settings.keys().all(|k| WRITABLE.contains(&k.as_str()) || k.starts_with("expected"));
        Access::Operator(if ordinary && !full { Scope::Write } else { Scope::Admin })
    }
}

/// Parameters of [`SessionsPatch`]; `null` clears a setting.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsPatchParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The settings to change, by their wire names.
    #[serde(flatten)]
    pub settings: Map<String, Value>,
}

/// Answer of [`SessionsPatch`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionsPatchResult {
    pub ok: bool,
    /// Where it is kept.
    pub path: String,
    pub key: SessionKey,
    pub entry: Value,
    /// What a turn would use now.
    pub resolved: ResolvedModel,
}

/// What a turn would use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedModel {
    pub model_provider: String,
    pub model: String,
}

/// `sessions.reset`: a fresh transcript under the same key.
#[derive(Debug)]
pub struct SessionsReset;

impl Method for SessionsReset {
    const NAME: &'static str = "sessions.reset";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SessionsResetParams;
    type Result = SessionsResetResult;
}

/// Parameters of [`SessionsReset`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsResetParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// What the person asked for; a reset if absent.
    pub reason: Option<SessionsResetReason>,
    /// Only if this is still the transcript.
    pub expected_session_id: Option<String>,
}

/// By what a list of conversations is ordered, the newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SessionsSortBy {
    /// Any change; so if nobody says.
    UpdatedAt,
    /// When a person last wrote.
    LastInteractionAt,
    /// When anything last happened.
    Activity,
}

/// Why a conversation begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionsResetReason {
    /// Another one is wanted.
    New,
    /// This one is to be forgotten.
    Reset,
}

/// Answer of [`SessionsReset`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionsResetResult {
    pub ok: bool,
    pub key: SessionKey,
    pub entry: Value,
    /// What a turn would use now.
    pub resolved: ResolvedModel,
}

/// `sessions.delete`.
#[derive(Debug)]
pub struct SessionsDelete;

impl Method for SessionsDelete {
    const LEAST: Access = Access::Operator(Scope::Write);
    const NAME: &'static str = "sessions.delete";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = SessionsDeleteParams;
    type Result = SessionsDeleteResult;

    fn access_for(params: &Self::Params) -> Access {
        let narrow = params.archived_only == Some(true)
            && params.expected_lifecycle_revision.is_none()
            && params.expected_session_updated_at.is_none()
            && params.emit_lifecycle_hooks.is_none();
        Access::Operator(if narrow { Scope::Write } else { Scope::Admin })
    }
}

/// Parameters of [`SessionsDelete`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsDeleteParams {
    pub key: SessionRef,
    /// For bare keys: whose.
    pub agent_id: Option<AgentId>,
    /// Taken without effect: the transcript always stays under an archive name.
    pub delete_transcript: Option<bool>,
    /// Only if this is still the transcript.
    pub expected_session_id: Option<String>,
    /// Newer clients' guard, taken and ignored.
    pub expected_lifecycle_revision: Option<String>,
    /// Newer clients' guard, taken and ignored.
    pub expected_session_updated_at: Option<f64>,
    /// Whether hooks hear of it.
    pub emit_lifecycle_hooks: Option<bool>,
    /// Only if it was put away before.
    pub archived_only: Option<bool>,
}

/// Answer of [`SessionsDelete`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionsDeleteResult {
    pub ok: bool,
    pub key: SessionKey,
    /// Whether there was one.
    pub deleted: bool,
    /// Where the transcript went.
    pub archived: Vec<String>,
}

/// `sessions.subscribe`: hear `sessions.changed`.
#[derive(Debug)]
pub struct SessionsSubscribe;

impl Method for SessionsSubscribe {
    const NAME: &'static str = "sessions.subscribe";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = SessionsListParams;
    type Result = SessionsSubscribeResult;
}

/// Answer of [`SessionsSubscribe`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct SessionsSubscribeResult {
    pub subscribed: bool,
    /// The list, when the request had any filter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<SessionsListResult>,
}
