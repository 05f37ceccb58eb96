//! What a turn keeps to beside its model and its tools: limits, and when to interfere.

use std::time::Duration;

use homard_config::config::tools::loops::LoopDetection;

use crate::call_options::CallOptions;
use crate::flush::FlushRules;
use crate::prune::PruneRules;

/// How long one tool call may take where nobody says otherwise.
const DEFAULT_TOOL_LIMIT: Duration = Duration::from_secs(31 * 60);

/// What a turn keeps to. The default watches for loops and does nothing else by itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// How long one tool call may take before it is stopped and answered for.
    pub tool_limit: Duration,
    /// When a model goes in circles.
    pub repeats: LoopDetection,
    /// When old tool results are shortened; `None` never.
    pub prune: Option<PruneRules>,
    /// Whether notes are written before the conversation is summarised; `None` never.
    pub flush: Option<FlushRules>,
    /// What a calling program wants.
    pub wishes: CallOptions,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            tool_limit: DEFAULT_TOOL_LIMIT,
            repeats: LoopDetection::default(),
            prune: None,
            flush: None,
            wishes: CallOptions::default(),
        }
    }
}
