//! The settings of a running process: who holds them, who changes them, who hears of it.
//!
//! [`ConfigHandle::current`] is asked at the edge of a unit of work. The file's edits come in through
//! [`reload`](ConfigHandle::reload) (called by the watcher), writes through the methods in [`crate::changes::write`];
//! both end in `adopt`, which swaps the settings only when the new ones are valid.

use std::sync::{Arc, MutexGuard};

use arc_swap::ArcSwap;
use homard_runtime::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use crate::changes::overrides::Overrides;
use crate::changes::reload::{Reload, ReloadAction, action_for, needs_restart};
use crate::config::Config;
use crate::config::gateway::ReloadMode;
use crate::issue::{Issue, listed};
use crate::load::{ConfigSource, Snapshot};
use crate::syntax::value_path::{PathSyntaxError, changed_paths};

/// The file cannot be used as it is.
#[derive(Debug, thiserror::Error)]
#[error("the configuration `{path}` cannot be used:{}", listed(.issues))]
pub struct InvalidConfig {
    pub path: std::path::PathBuf,
    /// What is wrong with it.
    pub issues: Vec<Issue>,
}

/// Why a runtime override was refused.
#[derive(Debug, thiserror::Error)]
pub enum OverrideError {
    #[error(transparent)]
    Path(#[from] PathSyntaxError),
    /// Something that is not an object stands above the place.
    #[error("`{0}` cannot be set: something above it is not an object")]
    InTheWay(String),
    /// The settings would not be valid.
    #[error("this would not be a valid configuration:{}", listed(.0))]
    Invalid(Vec<Issue>),
}

/// Clone-cheap access to the settings of a running process.
#[derive(Clone)]
pub struct ConfigHandle {
    inner: Arc<Inner>,
}

struct Inner {
    source: ConfigSource,
    current: ArcSwap<Config>,
    /// What was read last, valid or not.
    snapshot: ArcSwap<Snapshot>,
    state: Mutex<State>,
    news: watch::Sender<Reload>,
}

/// What only one reload or write at a time may touch.
pub(crate) struct State {
    /// The value the settings in effect were decided from.
    effective: Value,
    pub(crate) overrides: Overrides,
    generation: u64,
}

impl std::fmt::Debug for ConfigHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConfigHandle")
            .field("path", &self.inner.source.paths.config_path)
            .finish_non_exhaustive()
    }
}

impl ConfigHandle {
    /// Loads the settings.
    ///
    /// # Errors
    /// When the file cannot be used; a gateway must not start on settings its owner did not mean.
    pub fn open(source: ConfigSource) -> Result<Self, InvalidConfig> {
        let snapshot = Snapshot::load(&source, &Overrides::default());
        Self::from_snapshot(source, snapshot)
    }

    /// The same for a snapshot that was loaded already.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_snapshot(source: ConfigSource, snapshot: Snapshot) -> Result<Self, InvalidConfig> {
        let Some(config) = snapshot.config.clone() else {
            return Err(InvalidConfig { path: snapshot.path, issues: snapshot.issues });
        };
        let state =
            State { effective: snapshot.effective.clone(), overrides: Overrides::default(), generation: 0 };
        let inner = Inner {
            source,
            current: ArcSwap::new(config),
            snapshot: ArcSwap::from_pointee(snapshot),
            state: Mutex::new(state),
            news: watch::Sender::new(Reload::start()),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Logs what the owner should know about the file: each warning, and in one line what does nothing yet. For the
    /// start of a gateway, once its log runs.
    pub fn log_notices(&self) {
        let snapshot = self.snapshot();
        let path = snapshot.path.display();
        for warning in &snapshot.warnings {
            tracing::warn!(%path, "configuration: {warning}");
        }
        if let Some(line) = snapshot.inert_in_short() {
            tracing::warn!(%path, "{line}");
        }
    }

    /// The settings in effect. Take them once per unit of work and use them to its end.
    #[must_use]
    pub fn current(&self) -> Arc<Config> {
        self.inner.current.load_full()
    }

    /// What was read last; may be an edit that was refused.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.inner.snapshot.load_full()
    }

    /// News of changes; the value is the latest.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<Reload> {
        self.inner.news.subscribe()
    }

    /// Where settings come from.
    #[must_use]
    pub fn source(&self) -> &ConfigSource {
        &self.inner.source
    }

    /// Reads the file again and takes it over if it is valid; a bad edit keeps the settings in effect.
    pub fn reload(&self) -> Reload {
        let mut state = self.state();
        let fresh = Snapshot::load(&self.inner.source, &state.overrides);
        self.adopt(fresh, &mut state)
    }

    /// Runtime overrides as one value.
    #[must_use]
    pub fn overrides(&self) -> Value {
        self.state().overrides.as_value()
    }

    /// Sets a runtime override: in memory, on top of the file.
    ///
    /// # Errors
    /// When the path makes no sense or the settings would not be valid.
    pub fn set_override(&self, path: &str, value: Value) -> Result<Reload, OverrideError> {
        self.set_overrides([(path, value)])
    }

    /// Sets several in one step: one alone may make no sense without the others, as a way to prove oneself does without
    /// its password.
    ///
    /// # Errors
    /// As [`set_override`](Self::set_override); nothing is set then.
    pub fn set_overrides<'a>(
        &self,
        wishes: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Reload, OverrideError> {
        self.change_overrides(|overrides| {
            wishes.into_iter().try_for_each(|(path, value)| match overrides.set(path, value) {
                Ok(true) => Ok(()),
                Ok(false) => Err(OverrideError::InTheWay(path.to_owned())),
                Err(error) => Err(error.into()),
            })
        })
    }

    /// Takes a runtime override away.
    ///
    /// # Errors
    /// As [`set_override`](Self::set_override).
    pub fn unset_override(&self, path: &str) -> Result<Reload, OverrideError> {
        self.change_overrides(|overrides| overrides.unset(path).map(drop).map_err(Into::into))
    }

    /// Takes all runtime overrides away.
    ///
    /// # Errors
    /// As [`set_override`](Self::set_override).
    pub fn reset_overrides(&self) -> Result<Reload, OverrideError> {
        self.change_overrides(|overrides| {
            *overrides = Overrides::default();
            Ok(())
        })
    }

    fn change_overrides(
        &self,
        change: impl FnOnce(&mut Overrides) -> Result<(), OverrideError>,
    ) -> Result<Reload, OverrideError> {
        let mut state = self.state();
        let mut overrides = state.overrides.clone();
        change(&mut overrides)?;
        let fresh = Snapshot::load(&self.inner.source, &overrides);
        if !fresh.valid() {
            return Err(OverrideError::Invalid(fresh.issues));
        }
        state.overrides = overrides;
        Ok(self.adopt(fresh, &mut state))
    }

    /// Held during a reload or write, so that two of them never interleave.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock()
    }

    /// Takes over what was read, or says why not.
    pub(crate) fn adopt(&self, fresh: Snapshot, state: &mut State) -> Reload {
        let Some(config) = fresh.config.clone() else {
            tracing::error!(
                path = %fresh.path.display(),
                "the edited configuration cannot be used, the settings before it stay in effect:{}",
                listed(&fresh.issues)
            );
            let rejected = fresh.issues.clone();
            self.inner.snapshot.store(Arc::new(fresh));
            return self.announce(state, Vec::new(), ReloadAction::None, rejected);
        };
        let changed = changed_paths(&state.effective, &fresh.effective);
        let mode = config.gateway.reload.mode;
        let was_rejected = !self.inner.snapshot.load().valid();
        if !changed.is_empty() && mode == ReloadMode::Off {
            tracing::info!(
                count = changed.len(),
                "the configuration changed; `gateway.reload.mode` is off, so it is not applied"
            );
            self.inner.snapshot.store(Arc::new(fresh));
            return self.inner.news.borrow().clone();
        }
        let unchanged = changed.is_empty() && *self.inner.current.load_full() == *config && !was_rejected;
        state.effective = fresh.effective.clone();
        self.inner.snapshot.store(Arc::new(fresh));
        if unchanged {
            return self.inner.news.borrow().clone();
        }
        self.inner.current.store(config);
        let action = action_for(&changed, mode);
        if mode == ReloadMode::Hot {
            for path in changed.iter().filter(|path| needs_restart(path)) {
                tracing::warn!(%path, "this setting takes effect after the next restart");
            }
        }
        tracing::info!(changed = %changed.join(", "), ?action, "configuration reloaded");
        self.announce(state, changed, action, Vec::new())
    }

    fn announce(
        &self,
        state: &mut State,
        changed: Vec<String>,
        action: ReloadAction,
        rejected: Vec<Issue>,
    ) -> Reload {
        state.generation += 1;
        let news = Reload { generation: state.generation, changed, action, rejected };
        self.inner.news.send_replace(news.clone());
        news
    }
}

#[cfg(test)]
mod tests;
