//! Locks that cannot be poisoned: a panic inside one is reported by whoever panicked, and everybody else goes on.
//!
//! The guards are the standard library's own, so clippy still sees one that is held across an await.

use std::sync::{MutexGuard, PoisonError, RwLockReadGuard, RwLockWriteGuard};

/// [`std::sync::Mutex`] whose [`lock`](Mutex::lock) cannot fail.
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An open lock around `value`.
    pub const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    /// What was inside.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until nobody else holds it.
    #[expect(clippy::disallowed_methods, reason = "the one place that knows about poison")]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// [`std::sync::RwLock`] whose [`read`](RwLock::read) and [`write`](RwLock::write) cannot fail.
#[derive(Debug, Default)]
pub struct RwLock<T: ?Sized>(std::sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An open lock around `value`.
    pub const fn new(value: T) -> Self {
        Self(std::sync::RwLock::new(value))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody writes.
    #[expect(clippy::disallowed_methods, reason = "the one place that knows about poison")]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody reads or writes.
    #[expect(clippy::disallowed_methods, reason = "the one place that knows about poison")]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Mutex, RwLock};

    #[test]
    fn a_panic_inside_a_lock_locks_nobody_out() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
        let panicked = std::thread::scope(|scope| {
            let inside = scope.spawn(|| {
                let (_mutex, _lock) = (mutex.lock(), lock.write());
                panic!("on purpose");
            });
            inside.join().is_err()
        });
        assert!(panicked);
        *mutex.lock() += 1;
        *lock.write() += 1;
        assert_eq!((*lock.read(), mutex.into_inner()), (2, 2));
    }
}
