//! `homard completion`: teach the shell our words.

use std::io;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cx, terminal};
use crate::cli::Cli;
use crate::report::Advice;

const EXAMPLES: &str = "\
Examples:
  homard completion --shell bash > ~/.local/share/bash-completion/completions/homard
  homard completion --shell zsh > ~/.zfunc/_homard
  homard completion --shell fish > ~/.config/fish/completions/homard.fish";

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionArgs {
    /// Which shell
    #[arg(long, value_name = "SHELL", value_parser = clap::builder::PossibleValuesParser::new(SHELLS))]
    shell: Option<String>,
}

const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// Runs the command.
///
/// # Errors
/// When no shell is named, or the reader is gone.
pub(crate) fn run(cx: &Cx, args: &CompletionArgs) -> anyhow::Result<()> {
    let shell = match wanted(cx, args)?.as_str() {
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        "powershell" => Shell::PowerShell,
        _ => Shell::Bash,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "homard", &mut script);
    let script = String::from_utf8(script).map_err(io::Error::other)?;
    Ok(cx.console.part(&script)?)
}

/// The shell that is meant.
fn wanted(cx: &Cx, args: &CompletionArgs) -> anyhow::Result<String> {
    if let Some(shell) = &args.shell {
        return Ok(shell.clone());
    }
    if terminal::is_manned() {
        return Ok(
            terminal::choose(cx.console, "For which shell?", &SHELLS.map(|shell| (shell, "")))?.to_owned()
        );
    }
    let used = cx.source.environment.get("SHELL").and_then(|path| path.rsplit('/').next());
    let example = used.filter(|used| SHELLS.contains(used)).unwrap_or("bash");
    Err(Advice::usage(
        format!("for which shell? ({})", SHELLS.join(", ")),
        format!("homard completion --shell {example}"),
    ))
}
