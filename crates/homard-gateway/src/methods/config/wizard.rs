//! `wizard.*`.

use crate::error::RequestError;
use homard_protocol::methods::config::wizard::{
    WizardCancelParams, WizardNextParams, WizardSessionParams, WizardStartParams, WizardStarted, WizardState,
    WizardTurn,
};
use serde_json::json;

use crate::table::Cx;
use crate::wizard::{AndThen, WizardRefusal};

/// When to ask again while another setup is in progress, in milliseconds.
const BUSY_RETRY_MS: u64 = 1_000;

/// `wizard.start`.
pub(crate) async fn start(cx: Cx, params: WizardStartParams) -> Result<WizardStarted, RequestError> {
    cx.gateway.wizard().start(&params, auth(&cx)).await.map_err(refused)
}

/// `wizard.next`.
pub(crate) async fn next(cx: Cx, params: WizardNextParams) -> Result<WizardTurn, RequestError> {
    let turn = cx.gateway.wizard().next(&params.session_id, params.answer.as_ref(), auth(&cx));
    turn.await.map_err(refused)
}

/// `wizard.cancel`.
pub(crate) async fn cancel(cx: Cx, params: WizardCancelParams) -> Result<WizardState, RequestError> {
    cx.gateway.wizard().state(&params.session_id, AndThen::Cancel).await.map_err(refused)
}

/// `wizard.status`.
pub(crate) async fn status(cx: Cx, params: WizardSessionParams) -> Result<WizardState, RequestError> {
    cx.gateway.wizard().state(&params.session_id, AndThen::GoOn).await.map_err(refused)
}

fn auth(cx: &Cx) -> &'static str {
    cx.gateway.access().rules().auth.mode().as_str()
}

fn refused(refusal: WizardRefusal) -> RequestError {
    let words = refusal.to_string();
    match refusal {
        WizardRefusal::Remote | WizardRefusal::NotAsked | WizardRefusal::NoSuchChannel => {
            RequestError::invalid(words)
        }
        WizardRefusal::Busy => RequestError::unavailable(words)
            .with_details(json!({"code": "SETUP_ADMISSION_BUSY"}))
            .retry_after(BUSY_RETRY_MS),
        WizardRefusal::NotFound => {
            RequestError::invalid(words).with_details(json!({"code": "WIZARD_NOT_FOUND"}))
        }
    }
}
