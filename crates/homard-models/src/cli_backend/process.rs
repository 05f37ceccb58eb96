//! One run of a program: its files, its limits, and what it printed.
//!
//! Processes themselves belong to `homard-exec`, which gives them no input and reads both outputs as one. An
//! answer must not be mixed with chatter, so a line of shell in front of the program connects its input and
//! its error output to files of ours; nothing the caller says is interpreted by that shell.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_exec::{BuiltEnv, Command, ExecError, Exit, Limits, Program};
use homard_runtime::millis;
use tempfile::TempDir;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::prompt::Image;

/// Most a program may print as its answer.
const MAX_OUTPUT_BYTES: usize = 8 * 1024 * 1024;
/// Most it may print as errors before it is ended.
const MAX_ERRORS_BYTES: u64 = 64 * 1024 * 1024;
/// How much of the errors is read, from the end.
const ERRORS_READ_BYTES: u64 = 64 * 1024;
/// How often a running program is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Never more often than this.
const LOOK_LEAST: Duration = Duration::from_millis(10);
/// Owner only.
const PRIVATE: u32 = 0o600;

const SHELL: &str = "/bin/sh";
/// Arguments: where input comes from, where errors go, the program and its arguments.
const CONNECT: &str = r#"i=$1 e=$2; shift 2; exec "$@" <"$i" 2>"$e""#;

/// A directory of one run's files, removed with it.
#[derive(Debug)]
pub(super) struct RunFolder {
    dir: TempDir,
    /// Where the pictures lie.
    pub(super) images: Vec<String>,
}

impl RunFolder {
    /// Writes the pictures; those that cannot be read are left out.
    pub(super) fn lay(images: &[Image]) -> io::Result<Self> {
        let dir = TempDir::with_prefix("homard-cli-")?;
        let mut paths = Vec::new();
        for (at, image) in images.iter().enumerate() {
            let Ok(bytes) = STANDARD.decode(image.data.trim()) else {
                tracing::warn!("a picture was not base64 and is not shown");
                continue;
            };
            let path = dir.path().join(format!("image-{}.{}", at + 1, image.extension));
            write_private(&path, &bytes)?;
            paths.push(path.display().to_string());
        }
        Ok(Self { dir, images: paths })
    }

    /// Writes what the program reads.
    pub(super) fn write_input(&self, text: &str) -> io::Result<()> {
        write_private(&self.input(), text.as_bytes())
    }

    fn input(&self) -> PathBuf {
        self.dir.path().join("input")
    }

    fn errors(&self) -> PathBuf {
        self.dir.path().join("errors")
    }

    fn read_errors(&self) -> io::Result<String> {
        let mut file = File::open(self.errors())?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(ERRORS_READ_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(ERRORS_READ_BYTES).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)?.write_all(bytes)
}

/// What is run.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    /// Whether [`RunFolder::write_input`] wrote something for it.
    pub(super) has_input: bool,
    pub(super) env: BuiltEnv,
    pub(super) cwd: PathBuf,
    pub(super) limit: Duration,
    pub(super) silence: Duration,
}

/// How a run ended.
#[derive(Debug)]
pub(super) enum End {
    /// By itself, or because somebody stopped it.
    Exit(Exit),
    /// It said nothing for too long.
    Silent,
    /// It said more than there is room for.
    TooMuch,
}

/// What came of a run.
#[derive(Debug)]
pub(super) struct FinishedProgram {
    pub(super) end: End,
    pub(super) printed: String,
    pub(super) errors: String,
}

/// Finds a program by path, or by name in `path`.
pub(super) fn find_program(command: &str, path: &str) -> Option<PathBuf> {
    let is_program = |path: &Path| {
        path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if command.contains('/') {
        return Some(PathBuf::from(command)).filter(|path| is_program(path));
    }
    let dirs = path.split(':').filter(|dir| !dir.is_empty());
    dirs.map(|dir| Path::new(dir).join(command)).find(|path| is_program(path))
}

/// Runs a program to its end. Dropping the future ends the program and everything it started.
pub(super) async fn run(
    job: Job,
    desk: &RunFolder,
    cancel: &CancellationToken,
) -> Result<FinishedProgram, ExecError> {
    let limits = Limits { timeout: job.limit, max_output_bytes: MAX_OUTPUT_BYTES };
    let (silence, limit, errors) = (job.silence, job.limit, desk.errors());
    let stop = cancel.child_token();
    let started = Instant::now();
    let heard = AtomicU64::new(0);
    let hear = |_: &str| heard.store(millis(started.elapsed()), Ordering::Relaxed);
    let mut running = pin!(homard_exec::run(command(job, desk), limits, hear, &stop));
    let look_every = LOOK_EVERY.min(silence / 4).max(LOOK_LEAST);
    let mut errors_seen = 0;
    let mut ended = None;
    let outcome = loop {
        tokio::select! {
            outcome = &mut running => break outcome?,
            () = tokio::time::sleep(look_every), if ended.is_none() => {}
        }
        let size = tokio::fs::metadata(&errors).await.map_or(0, |found| found.len());
        if size != errors_seen {
            errors_seen = size;
            heard.store(millis(started.elapsed()), Ordering::Relaxed);
        }
        let quiet = millis(started.elapsed()).saturating_sub(heard.load(Ordering::Relaxed));
        ended = if size > MAX_ERRORS_BYTES {
            Some(End::TooMuch)
        } else if silence < limit && quiet >= millis(silence) {
            Some(End::Silent)
        } else {
            None
        };
        if ended.is_some() {
            stop.cancel();
        }
    };
    let by_us = ended.filter(|_| outcome.exit == Exit::Cancelled && !cancel.is_cancelled());
    let end = match by_us {
        Some(end) => end,
        None => match outcome.exit {
            Exit::Exited(_) | Exit::Signalled(_) if outcome.dropped_bytes > 0 => End::TooMuch,
            exit => End::Exit(exit),
        },
    };
    // A program that never started has written none.
    let errors = desk.read_errors().unwrap_or_default();
    Ok(FinishedProgram { end, printed: outcome.output, errors })
}

fn command(job: Job, desk: &RunFolder) -> Command {
    let input = if job.has_input { desk.input() } else { PathBuf::from("/dev/null") };
    let connect = ["-c", CONNECT, "sh"].map(str::to_owned);
    let files = [input, desk.errors(), job.program].map(|path| path.display().to_string());
    let args = connect.into_iter().chain(files).chain(job.args).collect();
    let program = Program::Direct { program: SHELL.to_owned(), args };
    Command::new(program, job.cwd, job.env)
}
