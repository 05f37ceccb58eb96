//! What pages ask for on load whose rooms are not furnished: each answer is truly empty.
//!
//! They are answered because pages show an error or wait otherwise; the methods that would change something do
//! not exist.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method, NoParams};
use crate::methods::system::conversation_stubs::InSessionParams;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;

/// `plugins.controlUi.list`: parts of the page that plugins bring.
#[derive(Debug)]
pub struct PluginsControlUiList;

impl Method for PluginsControlUiList {
    const NAME: &'static str = "plugins.controlUi.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = NoParams;
    type Result = ControlUiPlugins;
}

/// Answer of [`PluginsControlUiList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ControlUiPlugins {
    /// Changes when the list does.
    pub revision: String,
    pub plugins: Vec<Value>,
    /// What went wrong with them.
    pub diagnostics: Vec<Value>,
}

/// `openclaw.approval.list`: changes a setup assistant proposes.
#[derive(Debug)]
pub struct OpenclawApprovalList;

impl Method for OpenclawApprovalList {
    const NAME: &'static str = "openclaw.approval.list";
    const ACCESS: Access = Access::Operator(Scope::Approvals);
    const EMPTY: bool = true;
    type Params = NoParams;
    type Result = Vec<Value>;
}

/// `plugin.surface.refresh`: where the caller finds documents, as its hello said.
#[derive(Debug)]
pub struct PluginSurfaceRefresh;

impl Method for PluginSurfaceRefresh {
    const NAME: &'static str = "plugin.surface.refresh";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = SurfaceParams;
    type Result = SurfaceUrls;
}

/// Which page.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SurfaceParams {
    pub surface: String,
    /// The address the client has; nothing depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_url: Option<String>,
}

/// Answer of [`PluginSurfaceRefresh`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SurfaceUrls {
    /// Which was asked for.
    pub surface: String,
    /// Where it is; empty for one that nobody serves.
    pub plugin_surface_urls: BTreeMap<String, String>,
}

/// `sessions.observer.visibility`: whether the page shows summaries of what goes on.
#[derive(Debug)]
pub struct SessionsObserverVisibility;

impl Method for SessionsObserverVisibility {
    const NAME: &'static str = "sessions.observer.visibility";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = VisibilityParams;
    type Result = Taken;
}

/// Parameters of [`SessionsObserverVisibility`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VisibilityParams {
    pub visible: bool,
}

/// Nothing but that it was taken.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Taken {
    pub ok: bool,
}

/// `controlUi.sessionPullRequests.subscribe`: pull requests of conversations.
#[derive(Debug)]
pub struct SessionPullRequestsSubscribe;

impl Method for SessionPullRequestsSubscribe {
    const NAME: &'static str = "controlUi.sessionPullRequests.subscribe";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = SessionPullRequestsParams;
    type Result = SubscribedResult;
}

/// Parameters of [`SessionPullRequestsSubscribe`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionPullRequestsParams {
    pub session_keys: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}

/// Answer of [`SessionPullRequestsSubscribe`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct SubscribedResult {
    /// False: nobody looks for any.
    pub subscribed: bool,
}

/// `users.prefs.get`: what a person set up for themselves.
#[derive(Debug)]
pub struct UsersPrefsGet;

impl Method for UsersPrefsGet {
    const NAME: &'static str = "users.prefs.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = UsersPrefsParams;
    type Result = UsersPrefs;
}

/// Most names asked for at once.
pub const MAX_PREFS: usize = 32;

/// Parameters of [`UsersPrefsGet`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UsersPrefsParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
}

/// Answer of [`UsersPrefsGet`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct UsersPrefs {
    /// `no_durable_identity`: the gateway knows devices, not people.
    pub status: String,
}

/// `mentions.list`: where somebody was called by name.
#[derive(Debug)]
pub struct MentionsList;

impl Method for MentionsList {
    const NAME: &'static str = "mentions.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = NoParams;
    type Result = MentionsListResult;
}

/// Answer of [`MentionsList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MentionsListResult {
    /// One per start of the gateway.
    pub gateway_instance_id: String,
    /// Changes when the list does.
    pub revision: u64,
    pub items: Vec<Value>,
}

/// `board.get`: what an agent put up beside a conversation.
#[derive(Debug)]
pub struct BoardGet;

impl Method for BoardGet {
    const NAME: &'static str = "board.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = InSessionParams;
    type Result = Board;
}

/// Answer of [`BoardGet`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Board {
    pub session_key: String,
    /// Changes when the board does.
    pub revision: u64,
    pub tabs: Vec<Value>,
    /// What is on them.
    pub widgets: Vec<Value>,
}

/// `projects.list`: folders that are worked in.
#[derive(Debug)]
pub struct ProjectsList;

impl Method for ProjectsList {
    const NAME: &'static str = "projects.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = ProjectsListParams;
    type Result = ProjectsListResult;
}

/// Parameters of [`ProjectsList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ProjectsListParams {
    /// Also folders that were only seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_observed: Option<bool>,
}

/// Answer of [`ProjectsList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsListResult {
    pub projects: Vec<Value>,
}

/// `sessions.viewers.set`: which conversations a client looks at.
#[derive(Debug)]
pub struct SessionsViewersSet;

impl Method for SessionsViewersSet {
    const NAME: &'static str = "sessions.viewers.set";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = ViewersParams;
    type Result = Viewed;
}

/// Most conversations looked at by one client.
pub const MAX_VIEWED: usize = 32;

/// Parameters of [`SessionsViewersSet`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ViewersParams {
    pub session_keys: Vec<SessionRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`SessionsViewersSet`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Viewed {
    /// What was understood. Nobody is shown it yet.
    pub session_keys: Vec<SessionKey>,
}

/// `sessions.catalog.list`: conversations of other programs on this machine.
#[derive(Debug)]
pub struct SessionsCatalogList;

impl Method for SessionsCatalogList {
    const NAME: &'static str = "sessions.catalog.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = CatalogListParams;
    type Result = CatalogListResult;
}

/// Parameters of [`SessionsCatalogList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CatalogListParams {
    pub catalog_id: Option<String>,
    /// Without the conversations themselves.
    pub metadata_only: Option<bool>,
    /// Where to go on, per program.
    pub cursors: Option<BTreeMap<String, String>>,
    pub agent_id: Option<String>,
    /// What progress is told under.
    pub progress_id: Option<String>,
    /// Answer although some do not.
    pub allow_partial_results: Option<bool>,
    /// Only those that say this.
    pub search: Option<String>,
    /// How many per machine.
    pub limit_per_host: Option<u64>,
    /// Only on these machines.
    pub host_ids: Option<Vec<String>>,
}

/// Answer of [`SessionsCatalogList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct CatalogListResult {
    pub catalogs: Vec<Value>,
}

/// `session.discussion.info`: a talk about a conversation elsewhere.
#[derive(Debug)]
pub struct SessionDiscussionInfo;

impl Method for SessionDiscussionInfo {
    const NAME: &'static str = "session.discussion.info";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = InSessionParams;
    type Result = DiscussionInfo;
}

/// Answer of [`SessionDiscussionInfo`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct DiscussionInfo {
    pub state: String,
}

/// `session.members.listEvidence`: who takes part in a conversation.
#[derive(Debug)]
pub struct SessionMembersListEvidence;

impl Method for SessionMembersListEvidence {
    const NAME: &'static str = "session.members.listEvidence";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = InSessionParams;
    type Result = MembersEvidence;
}

/// Answer of [`SessionMembersListEvidence`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MembersEvidence {
    pub session_key: String,
    /// Others than its owner; nobody.
    pub members: Vec<Value>,
}
