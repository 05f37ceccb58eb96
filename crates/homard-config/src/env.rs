//! The environment, read once.
//!
//! The only place that looks at the process: its variables, working directory and home. Everybody else holds
//! an [`Environment`], a snapshot that never changes and is never written back to the process. Layers are
//! added beneath it with [`Environment::beneath`]; a lower layer never overrides a higher one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) mod dotenv;

/// Our own prefix; the others are accepted in its place, in this order.
const PREFIX: &str = "HOMARD_";
/// Prefixes of programs this one replaces.
const ALIAS_PREFIXES: [&str; 2] = ["OPENCLAW_", "CLAWDBOT_"];

/// A snapshot of environment variables. Clone-cheap; `Debug` shows how many there are, never a value.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: Arc<BTreeMap<String, String>>,
}

impl Environment {
    /// The variables this process was started with; those that are not UTF-8 are left out.
    #[must_use]
    pub fn from_process() -> Self {
        let pairs =
            std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)));
        Self { variables: Arc::new(pairs.collect()) }
    }

    /// Exactly these variables, for tests and for children.
    pub fn from_pairs<K: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self { variables: Arc::new(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect()) }
    }

    /// The value of a variable. `HOMARD_X` is also found as `OPENCLAW_X`, then `CLAWDBOT_X`; blank,
    /// `undefined` and `null` count as unset.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let usable = |name: &str| self.variables.get(name).map(String::as_str).filter(|v| is_set(v));
        let Some(rest) = name.strip_prefix(PREFIX) else { return usable(name) };
        usable(name).or_else(|| ALIAS_PREFIXES.iter().find_map(|prefix| usable(&format!("{prefix}{rest}"))))
    }

    /// Whether a variable holds a yes: `1`, `true`, `yes` or `on`.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.get(name)
            .is_some_and(|v| matches!(v.trim().to_lowercase().as_str(), "1" | "true" | "yes" | "on"))
    }

    /// All variables, for building a child's environment.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// Adds a layer beneath this one: only variables that are not set yet, under any of their prefixes.
    #[must_use]
    pub fn beneath<K: Into<String>, V: Into<String>>(&self, pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut variables = None;
        for (name, value) in pairs {
            let name = name.into();
            if self.get(&canonical(&name)).is_none() {
                variables.get_or_insert_with(|| (*self.variables).clone()).insert(name, value.into());
            }
        }
        variables.map_or_else(|| self.clone(), |variables| Self { variables: Arc::new(variables) })
    }

    /// Adds the `.env` files beneath this layer: first the working directory's, then the state directory's.
    /// A missing file is an empty one. None of our own settings is taken from the working directory, which may belong
    /// to somebody else or be the agent's.
    #[must_use]
    pub fn with_dotenv(&self, working_dir: Option<&Path>, state_dir: Option<&Path>) -> Self {
        let read = |dir: &Path| dotenv::parse(&std::fs::read_to_string(dir.join(".env")).unwrap_or_default());
        let local =
            working_dir.map(read).unwrap_or_default().into_iter().filter(|(name, _)| !is_protected(name));
        self.beneath(local).beneath(state_dir.map(read).unwrap_or_default())
    }
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Environment({} variables)", self.variables.len())
    }
}

/// Facts about this process that are not variables; collected here so that nobody else asks for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Directory the process was started in.
    pub working_dir: Option<PathBuf>,
    /// Home directory as the system knows it.
    pub home: Option<PathBuf>,
    /// The command line, for the audit log.
    pub argv: Vec<String>,
}

impl ProcessFacts {
    /// Asks the system.
    #[must_use]
    pub fn from_process() -> Self {
        Self {
            working_dir: std::env::current_dir().ok(),
            home: std::env::home_dir(),
            argv: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
        }
    }
}

fn is_set(value: &str) -> bool {
    !matches!(value.trim(), "" | "undefined" | "null")
}

/// The name under our own prefix, whichever accepted prefix it was written with.
fn canonical(name: &str) -> String {
    let rest = ALIAS_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.map_or_else(|| name.to_owned(), |rest| format!("{PREFIX}{rest}"))
}

fn is_protected(name: &str) -> bool {
    canonical(&name.to_ascii_uppercase()).starts_with(PREFIX)
}

#[cfg(test)]
mod tests;
