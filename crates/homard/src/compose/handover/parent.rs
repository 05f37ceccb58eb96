//! What stays of a process that handed over, when somebody watches that very process: a shell, a container, a
//! supervisor. It passes signals on and ends when the gateway does.
//!
//! Who is the gateway by now is read from the lock: it may have handed over again.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use rustix::process::{Signal, kill_process};
use tokio::process::Child;
use tokio::signal::unix::{SignalKind, signal};

use crate::compose::lock::{Holder, holder};

/// How often to look whether the gateway is still there.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Passes signals on until the gateway ends.
///
/// # Errors
/// When it ended without saying goodbye, so that whoever watches us knows.
pub(crate) async fn watch(lock: &Path, mut child: Child) -> anyhow::Result<()> {
    let hear = |kind| signal(kind).context("signals cannot be heard");
    let (mut interrupt, mut terminate) = (hear(SignalKind::interrupt())?, hear(SignalKind::terminate())?);
    let (mut restart, mut hand_over) =
        (hear(SignalKind::user_defined1())?, hear(SignalKind::user_defined2())?);
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        let passed = tokio::select! {
            _ = interrupt.recv() => Signal::INT,
            _ = terminate.recv() => Signal::TERM,
            _ = restart.recv() => Signal::USR1,
            _ = hand_over.recv() => Signal::USR2,
            _look = looks.tick() => {
                // Also takes note of its end, so that it does not stay a zombie.
                let is_over = child.try_wait().context("the gateway cannot be watched")?;
                match holder(lock) {
                    Holder::Process(_) => continue,
                    Holder::Nobody => return Ok(()),
                    Holder::Crashed => bail!(
                        "the gateway ended unexpectedly{}",
                        is_over.map(|status| format!(" ({status})")).unwrap_or_default()
                    ),
                }
            }
        };
        if let Holder::Process(Some(pid)) = holder(lock) {
            kill_process(pid, passed).context("a signal could not be passed on")?;
        }
    }
}
