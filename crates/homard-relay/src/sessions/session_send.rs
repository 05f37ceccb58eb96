//! Messages from one conversation to another, and the answers.

use homard_channel::Inbound;
use homard_protocol::{AgentId, RunId, SessionKey, TurnSource};
use homard_runtime::OrCancel;
use homard_store::RunStatus;
use homard_tools::{
    PortError, SessionMessage, SessionMessageAnswer, SessionMessageStatus, SessionTarget, ToolCx,
};

use crate::parts::Sessions;
use crate::ports::{not_kept, run_name};
use crate::sessions::access::{agent_of, may_reach};
use crate::turns::accept::Accepted;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

impl Sessions {
    /// Sends a message and waits for the answer. A repeated call finds the run of the first.
    pub(crate) async fn send_letter(
        &self,
        cx: &ToolCx,
        letter: SessionMessage,
    ) -> Result<SessionMessageAnswer, PortError> {
        let to = self.addressee(cx, &letter.to).await?;
        if to == cx.session_key {
            return Err(PortError::Invalid("that is this session; just answer".to_owned()));
        }
        let run_id = run_name("letter", cx, &[&to.to_string(), &letter.message])?;
        let text = format!(
            "[Message from the agent in session {}, not from a person]\n\n{}",
            cx.session_key, letter.message
        );
        let message = Inbound::from_operator(to.clone(), run_id.to_string(), text, cx.clock.now_ms());
        let options =
            TurnOptions { labels: cx.scope.taint.labels(), ..TurnOptions::of(TurnSource::SessionsSend) };
        let accepted = self.turns().accept(message, options, Queue::Wait).await;
        let accepted = accepted.map_err(|error| PortError::Failed(error.to_string()))?;
        let mut answer = SessionMessageAnswer {
            status: SessionMessageStatus::Accepted,
            run_id: run_id.clone(),
            session_key: to.clone(),
            reply: None,
            error: None,
            labels: Vec::new(),
        };
        if letter.wait.is_zero() {
            return Ok(answer);
        }
        if !matches!(accepted, Accepted::Finished(_)) {
            let turns = self.turns();
            let waiting = turns.wait(&run_id, letter.wait).or_cancel(&cx.cancel);
            waiting.await.map_err(|_stopped| PortError::Stopped)?;
        }
        self.read_answer(&run_id, &mut answer).await?;
        answer.labels = self.setup().labels_of(&to).await.map_err(not_kept)?;
        Ok(answer)
    }

    /// How the run of a letter ended, as its row says.
    async fn read_answer(&self, run_id: &RunId, answer: &mut SessionMessageAnswer) -> Result<(), PortError> {
        let record = self.inner().store().runs().get(run_id).await.map_err(not_kept)?;
        let Some(record) = record.filter(|record| record.status.is_finished()) else {
            answer.status = SessionMessageStatus::Timeout;
            answer.error =
                Some("no answer yet; it is still being worked on and stays in that session".to_owned());
            return Ok(());
        };
        answer.reply = record.reply;
        if record.status == RunStatus::Ok {
            answer.status = SessionMessageStatus::Ok;
        } else {
            answer.status = SessionMessageStatus::Error;
            answer.error =
                Some(record.error.unwrap_or_else(|| format!("the turn ended as {}", record.status)));
        }
        Ok(())
    }

    /// The conversation that is meant, if it may be reached.
    async fn addressee(&self, cx: &ToolCx, to: &SessionTarget) -> Result<SessionKey, PortError> {
        let config = self.inner().config();
        let store = self.inner().store();
        let own = agent_of(&config, &cx.session_key);
        let key = match (&to.key, &to.label) {
            (Some(key), _) => SessionKey::parse_for(key.trim(), own)
                .map_err(|_unreadable| PortError::NoSession(key.clone()))?,
            (None, Some(label)) => {
                let agent = match &to.agent {
                    Some(agent) => AgentId::parse(&agent.trim().to_lowercase())
                        .map_err(|error| PortError::Invalid(error.to_string()))?,
                    None => own.clone(),
                };
                let found = store.sessions().by_label(&agent, label.trim()).await.map_err(not_kept)?;
                found.ok_or_else(|| PortError::NoSession(label.clone()))?.key
            }
            (None, None) => return Err(PortError::Invalid("sessionKey or label is needed".to_owned())),
        };
        may_reach(&config, store, cx, &key).await?;
        let is_there = key.is_main() || store.sessions().get(&key).await.map_err(not_kept)?.is_some();
        if is_there { Ok(key) } else { Err(PortError::NoSession(key.to_string())) }
    }
}
