//! The command line of one call. Pure: what goes where, and what does not fit goes to standard input.

use homard_config::config::agents::cli_backends::{CliImageMode, CliInput, CliSystemPromptWhen};

use super::row::{Row, SESSION_PLACE};

/// Longest single argument, in bytes; the kernel refuses more than 128 KiB.
const MAX_ARGUMENT_BYTES: usize = 100_000;
/// Told to every program: what it does with its own tools would bypass the owner's rules.
pub(super) const TOOLS_NOTICE: &str = "Tools are disabled in this session. Do not call tools.";

/// Which of the program's sessions a call belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Session {
    /// A new one, and the program names it.
    Unnamed,
    /// A new one with this name.
    New(String),
    Known(String),
}

impl Session {
    /// Its name, where it has one.
    pub(super) fn id(&self) -> Option<&str> {
        match self {
            Self::Unnamed => None,
            Self::New(id) | Self::Known(id) => Some(id),
        }
    }

    /// Whether the program remembers earlier calls of it.
    pub(super) fn is_known(&self) -> bool {
        matches!(self, Self::Known(_))
    }
}

/// What one call says.
#[derive(Debug)]
pub(super) struct CliCall<'a> {
    pub(super) model: &'a str,
    pub(super) session: &'a Session,
    pub(super) system: &'a str,
    pub(super) prompt: &'a str,
    pub(super) images: &'a [String],
}

/// What the program is started with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandLine {
    pub(super) args: Vec<String>,
    pub(super) stdin: Option<String>,
}

/// Spells a call the way the program wants it.
pub(super) fn command_line(row: &Row, call: &CliCall<'_>) -> CommandLine {
    let (system, mut prompt) = place_system(row, call);
    if row.image_arg.is_none() && !call.images.is_empty() {
        prompt = format!("{prompt}\n\n{}", call.images.join("\n"));
    }
    let mut args = base(row, call.session);
    add_images(row, call.images, &mut args);
    if let Some((arg, system)) = row.system_prompt_arg.as_ref().zip(system) {
        args.extend([arg.clone(), system]);
    }
    // Last of the options: it takes exactly one value, so the prompt cannot be mistaken for another picture.
    if let Some(arg) = &row.model_arg {
        args.extend([arg.clone(), row.model_name(call.model).to_owned()]);
    }
    let fits = prompt.len() <= MAX_ARGUMENT_BYTES
        && row.max_prompt_arg_chars.is_none_or(|most| prompt.chars().count() <= most);
    if row.input == CliInput::Stdin || !fits {
        return CommandLine { args, stdin: Some(prompt) };
    }
    args.push(as_argument(prompt));
    CommandLine { args, stdin: None }
}

fn base(row: &Row, session: &Session) -> Vec<String> {
    let filled = |args: &[String], id: &str| -> Vec<String> {
        args.iter().map(|arg| arg.replace(SESSION_PLACE, id)).collect()
    };
    if let Session::Known(id) = session
        && !row.resume_args.is_empty()
    {
        return filled(&row.resume_args, id);
    }
    let mut args = row.args.clone();
    if let Some(id) = session.id() {
        if !row.session_args.is_empty() {
            args.extend(filled(&row.session_args, id));
        } else if let Some(arg) = &row.session_arg {
            args.extend([arg.clone(), id.to_owned()]);
        }
    }
    args
}

fn add_images(row: &Row, images: &[String], args: &mut Vec<String>) {
    let Some(arg) = row.image_arg.as_ref().filter(|_| !images.is_empty()) else { return };
    match row.image_mode {
        CliImageMode::List => args.extend([arg.clone(), images.join(",")]),
        CliImageMode::Repeat => {
            args.extend(images.iter().flat_map(|image| [arg.clone(), image.clone()]));
        }
    }
}

/// The system prompt for its option, and the prompt; where there is no option, or no room in it, the one is
/// put before the other.
fn place_system(row: &Row, call: &CliCall<'_>) -> (Option<String>, String) {
    let wanted = match row.system_prompt_when {
        CliSystemPromptWhen::Always => true,
        CliSystemPromptWhen::First => !call.session.is_known(),
        CliSystemPromptWhen::Never => false,
    };
    let prompt = without_nul(call.prompt);
    if !wanted {
        return (None, prompt);
    }
    let system = without_nul(call.system);
    let system = [system.trim_end(), TOOLS_NOTICE].join("\n\n").trim_start().to_owned();
    if row.system_prompt_arg.is_some() && system.len() <= MAX_ARGUMENT_BYTES {
        return (Some(system), prompt);
    }
    (None, format!("{system}\n\n---\n\n{prompt}"))
}

/// No argument can carry a NUL.
fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}

/// What a person wrote must be read as a prompt, never as an option or as the name of a subcommand.
fn as_argument(prompt: String) -> String {
    if prompt.starts_with('-') || !prompt.contains(char::is_whitespace) {
        return format!(" {prompt}");
    }
    prompt
}

#[cfg(test)]
mod tests;
