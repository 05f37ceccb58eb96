//! One task per key while there is work for it: what belongs together stays in order, and nothing else waits for it.
//!
//! Whoever has something for a key puts it; the first thing wakes a task, which takes one after the other out of its
//! inbox ([`Worker`]) and goes away when it has been idle for a while. Going away and putting are decided under one
//! lock, so a thing put at that moment is either taken by the task that is about to go or wakes another.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use crate::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::tasks::Tasks;

/// The tasks that are awake, by key. Clone-cheap.
pub struct KeyedWorkers<K, Item> {
    shared: Arc<Shared<K, Item>>,
}

struct Shared<K, Item> {
    awake: Mutex<HashMap<K, Arc<Inbox<Item>>>>,
    tasks: Tasks,
    most: usize,
    linger: Duration,
}

struct Inbox<Item> {
    waiting: Mutex<Waiting<Item>>,
    more: Notify,
}

struct Waiting<Item> {
    items: VecDeque<Item>,
    last_put: Instant,
}

/// A task's own end: the inbox of its key. When it is dropped, the key is free for another.
pub struct Worker<K: Eq + Hash, Item> {
    shared: Arc<Shared<K, Item>>,
    key: K,
    inbox: Arc<Inbox<Item>>,
}

/// Why a worker that waited goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roused {
    More,
    /// The time has come.
    Due,
    /// It is to stop.
    Stop,
}

impl<K, Item> KeyedWorkers<K, Item>
where
    K: Eq + Hash + Clone,
{
    /// Workers of `tasks`, in whose inboxes at most so many things wait, and which stay for `linger` when idle.
    #[must_use]
    pub fn new(tasks: Tasks, most: usize, linger: Duration) -> Self {
        Self { shared: Arc::new(Shared { awake: Mutex::default(), tasks, most, linger }) }
    }

    /// Puts something behind what waits for its key, and wakes a task with `work` if there is none.
    ///
    /// # Errors
    /// The thing itself, when the inbox is full.
    pub fn put<F>(&self, key: K, item: Item, work: impl FnOnce(Worker<K, Item>) -> F) -> Result<(), Item>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.add(key, work, |waiting| {
            if waiting.items.len() >= self.shared.most {
                return Err(item);
            }
            waiting.items.push_back(item);
            waiting.last_put = Instant::now();
            Ok(())
        })
    }

    /// Puts something back that was taken out: at its old place, however many wait, and as if it had never been away.
    pub fn put_back<F>(&self, key: K, at: usize, item: Item, work: impl FnOnce(Worker<K, Item>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.add(key, work, |waiting| {
            let at = at.min(waiting.items.len());
            waiting.items.insert(at, item);
        });
    }

    fn add<F, R>(
        &self,
        key: K,
        work: impl FnOnce(Worker<K, Item>) -> F,
        change: impl FnOnce(&mut Waiting<Item>) -> R,
    ) -> R
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut awake = self.shared.awake.lock();
        if let Some(inbox) = awake.get(&key) {
            let changed = change(&mut inbox.waiting.lock());
            inbox.more.notify_one();
            return changed;
        }
        let mut waiting = Waiting { items: VecDeque::new(), last_put: Instant::now() };
        let changed = change(&mut waiting);
        let inbox = Arc::new(Inbox { waiting: Mutex::new(waiting), more: Notify::new() });
        awake.insert(key.clone(), Arc::clone(&inbox));
        // A task that cannot start any more is dropped here, and frees its key.
        drop(awake);
        let worker = Worker { shared: Arc::clone(&self.shared), key, inbox };
        self.shared.tasks.spawn(work(worker));
        changed
    }

    /// Looks at what waits for a key, and may take something out; `None` when nobody is awake there.
    pub fn inbox<R>(&self, key: &K, look: impl FnOnce(&mut VecDeque<Item>) -> R) -> Option<R> {
        let inbox = self.shared.awake.lock().get(key).cloned()?;
        let mut waiting = inbox.waiting.lock();
        Some(look(&mut waiting.items))
    }

    /// How many are awake.
    #[must_use]
    pub fn awake(&self) -> usize {
        self.shared.awake.lock().len()
    }
}

impl<K: Eq + Hash, Item> Worker<K, Item> {
    /// Whose things these are.
    #[must_use]
    pub fn key(&self) -> &K {
        &self.key
    }

    /// The next thing; waits for it, and goes away (`None`) when none comes for a while or `stop` fires.
    pub async fn next(&self, stop: &CancellationToken) -> Option<Item> {
        loop {
            if let Some(item) = self.pop() {
                return Some(item);
            }
            if self.idle(stop).await {
                return None;
            }
        }
    }

    /// The next thing, if one waits.
    #[must_use]
    pub fn pop(&self) -> Option<Item> {
        self.inbox(VecDeque::pop_front)
    }

    /// Looks at what waits, and may take something out.
    pub fn inbox<R>(&self, look: impl FnOnce(&mut VecDeque<Item>) -> R) -> R {
        look(&mut self.inbox.waiting.lock().items)
    }

    /// When something was last put.
    #[must_use]
    pub fn last_put(&self) -> Instant {
        self.inbox.waiting.lock().last_put
    }

    /// Waits for more until then.
    pub async fn more_until(&self, due: Instant, stop: &CancellationToken) -> Roused {
        tokio::select! {
            () = self.inbox.more.notified() => Roused::More,
            () = sleep_until(due) => Roused::Due,
            () = stop.cancelled() => Roused::Stop,
        }
    }

    /// Has nothing to do: waits for more as long as idle workers stay. `true` when nothing came and the task is to end.
    pub async fn idle(&self, stop: &CancellationToken) -> bool {
        if !self.shared.linger.is_zero() {
            tokio::select! {
                () = self.inbox.more.notified() => return false,
                () = sleep(self.shared.linger) => {}
                () = stop.cancelled() => {}
            }
        }
        self.retire()
    }

    /// Frees the key, unless something waits.
    fn retire(&self) -> bool {
        let mut awake = self.shared.awake.lock();
        if !self.inbox.waiting.lock().items.is_empty() {
            return false;
        }
        awake.remove(&self.key);
        true
    }
}

impl<K: Eq + Hash, Item> Drop for Worker<K, Item> {
    fn drop(&mut self) {
        let mut awake = self.shared.awake.lock();
        // By now another may be awake under this key.
        if awake.get(&self.key).is_some_and(|known| Arc::ptr_eq(known, &self.inbox)) {
            awake.remove(&self.key);
        }
    }
}

impl<K, Item> Clone for KeyedWorkers<K, Item> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<K, Item> std::fmt::Debug for KeyedWorkers<K, Item> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyedWorkers").field("awake", &self.shared.awake.lock().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
