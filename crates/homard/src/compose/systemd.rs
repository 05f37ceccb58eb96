//! What systemd is told, when it started us: that we are ready, busy starting afresh, stopping, alive.
//!
//! Its protocol is a line or two in a datagram; without `NOTIFY_SOCKET` nothing is sent.

#[cfg(target_os = "linux")]
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use homard_config::Environment;
use homard_runtime::{OrCancel, OrLog};
use rustix::time::{ClockId, clock_gettime};
use tokio_util::sync::CancellationToken;

/// Where datagrams go.
const SOCKET_VARIABLE: &str = "NOTIFY_SOCKET";
/// How often systemd wants to hear that we are alive, in microseconds.
const WATCHDOG_VARIABLE: &str = "WATCHDOG_USEC";
/// Which process that is about.
pub(crate) const WATCHDOG_PID_VARIABLE: &str = "WATCHDOG_PID";

/// Where systemd listens, if anywhere.
#[derive(Debug, Clone, Default)]
pub(crate) struct Systemd {
    address: Option<SocketAddr>,
    watchdog: Option<Duration>,
}

impl Systemd {
    /// As the environment says.
    pub(crate) fn of(environment: &Environment) -> Self {
        let address = environment.get(SOCKET_VARIABLE).and_then(|path| match path.strip_prefix('@') {
            #[cfg(target_os = "linux")]
            Some(name) => SocketAddr::from_abstract_name(name).ok(),
            #[cfg(not(target_os = "linux"))]
            Some(_name) => None,
            None => SocketAddr::from_pathname(path).ok(),
        });
        let about_us = environment
            .get(WATCHDOG_PID_VARIABLE)
            .and_then(|pid| pid.parse().ok())
            .is_none_or(|pid: u32| pid == std::process::id());
        let micros = environment.get(WATCHDOG_VARIABLE).and_then(|micros| micros.parse().ok());
        let watchdog = micros.filter(|&micros: &u64| about_us && micros > 0).map(Duration::from_micros);
        Self { address, watchdog }
    }

    /// Whether anybody listens.
    pub(crate) fn listens(&self) -> bool {
        self.address.is_some()
    }

    /// Everybody is let in.
    pub(crate) fn ready(&self) {
        self.tell("READY=1\nSTATUS=serving");
    }

    /// The gateway starts afresh inside the process.
    pub(crate) fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let micros = now.tv_sec.saturating_mul(1_000_000).saturating_add(now.tv_nsec / 1_000);
        self.tell(&format!("RELOADING=1\nMONOTONIC_USEC={micros}\nSTATUS=starting afresh"));
    }

    /// The gateway was asked to end.
    pub(crate) fn stopping(&self) {
        self.tell("STOPPING=1\nSTATUS=letting runs finish");
    }

    /// Another process is the gateway from now on.
    pub(crate) fn main_process_is(&self, pid: u32) {
        self.tell(&format!("MAINPID={pid}"));
    }

    /// Says that we are alive, twice as often as asked for. The task is scheduled by the same threads as
    /// everything else: when those hang, systemd hears nothing and starts the gateway anew.
    pub(crate) async fn watch(self, cancel: CancellationToken) {
        let Some(every) = self.watchdog.filter(|_| self.listens()) else { return };
        let mut beats = tokio::time::interval(every / 2);
        while beats.tick().or_cancel(&cancel).await.is_ok() {
            self.tell("WATCHDOG=1");
        }
    }

    fn tell(&self, text: &str) {
        let Some(address) = &self.address else { return };
        let sent = UnixDatagram::unbound().and_then(|socket| socket.send_to_addr(text.as_bytes(), address));
        sent.or_log("systemd could not be told");
    }
}

#[cfg(test)]
mod tests;
