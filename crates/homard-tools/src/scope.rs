//! What all calls of one run share.

use std::collections::BTreeMap;

use homard_exec::approvals::ExecRules;
use homard_runtime::Redactor;

use crate::approvals::Approvals;
use crate::files::file_access::{Caller, FileAccess};
use crate::files::tainted_files::TaintedFiles;
use crate::files::undo::Undo;
use crate::gate::GatePolicy;
use crate::hook_points::HookPoints;
use crate::ports::Ports;
use crate::turn_slot::TurnSlot;
use crate::words_of_others::known_urls::KnownUrls;
use crate::words_of_others::taint::Taint;

/// The surroundings of a run, as far as tools are concerned. The default is a run in which nobody can be asked
/// and only the owner speaks.
#[derive(Clone, Default)]
pub struct Scope {
    /// Where a person is asked.
    pub approvals: Approvals,
    /// Whose words are in play.
    pub taint: Taint,
    /// Which commands may run, and when a person is asked.
    pub exec: ExecRules,
    /// Variables that commands of this run find in their environment, beside the usual ones.
    pub env: BTreeMap<String, String>,
    /// What the owner wants while words of others are in play.
    pub gate: GatePolicy,
    /// Addresses the owner or a page named.
    pub known_urls: KnownUrls,
    /// What is known beyond this conversation.
    pub guards: Guards,
    /// Which files whoever asked may have.
    pub access: FileAccess,
    /// Its place among the turns that run at once.
    pub slot: TurnSlot,
    /// Where file tools keep what they replace.
    pub undo: Undo,
    /// What the rooms above can be asked.
    pub ports: Ports,
    /// Who may have a say about what the run does.
    pub hooks: HookPoints,
}

impl Scope {
    /// Whether a program may be asked that does on this machine what it likes: only the owner's words are in play, the
    /// owner asks, and the conversation does not belong into a sandbox.
    #[must_use]
    pub fn may_ask_programs(&self) -> bool {
        self.access.caller == Caller::Owner && self.taint.is_clean() && !self.access.is_confined
    }
}

/// What the whole house knows about secrets and strangers' files. Clone-cheap; the default knows nothing.
#[derive(Debug, Clone, Default)]
pub struct Guards {
    /// What no model, watcher or log may see.
    pub secrets: Redactor,
    /// Files that hold words of others.
    pub files: TaintedFiles,
}

impl std::fmt::Debug for Scope {
    /// Variables can be keys; only their names are shown.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&String> = self.env.keys().collect();
        f.debug_struct("Scope").field("taint", &self.taint).field("env", &names).finish_non_exhaustive()
    }
}
