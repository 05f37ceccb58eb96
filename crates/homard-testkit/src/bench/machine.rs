//! What a process costs: CPU time to the nanosecond, memory, and the monotonic clock all processes share.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use nix::time::{ClockId, clock_getcpuclockid};
use nix::unistd::Pid;
use rustix::time::clock_gettime;

/// Nanoseconds of the monotonic clock, comparable with the fake model server's stamps.
pub(super) fn now_ns() -> u64 {
    let time = clock_gettime(rustix::time::ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// CPU time a process has used so far, all threads, the ended ones too. `/proc/PID/stat` counts the same in
/// steps of 10 ms, which is ten turns.
pub(super) fn cpu_of(pid: u32) -> Result<Duration> {
    let clock = clock_getcpuclockid(Pid::from_raw(i32::try_from(pid)?)).context("no CPU clock")?;
    read(clock)
}

/// CPU time of this process.
pub(super) fn own_cpu() -> Result<Duration> {
    read(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

fn read(clock: ClockId) -> Result<Duration> {
    Ok(Duration::from(clock.now().context("the CPU clock cannot be read")?))
}

/// How much memory a process holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    /// Resident, in megabytes of 1,000,000 bytes.
    pub(super) rss: f64,
    /// The same with shared pages counted in part.
    pub(super) pss: f64,
    /// What is in no file: the program's own pages do not count.
    pub(super) own: f64,
}

/// Reads a process's memory.
pub(super) fn memory_of(pid: u32) -> Result<Memory> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).context("no memory figures")?;
    let read = |name| megabytes(&text, name);
    Ok(Memory { rss: read("Rss:")?, pss: read("Pss:")?, own: read("Anonymous:")? })
}

fn megabytes(text: &str, name: &str) -> Result<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()).and_then(|n| n.parse::<f64>().ok());
    Ok(kibibytes.ok_or_else(|| anyhow!("no {name} among the memory figures"))? * 1_024.0 / 1e6)
}

/// One line about the machine, for whoever reads the table later.
pub(super) fn describe() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let info = read("/proc/cpuinfo");
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, name)| name);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or("?");
    format!(
        "{cpus} cores ({model}), Linux {}, load average {load} at the start",
        read("/proc/sys/kernel/osrelease")
    )
}

/// CPU times at one moment, to be subtracted later.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meter {
    gateway: u32,
    fake: u32,
    began: u64,
    at: [Duration; 3],
}

/// What a stretch of work cost each process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    pub(super) wall: Duration,
    pub(super) gateway: Duration,
    pub(super) fake: Duration,
    pub(super) client: Duration,
}

impl Meter {
    /// Starts counting for these two processes and this one.
    pub(super) fn start(gateway: u32, fake: u32) -> Result<Self> {
        let at = [cpu_of(gateway)?, cpu_of(fake)?, own_cpu()?];
        Ok(Self { gateway, fake, began: now_ns(), at })
    }

    /// What was spent since.
    pub(super) fn stop(&self) -> Result<Spent> {
        let wall = Duration::from_nanos(now_ns().saturating_sub(self.began));
        let [gateway, fake, client] = self.at;
        Ok(Spent {
            wall,
            gateway: cpu_of(self.gateway)?.saturating_sub(gateway),
            fake: cpu_of(self.fake)?.saturating_sub(fake),
            client: own_cpu()?.saturating_sub(client),
        })
    }
}
