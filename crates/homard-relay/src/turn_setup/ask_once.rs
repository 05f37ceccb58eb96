//! Asking a conversation's model one thing beside its turns, with no tools and nothing of the conversation.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use homard_llm::{FailReason, LlmError, Provider, Request, StreamEvent, ThinkingLevel};
use homard_models::budget::Spender;
use homard_models::router;
use homard_protocol::{Message, SessionKey, UserContent, UserMessage};
use homard_store::CallOwner;

use crate::parts::TurnSetup;
use crate::sessions::access::agent_of;
use crate::turn_setup::settings::chosen_model;
use crate::turns::meter::RunMeter;

/// Longest answer, in tokens.
const MAX_ANSWER: u32 = 256;
/// How long an answer may take.
const LIMIT: Duration = Duration::from_secs(60);

impl TurnSetup {
    /// What the model says to one question. The call is paid for and counted like a turn's.
    ///
    /// # Errors
    /// When no model can be asked, or it does not answer.
    pub fn ask_once<'a>(
        &'a self,
        key: &'a SessionKey,
        question: String,
    ) -> BoxFuture<'a, Result<String, LlmError>> {
        async move {
            let inner = self.inner();
            let (config, router) = (inner.config(), inner.router());
            let agent_id = agent_of(&config, key).clone();
            let agent = config.agents.agent(&agent_id).unwrap_or(config.agents.default_agent());
            let wanted = chosen_model(&router, agent, None);
            let resolved = router.models().resolve(&wanted);
            let model = resolved.map_err(|error| LlmError::new(FailReason::Format, error.to_string()))?;
            let (store, session_key) = (inner.store().clone(), key.clone());
            let owner = CallOwner {
                run_id: None,
                session_key,
                session_id: None,
                agent_id: agent_id.clone(),
                job_id: None,
            };
            let meter = Arc::new(RunMeter { store, owner, guest: None });
            let spender = Spender { agent: agent_id, session: key.clone(), job: None };
            let spec = Arc::clone(&model.model);
            let caller = router.caller(vec![model], router::Run { spender, pinned: None, meter });
            let content = UserContent::Text(question);
            let question = UserMessage { content, timestamp: inner.clock().now_ms(), idempotency_key: None };
            let request = Request {
                model: spec,
                system: Arc::from(""),
                messages: vec![Arc::new(Message::User(question))],
                tools: Arc::default(),
                max_tokens: Some(MAX_ANSWER),
                sampling: homard_llm::Sampling::default(),
                thinking: ThinkingLevel::Off,
                credential: None,
                session: None,
                program_dir: None,
            };
            let mut stream = caller.stream(request, inner.stopping().child_token());
            let asking = async {
                while let Some(event) = stream.next().await {
                    match event {
                        StreamEvent::Done(answer) => return Ok(answer.message.text()),
                        StreamEvent::Failed(error) => return Err(error),
                        _ => {}
                    }
                }
                Err(LlmError::new(FailReason::Format, "the model's answer ended without an end"))
            };
            tokio::time::timeout(LIMIT, asking).await.unwrap_or_else(|_late| {
                Err(LlmError::new(FailReason::Timeout, "the model did not answer in time"))
            })
        }
        .boxed()
    }
}
