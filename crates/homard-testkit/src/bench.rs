//! The benchmark: a real gateway process, the fake model server in another, and this process as the people.
//!
//! Reading order: this file is the programme, `stage` is what every scene stands on, `scenes` are what is
//! measured, `turns`, `requests` and `bots` make the load, `machine` reads the clocks, `report` prints.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};

mod bots;
mod compare;
mod conn;
mod http;
mod machine;
mod model;
mod report;
mod requests;
mod scenes;
mod stage;
mod transcript;
mod turns;

pub use compare::{Comparison, compare_builds};
pub use report::Report;
pub use scenes::work::Work;

use scenes::{
    backup, calls, crowd, fanout, growth, jobs, load, memory, rpc, soak, start, telegram_drain,
    telegram_idle, telegram_latency, telegram_load, turn, work,
};
use stage::{Stage, progress};

/// The parts of the benchmark, in the order they are played.
pub const SCENES: [&str; 15] = [
    "calls",
    "start",
    "turn",
    "load",
    "rpc",
    "growth",
    "crowd",
    "jobs",
    "memory",
    "backup",
    "fanout",
    "telegram-latency",
    "telegram-load",
    "telegram-drain",
    "telegram-idle",
];

/// What to measure and with what.
#[derive(Debug, Clone)]
pub struct BenchOptions {
    pub homard: PathBuf,
    pub fake: PathBuf,
    /// Programs that measure parts which need no gateway, and print what they found.
    pub measurers: Vec<PathBuf>,
    /// A tenth of the work, to see that everything still runs; the figures mean little.
    pub quick: bool,
    /// Only these of [`SCENES`]; all when none is named.
    pub only: Vec<String>,
    /// Instead of the scenes, work at an even pace for so long and watch the memory.
    pub soak: Option<Duration>,
    /// Instead of the scenes, only this.
    pub work: Option<Work>,
}

/// Measures everything. Must be called inside a runtime, best one with a single thread: what this process
/// spends is missing elsewhere.
///
/// # Errors
/// When a process does not start, a turn fails, or the scene asked for does not exist.
pub async fn run_bench(options: &BenchOptions) -> Result<Report> {
    if let Some(only) = options.only.iter().find(|only| !SCENES.contains(&only.as_str())) {
        bail!("there is no scene `{only}`; there are {}", SCENES.join(", "));
    }
    let mut report = Report::new(machine::describe());
    let stage = Stage::set(options).await?;
    if let Some(long) = options.soak {
        soak::play_for(&stage, long, &mut report).await?;
        return Ok(report);
    }
    if let Some(work) = options.work {
        work::play(&stage, work, &mut report).await?;
        return Ok(report);
    }
    play_scenes(options, &stage, &mut report).await?;
    Ok(report)
}

async fn play_scenes(options: &BenchOptions, stage: &Stage, report: &mut Report) -> Result<()> {
    for scene in SCENES {
        if !options.only.is_empty() && !options.only.iter().any(|only| only == scene) {
            continue;
        }
        progress(&format!("scene: {scene}"));
        match scene {
            "calls" => calls::play(&options.measurers, report).await?,
            "start" => start::play(stage, report).await?,
            "turn" => turn::play(stage, report).await?,
            "load" => load::play(stage, report).await?,
            "rpc" => rpc::play(stage, report).await?,
            "growth" => growth::play(stage, report).await?,
            "crowd" => crowd::play(stage, report).await?,
            "jobs" => jobs::play(stage, report).await?,
            "memory" => memory::play(stage, report).await?,
            "backup" => backup::play(stage, report).await?,
            "telegram-latency" => telegram_latency::play(stage, report).await?,
            "telegram-load" => telegram_load::play(stage, report).await?,
            "telegram-drain" => telegram_drain::play(stage, report).await?,
            "telegram-idle" => telegram_idle::play(stage, report).await?,
            _ => fanout::play(stage, report).await?,
        }
    }
    Ok(())
}
