//! Saying no: which budget is used up, how far, until when, and what to do.

use homard_llm::{FailReason, LlmError};
use homard_runtime::Timestamp;

use super::amount::Unit;

/// A limit that is used up. Carries what a person needs to act and a program to show it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the budget `{path}`{} is used up: {} of {}; {}",
    .whose.as_ref().map_or_else(String::new, |whose| format!(" of {whose}")),
    .unit.show(*.used),
    .unit.show(*.limit),
    advice(.resets.as_deref(), .path)
)]
pub struct OverBudget {
    /// Where the limit stands in the configuration: `budgets.agents.main.day.usd`.
    pub path: String,
    /// Whose count it is, where one limit is for each of many.
    pub whose: Option<String>,
    pub unit: Unit,
    /// How much is used, in tokens or millionths of a dollar.
    pub used: u64,
    /// How much there is.
    pub limit: u64,
    /// When it begins anew, in milliseconds since 1970; `None` for limits that never do.
    pub resets_at: Option<Timestamp>,
    /// The same in the owner's time.
    pub resets: Option<String>,
}

fn advice(resets: Option<&str>, path: &str) -> String {
    let raise = format!("raise it with `homard config set {path} <number>`");
    match resets {
        Some(when) => format!("it begins anew at {when}. Wait until then, or {raise}"),
        None => format!("it never begins anew. Start a new conversation, or {raise}"),
    }
}

/// Why nothing could be reserved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReserved {
    /// A limit is used up.
    #[error(transparent)]
    OverBudget(Box<OverBudget>),
    /// Whoever waited was stopped.
    #[error("the wait for the budget was stopped")]
    Cancelled,
}

impl From<OverBudget> for LlmError {
    fn from(over: OverBudget) -> Self {
        Self::new(FailReason::Budget, over.to_string())
    }
}

impl From<NotReserved> for LlmError {
    fn from(error: NotReserved) -> Self {
        match error {
            NotReserved::OverBudget(over) => Self::from(*over),
            NotReserved::Cancelled => Self::aborted(),
        }
    }
}
