//! What the operating system gives and asks: signals, limits, its name.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use homard_config::is_shared_folder;
use homard_gateway::HostFacts;
use homard_runtime::sweep_drafts;
use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::termios::LocalModes;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Asks for as many open files as the system allows; every connection is one.
pub(crate) fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum || limit.maximum.is_none() {
        limit.current = limit.maximum;
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
    }
}

/// Keeps other programs of the same user out of this process: its memory and the variables it was started with hold
/// keys, and commands of agents run as the same user.
#[cfg(target_os = "linux")]
pub(crate) fn close_memory() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::debug!(%error, "other programs may look into this process");
    }
}

/// There is no such switch here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn close_memory() {}

/// Takes what others were given to the state directory and to the records in it back, and sweeps it. Workspaces, skills and media are
/// the owner's to share.
pub(crate) fn close_state(state_dir: &Path) {
    let entries = std::fs::read_dir(state_dir).into_iter().flatten().flatten();
    let is_record = |entry: &std::fs::DirEntry| !is_shared_folder(&entry.file_name().to_string_lossy());
    let records = entries.filter(is_record).map(|entry| entry.path());
    for path in std::iter::once(state_dir.to_owned()).chain(records) {
        let Ok(about) = path.symlink_metadata() else { continue };
        if about.is_dir() {
            sweep_drafts(&path);
        }
        let mode = about.permissions().mode();
        if about.is_symlink() || mode & OTHERS == 0 {
            continue;
        }
        let closed =
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode & !OTHERS & 0o7777));
        match closed {
            Ok(()) => tracing::warn!(
                path = %path.display(),
                "other users of this machine could look into this; it is closed to them now"
            ),
            Err(error) => tracing::warn!(
                path = %path.display(), %error,
                "other users of this machine can look into this; close it to them with chmod go-rwx"
            ),
        }
    }
}

/// The rights of everybody but the owner.
const OTHERS: u32 = 0o077;

/// Cancels `stop` at the first SIGINT or SIGTERM; ends the process at the second, unless it is `over` before.
pub(crate) async fn wait_for_stop_signal(stop: &CancellationToken, over: &CancellationToken) {
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        tracing::warn!("signals cannot be heard; stop the gateway with SIGKILL");
        return;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        () = over.cancelled() => return,
    }
    tracing::info!("stopping; runs under way may finish (signal again to stop at once)");
    stop.cancel();
    tokio::select! {
        _ = interrupt.recv() => std::process::exit(130),
        _ = terminate.recv() => std::process::exit(143),
        () = over.cancelled() => {}
    }
}

/// What signals ask for besides an end.
#[derive(Debug, Default)]
pub(crate) struct SignalRequests {
    /// Start afresh, inside the process.
    pub(crate) restart: tokio::sync::Notify,
    /// Let another program take over.
    pub(crate) hand_over: tokio::sync::Notify,
}

/// Passes SIGUSR1 and SIGUSR2 on as wishes, until it is `over`.
pub(crate) async fn wait_for_wishes(wishes: &SignalRequests, over: &CancellationToken) {
    let (Ok(mut restart), Ok(mut hand_over)) =
        (signal(SignalKind::user_defined1()), signal(SignalKind::user_defined2()))
    else {
        tracing::warn!("signals cannot be heard; SIGUSR1 and SIGUSR2 do nothing");
        return;
    };
    loop {
        tokio::select! {
            _ = restart.recv() => wishes.restart.notify_one(),
            _ = hand_over.recv() => wishes.hand_over.notify_one(),
            () = over.cancelled() => return,
        }
    }
}

/// The machine, as presence shows it.
pub(crate) fn facts() -> HostFacts {
    let uname = rustix::system::uname();
    HostFacts {
        name: uname.nodename().to_string_lossy().into_owned(),
        platform: format!(
            "{} {}",
            uname.sysname().to_string_lossy().to_lowercase(),
            uname.release().to_string_lossy()
        ),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Keeps the terminal from showing what is typed, until dropped.
pub(crate) struct HiddenTyping(Option<rustix::termios::Termios>);

impl HiddenTyping {
    /// Hides it, where there is a terminal.
    pub(crate) fn begin() -> Self {
        Self::without(LocalModes::ECHO)
    }

    /// Hides it and has every key at once, Ctrl-C too: whoever draws a question decides what leaving means.
    pub(crate) fn key_by_key() -> Self {
        Self::without(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG)
    }

    fn without(modes: LocalModes) -> Self {
        let stdin = std::io::stdin();
        let Ok(before) = rustix::termios::tcgetattr(&stdin) else { return Self(None) };
        let mut quiet = before.clone();
        quiet.local_modes.remove(modes);
        let set = rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Now, &quiet);
        Self(set.is_ok().then_some(before))
    }
}

impl Drop for HiddenTyping {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let stdin = std::io::stdin();
            if rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Now, before).is_err() {
                tracing::debug!("the terminal is gone");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::close_state;

    #[test]
    fn what_was_open_to_others_is_closed_and_what_is_shared_stays() {
        let dir = tempfile::tempdir().unwrap();
        let mode =
            |name: &str| std::fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777;
        let set = |name: &str, mode: u32| {
            std::fs::set_permissions(dir.path().join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        for name in ["credentials", "workspace"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        std::fs::write(dir.path().join("homard.json"), "{}").unwrap();
        for (name, mode) in
            [("credentials", 0o755), ("workspace", 0o755), ("homard.json", 0o644), ("", 0o755)]
        {
            set(name, mode);
        }
        close_state(dir.path());
        assert_eq!(["", "credentials", "workspace", "homard.json"].map(mode), [0o700, 0o700, 0o755, 0o600]);
    }
}
