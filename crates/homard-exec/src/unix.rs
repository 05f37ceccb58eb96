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

use crate::command::Command;
use crate::launch;
use crate::pty::{Input, Output};
use crate::run::Exit;

mod bounds;
mod namespace;
mod processes;

pub(crate) use bounds::{hold_back, tasks};
pub(crate) use namespace::{become_command, take_in_orphans};
pub use processes::has_ended;
pub(crate) use processes::{Stat, left_behind};

/// Shells in the order they are preferred; models write bash.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/bin/sh"];

/// The processes of a command: a group of ours, and who left the group. Dropping it kills whatever is left in the group,
/// unless it was let go.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Option<Pid>,
    /// Those outside the group when the command was told to end.
    outside: Vec<Stat>,
}

impl Group {
    /// The group led by a child that was just started.
    pub(crate) fn led_by(child: &Child) -> Self {
        let raw = child.id().and_then(|id| i32::try_from(id).ok());
        Self { leader: raw.and_then(Pid::from_raw), outside: Vec::new() }
    }

    /// The group led by a process that is known to lead one.
    pub(crate) fn of(leader: Pid) -> Self {
        Self { leader: Some(leader), outside: Vec::new() }
    }

    /// Asks every process of the group to end.
    pub(crate) fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Asks every process of the command to end, those that left the group included. Who belongs to it is seen as long
    /// as the leader lives.
    pub(crate) fn terminate_all(&mut self) {
        self.look_outside();
        self.terminate();
        self.signal_outside(Signal::TERM);
    }

    /// Ends every process of the group, and those outside it that were asked to end.
    pub(crate) fn kill(&self) {
        // The group last: a launcher that ends its command is in it.
        self.signal_outside(Signal::KILL);
        self.signal(Signal::KILL);
    }

    /// Ends every process of the command at once.
    pub(crate) fn kill_all(&mut self) {
        self.look_outside();
        self.kill();
    }

    /// Whether nothing of it runs any more that was to end.
    pub(crate) fn is_empty(&self) -> bool {
        let is_gone = |leader| test_kill_process_group(leader).is_err() || !has_live_member(leader);
        self.leader.is_none_or(is_gone) && !self.outside.iter().any(Stat::still_runs)
    }

    /// How many living processes the command is.
    pub(crate) fn size(&self) -> usize {
        self.leader.map_or(0, |leader| processes::family(leader).len())
    }

    /// Its leader.
    pub(crate) fn leader(&self) -> Option<Pid> {
        self.leader
    }

    /// Leaves what remains alone: it was detached on purpose.
    pub(crate) fn let_go(&mut self) {
        self.leader = None;
        self.outside.clear();
    }

    fn look_outside(&mut self) {
        let Some(leader) = self.leader else { return };
        let group = leader.as_raw_nonzero().get();
        self.outside.extend(processes::family(leader).into_iter().filter(|stat| stat.group != group));
    }

    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.leader {
            // The only failure is that nobody is there any more, which is what was wanted.
            kill_process_group(leader, signal).ok();
        }
    }

    fn signal_outside(&self, signal: Signal) {
        for stat in &self.outside {
            stat.signal(signal);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill_all();
    }
}

/// Looks for a member that is more than a name: in containers the first process may take seconds to reap
/// orphans, and a stopped command should not wait for that. Where there is no `/proc`, every member counts.
fn has_live_member(group: Pid) -> bool {
    let group = group.as_raw_nonzero().get();
    processes::everyone().is_none_or(|mut all| all.any(|process| process.is_live && process.group == group))
}

/// Asks what ended commands left behind to end.
pub(crate) fn terminate_each(left: &[Stat]) {
    left.iter().for_each(|stat| stat.signal(Signal::TERM));
}

/// Ends what ended commands left behind.
pub(crate) fn kill_each(left: &[Stat]) {
    left.iter().for_each(|stat| stat.signal(Signal::KILL));
}

/// Starts a command as the leader of its own group, with both outputs in one pipe so that their order is kept.
pub(crate) fn start(command: &Command, input: Stdio) -> io::Result<(Child, Output)> {
    let (reader, writer) = io::pipe()?;
    let pipe = Receiver::from_owned_fd(OwnedFd::from(reader))?;
    let (program, args) = launch::words(command);
    let mut process = tokio::process::Command::new(program);
    process
        .args(args)
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
