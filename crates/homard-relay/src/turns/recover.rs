//! After a start: finish what the tables say is unfinished.
//!
//! A run that was under way when the process died is marked interrupted, so that its conversation is valid
//! and says what happened; a message that was kept but not begun is answered now. Whoever watches a conversation sees
//! that its run was interrupted. Whoever wrote from a chat platform sees nothing, so their message gets another turn.

mod resume;

use homard_channel::Inbound;
use homard_protocol::TurnSource;
use homard_runtime::{Arrange as _, OrLog};
use homard_store::{FinishRun, RunRecord, RunStatus, StoreError};

use crate::intake::admit::{admit, admit_judged};
use crate::intake::route::Route;
use crate::parts::Turns;
use crate::turns::lane::Kind;
use crate::turns::request::TurnRequest;

/// What somebody is told whose command, or whose agent, did not survive a restart.
const GIVEN_UP: &str = "⚙️ The gateway restarted before this was done. Please send it again.";

/// Whether nobody asked and the agent only looked around.
fn is_look(record: &RunRecord) -> bool {
    record.source.known() == Some(TurnSource::Heartbeat)
}

impl Turns {
    /// Finishes what was left unfinished. Called once, before new messages are taken.
    ///
    /// # Errors
    /// When the store cannot say what is unfinished.
    pub async fn recover(&self) -> Result<(), StoreError> {
        self.outgoing().recover_outbox().await?;
        self.chat_approvals().take_back_unsent().await?;
        let store = self.inner().store();
        // Those that had begun first: what one of them had just taken over does not wait any more.
        for record in store.runs().unfinished().await? {
            let is_look = is_look(&record);
            if record.status != RunStatus::Queued && (is_look || !self.begin_again(&record).await?) {
                tracing::warn!(run = %record.run_id, session = %record.session_key, "a run was interrupted by a restart");
                // First: a crash between the two finds the run unfinished and the other turn known.
                if !is_look {
                    resume::ask_again(self, &record).await?;
                }
                store.runs().interrupt(&record.run_id).await.or_log("could not mark a run interrupted");
            }
        }
        let mut waiting = store.runs().unfinished().await?;
        // What was cut short goes on before what came after it; its other turn was kept only now.
        waiting.arrange_by_key(|record| !resume::is_another(&record.run_id));
        for record in waiting {
            if record.status == RunStatus::Queued {
                self.recover_waiting(&record).await?;
            }
        }
        self.subagents().recover_children().await
    }

    /// Answers a message that was kept and not begun, or says why not.
    async fn recover_waiting(&self, record: &RunRecord) -> Result<(), StoreError> {
        let mut finish = FinishRun::new(record.run_id.clone(), RunStatus::Error);
        // The next look is due in its own time; several at once after a start would be a burst.
        if is_look(record) || self.subagents().is_of_killed_child(record).await? {
            finish.status = RunStatus::Aborted;
        } else if self.resume(record) {
            tracing::info!(run = %record.run_id, session = %record.session_key, "answering a message that waited through a restart");
            return Ok(());
        } else {
            let why = "the message could not be answered after a restart: it was a command, or its caller or agent is gone";
            finish.error = Some(why.to_owned());
            self.tell_given_up(record).await;
        }
        self.inner().store().runs().finish(finish).await.or_log("could not give up a waiting run");
        Ok(())
    }

    /// Tells whoever asked on a chat platform. It has the name of the answer: if that was kept already, it stands.
    async fn tell_given_up(&self, record: &RunRecord) {
        let Some(reply) = TurnRequest::of_record(record).and_then(|request| request.options.reply) else {
            return;
        };
        self.commands().tell_there(&record.run_id, Some(&reply), &Ok(GIVEN_UP.to_owned())).await;
    }

    /// Puts a kept message back into its lane; `false` when it has nowhere to go any more.
    fn resume(&self, record: &RunRecord) -> bool {
        let Some(request) = TurnRequest::of_record(record) else { return false };
        // A command is obeyed at once or not at all: by now the person has typed it again.
        if request.kind == Kind::Command {
            return false;
        }
        // A program that waited for the answer lost its connection with the old process.
        if request.options.program.is_some() {
            return false;
        }
        let (id, message) = (record.run_id.to_string(), &request.message);
        let (text, timestamp, key) = (message.content.text(), message.timestamp, record.session_key.clone());
        let config = self.inner().config();
        let admitted = match &request.options.origin {
            Some(origin) => {
                let (inbound, verdict) = origin.message(id, text, timestamp);
                let route = Route::decided(&config, key, record.agent_id.clone());
                route
                    .ok()
                    .and_then(|route| admit_judged(inbound, record.run_id.to_string(), route, verdict).ok())
            }
            None => {
                let inbound = Inbound::from_operator(key, id, text, timestamp);
                let route = Route::named(&config, &inbound);
                route.ok().and_then(|route| admit(inbound, route, request.options.without_admin).ok())
            }
        };
        let Some(admitted) = admitted else { return false };
        self.resume_kept(admitted, record.run_id.clone(), request);
        true
    }
}
