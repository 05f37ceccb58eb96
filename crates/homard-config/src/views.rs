//! What rooms make of the configuration, each made once per configuration and shared by everybody who asks.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use crate::config::Config;
use homard_runtime::Mutex;

/// What a room makes of the settings that are its own.
pub trait View: Any + Send + Sync {
    /// Decides it.
    fn of(config: &Config) -> Self;
}

/// The views made so far. A copy of a configuration makes its own: it may be changed before it is used.
#[derive(Default)]
pub(crate) struct Views(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Config {
    /// A room's view of these settings.
    #[must_use]
    pub fn view<V: View>(&self) -> Arc<V> {
        let kept =
            |views: &HashMap<TypeId, Arc<dyn Any + Send + Sync>>| views.get(&TypeId::of::<V>()).cloned();
        let known = kept(&self.views.0.lock());
        // Made without the lock: a view may ask for another.
        let view = known.unwrap_or_else(|| {
            let made: Arc<dyn Any + Send + Sync> = Arc::new(V::of(self));
            let mut views = self.views.0.lock();
            Arc::clone(views.entry(TypeId::of::<V>()).or_insert(made))
        });
        // What is kept under a type is of that type.
        view.downcast().unwrap_or_else(|_other| Arc::new(V::of(self)))
    }
}

impl Clone for Views {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Views {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Views")
    }
}
