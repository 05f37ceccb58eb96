//! The environment a child gets: built from a short list of names, never inherited.
//!
//! This file does not read the machine's environment; the composition root hands over a base map.

use std::collections::BTreeMap;
use std::fmt;

use homard_runtime::{Clip, CollectOrdered as _};

/// The only names taken over from the base map.
pub const BASE_NAMES: [&str; 6] = ["HOME", "LANG", "PATH", "TERM", "TMPDIR", "USER"];

/// Used when the base map has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Used when the base map has no `TERM`: there is no terminal, and programs should not draw on one.
const DEFAULT_TERM: &str = "dumb";
/// Longest name of a variable, in bytes.
const MAX_NAME_LEN: usize = 256;
/// Longest value of a variable, in bytes; the kernel refuses single strings above 128 KiB.
const MAX_VALUE_LEN: usize = 64 * 1024;

/// Words that make a variable's name look like a secret's, compared between underscores.
const SECRET_WORDS: [&str; 14] = [
    "APIKEY",
    "AUTH",
    "CREDENTIAL",
    "CREDENTIALS",
    "KEY",
    "KEYS",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "SECRET",
    "SECRETS",
    "TOKEN",
    "TOKENS",
];

/// Names that change which code a harmless looking command runs.
const STEERING_NAMES: [&str; 19] = [
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "ENV",
    "GCONV_PATH",
    "GIT_SSH_COMMAND",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELLOPTS",
];
/// Prefixes of such names: the dynamic linkers' and shell functions.
const STEERING_PREFIXES: [&str; 3] = ["BASH_FUNC_", "DYLD_", "LD_"];

/// Why a variable may not be set. Carries names only, never values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvError {
    /// Not a name the shell could use.
    #[error("`{name}` is not the name of a variable: use letters, digits and `_`, not starting with a digit")]
    BadName {
        /// As it was given, cut to the limit.
        name: String,
    },
    /// A value the kernel would refuse.
    #[error("the value of `{name}` has a NUL character or is longer than {limit} bytes")]
    BadValue { name: String, limit: usize },
    /// A request to set something that looks like a secret.
    #[error("`{name}` looks like the name of a secret; only the owner may set it, in the configuration")]
    LooksSecret { name: String },
    /// A request to change which code runs.
    #[error("`{name}` changes which programs or libraries run and may not be set here")]
    Steering { name: String },
}

/// A child's whole environment. Its `Debug` shows names only, because values may be secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct BuiltEnv {
    variables: BTreeMap<String, String>,
}

impl BuiltEnv {
    /// Takes [`BASE_NAMES`] out of `base` and nothing else.
    #[must_use]
    pub fn from_base(base: &BTreeMap<String, String>) -> Self {
        let mut variables: BTreeMap<String, String> = BASE_NAMES
            .iter()
            .filter_map(|&name| base.get(name).map(|value| (name.to_owned(), value.clone())))
            .filter(|(name, value)| check_value(name, value).is_ok())
            .collect_map();
        variables.entry("PATH".to_owned()).or_insert_with(|| DEFAULT_PATH.to_owned());
        variables.entry("TERM".to_owned()).or_insert_with(|| DEFAULT_TERM.to_owned());
        Self { variables }
    }

    /// Sets what the owner asked for by name; secrets are allowed, since naming them was a decision.
    ///
    /// # Errors
    /// When the name or the value cannot be a variable.
    pub fn with_explicit(mut self, name: &str, value: &str) -> Result<Self, EnvError> {
        check_name(name)?;
        check_value(name, value)?;
        self.variables.insert(name.to_owned(), value.to_owned());
        Ok(self)
    }

    /// Sets what came with the run, for example from a skill's settings: secrets are allowed, since the owner gave
    /// them, but nothing that changes which code runs.
    ///
    /// # Errors
    /// When the name or the value cannot be a variable, or it steers which code runs.
    pub fn with_provided(self, name: &str, value: &str) -> Result<Self, EnvError> {
        if is_steering(name) {
            return Err(EnvError::Steering { name: name.to_owned() });
        }
        self.with_explicit(name, value)
    }

    /// Sets what somebody less trusted asked for, for example the model.
    ///
    /// # Errors
    /// Also when the name looks like a secret's, or steers which code runs.
    pub fn with_requested(self, name: &str, value: &str) -> Result<Self, EnvError> {
        check_name(name)?;
        if is_steering(name) {
            return Err(EnvError::Steering { name: name.to_owned() });
        }
        if looks_secret(name) {
            return Err(EnvError::LooksSecret { name: name.to_owned() });
        }
        self.with_explicit(name, value)
    }

    /// Where programs are looked for.
    #[must_use]
    pub fn search_path(&self) -> &str {
        self.variables.get("PATH").map_or(DEFAULT_PATH, String::as_str)
    }

    /// The variables in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl fmt::Debug for BuiltEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

/// Whether a variable may be handed to the commands of a run by a setting: secrets may, since naming them was the
/// owner's decision; what steers which code runs may not, nor what every command has anyway.
///
/// # Errors
/// When it may not, with the reason.
pub fn check_injected(name: &str, value: &str) -> Result<(), EnvError> {
    check_name(name)?;
    check_value(name, value)?;
    if is_steering(name) || BASE_NAMES.contains(&name) {
        return Err(EnvError::Steering { name: name.to_owned() });
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), EnvError> {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let goes_on_well = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if starts_well && goes_on_well && name.len() <= MAX_NAME_LEN {
        return Ok(());
    }
    Err(EnvError::BadName { name: name.clip_chars(MAX_NAME_LEN).to_owned() })
}

fn check_value(name: &str, value: &str) -> Result<(), EnvError> {
    if value.contains('\0') || value.len() > MAX_VALUE_LEN {
        return Err(EnvError::BadValue { name: name.to_owned(), limit: MAX_VALUE_LEN });
    }
    Ok(())
}

fn looks_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    upper.split('_').any(|word| SECRET_WORDS.contains(&word))
        || ["APIKEY", "PASSWORD", "SECRET"].iter().any(|part| upper.contains(part))
}

/// Whether a variable changes which code a command runs.
pub(crate) fn is_steering(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    STEERING_NAMES.contains(&upper.as_str())
        || STEERING_PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

#[cfg(test)]
mod tests;
