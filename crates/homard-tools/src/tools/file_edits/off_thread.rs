//! Doing disk work where it may block.

use std::error::Error;

use crate::outcome::ToolOutcome;

/// Runs `work` on a thread that may block. What has begun is finished: a write that was cancelled half-way
/// must not be reported as not done.
pub(crate) async fn off_thread<E, W>(work: W) -> ToolOutcome
where
    E: Error + Send + 'static,
    W: FnOnce() -> Result<ToolOutcome, E> + Send + 'static,
{
    match homard_runtime::off_thread(work).await {
        Ok(result) => result.into(),
        Err(error) => ToolOutcome::from_error(&error),
    }
}
