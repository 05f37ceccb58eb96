//! Requests in a pipeline: as many per second as go through, or a fixed list of them.

use std::time::Duration;

use anyhow::{Result, bail};
use futures_util::future::try_join_all;

use super::conn::{Conn, is_refusal, response_id, text};
use super::machine::now_ns;

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// From request to response, in milliseconds.
    pub(super) millis: Vec<f64>,
    /// Bytes of one response.
    pub(super) bytes: usize,
}

/// Keeps `depth` requests under way on every connection for `span`.
pub(super) async fn hammer(
    conns: &mut [Conn],
    method: &str,
    params: &str,
    depth: usize,
    span: Duration,
) -> Result<Answers> {
    let until = now_ns().saturating_add(u64::try_from(span.as_nanos())?);
    let tail = format!(r#"","method":"{method}","params":{params}}}"#);
    let all = try_join_all(conns.iter_mut().map(|conn| one(conn, &tail, depth, until))).await?;
    let bytes = all.first().map_or(0, |answers| answers.bytes);
    Ok(Answers { millis: all.into_iter().flat_map(|answers| answers.millis).collect(), bytes })
}

async fn one(conn: &mut Conn, tail: &str, depth: usize, until: u64) -> Result<Answers> {
    let mut answers = Answers::default();
    let mut sent = vec![0_u64; depth];
    for (slot, at) in sent.iter_mut().enumerate() {
        *at = now_ns();
        conn.feed(format!(r#"{{"type":"req","id":"{slot}{tail}"#)).await?;
    }
    let mut open = depth;
    while open > 0 {
        let message = conn.next().await?;
        let now = now_ns();
        let frame = text(&message);
        let Some(slot) = response_id(frame).and_then(|id| id.parse::<usize>().ok()) else { continue };
        let Some(at) = sent.get_mut(slot) else { continue };
        if is_refusal(frame) {
            bail!("refused: {frame}");
        }
        answers.millis.push(now.saturating_sub(*at) as f64 / 1e6);
        answers.bytes = frame.len();
        if now >= until {
            open -= 1;
            continue;
        }
        *at = now;
        conn.feed(format!(r#"{{"type":"req","id":"{slot}{tail}"#)).await?;
    }
    Ok(answers)
}

/// Sends one request for each of `params`, `depth` at a time.
pub(super) async fn each(
    conn: &mut Conn,
    method: &str,
    depth: usize,
    params: impl IntoIterator<Item = String>,
) -> Result<()> {
    let mut frames = params
        .into_iter()
        .map(|params| format!(r#"{{"type":"req","id":"0","method":"{method}","params":{params}}}"#));
    let mut open = 0_usize;
    for frame in frames.by_ref().take(depth) {
        conn.feed(frame).await?;
        open += 1;
    }
    while open > 0 {
        let message = conn.next().await?;
        let frame = text(&message);
        if response_id(frame).is_none() {
            continue;
        }
        if is_refusal(frame) {
            bail!("{method} was refused: {frame}");
        }
        match frames.next() {
            Some(next) => conn.feed(next).await?,
            None => open -= 1,
        }
    }
    Ok(())
}
