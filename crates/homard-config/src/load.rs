//! From a file on disk to settings in effect: the whole walk, one function per stage.
//!
//! `.env` → read → `$include` → `env` section → login shell → `${VAR}` → schema → decisions → overrides. A
//! [`Snapshot`] remembers every stage, because clients want to see the file as written and as understood.
//! Loading never fails: what went wrong is in the snapshot's issues, and then there is no `config`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use homard_runtime::{Clock, hex};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::changes::overrides::Overrides;
use crate::config::{Config, Resolve};
use crate::env::{Environment, ProcessFacts};
use crate::issue::Issue;
use crate::paths::Paths;
use crate::raw::Raw;
use crate::redact::{redact, redact_text};
use crate::shell_env;
use crate::syntax::document::{self, Node};
use crate::syntax::include::Includes;
use crate::syntax::substitute::substitute;
use crate::syntax::value_path::ValuePath;
use crate::validation::channel_sections::ChannelSections;
use crate::validation::inert;
use crate::validation::schema::schema;
use crate::validation::validate::validate;

/// Largest configuration file read, in bytes.
const MAX_CONFIG_BYTES: u64 = 4 * 1024 * 1024;
/// First number of versions that count years: those of the program this one replaces.
const CALENDAR_YEARS: u64 = 2_000;

/// Where settings come from: the process, the paths and the time. Everything loading and writing needs.
#[derive(Debug, Clone)]
pub struct ConfigSource {
    /// The process's own variables, the top layer.
    pub environment: Environment,
    /// Working directory and command line.
    pub facts: ProcessFacts,
    pub paths: Paths,
    pub clock: Clock,
    /// What is known about the sections of `channels`; without it they are taken as they are.
    pub channels: Option<fn() -> &'static ChannelSections>,
}

impl ConfigSource {
    /// Exactly these paths and variables, without a working directory; for tests.
    #[must_use]
    pub fn isolated(paths: Paths, environment: Environment, clock: Clock) -> Self {
        Self { environment, facts: ProcessFacts::default(), paths, clock, channels: None }
    }
}

/// A configuration at every stage of being understood. `Debug` shows no value: most stages hold secrets.
#[derive(Clone)]
pub struct Snapshot {
    /// The file that was read (or would have been).
    pub path: PathBuf,
    /// Whether it was there.
    pub exists: bool,
    /// The text as written; `None` when there was none to read.
    pub raw: Option<String>,
    /// SHA-256 of the text, in hex; of nothing when there is no file.
    pub hash: String,
    /// The value as written, references and includes untouched.
    pub parsed: Value,
    /// The value with includes and references resolved.
    pub resolved: Value,
    /// The same with runtime overrides on top: what `config` was decided from.
    pub effective: Value,
    /// What is wrong. Empty means valid.
    pub issues: Vec<Issue>,
    /// What the owner should know beside `inert`; [`notices`](Self::notices) are both.
    pub warnings: Vec<Issue>,
    /// Places that are written, known, and do nothing yet.
    pub inert: Vec<String>,
    /// Files pulled in by `$include`.
    pub included: Vec<PathBuf>,
    /// All layers of the environment.
    pub environment: Environment,
    /// The settings, when valid.
    pub config: Option<Arc<Config>>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("path", &self.path)
            .field("exists", &self.exists)
            .field("hash", &self.hash)
            .field("issues", &self.issues)
            .field("warnings", &self.warnings)
            .field("inert", &self.inert)
            .finish_non_exhaustive()
    }
}

impl Snapshot {
    /// Reads the file and everything around it.
    #[must_use]
    pub fn load(source: &ConfigSource, overrides: &Overrides) -> Self {
        let path = source.paths.config_source().to_path_buf();
        match read(&path) {
            Ok(text) => Self::of_text(source, &path, text, overrides),
            Err(issue) => {
                let mut snapshot = Self::of_text(source, &path, None, overrides);
                snapshot.exists = true;
                snapshot.issues.insert(0, issue);
                snapshot.config = None;
                snapshot
            }
        }
    }

    /// The same for a text that is not on disk (yet).
    pub(crate) fn of_text(
        source: &ConfigSource,
        path: &Path,
        text: Option<String>,
        overrides: &Overrides,
    ) -> Self {
        let working_dir = source.facts.working_dir.as_deref();
        let environment = source.environment.with_dotenv(working_dir, source.paths.dotenv_dir());
        let mut snapshot = Self {
            path: path.to_path_buf(),
            exists: text.is_some(),
            hash: hash(text.as_deref().unwrap_or_default()),
            raw: text,
            parsed: Value::Object(Map::new()),
            resolved: Value::Object(Map::new()),
            effective: Value::Object(Map::new()),
            issues: Vec::new(),
            warnings: Vec::new(),
            inert: Vec::new(),
            included: Vec::new(),
            environment,
            config: None,
        };
        snapshot.understand(source, overrides);
        snapshot
    }

    /// Whether the settings can be used.
    #[must_use]
    pub fn valid(&self) -> bool {
        self.issues.is_empty()
    }

    /// Whether something is written at a place of the file itself, and not in one it includes.
    #[must_use]
    pub fn holds(&self, path: &str) -> bool {
        ValuePath::parse(path).is_ok_and(|place| place.get(&self.parsed).is_some())
    }

    /// Everything the owner should know; what does nothing yet is one notice that names every place.
    #[must_use]
    pub fn notices(&self) -> Vec<Issue> {
        let named = format!("known, not yet in effect: {}", self.inert.join(", "));
        let inert = (!self.inert.is_empty()).then(|| Issue::new("", named));
        inert.into_iter().chain(self.warnings.iter().cloned()).collect()
    }

    /// What does nothing yet, in a line for a log: how much, and in which sections.
    #[must_use]
    pub fn inert_in_short(&self) -> Option<String> {
        let mut sections: Vec<&str> = Vec::new();
        for place in &self.inert {
            let section = place.split(['.', '[']).next().unwrap_or_default();
            if !sections.contains(&section) {
                sections.push(section);
            }
        }
        let count = match self.inert.len() {
            0 => return None,
            1 => "1 setting does".to_owned(),
            many => format!("{many} settings do"),
        };
        let sections = sections.join(", ");
        Some(format!("{count} nothing yet, in: {sections}; homard config validate names them"))
    }

    /// The value as written, without secrets.
    #[must_use]
    pub fn redacted_parsed(&self) -> Value {
        redact(&self.parsed, schema())
    }

    /// The text without secrets; `None` when there is none or it could not be understood.
    #[must_use]
    pub fn redacted_raw(&self) -> Option<String> {
        let text = self.raw.as_deref()?;
        document::parse(text).ok().map(|root| redact_text(text, &root, schema()))
    }

    fn understand(&mut self, source: &ConfigSource, overrides: &Overrides) {
        self.parsed = match self.raw.as_deref().map(parse) {
            None => Value::Object(Map::new()),
            Some(Ok(node)) => node.to_value(),
            Some(Err(issue)) => return self.issues.push(issue),
        };
        self.resolve_references(source);
        if !self.issues.is_empty() {
            return;
        }
        self.effective = overrides.applied_to(&self.resolved);
        let raw = if self.effective.as_object().is_some_and(Map::is_empty) {
            Raw::default()
        } else {
            // Made only when somebody wrote about a platform.
            let channels = source.channels.filter(|_| self.effective.get("channels").is_some());
            let channels = channels.map(|known| known());
            self.issues = validate(&self.effective, channels);
            self.warnings.extend(future_version(&self.effective));
            let inert = inert::places(&self.effective);
            let read = homard_runtime::json::from_value(inert::without(&self.effective, &inert));
            self.inert = self.not_yet(inert, channels);
            match read {
                Ok(raw) => raw,
                Err(error) if self.issues.is_empty() => {
                    return self.issues.push(Issue::new("", error.to_string()));
                }
                Err(_) => return,
            }
        };
        let mut cx = Resolve::new(&source.paths, &self.environment);
        let config = Config::resolve(raw, &mut cx);
        self.issues.append(&mut cx.issues);
        self.warnings.append(&mut cx.warnings);
        self.config = self.issues.is_empty().then(|| Arc::new(config));
    }

    /// The places that are to be named: written, and not wrong beside.
    fn not_yet(&self, mut places: Vec<ValuePath>, channels: Option<&'static ChannelSections>) -> Vec<String> {
        places.extend(channels.map(|channels| channels.not_yet(&self.effective)).unwrap_or_default());
        places.retain(|place| place.get(&self.effective).is_some_and(|written| !written.is_null()));
        let named = places.iter().map(ToString::to_string);
        named.filter(|place| !self.issues.iter().any(|issue| issue.path == *place)).collect()
    }

    fn resolve_references(&mut self, source: &ConfigSource) {
        let roots = self.environment.get("HOMARD_INCLUDE_ROOTS").map(std::env::split_paths);
        let roots: Vec<PathBuf> = roots.into_iter().flatten().collect();
        let mut includes = Includes::new(&self.path, &roots);
        let included = includes.resolve(&self.parsed, &self.path);
        self.included = includes.files;
        self.issues.append(&mut includes.issues);
        self.environment = env_section(&included, &self.environment);
        if let Some(timeout) = shell_timeout(&included, &source.environment) {
            match shell_env::import(&self.environment, timeout) {
                Ok(pairs) => self.environment = self.environment.beneath(pairs),
                Err(error) => self.warnings.push(Issue::new("env.shellEnv", error.to_string())),
            }
        }
        self.resolved = substitute(&included, &self.environment, &mut self.issues);
    }
}

/// The text of a file; `None` when it is not there.
fn read(path: &Path) -> Result<Option<String>, Issue> {
    let failed =
        |error: std::io::Error| Issue::new("", format!("could not read `{}`: {error}", path.display()));
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(found) if found.len() > MAX_CONFIG_BYTES => {
            let message = format!("`{}` is larger than {MAX_CONFIG_BYTES} bytes", path.display());
            return Err(Issue::new("", message));
        }
        Ok(_) => {}
    }
    std::fs::read_to_string(path).map(Some).map_err(failed)
}

fn parse(text: &str) -> Result<Node, Issue> {
    if text.trim().is_empty() {
        return document::parse("{}").map_err(|e| Issue::new("", e.to_string()));
    }
    let node =
        document::parse(text).map_err(|e| Issue::new("", format!("the file is not valid JSON5: {e}")))?;
    if matches!(node.kind, document::Kind::Object(_)) {
        return Ok(node);
    }
    Err(Issue::new("", "the file must hold one object { … }"))
}

/// SHA-256 in hex.
pub(crate) fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// The environment with the file's `env` section beneath it.
fn env_section(value: &Value, environment: &Environment) -> Environment {
    let Some(section) = value.get("env").and_then(Value::as_object) else { return environment.clone() };
    let vars = section.get("vars").and_then(Value::as_object).into_iter().flatten();
    let direct = section.iter().filter(|(name, _)| !matches!(name.as_str(), "vars" | "shellEnv"));
    let pairs: Vec<(&str, &str)> =
        vars.chain(direct).filter_map(|(k, v)| Some((k.as_str(), v.as_str()?))).collect();
    environment.beneath(pairs)
}

/// How long the login shell may take, when it is to be asked at all.
fn shell_timeout(value: &Value, process: &Environment) -> Option<Duration> {
    let section = value.get("env").and_then(|env| env.get("shellEnv"));
    let enabled = section.and_then(|s| s.get("enabled")).and_then(Value::as_bool).unwrap_or(false);
    let from_env = process.get("HOMARD_SHELL_ENV_TIMEOUT_MS").and_then(|ms| ms.trim().parse().ok());
    let millis = from_env.or_else(|| section.and_then(|s| s.get("timeoutMs")).and_then(Value::as_u64));
    (enabled || process.flag("HOMARD_LOAD_SHELL_ENV")).then(|| {
        millis.map_or(shell_env::DEFAULT_TIMEOUT, Duration::from_millis).min(shell_env::DEFAULT_TIMEOUT * 4)
    })
}

/// A file last written by a newer version may hold what this one does not understand.
fn future_version(value: &Value) -> Option<Issue> {
    let written = value.get("meta")?.get("lastTouchedVersion")?.as_str()?;
    let (theirs, ours) = (version(written)?, version(env!("CARGO_PKG_VERSION"))?);
    (theirs > ours && theirs.0 < CALENDAR_YEARS).then(|| {
        let ours = env!("CARGO_PKG_VERSION");
        Issue::new("meta.lastTouchedVersion", format!("the file was last written by version {written}, this is {ours}; update if something is missing"))
    })
}

fn version(text: &str) -> Option<(u64, u64, u64)> {
    let core = text.trim().trim_start_matches('v').split(['-', '+']).next()?;
    let mut numbers = core.split('.').map(|n| n.parse().ok());
    Some((numbers.next()??, numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests;
