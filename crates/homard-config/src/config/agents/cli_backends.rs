//! `agents.defaults.cliBackends`: command-line programs used as models.
//!
//! What is written, with its words read. Nothing is filled in here: the rows of well-known programs live with
//! the room that runs them, and what the owner wrote is laid over those.

use std::collections::BTreeMap;
use std::time::Duration;

use homard_runtime::CollectOrdered as _;
use serde::Deserialize;
use serde_json::Value;

use crate::config::Resolve;
use crate::raw::turns as raw;
use crate::secret::Secret;

/// What a program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliOutput {
    Text,
    /// One JSON document with the answer in it.
    Json,
    /// One JSON event per line.
    Jsonl,
}

/// How a program takes the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliInput {
    /// As its last argument.
    Arg,
    /// On its standard input.
    Stdin,
}

/// When a program is told which of its sessions to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliSessionMode {
    /// Always; a new session gets a name of ours.
    Always,
    /// Only when it told us a name before.
    Existing,
    /// Never: every call stands alone.
    None,
}

/// Whether the system prompt joins the program's own or takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliSystemPromptMode {
    /// Added to the program's own.
    Append,
    Replace,
}

/// In which calls the system prompt is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliSystemPromptWhen {
    /// In the first call of a session.
    First,
    Always,
    Never,
}

/// How several pictures are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliImageMode {
    /// The option once per picture.
    Repeat,
    /// The option once, with a list.
    List,
}

/// How long a program may be silent before it is ended. What is absent comes from the program's row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CliSilence {
    /// Exactly this long, in milliseconds; the rest is then not read.
    pub no_output_timeout_ms: Option<u64>,
    /// This part of the longest run.
    pub no_output_timeout_ratio: Option<f64>,
    /// Not shorter than this, in milliseconds.
    pub min_ms: Option<u64>,
    /// Not longer than this, in milliseconds.
    pub max_ms: Option<u64>,
}

/// Watching for programs that hang.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct CliWatchdog {
    /// In the first call of a session.
    pub fresh: CliSilence,
    /// In later calls, which know what they are about.
    pub resume: CliSilence,
}

/// A command-line program used as a model, as far as the owner described it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CliBackend {
    pub command: Option<String>,
    pub args: Option<Vec<String>>,
    pub output: Option<CliOutput>,
    /// What it prints when resuming.
    pub resume_output: Option<CliOutput>,
    /// How it takes the prompt.
    pub input: Option<CliInput>,
    /// Longest prompt handed over as an argument, in characters.
    pub max_prompt_arg_chars: Option<usize>,
    /// Variables set for it.
    pub env: BTreeMap<String, Secret>,
    /// Variables removed for it; wins.
    pub clear_env: Vec<String>,
    /// Option that names the model.
    pub model_arg: Option<String>,
    /// Its names for models.
    pub model_aliases: BTreeMap<String, String>,
    /// Option that names the session.
    pub session_arg: Option<String>,
    /// Arguments that name the session, with `{sessionId}` in its place.
    pub session_args: Option<Vec<String>>,
    /// Arguments that resume a session, in place of `args`, with `{sessionId}` in its place.
    pub resume_args: Option<Vec<String>>,
    /// When a session is named.
    pub session_mode: Option<CliSessionMode>,
    /// Output fields that carry the session.
    pub session_id_fields: Option<Vec<String>>,
    /// Option that carries the system prompt.
    pub system_prompt_arg: Option<String>,
    /// What the system prompt does.
    pub system_prompt_mode: Option<CliSystemPromptMode>,
    /// When it is sent.
    pub system_prompt_when: Option<CliSystemPromptWhen>,
    /// Option that carries pictures.
    pub image_arg: Option<String>,
    /// How several pictures are given.
    pub image_mode: Option<CliImageMode>,
    /// Run one at a time.
    pub serialize: Option<bool>,
    /// Watching for programs that hang.
    pub watchdog: CliWatchdog,
}

/// The `reliability` part as written.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Reliability {
    watchdog: CliWatchdog,
}

const OUTPUTS: &[(&str, CliOutput)] =
    &[("text", CliOutput::Text), ("json", CliOutput::Json), ("jsonl", CliOutput::Jsonl)];
const INPUTS: &[(&str, CliInput)] = &[("arg", CliInput::Arg), ("stdin", CliInput::Stdin)];
const SESSION_MODES: &[(&str, CliSessionMode)] = &[
    ("always", CliSessionMode::Always),
    ("existing", CliSessionMode::Existing),
    ("none", CliSessionMode::None),
];
const PROMPT_MODES: &[(&str, CliSystemPromptMode)] =
    &[("append", CliSystemPromptMode::Append), ("replace", CliSystemPromptMode::Replace)];
const PROMPT_WHENS: &[(&str, CliSystemPromptWhen)] = &[
    ("first", CliSystemPromptWhen::First),
    ("always", CliSystemPromptWhen::Always),
    ("never", CliSystemPromptWhen::Never),
];
const IMAGE_MODES: &[(&str, CliImageMode)] =
    &[("repeat", CliImageMode::Repeat), ("list", CliImageMode::List)];

pub(in crate::config) fn resolve(
    raw: BTreeMap<String, raw::CliBackend>,
    cx: &mut Resolve<'_>,
) -> BTreeMap<String, CliBackend> {
    raw.into_iter()
        .map(|(id, raw)| {
            let backend = backend(&id, raw, cx);
            // Model references are read in lower case, so the name must be found by it.
            (id.trim().to_lowercase(), backend)
        })
        .collect_map()
}

fn backend(id: &str, raw: raw::CliBackend, cx: &mut Resolve<'_>) -> CliBackend {
    let path = format!("agents.defaults.cliBackends.{id}");
    let mut read = Words { path: &path, cx };
    CliBackend {
        output: read.word("output", raw.output, OUTPUTS),
        resume_output: read.word("resumeOutput", raw.resume_output, OUTPUTS),
        input: read.word("input", raw.input, INPUTS),
        session_mode: read.word("sessionMode", raw.session_mode, SESSION_MODES),
        system_prompt_mode: read.word("systemPromptMode", raw.system_prompt_mode, PROMPT_MODES),
        system_prompt_when: read.word("systemPromptWhen", raw.system_prompt_when, PROMPT_WHENS),
        image_mode: read.word("imageMode", raw.image_mode, IMAGE_MODES),
        watchdog: read.watchdog(raw.reliability),
        command: raw.command.map(|command| match command.trim() {
            home if home.starts_with("~/") => cx.paths.expand(home).display().to_string(),
            other => other.to_owned(),
        }),
        args: raw.args,
        max_prompt_arg_chars: raw.max_prompt_arg_chars.map(|n| usize::try_from(n).unwrap_or(usize::MAX)),
        env: raw
            .env
            .unwrap_or_default()
            .into_iter()
            .map(|(name, text)| (name, Secret::new(text.0)))
            .collect_map(),
        clear_env: raw.clear_env.unwrap_or_default(),
        model_arg: raw.model_arg,
        model_aliases: raw.model_aliases.unwrap_or_default(),
        session_arg: raw.session_arg,
        session_args: raw.session_args,
        resume_args: raw.resume_args,
        session_id_fields: raw.session_id_fields,
        system_prompt_arg: raw.system_prompt_arg,
        image_arg: raw.image_arg,
        serialize: raw.serialize,
    }
}

/// Reads the words of one backend; a wrong one is told about and left out.
struct Words<'a, 'b> {
    path: &'a str,
    cx: &'a mut Resolve<'b>,
}

impl Words<'_, '_> {
    fn word<T: Copy>(&mut self, key: &str, written: Option<String>, words: &[(&str, T)]) -> Option<T> {
        let written = written?;
        let found = words.iter().find(|(word, _)| *word == written).map(|&(_, meaning)| meaning);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|&(word, _)| word).collect();
            let path = format!("{}.{key}", self.path);
            self.cx.issue(path, format!("`{written}` is none of: {}", known.join(", ")));
        }
        found
    }

    fn watchdog(&mut self, written: Option<Value>) -> CliWatchdog {
        let Some(written) = written else { return CliWatchdog::default() };
        match homard_runtime::json::from_value::<Reliability>(written) {
            Ok(reliability) => reliability.watchdog,
            Err(error) => {
                self.cx.issue(format!("{}.reliability", self.path), error.to_string());
                CliWatchdog::default()
            }
        }
    }
}

impl CliSilence {
    /// What is said here, and `row`'s for the rest.
    #[must_use]
    pub fn over(self, row: Self) -> Self {
        Self {
            no_output_timeout_ms: self.no_output_timeout_ms.or(row.no_output_timeout_ms),
            no_output_timeout_ratio: self.no_output_timeout_ratio.or(row.no_output_timeout_ratio),
            min_ms: self.min_ms.or(row.min_ms),
            max_ms: self.max_ms.or(row.max_ms),
        }
    }

    /// How long the silence may last in a run of at most `run`.
    #[must_use]
    pub fn limit(&self, run: Duration) -> Duration {
        if let Some(exactly) = self.no_output_timeout_ms {
            return Duration::from_millis(exactly).min(run);
        }
        let ratio = self.no_output_timeout_ratio.filter(|ratio| ratio.is_finite()).unwrap_or(1.0);
        let least = Duration::from_millis(self.min_ms.unwrap_or(0));
        let most = self.max_ms.map_or(Duration::MAX, Duration::from_millis).max(least);
        run.mul_f64(ratio.clamp(0.0, 1.0)).clamp(least, most).min(run)
    }
}

#[cfg(test)]
mod tests;
