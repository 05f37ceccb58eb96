//! `wizard.*`.

use crate::error::RequestError;
use homard_protocol::methods::config::wizard::{
    WizardCancelParams, WizardNextParams, WizardSessionParams, WizardStartParams, WizardStarted, WizardState,
    WizardTurn,
};

use crate::table::Cx;

/// `wizard.start`.
pub(crate) async fn start(cx: Cx, params: WizardStartParams) -> Result<WizardStarted, RequestError> {
    cx.gateway.wizards().start(&cx.gateway, &params).await
}

/// `wizard.next`.
pub(crate) async fn next(cx: Cx, params: WizardNextParams) -> Result<WizardTurn, RequestError> {
    cx.gateway.wizards().next(&cx.gateway, &params.session_id, params.answer.as_ref()).await
}

/// `wizard.cancel`.
pub(crate) async fn cancel(cx: Cx, params: WizardCancelParams) -> Result<WizardState, RequestError> {
    cx.gateway.wizards().cancel(&params.session_id).await
}

/// `wizard.status`.
pub(crate) async fn status(cx: Cx, params: WizardSessionParams) -> Result<WizardState, RequestError> {
    cx.gateway.wizards().status(&params.session_id).await
}
