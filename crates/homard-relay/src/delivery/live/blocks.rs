//! Sending an answer piece by piece: cut while it is made, joined where pieces are small, with pauses as a person
//! would make.
//!
//! Every piece is kept before it is sent, so the rest of the answer never repeats it, and a crash loses none. A
//! platform that takes too long for one piece gets the rest in one go at the end.

use std::time::Duration;

use homard_agent::{BlockChunker, Coalescer};
use homard_policy::reply::PrefixFacts;
use homard_runtime::{OrCancel, OrLog, chance};

use super::WatchedTurn;
use crate::delivery::answer::FinalReply;
use crate::delivery::outbox::SendError;
use crate::delivery::reply_style::BlockStyle;
use crate::delivery::run_delivery::ShownAnswer;

/// How long a platform may take for one piece.
const PIECE_LIMIT: Duration = Duration::from_secs(15);
/// How the keys of pieces are marked.
const MARK: &str = "b";

/// A text that is being cut.
struct Cutting {
    chunker: BlockChunker,
    coalescer: Coalescer,
    /// How much of what the run said was taken, in bytes.
    taken: usize,
}

impl Cutting {
    fn new(style: BlockStyle) -> Self {
        Self { chunker: BlockChunker::new(style.cut), coalescer: Coalescer::new(style.join), taken: 0 }
    }

    /// Takes what was said since; gives the pieces that are ready.
    fn take(&mut self, watched: &WatchedTurn) -> Vec<String> {
        let text = watched.run.narrator.text_from(self.taken);
        self.taken += text.len();
        let blocks = self.chunker.push(&text);
        self.join(&blocks)
    }

    /// Gives what there is.
    fn all(&mut self) -> Vec<String> {
        let blocks = self.chunker.finish();
        let mut ready = self.join(&blocks);
        ready.extend(self.coalescer.flush().map(|(text, _)| text));
        ready
    }

    fn join(&mut self, blocks: &[String]) -> Vec<String> {
        blocks.iter().flat_map(|block| self.coalescer.put(block, None)).map(|(text, _)| text).collect()
    }
}

impl WatchedTurn {
    /// Sends pieces until the turn is sealed; answers with what is left.
    pub(super) async fn send_blocks(&self, style: BlockStyle) -> ShownAnswer {
        let sealed = self.run.delivery.sealed().clone();
        let mut pulse = self.run.narrator.pulse();
        let mut cutting = Cutting::new(style);
        let (mut pieces, mut pauses, mut is_slow) = (0, 0, false);
        let mut unsent: Vec<String> = Vec::new();
        while !sealed.is_cancelled() && !is_slow {
            let ready = tokio::select! {
                biased;
                () = sealed.cancelled() => break,
                beat = pulse.changed() => {
                    if beat.is_err() {
                        break;
                    }
                    let now = pulse.borrow_and_update().pauses;
                    let mut ready = cutting.take(self);
                    if now != std::mem::replace(&mut pauses, now) {
                        ready.extend(cutting.all());
                    }
                    ready
                }
                () = tokio::time::sleep(style.idle), if !style.at_message_end => {
                    cutting.coalescer.idle().map(|(text, _)| text).into_iter().collect()
                }
            };
            unsent.extend(ready);
            while !unsent.is_empty() && !is_slow && !sealed.is_cancelled() {
                let piece = unsent.remove(0);
                if pieces > 0 && self.pause_as_a_person().or_cancel(&sealed).await.is_err() {
                    unsent.insert(0, piece);
                    break;
                }
                match self.send_piece(&piece, pieces).await {
                    Some((sent, in_time)) => (pieces, is_slow) = (pieces + sent, !in_time),
                    None => {
                        unsent.insert(0, piece);
                        is_slow = true;
                    }
                }
            }
            if unsent.is_empty() {
                self.tell_work_so_far().await;
            }
        }
        sealed.cancelled().await;
        self.tell_work_so_far().await;
        let mut rest = unsent;
        rest.extend(cutting.take(self));
        rest.extend(cutting.all());
        ShownAnswer { preview: None, pieces, rest: rest.join(style.cut.at.joiner()) }
    }

    /// Keeps a piece and waits until it was sent. How many messages it became, and whether they went in time; `None`
    /// when it could not be kept.
    async fn send_piece(&self, piece: &str, before: usize) -> Option<(usize, bool)> {
        let speech = FinalReply {
            outgoing: &self.outgoing,
            run: &self.run,
            route: &self.route,
            style: &self.style,
            wishes: &self.run.narrator.wishes(),
            facts: PrefixFacts::default(),
            before,
        };
        let mut rows = speech.rows(piece, None, MARK).await;
        let (sent, last) = (rows.len(), rows.pop());
        let Some(last) = last else { return Some((0, true)) };
        self.outgoing.post(rows).await.or_log("a piece of an answer could not be kept")?;
        match self.outgoing.send_row(last, PIECE_LIMIT).or_cancel(self.run.delivery.sealed()).await {
            // It is kept: whatever becomes of it, it is not said again.
            Ok(Ok(_) | Err(SendError::Channel(_))) | Err(_) => Some((sent, true)),
            Ok(Err(SendError::Later(why))) => {
                tracing::warn!(run = %self.run.id, why, "the platform is slow; the rest of the answer is sent at its end");
                Some((sent, false))
            }
            Ok(Err(SendError::Store(_) | SendError::NotConnected { .. })) => None,
        }
    }

    async fn pause_as_a_person(&self) {
        if let Some((least, most)) = self.outgoing.inner().config().delivery.human_delay {
            tokio::time::sleep(least + most.saturating_sub(least).mul_f64(chance())).await;
        }
    }
}
