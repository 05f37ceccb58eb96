//! Turns by the hundred: every session says its next sentence when its last one is answered.

use anyhow::{Result, bail};
use futures_util::future::try_join_all;
use serde_json::json;

use super::conn::{Conn, is_refusal, quoted_after, response_id, text};
use super::machine::now_ns;

/// How every `chat` event begins.
const CHAT: &str = r#"{"type":"event","event":"chat","#;

/// What to say, where and how often.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Unique among the plans of one gateway; run ids begin with it.
    pub(super) name: String,
    pub(super) keys: Vec<String>,
    /// Turns in each of them.
    pub(super) turns: usize,
    /// How many speak at once; the next begins when one has had all its turns.
    pub(super) at_once: usize,
    /// What is said; the fake's controls go in here.
    pub(super) say: String,
}

/// One turn as the client saw it, in nanoseconds of the monotonic clock.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// Also the tag in the fake's log.
    pub(super) run: String,
    pub(super) sent: u64,
    /// When the first delta came; 0 when none did.
    pub(super) delta: u64,
    pub(super) ended: u64,
}

impl Turn {
    /// From the request to the final event, in milliseconds.
    pub(super) fn total_ms(&self) -> f64 {
        self.ended.saturating_sub(self.sent) as f64 / 1e6
    }
}

/// Plays the plan over these connections; session `i` speaks on connection `i % n`.
pub(super) async fn play(conns: &mut [Conn], plan: &Plan) -> Result<Vec<Turn>> {
    let lines = conns.len().max(1);
    let parts = conns.iter_mut().enumerate().map(|(line, conn)| {
        let mine: Vec<usize> = (line..plan.keys.len()).step_by(lines).collect();
        let at_once = plan.at_once.div_ceil(lines).max(1);
        Part { plan, waiting: mine, at_once, open: vec![None; plan.keys.len()], done: Vec::new() }.play(conn)
    });
    Ok(try_join_all(parts).await?.into_iter().flatten().collect())
}

/// What one connection does of a plan.
struct Part<'a> {
    plan: &'a Plan,
    waiting: Vec<usize>,
    at_once: usize,
    /// The turn under way of each session, and how many it has had.
    open: Vec<Option<(usize, Turn)>>,
    done: Vec<Turn>,
}

impl Part<'_> {
    async fn play(mut self, conn: &mut Conn) -> Result<Vec<Turn>> {
        self.waiting.reverse();
        let expected = self.waiting.len() * self.plan.turns;
        for _ in 0..self.at_once {
            self.begin_next(conn).await?;
        }
        while self.done.len() < expected {
            let message = conn.next().await?;
            let now = now_ns();
            self.hear(conn, text(&message), now).await?;
        }
        Ok(self.done)
    }

    async fn begin_next(&mut self, conn: &mut Conn) -> Result<()> {
        match self.waiting.pop() {
            Some(session) => self.speak(conn, session, 0).await,
            None => Ok(()),
        }
    }

    async fn speak(&mut self, conn: &mut Conn, session: usize, number: usize) -> Result<()> {
        let Plan { name, keys, say, .. } = self.plan;
        let (Some(key), Some(open)) = (keys.get(session), self.open.get_mut(session)) else { return Ok(()) };
        let run = format!("{name}.{session}.{number}");
        let params = json!({"sessionKey": key, "message": format!("{say} {number} [[tag={run}]]"), "idempotencyKey": run});
        let frame = format!(r#"{{"type":"req","id":"s","method":"chat.send","params":{params}}}"#);
        let turn = Turn { run, sent: now_ns(), delta: 0, ended: 0 };
        *open = Some((number, turn));
        conn.feed(frame).await
    }

    async fn hear(&mut self, conn: &mut Conn, frame: &str, now: u64) -> Result<()> {
        if !frame.starts_with(CHAT) {
            if response_id(frame).is_some() && is_refusal(frame) {
                bail!("chat.send was refused: {frame}");
            }
            return Ok(());
        }
        let Some(session) = session_of(frame, &self.plan.name) else { return Ok(()) };
        let Some(open) = self.open.get_mut(session) else { return Ok(()) };
        match quoted_after(frame, r#""state":""#) {
            Some("delta") => {
                if let Some((_, turn)) = open.as_mut().filter(|(_, turn)| turn.delta == 0) {
                    turn.delta = now;
                }
                Ok(())
            }
            Some("final") => {
                let Some((number, mut turn)) = open.take() else { return Ok(()) };
                turn.ended = now;
                self.done.push(turn);
                if number + 1 < self.plan.turns {
                    self.speak(conn, session, number + 1).await
                } else {
                    self.begin_next(conn).await
                }
            }
            Some("error" | "aborted") => bail!("a turn went wrong: {frame}"),
            _ => Ok(()),
        }
    }
}

/// Which session of the plan an event is about; other plans' and other clients' runs are nobody's.
fn session_of(frame: &str, plan: &str) -> Option<usize> {
    let run = quoted_after(frame, r#""runId":""#)?;
    let (session, _) = run.strip_prefix(plan)?.strip_prefix('.')?.split_once('.')?;
    session.parse().ok()
}

#[cfg(test)]
mod tests;
