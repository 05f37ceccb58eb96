//! Commands in a pseudo-terminal, and the two ways their output and input can travel.
//!
//! A terminal is one device for input and output: what is typed comes back as output, `Ctrl-C` is a byte, and the
//! command leads a session of its own. Its output is read all the time and kept in rings, so it never fills;
//! input that nobody reads is given up after a while by [`Process`](crate::Process).

use std::io;

use pty_process::{OwnedReadPty, OwnedWritePty, Pts, Pty, Size};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::process::Child;

use crate::command::Command;
use crate::launch;

/// The size programs believe the terminal has.
const ROWS: u16 = 40;
const COLUMNS: u16 = 120;
/// What the terminal can do, when the owner's environment says it can do nothing.
const TERM: &str = "xterm-256color";

/// A terminal nobody uses yet.
pub(crate) struct Terminal {
    ours: Pty,
    theirs: Pts,
}

impl Terminal {
    /// Asks the system for one; it has only so many.
    pub(crate) fn open() -> io::Result<Self> {
        let (ours, theirs) = pty_process::open().map_err(io::Error::other)?;
        ours.resize(Size::new(ROWS, COLUMNS)).map_err(io::Error::other)?;
        Ok(Self { ours, theirs })
    }

    /// Starts a command in it, as the leader of a session and of its group.
    pub(crate) fn start(self, command: &Command) -> io::Result<(Child, Output, Input)> {
        let (program, args) = launch::words(command);
        let process = pty_process::Command::new(program).args(args);
        let draws = command.env.iter().any(|(name, value)| name == "TERM" && value != "dumb");
        let process =
            process.current_dir(&command.cwd).env_clear().envs(command.env.iter()).kill_on_drop(true);
        let process = if draws { process } else { process.env("TERM", TERM) };
        let child = process.spawn(self.theirs).map_err(|error| match error {
            pty_process::Error::Io(source) => source,
            other => io::Error::other(other),
        })?;
        let (reader, writer) = self.ours.into_split();
        Ok((child, Output::Terminal(reader), Input::Terminal(writer)))
    }
}

/// Where a command's output comes from.
pub(crate) enum Output {
    Pipe(Receiver),
    Terminal(OwnedReadPty),
}

impl Output {
    /// The next piece; nothing more when it is empty. A terminal says so with an error.
    pub(crate) async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => pipe.read(buffer).await,
            Self::Terminal(terminal) => terminal.read(buffer).await,
        }
    }
}

/// Where a command's input goes.
pub(crate) enum Input {
    Pipe(Sender),
    Terminal(OwnedWritePty),
}

impl Input {
    /// Writes everything, waiting until there is room.
    pub(crate) async fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Pipe(pipe) => pipe.write_all(bytes).await,
            Self::Terminal(terminal) => terminal.write_all(bytes).await,
        }
    }
}
