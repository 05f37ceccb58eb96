//! `sessions.fork`, `.rewind` and `.branches.*`: going back in a conversation, and going another way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::id::{AgentId, EntryId};
use crate::method::{Access, Method};
use crate::methods::system::conversation_stubs::InSessionParams;
use crate::scope::Scope;
use crate::session_key::SessionKey;
use crate::session_ref::SessionRef;

/// `sessions.fork`: a new conversation that begins as another one did.
#[derive(Debug)]
pub struct SessionsFork;

impl Method for SessionsFork {
    const NAME: &'static str = "sessions.fork";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = AtEntryParams;
    type Result = SessionsForkResult;
}

/// `sessions.rewind`: a conversation goes on from an earlier place; what came after stays as a branch.
#[derive(Debug)]
pub struct SessionsRewind;

impl Method for SessionsRewind {
    const NAME: &'static str = "sessions.rewind";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = AtEntryParams;
    type Result = SessionsRewindResult;
}

/// `sessions.branches.list`: the ways a conversation went.
#[derive(Debug)]
pub struct SessionsBranchesList;

impl Method for SessionsBranchesList {
    const NAME: &'static str = "sessions.branches.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = InSessionParams;
    type Result = BranchesListResult;
}

/// `sessions.branches.switch`: go on at the end of another branch.
#[derive(Debug)]
pub struct SessionsBranchesSwitch;

impl Method for SessionsBranchesSwitch {
    const NAME: &'static str = "sessions.branches.switch";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = BranchesSwitchParams;
    type Result = BranchesSwitchResult;
}

/// Parameters of [`SessionsFork`] and [`SessionsRewind`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AtEntryParams {
    pub session_key: SessionRef,
    /// For bare session keys: whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// A question: the place before it, and the question is given back to be asked anew. Anything else: the place
    /// after it.
    pub entry_id: EntryId,
}

/// Answer of [`SessionsFork`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsForkResult {
    pub session_key: SessionKey,
    /// The question that comes next, to be changed or sent as it is.
    pub editor_text: Option<String>,
    /// The files that came with it.
    pub editor_attachments: Option<Vec<EditorAttachment>>,
}

/// Answer of [`SessionsRewind`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsRewindResult {
    /// The question that was taken back, to be changed or sent as it is.
    pub editor_text: Option<String>,
    /// The files that came with it.
    pub editor_attachments: Option<Vec<EditorAttachment>>,
}

/// A file that came with a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EditorAttachment {
    pub mime_type: String,
    pub data: String,
    /// What the person calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
}

/// Answer of [`SessionsBranchesList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BranchesListResult {
    /// The ways, oldest first.
    pub branches: Vec<BranchRow>,
}

/// One way a conversation went.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BranchRow {
    pub leaf_entry_id: String,
    /// The beginning of what makes it different.
    pub headline: String,
    /// Messages from the beginning.
    pub message_count: u64,
    /// When its last entry was written, RFC 3339.
    pub updated_at: Option<String>,
    /// Whether the conversation goes on here.
    pub active: bool,
    /// Homard's own: the first entry only this branch has.
    pub first_entry_id: Option<String>,
    /// Homard's own: what the branch in use says in its place.
    pub instead_entry_id: Option<String>,
}

/// Parameters of [`SessionsBranchesSwitch`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BranchesSwitchParams {
    pub session_key: SessionRef,
    /// For bare session keys: whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    /// The end of the branch.
    pub leaf_entry_id: EntryId,
}

/// Answer of [`SessionsBranchesSwitch`]: nothing to say.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BranchesSwitchResult {}
