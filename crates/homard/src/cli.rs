//! The grammar of the command line. Doc comments are the help people read; each command's own options live in
//! its file under [`commands`](crate::commands).

mod missing;

use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::builder::{PossibleValuesParser, Styles, TypedValueParser, styling::AnsiColor};
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand};
use homard_config::config::logging::LogLevel;
use serde::de::DeserializeOwned;

use crate::commands::approvals;
use crate::commands::channels;
use crate::commands::config;
use crate::commands::cron;
use crate::commands::gateway;
use crate::commands::machines::devices;
use crate::commands::machines::node;
use crate::commands::machines::nodes;
use crate::commands::machines::pairing;
use crate::commands::machines::qr;
use crate::commands::memory;
use crate::commands::models;
use crate::commands::reference::completion;
use crate::commands::reference::docs;
use crate::commands::reference::help;
use crate::commands::reference::protocol;
use crate::commands::service::backup;
use crate::commands::service::daemon;
use crate::commands::service::dashboard;
use crate::commands::service::doctor;
use crate::commands::service::erase;
use crate::commands::service::health;
use crate::commands::service::hooks;
use crate::commands::service::logs;
use crate::commands::service::secrets;
use crate::commands::service::security;
use crate::commands::service::setup::args as onboard;
use crate::commands::service::setup::configure;
use crate::commands::service::setup::migrate;
use crate::commands::service::status;
use crate::commands::service::system;
use crate::commands::service::update;
use crate::commands::service::webhooks;
use crate::commands::skills;
use crate::commands::talk::agent;
use crate::commands::talk::agents;
use crate::commands::talk::directory;
use crate::commands::talk::message;
use crate::commands::talk::route;
use crate::commands::talk::sessions;
use crate::commands::talk::tasks;
use crate::commands::talk::tui;
use crate::commands::talk::undo;
use crate::commands::talk::usage;
use crate::commands::tools;
use crate::report::Console;

const EXAMPLES: &str = "\
Examples:
  homard onboard                  set it up, step by step
  homard gateway                  start the gateway and print the link to the chat
  homard agent hello              say something and watch the answer come
  homard tui                      chat in the terminal
  homard status                   see whether everything is well
  homard doctor                   find out what is wrong, and mend it
  homard config set gateway.port 18790
  homard logs --follow

`homard help COMMAND` explains a command, `homard docs` has the book. Files live in ~/.homard;
HOMARD_STATE_DIR puts them elsewhere. Exit codes: 0 it worked, 1 it did not, 2 not understood.";

/// The version, with the commit where the build script told it; documentation is made without that.
pub(crate) const VERSION: &str = match option_env!("HOMARD_VERSION") {
    Some(told) => told,
    None => env!("CARGO_PKG_VERSION"),
};

/// A personal AI assistant that runs on your own machine
///
/// Homard is one program: a gateway that talks to models and to your chat apps, a web page to chat in, and these
/// commands. Start with `homard onboard`, open the link it ends with, and say hello.
#[derive(Parser)]
#[command(name = "homard", version = VERSION, styles = STYLES, after_help = EXAMPLES, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// Reads the command line, or ends the program with help or with what was wrong. Help is written while the options
    /// are still being read, so what it looks like is decided before.
    pub(crate) fn from_words(words: &[OsString]) -> Self {
        if asks_for_version(words) {
            // Where nobody reads it, there is nothing else to say.
            writeln!(io::stdout(), "homard {VERSION}").ok();
            std::process::exit(0);
        }
        let is_plain = words.iter().take_while(|word| *word != "--").any(|word| word == "--no-color");
        let color = if is_plain { ColorChoice::Never } else { ColorChoice::Auto };
        let matches = Self::command().color(color).try_get_matches_from(words).unwrap_or_else(|error| {
            let hint = missing::hint(Self::command(), words, &error);
            error.print().ok();
            if let Some(hint) = hint {
                Console::new(is_plain).note(&format!("\n{hint}"));
            }
            std::process::exit(error.exit_code())
        });
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Whether the version is all that is asked for: that needs no grammar, which takes longer to build than the answer.
fn asks_for_version(words: &[OsString]) -> bool {
    matches!(words, [_program, only] if only == "--version" || only == "-V")
}

/// Options every command takes.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Use the files of another profile, in ~/.homard-NAME
    #[arg(long, global = true, value_name = "NAME", conflicts_with = "dev")]
    pub(crate) profile: Option<String>,
    /// Use the profile for development: ~/.homard-dev, port 19001
    #[arg(long, global = true)]
    pub(crate) dev: bool,
    /// Say more or less than the configuration asks for
    #[arg(long, global = true, value_name = "LEVEL", value_parser = words_of::<LogLevel>(&LOG_LEVELS))]
    pub(crate) log_level: Option<LogLevel>,
    /// Print without colours
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    Agent(Box<agent::AgentArgs>),
    Agents(Box<agents::AgentsArgs>),
    #[command(visible_alias = "exec-approvals")]
    Approvals(Box<approvals::ApprovalsArgs>),
    Backup(Box<backup::BackupArgs>),
    Channels(Box<channels::ChannelsArgs>),
    Completion(completion::CompletionArgs),
    Config(Box<config::ConfigArgs>),
    Configure(configure::ConfigureArgs),
    #[command(visible_alias = "automations")]
    Cron(Box<cron::CronArgs>),
    Daemon(Box<daemon::DaemonArgs>),
    Dashboard(dashboard::DashboardArgs),
    Devices(Box<devices::DevicesArgs>),
    Directory(Box<directory::DirectoryArgs>),
    Docs(docs::DocsArgs),
    Doctor(doctor::DoctorArgs),
    Gateway(Box<gateway::GatewayArgs>),
    Health(health::HealthArgs),
    Help(help::HelpArgs),
    Hooks(hooks::HooksArgs),
    Logs(logs::LogsArgs),
    Memory(Box<memory::MemoryArgs>),
    Message(Box<message::MessageArgs>),
    Migrate(migrate::MigrateArgs),
    Models(models::ModelsArgs),
    Node(Box<node::NodeArgs>),
    Nodes(Box<nodes::NodesArgs>),
    #[command(visible_alias = "setup")]
    Onboard(Box<onboard::OnboardArgs>),
    Pairing(Box<pairing::PairingArgs>),
    #[command(hide = true)]
    Protocol(protocol::ProtocolArgs),
    Qr(Box<qr::QrArgs>),
    Reset(erase::ResetArgs),
    Route(route::RouteArgs),
    Secrets(secrets::SecretsArgs),
    Security(security::SecurityArgs),
    Sessions(Box<sessions::SessionsArgs>),
    Skills(skills::SkillsArgs),
    Status(status::StatusArgs),
    System(Box<system::SystemArgs>),
    Tasks(Box<tasks::TasksArgs>),
    Tools(Box<tools::ToolsArgs>),
    #[command(visible_aliases = ["terminal", "chat"])]
    Tui(Box<tui::TuiArgs>),
    Undo(Box<undo::UndoArgs>),
    Uninstall(erase::UninstallArgs),
    Update(Box<update::UpdateArgs>),
    Usage(Box<usage::UsageArgs>),
    Webhooks(webhooks::WebhooksArgs),
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Green.on_default());

const LOG_LEVELS: [&str; 7] = ["silent", "fatal", "error", "warn", "info", "debug", "trace"];

/// A parser for an enum of the configuration, by the words the file uses.
pub(crate) fn words_of<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| serde_json::from_value::<T>(word.into()))
}

#[cfg(test)]
mod tests;
