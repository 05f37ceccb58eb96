//! Where the result of a run goes, and recording that the run is over.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use homard_channel::Address;
use homard_config::Secret;
use homard_protocol::SessionKey;
use homard_protocol::events::{CronAction, CronEvent};
use homard_protocol::methods::cron::{
    CronDeliveryMode, CronDeliveryStatus, CronRunAction, CronRunEntry, CronRunStatus,
};
use homard_relay::{ActError, Place, Relay};
use homard_runtime::{Arrange as _, Backoff, Clip, OrCancel, OrLog};
use homard_store::{CronJobRow, CronRunRow, CronSettled, FinishCron};
use homard_tools::Label;
use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

use crate::automation::Automation;
use crate::job::Job;
use crate::run::{JobOutcome, RunPlan};
use crate::settle::{Alert, End, settle};

/// How long a webhook may take.
const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(10);
/// How much of an answer a list of runs shows, in characters.
const SUMMARY_CHARS: usize = 2_000;
/// How much of an answer is announced, in characters; the rest stays in the run's conversation.
const ANNOUNCED_CHARS: usize = 4_000;

/// When it is tried again to record the end of a run, at first and at most.
const RECORD_AGAIN: Duration = Duration::from_secs(1);
const RECORD_AGAIN_AT_MOST: Duration = Duration::from_secs(60);

/// What conversations are told, with what stands beside it.
type Notes = Vec<(SessionKey, String, Option<Value>)>;

/// What is recorded when a run is over.
#[derive(Debug, Clone)]
struct RunEnding {
    end: End,
    entry: CronRunEntry,
    notes: Notes,
    /// Filled in when it is recorded, if somebody is to be told that the job keeps failing.
    alert: Arc<OnceLock<Alert>>,
}

/// A client for webhooks, made on first use: a gateway starts without loading certificates.
#[derive(Debug, Default)]
pub(crate) struct Webhooks {
    client: OnceLock<Client>,
}

/// What became of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Delivery {
    status: CronDeliveryStatus,
    error: Option<String>,
    /// What a conversation is told: its people at once, its model with the next turn.
    note: Option<(SessionKey, String)>,
}

impl Delivery {
    fn plain(status: CronDeliveryStatus) -> Self {
        Self { status, error: None, note: None }
    }
}

impl Webhooks {
    /// Tells a program that a run is over.
    async fn post(&self, to: &str, token: Option<&Secret>, entry: &CronRunEntry) -> Result<(), String> {
        let client = match self.client.get() {
            Some(client) => client,
            None => {
                let made = homard_http::client().timeout(WEBHOOK_TIMEOUT).build();
                let made = made.map_err(|error| error.to_string())?;
                self.client.get_or_init(|| made)
            }
        };
        let body = serde_json::to_vec(&CronEvent::finished(entry)).map_err(|error| error.to_string())?;
        let mut request = client.post(to).header(CONTENT_TYPE, "application/json").body(body);
        if let Some(token) = token {
            request = request.bearer_auth(token.expose());
        }
        match request.send().await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(format!("the webhook answered {}", answer.status())),
            // The address may hold a secret.
            Err(error) => Err(format!("the webhook could not be reached: {}", error.without_url())),
        }
    }
}

impl Automation {
    /// Delivers what came of a run, then records its end and tells everyone.
    pub(crate) async fn finish_run(&self, run: &CronRunRow, plan: &RunPlan, outcome: JobOutcome) {
        let ended_at = self.inner.clock.now_ms();
        let mut entry = entry(run, &outcome, ended_at);
        let delivery = self.deliver(run, plan, &outcome, &entry).await;
        entry.delivery_status = Some(delivery.status);
        entry.delivered = match delivery.status {
            CronDeliveryStatus::Delivered => Some(true),
            CronDeliveryStatus::NotDelivered => Some(false),
            CronDeliveryStatus::Unknown | CronDeliveryStatus::NotRequested => None,
        };
        entry.delivery_error.clone_from(&delivery.error);
        let end = End {
            started_at: run.started_at,
            ended_at,
            status: outcome.status,
            error: outcome.error.clone(),
            delivery: delivery.status,
            delivery_error: delivery.error.clone(),
        };
        let beside = Label::beside(None, &plan.labels);
        let mut notes: Notes = Vec::new();
        notes.extend(outcome.waits.map(|text| (run.session_key.clone(), text, beside)));
        let mut news = None;
        if let Some((key, text)) = delivery.note {
            let said = outcome.reply.as_deref().unwrap_or_default().trim();
            news = Some((
                key.clone(),
                format!("**{}**\n\n{}", run.job_name, said.ellipsis_after(ANNOUNCED_CHARS)),
            ));
            // What a run read is in what it says.
            let labels = self.inner.relay.setup().labels_of(&run.session_key).await;
            let mut labels =
                labels.or_log("whose words a job's result is made of is not known").unwrap_or_default();
            labels.extend(plan.labels.iter().cloned());
            labels.arrange();
            labels.dedup();
            notes.push((key, text, Label::beside(None, &labels)));
        }
        let ending = RunEnding { end, entry, notes, alert: Arc::default() };
        if let Some((run, job)) = record_end(self, run, plan, &ending).await {
            // Whoever hears of the end finds it there.
            if let Some((key, text)) = news {
                let told = self.inner.relay.sessions().tell_readers(&key, text).await;
                told.or_log("a job's result is not shown in its conversation");
            }
            self.told(&run, job.as_ref());
            if let Some(alert) = ending.alert.get() {
                tell_alert(&self.inner.relay, &run, plan, alert).await;
            }
        }
        self.inner.changed.notify_one();
    }

    /// The end of a run, as the store records it.
    fn settled_by(&self, run: &CronRunRow, plan: &RunPlan, ending: RunEnding) -> FinishCron {
        let (alert, zone, main) = (self.config().cron.failure_alert, self.zone(), plan.main.clone());
        let beside = Label::beside(None, &plan.labels);
        let RunEnding { end, mut entry, mut notes, alert: told } = ending;
        let settle = Box::new(move |run: &mut CronRunRow, row: Option<&mut CronJobRow>| {
            let mut forget = false;
            if let Some(row) = row
                && let Ok(mut job) = Job::read(row.clone())
            {
                let follows = settle(&mut job, &end, alert, &zone);
                forget = follows.forget;
                // The name of a job may be words of others, too.
                notes.extend(follows.alert.as_ref().map(|alert| (main, alert.text.clone(), beside)));
                if let Some(alert) = follows.alert {
                    told.get_or_init(|| alert);
                }
                entry.next_run_at_ms = job.state.next_run_at_ms;
                *row = job.to_row();
            }
            run.ended_at = Some(end.ended_at);
            run.status = Some(end.status.as_str().to_owned());
            run.delivery_status = Some(end.delivery.as_str().to_owned());
            run.summary.clone_from(&entry.summary);
            run.error.clone_from(&entry.error);
            run.entry = serde_json::to_string(&entry).ok();
            CronSettled { forget, notes }
        });
        FinishCron { run_id: run.run_id.clone(), settle }
    }

    /// Tells everyone that a run is over, and that its job is gone if it is.
    fn told(&self, run: &CronRunRow, job: Option<&CronJobRow>) {
        let entry = run.entry.as_deref().and_then(|entry| serde_json::from_str::<CronRunEntry>(entry).ok());
        if let Some(entry) = entry {
            tracing::info!(job = %run.job_id, run = %run.run_id, status = ?entry.status, error = ?entry.error, "a job's run is over");
            let job = job.and_then(|row| Job::read(row.clone()).ok());
            let event = CronEvent {
                job: job.map(|job| Box::new(job.to_wire(&self.config()))),
                ..CronEvent::finished(&entry)
            };
            self.inner.bus.publish(&event);
        }
        if job.is_none() {
            self.inner.bus.publish(&CronEvent::about(run.job_id.clone(), CronAction::Removed));
        }
    }

    async fn deliver(
        &self,
        run: &CronRunRow,
        plan: &RunPlan,
        outcome: &JobOutcome,
        entry: &CronRunEntry,
    ) -> Delivery {
        let Some(delivery) = &plan.delivery else { return Delivery::plain(CronDeliveryStatus::NotRequested) };
        if let Some(also) = &delivery.completion_destination {
            let _told = self.post(&also.to, entry).await;
        }
        match delivery.mode {
            CronDeliveryMode::None => Delivery::plain(CronDeliveryStatus::NotRequested),
            CronDeliveryMode::Webhook => self.post(delivery.to.as_deref().unwrap_or_default(), entry).await,
            CronDeliveryMode::Announce => self.announce(run, plan, outcome).await,
        }
    }

    /// Where a chat platform carries the result, and questions on the way to it; `None` where none does.
    pub(crate) async fn route(&self, plan: &RunPlan) -> Result<Option<Address>, ActError> {
        let announced = plan.delivery.as_ref().filter(|delivery| delivery.mode == CronDeliveryMode::Announce);
        let Some(delivery) = announced else { return Ok(None) };
        let place = Place {
            channel: delivery.channel.clone(),
            target: delivery.to.clone(),
            account: delivery.account_id.clone(),
            thread: delivery.thread_id.as_ref().map(thread_text),
        };
        self.inner.relay.messages().destination_of(&place, &plan.main).await
    }

    /// Says the result on a chat platform; without one it is shown in the main conversation, and that is what is said.
    async fn announce(&self, run: &CronRunRow, plan: &RunPlan, outcome: &JobOutcome) -> Delivery {
        let said = outcome.reply.as_deref().map(str::trim).filter(|reply| !reply.is_empty());
        let (CronRunStatus::Ok, Some(said)) = (outcome.status, said) else {
            return announce(run, plan, outcome);
        };
        let relay = &self.inner.relay;
        let failed = |error: String| Delivery { error: Some(error), ..announce(run, plan, outcome) };
        let address = match self.route(plan).await {
            Ok(Some(address)) => address,
            Ok(None) => return announce(run, plan, outcome),
            Err(error) => return failed(error.to_string()),
        };
        let key = format!("cron:{}", run.run_id);
        match relay.messages().say_unasked(address, said.to_owned(), &plan.main, key).await {
            Ok(acted) if acted.pending => Delivery::plain(CronDeliveryStatus::Unknown),
            Ok(_) => Delivery::plain(CronDeliveryStatus::Delivered),
            Err(error) => {
                tracing::warn!(%error, job = %run.job_id, "a job's result could not be announced");
                failed(error.to_string())
            }
        }
    }

    async fn post(&self, to: &str, entry: &CronRunEntry) -> Delivery {
        let config = self.config();
        match self.inner.outside.webhooks.post(to, config.cron.webhook_token.as_ref(), entry).await {
            Ok(()) => Delivery::plain(CronDeliveryStatus::Delivered),
            Err(error) => {
                tracing::warn!(%error, job = %entry.job_id, "a webhook was not told about a run");
                Delivery { error: Some(error), ..Delivery::plain(CronDeliveryStatus::NotDelivered) }
            }
        }
    }
}

/// Tells the owner that a job keeps failing: where its rule says, else where the main conversation was last spoken to,
/// and in the main conversation in any case.
async fn tell_alert(relay: &Relay, run: &CronRunRow, plan: &RunPlan, alert: &Alert) {
    let shown = relay.sessions().tell_readers(&plan.main, alert.text.clone()).await;
    shown.or_log("that a job keeps failing is not shown");
    let place = Place {
        channel: alert.place.channel.clone(),
        target: alert.place.to.clone(),
        account: alert.place.account.clone(),
        thread: None,
    };
    let messages = relay.messages();
    let found = messages.destination_of(&place, &plan.main).await;
    let Some(address) = found.or_log("that a job keeps failing is told nowhere else").flatten() else {
        return;
    };
    let key = format!("cron-alert:{}", run.run_id);
    let said = messages.say_unasked(address, alert.text.clone(), &plan.main, key).await;
    said.or_log("that a job keeps failing could not be sent");
}

/// Records the end of a run, however long that takes: a job whose run does not end never runs again. When the gateway
/// stops first, the next start does it.
async fn record_end(
    room: &Automation,
    run: &CronRunRow,
    plan: &RunPlan,
    ending: &RunEnding,
) -> Option<(CronRunRow, Option<CronJobRow>)> {
    let mut waits = Backoff::doubling(RECORD_AGAIN, RECORD_AGAIN_AT_MOST);
    loop {
        match room.inner.store.cron().finish_run(room.settled_by(run, plan, ending.clone())).await {
            Ok(done) => return done,
            Err(error) => {
                tracing::error!(%error, run = %run.run_id, "the end of a job's run is not recorded yet");
            }
        }
        let wait = tokio::time::sleep(waits.step());
        wait.or_cancel(&room.inner.stopping).await.ok()?;
    }
}

fn thread_text(thread: &Value) -> String {
    match thread {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Where no chat platform carries it, a result is shown in the main conversation, and that is what is said.
fn announce(run: &CronRunRow, plan: &RunPlan, outcome: &JobOutcome) -> Delivery {
    let said = outcome.reply.as_deref().map(str::trim).filter(|reply| !reply.is_empty());
    let (CronRunStatus::Ok, Some(said)) = (outcome.status, said) else {
        return Delivery::plain(CronDeliveryStatus::NotRequested);
    };
    if run.session_key == plan.main {
        // Whoever reads the conversation has read it.
        return Delivery::plain(CronDeliveryStatus::Delivered);
    }
    let shown = said.ellipsis_after(ANNOUNCED_CHARS);
    let text = format!("The scheduled job \"{}\" ({}) says: {shown}", run.job_name, run.job_id);
    let error = format!("no chat platform is connected; the result is shown in {}", plan.main);
    Delivery {
        status: CronDeliveryStatus::NotDelivered,
        error: Some(error),
        note: Some((plan.main.clone(), text)),
    }
}

fn entry(run: &CronRunRow, outcome: &JobOutcome, ended_at: i64) -> CronRunEntry {
    let said = outcome.reply.as_deref().or(outcome.waits.as_deref());
    CronRunEntry {
        ts: ended_at,
        job_id: run.job_id.clone(),
        action: CronRunAction::Finished,
        status: Some(outcome.status),
        error: outcome.error.clone(),
        summary: said.map(|said| said.trim().ellipsis_after(SUMMARY_CHARS)).filter(|said| !said.is_empty()),
        delivered: None,
        delivery_status: None,
        delivery_error: None,
        session_id: outcome.session_id.clone(),
        session_key: Some(run.session_key.to_string()),
        run_id: Some(run.run_id.clone()),
        run_at_ms: Some(run.started_at),
        duration_ms: Some(ended_at.saturating_sub(run.started_at)),
        next_run_at_ms: None,
        model: outcome.model.clone(),
        provider: outcome.provider.clone(),
        usage: outcome.usage,
        job_name: Some(run.job_name.clone()),
    }
}

#[cfg(test)]
mod tests;
