//! Becoming a command: orphans are taken in, records are hidden in a mount namespace of the command's own.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Signal, getpid, getppid, kill_process};

use crate::launch::Order;
use crate::unix::Group;

/// How often a launcher that stays looks whether the gateway is still there.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Becomes the command, or its parent until it has ended; comes back only with why not.
pub(crate) fn become_command(order: &Order) -> io::Error {
    if let Err(error) = prepare(order) {
        return error;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "this process has the environment and the limits of the command"
    )]
    let mut command = std::process::Command::new(&order.program);
    command.args(&order.args);
    match order.lives_with {
        None => command.exec(),
        Some(gateway) => match run_beside(&mut command, gateway) {
            Ok(status) => end_like(status),
            Err(error) => error,
        },
    }
}

/// Runs the command as a child. The kernel tells a child nothing of its parent's death that its own children would hear,
/// too, so this process looks, and takes everything that descends from the command along.
fn run_beside(command: &mut std::process::Command, gateway: i32) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    std::thread::spawn(move || {
        while getppid().is_some_and(|parent| parent.as_raw_nonzero().get() == gateway) {
            std::thread::sleep(LOOK_EVERY);
        }
        // We are in the group, and end with it.
        Group::of(getpid()).kill_all();
    });
    child.wait()
}

/// Ends as the command did, so that whoever waits for us learns how.
fn end_like(status: ExitStatus) -> io::Error {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        // It cannot fail: we may signal ourselves.
        kill_process(getpid(), signal).ok();
    }
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(not(target_os = "linux"))]
fn prepare(order: &Order) -> io::Result<()> {
    std::env::set_current_dir(&order.cwd)
}

#[cfg(target_os = "linux")]
fn prepare(order: &Order) -> io::Result<()> {
    use crate::launch::HideRecords;

    take_in_orphans();
    match order.hidden.how {
        HideRecords::Never => {}
        HideRecords::WhereFree if linux::enter().is_err() => {}
        HideRecords::WhereFree => linux::hide(&order.hidden)?,
        HideRecords::Always => {
            linux::enter().or_else(|_| linux::enter_as_user()).map_err(|error| {
                io::Error::new(error.kind(), format!("the gateway's records cannot be hidden from it here ({error}); `tools.exec.hideRecords` asks for that"))
            })?;
            linux::hide(&order.hidden)?;
        }
    }
    // Again, by its name: where we stood may lead around what was put in front of it.
    std::env::set_current_dir(&order.cwd)
}

/// Makes this process the parent of whatever its descendants leave orphaned. Kept when it becomes another program.
#[cfg(target_os = "linux")]
pub(crate) fn take_in_orphans() {
    // A kernel without it leaves them to the first process, as before.
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok();
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn take_in_orphans() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::path::{Path, PathBuf};

    use nix::sched::{CloneFlags, unshare};
    use rustix::fs::{Mode, OFlags, open};
    use rustix::mount::{
        MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
        mount_remount,
    };

    use homard_config::is_shared_folder;

    use crate::launch::{HiddenPaths, HideRecords};

    /// What is put where records were: next to nothing, and nothing can be written to it.
    const EMPTY: &std::ffi::CStr = c"mode=0700,size=64k";

    /// A mount namespace of our own; for those who may make one.
    pub(super) fn enter() -> io::Result<()> {
        unshare(CloneFlags::CLONE_NEWNS)?;
        let sees_new_mounts = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
        Ok(mount_change("/", sees_new_mounts)?)
    }

    /// The same for everybody: inside a user namespace in which we are who we are, and nobody else is anybody.
    pub(super) fn enter_as_user() -> io::Result<()> {
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        let sees_new_mounts = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
        Ok(mount_change("/", sees_new_mounts)?)
    }

    /// Something of a hidden directory that is there all the same.
    enum KeptEntry {
        Directory(OwnedFd),
        Link(PathBuf),
    }

    /// Why something is not hidden.
    enum NotHidden {
        /// It is in sight as before.
        NotCovered(io::Error),
        /// It is hidden, and so is what should not be.
        Half(io::Error),
    }

    /// What goes wrong once something is covered.
    impl From<io::Error> for NotHidden {
        fn from(error: io::Error) -> Self {
            Self::Half(error)
        }
    }

    impl From<rustix::io::Errno> for NotHidden {
        fn from(error: rustix::io::Errno) -> Self {
            Self::Half(error.into())
        }
    }

    /// Hides every place that is there.
    pub(super) fn hide(hidden: &HiddenPaths) -> io::Result<()> {
        for place in &hidden.places {
            let Ok(real) = place.canonicalize() else { continue };
            let covered = if real.is_dir() {
                hide_directory(&real, place, &hidden.shown)
            } else {
                mount_bind("/dev/null", &real).map_err(|error| NotHidden::NotCovered(error.into()))
            };
            match covered {
                // Some systems let a namespace be made and nothing be mounted in it; that costs no command its run.
                Err(NotHidden::NotCovered(_)) if hidden.how == HideRecords::WhereFree => {}
                Err(NotHidden::NotCovered(error) | NotHidden::Half(error)) => return Err(error),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    fn hide_directory(real: &Path, written: &Path, shown: &[PathBuf]) -> Result<(), NotHidden> {
        let mut kept = Vec::new();
        let inside = |path: &Path| {
            let inside = path.strip_prefix(written).or_else(|_| path.strip_prefix(real)).ok()?;
            (!inside.as_os_str().is_empty()).then(|| inside.to_owned())
        };
        let names = fs::read_dir(real)?.flatten().map(|entry| PathBuf::from(entry.file_name()));
        let shared = names.filter(|name| is_shared_folder(&name.to_string_lossy()));
        for inside in shared.chain(shown.iter().filter_map(|path| inside(path))) {
            let path = real.join(&inside);
            if let Ok(leads_to) = fs::read_link(&path) {
                kept.push((inside, KeptEntry::Link(leads_to)));
            } else if path.is_dir() {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                kept.push((inside, KeptEntry::Directory(open(&path, flags, Mode::empty())?)));
            }
        }
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount("homard", real, "tmpfs", flags, EMPTY).map_err(|error| NotHidden::NotCovered(error.into()))?;
        for (inside, what) in kept {
            let at = real.join(inside);
            if fs::symlink_metadata(&at).is_ok() {
                continue;
            }
            match what {
                KeptEntry::Directory(directory) => {
                    fs::create_dir_all(&at)?;
                    mount_bind_recursive(format!("/proc/self/fd/{}", directory.as_raw_fd()), &at)?;
                }
                KeptEntry::Link(leads_to) => {
                    fs::create_dir_all(at.parent().unwrap_or(real))?;
                    std::os::unix::fs::symlink(leads_to, &at)?;
                }
            }
        }
        Ok(mount_remount(real, flags | MountFlags::RDONLY, EMPTY)?)
    }
}
