//! What all calls of one run share.

use std::collections::BTreeMap;

use homard_exec::approvals::ExecRules;

use crate::approvals::Approvals;
use crate::taint::Taint;

/// The surroundings of a run, as far as tools are concerned. The default is a run in which nobody can be asked
/// and only the owner speaks.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Where a person is asked.
    pub approvals: Approvals,
    /// Whose words are in play.
    pub taint: Taint,
    /// Which commands may run, and when a person is asked.
    pub exec: ExecRules,
    /// Variables that commands of this run find in their environment, beside the usual ones.
    pub env: BTreeMap<String, String>,
}
