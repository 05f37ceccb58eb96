//! How fast a gigabyte is backed up, beside what the disk can do, and whether a running chat notices.
//!
//! What is asked here is asked by a thread that comes before everything else, where that is allowed. How late it was all
//! the same is told beside what it measured, and taken from nothing.

mod state;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use self::state::{Sizes, fill};
use crate::bench::conn::{Conn, is_refusal, quoted_after, response_id, text};
use crate::bench::machine::now_ns;
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::stage::{Stage, progress};
use crate::device::TestDevice;
use crate::gateway::TestGateway;
use crate::home::TestHome;

/// So long is listened without a backup, and with one after the other.
const SPAN: Duration = Duration::from_secs(20);
/// Between two requests of the one who only asks.
const PACE: Duration = Duration::from_millis(5);
/// A model that takes its time, as those of people do.
const SAY: &str = "hello [[first=20]] [[delay=5]] [[chunks=5]]";
/// Turns in one conversation.
const TURNS: usize = 10;
/// How much the asking thread comes before others.
const FIRST: i32 = -10;
/// Longer than this is a pause.
const PAUSE_MS: f64 = 10.0;
const MIB: usize = 1024 * 1024;

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let home = TestHome::with_config(&stage.config())?;
    let mut gateway = stage.gateway_in(home).await?;
    gateway.terminate().await?;
    progress("making a state to back up");
    let sizes = Sizes::of(stage);
    fill(&gateway.home().state_dir(), &sizes)?;
    gateway.restart().await?;
    // What was just written must not be on its way to the disk any more.
    rustix::fs::sync();
    let span = Duration::from_secs(stage.amount(usize::try_from(SPAN.as_secs())?) as u64);
    let disk_before = disk_speed(gateway.home().path(), sizes.all())?;
    let archives = Archives { homard: &stage.homard, home: gateway.home().path(), sizes: &sizes };

    progress("a chat without a backup");
    let alone = listened(stage, &gateway, "alone", || park(span))?;
    progress("the same with backups");
    let (mut took, mut packed): (Vec<f64>, u64) = (Vec::new(), 0);
    let beside = listened(stage, &gateway, "beside", || {
        while took.iter().sum::<f64>() < span.as_secs_f64() {
            let (seconds, bytes) = archives.create()?;
            took.push(seconds);
            packed = bytes;
        }
        Ok(())
    })?;
    progress("reading the archive");
    archives.create()?;
    let verified = archives.timed(&["verify"])?;
    let unpacked = archives.timed(&["restore", "--to", "unpacked"])?;
    let disk = (disk_before + disk_speed(gateway.home().path(), sizes.all())?) / 2.0;

    let mut section = Section::new(
        "Backup",
        "A state of 600 MB conversations, 300 MB database and 100 MB that cannot be packed. *Disk* is as many zeros written and flushed, before and after; the gateway runs, and a chat while archives are made.",
        &["s", "MB/s", "× disk", "archive MB"],
    );
    let megabytes = sizes.all() as f64 / 1e6;
    let mut row = |what: &str, seconds: f64, archive: f64| {
        let speed = megabytes / seconds;
        section.row(what, &[seconds, speed, speed / disk, archive]);
        speed / disk
    };
    let speed = row("`backup create`, median", quantile(&took, 0.5), packed as f64 / 1e6);
    row("`backup verify`", verified, f64::NAN);
    row("`backup restore --to`", unpacked, f64::NAN);
    row("the disk", megabytes / disk, f64::NAN);
    report.add(section);
    report.promise("backup of 1 GB", speed, "× the disk", Limit::AtLeast(1.0));
    tell_pauses(report, &alone, &beside);
    Ok(())
}

fn tell_pauses(report: &mut Report, alone: &Seen, beside: &Seen) {
    let mut section = Section::new(
        "A chat beside a backup",
        "A request every 5 ms, and one turn after the other with a model that streams 5 words. *Late* is the asking thread itself: how long after its time it woke.",
        &["p50 ms", "p99 ms", "99.9 % ms", "longest ms", "over 10 ms", "count"],
    );
    let mut row = |what: &str, times: &[f64]| {
        let at = |p| quantile(times, p);
        let over = times.iter().filter(|took| **took > PAUSE_MS).count();
        section.row(what, &[at(0.5), at(0.99), at(0.999), at(1.0), over as f64, times.len() as f64]);
    };
    row("`health`, alone", &alone.health);
    row("`health`, beside a backup", &beside.health);
    row("`chat.send` taken, alone", &alone.sends);
    row("`chat.send` taken, beside a backup", &beside.sends);
    row("late, alone", &alone.late);
    row("late, beside a backup", &beside.late);
    report.add(section);
    let longest = |seen: &Seen| quantile(&seen.health, 1.0).max(quantile(&seen.sends, 1.0));
    report.promise("longest pause beside a backup", longest(beside), "ms", Limit::AtMost(PAUSE_MS));
    report.promise("the same without one", longest(alone), "ms", Limit::AtMost(PAUSE_MS));
}

/// Makes and reads archives of one home, as its owner would.
struct Archives<'a> {
    homard: &'a Path,
    home: &'a Path,
    sizes: &'a Sizes,
}

impl Archives<'_> {
    /// Makes one in place of the last; says how long it took, and its length.
    fn create(&self) -> Result<(f64, u64)> {
        let archive = self.home.join("one.tar.gz");
        fs::remove_file(&archive).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _other => Err(error),
        })?;
        let seconds = self.run(&["create", "--output", "one.tar.gz"])?;
        let bytes = fs::metadata(&archive).context("no archive was made")?.len();
        ensure!(bytes > self.sizes.noise, "the archive is too small to be whole");
        Ok((seconds, bytes))
    }

    /// Does something with it.
    fn timed(&self, words: &[&str]) -> Result<f64> {
        let (verb, options) = words.split_first().context("a verb")?;
        self.run(&[&[*verb, "one.tar.gz"][..], options].concat())
    }

    #[expect(clippy::disallowed_methods, reason = "nothing else may run on this thread while it is timed")]
    fn run(&self, words: &[&str]) -> Result<f64> {
        let mut command = Command::new(self.homard);
        command.arg("backup").args(words).env_clear().env("HOME", self.home);
        command.env("HOMARD_STATE_DIR", self.home.join(".homard")).current_dir(self.home);
        let began = now_ns();
        let out = command.stdin(Stdio::null()).output().context("homard does not start")?;
        let seconds = now_ns().saturating_sub(began) as f64 / 1e9;
        if !out.status.success() {
            bail!("backup {words:?} failed: {}", String::from_utf8_lossy(&out.stderr));
        }
        Ok(seconds)
    }
}

/// As many zeros as the state has bytes, written and flushed: megabytes a second.
fn disk_speed(folder: &Path, bytes: u64) -> Result<f64> {
    let path = folder.join("zeros");
    let block = vec![0; MIB];
    let began = now_ns();
    let mut file = File::create(&path)?;
    for _ in 0..bytes / MIB as u64 {
        file.write_all(&block)?;
    }
    file.sync_all()?;
    let seconds = now_ns().saturating_sub(began) as f64 / 1e9;
    fs::remove_file(&path)?;
    Ok(bytes as f64 / 1e6 / seconds)
}

fn park(span: Duration) -> Result<()> {
    let until = now_ns().saturating_add(u64::try_from(span.as_nanos())?);
    while now_ns() < until {
        std::thread::park_timeout(Duration::from_nanos(until.saturating_sub(now_ns())));
    }
    Ok(())
}

/// What a client saw of a gateway; all in milliseconds.
#[derive(Default)]
struct Seen {
    health: Vec<f64>,
    /// From `chat.send` until it was acknowledged: then the message is kept.
    sends: Vec<f64>,
    late: Vec<f64>,
}

/// Talks and asks on a thread of its own while something is done.
fn listened(
    stage: &Stage,
    gateway: &TestGateway,
    name: &str,
    during: impl FnOnce() -> Result<()>,
) -> Result<Seen> {
    let is_over = AtomicBool::new(false);
    let (port, token) = (gateway.port(), gateway.token());
    std::thread::scope(|scope| {
        let client = scope.spawn(|| {
            // Where it is not allowed, its lateness says so.
            rustix::process::nice(FIRST).ok();
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(talk_and_ask((port, token), &stage.device, name, &is_over))
        });
        let done = during();
        is_over.store(true, Ordering::Relaxed);
        let seen = client.join().ok().context("the client fell over")?;
        done.and(seen)
    })
}

async fn talk_and_ask(
    (port, token): (u16, &str),
    device: &TestDevice,
    name: &str,
    is_over: &AtomicBool,
) -> Result<Seen> {
    let mut asking = Conn::operator(port, token, device, &["session-scoped-events"]).await?;
    let mut talking = Conn::operator(port, token, device, &["session-scoped-events"]).await?;
    let (asked, sends) =
        futures_util::future::try_join(ask(&mut asking, is_over), talk(&mut talking, name, is_over)).await?;
    Ok(Seen { sends, ..asked })
}

/// A request at every beat, until it is over.
async fn ask(conn: &mut Conn, is_over: &AtomicBool) -> Result<Seen> {
    let mut seen = Seen::default();
    let mut beats = tokio::time::interval(PACE);
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !is_over.load(Ordering::Relaxed) {
        let due = beats.tick().await;
        seen.late.push(due.elapsed().as_secs_f64() * 1e3);
        let began = now_ns();
        conn.feed(r#"{"type":"req","id":"ask","method":"health","params":{}}"#.to_owned()).await?;
        while response_id(text(&conn.next().await?)) != Some("ask") {}
        seen.health.push(millis_since(began));
    }
    Ok(seen)
}

/// One turn after the other, until it is over; how long each took to be acknowledged.
async fn talk(conn: &mut Conn, name: &str, is_over: &AtomicBool) -> Result<Vec<f64>> {
    let mut sends = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let (turn, key) = (sends.len(), format!("agent:main:{name}-{}", sends.len() / TURNS));
        if turn.is_multiple_of(TURNS) {
            conn.listen([&key]).await?;
        }
        let run = format!("{name}.{turn}");
        let params = json!({"sessionKey": key, "message": SAY, "idempotencyKey": run});
        let began = now_ns();
        conn.feed(format!(r#"{{"type":"req","id":"say","method":"chat.send","params":{params}}}"#)).await?;
        let (mut is_taken, mut is_said) = (false, false);
        while !(is_taken && is_said) {
            let message = conn.next().await?;
            let frame = text(&message);
            if response_id(frame) == Some("say") {
                ensure!(!is_refusal(frame), "chat.send was refused: {frame}");
                sends.push(millis_since(began));
                is_taken = true;
            }
            let is_mine = quoted_after(frame, r#""runId":""#) == Some(run.as_str());
            match quoted_after(frame, r#""state":""#).filter(|_| is_mine) {
                Some("final") => is_said = true,
                Some("error" | "aborted") => bail!("a turn went wrong: {frame}"),
                _under_way => {}
            }
        }
    }
    Ok(sends)
}

fn millis_since(began: u64) -> f64 {
    now_ns().saturating_sub(began) as f64 / 1e6
}
