//! What one run knows about its way to a chat platform: where the answer goes, what was shown of it already, and what
//! tools have said in its place.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use homard_channel::Address;
use homard_runtime::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::delivery::look::HeartbeatLook;
use crate::delivery::work::Work;

/// How long the end of a run waits for what is being shown of it.
const SEAL_LIMIT: Duration = Duration::from_secs(20);
/// Most things said by tools that are remembered of one run.
const MAX_SAID: usize = 64;

/// Where an answer goes that was asked for on a chat platform, and what decides how it is shown on the way. Kept with
/// the message, so that it is known after a restart and travels with a message that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyRoute {
    pub address: Address,
    /// The message that is answered.
    pub message_id: Option<String>,
    /// Whether we were meant: a direct message, or a mention in a group.
    pub was_mentioned: bool,
    /// Whether the owner asked.
    pub is_owner: bool,
}

/// What was shown of an answer before it was whole.
#[derive(Debug, Default)]
pub(crate) struct ShownAnswer {
    /// The message that shows it.
    pub(crate) preview: Option<String>,
    /// How many pieces were kept to be sent.
    pub(crate) pieces: usize,
    /// What is left to be said after those.
    pub(crate) rest: String,
}

/// A run's way to people.
#[derive(Debug, Default)]
pub(crate) struct Delivery {
    route: OnceLock<ReplyRoute>,
    elsewhere: Mutex<Vec<(Address, String)>>,
    shown: AtomicBool,
    sealed: CancellationToken,
    streamed: Mutex<Option<oneshot::Receiver<ShownAnswer>>>,
    /// What is shown of the work behind the answer.
    pub(crate) work: Work,
    /// How many messages are answered at once, where that is more than one.
    together: AtomicUsize,
    /// Set where nobody asked and the agent only looks around.
    look: OnceLock<HeartbeatLook>,
}

impl Delivery {
    /// Says where the answer goes; the first word stands.
    pub(crate) fn aim(&self, route: Option<&ReplyRoute>) {
        if let Some(route) = route {
            self.route.get_or_init(|| route.clone());
        }
    }

    /// Where the answer goes, if to a chat platform.
    pub(crate) fn route(&self) -> Option<&ReplyRoute> {
        self.route.get()
    }

    /// Nobody asked: the agent only looks around.
    pub(crate) fn look_around(&self, look: HeartbeatLook) {
        self.look.get_or_init(|| look);
    }

    /// What is known of the look around, where it is one.
    pub(crate) fn look(&self) -> Option<&HeartbeatLook> {
        self.look.get()
    }

    /// So many messages are answered at once.
    pub(crate) fn answers(&self, messages: usize) {
        self.together.store(messages, Ordering::Relaxed);
    }

    /// How many messages are answered at once.
    pub(crate) fn answered(&self) -> usize {
        self.together.load(Ordering::Relaxed).max(1)
    }

    /// A tool said something somewhere.
    pub(crate) fn said(&self, address: Address, text: String) {
        let mut said = self.elsewhere.lock();
        if said.len() < MAX_SAID {
            said.push((address, text));
        }
    }

    /// What tools said to `address`.
    pub(crate) fn said_to(&self, address: &Address) -> Vec<String> {
        let said = self.elsewhere.lock();
        said.iter().filter(|(to, _)| to == address).map(|(_, text)| text.clone()).collect()
    }

    /// Somebody begins to show the answer while it is made; the place to say at the end what was shown.
    pub(crate) fn show(&self) -> oneshot::Sender<ShownAnswer> {
        let (tell, told) = oneshot::channel();
        *self.streamed.lock() = Some(told);
        self.shown.store(true, Ordering::Relaxed);
        tell
    }

    /// Whether somebody showed the answer while it was made, or would have.
    pub(crate) fn was_shown(&self) -> bool {
        self.shown.load(Ordering::Relaxed)
    }

    /// Fires when nothing more may be shown.
    pub(crate) fn sealed(&self) -> &CancellationToken {
        &self.sealed
    }

    /// Nothing more is shown from now on; answers with what was.
    pub(crate) async fn seal(&self) -> ShownAnswer {
        self.sealed.cancel();
        let told = self.streamed.lock().take();
        match told {
            Some(told) => match tokio::time::timeout(SEAL_LIMIT, told).await {
                Ok(streamed) => streamed.unwrap_or_default(),
                Err(_late) => {
                    tracing::warn!("what was shown of an answer is not known in time; it is said whole");
                    ShownAnswer::default()
                }
            },
            None => ShownAnswer::default(),
        }
    }
}
