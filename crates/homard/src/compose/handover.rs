//! Hand-over: another program takes the place of a running gateway, and nobody who connects is refused.
//!
//! 1. The running gateway starts the new program and passes it the listening socket and the lock.
//! 2. The new one reads its settings, does everything that needs no store, and says that it is ready. Until then
//!    nothing has changed for anybody; if it does not get there, the old one goes on.
//! 3. The old one begins no more turns, lets those under way finish, and keeps what comes in.
//! 4. It stops accepting (whoever connects now waits in the socket), closes its own connections with 1012, and
//!    closes the store: there is one writer at any time.
//! 5. The new one opens the store, answers what was kept, accepts, and says so. The old one ends, or stays as a
//!    [`parent`] where somebody watches its process. If the new one fails even now, the old one opens the store
//!    again and goes on.

mod line;
pub(crate) mod parent;
pub(crate) mod successor;

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use homard_config::ConfigSource;
use homard_runtime::{OrLog, millis, off_thread, replace_shared};
use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};

use self::line::{HandoverLine, HandoverWord, VERSION};
use super::Supervisor;
use super::systemd::WATCHDOG_PID_VARIABLE;

/// Marks a process that was started to take over.
const MARK_VARIABLE: &str = "HOMARD_HANDOVER";
/// How long the new program may take to get ready.
const READY_PATIENCE: Duration = Duration::from_secs(15);
/// How long it may take to open the store and let everybody in.
const SERVING_PATIENCE: Duration = Duration::from_secs(30);
/// What is not passed on to the new program: it would stop the gateway it takes over from.
const NOT_PASSED_ON: &str = "--force";
/// What Linux adds to the name of a running program whose file is gone.
const REPLACED: &str = " (deleted)";
/// Longest wish that is read.
const MAX_WISH_BYTES: u64 = 16 * 1024;

/// What `homard gateway handover` leaves for the gateway before it signals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HandoverRequest {
    /// Comes back in the outcome.
    pub(crate) id: String,
    /// The program that is to take over.
    pub(crate) binary: PathBuf,
}

/// What became of a hand-over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HandoverOutcome {
    /// Whose wish it was; `None` after a bare signal.
    pub(crate) id: Option<String>,
    /// The new process and its version; `None` when the old one went on.
    pub(crate) successor: Option<NewProcess>,
    /// How long new connections waited, in milliseconds.
    pub(crate) gap_ms: Option<u64>,
    /// Why the old one went on.
    pub(crate) error: Option<String>,
}

/// Who took over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NewProcess {
    pub(crate) pid: u32,
    pub(crate) version: String,
}

/// Where a running program lies, or lay: Linux marks the name of one whose file was replaced.
pub(crate) fn place_of(running: &Path) -> PathBuf {
    let name = running.to_string_lossy();
    PathBuf::from(name.strip_suffix(REPLACED).unwrap_or(&name))
}

/// Where a wish lies.
pub(crate) fn wish_file(source: &ConfigSource) -> PathBuf {
    source.paths.state_dir.join("handover.json")
}

/// Where its outcome will lie.
pub(crate) fn outcome_file(source: &ConfigSource) -> PathBuf {
    source.paths.state_dir.join("handover-outcome.json")
}

/// A program that is ready to take over. Ended when dropped, unless it has.
pub(crate) struct Successor {
    child: Option<Child>,
    line: HandoverLine,
    successor: NewProcess,
    wish: Option<HandoverRequest>,
}

impl Drop for Successor {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            child.start_kill().or_log("a program that was to take over is left behind");
        }
    }
}

impl Successor {
    /// Starts the wished program and waits until it is ready; tells the one who wished when it does not work.
    pub(crate) async fn start(supervisor: &Supervisor, source: &ConfigSource) -> Option<Self> {
        let wish = take_wish(&wish_file(source));
        let binary = wish.as_ref().map_or_else(|| supervisor.program(), |wish| wish.binary.clone());
        tracing::info!(binary = %binary.display(), "starting a program to take over");
        match start(supervisor, source, &binary).await {
            Ok((child, line, successor)) => Some(Self { child: Some(child), line, successor, wish }),
            Err(error) => {
                let error = format!("{error:#}");
                tracing::error!(%error, "no hand-over; this gateway goes on");
                let id = wish.map(|wish| wish.id);
                tell(source, &HandoverOutcome { id, successor: None, gap_ms: None, error: Some(error) });
                None
            }
        }
    }

    /// Lets it open the store, and waits until it serves. On success it is on its own.
    ///
    /// # Errors
    /// When it does not; the store is free again then.
    pub(crate) async fn take_over(
        mut self,
        supervisor: &Supervisor,
        source: &ConfigSource,
        shut_at: Instant,
    ) -> anyhow::Result<Child> {
        supervisor.systemd.main_process_is(self.successor.pid);
        let line = self.line.again().context("the line to the new program broke");
        let served = match line {
            Ok(line) => blocking(move || {
                line.say(&HandoverWord::Go)?;
                line.hear(Some(SERVING_PATIENCE))
            })
            .await
            .map_err(|error| anyhow!(silence(&error)))
            .and_then(|word| match word {
                HandoverWord::Serving => Ok(()),
                HandoverWord::Failed { error } => Err(anyhow!(error)),
                _ => Err(anyhow!("it said something unexpected")),
            }),
            Err(error) => Err(error),
        };
        let id = self.wish.take().map(|wish| wish.id);
        let gap_ms = millis(shut_at.elapsed());
        match (served, self.child.take()) {
            (Ok(()), Some(child)) => {
                let successor = self.successor.clone();
                tracing::info!(pid = successor.pid, version = %successor.version, gap_ms, "handed over");
                tell(
                    source,
                    &HandoverOutcome { id, successor: Some(successor), gap_ms: Some(gap_ms), error: None },
                );
                Ok(child)
            }
            (served, child) => {
                let error = served.err().unwrap_or_else(|| anyhow!("it is gone"));
                supervisor.systemd.main_process_is(std::process::id());
                supervisor.sign().or_log("the lock names another process");
                if let Some(mut child) = child {
                    // The store must be free before we open it again.
                    child.kill().await.or_log("a program that was to take over is left behind");
                }
                let words = format!("{error:#}");
                tell(source, &HandoverOutcome { id, successor: None, gap_ms: None, error: Some(words) });
                Err(error)
            }
        }
    }
}

async fn start(
    supervisor: &Supervisor,
    source: &ConfigSource,
    binary: &Path,
) -> anyhow::Result<(Child, HandoverLine, NewProcess)> {
    if !binary.is_absolute() || !binary.is_file() {
        bail!("`{}` is not a program; give its whole path", binary.display());
    }
    let listeners = supervisor.door.share().context("the listening sockets cannot be shared")?;
    let lock = supervisor.lock.share().context("the lock cannot be shared")?;
    let (line, theirs) = HandoverLine::pair().context("could not make a line to the new program")?;
    let mut child = command(source, binary)
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .spawn()
        .with_context(|| format!("could not start `{}`", binary.display()))?;
    let pid = child.id().unwrap_or_default();
    // Somebody in front of us already passes signals on; or we will, unless systemd looks at processes itself.
    let has_parent = supervisor.has_parent || !supervisor.systemd.listens();
    let offer = HandoverWord::Offer { version: VERSION, has_parent };
    let files: Vec<_> = std::iter::once(&lock).chain(&listeners).map(|file| file.as_fd()).collect();
    let said = line.say_with(&offer, &files);
    let heard = match (said, line.again()) {
        (Ok(()), Ok(line)) => blocking(move || line.hear(Some(READY_PATIENCE))).await,
        (Err(error), _) | (_, Err(error)) => Err(error),
    };
    let problem = match heard {
        Ok(HandoverWord::Ready { version }) => return Ok((child, line, NewProcess { pid, version })),
        Ok(HandoverWord::Failed { error }) => error,
        Ok(_) => "it said something unexpected".to_owned(),
        Err(error) => silence(&error),
    };
    child.kill().await.or_log("a program that was to take over is left behind");
    bail!("`{}` did not get ready: {problem}", binary.display())
}

/// The new program is started as we were, in a process group of its own: whoever presses Ctrl-C means us, and we
/// pass it on.
fn command(source: &ConfigSource, binary: &Path) -> Command {
    let mut command = Command::new(binary);
    let passed_on = source.facts.argv.iter().skip(1).filter(|argument| *argument != NOT_PASSED_ON);
    command.args(passed_on).env(MARK_VARIABLE, "1").env_remove(WATCHDOG_PID_VARIABLE);
    command.as_std_mut().process_group(0);
    command
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    off_thread(work).await.map_err(io::Error::other)?
}

fn silence(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
            "it ended; its output says why".to_owned()
        }
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "it took too long".to_owned(),
        _ => error.to_string(),
    }
}

/// Reads a wish and takes it away, so that it is granted once.
fn take_wish(path: &Path) -> Option<HandoverRequest> {
    let size = fs::metadata(path).ok()?.len();
    let text = fs::read_to_string(path).ok().filter(|_| size <= MAX_WISH_BYTES);
    fs::remove_file(path).or_log("a wish for a hand-over stays");
    serde_json::from_str(&text?).or_log("a wish for a hand-over cannot be read")
}

fn tell(source: &ConfigSource, outcome: &HandoverOutcome) {
    let write = || -> io::Result<()> { replace_shared(&outcome_file(source), &serde_json::to_vec(outcome)?) };
    write().or_log("nobody hears what became of the hand-over");
}
