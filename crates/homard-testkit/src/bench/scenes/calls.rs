//! Model calls without a gateway: each program measures a part where it lives and prints a JSON document.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use crate::bench::report::{Measured, Report};
use crate::bench::stage::progress;

/// Plays the scene.
pub(in crate::bench) async fn play(measurers: &[PathBuf], report: &mut Report) -> Result<()> {
    for program in measurers {
        let name = program.display();
        progress(&format!("{name}"));
        let ran = Command::new(program).output().await.with_context(|| format!("could not start {name}"))?;
        ensure!(ran.status.success(), "{name} failed: {}", String::from_utf8_lossy(&ran.stderr));
        let measured: Measured = serde_json::from_slice(&ran.stdout)
            .with_context(|| format!("could not read what {name} printed"))?;
        report.add_measured(measured);
    }
    Ok(())
}
