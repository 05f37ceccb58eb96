//! `undo.*`: putting back what file tools replaced. Homard's own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use crate::method::{Access, Method};
use crate::scope::Scope;
use crate::session_ref::SessionRef;
use crate::word::words;

/// Runs in one answer of [`UndoList`] unless the caller says otherwise.
pub const DEFAULT_UNDO_RUNS: u32 = 20;
/// Most runs in one answer of [`UndoList`].
pub const MAX_UNDO_RUNS: u32 = 500;

/// `undo.list`: runs that changed something.
#[derive(Debug)]
pub struct UndoList;

impl Method for UndoList {
    const NAME: &'static str = "undo.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = UndoListParams;
    type Result = UndoListResult;
}

/// Parameters of [`UndoList`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UndoListParams {
    /// Only of this conversation.
    pub session_key: Option<SessionRef>,
    /// How many at most.
    pub limit: Option<u32>,
}

/// Answer to [`UndoList`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoListResult {
    /// Now, in milliseconds since 1970.
    pub ts: i64,
    pub runs: Vec<UndoRun>,
}

/// A run that changed something.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoRun {
    pub run_id: String,
    pub session_key: String,
    /// When it made its first change, in milliseconds since 1970.
    pub at: i64,
    pub files: Vec<UndoFile>,
    /// Whether it also ran commands, whose changes are not kept.
    pub commands: bool,
    /// The run that undid it.
    pub undone_by: Option<String>,
    /// The run it undid, when it is itself an undo.
    pub undoes: Option<String>,
}

words! {
    /// What was done to a file, all in all.
    UndoChange {
        /// It was not there before.
        Created = "created",
        /// It had another content.
        Changed = "changed",
        Deleted = "deleted",
    }
}

words! {
    /// Whether a file can be put back.
    UndoState {
        Restorable = "restorable",
        AsBefore = "asBefore",
        ChangedSince = "changedSince",
        ChangedBetween = "changedBetween",
        NotKept = "notKept",
        Elsewhere = "elsewhere",
        Unreadable = "unreadable",
    }
}

/// A file a run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoFile {
    pub path: String,
    pub change: UndoChange,
    pub state: UndoState,
    /// The state in words.
    pub words: String,
}

/// `undo.apply`: puts back what a run replaced.
#[derive(Debug)]
pub struct UndoApply;

impl Method for UndoApply {
    const NAME: &'static str = "undo.apply";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = UndoApplyParams;
    type Result = UndoApplyResult;
}

/// Parameters of [`UndoApply`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct UndoApplyParams {
    /// In this conversation; any when left out.
    pub session_key: Option<SessionRef>,
    /// This run; the last one when left out.
    pub run_id: Option<String>,
    /// Put files back even if they changed since.
    pub force: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// Answer to [`UndoApply`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoApplyResult {
    /// Whether everything was put back; `false` for a dry run.
    pub undone: bool,
    /// The run, as it was before.
    pub run: UndoRun,
    /// The files that were put back.
    pub restored: Vec<String>,
    /// The files that were not, with the reason.
    pub failed: Vec<String>,
    /// The name by which this can itself be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_run_id: Option<String>,
    /// All of it in words for a person.
    pub words: String,
}
