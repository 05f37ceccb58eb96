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
