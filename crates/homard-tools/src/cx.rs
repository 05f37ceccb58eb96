//! What a tool is told about the call it serves, and how it tells others about progress.

use std::path::PathBuf;
use std::sync::Arc;

use homard_protocol::{RunId, SessionKey, ToolCallId};
use homard_runtime::Clock;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::approvals::{ANSWER_WITHIN, ApprovalRequest, Outcome};
use crate::files::file_access::Caller;
use crate::scope::Scope;

/// One call's surroundings. Made by the loop for every call; tools keep nothing of it.
#[derive(Debug, Clone)]
pub struct ToolCx {
    /// The agent's directory; relative paths start here.
    pub workspace: PathBuf,
    pub session_key: SessionKey,
    pub run_id: RunId,
    pub call_id: ToolCallId,
    /// Ends the call; a tool answers soon after it is cancelled.
    pub cancel: CancellationToken,
    /// Where news of a call that takes long goes.
    pub progress: ProgressSender,
    /// The time of day.
    pub clock: Clock,
    /// What it shares with the other calls of its run.
    pub scope: Arc<Scope>,
}

impl ToolCx {
    /// Whether somebody else than the owner asks for it.
    pub(crate) fn is_for_guest(&self) -> bool {
        self.scope.access.caller == Caller::Guest
    }

    /// Asks a person, and waits for the end of the question without holding anybody else up.
    pub(crate) async fn ask(&self, request: ApprovalRequest) -> Outcome {
        let asking = self.scope.approvals.ask(request, &self.clock, ANSWER_WITHIN, &self.cancel);
        self.scope.slot.while_away(asking, &self.cancel).await
    }

    /// Tells whoever watches what the call has produced since the last time.
    pub fn report(&self, text: &str) {
        self.progress.send(&self.call_id, text);
    }
}

/// News of a call that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    pub call_id: ToolCallId,
    /// What came since the last news, as far as it was not lost.
    pub text: String,
}

/// The sending half of progress. It never waits: when the receiver is slow, news are lost, because the result
/// carries everything again and a tool must not be slowed down by somebody watching.
#[derive(Debug, Clone, Default)]
pub struct ProgressSender {
    sender: Option<mpsc::Sender<Progress>>,
}

impl ProgressSender {
    /// A channel that holds `capacity` news (at least one) and drops what comes while it is full.
    #[must_use]
    pub fn channel(capacity: usize) -> (Self, mpsc::Receiver<Progress>) {
        // When full, `send` drops the news.
        let (sender, receiver) = mpsc::channel(capacity.max(1));
        (Self { sender: Some(sender) }, receiver)
    }

    /// For calls nobody watches.
    #[must_use]
    pub fn nobody() -> Self {
        Self::default()
    }

    fn send(&self, call_id: &ToolCallId, text: &str) {
        if let Some(sender) = &self.sender {
            drop(sender.try_send(Progress { call_id: call_id.clone(), text: text.to_owned() }));
        }
    }
}
