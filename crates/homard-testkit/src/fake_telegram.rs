//! A fake Bot API server on a real socket: chats with people in them, and a log of what the bot did.
//!
//! It is as strict as the public documentation, so that a call the real server would refuse fails in a test first, and
//! it outlives the programs that talk to it, so that they may be killed and started again. A test speaks as people do
//! ([`FakeTelegram::user_says`] and its kin), reads back what was sent, and says what shall go wrong. Reading order:
//! this file, `people` for what people do, `server` for the road of one request, `methods` for what calls do.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use homard_runtime::Tasks;
use serde_json::Value;
use tokio::net::TcpListener;

mod body;
mod desk;
mod faults;
mod grammar;
mod html;
mod media;
mod methods;
mod people;
mod polling;
mod refusal;
mod server;
mod webhook;

pub use desk::{Outcome, Sent, Upload};
pub use faults::{Fault, FaultSource};
pub use media::Sending;
pub use people::{Said, Saying};

use crate::client::WAIT_CAP;
use desk::{BOT_ID, BOT_NAME, Shared, Tally};

/// The second half of the token; long, as real ones are, so that it is found wherever it leaks.
const SECRET_HALF: &str = "AAFakeFakeFakeFakeFakeFakeFakeFake_-x";

/// A message as people see it now.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub message_id: i64,
    /// Its text or caption, without formatting.
    pub text: String,
    /// Whether the bot wrote it.
    pub is_ours: bool,
    pub message: Value,
}

/// A running fake. Stops when dropped.
#[derive(Debug)]
pub struct FakeTelegram {
    shared: Arc<Shared>,
    address: SocketAddr,
    tasks: Tasks,
    read: AtomicUsize,
}

impl FakeTelegram {
    /// Starts on a free port, with no chats.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.context("could not open a port for the fake Telegram")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(format!("{BOT_ID}:{SECRET_HALF}")));
        let tasks = Tasks::new();
        tasks.spawn(server::serve(Arc::clone(&shared), listener, tasks.clone()));
        tasks.spawn(webhook::bring(Arc::clone(&shared), tasks.token().clone()));
        Ok(Self { shared, address, tasks, read: AtomicUsize::new(0) })
    }

    /// The API root: what `channels.telegram.apiRoot` is set to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The token it accepts.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.shared.token
    }

    /// The bot's name, without `@`.
    #[must_use]
    pub fn bot_name(&self) -> &'static str {
        BOT_NAME
    }

    /// The bot's number.
    #[must_use]
    pub fn bot_id(&self) -> i64 {
        BOT_ID
    }

    fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Everything that was sent or changed so that people see it, in order; refused calls are not among it.
    #[must_use]
    pub fn sent(&self) -> Vec<Sent> {
        let state = self.shared.state();
        state.sent.iter().filter(|sent| is_shown(sent)).cloned().collect()
    }

    /// Every call but `getUpdates`, in order, with what became of it.
    #[must_use]
    pub fn calls(&self) -> Vec<Sent> {
        self.shared.state().sent.clone()
    }

    /// The calls of one method.
    #[must_use]
    pub fn calls_of(&self, method: &str) -> Vec<Sent> {
        self.shared.state().sent.iter().filter(|sent| sent.method == method).cloned().collect()
    }

    /// What a chat looks like now.
    #[must_use]
    pub fn shown(&self, chat: i64) -> Vec<Shown> {
        let mut state = self.shared.state();
        let messages = state.chat(chat).messages.iter();
        messages
            .map(|(id, kept)| {
                let text = kept.message.get("text").or_else(|| kept.message.get("caption"));
                Shown {
                    message_id: *id,
                    text: text.and_then(Value::as_str).unwrap_or_default().to_owned(),
                    is_ours: kept.is_ours,
                    message: kept.message.clone(),
                }
            })
            .collect()
    }

    /// The next thing that was sent and not yet returned by this.
    ///
    /// # Errors
    /// When nothing comes.
    pub async fn next_sent(&self) -> Result<Sent> {
        let n = self.read.fetch_add(1, Ordering::SeqCst);
        let mut sent = self.wait_for_sent(n + 1).await?;
        sent.pop().context("nothing was sent")
    }

    /// Waits until at least `n` things were sent and returns the first `n`.
    ///
    /// # Errors
    /// When they do not come.
    pub async fn wait_for_sent(&self, n: usize) -> Result<Vec<Sent>> {
        self.wait_for_sent_count(n).await?;
        Ok(self.sent().into_iter().take(n).collect())
    }

    /// The same for those who only count: nothing is copied, so that a benchmark does not measure the fake.
    ///
    /// # Errors
    /// When they do not come.
    pub async fn wait_for_sent_count(&self, n: usize) -> Result<()> {
        self.wait(&format!("{n} things sent"), |tally| tally.shown >= n).await
    }

    /// How many things were sent or changed so that people see it.
    #[must_use]
    pub fn sent_count(&self) -> usize {
        self.shared.tally().borrow().shown
    }

    /// Waits until a method was called `n` times, however it ended, and returns its calls.
    ///
    /// # Errors
    /// When it is not.
    pub async fn wait_for_calls(&self, method: &str, n: usize) -> Result<Vec<Sent>> {
        self.wait(&format!("{n} calls of {method}"), |_| self.calls_of(method).len() >= n).await?;
        Ok(self.calls_of(method))
    }

    /// Waits until somebody has asked for updates `n` times.
    ///
    /// # Errors
    /// When nobody does.
    pub async fn wait_for_polls(&self, n: usize) -> Result<()> {
        self.wait(&format!("{n} polls"), |tally| tally.polls >= n).await
    }

    /// How often updates were asked for.
    #[must_use]
    pub fn polls(&self) -> usize {
        self.shared.tally().borrow().polls
    }

    /// Waits until no update waits to be confirmed.
    ///
    /// # Errors
    /// When some do for too long.
    pub async fn wait_until_confirmed(&self) -> Result<()> {
        self.wait("all updates to be confirmed", |tally| tally.waiting == 0).await
    }

    /// Numbers of the updates that are not yet confirmed.
    #[must_use]
    pub fn unconfirmed(&self) -> Vec<i64> {
        self.shared.state().updates.iter().map(|(number, _)| *number).collect()
    }

    /// The commands in the menu.
    #[must_use]
    pub fn commands(&self) -> Vec<Value> {
        self.shared.state().commands.clone()
    }

    /// Whether the bot hears everything said in groups.
    pub fn reads_all(&self, reads_all: bool) -> &Self {
        self.shared.state().reads_all = reads_all;
        self
    }

    /// The next call of this method goes wrong; `*` is any, `send*` any that sends.
    pub fn fail_next(&self, method: &str, fault: Fault) -> &Self {
        self.shared.state().faults.plan(method, fault);
        self
    }

    /// The next `n` messages are taken, and then the connection is cut: their sender cannot know.
    pub fn hang_after_accepting(&self, n: usize) -> &Self {
        for _ in 0..n {
            self.fail_next("send*", Fault::CutAfter);
        }
        self
    }

    /// Every call asks this what goes wrong with it; `None` stops asking.
    pub fn faults_from(&self, source: Option<FaultSource>) -> &Self {
        self.shared.state().faults.ask(source);
        self
    }

    /// More messages in a second than this are refused with 429.
    pub fn limits_rate(&self, per_second: Option<u32>) -> &Self {
        self.shared.state().faults.limit(per_second);
        self
    }

    /// Every call but `getUpdates` takes this long.
    pub fn takes(&self, latency: Duration) -> &Self {
        self.shared.state().latency = latency;
        self
    }

    /// Cuts every open connection.
    pub fn drop_connections(&self) -> &Self {
        self.shared.cut_all();
        self
    }

    async fn wait(&self, what: &str, enough: impl FnMut(&Tally) -> bool) -> Result<()> {
        let mut tally = self.shared.tally();
        let waiting = tokio::time::timeout(WAIT_CAP, tally.wait_for(enough)).await;
        waiting.with_context(|| format!("waited {} s in vain for {what}", WAIT_CAP.as_secs()))??;
        Ok(())
    }
}

fn is_shown(sent: &Sent) -> bool {
    sent.outcome.is_taken() && server::is_seen(sent.method)
}

impl Drop for FakeTelegram {
    fn drop(&mut self) {
        self.tasks.token().cancel();
    }
}

#[cfg(test)]
mod tests;
