//! What a turn is made of: settings, prompt, tools and who may have them, labels, rules for commands.

mod ask_once;
pub(crate) mod exec_rules;
pub(crate) mod history_limit;
pub(crate) mod invoke;
pub(crate) mod offer;
pub(crate) mod policy_layers;
pub(crate) mod policy_view;
pub(crate) mod program;
pub(crate) mod resident;
pub(crate) mod rules;
pub(crate) mod sandbox;
pub(crate) mod settings;
pub(crate) mod skill_calls;
pub(crate) mod small_window;
pub(crate) mod taint;
pub(crate) mod turn_prompt;
pub(crate) mod vision;

use std::sync::Arc;

use homard_agent::Prompt;
use homard_exec::Processes;
use homard_skills::Skills;
use homard_tools::{Approvals, Undo};

/// What turns are made of, beside what a reload replaces.
pub(crate) struct SetupState {
    /// Where a person is asked before something is done.
    pub(crate) approvals: Approvals,
    pub(crate) prompt: Arc<Prompt>,
    pub(crate) skills: Skills,
    /// Where file tools keep what they replace.
    pub(crate) undo: Undo,
    /// Where commands go on in the background.
    pub(crate) processes: Processes,
}
