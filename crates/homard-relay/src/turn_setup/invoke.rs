//! One tool, called by a program instead of a model: the same box, policy, gate and approvals.
//!
//! The gate asks a desk of this call's own. What is asked there is either passed on to the people who may decide,
//! or only reported, so that the caller learns that somebody would have to agree.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_channel::Sender;
use homard_protocol::{ChannelId, RunId, SessionKey, ToolCallId};
use homard_runtime::OrLog;
use homard_store::StoreError;
use homard_tools::{
    ANSWER_WITHIN, ApprovalOutcome, Approvals, Caller, Label, ProgressSender, Taint, ToolCx, ToolOutcome,
    canonical_name,
};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::parts::TurnSetup;
use crate::turn_setup::exec_rules::exec_rules;
use crate::turn_setup::policy_layers::{ModelName, PolicySubject, asker, policy_for};
use crate::turn_setup::sandbox;
use crate::turn_setup::settings::chosen_model;
use crate::turn_setup::taint::{self, Granted};

/// What a call has beyond the longest command, to tell how that ended.
const MARGIN: Duration = Duration::from_secs(60);
/// How long a tool has to end by itself once it was stopped.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// What happens when a call needs somebody's yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenAsked {
    /// People who may decide are asked.
    Ask,
    /// The caller is told; nobody else is.
    Report,
}

/// A call of one tool.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The conversation it is made in.
    pub session_key: SessionKey,
    /// The tool, by name or alias.
    pub tool: String,
    /// Its arguments: an object.
    pub arguments: Value,
    /// What the tool does, for tools that do several things.
    pub action: Option<String>,
    /// Names the call; a random name when left out.
    pub call_id: Option<String>,
    /// What happens when it needs somebody's yes.
    pub when_asked: WhenAsked,
    /// Whether who calls may change settings. Anybody else has what people have who are not the owner, and is asked
    /// about as they are.
    pub is_admin: bool,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Invoked {
    /// It ran; failing is an answer too.
    Ran(ToolOutcome),
    /// There is no such tool in this conversation.
    NotOffered,
    /// It was not run because nobody said yes; the reasons are for a person.
    NotAllowed(String),
    /// It took too long and was stopped.
    TimedOut,
}

impl TurnSetup {
    /// Calls a tool as an agent in the conversation would. Cancelling stops it in order.
    ///
    /// # Errors
    /// When the conversation cannot be looked up.
    pub fn invoke(
        &self,
        call: Invocation,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Invoked, StoreError>> {
        async move {
            let inner = self.inner();
            let config = inner.config();
            let key = &call.session_key;
            let session = inner.store().sessions().get(key).await?;
            let entry = session.as_ref().map(|session| &session.entry);
            let agent = key
                .agent_id()
                .and_then(|id| config.agents.agent(id))
                .unwrap_or(config.agents.default_agent());
            let rooms = inner.reloadable();
            let model = chosen_model(&rooms.router, agent, entry);
            let operator = ChannelId::operator();
            let about = PolicySubject {
                key,
                sender: &Sender::Operator,
                channel: key.channel().unwrap_or(&operator),
                account: None,
                model: ModelName { provider: model.provider.as_str(), model: model.model.as_str() },
                session: entry,
                works_for: None,
                is_owner: true,
                passed_on: !call.is_admin,
                without_admin: !call.is_admin,
            };
            let policy = policy_for(&config, agent, &about);
            let name = canonical_name(&call.tool);
            let is_offered = rooms.tools.specs(&policy, &self.ports()).iter().any(|spec| spec.name == name);
            let Some(tool) = rooms.tools.get(&name).filter(|_| is_offered) else {
                return Ok(Invoked::NotOffered);
            };
            let takes_action = tool.spec().parameters.pointer("/properties/action").is_some();
            let skills = self.skills().for_turn(&config, agent).await;
            let exec = exec_rules(&config, agent, entry, inner.exec_policy());
            let taint = Taint::default();
            for label in self.labels_of(key).await? {
                taint.add(label);
            }
            if !call.is_admin {
                taint.add(Label::of_client_without_admin());
            }
            // Whoever calls reads the answer, and nobody else in the conversation.
            let mut asker = asker(&config, &about);
            if call.is_admin {
                asker.caller = Caller::Owner;
            }
            let desk = InvokedCall::new();
            let mut scope =
                (*taint::scope(self, &config, &taint, Granted::of(agent, key, &skills, exec, asker))).clone();
            scope.approvals = desk.approvals.clone();
            let id = call.call_id.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
            let (Ok(run_id), Ok(call_id)) = (RunId::parse(&format!("tool-{id}")), ToolCallId::parse(&id))
            else {
                return Ok(Invoked::Ran(ToolOutcome::error("the idempotency key cannot name a call")));
            };
            // No turn may have met the workspace yet.
            tokio::fs::create_dir_all(&agent.workspace).await.or_log("the workspace could not be made");
            let cx = ToolCx {
                workspace: sandbox::open(agent, key).await,
                session_key: call.session_key.clone(),
                run_id,
                call_id,
                cancel: cancel.clone(),
                progress: ProgressSender::nobody(),
                clock: inner.clock().clone(),
                scope: Arc::new(scope),
            };
            let arguments = with_action(call.arguments, call.action.filter(|_| takes_action));
            let limit = config.tools.exec.timeout.saturating_add(MARGIN);
            let running = rooms.tools.call(&policy, &name, arguments, &cx);
            let real = (call.when_asked == WhenAsked::Ask).then(|| self.approvals().clone());
            let answering = desk.answer(real, &cx);
            tokio::pin!(running, answering);
            let time_is_up = tokio::time::sleep(limit);
            let outcome = tokio::select! {
                biased;
                outcome = &mut running => Some(outcome),
                () = &mut answering => None,
                () = time_is_up => None,
            };
            self.prompt().forget(&cx.workspace);
            let Some(outcome) = outcome else {
                cancel.cancel();
                // It is given a moment to end in order; what it says then is of no interest.
                let _late = tokio::time::timeout(STOP_GRACE, running).await;
                return Ok(Invoked::TimedOut);
            };
            Ok(match desk.refused() {
                Some(why) if outcome.is_error => Invoked::NotAllowed(why),
                _ => Invoked::Ran(outcome),
            })
        }
        .boxed()
    }
}

/// The arguments with what the tool does, unless they say so themselves.
fn with_action(mut arguments: Value, action: Option<String>) -> Value {
    if let (Some(fields), Some(action)) = (arguments.as_object_mut(), action) {
        fields.entry("action").or_insert_with(|| json!(action));
    }
    arguments
}

/// The desk of one call.
struct InvokedCall {
    approvals: Approvals,
    asked: Arc<Notify>,
    refused: homard_runtime::Mutex<Option<String>>,
}

impl InvokedCall {
    fn new() -> Self {
        let (approvals, asked) = (Approvals::default(), Arc::new(Notify::new()));
        let bell = Arc::clone(&asked);
        approvals.subscribe(move |question| {
            if question.outcome.is_none() {
                bell.notify_one();
            }
        });
        Self { approvals, asked, refused: homard_runtime::Mutex::default() }
    }

    /// Answers what is asked, for ever: by asking those who may decide, or with no.
    async fn answer(&self, real: Option<Approvals>, cx: &ToolCx) {
        loop {
            self.asked.notified().await;
            for question in self.approvals.pending() {
                let outcome = match &real {
                    Some(real) => {
                        let request = question.request.clone();
                        real.ask(request, &cx.clock, ANSWER_WITHIN, &cx.cancel).await
                    }
                    None => ApprovalOutcome::NoRoute,
                };
                if let ApprovalOutcome::Said(verdict) = outcome {
                    // It cannot have been answered: nobody else knows this desk.
                    let _taken = self.approvals.resolve(&question.id, verdict, "operator");
                    if verdict != homard_protocol::methods::approvals::ApprovalDecision::Deny {
                        continue;
                    }
                } else {
                    self.approvals.expire(&question.id);
                }
                let why = question.request.reasons.join("; ");
                let why = format!("approval required for {}: {why}", question.request.tool);
                *self.refused.lock() = Some(why);
            }
        }
    }

    fn refused(&self) -> Option<String> {
        self.refused.lock().clone()
    }
}
