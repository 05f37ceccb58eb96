//! Listening to one run: its words as they come, then how it ended.
//!
//! A listener reads what the narrator has written so far, so a slow one misses nothing and holds nobody up: it
//! only hears more at a time.

use std::sync::Arc;

use homard_channel::Inbound;
use homard_protocol::{RunId, SessionKey};
use tokio::sync::{oneshot, watch};

use crate::parts::Turns;
use crate::turns::accept::{AcceptError, Accepted};
use crate::turns::narrate::Narrator;
use crate::turns::outcome::RunEnd;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;
use crate::turns::runs::Run;

/// What is heard of a run.
#[derive(Debug)]
pub enum RunNews {
    Text(String),
    Ended(Arc<RunEnd>),
    /// It will never be heard of again here: the gateway is stopping.
    Gone,
}

/// Somebody who listens to one run.
#[derive(Debug)]
pub struct Listener {
    run_id: RunId,
    session_key: SessionKey,
    narrator: Arc<Narrator>,
    spoken: watch::Receiver<usize>,
    ending: watch::Receiver<Option<Arc<RunEnd>>>,
    /// How much was heard, in bytes.
    heard: usize,
}

impl Listener {
    /// Has a message that nobody has seen before taken, for whoever waits for what comes of it.
    ///
    /// # Errors
    /// As [`Turns::accept`], and when a run of that name is known.
    pub async fn to_new(turns: &Turns, message: Inbound, options: TurnOptions) -> Result<Self, AcceptError> {
        let (listening, listener) = oneshot::channel();
        let admitted = turns.admit(message, &options)?;
        match turns.enqueue(admitted, options, Queue::Wait, Some(listening)).await? {
            Accepted::Started { .. } => listener.await.map_err(|_gone| AcceptError::Stopping),
            Accepted::InFlight { .. } | Accepted::Finished(_) | Accepted::Answered { .. } => {
                Err(AcceptError::Repeated)
            }
        }
    }

    pub(crate) fn to(run: &Run) -> Self {
        Self {
            run_id: run.id.clone(),
            session_key: run.session_key.clone(),
            narrator: Arc::clone(&run.narrator),
            spoken: run.narrator.spoken(),
            ending: run.watch(),
            heard: 0,
        }
    }

    /// The run.
    #[must_use]
    pub fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// Its conversation.
    #[must_use]
    pub fn session_key(&self) -> &SessionKey {
        &self.session_key
    }

    /// How it ends, whatever is said before; `None` when the gateway stops first.
    pub async fn ended(mut self) -> Option<Arc<RunEnd>> {
        let ended = self.ending.wait_for(Option::is_some).await;
        ended.ok().and_then(|end| end.clone())
    }

    /// What is heard next. Nothing comes after the end.
    pub async fn next(&mut self) -> RunNews {
        loop {
            // The end is looked at first: words that came before it are then certainly there.
            let end = self.ending.borrow_and_update().clone();
            self.spoken.mark_unchanged();
            let text = self.narrator.text_from(self.heard);
            if !text.is_empty() {
                self.heard += text.len();
                return RunNews::Text(text);
            }
            if let Some(end) = end {
                return RunNews::Ended(end);
            }
            tokio::select! {
                ended = self.ending.changed() => if ended.is_err() {
                    return RunNews::Gone;
                },
                // The narrator is held here, so its end of the line is never gone.
                _spoken = self.spoken.changed() => {}
            }
        }
    }
}
