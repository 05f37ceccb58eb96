//! How requests from a platform reach an adapter over the gateway's own port.
//!
//! An adapter mounts a path for as long as it listens and gets whole requests there; the gateway's route table serves
//! them, after its own paths. Nobody reads a body of somebody the adapter does not know.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use homard_runtime::RwLock;
use http::{HeaderMap, Method, StatusCode};

use crate::channel::BoxFuture;

/// What comes to a mounted path is answered by one of these.
pub trait IngressHandler: Send + Sync + 'static {
    /// Whether the headers prove who sends; asked before anything else is read.
    fn admits(&self, headers: &HeaderMap) -> bool;
    /// Answers one request. Whoever sent it takes anything but success for "bring it again".
    fn answer(&self, body: Bytes) -> BoxFuture<'_, StatusCode>;
}

/// What a mounted path takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngressLimits {
    pub method: Method,
    /// Largest body, in bytes.
    pub max_body: usize,
    /// How long a request may take, from its first byte to its answer.
    pub time: Duration,
}

/// A mounted path.
#[derive(Clone)]
pub struct IngressMount {
    pub limits: IngressLimits,
    pub handler: Arc<dyn IngressHandler>,
}

/// Somebody else has this path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path `{0}` of the gateway's port is taken by another account")]
pub struct PathTaken(pub String);

/// The paths of the gateway's port that adapters answer. Clones share them.
#[derive(Clone, Default)]
pub struct Ingress {
    mounts: Arc<RwLock<BTreeMap<String, IngressMount>>>,
}

impl Ingress {
    /// Answers at a path until what is returned is dropped.
    ///
    /// # Errors
    /// When another one answers there.
    pub fn mount(&self, path: &str, mount: IngressMount) -> Result<Mounted, PathTaken> {
        let mut mounts = self.mounts.write();
        if mounts.contains_key(path) {
            return Err(PathTaken(path.to_owned()));
        }
        mounts.insert(path.to_owned(), mount);
        Ok(Mounted { ingress: self.clone(), path: path.to_owned() })
    }

    /// Who answers at a path.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<IngressMount> {
        self.mounts.read().get(path).cloned()
    }
}

impl std::fmt::Debug for Ingress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mounts = self.mounts.read();
        f.debug_set().entries(mounts.keys()).finish()
    }
}

/// A path that is answered; given back when dropped.
#[derive(Debug)]
pub struct Mounted {
    ingress: Ingress,
    path: String,
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.ingress.mounts.write().remove(&self.path);
    }
}

#[cfg(test)]
mod tests;
