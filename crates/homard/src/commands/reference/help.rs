//! `homard help`: the help of a command, found by its words.

use std::ffi::OsString;

use clap::Args;

use crate::cli::on_demand;
use crate::commands::Cx;
use crate::report::Advice;

/// Explain a command; the same as `--help` after it
#[derive(Args)]
pub(crate) struct HelpArgs {
    /// The command's words, such as `cron add`
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// When there is no such command, or the reader is gone.
pub(crate) fn run(cx: &Cx, args: &HelpArgs) -> anyhow::Result<()> {
    let mut line: Vec<OsString> = std::iter::once("homard").chain(words(args)).map(Into::into).collect();
    let (mut program, _name) = on_demand::grammar(&line);
    program.build();
    let mut command = &program;
    for word in words(args) {
        let before = command.get_bin_name().unwrap_or("homard");
        command = command.find_subcommand(word).ok_or_else(|| {
            Advice::usage(format!("`{before}` has no `{word}`"), format!("{before} --help"))
        })?;
    }
    // Asked as if it had been typed, so that both say the same.
    line.push("--help".into());
    match program.try_get_matches_from(line) {
        Ok(_matches) => Ok(()),
        Err(told) => {
            let help = told.render();
            let help = if cx.console.colors_results() { help.ansi().to_string() } else { help.to_string() };
            Ok(cx.console.styled(&help)?)
        }
    }
}

fn words(args: &HelpArgs) -> impl Iterator<Item = &str> {
    args.words.iter().map(String::as_str)
}
