//! Where a run is, and whether what a call cost is known: words that stand on the wire and in the database.

use crate::word::words;

words! {
    /// Where a run is.
    RunStatus {
        Queued = "queued",
        Running = "running",
        Ok = "ok",
        /// Ended with an error.
        Error = "error",
        Aborted = "aborted",
        /// Stopped by its time limit.
        TimedOut = "timed-out",
        /// Cut off by the gateway ending.
        Interrupted = "interrupted",
    }
}

impl RunStatus {
    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_finished(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

words! {
    /// Whether a call's numbers are known.
    CallState {
        /// Under way; the numbers are the worst case.
        Open = "open",
        /// Ended; the numbers are what it cost.
        Settled = "settled",
        /// The process died meanwhile; the worst case stands.
        Lost = "lost",
    }
}
