//! Telling any number of listeners that something happened.

use crate::RwLock;

type Listener<E> = Box<dyn Fn(&E) + Send + Sync>;

/// Those who want to hear of something. Each is called in place, in the order they came, and must not wait.
pub struct Subscribers<E> {
    listeners: RwLock<Vec<Listener<E>>>,
}

impl<E> Subscribers<E> {
    /// Adds one.
    pub fn subscribe(&self, listener: impl Fn(&E) + Send + Sync + 'static) {
        self.listeners.write().push(Box::new(listener));
    }

    /// Whether nobody listens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listeners.read().is_empty()
    }

    /// Tells all of them.
    pub fn publish(&self, event: &E) {
        for listener in self.listeners.read().iter() {
            listener(event);
        }
    }

    /// The same for an event that is made only if somebody listens.
    pub fn publish_with(&self, event: impl FnOnce() -> E) {
        if !self.is_empty() {
            self.publish(&event());
        }
    }
}

impl<E> Default for Subscribers<E> {
    fn default() -> Self {
        Self { listeners: RwLock::default() }
    }
}

impl<E> std::fmt::Debug for Subscribers<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Subscribers")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Subscribers;
    use crate::Mutex;

    #[test]
    fn everybody_hears_everything_in_order() {
        let (subscribers, heard) = (Subscribers::default(), Arc::new(Mutex::new(Vec::new())));
        assert!(subscribers.is_empty());
        for name in ["a", "b"] {
            let heard = Arc::clone(&heard);
            subscribers.subscribe(move |number: &u32| heard.lock().push((name, *number)));
        }
        subscribers.publish(&1);
        subscribers.publish(&2);
        assert_eq!(*heard.lock(), [("a", 1), ("b", 1), ("a", 2), ("b", 2)]);
    }

    #[test]
    fn an_event_nobody_listens_to_is_not_even_made() {
        let (subscribers, heard) = (Subscribers::default(), Arc::new(Mutex::new(Vec::new())));
        subscribers.publish_with(|| panic!("nobody listens"));
        let told = Arc::clone(&heard);
        subscribers.subscribe(move |number: &u32| told.lock().push(*number));
        subscribers.publish_with(|| 3);
        assert_eq!(*heard.lock(), [3]);
    }
}
