//! Where the loop asks the filters of its turn's [`HookPoints`](homard_tools::HookPoints): around calls of the model and
//! compactions. Those around calls of tools are asked where tools are called, past the gate.

use homard_llm::{FailReason, LlmError};
use homard_protocol::AssistantMessage;
use homard_tools::{HookAbout, HookPoint, HookValue};

use crate::compaction::Trigger;
use crate::turn::Turn;

/// Asks whether the model may be asked.
pub(crate) async fn before_call(turn: &Turn) -> Result<(), LlmError> {
    let hooks = &turn.scope.hooks;
    if hooks.is_quiet(HookPoint::BeforeModelCall) {
        return Ok(());
    }
    let model = model_of(turn);
    let permitted = hooks.permit(HookPoint::BeforeModelCall, about(turn, &model)).await;
    permitted.map_err(|refusal| LlmError::new(FailReason::Refusal, format!("not asked: {refusal}")))
}

/// Shows what it answered.
pub(crate) async fn after_call(turn: &Turn, answer: &AssistantMessage) {
    let hooks = &turn.scope.hooks;
    if !hooks.is_quiet(HookPoint::AfterModelCall) {
        let (model, words) = (model_of(turn), || HookValue::Text(answer.text()));
        hooks.watch(HookPoint::AfterModelCall, about(turn, &model), words).await;
    }
}

/// The beginning of the conversation is about to be summarised.
pub(crate) async fn before_compaction(turn: &Turn, trigger: Trigger) {
    let about = about(turn, trigger.as_str());
    turn.scope.hooks.watch(HookPoint::BeforeCompaction, about, || HookValue::Nothing).await;
}

/// It was, and this stands for it now.
pub(crate) async fn after_compaction(turn: &Turn, trigger: Trigger, summary: &str) {
    let about = about(turn, trigger.as_str());
    let summary = || HookValue::Text(summary.to_owned());
    turn.scope.hooks.watch(HookPoint::AfterCompaction, about, summary).await;
}

fn model_of(turn: &Turn) -> String {
    format!("{}/{}", turn.model.provider.id(), turn.model.model.id)
}

fn about<'t>(turn: &'t Turn, subject: &'t str) -> HookAbout<'t> {
    HookAbout { session: Some(&turn.session_key), run: Some(&turn.run_id), subject: Some(subject) }
}
