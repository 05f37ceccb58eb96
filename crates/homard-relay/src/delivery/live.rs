//! While a turn goes on: people see that somebody types, and the answer as it grows.
//!
//! One task per turn that came from a chat platform. It reads what the narrator has written, so it misses nothing and
//! holds nobody up. The end of the turn seals it: what is shown after that would be shown too late.

mod ack;
mod blocks;
mod preview;
mod typing;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use homard_agent::Step;
use homard_channel::{ChannelError, Content, Outbound, Receipt};
use homard_runtime::OrLog;
use homard_tools::HookPoint;
use std::time::Duration;

use crate::delivery::outbox::OutgoingText;
use crate::delivery::reply_style::ReplyStyle;
use crate::delivery::run_delivery::ReplyRoute;
use crate::parts::Outgoing;
use crate::turns::runs::Run;

pub(crate) use ack::{acknowledge, taken_away};

/// How long a platform may take for what nobody misses.
const SIDE_LIMIT: Duration = Duration::from_secs(10);

/// What has happened in a turn, for those who only watch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TurnActivity {
    /// How many steps there were.
    pub(crate) steps: u64,
    /// How many calls of tools began, and answers ended.
    pub(crate) pauses: u32,
    /// Whether there was reasoning.
    pub(crate) thought: bool,
    /// Whether there was text.
    pub(crate) spoke: bool,
}

impl TurnActivity {
    /// One more step.
    pub(crate) fn beat(&mut self, step: &Step<'_>) {
        self.steps += 1;
        match step {
            Step::Text(_) => self.spoke = true,
            Step::Thinking(_) => self.thought = true,
            Step::ToolStart(_) | Step::Answered(_) => self.pauses += 1,
            _ => {}
        }
    }
}

/// One turn that is watched.
struct WatchedTurn {
    outgoing: Outgoing,
    run: Arc<Run>,
    route: ReplyRoute,
    style: ReplyStyle,
    /// How many lines about its work were said.
    told_work: AtomicUsize,
}

/// Begins to show a turn, if it came from a chat platform.
pub(crate) fn begin(outgoing: &Outgoing, run: &Arc<Run>) {
    let Some(route) = run.delivery.route().cloned() else { return };
    let style = ReplyStyle::of(outgoing, &route.address);
    // Whether there is anything to say is known only at the end of a look around.
    if style.abilities.is_none() || run.delivery.look().is_some() {
        return;
    }
    let tell = run.delivery.show();
    let (outgoing_there, run) = (outgoing.clone(), Arc::clone(run));
    let watched = WatchedTurn { outgoing: outgoing_there, run, route, style, told_work: AtomicUsize::new(0) };
    outgoing.inner().tasks().spawn(async move {
        let shown = async {
            match (watched.style.blocks, watched.style.preview) {
                (Some(blocks), _) => watched.send_blocks(blocks).await,
                // Half a text cannot be filtered, and what is shown is said.
                (None, true) if watched.outgoing.inner().hooks().is_quiet(HookPoint::MessageOut) => {
                    watched.show_preview().await
                }
                (None, _) => crate::delivery::run_delivery::ShownAnswer::default(),
            }
        };
        let (streamed, (), ()) = tokio::join!(shown, watched.type_along(), watched.tell_work());
        if tell.send(streamed).is_err() {
            tracing::debug!("a turn ended before it was known what was shown of it");
        }
    });
}

impl WatchedTurn {
    /// Says which tools are used, as far as the conversation wants to know, until the turn is sealed. With an answer
    /// that is sent in pieces, they say it in between.
    async fn tell_work(&self) {
        if self.style.blocks.is_some() {
            return;
        }
        let (sealed, mut pulse) = (self.run.delivery.sealed().clone(), self.run.narrator.pulse());
        loop {
            let is_over = tokio::select! {
                biased;
                () = sealed.cancelled() => true,
                beat = pulse.changed() => beat.is_err(),
            };
            self.tell_work_so_far().await;
            if is_over {
                return;
            }
        }
    }

    /// Keeps what is to be said of the work, in its order with everything else that is said there.
    async fn tell_work_so_far(&self) {
        for mut text in self.run.delivery.work.unsaid() {
            self.outgoing.inner().guards().secrets.hide_in(&mut text);
            let key = format!("{}:w{}", self.run.id, self.told_work.fetch_add(1, Ordering::Relaxed));
            let saying = OutgoingText { address: self.route.address.clone(), text, reply_to: None, key };
            self.outgoing.say(saying).await.or_log("what a tool did could not be kept to be said");
        }
    }

    /// Says something at once and without keeping it, because nobody would miss it.
    async fn say_aside(&self, content: Content) -> Result<Receipt, ChannelError> {
        say_aside(&self.outgoing, &self.route, content).await
    }
}

async fn say_aside(
    outgoing: &Outgoing,
    route: &ReplyRoute,
    content: Content,
) -> Result<Receipt, ChannelError> {
    let address = route.address.clone();
    let Some(there) = outgoing.channels().get(&address.channel, &address.account) else {
        return Err(ChannelError::Unreachable("the account is not connected".to_owned()));
    };
    let outbound =
        Outbound { address, key: String::new(), reply_to: None, silent: false, no_previews: true, content };
    match tokio::time::timeout(SIDE_LIMIT, there.deliver(outbound)).await {
        Ok(said) => said,
        Err(_late) => Err(ChannelError::Unknown("no answer in time".to_owned())),
    }
}
