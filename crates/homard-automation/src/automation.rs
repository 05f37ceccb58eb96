//! The handle: what the room is made of, how it starts and stops.

use std::sync::Arc;
use std::time::Duration;

use homard_config::{Config, ConfigHandle};
use homard_protocol::JobId;
use homard_protocol::events::{CronAction, CronEvent};
use homard_relay::{Bus, Relay};
use homard_runtime::{Clock, Mutex, Tasks};
use homard_store::{Store, StoreError};
use jiff::tz::TimeZone;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::heartbeat::{Beats, Heartbeats};
use crate::job::Job;
use crate::outside::WebhookParts;
use crate::places::Places;
use crate::schedule::ScheduleError;

/// Why a job was not made, changed or run.
#[derive(Debug, thiserror::Error)]
pub enum CronError {
    /// There is no such job.
    #[error("there is no job `{0}`; cron.list shows those there are")]
    UnknownJob(JobId),
    /// It does not make sense.
    #[error("{0}")]
    Invalid(String),
    /// Its schedule does not.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// It is no longer the job that was read.
    #[error("the job was changed meanwhile; read it again and repeat the change")]
    Changed,
    /// There are too many.
    #[error("there are {} jobs already; remove one first", homard_store::MAX_CRON_JOBS)]
    TooMany,
    /// A row of it cannot be read.
    #[error("the job is not readable: {0}")]
    Unreadable(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CronError {
    pub(crate) fn invalid(text: &str) -> Self {
        Self::Invalid(text.to_owned())
    }
}

/// What the room is made of.
#[derive(Debug)]
pub struct AutomationParts {
    pub config: ConfigHandle,
    pub store: Store,
    /// Where turns are run.
    pub relay: Relay,
    pub bus: Bus,
    /// Where the time comes from.
    pub clock: Clock,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) config: ConfigHandle,
    pub(crate) store: Store,
    pub(crate) relay: Relay,
    pub(crate) bus: Bus,
    pub(crate) clock: Clock,
    pub(crate) places: Places,
    pub(crate) outside: WebhookParts,
    pub(crate) tasks: Tasks,
    /// When agents look around by themselves.
    pub(crate) beats: Mutex<Beats>,
    /// Something about who is due has changed.
    pub(crate) changed: Notify,
    /// Nothing more is begun.
    pub(crate) stopping: CancellationToken,
    /// Names this life of the gateway.
    pub(crate) instance: String,
}

/// Jobs that run by the clock. Clone-cheap.
#[derive(Debug, Clone)]
pub struct Automation {
    pub(crate) inner: Arc<Inner>,
}

/// The jobs as clients and the assistant see and change them: [`Automation::jobs`].
#[derive(Debug, Clone, Copy)]
pub struct Jobs<'a> {
    pub(crate) room: &'a Automation,
}

impl Automation {
    /// Puts the room together; nothing is due before [`start`](Self::start).
    #[must_use]
    pub fn new(parts: AutomationParts) -> Self {
        let AutomationParts { config, store, relay, bus, clock } = parts;
        let inner = Inner {
            config,
            store,
            relay,
            bus,
            clock,
            places: Places::default(),
            outside: WebhookParts::new(),
            tasks: Tasks::new(),
            beats: Mutex::default(),
            changed: Notify::new(),
            stopping: CancellationToken::new(),
            instance: uuid::Uuid::new_v4().to_string(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Lets the owner's hooks hear of what happens. Called once, before anything that a crash left is gone on with: what
    /// a hook refuses is refused there, too.
    pub async fn listen(&self) {
        self.register_hooks().await;
    }

    /// Goes on with what a crash left, then begins whatever is due. Called once, after the relay has recovered.
    ///
    /// # Errors
    /// When the store cannot say what there is.
    pub async fn start(&self) -> Result<(), StoreError> {
        self.recover().await?;
        let room = self.clone();
        self.inner.tasks.spawn(async move { room.keep_time().await });
        Ok(())
    }

    /// Begins nothing any more. What runs goes on.
    pub fn stop_beginning(&self) {
        self.inner.stopping.cancel();
    }

    /// Records the ends of runs that are over; called when the relay has stopped. What is not over goes on after the
    /// next start.
    pub async fn finish(&self, grace: Duration) {
        self.inner.stopping.cancel();
        self.inner.tasks.finish(grace).await;
    }

    /// The configuration changed.
    pub fn look_again(&self) {
        self.inner.places.look_again();
        self.inner.changed.notify_one();
    }

    /// Agents that look around by themselves.
    #[must_use]
    pub fn heartbeats(&self) -> Heartbeats {
        Heartbeats::of(self)
    }

    /// The jobs, for whoever asks about them or changes them.
    #[must_use]
    pub const fn jobs(&self) -> Jobs<'_> {
        Jobs { room: self }
    }

    pub(crate) fn config(&self) -> Arc<Config> {
        self.inner.config.current()
    }

    /// Where jobs live that name no zone.
    pub(crate) fn zone(&self) -> TimeZone {
        homard_relay::time_zone(self.config().agents.defaults.user_timezone.as_deref())
    }

    /// Tells everyone that a job changed.
    pub(crate) fn tell(&self, job: &Job, action: CronAction) {
        let event = CronEvent {
            job: Some(Box::new(job.to_wire(&self.config()))),
            next_run_at_ms: job.state.next_run_at_ms,
            ..CronEvent::about(job.row.id.clone(), action)
        };
        self.inner.bus.publish(&event);
    }
}
