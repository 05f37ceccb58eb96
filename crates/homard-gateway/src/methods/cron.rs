//! `cron.list`, `cron.runs` and `cron.status`: there is no scheduler yet, and that is what they say.

use homard_protocol::ErrorShape;
use homard_protocol::method::NoParams;
use homard_protocol::methods::cron::{
    CronListResult, CronPageParams, CronRunsResult, CronStatusResult, MAX_CRON_LIMIT,
};

use super::check_range;
use crate::table::Cx;

/// How many a page holds unless told otherwise.
const DEFAULT_LIMIT: u32 = 50;
/// The revision of no jobs at all.
const NO_JOBS: &str = "empty";

/// `cron.list`.
pub(super) async fn list(_cx: Cx, params: CronPageParams) -> Result<CronListResult, ErrorShape> {
    check_range("cron.list", "limit", params.limit, 1..=MAX_CRON_LIMIT)?;
    Ok(CronListResult {
        jobs: Vec::new(),
        total: 0,
        offset: params.offset.unwrap_or(0),
        limit: params.limit.unwrap_or(DEFAULT_LIMIT),
        has_more: false,
        next_offset: None,
        snapshot_revision: NO_JOBS.to_owned(),
    })
}

/// `cron.runs`.
pub(super) async fn runs(_cx: Cx, params: CronPageParams) -> Result<CronRunsResult, ErrorShape> {
    check_range("cron.runs", "limit", params.limit, 1..=MAX_CRON_LIMIT)?;
    Ok(CronRunsResult {
        entries: Vec::new(),
        total: 0,
        offset: params.offset.unwrap_or(0),
        limit: params.limit.unwrap_or(DEFAULT_LIMIT),
        has_more: false,
        next_offset: None,
    })
}

/// `cron.status`.
pub(super) async fn status(cx: Cx, _params: NoParams) -> Result<CronStatusResult, ErrorShape> {
    let path = cx.gateway.config().source().paths.database().display().to_string();
    let path = if cx.caller.is_admin() { path } else { String::new() };
    Ok(CronStatusResult {
        enabled: false,
        triggers_enabled: false,
        store_path: path.clone(),
        storage: "sqlite".to_owned(),
        sqlite_path: path,
        jobs: 0,
        next_wake_at_ms: None,
    })
}
