//! Every command people may type, as data: for reading, for lists, for menus and for who may.

use homard_config::config::commands::Commands;
use homard_runtime::Clip;

/// Commands on one page of `/commands`.
pub const PAGE_SIZE: usize = 8;

/// Who may use a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredRank {
    /// Whoever may use commands.
    Authorised,
    Owner,
    /// Whoever may work outside the sandbox.
    Elevated,
    /// The owner, where they may work outside the sandbox.
    ElevatedOwner,
}

/// What somebody may.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rank {
    /// They may use commands.
    pub may_command: bool,
    /// They are the owner.
    pub is_owner: bool,
    /// They may work outside the sandbox.
    pub is_elevated: bool,
}

impl Rank {
    /// Somebody the gateway has authenticated.
    pub const OWNER: Self = Self { may_command: true, is_owner: true, is_elevated: true };
}

impl RequiredRank {
    /// Whether somebody of that rank may.
    #[must_use]
    pub fn admits(self, rank: Rank) -> bool {
        match self {
            Self::Authorised => rank.may_command,
            Self::Owner => rank.may_command && rank.is_owner,
            Self::Elevated => rank.may_command && rank.is_elevated,
            Self::ElevatedOwner => rank.may_command && rank.is_owner && rank.is_elevated,
        }
    }
}

/// Where a command means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Everywhere,
    Groups,
}

/// A switch of `commands` that must be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    Bash,
    Config,
    Debug,
    Restart,
}

impl Switch {
    /// Whether the owner turned it on.
    #[must_use]
    pub fn is_on(self, commands: &Commands) -> bool {
        match self {
            Self::Bash => commands.bash,
            Self::Config => commands.config,
            Self::Debug => commands.debug,
            Self::Restart => commands.restart,
        }
    }

    /// Its key in the configuration.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Bash => "commands.bash",
            Self::Config => "commands.config",
            Self::Debug => "commands.debug",
            Self::Restart => "commands.restart",
        }
    }
}

/// How a command is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Whole,
    /// Anywhere in a message: it is taken out, and says how the rest is to be treated.
    Directive,
    /// Anywhere in a message: it is taken out and answered beside.
    Shortcut,
}

/// One command.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    pub name: &'static str,
    /// What else may be typed.
    pub aliases: &'static [&'static str],
    /// How its arguments are written; empty when it takes none.
    pub arguments: &'static str,
    pub help: &'static str,
    /// Who may use it.
    pub who: RequiredRank,
    /// Where it means something.
    pub place: Where,
    /// How it is read.
    pub form: Form,
    /// Whether it stands in a platform's menu.
    pub native: bool,
    /// What the owner must have turned on.
    pub needs: Option<Switch>,
}

const WHOLE: Command = Command {
    name: "",
    aliases: &[],
    arguments: "",
    help: "",
    who: RequiredRank::Authorised,
    place: Where::Everywhere,
    form: Form::Whole,
    native: true,
    needs: None,
};
const DIRECTIVE: Command = Command { form: Form::Directive, ..WHOLE };
const SHORTCUT: Command = Command { form: Form::Shortcut, ..WHOLE };

/// Every command, alphabetical.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "activation",
        arguments: "mention|always",
        help: "answer in this group when mentioned, or always",
        who: RequiredRank::Owner,
        place: Where::Groups,
        ..WHOLE
    },
    Command {
        name: "allowlist",
        arguments: "[list|add|remove] [dm|group|all] [id] [--store|--config]",
        help: "who may speak here",
        native: false,
        ..WHOLE
    },
    Command {
        name: "approve",
        arguments: "<id> allow-once|allow-always|deny",
        help: "answer a question about a command",
        ..WHOLE
    },
    Command {
        name: "bash",
        arguments: "<command>",
        help: "run a command on the host",
        who: RequiredRank::ElevatedOwner,
        native: false,
        needs: Some(Switch::Bash),
        ..WHOLE
    },
    Command { name: "commands", arguments: "[page]", help: "list the commands", ..SHORTCUT },
    Command {
        name: "compact",
        arguments: "[instructions]",
        help: "summarise the beginning of the conversation",
        ..WHOLE
    },
    Command {
        name: "config",
        arguments: "show|get|set|unset [path] [value]",
        help: "read or change the configuration",
        who: RequiredRank::Owner,
        needs: Some(Switch::Config),
        ..WHOLE
    },
    Command {
        name: "context",
        arguments: "[list|detail|json]",
        help: "what the model is told, and how much of it",
        ..WHOLE
    },
    Command {
        name: "debug",
        arguments: "show|set|unset|reset [path] [value]",
        help: "settings until the next start",
        who: RequiredRank::Owner,
        needs: Some(Switch::Debug),
        ..WHOLE
    },
    Command {
        name: "dock",
        arguments: "<channel>",
        help: "send the answers of this conversation to another platform",
        native: false,
        ..WHOLE
    },
    Command {
        name: "elevated",
        aliases: &["elev"],
        arguments: "on|off|ask|full",
        help: "work outside the sandbox",
        who: RequiredRank::Elevated,
        ..DIRECTIVE
    },
    Command {
        name: "exec",
        arguments: "host=… security=… ask=… node=…",
        help: "where commands run, and which need a yes",
        ..DIRECTIVE
    },
    Command {
        name: "export-session",
        aliases: &["export"],
        arguments: "[path]",
        help: "write the conversation to a file",
        native: false,
        ..WHOLE
    },
    Command { name: "help", help: "how to talk to me", ..SHORTCUT },
    Command { name: "kill", arguments: "<id|#|all>", help: "stop a subagent", ..WHOLE },
    Command { name: "model", arguments: "[name|list|status]", help: "which model answers", ..DIRECTIVE },
    Command { name: "models", arguments: "[provider] [page]", help: "list the models", ..WHOLE },
    Command { name: "new", arguments: "[model] [message]", help: "begin a new conversation", ..WHOLE },
    Command {
        name: "queue",
        arguments: "steer|followup|collect|steer-backlog|interrupt|default [debounce:2s] [cap:25] [drop:old|new|summarize]",
        help: "what happens to messages while I am busy",
        ..DIRECTIVE
    },
    Command {
        name: "reasoning",
        aliases: &["reason"],
        arguments: "on|off|stream",
        help: "show what the model thinks",
        ..DIRECTIVE
    },
    Command { name: "reset", arguments: "[message]", help: "begin a new conversation", ..WHOLE },
    Command {
        name: "restart",
        help: "start the gateway anew",
        who: RequiredRank::Owner,
        needs: Some(Switch::Restart),
        ..WHOLE
    },
    Command {
        name: "send",
        arguments: "on|off|inherit",
        help: "whether I answer in this conversation",
        who: RequiredRank::Owner,
        ..WHOLE
    },
    Command { name: "skill", arguments: "<name> [input]", help: "use a skill", ..WHOLE },
    Command { name: "status", help: "model, context and what is going on", ..SHORTCUT },
    Command {
        name: "steer",
        aliases: &["tell"],
        arguments: "<id|#> <message>",
        help: "tell a subagent something",
        ..WHOLE
    },
    Command { name: "stop", aliases: &["abort"], help: "stop what is going on", ..WHOLE },
    Command {
        name: "subagents",
        arguments: "[list|kill|log|info|send|steer|spawn] [id] [message]",
        help: "the agents at work for this conversation",
        ..WHOLE
    },
    Command {
        name: "think",
        aliases: &["thinking", "t"],
        arguments: "off|minimal|low|medium|high|xhigh|default",
        help: "how hard the model thinks",
        ..DIRECTIVE
    },
    Command {
        name: "tts",
        aliases: &["voice"],
        arguments: "[off|always|inbound|tagged|status|provider|limit|summary|audio|help] [value]",
        help: "speak answers aloud",
        ..WHOLE
    },
    Command { name: "undo", help: "put back the files the last run changed", ..WHOLE },
    Command { name: "usage", arguments: "[off|tokens|full|cost]", help: "what answers cost", ..WHOLE },
    Command {
        name: "verbose",
        aliases: &["v"],
        arguments: "on|full|off",
        help: "show which tools are used",
        ..DIRECTIVE
    },
    Command { name: "whoami", aliases: &["id"], help: "the id you are known by", ..SHORTCUT },
];

/// Names that people coming from OpenClaw know as commands and that are none here yet.
const KEPT_FREE: [&str; 12] = [
    "agents", "btw", "fast", "focus", "mcp", "mesh", "plugins", "session", "skills", "tasks", "tools",
    "unfocus",
];

/// Whether no skill may be called by that name, as commands of skills are written.
#[must_use]
pub fn is_taken(name: &str) -> bool {
    command(name).is_some() || KEPT_FREE.contains(&name)
}

/// The command of that name or alias, without its slash, in any case. Menus that know no `-` write `_` for it.
#[must_use]
pub fn command(name: &str) -> Option<&'static Command> {
    let name = name.trim().to_lowercase().replace('_', "-");
    COMMANDS.iter().find(|command| command.name == name || command.aliases.contains(&name.as_str()))
}

/// Commands that exist for this owner, alphabetical.
pub fn available(commands: &Commands) -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter().filter(|command| command.needs.is_none_or(|switch| switch.is_on(commands)))
}

/// One entry of a platform's menu: lower-case letters, digits and `_`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MenuEntry {
    pub name: String,
    pub help: String,
}

/// Longest name in a platform's menu, in characters.
const MAX_MENU_NAME: usize = 32;
/// Longest description in a platform's menu, in characters.
const MAX_MENU_HELP: usize = 100;

/// A platform's menu: the commands, then the owner's own, then skills, at most `most`. The first of several with
/// one name stays.
#[must_use]
pub fn menu(commands: &Commands, skills: &[MenuEntry], own: &[MenuEntry], most: usize) -> Vec<MenuEntry> {
    let fixed = available(commands).filter(|command| command.native);
    let fixed =
        fixed.map(|command| MenuEntry { name: command.name.to_owned(), help: command.help.to_owned() });
    let mut menu: Vec<MenuEntry> = Vec::new();
    for entry in fixed.chain(own.iter().cloned()).chain(skills.iter().cloned()) {
        let Some(name) = menu_name(&entry.name) else { continue };
        if menu.len() < most && menu.iter().all(|known| known.name != name) {
            let help = entry.help.trim().clip_chars(MAX_MENU_HELP).to_owned();
            menu.push(MenuEntry { help: if help.is_empty() { name.clone() } else { help }, name });
        }
    }
    menu
}

/// A name as menus take it: `[a-z0-9_]`, at most 32 characters; `None` when nothing is left.
#[must_use]
pub fn menu_name(name: &str) -> Option<String> {
    let mut out = String::new();
    for c in name.trim().trim_start_matches('/').chars().flat_map(char::to_lowercase) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        if out.len() >= MAX_MENU_NAME {
            break;
        }
    }
    let out = out.trim_matches('_');
    (!out.is_empty()).then(|| out.to_owned())
}

/// One line of a list: `/name arguments — what it does`.
#[must_use]
pub fn line(command: &Command) -> String {
    let space = if command.arguments.is_empty() { "" } else { " " };
    format!("/{}{space}{} — {}", command.name, command.arguments, command.help)
}

/// A page of `/commands`, counted from 1; a number that is too large shows the last one.
#[must_use]
pub fn page(lines: &[String], number: usize) -> String {
    let pages = lines.len().div_ceil(PAGE_SIZE).max(1);
    let number = number.clamp(1, pages);
    let shown = lines.iter().skip((number.saturating_sub(1)).saturating_mul(PAGE_SIZE)).take(PAGE_SIZE);
    let mut text = format!("Commands, page {number} of {pages}:");
    for line in shown {
        text.push('\n');
        text.push_str(line);
    }
    if number < pages {
        text.push_str(&format!("\n/commands {} for more", number.saturating_add(1)));
    }
    text
}
