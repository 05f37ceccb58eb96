//! `logging`: what is logged, where, and how much of it.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Resolve;
use crate::raw::housekeeping as raw;

/// How much is logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Nothing.
    Silent,
    /// What ends the program.
    Fatal,
    /// What went wrong.
    Error,
    /// What may go wrong.
    Warn,
    /// What happens.
    #[default]
    Info,
    /// How it happens.
    Debug,
    /// Everything.
    Trace,
}

/// How terminal lines look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConsoleStyle {
    /// With colours and time, for people.
    #[default]
    Pretty,
    /// Short lines.
    Compact,
    /// One JSON object a line.
    Json,
}

/// Whether secrets in tool summaries are masked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RedactSensitive {
    /// Never.
    Off,
    /// In tool summaries.
    #[default]
    Tools,
}

/// Decided `logging`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logging {
    /// How much goes to the file.
    pub level: LogLevel,
    /// The file; `None` means one a day in the system's temporary directory.
    pub file: Option<PathBuf>,
    /// Largest file, in bytes; `None` means without limit.
    pub max_file_bytes: Option<u64>,
    /// How much goes to the terminal.
    pub console_level: LogLevel,
    /// How terminal lines look; `None` means pretty on a terminal, plain elsewhere.
    pub console_style: Option<ConsoleStyle>,
    /// Whether tool summaries are masked.
    pub redact: RedactSensitive,
    /// Further patterns to mask, as written.
    pub redact_patterns: Vec<String>,
}

impl Logging {
    pub(super) fn resolve(raw: raw::Logging, cx: &mut Resolve<'_>) -> Self {
        let forced = cx.env.get("HOMARD_LOG_LEVEL").map(str::to_lowercase);
        let forced: Option<LogLevel> =
            forced.and_then(|text| match serde_json::from_value(text.clone().into()) {
                Ok(level) => Some(level),
                Err(_) => {
                    cx.warn(
                        "logging.level",
                        format!("HOMARD_LOG_LEVEL is `{text}`, which is not a level; ignored"),
                    );
                    None
                }
            });
        Self {
            level: forced.or(raw.level).unwrap_or_default(),
            file: raw.file.map(|file| cx.paths.expand(&file)),
            max_file_bytes: raw.max_file_bytes,
            console_level: forced.or(raw.console_level).unwrap_or_default(),
            console_style: raw.console_style,
            redact: raw.redact_sensitive.unwrap_or_default(),
            redact_patterns: raw.redact_patterns.unwrap_or_default(),
        }
    }
}
