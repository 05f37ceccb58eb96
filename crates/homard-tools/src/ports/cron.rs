//! What the `cron` tool asks of the room that runs jobs.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::PortError;
use crate::cx::ToolCx;

/// A question or a wish about jobs.
#[derive(Debug, Clone, PartialEq)]
pub enum CronAsk {
    /// Whether jobs run, how many there are, when the next is due.
    Status,
    /// Which there are.
    List {
        /// Those that are switched off, too.
        include_disabled: bool,
        /// Only those that say this.
        query: Option<String>,
    },
    /// Make one.
    Add {
        /// As `cron.add` takes it; what is left out is filled in.
        job: Map<String, Value>,
    },
    /// Change one.
    Update {
        /// Which.
        id: String,
        /// As `cron.update` takes it.
        patch: Map<String, Value>,
    },
    /// Forget one.
    Remove {
        /// Which.
        id: String,
    },
    /// Run one now.
    Run {
        /// Which.
        id: String,
        /// Only when it is due.
        only_if_due: bool,
    },
    /// Its runs, or all.
    Runs {
        /// Whose.
        id: Option<String>,
        /// How many.
        limit: u32,
    },
    /// Tell the main conversation something.
    Wake {
        /// What.
        text: String,
        /// Whether that starts a turn.
        now: bool,
    },
}

/// The room that runs jobs.
pub trait CronPort: Send + Sync {
    /// Answers a question, or does as wished.
    fn ask<'a>(&'a self, cx: &'a ToolCx, ask: CronAsk) -> BoxFuture<'a, Result<Value, PortError>>;
}
