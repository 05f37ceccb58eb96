//! `homard help`: the help of a command, found by its words.

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
    let line = std::iter::once("homard").chain(args.words.iter().map(String::as_str));
    let (mut program, _name) = on_demand::grammar(&line.map(Into::into).collect::<Vec<_>>());
    program.build();
    let mut command = &mut program;
    for word in &args.words {
        let before = command.get_bin_name().unwrap_or("homard").to_owned();
        command = command.find_subcommand_mut(word).ok_or_else(|| {
            Advice::usage(format!("`{before}` has no `{word}`"), format!("{before} --help"))
        })?;
    }
    let help = command.render_long_help();
    let help = if cx.console.colors_results() { help.ansi().to_string() } else { help.to_string() };
    Ok(cx.console.styled(&help)?)
}
