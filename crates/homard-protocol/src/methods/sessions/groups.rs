//! `sessions.groups.*`: the drawers people sort conversations into.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;

/// Longest name of a drawer, in characters.
pub const MAX_GROUP_CHARS: usize = 512;
/// Most drawers.
pub const MAX_GROUPS: usize = 500;

/// `sessions.groups.list`: the drawers in their order.
#[derive(Debug)]
pub struct SessionsGroupsList;

impl Method for SessionsGroupsList {
    const NAME: &'static str = "sessions.groups.list";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    type Params = NoParams;
    type Result = SessionsGroupsListResult;
}

/// A drawer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionGroupRow {
    pub name: String,
    /// Its place, from 0.
    pub position: i64,
}

/// Answer of [`SessionsGroupsList`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsGroupsListResult {
    pub groups: Vec<SessionGroupRow>,
    /// The order of the list's sections, as a client left it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_order: Option<Vec<String>>,
}

/// `sessions.groups.defaults`: what new conversations in the drawers begin with.
#[derive(Debug)]
pub struct SessionsGroupsDefaults;

impl Method for SessionsGroupsDefaults {
    const NAME: &'static str = "sessions.groups.defaults";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = NoParams;
    type Result = SessionsGroupsDefaultsResult;
}

/// What a new conversation in a drawer begins with.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionGroupDefaults {
    pub name: String,
    /// The folder it works in.
    pub cwd: Option<String>,
    /// Whether it gets a working copy of its own.
    pub worktree: Option<bool>,
}

/// Answer of [`SessionsGroupsDefaults`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsGroupsDefaultsResult {
    pub defaults: Vec<SessionGroupDefaults>,
}

/// Answer of what changes the list of drawers.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsGroupsMutationResult {
    pub ok: bool,
    pub groups: Vec<SessionGroupRow>,
    pub section_order: Option<Vec<String>>,
    pub updated_sessions: Option<u64>,
}

/// `sessions.groups.put`: make the list be this one.
#[derive(Debug)]
pub struct SessionsGroupsPut;

impl Method for SessionsGroupsPut {
    const NAME: &'static str = "sessions.groups.put";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = SessionsGroupsPutParams;
    type Result = SessionsGroupsMutationResult;
}

/// Parameters of [`SessionsGroupsPut`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsGroupsPutParams {
    pub names: Vec<String>,
    /// Kept as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_order: Option<Vec<String>>,
}

/// `sessions.groups.rename`: another name for a drawer.
#[derive(Debug)]
pub struct SessionsGroupsRename;

impl Method for SessionsGroupsRename {
    const NAME: &'static str = "sessions.groups.rename";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = SessionsGroupsRenameParams;
    type Result = SessionsGroupsMutationResult;
}

/// Parameters of [`SessionsGroupsRename`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsGroupsRenameParams {
    pub name: String,
    pub to: String,
}

/// `sessions.groups.update`: say what new conversations in a drawer begin with.
#[derive(Debug)]
pub struct SessionsGroupsUpdate;

impl Method for SessionsGroupsUpdate {
    const NAME: &'static str = "sessions.groups.update";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = SessionsGroupsUpdateParams;
    type Result = SessionsGroupsUpdateResult;
}

/// Parameters of [`SessionsGroupsUpdate`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsGroupsUpdateParams {
    pub name: String,
    /// The folder; `null` for none.
    pub cwd: Option<String>,
    /// Whether it gets a working copy.
    pub worktree: bool,
}

/// Answer of [`SessionsGroupsUpdate`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsGroupsUpdateResult {
    pub ok: bool,
    pub defaults: Vec<SessionGroupDefaults>,
}

/// `sessions.groups.delete`: take a drawer away; its conversations lie open again.
#[derive(Debug)]
pub struct SessionsGroupsDelete;

impl Method for SessionsGroupsDelete {
    const NAME: &'static str = "sessions.groups.delete";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = SessionsGroupsDeleteParams;
    type Result = SessionsGroupsMutationResult;
}

/// Parameters of [`SessionsGroupsDelete`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsGroupsDeleteParams {
    pub name: String,
}
