//! `wizard.*`: setting a gateway up by answering questions, one at a time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::skip_serializing_none;

use crate::method::{Access, Method};
use crate::scope::Scope;

/// `wizard.start`.
#[derive(Debug)]
pub struct WizardStart;

impl Method for WizardStart {
    const NAME: &'static str = "wizard.start";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = WizardStartParams;
    type Result = WizardStarted;
}

/// `wizard.next`.
#[derive(Debug)]
pub struct WizardNext;

impl Method for WizardNext {
    const NAME: &'static str = "wizard.next";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = WizardNextParams;
    type Result = WizardTurn;
}

/// `wizard.cancel`.
#[derive(Debug)]
pub struct WizardCancel;

impl Method for WizardCancel {
    const NAME: &'static str = "wizard.cancel";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = WizardCancelParams;
    type Result = WizardState;
}

/// `wizard.status`.
#[derive(Debug)]
pub struct WizardStatus;

impl Method for WizardStatus {
    const NAME: &'static str = "wizard.status";
    const ACCESS: Access = Access::Operator(Scope::Admin);
    type Params = WizardSessionParams;
    type Result = WizardState;
}

/// Parameters of [`WizardStart`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct WizardStartParams {
    /// Which kind of gateway; only a local one can be set up.
    pub mode: Option<WizardMode>,
    /// Where the default agent works.
    pub workspace: Option<String>,
    /// Start with the machine; taken and not used.
    pub install_daemon: Option<bool>,
    /// What to set up.
    pub flow: Option<WizardFlow>,
    /// Which platform, for [`WizardFlow::Channels`].
    pub channel: Option<String>,
}

/// Which kind of gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WizardMode {
    Local,
    Remote,
}

/// What to set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WizardFlow {
    /// The gateway and its model.
    Setup,
    Channels,
}

/// Parameters of [`WizardNext`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WizardNextParams {
    pub session_id: String,
    /// The answer to its question; without one the question is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<WizardAnswer>,
}

/// An answer. `Debug` hides it: it may be a key.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WizardAnswer {
    pub step_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl std::fmt::Debug for WizardAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WizardAnswer").field("step_id", &self.step_id).finish_non_exhaustive()
    }
}

/// Parameters of [`WizardCancel`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WizardCancelParams {
    pub session_id: String,
    /// Taken; a question that waits is over in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_input: Option<bool>,
}

/// Which wizard.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WizardSessionParams {
    /// As the start named it.
    pub session_id: String,
}

/// How far a wizard is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WizardPhase {
    Running,
    Done,
    Cancelled,
    /// It could not go on.
    Error,
}

/// Answer of [`WizardStatus`] and [`WizardCancel`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WizardState {
    /// How far it is.
    pub status: WizardPhase,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Answer of [`WizardNext`].
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WizardTurn {
    /// Whether there is no further question.
    pub done: bool,
    pub step: Option<WizardStep>,
    /// How far it is.
    pub status: WizardPhase,
    /// What is wrong with the last answer; the question is asked again.
    pub error: Option<String>,
}

/// Answer of [`WizardStart`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WizardStarted {
    /// What to name it from now on.
    pub session_id: String,
    #[serde(flatten)]
    pub turn: WizardTurn,
}

/// One question.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WizardStep {
    /// What an answer names.
    pub id: String,
    /// How it is answered.
    #[serde(rename = "type")]
    pub kind: WizardStepKind,
    pub title: Option<String>,
    pub message: Option<String>,
    /// What can be answered.
    pub options: Option<Vec<WizardOption>>,
    /// What is answered most often.
    pub initial_value: Option<Value>,
    /// What to show where nothing is typed yet.
    pub placeholder: Option<String>,
    /// Whether what is typed must not be shown.
    pub sensitive: Option<bool>,
    /// Who acts: always the `client`, which asks the person.
    pub executor: String,
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WizardStepKind {
    Note,
    /// With one of the options.
    Select,
    Text,
    /// With yes or no.
    Confirm,
}

/// One possible answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WizardOption {
    pub value: Value,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
