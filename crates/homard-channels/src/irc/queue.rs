//! What we have to say: who is told, in which order, and how we learn that the server took it.
//!
//! A server does not acknowledge messages, but it works off a connection's lines in order. So after the last line
//! of a message we send a `PING` with a word of our own, and when the server says it back, it has taken everything
//! before it, or has refused it already. One such question is under way at a time; what is finished meanwhile
//! waits for the next.

use std::collections::VecDeque;

use homard_channel::{ChannelError, Receipt};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::pace::{Bucket, Pace};

/// Most lines of our own business that wait; beyond it something is wrong and the oldest are dropped.
const MAX_BUSINESS: usize = 200;
/// What is written into every question that asks whether the server has taken something.
const QUESTION: &str = "homard-";

/// The promise to say how a message fared. Dropped, it says what is true then.
#[derive(Debug)]
pub(super) struct Ticket {
    done: Option<oneshot::Sender<Result<Receipt, ChannelError>>>,
    /// Whether anything of it has been written to the connection.
    begun: bool,
}

impl Ticket {
    pub(super) fn new() -> (Self, oneshot::Receiver<Result<Receipt, ChannelError>>) {
        let (done, outcome) = oneshot::channel();
        (Self { done: Some(done), begun: false }, outcome)
    }

    fn settle(mut self, outcome: Result<Receipt, ChannelError>) {
        if let Some(done) = self.done.take() {
            // Nobody waits any more when the sender gave up; then nobody needs to know.
            done.send(outcome).ok();
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some(done) = self.done.take() else { return };
        let outcome = if self.begun {
            ChannelError::Unknown(
                "the connection to the IRC server ended before it said that it took it".into(),
            )
        } else {
            ChannelError::Unreachable("not connected to the IRC server".into())
        };
        done.send(Err(outcome)).ok();
    }
}

/// One message on its way.
#[derive(Debug)]
pub(super) struct QueuedLine {
    /// The folded name of the person or channel; empty when it only asks whether the server is there.
    target: String,
    lines: VecDeque<String>,
    /// Whether it is a single line, so that a refusal speaks of all of it.
    is_one_line: bool,
    ticket: Ticket,
    refused: Option<ChannelError>,
    /// The server's id for its first line.
    msgid: Option<String>,
}

impl QueuedLine {
    pub(super) fn new(target: String, lines: Vec<String>, ticket: Ticket) -> Self {
        let is_one_line = lines.len() == 1;
        Self { target, lines: lines.into(), is_one_line, ticket, refused: None, msgid: None }
    }

    /// The first refusal counts. "Later" is only an answer for a message of which nothing was taken.
    fn refuse(&mut self, error: ChannelError) {
        let error = match error {
            ChannelError::Wait(_) if !self.is_one_line => {
                ChannelError::Unknown("the IRC server asked to wait after some of its lines".into())
            }
            error => error,
        };
        self.refused.get_or_insert(error);
        self.lines.clear();
    }

    fn finish(self) {
        let receipt = Receipt { message_id: self.msgid.unwrap_or_default(), went_to: None };
        self.ticket.settle(self.refused.map_or(Ok(receipt), Err));
    }
}

/// Everything that waits to be written.
#[derive(Debug)]
pub(super) struct SendQueue {
    /// Answers the server waits for; never held back.
    urgent: VecDeque<String>,
    /// Joining, nicks, services; before any message.
    business: VecDeque<String>,
    /// Messages; each conversation in order, conversations by turns.
    lanes: VecDeque<Lane>,
    /// Messages whose last line is written, oldest first.
    written: VecDeque<QueuedLine>,
    /// The question under way: its number, and how many of `written` it covers.
    asked: Option<(u64, usize)>,
    next_question: u64,
    bucket: Bucket,
}

#[derive(Debug)]
struct Lane {
    target: String,
    jobs: VecDeque<QueuedLine>,
}

/// What is to be done next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Write(String),
    At(Instant),
    /// Nothing until something new comes.
    Nothing,
}

impl SendQueue {
    pub(super) fn new(pace: Pace, now: Instant) -> Self {
        Self {
            urgent: VecDeque::new(),
            business: VecDeque::new(),
            lanes: VecDeque::new(),
            written: VecDeque::new(),
            asked: None,
            next_question: 0,
            bucket: Bucket::full(pace, now),
        }
    }

    pub(super) fn urgent(&mut self, line: String) {
        self.urgent.push_back(line);
    }

    pub(super) fn business(&mut self, line: String) {
        if self.business.len() >= MAX_BUSINESS {
            self.business.pop_front();
        }
        self.business.push_back(line);
    }

    /// Says a line if that is possible at once; otherwise it is left unsaid.
    pub(super) fn casually(&mut self, line: String, now: Instant) {
        if self.business.is_empty() && self.lanes.is_empty() && self.bucket.next_at() <= now {
            self.business.push_back(line);
        }
    }

    pub(super) fn push(&mut self, job: QueuedLine) {
        if job.lines.is_empty() {
            self.written.push_back(job);
            return;
        }
        match self.lanes.iter_mut().find(|lane| lane.target == job.target) {
            Some(lane) => lane.jobs.push_back(job),
            None => self.lanes.push_back(Lane { target: job.target.clone(), jobs: VecDeque::from([job]) }),
        }
    }

    /// Whether nothing is waiting, neither to be written nor to be confirmed.
    pub(super) fn is_empty(&self) -> bool {
        self.urgent.is_empty() && self.business.is_empty() && self.lanes.is_empty() && self.written.is_empty()
    }

    /// The next line that may be written now.
    pub(super) fn next(&mut self, now: Instant) -> Next {
        if let Some(line) = self.urgent.pop_front() {
            return Next::Write(line);
        }
        if self.asked.is_none() && !self.written.is_empty() {
            self.next_question += 1;
            self.asked = Some((self.next_question, self.written.len()));
            return Next::Write(format!("PING :{QUESTION}{}", self.next_question));
        }
        if self.business.is_empty() && self.lanes.is_empty() {
            return Next::Nothing;
        }
        let at = self.bucket.next_at();
        if at > now {
            return Next::At(at);
        }
        match self.business.pop_front().or_else(|| self.line_by_turns()) {
            Some(line) => {
                self.bucket.take(now);
                Next::Write(line)
            }
            None => Next::Nothing,
        }
    }

    fn line_by_turns(&mut self) -> Option<String> {
        let mut lane = self.lanes.pop_front()?;
        let mut job = lane.jobs.pop_front()?;
        let line = job.lines.pop_front();
        job.ticket.begun = true;
        if job.lines.is_empty() {
            self.written.push_back(job);
        } else {
            lane.jobs.push_front(job);
        }
        if !lane.jobs.is_empty() {
            self.lanes.push_back(lane);
        }
        line
    }

    /// The server said a word back.
    pub(super) fn answered(&mut self, word: &str) {
        let number = word.strip_prefix(QUESTION).and_then(|number| number.parse::<u64>().ok());
        let Some((asked, covers)) = self.asked else { return };
        if number != Some(asked) {
            return;
        }
        self.asked = None;
        self.written.drain(..covers.min(self.written.len())).for_each(QueuedLine::finish);
    }

    /// The server will not take what we say to `target`. The oldest message it can mean is told when the server has
    /// answered for all its lines, so that the refusal of one line is never taken for that of the next message.
    pub(super) fn refuse(&mut self, target: &str, error: ChannelError) -> bool {
        if let Some(job) = self.written.iter_mut().find(|job| job.target == target) {
            job.refuse(error);
            return true;
        }
        let Some(at) = self.lanes.iter().position(|lane| lane.target == target) else { return false };
        let Some(lane) = self.lanes.get_mut(at) else { return false };
        let Some(mut job) = lane.jobs.pop_front() else { return false };
        if !job.ticket.begun {
            lane.jobs.push_front(job);
            return false;
        }
        job.refuse(error);
        self.written.push_back(job);
        if self.lanes.get(at).is_some_and(|lane| lane.jobs.is_empty()) {
            self.lanes.remove(at);
        }
        true
    }

    /// The server showed us a line of ours as others see it, with its id.
    pub(super) fn echoed(&mut self, target: &str, msgid: &str) {
        let begun = self.lanes.iter_mut().filter_map(|lane| lane.jobs.front_mut());
        let jobs = self.written.iter_mut().chain(begun.filter(|job| job.ticket.begun));
        for job in jobs {
            if job.target == target && job.msgid.is_none() {
                job.msgid = Some(msgid.to_owned());
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
