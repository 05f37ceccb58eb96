//! The listening socket over all lives of a gateway, and of the process that takes over.
//!
//! It stays open while the gateway starts afresh: who connects meanwhile waits in it and is not refused.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use tokio::net::TcpListener;

use crate::report::Advice;

/// Keeps the listening socket.
#[derive(Debug, Default)]
pub(crate) struct Door {
    kept: Mutex<Option<std::net::TcpListener>>,
}

impl Door {
    /// A door that another process opened.
    pub(crate) fn handed_over(listener: OwnedFd) -> Self {
        Self { kept: Mutex::new(Some(listener.into())) }
    }

    /// The socket for this address: the one that is open already, or a new one.
    pub(crate) async fn open(&self, address: SocketAddr) -> anyhow::Result<TcpListener> {
        if let Some(listener) = self.kept_for(address) {
            let again = || -> std::io::Result<TcpListener> {
                listener.set_nonblocking(true)?;
                TcpListener::from_std(listener)
            };
            return again().with_context(|| format!("could not go on listening on {address}"));
        }
        let listener = bind(address).await?.into_std().context("the listening socket cannot be kept")?;
        let again = listener.try_clone().context("the listening socket cannot be kept")?;
        *self.lock() = Some(listener);
        TcpListener::from_std(again).context("the listening socket cannot be used")
    }

    /// Whether the socket for this address is open already.
    pub(crate) fn is_open_for(&self, address: SocketAddr) -> bool {
        self.kept_for(address).is_some()
    }

    /// The socket, for another process.
    pub(crate) fn share(&self) -> Option<OwnedFd> {
        self.lock().as_ref().and_then(|kept| kept.try_clone().ok()).map(OwnedFd::from)
    }

    /// Lets nobody wait any more.
    pub(crate) fn shut(&self) {
        drop(self.lock().take());
    }

    fn kept_for(&self, address: SocketAddr) -> Option<std::net::TcpListener> {
        let kept = self.lock();
        let is_same = |open: SocketAddr| {
            open.ip() == address.ip() && (open.port() == address.port() || address.port() == 0)
        };
        let open = kept.as_ref().filter(|kept| kept.local_addr().is_ok_and(is_same));
        open.and_then(|open| open.try_clone().ok())
    }

    fn lock(&self) -> MutexGuard<'_, Option<std::net::TcpListener>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    match homard_gateway::bind(address).await {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Err(Advice::error(
            format!("port {} is in use by another program", address.port()),
            "stop it, choose another with --port, or take over from a running gateway with --force",
        )),
        Err(error) => Err(error).with_context(|| format!("could not listen on {address}")),
    }
}

#[cfg(test)]
mod tests {
    use super::Door;

    #[tokio::test]
    async fn who_connects_between_two_lives_waits() {
        let door = Door::default();
        let first = door.open("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = first.local_addr().unwrap();
        drop(first);
        let waiting = tokio::net::TcpStream::connect(address).await.unwrap();
        let second = door.open(address).await.unwrap();
        let (_accepted, from) = second.accept().await.unwrap();
        assert_eq!(from, waiting.local_addr().unwrap());
        drop(second);
        door.shut();
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
    }
}
