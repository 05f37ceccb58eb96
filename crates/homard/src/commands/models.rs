//! `homard models`: what can be thought with, what is, and with whose key.
//!
//! All of it works without a gateway: the same files and the same code answer. `list` asks a gateway when it is
//! told where one is.

mod auth;
mod choose;
mod list;
mod probe;
mod room;
mod scan;
pub(crate) mod state;
mod status;

use clap::{Args, Subcommand};

pub(crate) use room::Local;

use super::Cx;
use choose::{AliasesCommand, Choice, FallbacksCommand, SetArgs};

const EXAMPLES: &str = "\
Examples:
  homard models list
  homard models set anthropic/claude-opus-4-6
  homard models fallbacks add openai/gpt-5.2
  homard models aliases add fast groq/llama-3.3-70b-versatile
  homard models auth add --provider anthropic
  homard models auth order get --provider anthropic
  homard models auth remove anthropic:default
  homard models probe

A running gateway notices changes by itself.";

/// See and choose models, and give Homard keys for them
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ModelsArgs {
    #[command(subcommand)]
    command: ModelsCommand,
}

#[derive(Subcommand)]
enum ModelsCommand {
    /// List models that can be used
    List(list::ListArgs),
    /// Show which model answers, what is tried after it, and every credential
    Status(status::StatusArgs),
    /// Choose the model that answers
    Set(SetArgs),
    /// Choose the model that looks at pictures when the first cannot
    SetImage(SetArgs),
    /// Short names for models
    #[command(subcommand)]
    Aliases(AliasesCommand),
    /// Models that are tried when the first choice fails
    #[command(subcommand)]
    Fallbacks(FallbacksCommand),
    /// The same for pictures
    #[command(subcommand)]
    ImageFallbacks(FallbacksCommand),
    /// Ask servers which models they have, also those on this machine
    #[command(visible_alias = "refresh")]
    Scan(scan::ScanArgs),
    /// Ask each provider for one word, to see whether it answers
    Probe(probe::ProbeArgs),
    /// Keys and logins
    #[command(subcommand)]
    Auth(auth::AuthCommand),
}

/// Runs the command.
///
/// # Errors
/// When the configuration cannot be used or changed, or nobody answers.
pub(crate) async fn run(cx: &Cx, args: ModelsArgs) -> anyhow::Result<()> {
    match args.command {
        ModelsCommand::List(args) => list::run(cx, args).await,
        ModelsCommand::Status(args) => status::run(cx, args).await,
        ModelsCommand::Set(args) => choose::set(cx, Choice::Text, &args).await,
        ModelsCommand::SetImage(args) => choose::set(cx, Choice::Image, &args).await,
        ModelsCommand::Aliases(command) => choose::aliases(cx, command).await,
        ModelsCommand::Fallbacks(command) => choose::fallbacks(cx, Choice::Text, command).await,
        ModelsCommand::ImageFallbacks(command) => choose::fallbacks(cx, Choice::Image, command).await,
        ModelsCommand::Scan(args) => scan::run(cx, args).await,
        ModelsCommand::Probe(args) => probe::run(cx, args).await,
        ModelsCommand::Auth(command) => auth::run(cx, command).await,
    }
}
