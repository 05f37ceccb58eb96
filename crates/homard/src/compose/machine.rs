//! What the operating system gives and asks: signals, limits, its name.

use homard_gateway::HostFacts;
use rustix::process::{Resource, getrlimit, setrlimit};
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
pub(crate) struct Wishes {
    /// Start afresh, inside the process.
    pub(crate) restart: tokio::sync::Notify,
    /// Let another program take over.
    pub(crate) hand_over: tokio::sync::Notify,
}

/// Passes SIGUSR1 and SIGUSR2 on as wishes, until it is `over`.
pub(crate) async fn wait_for_wishes(wishes: &Wishes, over: &CancellationToken) {
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
        let stdin = std::io::stdin();
        let Ok(before) = rustix::termios::tcgetattr(&stdin) else { return Self(None) };
        let mut quiet = before.clone();
        quiet.local_modes.remove(rustix::termios::LocalModes::ECHO);
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
