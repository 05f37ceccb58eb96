//! `cron.*`: the room that runs jobs, as clients reach it.

use homard_automation::CronError;
use homard_protocol::ErrorShape;
use homard_protocol::method::NoParams;
use homard_protocol::methods::cron::{
    CronAddParams, CronAddResult, CronJob, CronJobParams, CronListParams, CronListResult, CronPreviewParams,
    CronPreviewResult, CronRemoveResult, CronRunParams, CronRunResult, CronRunsParams, CronRunsResult,
    CronStatusResult, CronUpdateParams, MAX_CRON_LIMIT, MAX_PREVIEW_RUNS,
};

use super::check_range;
use crate::error;
use crate::table::Cx;

/// `cron.list`.
pub(super) async fn list(cx: Cx, params: CronListParams) -> Result<CronListResult, ErrorShape> {
    check_range("cron.list", "limit", params.limit, 1..=MAX_CRON_LIMIT)?;
    cx.gateway.automation().jobs().list(params).await.map_err(|e| refused("cron.list", &e))
}

/// `cron.get`.
pub(super) async fn get(cx: Cx, params: CronJobParams) -> Result<CronJob, ErrorShape> {
    cx.gateway.automation().jobs().get(params.id, params.job_id).await.map_err(|e| refused("cron.get", &e))
}

/// `cron.status`.
pub(super) async fn status(cx: Cx, _params: NoParams) -> Result<CronStatusResult, ErrorShape> {
    let status = cx.gateway.automation().jobs().status().await.map_err(|e| refused("cron.status", &e))?;
    let path = cx.gateway.config().source().paths.database().display().to_string();
    let path = if cx.caller.is_admin() { path } else { String::new() };
    Ok(CronStatusResult { store_path: path.clone(), sqlite_path: path, ..status })
}

/// `cron.add`.
pub(super) async fn add(cx: Cx, params: CronAddParams) -> Result<CronAddResult, ErrorShape> {
    cx.gateway.automation().jobs().add(params, Vec::new()).await.map_err(|e| refused("cron.add", &e))
}

/// `cron.update`.
pub(super) async fn update(cx: Cx, params: CronUpdateParams) -> Result<CronJob, ErrorShape> {
    cx.gateway.automation().jobs().update(params, Vec::new()).await.map_err(|e| refused("cron.update", &e))
}

/// `cron.preview`.
pub(super) async fn preview(cx: Cx, params: CronPreviewParams) -> Result<CronPreviewResult, ErrorShape> {
    check_range("cron.preview", "count", params.count, 1..=MAX_PREVIEW_RUNS)?;
    cx.gateway.automation().jobs().preview(params).await.map_err(|e| refused("cron.preview", &e))
}

/// `cron.remove`.
pub(super) async fn remove(cx: Cx, params: CronJobParams) -> Result<CronRemoveResult, ErrorShape> {
    cx.gateway
        .automation()
        .jobs()
        .remove(params.id, params.job_id)
        .await
        .map_err(|e| refused("cron.remove", &e))
}

/// `cron.run`.
pub(super) async fn run(cx: Cx, params: CronRunParams) -> Result<CronRunResult, ErrorShape> {
    cx.gateway.automation().jobs().run(params).await.map_err(|e| refused("cron.run", &e))
}

/// `cron.runs`.
pub(super) async fn runs(cx: Cx, params: CronRunsParams) -> Result<CronRunsResult, ErrorShape> {
    check_range("cron.runs", "limit", params.limit, 1..=MAX_CRON_LIMIT)?;
    cx.gateway.automation().jobs().runs(params).await.map_err(|e| refused("cron.runs", &e))
}

/// Why a request about jobs was refused.
fn refused(method: &str, error: &CronError) -> ErrorShape {
    match error {
        CronError::Store(inner) => error::store(inner),
        CronError::Unreadable(_) => {
            tracing::error!(%error, method, "a job is not readable");
            ErrorShape::unavailable(error.to_string())
        }
        CronError::Invalid(_) | CronError::Schedule(_) => {
            ErrorShape::invalid(format!("invalid {method} params: {error}"))
        }
        CronError::UnknownJob(_) | CronError::Changed | CronError::TooMany => {
            ErrorShape::invalid(error.to_string())
        }
    }
}
