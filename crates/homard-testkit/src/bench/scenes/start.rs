//! Start to `/readyz`, size of the binary, memory at rest.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::bench::http::get;
use crate::bench::machine::{cpu_of, memory_of, now_ns};
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::stage::Stage;
use crate::client::capped;
use crate::gateway::{TEST_TOKEN, free_port};
use crate::home::TestHome;

/// Starts of each kind.
const STARTS: usize = 20;
/// Between two looks at `/readyz`: short beside what is measured, long beside what a look costs.
const LOOK: Duration = Duration::from_micros(250);
/// After this long a start has failed.
const PATIENCE_NS: u64 = 30_000_000_000;
/// How long a gateway is left alone before it counts as idle.
const SETTLE: Duration = Duration::from_secs(2);

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let binary = &stage.homard;
    let size = fs::metadata(binary).with_context(|| format!("no {}", binary.display()))?.len() as f64 / 1e6;
    let mut section = Section::new(
        "Start to `/readyz`",
        "From `spawn` to the first 200, looked at every 0.25 ms; CPU time of the whole process up to then.",
        &["best ms", "median ms", "worst ms", "median CPU ms"],
    );
    let starts = stage.amount(STARTS);
    let mut empty = Starts::default();
    for _ in 0..starts {
        empty.add(start(binary, &TestHome::new()?).await?);
    }
    empty.row(&mut section, "empty state directory");
    let home = TestHome::with_config(&stage.config())?;
    start(binary, &home).await?;
    let mut existing = Starts::default();
    for _ in 0..starts {
        existing.add(start(binary, &home).await?);
    }
    existing.row(&mut section, "existing state directory");
    report.add(section);
    report.promise("start to ready, empty state (median)", empty.wall(0.5), "ms", Limit::AtMost(50.0));
    report.promise("start to ready, existing state (median)", existing.wall(0.5), "ms", Limit::AtMost(50.0));
    let cpu = empty.cpu().max(existing.cpu());
    report.promise("CPU to start (median, the dearer of both)", cpu, "ms", Limit::AtMost(30.0));

    let gateway = stage.gateway().await?;
    tokio::time::sleep(SETTLE).await;
    let memory = memory_of(gateway.pid()?)?;
    let mut section = Section::new("Size", "", &["MB"]);
    section.row("binary", &[size]);
    section.row("idle after start, RSS", &[memory.rss]);
    section.row("idle after start, PSS", &[memory.pss]);
    report.add(section);
    report.promise("idle memory (RSS)", memory.rss, "MB", Limit::AtMost(20.0));
    Ok(())
}

/// Starts of one kind, in milliseconds.
#[derive(Default)]
pub(in crate::bench) struct Starts {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl Starts {
    pub(in crate::bench) fn add(&mut self, (wall, cpu): (f64, f64)) {
        self.wall.push(wall);
        self.cpu.push(cpu);
    }

    pub(in crate::bench) fn wall(&self, p: f64) -> f64 {
        quantile(&self.wall, p)
    }

    pub(in crate::bench) fn cpu(&self) -> f64 {
        quantile(&self.cpu, 0.5)
    }

    fn row(&self, section: &mut Section, what: &str) {
        section.row(what, &[self.wall(0.0), self.wall(0.5), self.wall(1.0), self.cpu()]);
    }
}

/// Starts a gateway, waits until it is ready and stops it; wall and CPU time in milliseconds.
pub(in crate::bench) async fn start(binary: &Path, home: &TestHome) -> Result<(f64, f64)> {
    let port = free_port()?;
    let began = now_ns();
    let mut child = spawn(binary, home, port)?;
    while !matches!(get(port, "/readyz"), Ok((200, _))) {
        if now_ns().saturating_sub(began) > PATIENCE_NS {
            bail!("the gateway did not become ready");
        }
        if let Some(status) = child.try_wait()? {
            bail!("the gateway ended with {status}");
        }
        // Nothing else runs in this process now, and a runtime's timer is too coarse.
        std::thread::sleep(LOOK);
    }
    let wall = now_ns().saturating_sub(began) as f64 / 1e6;
    let pid = child.id().context("the gateway ended")?;
    let cpu = cpu_of(pid)?.as_secs_f64() * 1e3;
    kill_process(Pid::from_raw(i32::try_from(pid)?).context("process id 0")?, Signal::TERM)?;
    capped("the gateway to end", async { Ok(child.wait().await?) }).await?;
    Ok((wall, cpu))
}

fn spawn(binary: &Path, home: &TestHome, port: u16) -> Result<Child> {
    let mut command = Command::new(binary);
    command
        .arg("gateway")
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home.path())
        .env("HOMARD_STATE_DIR", home.state_dir())
        .env("HOMARD_GATEWAY_PORT", port.to_string())
        .env("HOMARD_GATEWAY_TOKEN", TEST_TOKEN)
        .current_dir(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    command.spawn().with_context(|| format!("could not start {}", binary.display()))
}
