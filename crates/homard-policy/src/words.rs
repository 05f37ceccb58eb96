//! What a message means: commands, directives in the text, words that stop.
//!
//! [`read`] is the one parser for every platform, the page and programs; its [`Meaning`] is what travels on, and
//! nobody reads the text a second time. What commands there are stands in
//! [`table`]; what levels are called in [`levels`]. A word that only looks like a directive stays what it is: text.

use homard_config::Config;

pub mod levels;
mod scan;
pub mod table;

use homard_runtime::Arrange as _;
pub use levels::{Arg, Elevation, ExecOptions, ThinkingLevel, Thoughts, Verbosity};
use table::Form;
pub use table::{COMMANDS, Command, Rank, RequiredRank, Where};

use crate::queue::QueueOptions;

/// Messages that stop what is going on when they are nothing else.
pub const STOP_WORDS: [&str; 6] = ["stop", "esc", "abort", "wait", "exit", "interrupt"];

/// Where in a message words for the program are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    /// Anywhere: settings and shortcuts are taken out of a text, and single words stop.
    #[default]
    Anywhere,
    /// Settings are taken out of a text; a command is one only where the message is nothing else.
    WholeMessage,
}

/// What is known about a message before it is read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// Our name on the platform, without `@`: it may stand before a command or behind it.
    pub our_name: Option<&'a str>,
    /// Messages that start afresh.
    pub reset_triggers: &'a [String],
    /// Names of skills as commands.
    pub skills: &'a [String],
    /// Models people may name: `provider/model`.
    pub models: &'a [String],
    /// Short names of models; each is a command as well.
    pub aliases: &'a [String],
    /// Whether the sender may use commands. For others everything is text.
    pub may_command: bool,
    /// Whether commands are read from plain text at all (`commands.text`).
    pub text_commands: bool,
    /// Whether `!` begins a command for the host (`commands.bash`).
    pub shell: bool,
    /// How much of the message may be something else.
    pub extent: Extent,
}

impl Default for Reading<'_> {
    fn default() -> Self {
        Self {
            our_name: None,
            reset_triggers: &[],
            skills: &[],
            models: &[],
            aliases: &[],
            may_command: true,
            text_commands: true,
            shell: false,
            extent: Extent::Anywhere,
        }
    }
}

/// What of a configuration reading needs, to be kept between messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vocabulary {
    /// Messages that start afresh.
    pub reset_triggers: Vec<String>,
    pub models: Vec<String>,
    /// Short names of models.
    pub aliases: Vec<String>,
    text_commands: bool,
    shell: bool,
}

impl Vocabulary {
    /// What the configuration says. Models that are only in the catalogue may be added by whoever knows it.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let defaults = &config.agents.defaults;
        let listed = config.agents.list.iter().flat_map(|agent| {
            agent.model.primary.iter().chain(&agent.model.fallbacks).map(ToString::to_string)
        });
        let mut models: Vec<String> = defaults.models.keys().map(ToString::to_string).chain(listed).collect();
        models.arrange();
        models.dedup();
        Self {
            reset_triggers: config.session.reset_triggers.clone(),
            models,
            aliases: defaults.models.values().filter_map(|entry| entry.alias.clone()).collect(),
            text_commands: config.commands.text,
            shell: config.commands.bash,
        }
    }

    /// For one message.
    #[must_use]
    pub fn reading<'a>(&'a self, our_name: Option<&'a str>, skills: &'a [String]) -> Reading<'a> {
        Reading {
            our_name,
            reset_triggers: &self.reset_triggers,
            skills,
            models: &self.models,
            aliases: &self.aliases,
            may_command: true,
            text_commands: self.text_commands,
            shell: self.shell,
            extent: Extent::Anywhere,
        }
    }

    /// For a message of an operator, whose program says in other ways when a run is to stop or a conversation to begin
    /// anew.
    #[must_use]
    pub fn operator_reading(&self) -> Reading<'_> {
        Reading {
            reset_triggers: &[],
            text_commands: true,
            extent: Extent::WholeMessage,
            ..self.reading(None, &[])
        }
    }
}

/// What a message means.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Meaning {
    /// Everything that goes on is to stop.
    pub stop: bool,
    /// The conversation starts afresh.
    pub reset: Option<Reset>,
    /// The message is a command.
    pub command: Option<Call>,
    /// How the message is to be treated.
    pub directives: Vec<Directive>,
    /// Commands answered beside the message; names from the table.
    pub shortcuts: Vec<&'static str>,
    /// What is left to tell the model.
    pub text: String,
    /// There is nothing else in it than directives: they are kept and acknowledged.
    pub only_directives: bool,
}

impl Meaning {
    /// Whether the message is addressed to the program and not to the model.
    #[must_use]
    pub fn is_control(&self) -> bool {
        self.stop
            || self.command.is_some()
            || self.only_directives
            || self.reset.is_some()
            || (!self.shortcuts.is_empty() && self.text.is_empty())
    }

    /// What the queue is asked for this message.
    #[must_use]
    pub fn queue_wish(&self) -> QueueOptions {
        let mut wishes = self.directives.iter().filter_map(|directive| match directive {
            Directive::Queue(Arg::Is(wish)) => Some(*wish),
            _ => None,
        });
        wishes.next_back().unwrap_or_default()
    }

    /// How hard the model is to think for this message.
    #[must_use]
    pub fn thinking(&self) -> Option<ThinkingLevel> {
        let mut levels = self.directives.iter().filter_map(|directive| match directive {
            Directive::Think(Arg::Is(level)) => Some(*level),
            _ => None,
        });
        levels.next_back()
    }

    /// The model that is to answer this message, as written.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        let mut models = self.directives.iter().filter_map(|directive| match directive {
            Directive::Model(Arg::Is(name)) => Some(name.as_str()),
            _ => None,
        });
        models.next_back()
    }
}

/// A conversation that starts afresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reset {
    /// The word that said so, as configured.
    pub trigger: String,
    /// The model that is to answer from now on, as written.
    pub model: Option<String>,
    /// What else was said, directives and all.
    pub rest: String,
}

/// A command and what stands behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Its name in the table, whatever alias was typed; or the skill's.
    pub name: String,
    /// What stands behind it.
    pub args: String,
    /// Its line of the table; `None` for skills called by their own name.
    pub command: Option<&'static Command>,
}

impl Call {
    /// A command of the table by its name, with nothing behind it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        call_of(name, "")
    }

    /// The call as one would type it.
    #[must_use]
    pub fn typed(&self) -> String {
        let Self { name, args, .. } = self;
        if args.is_empty() { format!("/{name}") } else { format!("/{name} {args}") }
    }
}

/// How a message, or a conversation, is to be treated.
#[derive(Debug, Clone, PartialEq)]
pub enum Directive {
    /// How hard the model thinks.
    Think(Arg<ThinkingLevel>),
    /// What is told of tools.
    Verbose(Arg<Verbosity>),
    /// What is shown of thoughts.
    Reasoning(Arg<Thoughts>),
    /// Whether commands leave the sandbox.
    Elevated(Arg<Elevation>),
    Exec(Arg<ExecOptions>),
    Model(Arg<String>),
    Queue(Arg<QueueOptions>),
}

impl Directive {
    /// The command of the table.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Think(_) => "think",
            Self::Verbose(_) => "verbose",
            Self::Reasoning(_) => "reasoning",
            Self::Elevated(_) => "elevated",
            Self::Exec(_) => "exec",
            Self::Model(_) => "model",
            Self::Queue(_) => "queue",
        }
    }
}

/// Reads a message.
#[must_use]
pub fn read(text: &str, reading: &Reading<'_>) -> Meaning {
    let as_text = || Meaning { text: text.to_owned(), ..Meaning::default() };
    if !reading.may_command {
        return as_text();
    }
    let bare = without_mention(text, reading.our_name);
    if reading.extent == Extent::WholeMessage {
        return read_operators(bare, reading).unwrap_or_else(as_text);
    }
    if is_stop(bare, reading) {
        return Meaning { stop: true, command: call_of("stop", ""), ..as_text() };
    }
    if !reading.text_commands {
        return as_text();
    }
    if let Some(reset) = reset_of(bare, reading) {
        let inner = scan::scan(&reset.rest, &reset.rest, reading);
        return Meaning {
            text: inner.text,
            directives: inner.directives,
            shortcuts: inner.shortcuts,
            reset: Some(reset),
            ..Meaning::default()
        };
    }
    if let Some(call) = whole_command(bare, reading) {
        return Meaning { command: Some(call), ..as_text() };
    }
    let inner = scan::scan(text, bare, reading);
    if inner.directives.is_empty() && inner.shortcuts.is_empty() {
        return as_text();
    }
    let is_rest_empty = without_mention(&inner.text, reading.our_name).trim().is_empty();
    Meaning {
        only_directives: is_rest_empty && inner.shortcuts.is_empty(),
        text: if is_rest_empty { String::new() } else { inner.text },
        directives: inner.directives,
        shortcuts: inner.shortcuts,
        ..Meaning::default()
    }
}

/// A message that is a command and nothing else, or has settings in it; `None` for one that is only a text.
fn read_operators(bare: &str, reading: &Reading<'_>) -> Option<Meaning> {
    if let Some(call) = whole_command(bare, reading) {
        return Some(Meaning { command: Some(call), text: bare.to_owned(), ..Meaning::default() });
    }
    let scan::Found { directives, text, .. } = scan::scan(bare, bare, reading);
    let only_directives = text.trim().is_empty();
    (!directives.is_empty()).then(|| Meaning { directives, text, only_directives, ..Meaning::default() })
}

/// Whether a message would be a command from somebody who may use them. Such messages do not wait, are not joined
/// with others, and need no mention.
#[must_use]
pub fn is_control(text: &str, reading: &Reading<'_>) -> bool {
    read(text, &Reading { may_command: true, ..*reading }).is_control()
}

/// Reads a platform's own command, which is a command whatever the owner says about plain text.
#[must_use]
pub fn read_native(text: &str, reading: &Reading<'_>) -> Meaning {
    read(text, &Reading { text_commands: true, ..*reading })
}

fn is_stop(bare: &str, reading: &Reading<'_>) -> bool {
    let word = bare.trim();
    if STOP_WORDS.iter().any(|stop| stop.eq_ignore_ascii_case(word)) {
        return true;
    }
    slash_word(word, reading).is_some_and(|slash| {
        slash.rest.is_empty() && table::command(&slash.name).is_some_and(|command| command.name == "stop")
    })
}

/// The beginning of a message without our name, where it only says whom it is for.
fn without_mention<'t>(text: &'t str, our_name: Option<&str>) -> &'t str {
    let trimmed = text.trim();
    let Some(name) = our_name.filter(|name| !name.is_empty()) else { return trimmed };
    let has_at = trimmed.starts_with('@');
    let after_at = trimmed.strip_prefix('@').unwrap_or(trimmed);
    let Some((head, tail)) = after_at.split_at_checked(name.len()) else { return trimmed };
    if !head.eq_ignore_ascii_case(name) {
        return trimmed;
    }
    match tail.chars().next() {
        Some(':' | ',') => tail.get(1..).unwrap_or_default().trim(),
        Some(c) if c.is_whitespace() && has_at => tail.trim(),
        None if has_at => "",
        _ => trimmed,
    }
}

/// A word with a slash at the beginning of a text.
pub(crate) struct SlashWord<'t> {
    /// Lower case, without slash and without our name.
    pub(crate) name: String,
    /// What stands behind it, trimmed.
    pub(crate) rest: &'t str,
}

/// Reads `/name`, `/name@us`, `/name:` and what stands behind. `None` when it is none, or for somebody else.
pub(crate) fn slash_word<'t>(text: &'t str, reading: &Reading<'_>) -> Option<SlashWord<'t>> {
    let after = text.trim().strip_prefix('/')?;
    let end = after.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(after.len());
    let (word, rest) = after.split_at(end);
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let (name, addressee) = word.split_once('@').map_or((word, None), |(name, to)| (name, Some(to)));
    let is_for_us = match (addressee, reading.our_name) {
        (None, _) | (Some(_), None) => true,
        (Some(to), Some(us)) => to.eq_ignore_ascii_case(us.trim_start_matches('@')),
    };
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_' || c == '.');
    (is_for_us && is_name).then(|| SlashWord { name: name.to_lowercase(), rest: rest.trim() })
}

fn call_of(name: &str, args: &str) -> Option<Call> {
    let command = table::command(name)?;
    Some(Call { name: command.name.to_owned(), args: args.to_owned(), command: Some(command) })
}

fn whole_command(bare: &str, reading: &Reading<'_>) -> Option<Call> {
    if reading.shell
        && let Some(shell) = bare.strip_prefix('!')
    {
        let shell = shell.trim();
        // A row of exclamation marks is only loud.
        return if shell.is_empty() || shell.starts_with('!') { None } else { call_of("bash", shell) };
    }
    let SlashWord { name, rest } = slash_word(bare, reading)?;
    if let Some(channel) = name.strip_prefix("dock-").or_else(|| name.strip_prefix("dock_")) {
        return if channel.is_empty() || !rest.is_empty() { None } else { call_of("dock", channel) };
    }
    if let Some(command) = table::command(&name) {
        let takes_rest = rest.is_empty() || !command.arguments.is_empty();
        let is_whole = match (command.form, reading.extent) {
            (Form::Whole, _) | (Form::Shortcut, Extent::WholeMessage) => takes_rest,
            // `/commands 2`; any other text behind it makes it a shortcut.
            (Form::Shortcut, Extent::Anywhere) => {
                rest.is_empty() || (command.name == "commands" && rest.parse::<u32>().is_ok())
            }
            (Form::Directive, _) => false,
        };
        if command.name == "model" && rest.eq_ignore_ascii_case("list") {
            return call_of("models", "");
        }
        return is_whole.then(|| call_of(&name, rest)).flatten();
    }
    let skill = reading.skills.iter().find(|skill| skill.eq_ignore_ascii_case(&name));
    skill.map(|skill| Call { name: skill.clone(), args: rest.to_owned(), command: None })
}

fn reset_of(bare: &str, reading: &Reading<'_>) -> Option<Reset> {
    let trigger = reading.reset_triggers.iter().find_map(|trigger| {
        let wanted = trigger.trim();
        if let Some(name) = wanted.strip_prefix('/') {
            let slash = slash_word(bare, reading)?;
            return slash.name.eq_ignore_ascii_case(name).then(|| (trigger, slash.rest.to_owned()));
        }
        let (head, tail) = bare.split_at_checked(wanted.len())?;
        let is_word = tail.is_empty() || tail.starts_with(char::is_whitespace);
        let is = !wanted.is_empty() && head.eq_ignore_ascii_case(wanted) && is_word;
        is.then(|| (trigger, tail.trim().to_owned()))
    });
    let (trigger, rest) = trigger?;
    let (first, others) = rest.split_once(char::is_whitespace).unwrap_or((rest.as_str(), ""));
    let is_model = scan::is_model(first, reading);
    Some(Reset {
        trigger: trigger.trim().to_owned(),
        model: is_model.then(|| first.to_owned()),
        rest: if is_model { others.trim().to_owned() } else { rest },
    })
}

#[cfg(test)]
mod tests;
