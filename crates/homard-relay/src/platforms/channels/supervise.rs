//! One account's task: listening, noticing that nothing lives at the other end, connecting again.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use homard_channel::{ChannelError, Inbox, InboxItem, SharedChannel};
use homard_config::config::gateway::HealthCheck;
use homard_runtime::{Clock, Mutex, OrCancel, chance};
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Name;
use super::reconnect::{After, MAX_RESTARTS, Restarts, after};
use super::status::AccountStatus;

/// How often a connection is looked at, at most.
const SHORTEST_LOOK: Duration = Duration::from_millis(100);
/// How often at least, where the owner says nothing.
const LONGEST_USUAL_LOOK: Duration = Duration::from_secs(5 * 60);
/// A connection that lasted this long was healthy: what follows is a new trouble.
const HEALTHY_AFTER: Duration = Duration::from_secs(60);
/// How long the platform may take to say who we are.
const PROBE_LIMIT: Duration = Duration::from_secs(30);
/// How long an adapter may take to end.
const END_GRACE: Duration = Duration::from_secs(3);

/// One account.
pub(super) struct Account {
    channel: SharedChannel,
    status: Mutex<AccountStatus>,
    /// Where the present connection puts what it hears.
    inbox: Mutex<Option<Inbox>>,
    look: Mutex<HealthCheck>,
    restarts: Mutex<Restarts>,
    stop: CancellationToken,
    running: watch::Sender<bool>,
    changed: Arc<Notify>,
}

impl Account {
    pub(super) fn new(channel: SharedChannel, changed: Arc<Notify>) -> Self {
        let status = AccountStatus::new(channel.id(), channel.account());
        Self {
            channel,
            status: Mutex::new(status),
            inbox: Mutex::default(),
            look: Mutex::default(),
            restarts: Mutex::default(),
            stop: CancellationToken::new(),
            running: watch::Sender::new(false),
            changed,
        }
    }

    pub(super) fn name(&self) -> Name {
        (self.channel.id(), self.channel.account())
    }

    pub(super) fn channel(&self) -> SharedChannel {
        Arc::clone(&self.channel)
    }

    pub(super) fn status(&self) -> AccountStatus {
        let mut status = self.status.lock().clone();
        let inbox = self.inbox.lock().clone();
        if let Some(inbox) = inbox.filter(Inbox::has_sign) {
            status.last_sign_at = Some(inbox.last_sign());
            if status.connected {
                (status.reconnect_attempts, status.last_error) = (0, None);
            }
        } else {
            status.connected = false;
        }
        status
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut AccountStatus)) {
        let mut status = self.status.lock();
        let before = status.fate();
        change(&mut status);
        if status.fate() != before {
            self.changed.notify_one();
        }
    }

    /// Whether it was stopped by hand.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// It is about to run.
    pub(super) fn begins(&self) {
        self.running.send_replace(true);
        self.change(|status| status.running = true);
    }

    /// Stops it and waits until it has.
    pub(super) async fn stop(&self) {
        self.stop.cancel();
        let mut running = self.running.subscribe();
        // The sender is held here, so it is never gone.
        let _over = running.wait_for(|running| !running).await;
    }

    /// Listens until `cancel` fires or it is stopped.
    pub(super) async fn run(
        self: Arc<Self>,
        to_relay: mpsc::Sender<InboxItem>,
        clock: Clock,
        look: HealthCheck,
        cancel: CancellationToken,
    ) {
        *self.look.lock() = look;
        let cancelling = cancel.clone();
        let stopped = async {
            tokio::select! {
                () = cancelling.cancelled() => {}
                () = self.stop.cancelled() => cancelling.cancel(),
            }
        };
        tokio::join!(self.listen_on(&to_relay, &clock, &cancel), stopped);
        self.change(|status| {
            (status.running, status.connected) = (false, false);
            status.last_stop_at = Some(clock.now_ms());
        });
        self.running.send_replace(false);
    }

    async fn listen_on(&self, to_relay: &mpsc::Sender<InboxItem>, clock: &Clock, cancel: &CancellationToken) {
        let mut attempt = 0_u32;
        while !cancel.is_cancelled() {
            let began = Instant::now();
            let ended = self.listen_once(to_relay, clock, cancel).await;
            self.change(|status| {
                status.connected = false;
                status.last_stop_at = Some(clock.now_ms());
            });
            if cancel.is_cancelled() {
                return;
            }
            let error = ended
                .err()
                .unwrap_or_else(|| ChannelError::Unreachable("the connection was closed".to_owned()));
            attempt = if began.elapsed() >= HEALTHY_AFTER { 1 } else { attempt.saturating_add(1) };
            let (channel, account) = self.name();
            let wait = match after(&error, attempt, chance()) {
                After::Again(wait) => {
                    tracing::warn!(%channel, %account, %error, attempt, seconds = wait.as_secs(), "connecting again");
                    self.change(|status| status.last_error = Some(error.to_string()));
                    wait
                }
                After::Rest(wait) => {
                    let words = format!(
                        "given up after {} tries ({error}); next try in an hour, or `homard channels start {channel}`",
                        attempt.saturating_sub(1)
                    );
                    tracing::error!(%channel, %account, "{words}");
                    self.change(|status| (status.running, status.last_error) = (false, Some(words)));
                    attempt = 0;
                    wait
                }
                After::Stop => {
                    tracing::error!(%channel, %account, %error, "the account is stopped until its credentials are changed");
                    self.change(|status| {
                        (status.running, status.last_error) = (false, Some(error.to_string()));
                    });
                    // Nothing to wait for but the end.
                    cancel.cancel();
                    return;
                }
            };
            self.change(|status| status.reconnect_attempts = attempt);
            let _cancelled = tokio::time::sleep(wait).or_cancel(cancel).await;
        }
    }

    /// Listens on one connection.
    async fn listen_once(
        &self,
        to_relay: &mpsc::Sender<InboxItem>,
        clock: &Clock,
        cancel: &CancellationToken,
    ) -> Result<(), ChannelError> {
        let inbox = Inbox::new(to_relay.clone(), clock.clone());
        *self.inbox.lock() = Some(inbox.clone());
        self.change(|status| {
            (status.running, status.connected) = (true, true);
            status.last_start_at = Some(clock.now_ms());
        });
        let this_one = cancel.child_token();
        // A bug in an adapter must not leave an account that nobody can stop or start.
        let listening = AssertUnwindSafe(self.channel.listen(inbox.clone(), this_one.clone())).catch_unwind();
        tokio::select! {
            ended = listening => ended.unwrap_or_else(|_panic| {
                let words = "listening ended unexpectedly; this is a bug in Homard";
                Err(ChannelError::Unreachable(words.to_owned()))
            }),
            () = self.ask_who_we_are() => Ok(()),
            () = out_of_time(cancel) => Ok(()),
            silence = self.look_after(&inbox, clock) => {
                this_one.cancel();
                Err(ChannelError::Unreachable(format!("no sign of life for {} s", silence.as_secs())))
            }
        }
    }

    /// Returns when there has been no sign of life for too long, with how long that is. Where connecting again has not
    /// helped several times, the connection is left as it is for a while: it may come back, and each try is asked of
    /// the platform.
    async fn look_after(&self, inbox: &Inbox, clock: &Clock) -> Duration {
        let limit = self.channel.abilities().silence_limit;
        let look = *self.look.lock();
        let mut looks = tokio::time::interval(match look {
            HealthCheck::Off => return std::future::pending().await,
            HealthCheck::Usual => LONGEST_USUAL_LOOK.min(limit / 2).max(SHORTEST_LOOK),
            HealthCheck::Every(look) => look,
        });
        let mut was_silent = false;
        loop {
            looks.tick().await;
            let is_silent = silence(inbox, clock) > limit;
            if is_silent && self.restarts.lock().take(Instant::now()) {
                return limit;
            }
            if is_silent != was_silent {
                self.say_silent(is_silent.then_some(limit));
                was_silent = is_silent;
            }
        }
    }

    /// Says of a connection that is left alone that nothing is heard of it, or that it lives again.
    fn say_silent(&self, limit: Option<Duration>) {
        let (channel, account) = self.name();
        let words = limit.map(|limit| {
            format!(
                "no sign of life for {} s, though it was connected again {MAX_RESTARTS} times within an hour; it is left \
                 as it is until that hour is over",
                limit.as_secs()
            )
        });
        match &words {
            Some(words) => tracing::error!(%channel, %account, "{words}"),
            None => tracing::info!(%channel, %account, "the account gives signs of life again"),
        }
        self.change(|status| (status.connected, status.last_error) = (words.is_none(), words));
    }

    /// Asks once; never returns.
    async fn ask_who_we_are(&self) {
        match tokio::time::timeout(PROBE_LIMIT, self.channel.probe()).await {
            Ok(Ok(probe)) => {
                for advice in &probe.advice {
                    tracing::warn!(channel = %self.channel.id(), account = %self.channel.account(), "{advice}");
                }
                self.change(|status| status.probe = Some(probe));
            }
            // Listening finds out about credentials by itself.
            Ok(Err(error)) => {
                tracing::debug!(%error, channel = %self.channel.id(), "the platform did not say who we are");
            }
            Err(_late) => {
                tracing::debug!(channel = %self.channel.id(), "the platform took too long to say who we are");
            }
        }
        std::future::pending::<()>().await;
    }
}

/// An adapter that does not end when it is told to is left behind.
async fn out_of_time(cancel: &CancellationToken) {
    cancel.cancelled().await;
    tokio::time::sleep(END_GRACE).await;
}

fn silence(inbox: &Inbox, clock: &Clock) -> Duration {
    Duration::from_millis(u64::try_from(clock.now_ms().saturating_sub(inbox.last_sign())).unwrap_or(0))
}
