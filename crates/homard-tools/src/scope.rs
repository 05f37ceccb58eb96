//! What all calls of one run share.

use std::collections::BTreeMap;

use crate::approvals::Approvals;
use crate::taint::Taint;
use crate::undo::Undo;

/// The surroundings of a run, as far as tools are concerned. The default is a run in which nobody can be asked
/// and only the owner speaks.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Where a person is asked.
    pub approvals: Approvals,
    /// Whose words are in play.
    pub taint: Taint,
    /// Variables that commands of this run find in their environment, beside the usual ones.
    pub env: BTreeMap<String, String>,
    /// Whether file tools stay inside the workspace; `None` means as the tools were built.
    pub workspace_only: Option<bool>,
    /// Where file tools keep what they replace.
    pub undo: Undo,
}
