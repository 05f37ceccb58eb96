//! Lists beside the conversation that pages ask for on load: questions, suggestions, cards.
//!
//! Their rooms are not furnished, so each is truly empty. Asking is answered, because pages show an error
//! otherwise; the methods that would change something do not exist.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::id::AgentId;
use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::session_ref::SessionRef;

/// `question.list`: questions to the person that wait for an answer.
#[derive(Debug)]
pub struct QuestionList;

impl Method for QuestionList {
    const NAME: &'static str = "question.list";
    const ACCESS: Access = Access::Operator(Scope::Questions);
    const EMPTY: bool = true;
    type Params = NoParams;
    type Result = QuestionListResult;
}

/// Answer of [`QuestionList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct QuestionListResult {
    pub questions: Vec<Value>,
}

/// `taskSuggestions.list`: things the agent proposes to do.
#[derive(Debug)]
pub struct TaskSuggestionsList;

impl Method for TaskSuggestionsList {
    const NAME: &'static str = "taskSuggestions.list";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = OfSessionParams;
    type Result = TaskSuggestionsResult;
}

/// Parameters of methods that may be about one conversation.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct OfSessionParams {
    pub session_key: Option<SessionRef>,
    pub agent_id: Option<AgentId>,
}

/// Answer of [`TaskSuggestionsList`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct TaskSuggestionsResult {
    pub suggestions: Vec<Value>,
}

/// `progressCard.get`: what the agent says it has done and will do.
#[derive(Debug)]
pub struct ProgressCardGet;

impl Method for ProgressCardGet {
    const NAME: &'static str = "progressCard.get";
    const ACCESS: Access = Access::Operator(Scope::Read);
    const EMPTY: bool = true;
    type Params = InSessionParams;
    type Result = ProgressCardResult;
}

/// Parameters of methods that are about one conversation.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InSessionParams {
    pub session_key: SessionRef,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
}

/// Answer of [`ProgressCardGet`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProgressCardResult {
    /// `null` when there is none.
    pub card: Option<Value>,
}

/// `sessions.companion.state`: what was asked about a conversation beside it.
#[derive(Debug)]
pub struct SessionsCompanionState;

impl Method for SessionsCompanionState {
    const NAME: &'static str = "sessions.companion.state";
    const ACCESS: Access = Access::Sessions(Scope::Read);
    const EMPTY: bool = true;
    type Params = InSessionParams;
    type Result = CompanionStateResult;
}

/// Answer of [`SessionsCompanionState`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct CompanionStateResult {
    /// The questions and answers.
    pub exchanges: Vec<Value>,
}
