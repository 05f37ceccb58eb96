//! What clients see: jobs, runs, and whether anything runs at all.

use homard_protocol::JobId;
use homard_protocol::methods::cron::{
    CronEnabledFilter, CronJob, CronListParams, CronListResult, CronRunEntry, CronRunsParams, CronRunsResult,
    CronRunsScope, CronSchedule, CronScheduleFilter, CronSortBy, CronSortDir, CronStatusFilter,
    CronStatusResult, CronTriggerFilter,
};
use homard_runtime::{Arrange as _, CollectOrdered as _, OrLog, hex};
use homard_store::{CronRunQuery, StoreError};
use sha2::{Digest, Sha256};

use crate::automation::{CronError, Jobs};
use crate::changes::wanted_id;
use crate::job::Job;

/// How many a page holds unless told otherwise.
const DEFAULT_LIMIT: u32 = 50;

impl Jobs<'_> {
    /// All jobs that can be read.
    async fn all(self) -> Result<Vec<Job>, StoreError> {
        let rows = self.room.inner.store.cron().list().await?;
        Ok(rows.into_iter().filter_map(|row| Job::read(row).or_log("a job is not readable")).collect())
    }

    /// Jobs that fit a question, in its order.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list(self, params: CronListParams) -> Result<CronListResult, CronError> {
        let config = self.room.config();
        let mut jobs = self.all().await?;
        let made_in = params.session_key.as_ref().map(|key| {
            let agent = params.session_agent_id.as_ref().unwrap_or(&config.agents.default_agent().id);
            key.of(agent).map_or_else(|_odd| key.to_string(), |key| key.to_string())
        });
        jobs.retain(|job| {
            let of_agent = params.agent_id.as_ref().is_none_or(|id| job.agent(&config) == *id);
            let of_session = made_in.as_ref().is_none_or(|key| job.spec.session_key.as_ref() == Some(key));
            of_agent && of_session && fits(job, &params)
        });
        sort(&mut jobs, params.sort_by.unwrap_or_default(), params.sort_dir);
        let total = jobs.len() as u64;
        let (offset, limit) = (params.offset.unwrap_or(0), params.limit.unwrap_or(DEFAULT_LIMIT));
        let page: Vec<Job> = jobs
            .iter()
            .skip(usize::try_from(offset).unwrap_or(usize::MAX))
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .cloned()
            .collect();
        let end = offset.saturating_add(page.len() as u64);
        let previews = params.include_delivery_previews.unwrap_or(true);
        let previews =
            previews.then(|| page.iter().map(|job| (job.row.id.clone(), job.preview(&config))).collect_map());
        Ok(CronListResult {
            snapshot_revision: snapshot(&jobs),
            jobs: page.iter().map(|job| job.to_wire(&config)).collect(),
            total,
            offset,
            limit,
            has_more: end < total,
            next_offset: (end < total).then_some(end),
            delivery_previews: previews,
        })
    }

    /// One job.
    ///
    /// # Errors
    /// When there is none, or the store fails.
    pub async fn get(self, id: Option<JobId>, job_id: Option<JobId>) -> Result<CronJob, CronError> {
        let id = wanted_id(id, job_id)?;
        let row = self.room.inner.store.cron().get(&id).await?;
        Ok(Job::read(row.ok_or(CronError::UnknownJob(id))?)?.to_wire(&self.room.config()))
    }

    /// Whether jobs run by themselves, how many there are, and when the next is due. Paths are for the caller to fill
    /// in.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn status(self) -> Result<CronStatusResult, CronError> {
        let enabled = self.room.config().cron.enabled;
        let next = self.room.inner.store.cron().next_due(None).await?;
        Ok(CronStatusResult {
            enabled,
            triggers_enabled: false,
            store_path: String::new(),
            storage: "sqlite".to_owned(),
            sqlite_path: String::new(),
            jobs: self.room.inner.store.cron().list().await?.len() as u64,
            next_wake_at_ms: next.filter(|_| enabled),
        })
    }

    /// Runs that are over.
    ///
    /// # Errors
    /// When one job's are asked for and none is named, or the store fails.
    pub async fn runs(self, params: CronRunsParams) -> Result<CronRunsResult, CronError> {
        let job_id = params.id.or(params.job_id);
        if params.scope == Some(CronRunsScope::Job) && job_id.is_none() {
            return Err(CronError::invalid("at root: must have required property 'id' when scope is job"));
        }
        let mut statuses: Vec<String> = params
            .statuses
            .unwrap_or_default()
            .into_iter()
            .map(|status| status.as_str().to_owned())
            .collect();
        statuses.extend(match params.status {
            Some(CronStatusFilter::Ok) => Some("ok".to_owned()),
            Some(CronStatusFilter::Error) => Some("error".to_owned()),
            Some(CronStatusFilter::Skipped) => Some("skipped".to_owned()),
            Some(CronStatusFilter::All | CronStatusFilter::Unknown) | None => None,
        });
        let delivery = params.delivery_statuses.unwrap_or_default().into_iter().chain(params.delivery_status);
        let (limit, offset) = (params.limit.unwrap_or(DEFAULT_LIMIT), params.offset.unwrap_or(0));
        let query = CronRunQuery {
            job_id: job_id.filter(|_| params.scope != Some(CronRunsScope::All)),
            agent_id: params.agent_id,
            run_id: params.run_id,
            statuses,
            delivery_statuses: delivery.map(|status| status.as_str().to_owned()).collect(),
            text: params.query.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
            ascending: params.sort_dir == Some(CronSortDir::Asc),
            limit,
            offset,
        };
        let page = self.room.inner.store.cron().runs(query).await?;
        let end = offset.saturating_add(page.runs.len() as u64);
        let entries = page.runs.iter().filter_map(|run| {
            serde_json::from_str::<CronRunEntry>(run.entry.as_deref()?)
                .or_log("a run's entry is not readable")
        });
        Ok(CronRunsResult {
            entries: entries.collect(),
            total: page.total,
            offset,
            limit,
            has_more: end < page.total,
            next_offset: (end < page.total).then_some(end),
        })
    }
}

fn fits(job: &Job, params: &CronListParams) -> bool {
    let with_disabled = params.include_disabled.unwrap_or(false);
    let enabled = match params.enabled {
        Some(CronEnabledFilter::All) => true,
        Some(CronEnabledFilter::Enabled) => job.enabled(),
        Some(CronEnabledFilter::Disabled) => !job.enabled(),
        None => with_disabled || job.enabled(),
    };
    let kind = match &job.spec.schedule {
        CronSchedule::At { .. } => CronScheduleFilter::At,
        CronSchedule::Every { .. } => CronScheduleFilter::Every,
        CronSchedule::Cron { .. } => CronScheduleFilter::Cron,
        CronSchedule::OnExit { .. } => CronScheduleFilter::OnExit,
        CronSchedule::Stream { .. } => CronScheduleFilter::Stream,
    };
    let kind_fits =
        params.schedule_kind.is_none_or(|wanted| wanted == CronScheduleFilter::All || wanted == kind);
    let last = job.state.last_run_status.map(|status| status.as_str());
    let last_fits = match params.last_run_status {
        None | Some(CronStatusFilter::All) => true,
        Some(CronStatusFilter::Ok) => last == Some("ok"),
        Some(CronStatusFilter::Error) => last == Some("error"),
        Some(CronStatusFilter::Skipped) => last == Some("skipped"),
        Some(CronStatusFilter::Unknown) => last.is_none(),
    };
    // No job has a condition.
    let trigger_fits = params.trigger != Some(CronTriggerFilter::Conditional);
    enabled && kind_fits && last_fits && trigger_fits && says(job, params.query.as_deref())
}

/// Whether a job's words hold what is looked for.
fn says(job: &Job, query: Option<&str>) -> bool {
    let Some(query) = query.map(|query| query.trim().to_lowercase()).filter(|query| !query.is_empty()) else {
        return true;
    };
    let spec = &job.spec;
    let mut words = vec![job.row.id.to_string(), spec.name.clone()];
    words.extend(spec.display_name.iter().chain(&spec.description).cloned());
    words.push(homard_runtime::json::to_text(&spec.payload));
    words.iter().any(|text| text.to_lowercase().contains(&query))
}

fn sort(jobs: &mut [Job], by: CronSortBy, dir: Option<CronSortDir>) {
    match by {
        CronSortBy::NextRunAtMs => jobs.arrange_by_key(|job| job.state.next_run_at_ms.unwrap_or(i64::MAX)),
        CronSortBy::UpdatedAtMs => jobs.arrange_by_key(|job| job.row.updated_at),
        CronSortBy::Name => jobs.sort_by_cached_key(|job| job.spec.name.to_lowercase()),
    }
    if dir == Some(CronSortDir::Desc) {
        jobs.reverse();
    }
}

/// Names a list of jobs; another one has another name.
fn snapshot(jobs: &[Job]) -> String {
    let mut hasher = Sha256::new();
    for job in jobs {
        hasher.update(job.row.id.as_str().as_bytes());
        hasher.update(job.row.updated_at.to_be_bytes());
    }
    let digest = hex(hasher.finalize().iter().take(16));
    format!("sha256:{digest}")
}
