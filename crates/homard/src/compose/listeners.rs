//! The listening sockets over all lives of a gateway, and of the process that takes over.
//!
//! They stay open while the gateway starts afresh: who connects meanwhile waits in them and is not refused.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use anyhow::Context;
use homard_runtime::Mutex;
use tokio::net::TcpListener;

use crate::report::Advice;

/// Keeps the listening sockets.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    kept: Mutex<Vec<std::net::TcpListener>>,
}

impl Listeners {
    /// A door that another process opened.
    pub(crate) fn handed_over(listeners: Vec<OwnedFd>) -> Self {
        Self { kept: Mutex::new(listeners.into_iter().map(Into::into).collect()) }
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
        self.give_way(address);
        let listener = bind(address).await?.into_std().context("the listening socket cannot be kept")?;
        let again = listener.try_clone().context("the listening socket cannot be kept")?;
        self.kept.lock().push(listener);
        TcpListener::from_std(again).context("the listening socket cannot be used")
    }

    /// Closes our own sockets that stand in the way: one address of a machine and all of them are not listened on side
    /// by side.
    fn give_way(&self, address: SocketAddr) {
        self.kept.lock().retain(|kept| !kept.local_addr().is_ok_and(|open| overlap(open, address)));
    }

    /// Closes every socket but those for these addresses.
    pub(crate) fn keep_only(&self, addresses: &[SocketAddr]) {
        let is_wanted = |open: SocketAddr| addresses.iter().any(|address| is_same(open, *address));
        self.kept.lock().retain(|kept| kept.local_addr().is_ok_and(is_wanted));
    }

    /// Where it is open.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        self.kept.lock().iter().filter_map(|kept| kept.local_addr().ok()).collect()
    }

    /// The sockets, for another process.
    pub(crate) fn share(&self) -> std::io::Result<Vec<OwnedFd>> {
        self.kept.lock().iter().map(|kept| kept.try_clone().map(OwnedFd::from)).collect()
    }

    /// Lets nobody wait any more.
    pub(crate) fn shut(&self) {
        self.kept.lock().clear();
    }

    fn kept_for(&self, address: SocketAddr) -> Option<std::net::TcpListener> {
        let kept = self.kept.lock();
        let open = kept.iter().find(|kept| kept.local_addr().is_ok_and(|open| is_same(open, address)));
        open.and_then(|open| open.try_clone().ok())
    }
}

/// Whether a socket that is open serves a wished address; port 0 is any.
fn is_same(open: SocketAddr, wished: SocketAddr) -> bool {
    open.ip() == wished.ip() && (open.port() == wished.port() || wished.port() == 0)
}

/// Whether two addresses share a port and one of them means every address of its family.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let either_is_all = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && one.is_ipv4() == other.is_ipv4() && either_is_all
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
    use super::Listeners;

    #[tokio::test]
    async fn who_connects_between_two_lives_waits() {
        let door = Listeners::default();
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

    #[tokio::test]
    async fn a_door_is_opened_to_the_network_and_closed_again_at_the_same_port() {
        let door = Listeners::default();
        let own = door.open("127.0.0.1:0".parse().unwrap()).await.unwrap().local_addr().unwrap();
        let all = (std::net::Ipv4Addr::UNSPECIFIED, own.port()).into();
        for address in [all, own] {
            door.open(address).await.unwrap();
            assert_eq!(door.addresses(), [address]);
            tokio::net::TcpStream::connect(own).await.unwrap();
        }
    }
}
