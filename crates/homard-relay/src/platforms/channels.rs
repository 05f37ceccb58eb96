//! The accounts that are connected to chat platforms: starting, stopping and looking after them.
//!
//! Each account is one task that listens until it is stopped (`supervise`), connects again as `reconnect` says, and
//! keeps an [`AccountStatus`] for people. What is heard goes to the relay through one bounded line.

mod reconnect;
mod status;
mod supervise;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use homard_channel::{ChannelError, InboxItem, Probe, SharedChannel};
use homard_policy::access::HeartbeatShown;
use homard_policy::accounts::ChannelAccounts;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::{Arrange as _, Mutex, Tasks};
use homard_store::StoreError;
use tokio::sync::{Notify, mpsc};

pub use status::AccountStatus;

use crate::delivery::outbox::{OutgoingText, SendError};
use crate::parts::Platforms;
use supervise::Account;

/// Things heard that wait to be kept; when as many wait, adapters wait, and with them their platforms.
const HEARD: usize = 256;
/// How long the tasks that listen may take to end.
const STOP_GRACE: Duration = Duration::from_secs(5);

/// An account: the platform, and which of ours.
pub(crate) type Name = (ChannelId, AccountId);

/// Accounts by platform and name.
pub(crate) struct Channels {
    accounts: Mutex<HashMap<Name, Arc<Account>>>,
    to_relay: mpsc::Sender<InboxItem>,
    /// The other end of that line, until an account is connected and somebody listens.
    unheard: Mutex<Option<mpsc::Receiver<InboxItem>>>,
    /// An account is connected, stopped or in trouble, or no longer is.
    changed: Arc<Notify>,
    tasks: Tasks,
}

impl Channels {
    pub(crate) fn new() -> Self {
        let (to_relay, heard) = mpsc::channel(HEARD);
        let unheard = Mutex::new(Some(heard));
        Self { accounts: Mutex::default(), to_relay, unheard, changed: Arc::default(), tasks: Tasks::new() }
    }

    /// One that may be spoken through: it was not stopped by hand.
    pub(crate) fn get(&self, channel: &ChannelId, account: &AccountId) -> Option<SharedChannel> {
        self.account(channel, account)
            .filter(|account| !account.is_stopped())
            .map(|account| account.channel())
    }

    /// One that is known, stopped or not.
    pub(crate) fn known(&self, channel: &ChannelId, account: &AccountId) -> Option<SharedChannel> {
        self.account(channel, account).map(|account| account.channel())
    }

    /// Who we are there, as the platform last said.
    pub(crate) fn who_we_are(&self, channel: &ChannelId, account: &AccountId) -> Option<Probe> {
        self.account(channel, account)?.status().probe
    }

    /// Something was heard through it.
    pub(crate) fn note_heard(&self, channel: &ChannelId, account: &AccountId, at: i64) {
        if let Some(account) = self.account(channel, account) {
            account.change(|status| status.last_inbound_at = Some(at));
        }
    }

    /// Something was sent through it.
    pub(crate) fn note_sent(&self, channel: &ChannelId, account: &AccountId, at: i64) {
        if let Some(account) = self.account(channel, account) {
            account.change(|status| status.last_outbound_at = Some(at));
        }
    }

    /// Hears no more.
    pub(crate) fn hear_no_more(&self) {
        self.tasks.token().cancel();
    }

    /// Waits until nothing is heard any more.
    pub(crate) async fn closed(&self) {
        self.hear_no_more();
        self.tasks.finish(STOP_GRACE).await;
    }

    fn account(&self, channel: &ChannelId, account: &AccountId) -> Option<Arc<Account>> {
        self.accounts.lock().get(&(channel.clone(), account.clone())).map(Arc::clone)
    }

    fn make(&self, channel: SharedChannel) -> Account {
        Account::new(channel, Arc::clone(&self.changed))
    }

    fn put(&self, account: &Arc<Account>) -> Option<Arc<Account>> {
        self.accounts.lock().insert(account.name(), Arc::clone(account))
    }
}

impl Platforms {
    /// Our accounts there, as the owner has them now.
    #[must_use]
    pub fn accounts(&self) -> Arc<ChannelAccounts> {
        self.inner().accounts()
    }

    /// Who is the owner there, as written: those named, else whoever is alone on the list of an account.
    #[must_use]
    pub fn owners(&self) -> Vec<String> {
        self.inner().owners()
    }

    /// Keeps something to be said and returns; it goes out as soon as it can.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub async fn say(&self, saying: OutgoingText) -> Result<(), StoreError> {
        self.outgoing().say(saying).await
    }

    /// Makes accounts known without connecting them, so that answers of turns that waited through a restart are
    /// written for their platforms. To be called before [`Turns::recover`](crate::Turns::recover).
    pub fn know_channels(&self, accounts: &[SharedChannel]) {
        for channel in accounts {
            drop(self.channels().put(&Arc::new(self.channels().make(Arc::clone(channel)))));
        }
    }

    /// Connects accounts and begins to send what waits for them. The first call also looks after what was being
    /// sent when the last process ended.
    ///
    /// # Errors
    /// When the store cannot say what waits.
    pub async fn open_channels(&self, accounts: Vec<SharedChannel>) -> Result<(), StoreError> {
        self.outgoing().recover_outbox().await?;
        for channel in accounts {
            self.replace_channel(channel).await;
        }
        Ok(())
    }

    /// Connects an account, in the place of the one of the same name if there is one.
    pub async fn replace_channel(&self, channel: SharedChannel) {
        let account = Arc::new(self.channels().make(channel));
        if let Some(old) = self.channels().put(&account) {
            old.stop().await;
        }
        self.run_account(&account);
    }

    /// Forgets an account; what waits for it stays kept. `false` when there is none.
    pub async fn remove_channel(&self, channel: &ChannelId, account: &AccountId) -> bool {
        let gone = self.channels().accounts.lock().remove(&(channel.clone(), account.clone()));
        match gone {
            Some(gone) => {
                gone.stop().await;
                true
            }
            None => false,
        }
    }

    /// Connects an account that was stopped or gave up; one that is connected is left alone. `None` when there is
    /// no such account.
    pub async fn start_channel(&self, channel: &ChannelId, account: &AccountId) -> Option<bool> {
        let account = self.channels().account(channel, account)?;
        if account.status().running {
            return Some(false);
        }
        account.stop().await;
        let fresh = Arc::new(self.channels().make(account.channel()));
        fresh.change(|status| {
            *status = account.status();
            status.last_error = None;
        });
        drop(self.channels().put(&fresh));
        self.run_account(&fresh);
        Some(true)
    }

    /// Stops an account and waits until it has; what is to be sent through it waits. `None` when there is no such
    /// account, `false` when it was stopped before.
    pub async fn stop_channel(&self, channel: &ChannelId, account: &AccountId) -> Option<bool> {
        let account = self.channels().account(channel, account)?;
        let was_stopped = account.is_stopped();
        account.stop().await;
        account.change(|status| status.last_stop_at = Some(self.inner().clock().now_ms()));
        Some(!was_stopped)
    }

    /// Notified when an account is connected, stopped or in trouble, or no longer is.
    #[must_use]
    pub fn changes(&self) -> Arc<Notify> {
        Arc::clone(&self.channels().changed)
    }

    /// How all accounts are, by platform and name.
    #[must_use]
    pub fn channel_status(&self) -> Vec<AccountStatus> {
        let accounts: Vec<_> = self.channels().accounts.lock().values().map(Arc::clone).collect();
        let mut all: Vec<_> = accounts.iter().map(|account| account.status()).collect();
        all.arrange_by(|a, b| (&a.channel, &a.account).cmp(&(&b.channel, &b.account)));
        all
    }

    /// What an account's platform can do; `None` when there is no such account.
    #[must_use]
    pub fn channel_abilities(
        &self,
        channel: &ChannelId,
        account: &AccountId,
    ) -> Option<homard_channel::Abilities> {
        self.channels().known(channel, account).map(|channel| channel.abilities())
    }

    /// What the owner wants shown of heartbeats on one of our accounts.
    #[must_use]
    pub fn heartbeat_shown(&self, channel: &ChannelId, account: &AccountId) -> HeartbeatShown {
        self.inner().heartbeat_shown(channel, account)
    }

    /// Asks an account's platform who we are there, at most for `limit`.
    ///
    /// # Errors
    /// When there is no such account, or the platform does not say.
    pub async fn probe_channel(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        limit: Duration,
    ) -> Result<Probe, SendError> {
        let Some(there) = self.channels().account(channel, account) else {
            let (channel, account) = (channel.to_string(), account.to_string());
            return Err(SendError::NotConnected { channel, account });
        };
        let probe = match tokio::time::timeout(limit, there.channel().probe()).await {
            Ok(probe) => probe?,
            Err(_late) => {
                let words = format!("no answer within {} s", limit.as_secs());
                return Err(ChannelError::Unreachable(words).into());
            }
        };
        there.change(|status| status.probe = Some(probe.clone()));
        Ok(probe)
    }

    fn run_account(&self, account: &Arc<Account>) {
        let channels = self.channels();
        self.begin_to_hear();
        let to_relay = channels.to_relay.clone();
        account.begins();
        let cancel = channels.tasks.token().child_token();
        let (account, clock) = (Arc::clone(account), self.inner().clock().clone());
        let look = self.inner().config().gateway.channel_health_check;
        let (channel, name) = account.name();
        channels.tasks.spawn(async move { account.run(to_relay, clock, look, cancel).await });
        self.outgoing().open_outbox(&channel, &name);
        self.chat_approvals().end_those_of_before(channel, name);
    }

    /// Listens on the line on which everything heard comes in, unless that is done already.
    fn begin_to_hear(&self) {
        let channels = self.channels();
        if let Some(heard) = channels.unheard.lock().take() {
            let tasks = &channels.tasks;
            tasks.spawn(self.intake().listen_to(heard, tasks.token().clone()));
        }
    }
}

impl std::fmt::Debug for Channels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Channels").field("accounts", &self.accounts.lock().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
