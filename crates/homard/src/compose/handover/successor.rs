//! The side of the process that takes over: it gets ready, waits for the store, and says when it serves.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use homard_config::Environment;
use homard_runtime::{OrLog, off_thread};

use super::MARK_VARIABLE;
use super::line::{HandoverLine, HandoverWord, VERSION};
use crate::compose::listeners::Listeners;
use crate::compose::lock::Lock;

/// How long the first word may take.
const OFFER_PATIENCE: Duration = Duration::from_secs(5);

/// A process that was started to take over.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    line: Arc<HandoverLine>,
}

/// What was handed over.
pub(crate) struct Inheritance {
    pub(crate) door: Listeners,
    pub(crate) lock: Lock,
    /// Whether a process in front of us passes signals on.
    pub(crate) has_parent: bool,
}

impl Arrival {
    /// Whether this process was started to take over: then its standard input is the line.
    pub(crate) fn of(environment: &Environment) -> anyhow::Result<Option<Self>> {
        if !environment.flag(MARK_VARIABLE) {
            return Ok(None);
        }
        let line =
            std::io::stdin().as_fd().try_clone_to_owned().context("there is no line to the gateway")?;
        // Nobody else is to read from it.
        let nothing = std::fs::File::open("/dev/null").context("could not open /dev/null")?;
        rustix::stdio::dup2_stdin(&nothing).context("could not let go of the line")?;
        Ok(Some(Self { line: Arc::new(HandoverLine::over(UnixStream::from(line))) }))
    }

    /// Takes what is handed over.
    pub(crate) fn take(&self) -> anyhow::Result<Inheritance> {
        let (word, files) =
            self.line.hear_with(Some(OFFER_PATIENCE)).context("the gateway that runs said nothing")?;
        let HandoverWord::Offer { version: VERSION, has_parent } = word else {
            bail!("the gateway that runs hands over in another way than this program knows");
        };
        let mut files = files.into_iter();
        let (Some(lock), listeners) = (files.next(), files.collect::<Vec<_>>()) else {
            bail!("the gateway that runs handed over no lock");
        };
        if listeners.is_empty() {
            bail!("the gateway that runs handed over nothing to listen on");
        }
        Ok(Inheritance { door: Listeners::handed_over(listeners), lock: Lock::handed_over(lock), has_parent })
    }

    /// Says that everything is prepared, and waits until the store is free. `false` when the other process
    /// goes on instead.
    pub(crate) async fn wait_for_store(&self) -> anyhow::Result<bool> {
        let line = Arc::clone(&self.line);
        let waited = off_thread(move || {
            line.say(&HandoverWord::Ready { version: env!("CARGO_PKG_VERSION").to_owned() })?;
            line.hear(None)
        });
        match waited.await.context("the wait for the store ended unexpectedly")? {
            Ok(HandoverWord::Go) => Ok(true),
            Ok(_) => bail!("the gateway that runs said something unexpected"),
            Err(_gone) => Ok(false),
        }
    }

    /// Everybody is let in.
    pub(crate) fn serving(&self) {
        self.line.say(&HandoverWord::Serving).or_log("the gateway before does not hear that this one serves");
    }

    /// It does not work; the other process goes on.
    pub(crate) fn failed(&self, error: &anyhow::Error) {
        if self.line.say(&HandoverWord::Failed { error: format!("{error:#}") }).is_err() {
            tracing::debug!("the gateway before is gone already");
        }
    }
}
