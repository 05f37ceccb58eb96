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
    List {
        /// Those that are switched off, too.
        include_disabled: bool,
        /// Only those that say this.
        query: Option<String>,
    },
    Add {
        /// As `cron.add` takes it; what is left out is filled in.
        job: Map<String, Value>,
    },
    Update {
        id: String,
        /// As `cron.update` takes it.
        patch: Map<String, Value>,
    },
    Remove {
        id: String,
    },
    Run {
        id: String,
        /// Only when it is due.
        only_if_due: bool,
    },
    /// Its runs, or all.
    Runs {
        id: Option<String>,
        limit: u32,
    },
    /// Tell the main conversation something.
    Wake {
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
