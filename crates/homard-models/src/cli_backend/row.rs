//! How each program is spoken to: the known ones as rows of data, the owner's words laid over them.

use std::collections::BTreeMap;

use homard_config::Secret;
use homard_config::config::agents::cli_backends::{
    CliBackend as Written, CliImageMode, CliInput, CliOutput, CliSessionMode, CliSilence,
    CliSystemPromptMode, CliSystemPromptWhen,
};

/// Stands for the session's name in arguments.
pub(super) const SESSION_PLACE: &str = "{sessionId}";

/// A new session may think for long before it prints anything.
const FRESH: CliSilence = CliSilence {
    no_output_timeout_ms: None,
    no_output_timeout_ratio: Some(0.8),
    min_ms: Some(180_000),
    max_ms: Some(600_000),
};
/// A resumed one that is silent has usually lost its way.
const RESUMED: CliSilence = CliSilence {
    no_output_timeout_ms: None,
    no_output_timeout_ratio: Some(0.3),
    min_ms: Some(60_000),
    max_ms: Some(180_000),
};
/// Output fields that carry the session, where nobody says which.
const SESSION_FIELDS: &[&str] =
    &["session_id", "sessionId", "conversation_id", "conversationId", "thread_id"];

/// A program we know.
pub(super) struct KnownProgram {
    /// The provider name it answers to.
    pub(super) id: &'static str,
    command: &'static str,
    args: &'static [&'static str],
    resume_args: &'static [&'static str],
    output: CliOutput,
    session_arg: Option<&'static str>,
    session_mode: CliSessionMode,
    session_id_fields: &'static [&'static str],
    system_append_arg: Option<&'static str>,
    system_replace_arg: Option<&'static str>,
    image_arg: Option<&'static str>,
    models: &'static [&'static str],
    aliases: &'static [(&'static str, &'static str)],
    install: &'static str,
}

/// Every program we know.
pub(super) const KNOWN: &[KnownProgram] = &[
    KnownProgram {
        id: "claude-cli",
        command: "claude",
        // Without a flag that skips its own questions: only the owner can want that.
        args: &["-p", "--output-format", "json"],
        resume_args: &["-p", "--output-format", "json", "--resume", SESSION_PLACE],
        output: CliOutput::Json,
        session_arg: Some("--session-id"),
        session_mode: CliSessionMode::Always,
        session_id_fields: &["session_id", "sessionId", "conversation_id"],
        // An argument is seen by every program on the machine; the system prompt goes before the prompt.
        system_append_arg: None,
        system_replace_arg: Some("--system-prompt"),
        image_arg: None,
        models: &["opus", "sonnet", "haiku"],
        aliases: &[
            ("opus-4", "opus"),
            ("opus-4.5", "opus"),
            ("opus-4.6", "opus"),
            ("sonnet-4", "sonnet"),
            ("sonnet-4.5", "sonnet"),
            ("sonnet-4.6", "sonnet"),
            ("haiku-4.5", "haiku"),
        ],
        install: "install Claude Code and log in with `claude`",
    },
    KnownProgram {
        id: "codex-cli",
        command: "codex",
        args: &["exec", "--json", "--color", "never", "--sandbox", "read-only", "--skip-git-repo-check"],
        // Options stand before `resume`, which does not take all of them itself.
        resume_args: &[
            "exec",
            "--json",
            "--color",
            "never",
            "--sandbox",
            "read-only",
            "--skip-git-repo-check",
            "resume",
            SESSION_PLACE,
        ],
        output: CliOutput::Jsonl,
        session_arg: None,
        session_mode: CliSessionMode::Existing,
        session_id_fields: &["thread_id"],
        system_append_arg: None,
        system_replace_arg: None,
        image_arg: Some("--image"),
        models: &["gpt-5.3-codex", "gpt-5.2-codex", "gpt-5.2"],
        aliases: &[],
        install: "install Codex and log in with `codex login`",
    },
];

/// How one program is spoken to, everything decided.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) resume_args: Vec<String>,
    pub(super) output: CliOutput,
    pub(super) resume_output: CliOutput,
    pub(super) input: CliInput,
    pub(super) max_prompt_arg_chars: Option<usize>,
    pub(super) env: BTreeMap<String, Secret>,
    pub(super) clear_env: Vec<String>,
    pub(super) model_arg: Option<String>,
    pub(super) model_aliases: BTreeMap<String, String>,
    pub(super) session_arg: Option<String>,
    pub(super) session_args: Vec<String>,
    pub(super) session_mode: CliSessionMode,
    pub(super) session_id_fields: Vec<String>,
    pub(super) system_prompt_arg: Option<String>,
    pub(super) system_prompt_when: CliSystemPromptWhen,
    pub(super) image_arg: Option<String>,
    pub(super) image_mode: CliImageMode,
    pub(super) serialize: bool,
    pub(super) fresh: CliSilence,
    pub(super) resumed: CliSilence,
    /// What it offers, as far as we know.
    pub(super) models: Vec<String>,
    /// How one gets it.
    pub(super) install: Option<&'static str>,
}

impl Row {
    /// The known program of that name with the owner's words over it; `None` when nobody says what to run.
    pub(super) fn find(id: &str, written: Option<&Written>) -> Option<Self> {
        let known = KNOWN.iter().find(|known| known.id == id);
        let empty = Written::default();
        let written = written.unwrap_or(&empty);
        let command = known.map(|known| known.command.to_owned());
        let command = written.command.clone().filter(|command| !command.is_empty()).or(command)?;
        let mut row = known.map_or_else(|| Self::unknown(command.clone()), Self::known);
        row.command = command;
        row.lay_over(known, written);
        Some(row)
    }

    /// What a program nobody described is taken to be.
    fn unknown(command: String) -> Self {
        Self {
            command,
            args: Vec::new(),
            resume_args: Vec::new(),
            output: CliOutput::Json,
            resume_output: CliOutput::Json,
            input: CliInput::Arg,
            max_prompt_arg_chars: None,
            env: BTreeMap::new(),
            clear_env: Vec::new(),
            model_arg: None,
            model_aliases: BTreeMap::new(),
            session_arg: None,
            session_args: Vec::new(),
            session_mode: CliSessionMode::Always,
            session_id_fields: owned(SESSION_FIELDS),
            system_prompt_arg: None,
            system_prompt_when: CliSystemPromptWhen::Always,
            image_arg: None,
            image_mode: CliImageMode::Repeat,
            serialize: true,
            fresh: FRESH,
            resumed: RESUMED,
            models: Vec::new(),
            install: None,
        }
    }

    fn known(known: &KnownProgram) -> Self {
        let aliases = known.aliases.iter().map(|&(name, model)| (name.to_owned(), model.to_owned()));
        Self {
            args: owned(known.args),
            resume_args: owned(known.resume_args),
            output: known.output,
            resume_output: known.output,
            model_arg: Some("--model".to_owned()),
            model_aliases: aliases.collect(),
            session_arg: known.session_arg.map(str::to_owned),
            session_mode: known.session_mode,
            session_id_fields: owned(known.session_id_fields),
            system_prompt_arg: known.system_append_arg.map(str::to_owned),
            input: CliInput::Stdin,
            system_prompt_when: CliSystemPromptWhen::First,
            image_arg: known.image_arg.map(str::to_owned),
            models: owned(known.models),
            install: Some(known.install),
            ..Self::unknown(known.command.to_owned())
        }
    }

    fn lay_over(&mut self, known: Option<&KnownProgram>, written: &Written) {
        set(&mut self.args, written.args.clone());
        set(&mut self.resume_args, written.resume_args.clone());
        set(&mut self.output, written.output);
        set(&mut self.resume_output, written.resume_output.or(written.output));
        set(&mut self.input, written.input);
        set(&mut self.max_prompt_arg_chars, written.max_prompt_arg_chars.map(Some));
        self.env.clone_from(&written.env);
        self.clear_env.clone_from(&written.clear_env);
        set(&mut self.model_arg, given(written.model_arg.as_ref()));
        self.model_aliases.extend(written.model_aliases.clone());
        set(&mut self.session_arg, given(written.session_arg.as_ref()));
        set(&mut self.session_args, written.session_args.clone());
        set(&mut self.session_mode, written.session_mode);
        set(&mut self.session_id_fields, written.session_id_fields.clone());
        if written.system_prompt_mode == Some(CliSystemPromptMode::Replace) {
            let replacing = known.and_then(|known| known.system_replace_arg).map(|arg| Some(arg.to_owned()));
            set(&mut self.system_prompt_arg, replacing);
        }
        set(&mut self.system_prompt_arg, given(written.system_prompt_arg.as_ref()));
        set(&mut self.system_prompt_when, written.system_prompt_when);
        set(&mut self.image_arg, given(written.image_arg.as_ref()));
        set(&mut self.image_mode, written.image_mode);
        set(&mut self.serialize, written.serialize);
        self.fresh = written.watchdog.fresh.over(self.fresh);
        self.resumed = written.watchdog.resume.over(self.resumed);
        self.models.extend(written.model_aliases.keys().cloned());
        self.models.dedup();
    }

    /// Whether a later call can go on where an earlier one ended.
    pub(super) fn resumes(&self) -> bool {
        self.session_mode != CliSessionMode::None && (!self.resume_args.is_empty() || self.names_session())
    }

    /// Whether a call without `resume_args` can say which session it means.
    pub(super) fn names_session(&self) -> bool {
        self.session_arg.is_some() || !self.session_args.is_empty()
    }

    /// The program's own name for a model.
    pub(super) fn model_name<'a>(&'a self, model: &'a str) -> &'a str {
        let lower = model.to_lowercase();
        let alias = self.model_aliases.get(model).or_else(|| self.model_aliases.get(&lower));
        alias.map_or(model, String::as_str)
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// An option as written; an empty one takes ours away.
#[expect(clippy::option_option, reason = "said and taken away differ from not said")]
fn given(written: Option<&String>) -> Option<Option<String>> {
    written.map(|arg| Some(arg.clone()).filter(|arg| !arg.is_empty()))
}

fn set<T>(place: &mut T, written: Option<T>) {
    if let Some(written) = written {
        *place = written;
    }
}
