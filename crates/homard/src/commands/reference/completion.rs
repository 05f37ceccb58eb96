//! `homard completion`: teach the shell our words.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::commands::{Cx, terminal};
use crate::report::Advice;

const EXAMPLES: &str = "\
Examples:
  homard completion --install
  homard completion --shell bash > ~/.local/share/bash-completion/completions/homard
  homard completion --shell zsh > ~/.zfunc/_homard
  homard completion --shell fish > ~/.config/fish/completions/homard.fish";

/// Print completions for a shell, or put them where it looks for them
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionArgs {
    /// Which shell
    #[arg(long, value_name = "SHELL", value_parser = clap::builder::PossibleValuesParser::new(SHELLS))]
    shell: Option<String>,
    /// Write them where the shell looks for them; its own settings are left alone
    #[arg(long)]
    install: bool,
}

const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// Runs the command.
///
/// # Errors
/// When no shell is named, the file cannot be written, or the reader is gone.
pub(crate) fn run(cx: &Cx, args: &CompletionArgs) -> anyhow::Result<()> {
    let wanted = wanted(cx, args)?;
    let shell = match wanted.as_str() {
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        "powershell" => Shell::PowerShell,
        _ => Shell::Bash,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "homard", &mut script);
    let script = String::from_utf8(script).map_err(io::Error::other)?;
    if args.install { install(cx, &wanted, &script) } else { Ok(cx.console.part(&script)?) }
}

/// Writes the file, and says what is left to do where the shell does not find it by itself.
fn install(cx: &Cx, shell: &str, script: &str) -> anyhow::Result<()> {
    let home = &cx.source.paths.home;
    let place = |variable: &str, usual: &str| {
        cx.source.environment.get(variable).map_or_else(|| home.join(usual), PathBuf::from)
    };
    let (file, left) = match shell {
        "zsh" => (
            home.join(".zfunc/_homard"),
            "zsh finds it with `fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit` in ~/.zshrc",
        ),
        "fish" => (place("XDG_CONFIG_HOME", ".config").join("fish/completions/homard.fish"), ""),
        "powershell" => (
            place("XDG_CONFIG_HOME", ".config").join("powershell/homard.ps1"),
            "PowerShell reads it with `. ~/.config/powershell/homard.ps1` in the file $PROFILE names",
        ),
        _ => (place("XDG_DATA_HOME", ".local/share").join("bash-completion/completions/homard"), ""),
    };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("could not make `{}`", folder.display()))?;
    }
    homard_runtime::replace_shared(&file, script.as_bytes())
        .with_context(|| format!("could not write `{}`", file.display()))?;
    cx.console.line(&format!("Wrote {}; the next {shell} you start has them.", file.display()))?;
    if left.is_empty() { Ok(()) } else { Ok(cx.console.line(&format!("If it does not: {left}."))?) }
}

/// The shell that is meant.
fn wanted(cx: &Cx, args: &CompletionArgs) -> anyhow::Result<String> {
    if let Some(shell) = &args.shell {
        return Ok(shell.clone());
    }
    let used = cx.source.environment.get("SHELL").and_then(|path| path.rsplit('/').next());
    let used = used.filter(|used| SHELLS.contains(used));
    if let Some(used) = used.filter(|_| args.install) {
        return Ok(used.to_owned());
    }
    if terminal::is_manned() {
        return Ok(
            terminal::choose(cx.console, "For which shell?", &SHELLS.map(|shell| (shell, "")))?.to_owned()
        );
    }
    Err(Advice::usage(
        format!("for which shell? ({})", SHELLS.join(", ")),
        format!("homard completion --shell {}", used.unwrap_or("bash")),
    ))
}
