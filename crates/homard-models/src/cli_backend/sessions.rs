//! Which of a program's own sessions belongs to which of our conversations.

use std::collections::BTreeMap;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_protocol::ProviderId;
use homard_runtime::Mutex;

/// Remembers the programs' names for conversations. Whoever keeps conversations implements it, so that a
/// program's memory survives a restart of ours.
///
/// Implementors: `session` is [`Request::session`](homard_llm::Request), the name of the conversation; what
/// was set is what is got, and losing it costs only that the conversation is told again.
pub trait SessionIds: Send + Sync {
    /// The program's name for the conversation, where it has one.
    fn get<'a>(&'a self, session: &'a str, backend: &'a ProviderId) -> BoxFuture<'a, Option<String>>;

    /// Remembers the name, or forgets it.
    fn set<'a>(&'a self, session: &'a str, backend: &'a ProviderId, id: Option<String>) -> BoxFuture<'a, ()>;
}

/// Remembers until the process ends: for tests and for calls that stand alone.
#[derive(Debug, Default)]
pub struct SessionIdsInMemory {
    ids: Mutex<BTreeMap<(String, ProviderId), String>>,
}

impl SessionIds for SessionIdsInMemory {
    fn get<'a>(&'a self, session: &'a str, backend: &'a ProviderId) -> BoxFuture<'a, Option<String>> {
        let ids = self.ids.lock();
        let found = ids.get(&(session.to_owned(), backend.clone())).cloned();
        std::future::ready(found).boxed()
    }

    fn set<'a>(&'a self, session: &'a str, backend: &'a ProviderId, id: Option<String>) -> BoxFuture<'a, ()> {
        let mut ids = self.ids.lock();
        let key = (session.to_owned(), backend.clone());
        match id {
            Some(id) => drop(ids.insert(key, id)),
            None => drop(ids.remove(&key)),
        }
        std::future::ready(()).boxed()
    }
}
