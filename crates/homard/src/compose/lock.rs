//! One gateway per state folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use homard_exec::has_ended;
use homard_runtime::{Mutex, OrLog, create_private_dir};
use rustix::process::Pid;
use serde_json::Value;

use crate::report::Advice;

/// How often, and how long each time, a lock is waited for whose holder is gone: a command it was just starting may
/// still have it.
const ORPHAN_LOOKS: u32 = 100;
const ORPHAN_WAIT: Duration = Duration::from_millis(20);

/// Held while the gateway runs; the system lets go of it when the process ends, however it ends. It can be
/// handed to another process, and is never free in between.
#[derive(Debug)]
pub(crate) struct Lock {
    file: Mutex<Option<File>>,
}

impl Lock {
    /// A lock that another process handed over.
    pub(crate) fn handed_over(file: OwnedFd) -> Self {
        Self { file: Mutex::new(Some(file.into())) }
    }

    /// What another process needs to hold it, too.
    pub(crate) fn share(&self) -> std::io::Result<OwnedFd> {
        let file = self.file.lock();
        let file = file.as_ref().ok_or_else(|| std::io::Error::other("the lock was let go of"))?;
        file.try_clone().map(OwnedFd::from)
    }

    /// Writes that this process holds it, and where it listens once it does.
    pub(crate) fn sign(&self, port: Option<u16>) -> std::io::Result<()> {
        let port = port.map(|port| format!(" {port}")).unwrap_or_default();
        self.write(&format!("{}{port}\n", std::process::id()))
    }

    /// Says that the gateway ended as it should: a lock that is free and still signed was left by a crash.
    pub(crate) fn release(&self) {
        self.write("").or_log("the lock still names this process");
        self.let_go();
    }

    /// Leaves it to whoever else holds it.
    pub(crate) fn let_go(&self) {
        drop(self.file.lock().take());
    }

    fn write(&self, text: &str) -> std::io::Result<()> {
        let file = self.file.lock();
        let Some(mut file) = file.as_ref() else { return Ok(()) };
        // In this order whoever reads meanwhile still finds a number.
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())?;
        file.set_len(text.len() as u64)
    }
}

/// Takes the lock and writes who holds it. One that only a remnant of a dead gateway holds is waited for.
pub(crate) fn take(path: &Path) -> anyhow::Result<Lock> {
    take_waiting(path, || std::thread::sleep(ORPHAN_WAIT))
}

fn take_waiting(path: &Path, mut wait: impl FnMut()) -> anyhow::Result<Lock> {
    if let Some(folder) = path.parent() {
        create_private_dir(folder).with_context(|| {
            format!(
                "could not make the state folder `{}`; check HOMARD_STATE_DIR and its permissions",
                folder.display()
            )
        })?;
    }
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path);
    let mut file = open.with_context(|| format!("could not open `{}`", path.display()))?;
    let mut tried = file.try_lock();
    for _ in 0..ORPHAN_LOOKS {
        if !matches!(tried, Err(TryLockError::WouldBlock)) || !is_orphan(&mut file) {
            break;
        }
        wait();
        tried = file.try_lock();
    }
    match tried {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Only for the message; an unreadable holder is just not named.
            let _unnamed = file.rewind().and_then(|()| file.read_to_string(&mut holder));
            let process =
                pid_in(&holder).map(|pid| format!(" (process {})", pid.as_raw_nonzero())).unwrap_or_default();
            return Err(Advice::error(
                format!("a gateway{process} already runs on this state folder"),
                "use it, stop it first, or take over with --force",
            ));
        }
        Err(TryLockError::Error(error)) => {
            return Err(error).with_context(|| format!("could not lock `{}`", path.display()));
        }
    }
    let lock = Lock { file: Mutex::new(Some(file)) };
    lock.sign(None).with_context(|| format!("could not write `{}`", path.display()))?;
    Ok(lock)
}

/// Whether a lock names a process that is no more.
fn is_orphan(file: &mut File) -> bool {
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
    let holder = read.ok().and_then(|_bytes| pid_in(&text));
    holder.is_some_and(has_ended)
}

/// Who holds a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// This process, or one that does not say who it is.
    Process(Option<Pid>),
    /// Nobody; the last one said goodbye, or never was.
    Nobody,
    /// Nobody, and the last one did not say goodbye.
    Crashed,
}

/// Who holds the lock at `path`. An old file nobody holds names nobody: process ids are used again, and a
/// stranger must not be stopped.
pub(crate) fn holder(path: &Path) -> Holder {
    let Ok(mut file) = File::open(path) else { return Holder::Nobody };
    let is_held = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
    let mut text = String::new();
    let pid = file.read_to_string(&mut text).ok().and_then(|_bytes| pid_in(&text));
    match (is_held, pid) {
        (true, pid) => Holder::Process(pid),
        (false, None) => Holder::Nobody,
        (false, Some(_)) => Holder::Crashed,
    }
}

/// The port of the gateway that holds the lock at `path`; it may have been started with another than is configured.
pub(crate) fn port_of_running(path: &Path) -> Option<u16> {
    let mut file = File::open(path).ok()?;
    if !matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    port_in(&text)
}

/// The port in a lock file: the second number, or the `port` of JSON.
fn port_in(text: &str) -> Option<u16> {
    match serde_json::from_str::<Value>(text) {
        Ok(json) => json.get("port").and_then(Value::as_u64).and_then(|port| u16::try_from(port).ok()),
        Err(_not_json) => text.split_whitespace().nth(1).and_then(|word| word.parse().ok()),
    }
}

/// The first number of a lock file, whether it is bare or JSON with a `pid`.
fn pid_in(text: &str) -> Option<Pid> {
    let json: Option<Value> = serde_json::from_str(text).ok();
    let number = match json {
        Some(Value::Number(number)) => number.as_i64(),
        Some(value) => value.get("pid").and_then(Value::as_i64),
        None => text.split_whitespace().next().and_then(|word| word.parse().ok()),
    };
    number.and_then(|number| i32::try_from(number).ok()).filter(|&number| number > 1).and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    use super::{Holder, holder, pid_in, port_in, port_of_running, take, take_waiting};

    #[test]
    fn a_lock_file_may_be_bare_or_json() {
        for (text, pid) in [
            ("1234\n", Some(1234)),
            ("{\"pid\":1234,\"port\":1}", Some(1234)),
            ("1234 18789", Some(1234)),
            ("", None),
            ("1", None),
            ("-5", None),
            ("{}", None),
            ("99999999999999", None),
        ] {
            assert_eq!(pid_in(text).map(|pid| pid.as_raw_nonzero().get()), pid, "{text}");
        }
    }

    #[test]
    fn a_lock_file_may_say_the_port() {
        for (text, port) in [
            ("1234\n", None),
            ("1234 18790\n", Some(18790)),
            ("{\"pid\":1234,\"port\":4000}", Some(4000)),
            ("{\"pid\":1234}", None),
            ("1234 99999", None),
            ("", None),
        ] {
            assert_eq!(port_in(text), port, "{text}");
        }
    }

    #[test]
    fn only_a_gateway_that_runs_has_a_port() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.lock");
        let lock = take(&path).unwrap();
        assert_eq!(port_of_running(&path), None);
        lock.sign(Some(4000)).unwrap();
        assert_eq!(port_of_running(&path), Some(4000));
        drop(lock);
        assert_eq!(port_of_running(&path), None);
    }

    #[test]
    fn a_lock_that_only_a_remnant_of_a_dead_gateway_holds_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.lock");
        let mut remnant = Some(take(&path).unwrap());
        remnant.as_ref().unwrap().write(&format!("{} 4000\n", i32::MAX)).unwrap();
        let taken = take_waiting(&path, || drop(remnant.take())).unwrap();
        // One that lives is not waited for.
        let mut waits = 0;
        take_waiting(&path, || waits += 1).unwrap_err();
        assert_eq!(waits, 0);
        drop(taken);
    }

    /// In a container without an init nobody takes note of a gateway that ended.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a child that nobody takes note of is what is needed")]
    fn a_gateway_that_ended_and_that_nobody_took_note_of_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.lock");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        waitid(WaitId::Pid(Pid::from_child(&child)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
        let mut remnant = Some(take(&path).unwrap());
        remnant.as_ref().unwrap().write(&format!("{} 4000\n", child.id())).unwrap();
        take_waiting(&path, || drop(remnant.take())).unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_lock_tells_who_holds_it_and_how_the_last_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gateway.lock");
        assert_eq!(holder(&path), Holder::Nobody);
        let lock = take(&path).unwrap();
        let Holder::Process(Some(pid)) = holder(&path) else { panic!("not held") };
        assert_eq!(u32::try_from(pid.as_raw_nonzero().get()), Ok(std::process::id()));
        drop(lock);
        assert_eq!(holder(&path), Holder::Crashed);
        take(&path).unwrap().release();
        assert_eq!(holder(&path), Holder::Nobody);
    }
}
