//! While a turn goes on: people see that somebody types, and the answer as it grows.
//!
//! One task per turn that came from a chat platform. It reads what the narrator has written, so it misses nothing and
//! holds nobody up. The end of the turn seals it: what is shown after that would be shown too late.

mod ack;
mod blocks;
mod preview;
mod typing;

use std::sync::Arc;

use homard_agent::Step;
use homard_channel::{ChannelError, Content, Outbound, Receipt};
use homard_tools::HookPoint;
use std::time::Duration;

use crate::delivery::reply_route::ReplyRoute;
use crate::delivery::reply_style::Manner;
use crate::parts::Outgoing;
use crate::turns::runs::Run;

pub(crate) use ack::{acknowledge, taken_away};

/// How long a platform may take for what nobody misses.
const SIDE_LIMIT: Duration = Duration::from_secs(10);

/// What has happened in a turn, for those who only watch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Pulse {
    /// How many steps there were.
    pub(crate) steps: u64,
    /// How many calls of tools began, and answers ended.
    pub(crate) pauses: u32,
    /// Whether there was reasoning.
    pub(crate) thought: bool,
    /// Whether there was text.
    pub(crate) spoke: bool,
}

impl Pulse {
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
struct Watched {
    outgoing: Outgoing,
    run: Arc<Run>,
    route: ReplyRoute,
    manner: Manner,
}

/// Begins to show a turn, if it came from a chat platform.
pub(crate) fn begin(outgoing: &Outgoing, run: &Arc<Run>) {
    let Some(route) = run.delivery.route().cloned() else { return };
    let manner = Manner::of(outgoing, &route.address);
    if manner.abilities.is_none() {
        return;
    }
    let tell = run.delivery.show();
    let watched = Watched { outgoing: outgoing.clone(), run: Arc::clone(run), route, manner };
    outgoing.inner().tasks().spawn(async move {
        let shown = async {
            match (watched.manner.blocks, watched.manner.preview) {
                (Some(blocks), _) => watched.send_blocks(blocks).await,
                // Half a text cannot be filtered, and what is shown is said.
                (None, true) if watched.outgoing.inner().hooks().is_quiet(HookPoint::MessageOut) => {
                    watched.show_preview().await
                }
                (None, _) => crate::delivery::run_delivery::Streamed::default(),
            }
        };
        let (streamed, ()) = tokio::join!(shown, watched.type_along());
        if tell.send(streamed).is_err() {
            tracing::debug!("a turn ended before it was known what was shown of it");
        }
    });
}

impl Watched {
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
