//! What Unix alone knows: process groups, signals, one pipe for both outputs, where the shell is.
//!
//! Every call that depends on the platform lives here, so that another platform is another file.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::process::Child;

use crate::command::{Command, Program};
use crate::pty::{Input, Output};
use crate::run::Exit;

mod bounds;

pub(crate) use bounds::{hold_back, tasks};

/// Shells in the order they are preferred; models write bash.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/bin/sh"];

/// A process group of ours. Dropping it kills whatever is left in it, unless it was let go.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Option<Pid>,
}

impl Group {
    /// The group led by a child that was just started.
    pub(crate) fn led_by(child: &Child) -> Self {
        let raw = child.id().and_then(|id| i32::try_from(id).ok());
        Self { leader: raw.and_then(Pid::from_raw) }
    }

    /// Asks every process of the group to end.
    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Ends every process of the group.
    pub(crate) fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Whether nothing of the group runs any more.
    pub(crate) fn is_empty(&self) -> bool {
        self.leader.is_none_or(|leader| test_kill_process_group(leader).is_err() || !has_live_member(leader))
    }

    /// Every living process of the command, those that left the group included as long as a parent lives.
    pub(crate) fn family(&self) -> Vec<Pid> {
        self.leader.map(bounds::family).unwrap_or_default()
    }

    /// Ends the group and whoever left it but still has a parent in it.
    pub(crate) fn kill_family(&self) {
        let family = self.family();
        self.kill();
        bounds::kill_each(&family);
    }

    /// Its leader.
    pub(crate) fn leader(&self) -> Option<Pid> {
        self.leader
    }

    /// Leaves what remains alone: it was detached on purpose.
    pub(crate) fn let_go(&mut self) {
        self.leader = None;
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // The only failure is that nobody is there any more, which is what was wanted.
            kill_process_group(leader, signal).ok();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Looks for a member that is more than a name: in containers the first process may take seconds to reap
/// orphans, and a stopped command should not wait for that. Where there is no `/proc`, every member counts.
fn has_live_member(group: Pid) -> bool {
    let group = group.as_raw_nonzero().get();
    bounds::everyone().is_none_or(|mut all| all.any(|process| process.is_live && process.group == group))
}

/// Starts a command as the leader of its own group, with both outputs in one pipe so that their order is kept.
pub(crate) fn start(command: &Command, input: Stdio) -> io::Result<(Child, Output)> {
    let (reader, writer) = io::pipe()?;
    let pipe = Receiver::from_owned_fd(OwnedFd::from(reader))?;
    let mut process = match &command.program {
        Program::Shell(line) => {
            let mut process = tokio::process::Command::new(shell());
            process.arg("-c").arg(line);
            process
        }
        Program::Direct { program, args } => {
            let mut process = tokio::process::Command::new(program);
            process.args(args);
            process
        }
    };
    process
        .current_dir(&command.cwd)
        .env_clear()
        .envs(command.env.iter())
        .stdin(input)
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .kill_on_drop(true);
    // `process` holds our copies of the writing end; it is dropped here, or the pipe would never close.
    let child = process.spawn()?;
    Ok((child, Output::Pipe(pipe)))
}

/// A pipe whose reading end a child gets as its input; our end never blocks a thread.
pub(crate) fn input_pipe() -> io::Result<(Stdio, Input)> {
    let (reader, writer) = io::pipe()?;
    Ok((Stdio::from(reader), Input::Pipe(Sender::from_owned_fd(OwnedFd::from(writer))?)))
}

/// Does to the group led by `pid` what `Ctrl-C` does at a terminal.
pub(crate) fn interrupt(pid: u32) {
    if let Some(leader) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // The only failure is that nobody is there any more.
        kill_process_group(leader, Signal::INT).ok();
    }
}

/// How a process ended by itself.
pub(crate) fn exit_of(status: ExitStatus) -> Exit {
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Exited(code),
        (None, Some(signal)) => Exit::Signalled(signal),
        (None, None) => Exit::Exited(-1),
    }
}

/// Whether there is a file that can be run.
pub(crate) fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The shell lines are for.
pub(crate) fn shell() -> &'static str {
    SHELLS.into_iter().find(|path| Path::new(path).exists()).unwrap_or("sh")
}
