//! What completes the text being written: commands behind a slash, files behind an at sign.

use homard_protocol::methods::chat::startup::SlashCommand;
use homard_runtime::Arrange as _;

use super::paths::at_word;
use crate::text::clean::clean_line;

/// Commands this program obeys itself; the others go to the gateway.
pub(crate) const OWN: &[(&str, &str)] = &[
    ("help", "keys and commands"),
    ("sessions", "choose a conversation (or name one)"),
    ("agents", "choose an agent (or name one)"),
    ("models", "choose a model"),
    ("thinking", "choose how hard to think"),
    ("attach", "attach a file: /attach PATH"),
    ("search", "search in this conversation"),
    ("tools", "show or hide what tools were given and answered"),
    ("abort", "stop the run under way"),
    ("quit", "leave"),
];
/// Other words for the same.
pub(crate) const SAME: &[(&str, &str)] =
    &[("session", "sessions"), ("agent", "agents"), ("exit", "quit"), ("find", "search")];

/// What most people want first.
const COMMON: [&str; 8] = ["new", "sessions", "models", "status", "thinking", "compact", "help", "quit"];
/// Most lines that are shown.
pub(crate) const SHOWN: usize = 8;

/// A list that completes what is being written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) lines: Vec<CompletionLine>,
    pub(crate) at: usize,
    /// What was typed when somebody closed it; it stays closed until that changes.
    closed: Option<String>,
}

/// One line of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompletionLine {
    /// What is put in the place of the word.
    pub(crate) text: String,
    pub(crate) about: String,
}

/// A command, wherever it is obeyed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownCommand {
    pub(crate) name: String,
    aliases: Vec<String>,
    about: String,
    takes_words: bool,
    choices: Vec<String>,
}

impl Completion {
    pub(crate) fn is_open(&self) -> bool {
        !self.lines.is_empty()
    }

    pub(crate) fn chosen(&self) -> Option<&CompletionLine> {
        self.lines.get(self.at)
    }

    pub(crate) fn step(&mut self, step: isize) {
        let count = self.lines.len().max(1);
        self.at = self.at.checked_add_signed(step).map_or(count - 1, |at| at % count);
    }

    pub(crate) fn close(&mut self, before: &str) {
        self.lines.clear();
        self.closed = Some(before.to_owned());
    }

    /// Looks at what stands before the cursor; the names of files come from elsewhere, so they are asked for.
    pub(crate) fn look(&mut self, before: &str, commands: &[KnownCommand]) -> Option<String> {
        if self.closed.as_deref() == Some(before) {
            return None;
        }
        self.closed = None;
        let word = at_word(before);
        // Names of files that were found stay until others are.
        if word.is_none() {
            self.fill(slash_lines(before, commands));
        }
        word
    }

    pub(crate) fn fill(&mut self, lines: Vec<CompletionLine>) {
        if lines != self.lines {
            self.at = 0;
        }
        self.lines = lines;
    }
}

/// What the gateway obeys and what this program does, under one roof.
pub(crate) fn known(listed: &[SlashCommand]) -> Vec<KnownCommand> {
    let own = OWN.iter().map(|(name, about)| KnownCommand {
        name: (*name).to_owned(),
        aliases: SAME.iter().filter(|(_, same)| same == name).map(|(word, _)| (*word).to_owned()).collect(),
        about: (*about).to_owned(),
        takes_words: matches!(*name, "attach"),
        choices: Vec::new(),
    });
    let is_own =
        |name: &str| OWN.iter().any(|(own, _)| *own == name) || SAME.iter().any(|(own, _)| *own == name);
    let theirs = listed.iter().filter(|command| !is_own(&command.name)).map(|command| {
        let about = command.args.as_deref().unwrap_or_default().first();
        KnownCommand {
            name: clean_line(&command.name),
            aliases: command
                .text_aliases
                .iter()
                .map(|alias| clean_line(alias.trim_start_matches('/')))
                .collect(),
            about: clean_line(&command.description),
            takes_words: command.accepts_args,
            choices: about.map(|argument| choices_in(&argument.description)).unwrap_or_default(),
        }
    });
    let mut all: Vec<KnownCommand> =
        own.chain(theirs).filter(|command| !command.name.contains(' ')).collect();
    let place = |name: &str| COMMON.iter().position(|common| *common == name).unwrap_or(COMMON.len());
    all.arrange_by(|one, other| (place(&one.name), &one.name).cmp(&(place(&other.name), &other.name)));
    all
}

/// `on|off` or `[list|add] [id]` name the words that may come first.
fn choices_in(description: &str) -> Vec<String> {
    let shown = description.trim();
    let first = shown.trim_start_matches('[').split([' ', ']']).next().unwrap_or_default();
    if shown.starts_with('<') || !first.contains('|') {
        return Vec::new();
    }
    let is_word = |word: &&str| {
        word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-'))
            && !matches!(*word, "name" | "id" | "value" | "path")
    };
    first.split('|').filter(is_word).map(str::to_owned).collect()
}

fn slash_lines(before: &str, commands: &[KnownCommand]) -> Vec<CompletionLine> {
    let Some(typed) = before.strip_prefix('/') else { return Vec::new() };
    if before.contains('\n') {
        return Vec::new();
    }
    match typed.split_once(' ') {
        None => names(&typed.to_lowercase(), commands),
        Some((name, word)) if !word.contains(' ') => {
            let found = commands
                .iter()
                .find(|command| command.name == name || command.aliases.iter().any(|a| a == name));
            words(found, &word.to_lowercase())
        }
        Some(_) => Vec::new(),
    }
}

/// Beginnings of names first, then of other names, then words of the description.
fn names(typed: &str, commands: &[KnownCommand]) -> Vec<CompletionLine> {
    let rank = |command: &KnownCommand| {
        if command.name.starts_with(typed) {
            Some(0)
        } else if command.aliases.iter().any(|alias| alias.starts_with(typed)) {
            Some(1)
        } else if command.name.contains(typed) {
            Some(2)
        } else {
            (typed.len() > 1 && command.about.to_lowercase().contains(typed)).then_some(3)
        }
    };
    let mut found: Vec<_> =
        commands.iter().filter_map(|command| rank(command).map(|rank| (rank, command))).collect();
    found.arrange_by_key(|(rank, _)| *rank);
    // The name is there in full: Enter sends it.
    if let [(0, only)] = found.as_slice()
        && only.name == typed
    {
        return Vec::new();
    }
    let line = |command: &KnownCommand| CompletionLine {
        text: format!("/{}{}", command.name, if command.takes_words { " " } else { "" }),
        about: command.about.clone(),
    };
    found.into_iter().map(|(_, command)| line(command)).collect()
}

fn words(command: Option<&KnownCommand>, typed: &str) -> Vec<CompletionLine> {
    let Some(command) = command else { return Vec::new() };
    let fitting: Vec<&String> =
        command.choices.iter().filter(|choice| choice.to_lowercase().starts_with(typed)).collect();
    if let [only] = fitting.as_slice()
        && only.as_str() == typed
    {
        return Vec::new();
    }
    let line = |choice: &String| CompletionLine {
        text: format!("/{} {choice}", command.name),
        about: String::new(),
    };
    fitting.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use homard_protocol::methods::chat::startup::{CommandScope, SlashArgument, SlashCommand};

    use super::{Completion, known};

    fn command(name: &str, about: &str, words: Option<&str>) -> SlashCommand {
        SlashCommand {
            name: name.into(),
            native_name: name.into(),
            text_aliases: vec![format!("/{name}")],
            description: about.into(),
            source: "native".into(),
            scope: CommandScope::Both,
            accepts_args: words.is_some(),
            args: words.map(|words| {
                vec![SlashArgument { name: "x".into(), description: words.into(), kind: "string".into() }]
            }),
        }
    }

    fn texts(before: &str) -> Vec<String> {
        let listed = [
            command("verbose", "show tools", Some("on|off|full")),
            command("status", "how things are", None),
            command("help", "theirs", None),
        ];
        let mut completion = Completion::default();
        completion.look(before, &known(&listed));
        completion.lines.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn commands_of_both_sides_are_offered_once() {
        assert_eq!(texts("/sta"), ["/status"]);
        assert_eq!(texts("/hel"), ["/help"]);
        assert_eq!(texts("/verb"), ["/verbose "]);
        assert_eq!(texts("/verbose o"), ["/verbose on", "/verbose off"]);
        assert_eq!(texts("/exi"), ["/quit"]);
        for none in ["/status", "/verbose on", "hello /sta", "/verbose on x", "/sta\n", ""] {
            assert_eq!(texts(none), Vec::<String>::new(), "{none:?}");
        }
        assert!(texts("/").len() > 9);
    }

    #[test]
    fn a_list_that_was_closed_stays_closed_until_more_is_typed() {
        let commands = known(&[]);
        let mut completion = Completion::default();
        completion.look("/q", &commands);
        assert!(completion.is_open());
        completion.close("/q");
        completion.look("/q", &commands);
        assert!(!completion.is_open());
        completion.look("/qu", &commands);
        assert!(completion.is_open());
    }

    #[test]
    fn files_are_asked_for_behind_an_at_sign() {
        let mut completion = Completion::default();
        assert_eq!(completion.look("see @src/ma", &[]), Some("src/ma".to_owned()));
        assert_eq!(completion.look("me@example", &[]), None);
    }
}
