//! Asking a model that sees, on behalf of a turn whose own model may not.

use std::sync::Arc;

use futures_util::StreamExt;
use homard_llm::{FailReason, LlmError, Provider, Request, Resolved, StreamEvent, ThinkingLevel};
use homard_models::budget::Spender;
use homard_models::router::{self, ModelRouter};
use homard_protocol::{AssistantMessage, Message, UserBlock, UserContent, UserMessage};
use homard_store::CallOwner;
use homard_tools::{Described, PortError, ToolCx};

use crate::parts::TurnSetup;
use crate::ports::not_kept;
use crate::sessions::access::agent_of;
use crate::turn_setup::settings::chosen_model;
use crate::turns::meter::RunMeter;

impl TurnSetup {
    /// Asks a model that sees about pictures. The call is paid for and counted like the turn's own.
    pub(crate) async fn look_at(
        &self,
        cx: &ToolCx,
        prompt: String,
        pictures: Vec<UserBlock>,
        model: Option<&str>,
    ) -> Result<Described, PortError> {
        let (config, router) = (self.inner().config(), self.inner().router());
        let session = self.inner().store().sessions().get(&cx.session_key).await.map_err(not_kept)?;
        let agent_id = agent_of(&config, &cx.session_key).clone();
        let agent = config.agents.agent(&agent_id).unwrap_or(config.agents.default_agent());
        let own = chosen_model(&router, agent, session.as_ref().map(|session| &session.entry));
        let chain = seeing(&router, model, own)?;
        let first = chain.first().map(|next| Arc::clone(&next.model)).ok_or_else(nobody_sees)?;
        let owner = CallOwner {
            run_id: Some(cx.run_id.clone()),
            session_key: cx.session_key.clone(),
            session_id: session.map(|session| session.session_id),
            agent_id: agent_id.clone(),
            job_id: None,
        };
        let meter = Arc::new(RunMeter { store: self.inner().store().clone(), owner, guest: None });
        let spender = Spender { agent: agent_id, session: cx.session_key.clone(), job: None };
        let caller = router.caller(chain, router::Run { spender, pinned: None, meter });
        let content = UserContent::Blocks(std::iter::once(UserBlock::text(prompt)).chain(pictures).collect());
        let question = UserMessage { content, timestamp: cx.clock.now_ms(), idempotency_key: None };
        let request = Request {
            model: first,
            system: Arc::from(""),
            messages: vec![Arc::new(Message::User(question))],
            tools: Arc::default(),
            max_tokens: None,
            sampling: homard_llm::Sampling::default(),
            thinking: ThinkingLevel::Off,
            credential: None,
            session: None,
            program_dir: cx.scope.may_ask_programs().then(|| Arc::from(cx.workspace.as_path())),
        };
        let answer = answered(&caller, request, cx).await.map_err(|error| match error.reason {
            FailReason::Aborted => PortError::Stopped,
            _ => PortError::Failed(format!("the pictures could not be looked at: {}", error.message)),
        })?;
        let (text, model) = (answer.text(), format!("{}/{}", answer.provider, answer.model));
        if text.trim().is_empty() {
            return Err(PortError::Failed(format!("{model} said nothing about the pictures")));
        }
        Ok(Described { text, model })
    }
}

/// The models to ask, in order: the one that is named; else the owner's for pictures, then the turn's own, then the
/// first that sees.
fn seeing(
    router: &ModelRouter,
    named: Option<&str>,
    own: homard_protocol::ModelRef,
) -> Result<Vec<Resolved>, PortError> {
    let wanted = match named {
        Some(text) => {
            let wanted =
                router.selector().parse(text).map_err(|error| PortError::Invalid(error.to_string()))?.model;
            if !router.selector().allows(&wanted) {
                return Err(PortError::NotAllowed(format!("the model {wanted} (agents.defaults.models)")));
            }
            vec![wanted]
        }
        None => {
            let mut wanted = router.selector().image_chain();
            wanted.retain(|model| *model != own);
            wanted.push(own);
            wanted
        }
    };
    let resolved = wanted.iter().filter_map(|model| match router.models().resolve(model) {
        Ok(resolved) => Some(resolved),
        Err(error) => {
            tracing::warn!(%error, %model, "a model for pictures cannot be asked");
            None
        }
    });
    let mut chain: Vec<Resolved> = resolved.filter(|next| next.model.sees_images()).collect();
    if chain.is_empty() && named.is_none() {
        chain.extend(router.seeing().find_map(|model| router.models().resolve(&model).ok()));
    }
    if chain.is_empty() { Err(nobody_sees()) } else { Ok(chain) }
}

fn nobody_sees() -> PortError {
    PortError::Failed(
        "no model here sees pictures; the owner can name one in agents.defaults.imageModel".to_owned(),
    )
}

async fn answered(
    provider: &impl Provider,
    request: Request,
    cx: &ToolCx,
) -> Result<AssistantMessage, LlmError> {
    let mut stream = provider.stream(request, cx.cancel.child_token());
    while let Some(event) = stream.next().await {
        match event {
            StreamEvent::Done(answer) => return Ok(answer.message),
            StreamEvent::Failed(error) => return Err(error),
            _ => {}
        }
    }
    Err(LlmError::new(FailReason::Format, "the model's answer ended without an end"))
}
