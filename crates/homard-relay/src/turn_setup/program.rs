//! Turns for programs that talk to an agent as if it were a model: with their own tools, their own idea of
//! how words are chosen, and what was said before.

use std::sync::Arc;

use homard_agent::{CallOptions, Rules};
use homard_channel::Inbound;
use homard_llm::{Sampling, ToolSpec};
use homard_models::failover::Meter;
use homard_protocol::{AgentId, AssistantBlock, EntryKind, Message, RunId, SessionKey, StopCause, UserBlock};
use homard_runtime::Redactor;
use homard_store::CallOwner;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::parts::{TurnSetup, Turns};
use crate::turn_setup::taint;
use crate::turns::accept::{AcceptError, Accepted, run_id};
use crate::turns::listen::Listener;
use crate::turns::meter::RunMeter;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

/// What a program wants of one turn beside its message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Program {
    /// Tools that are its own: offered to the model, run by the program.
    pub tools: Vec<ProgramTool>,
    /// How words are chosen.
    pub sampling: Sampling,
    /// The longest answer, in tokens.
    pub max_tokens: Option<u32>,
    /// What was said before the message and the conversation does not know yet. With results of the
    /// program's tools at its end, the message may be empty.
    pub before: Vec<Message>,
}

/// A tool that is the program's own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramTool {
    /// What the model calls it; never the name of a tool of ours.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// What a turn offers, with what a program wants of it where one asks.
pub(crate) fn heed(program: Option<&Program>, own: Arc<[ToolSpec]>, rules: &mut Rules) -> Arc<[ToolSpec]> {
    let Some(program) = program else { return own };
    rules.wishes = program.wishes();
    program.offer(own)
}

impl Program {
    /// The same as the loop takes it.
    fn wishes(&self) -> CallOptions {
        CallOptions {
            max_tokens: self.max_tokens,
            sampling: self.sampling.clone(),
            tools: self.tools.iter().map(|tool| tool.name.clone()).collect(),
        }
    }

    /// The agent's own tools and, after them, the program's.
    fn offer(&self, own: Arc<[ToolSpec]>) -> Arc<[ToolSpec]> {
        if self.tools.is_empty() {
            return own;
        }
        let theirs = self.tools.iter().filter(|tool| own.iter().all(|spec| spec.name != tool.name));
        let theirs = theirs.map(|tool| ToolSpec {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone().into(),
        });
        own.iter().cloned().chain(theirs).collect()
    }

    /// What the transcript notes before the message.
    pub(crate) fn entries(&self) -> Vec<EntryKind> {
        self.before.iter().map(|message| EntryKind::Message { message: message.clone() }).collect()
    }

    /// Takes out what must not be told to a model.
    fn hide(&mut self, secrets: &Redactor) {
        for message in &mut self.before {
            match message {
                Message::User(user) => *user = taint::without_secrets(user.clone(), secrets),
                Message::ToolResult(result) => result.content.iter_mut().for_each(|block| {
                    if let UserBlock::Text { text } = block {
                        secrets.hide_in(text);
                    }
                }),
                Message::Assistant(answer) => answer.content.iter_mut().for_each(|block| {
                    if let AssistantBlock::Text { text, .. } = block {
                        secrets.hide_in(text);
                    }
                }),
                Message::Other(_) => {}
            }
        }
    }
}

impl Turns {
    /// Takes a program's message as [`accept`](Self::accept) does, and lets it listen to the run from its beginning.
    ///
    /// # Errors
    /// As [`accept`](Self::accept).
    pub async fn accept_program(
        &self,
        message: Inbound,
        mut program: Program,
        options: TurnOptions,
    ) -> Result<Listener, AcceptError> {
        program.hide(&self.inner().guards().secrets);
        let (listening, listener) = oneshot::channel();
        let admitted = self.admit(message, &options)?;
        let options = TurnOptions { program: Some(Box::new(program)), ..options };
        let mut asking = Asking { turns: self, run: Some(run_id(&admitted)?) };
        let accepted = self.enqueue(admitted, options, Queue::Wait, Some(listening)).await;
        asking.run = None;
        match accepted? {
            Accepted::Started { .. } => listener.await.map_err(|_gone| AcceptError::Stopping),
            Accepted::InFlight { .. } | Accepted::Finished(_) | Accepted::Answered { .. } => {
                Err(AcceptError::Repeated)
            }
        }
    }
}

/// A program that waits for its message to be taken. When it hangs up before, nobody reads the answer.
struct Asking<'a> {
    turns: &'a Turns,
    run: Option<RunId>,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if let Some(run) = self.run.take().and_then(|id| self.turns.runs().get(&id)) {
            run.stop(StopCause::Disconnect);
        }
    }
}

impl TurnSetup {
    /// Where calls beside any run are counted, on an agent's behalf.
    #[must_use]
    pub fn meter(&self, agent: AgentId, session: SessionKey) -> Arc<dyn Meter> {
        let owner =
            CallOwner { run_id: None, session_key: session, session_id: None, agent_id: agent, job_id: None };
        Arc::new(RunMeter { store: self.inner().store().clone(), owner, guest: None })
    }

    /// Whether there is a tool of ours by this name, whoever may use it.
    #[must_use]
    pub fn has_tool(&self, name: &str) -> bool {
        self.inner().reloadable().tools.get(name).is_some()
    }
}
