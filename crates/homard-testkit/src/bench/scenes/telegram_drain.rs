//! A thousand answers that could not be sent, a power cut, and then a platform that takes them as fast as it allows.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::bench::bots::{Bots, written_at};
use crate::bench::conn::{Conn, quoted_after, text};
use crate::bench::machine::now_ns;
use crate::bench::report::{Limit, Report, Section};
use crate::bench::stage::{Stage, progress};
use crate::fake_telegram::{Fault, Outcome, Sent};

/// Messages that wait, each for somebody else.
const WAITING: usize = 1_000;
/// What Telegram allows a bot in a second, over all chats.
const ALLOWED: u32 = 30;
/// How long the turns may take, and then the sending.
const PATIENCE: Duration = Duration::from_secs(180);
/// How long is listened for messages sent twice.
const AFTERWARDS: Duration = Duration::from_secs(2);

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let count = stage.amount(WAITING);
    let bots = Bots::start(1).await?;
    let telegram = bots.first()?;
    let mut gateway = stage.gateway_with(&bots.config(stage)).await?;
    bots.connected().await?;
    telegram.faults_from(Some(Box::new(|method, _| (method == "sendMessage").then_some(Fault::Hang))));
    let mut conn = stage.conn(&gateway).await?;
    for person in 0..count {
        bots.hears(person, "hello")?;
    }
    let Ok(ended) = tokio::time::timeout(PATIENCE, turns(&mut conn, count)).await else {
        bail!("the turns whose answers are to wait did not end");
    };
    ended?;
    drop(conn);
    gateway.kill9().await?;
    telegram.faults_from(None).limits_rate(Some(ALLOWED));
    let began = now_ns();
    gateway.restart().await?;
    if !bots.until_answered(count, PATIENCE).await {
        progress("not everything that waited was sent");
    }
    tokio::time::sleep(AFTERWARDS).await;
    tell(&bots, count, began, report)
}

/// Waits for the ends of so many turns.
async fn turns(conn: &mut Conn, count: usize) -> Result<()> {
    let mut ended = 0;
    while ended < count {
        let message = conn.next().await?;
        let frame = text(&message);
        if !frame.starts_with(r#"{"type":"event","event":"chat","#) {
            continue;
        }
        match quoted_after(frame, r#""state":""#) {
            Some("final") => ended += 1,
            Some("error" | "aborted") => bail!("a turn went wrong: {frame}"),
            _ => {}
        }
    }
    Ok(())
}

fn tell(bots: &Bots, count: usize, began: u64, report: &mut Report) -> Result<()> {
    let times = since(began, &bots.written());
    let (first, last) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
    let rate = times.len().saturating_sub(1) as f64 / (last - first).max(f64::EPSILON);
    let tries = bots.first()?.calls_of("sendMessage");
    let refused = tries.iter().filter(|sent| matches!(sent.outcome, Outcome::Refused(429, _))).count();
    // A message that was refused was tried all the same; one that was lost was tried before the restart.
    let tried = tries.iter().filter(|sent| sent.outcome != Outcome::Lost);
    let most = busiest_second(&since(began, tried)) as f64;
    let wrong = bots.wrong(count, |_| 1)?;
    let mut section = Section::new(
        "Answers that waited through a restart",
        "Each is for another chat of one account. The platform takes nothing while the turns are played; then the process is killed, the platform comes back with Telegram's limit of 30 a second, and the gateway is started again. Times are from the start of the process.",
        &[
            "first s",
            "last s",
            "per second",
            "most tried in one second",
            "refused as too many",
            "never",
            "twice",
        ],
    );
    section.row(
        format!("{count} messages"),
        &[first, last, rate, most, refused as f64, wrong.missing as f64, wrong.surplus as f64],
    );
    report.add(section);
    report.promise("waiting messages sent per second after a restart", rate, "per s", Limit::AtLeast(20.0));
    report.promise("most of them tried in one second", most, "", Limit::AtMost(f64::from(ALLOWED)));
    report.promise("of them refused as too many", refused as f64, "", Limit::AtMost(0.0));
    report.promise("of them sent twice or never", wrong.count(), "", Limit::AtMost(0.0));
    Ok(())
}

/// When these were answered, in seconds after the beginning, sorted.
fn since<'s>(began: u64, calls: impl IntoIterator<Item = &'s Sent>) -> Vec<f64> {
    let seconds = |sent| written_at(sent).saturating_sub(began) as f64 / 1e9;
    let mut times: Vec<f64> = calls.into_iter().map(seconds).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Most moments within any one second; the moments are sorted.
fn busiest_second(times: &[f64]) -> usize {
    let within = |from: &f64| times.iter().filter(|time| (*from..*from + 1.0).contains(time)).count();
    times.iter().map(within).max().unwrap_or(0)
}
