//! Running one command to its end, whichever end that is.
//!
//! Nothing here spawns a task: the future that runs the command owns it, and dropping the future kills the
//! whole process group.

use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::Child;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::capture::{Capture, Utf8Decoder};
use crate::command::{Command, Program};
use crate::pty::{Input, Output, Terminal};
use crate::unix::{self, Group};

mod headcount;

pub(crate) use headcount::MAX_PROCESSES;
use headcount::{Headcount, Pace};

/// The longest a command may be allowed to run.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// How long the group has between being asked to end and being killed.
const TERMINATE_GRACE: Duration = Duration::from_secs(2);
/// How long output may still come after the command itself has exited, from children that hold its pipe.
const DRAIN_GRACE: Duration = Duration::from_millis(500);
/// How long a killed group may take to disappear before we stop waiting for it.
const KILL_GRACE: Duration = Duration::from_secs(1);
/// How often a group that was asked to end is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How much is read at once.
const READ_SIZE: usize = 16 * 1024;

/// Why a command could not be run. A command that ran and failed is an [`Outcome`].
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The working directory is not there.
    #[error("the working directory `{cwd}` does not exist or is not a directory")]
    NoDirectory { cwd: PathBuf },
    /// The program could not be started.
    #[error("could not start `{program}`")]
    Start {
        /// Its name; a shell line is named `shell`, because it may hold anything.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The system would not say how the process ended.
    #[error("could not learn how process {pid} ended")]
    Wait {
        pid: u32,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// How far a command may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From start to the request to end; cut to [`MAX_TIMEOUT`].
    pub timeout: Duration,
    /// How much output is kept, half from its beginning and half from its end.
    pub max_output_bytes: usize,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that was not ours.
    Signalled(i32),
    /// We ended it because its time was up.
    TimedOut,
    /// We ended it because it was cancelled.
    Cancelled,
    /// We ended it because it had become too many processes.
    TooManyProcesses,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub exit: Exit,
    /// Standard output and error in the order they arrived; what is not UTF-8 is replaced, and a marker
    /// stands where bytes were left out.
    pub output: String,
    /// How many bytes of output were left out.
    pub dropped_bytes: u64,
    /// Whether background children that still held the output were ended with the command. Those that had
    /// redirected their output were detached on purpose and stay.
    pub ended_leftovers: bool,
    /// From start to end.
    pub duration: Duration,
    /// The process, unless it was cancelled before it started.
    pub pid: Option<u32>,
}

/// Runs `command` to its end within `limits`, telling `on_output` each piece of text as it arrives.
///
/// # Errors
/// When the command could not be started or waited for. Timeouts, cancellation and non-zero exits are
/// outcomes.
pub async fn run(
    command: Command,
    limits: Limits,
    on_output: impl FnMut(&str) + Send,
    cancel: &CancellationToken,
) -> Result<Outcome, ExecError> {
    if cancel.is_cancelled() {
        return Ok(never_started());
    }
    begin(command, limits, Stdio::null()).await?.drive(on_output, cancel).await
}

/// The same with `input` on its standard input, which is then closed. A command that does not read it is not waited for.
///
/// # Errors
/// As [`run`].
pub async fn run_with_input(
    command: Command,
    limits: Limits,
    input: Vec<u8>,
    cancel: &CancellationToken,
) -> Result<Outcome, ExecError> {
    if cancel.is_cancelled() {
        return Ok(never_started());
    }
    let (stdin, mut pipe) = unix::input_pipe().map_err(|source| start_error(&command, source))?;
    let begun = begin(command, limits, stdin).await?;
    let feeding = async move {
        if let Err(error) = pipe.write_all(&input).await {
            tracing::debug!(%error, "a command did not read all of its input");
        }
    };
    let driving = begun.drive(|_text| {}, cancel);
    tokio::pin!(driving);
    tokio::select! {
        outcome = &mut driving => return outcome,
        () = feeding => {}
    }
    driving.await
}

/// Starts `command` with `input` as its standard input. Dropping what comes back kills the whole group.
pub(crate) async fn begin(
    command: Command,
    limits: Limits,
    input: Stdio,
) -> Result<StartedCommand, ExecError> {
    check_directory(&command).await?;
    let (child, output) = unix::start(&command, input).map_err(|source| start_error(&command, source))?;
    Ok(StartedCommand::new(child, output, limits, command.max_processes))
}

/// Starts `command` in a terminal; what comes back beside it is the keyboard.
pub(crate) async fn begin_in(
    terminal: Terminal,
    command: Command,
    limits: Limits,
) -> Result<(StartedCommand, Input), ExecError> {
    check_directory(&command).await?;
    let (child, output, input) = terminal.start(&command).map_err(|source| start_error(&command, source))?;
    Ok((StartedCommand::new(child, output, limits, command.max_processes), input))
}

async fn check_directory(command: &Command) -> Result<(), ExecError> {
    if tokio::fs::metadata(&command.cwd).await.is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    Err(ExecError::NoDirectory { cwd: command.cwd.clone() })
}

/// A command that was started and not yet followed to its end.
pub(crate) struct StartedCommand {
    running: Running,
    started: Instant,
    pid: Option<u32>,
    max_output_bytes: usize,
}

impl StartedCommand {
    fn new(child: Child, output: Output, limits: Limits, max_processes: usize) -> Self {
        let started = Instant::now();
        let pid = child.id();
        let deadline = started + limits.timeout.min(MAX_TIMEOUT);
        let running = Running::new(child, output, deadline, Headcount::new(max_processes));
        unix::hold_back(running.group.leader());
        Self { running, started, pid, max_output_bytes: limits.max_output_bytes }
    }

    /// The leader of the group.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// Follows it to its end.
    pub(crate) async fn drive(
        self,
        mut on_output: impl FnMut(&str) + Send,
        cancel: &CancellationToken,
    ) -> Result<Outcome, ExecError> {
        let Self { mut running, started, pid, max_output_bytes } = self;
        let mut decoder = Utf8Decoder::default();
        let mut capture = Capture::new(max_output_bytes);
        let mut take = |text: &str| {
            if !text.is_empty() {
                capture.push(text);
                on_output(text);
            }
        };
        while !running.is_over() {
            match running.next(cancel).await {
                Event::Output(length) => {
                    running.pace.took(length);
                    take(&decoder.push(running.buffer.get(..length).unwrap_or_default()));
                }
                Event::PipeClosed => running.pipe = None,
                Event::Ended(status) => {
                    let status =
                        status.map_err(|source| ExecError::Wait { pid: pid.unwrap_or(0), source })?;
                    running.leader_ended(status);
                }
                Event::Deadline => running.deadline_passed(),
                Event::Cancelled => running.stop(Stop::Cancelled),
                Event::Count => running.count(),
                Event::Breath => running.pace.begin_anew(),
                Event::Look => {}
            }
        }
        take(&decoder.finish());
        let (exit, ended_leftovers) = running.finish();
        let (output, dropped_bytes) = capture.finish();
        Ok(Outcome { exit, output, dropped_bytes, ended_leftovers, duration: started.elapsed(), pid })
    }
}

fn never_started() -> Outcome {
    Outcome {
        exit: Exit::Cancelled,
        output: String::new(),
        dropped_bytes: 0,
        ended_leftovers: false,
        duration: Duration::ZERO,
        pid: None,
    }
}

fn start_error(command: &Command, source: io::Error) -> ExecError {
    let program = match &command.program {
        Program::Shell(_) => "shell".to_owned(),
        Program::Direct { program, .. } => program.clone(),
    };
    ExecError::Start { program, source }
}

/// Why we are ending the group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    TimedOut,
    Cancelled,
    /// There were too many processes.
    Swarm,
    /// The command itself has ended; somebody it started still holds the pipe.
    Leftovers,
}

/// The next thing that happened.
enum Event {
    Output(usize),
    PipeClosed,
    Ended(io::Result<ExitStatus>),
    Deadline,
    Cancelled,
    /// Its processes are to be counted.
    Count,
    /// Enough was read for the moment, and the moment is over.
    Breath,
    Look,
}

/// A command that was started, and how far its end has come.
struct Running {
    // Declared before the child: the group is killed while its leader is not reaped yet.
    group: Group,
    child: Child,
    pipe: Option<Output>,
    buffer: Box<[u8]>,
    status: Option<ExitStatus>,
    stop: Option<Stop>,
    killed: bool,
    given_up: bool,
    /// When the next step is due: timeout, then kill, then giving up; or the end of draining.
    deadline: Instant,
    headcount: Headcount,
    pace: Pace,
}

impl Running {
    fn new(child: Child, pipe: Output, deadline: Instant, headcount: Headcount) -> Self {
        Self {
            group: Group::led_by(&child),
            child,
            pipe: Some(pipe),
            buffer: vec![0; READ_SIZE].into_boxed_slice(),
            status: None,
            stop: None,
            killed: false,
            given_up: false,
            deadline,
            headcount,
            pace: Pace::new(),
        }
    }

    /// Output comes last, so that a flood of it cannot keep us from noticing the rest.
    async fn next(&mut self, cancel: &CancellationToken) -> Event {
        let quiet = self.status.is_some() && self.pipe.is_none();
        let is_paused = self.pace.is_spent();
        tokio::select! {
            biased;
            () = cancel.cancelled(), if self.stop.is_none() => Event::Cancelled,
            () = tokio::time::sleep_until(self.deadline) => Event::Deadline,
            status = self.child.wait(), if self.status.is_none() => Event::Ended(status),
            () = tokio::time::sleep_until(self.headcount.next), if !self.killed => Event::Count,
            () = tokio::time::sleep_until(self.pace.until), if is_paused => Event::Breath,
            event = read(self.pipe.as_mut(), &mut self.buffer), if self.pipe.is_some() && !is_paused => event,
            () = tokio::time::sleep(LOOK_EVERY), if quiet => Event::Look,
        }
    }

    fn leader_ended(&mut self, status: ExitStatus) {
        self.status = Some(status);
        if self.stop.is_none() {
            self.deadline = Instant::now() + DRAIN_GRACE;
        }
    }

    fn deadline_passed(&mut self) {
        match (self.stop, self.status) {
            (None, None) => self.stop(Stop::TimedOut),
            // Who holds the pipe has left the group: detached on purpose, and out of reach.
            (None, Some(_)) if self.group.is_empty() => self.given_up = true,
            (None, Some(_)) => self.stop(Stop::Leftovers),
            (Some(_), _) if self.killed => self.given_up = true,
            (Some(_), _) => {
                self.group.kill();
                self.killed = true;
                self.deadline = Instant::now() + KILL_GRACE;
            }
        }
    }

    /// Ends everything at once when there are too many: those who multiply are not asked.
    fn count(&mut self) {
        if self.headcount.is_exceeded(&self.group) {
            self.end_swarm();
        }
    }

    fn end_swarm(&mut self) {
        self.stop.get_or_insert(Stop::Swarm);
        self.group.kill_all();
        self.killed = true;
        self.deadline = Instant::now() + KILL_GRACE;
    }

    fn stop(&mut self, why: Stop) {
        // A cancellation that comes while we only drain must not hide how the command ended.
        let why = if self.status.is_some() { Stop::Leftovers } else { why };
        self.stop = Some(why);
        if why == Stop::Leftovers {
            // Who left the group by then was detached on purpose.
            self.group.terminate();
        } else {
            self.group.terminate_all();
        }
        self.deadline = Instant::now() + TERMINATE_GRACE;
    }

    fn is_over(&self) -> bool {
        let quiet = self.status.is_some() && self.pipe.is_none();
        self.given_up || (quiet && (self.stop.is_none() || self.group.is_empty()))
    }

    /// How it ended, and whether children were ended that the command had left behind.
    fn finish(mut self) -> (Exit, bool) {
        if self.stop.is_none() && self.headcount.is_exceeded_now(&self.group) {
            self.end_swarm();
        }
        if self.stop.is_none() || !self.given_up {
            // Nothing is left that we should end, and the group's number may soon be somebody else's.
            self.group.let_go();
        }
        match (self.stop, self.status) {
            (None, Some(status)) => (unix::exit_of(status), false),
            (Some(Stop::Leftovers), Some(status)) => (unix::exit_of(status), true),
            (Some(Stop::Cancelled), _) => (Exit::Cancelled, false),
            (Some(Stop::Swarm), _) => (Exit::TooManyProcesses, false),
            (Some(Stop::TimedOut | Stop::Leftovers) | None, _) => (Exit::TimedOut, false),
        }
    }
}

/// A failure to read is the end of the pipe: there is nothing more to learn from it.
async fn read(pipe: Option<&mut Output>, buffer: &mut [u8]) -> Event {
    let Some(pipe) = pipe else { return Event::PipeClosed };
    match pipe.read(buffer).await {
        Ok(0) | Err(_) => Event::PipeClosed,
        Ok(length) => Event::Output(length),
    }
}
