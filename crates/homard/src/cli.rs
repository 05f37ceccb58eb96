//! The grammar of the command line. Doc comments are the help people read; each command's own options live in
//! its file under [`commands`](crate::commands).

mod missing;
mod not_built;
pub(crate) mod on_demand;

use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::builder::{PossibleValuesParser, Styles, TypedValueParser, styling::AnsiColor};
use clap::{ArgMatches, Args, ColorChoice, CommandFactory, Error, FromArgMatches, Parser, Subcommand};
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
use crate::report::{Advice, Console};
use on_demand::OnDemand;

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
HOMARD_STATE_DIR puts them elsewhere. Exit codes: 0 it worked, 1 it did not, 2 not understood,
3 known from OpenClaw and not built.";

/// What the program is called.
const NAME: &str = "homard";

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
#[command(name = NAME, version = VERSION, styles = STYLES, after_help = EXAMPLES, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
struct Program {
    #[command(flatten)]
    global: Global,
}

/// What was typed.
pub(crate) struct Cli {
    pub(crate) global: Global,
    pub(crate) command: Option<Command>,
    /// Whether the command was asked for JSON.
    pub(crate) is_for_programs: bool,
}

impl CommandFactory for Cli {
    fn command() -> clap::Command {
        Program::augment_args(Command::augment_subcommands(clap::Command::new(NAME)))
    }

    fn command_for_update() -> clap::Command {
        Program::augment_args(Command::augment_subcommands_for_update(clap::Command::new(NAME)))
    }
}

impl FromArgMatches for Cli {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut cli = Self { global: Global::default(), command: None, is_for_programs: false };
        cli.update_from_arg_matches(matches)?;
        Ok(cli)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.global = Program::from_arg_matches(matches)?.global;
        self.command =
            matches.subcommand_name().map(|_named| Command::from_arg_matches(matches)).transpose()?;
        self.is_for_programs = asks_for_json(matches);
        Ok(())
    }
}

impl Parser for Cli {}

impl Cli {
    /// Reads the command line, or ends the program with help or with what was wrong. Help is written while the options
    /// are still being read, so what it looks like is decided before.
    pub(crate) fn from_words(words: &[OsString]) -> Self {
        if asks_for_version(words) {
            // Where nobody reads it, there is nothing else to say.
            writeln!(io::stdout(), "homard {VERSION}").ok();
            std::process::exit(0);
        }
        let has = |option: &str| words.iter().take_while(|word| *word != "--").any(|word| word == option);
        let is_plain = has("--no-color");
        let color = if is_plain { ColorChoice::Never } else { ColorChoice::Auto };
        let matches = on_demand::read(words, color).unwrap_or_else(|error| {
            let console = Console::new(is_plain).with_json(error.use_stderr() && has("--json"));
            if let Some(words) = not_built::answer(Self::command, words, &error) {
                console.report(&Advice::error(words, "`homard docs openclaw` says what else differs"));
                std::process::exit(not_built::EXIT.into());
            }
            let hint = missing::hint(Self::command, words, &error);
            error.print().ok();
            if let Some(hint) = &hint {
                console.note(&format!("\n{hint}"));
            }
            console.tell_programs(&missing::told(&error, hint));
            std::process::exit(error.exit_code())
        });
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Whether the version is all that is asked for: that needs no grammar, which takes longer to build than the answer.
fn asks_for_version(words: &[OsString]) -> bool {
    matches!(words, [_program, only] if only == "--version" || only == "-V")
}

/// Whether the innermost command of a line was asked for JSON.
fn asks_for_json(matches: &ArgMatches) -> bool {
    match matches.subcommand() {
        Some((_name, below)) => asks_for_json(below),
        None => matches.try_get_one::<bool>("json").ok().flatten().is_some_and(|asked| *asked),
    }
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

/// The commands, each with what the list of all of them says and what it takes.
macro_rules! commands {
    ($($(#[$told:meta])* $name:ident($args:ty),)*) => {
        /// What to do.
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $($(#[$told])* $name(OnDemand<$args>),)*
        }

        impl Command {
            /// What describes the command of that name in full.
            fn describe(name: &str) -> Option<fn(clap::Command) -> clap::Command> {
                $(if stringify!($name).eq_ignore_ascii_case(name) {
                    return Some(<$args as Args>::augment_args);
                })*
                None
            }
        }
    };
}

commands! {
    #[command(about = "Say something to an agent and print its answer")]
    Agent(agent::AgentArgs),
    #[command(about = "List agents, add one, take one away, say who they are and what they answer")]
    Agents(agents::AgentsArgs),
    #[command(about = "Allow or deny what the assistant wants to do", visible_alias = "exec-approvals")]
    Approvals(approvals::ApprovalsArgs),
    #[command(about = "Make, check and put back copies of everything Homard keeps")]
    Backup(backup::BackupArgs),
    #[command(about = "Connect to chat platforms and see how the accounts there are")]
    Channels(channels::ChannelsArgs),
    #[command(about = "Print completions for a shell, or put them where it looks for them")]
    Completion(completion::CompletionArgs),
    #[command(about = "Read and change the configuration")]
    Config(config::ConfigArgs),
    #[command(about = "Change a part of the setup, asked step by step")]
    Configure(configure::ConfigureArgs),
    #[command(about = "Plan reminders and tasks by the clock", visible_alias = "automations")]
    Cron(cron::CronArgs),
    #[command(about = "Keep the gateway running as a service of this machine")]
    Daemon(daemon::DaemonArgs),
    #[command(about = "Open the web page, already signed in")]
    Dashboard(dashboard::DashboardArgs),
    #[command(about = "Decide which devices may connect")]
    Devices(devices::DevicesArgs),
    #[command(about = "Look up ids of people and groups")]
    Directory(directory::DirectoryArgs),
    #[command(about = "Search the book that is built in, or read a page of it")]
    Docs(docs::DocsArgs),
    #[command(about = "Find out what is wrong, and mend it")]
    Doctor(doctor::DoctorArgs),
    #[command(about = "Run the gateway, or talk to one that runs")]
    Gateway(gateway::GatewayArgs),
    #[command(about = "Ask the gateway how it is")]
    Health(health::HealthArgs),
    #[command(about = "Explain a command; the same as `--help` after it")]
    Help(help::HelpArgs),
    #[command(about = "See and switch what runs on the gateway's own events")]
    Hooks(hooks::HooksArgs),
    #[command(about = "Read the gateway's log")]
    Logs(logs::LogsArgs),
    #[command(about = "Find what agents wrote down")]
    Memory(memory::MemoryArgs),
    #[command(about = "Write to people on chat platforms, and read what was said there")]
    Message(message::MessageArgs),
    #[command(about = "Take over what OpenClaw kept: settings, conversations, jobs, workspace")]
    Migrate(migrate::MigrateArgs),
    #[command(about = "See and choose models, and give Homard keys for them")]
    Models(models::ModelsArgs),
    #[command(about = "Offer this machine's commands to a gateway")]
    Node(node::NodeArgs),
    #[command(about = "See and use the machines that offer commands")]
    Nodes(nodes::NodesArgs),
    #[command(about = "Set Homard up, step by step", visible_alias = "setup")]
    Onboard(onboard::OnboardArgs),
    #[command(about = "Let people in who wrote on a chat platform")]
    Pairing(pairing::PairingArgs),
    #[command(about = "Print the manual of the protocol with its table of methods made anew", hide = true)]
    Protocol(protocol::ProtocolArgs),
    #[command(about = "Show a code that lets a phone in")]
    Qr(qr::QrArgs),
    #[command(about = "Begin anew: take settings, keys, conversations or everything away")]
    Reset(erase::ResetArgs),
    #[command(about = "See which agent would answer a message, and why")]
    Route(route::RouteArgs),
    #[command(about = "See where secrets are kept, and have them read anew")]
    Secrets(secrets::SecretsArgs),
    #[command(about = "Check how safe this installation is")]
    Security(security::SecurityArgs),
    #[command(about = "List conversations, newest first")]
    Sessions(sessions::SessionsArgs),
    #[command(about = "See what agents have been taught, and what of it works here")]
    Skills(skills::SkillsArgs),
    #[command(about = "See the gateway, its agents, model, chat platforms, sessions and files on one screen")]
    Status(status::StatusArgs),
    #[command(about = "Tell the assistant that something happened, and see who is connected")]
    System(system::SystemArgs),
    #[command(about = "See and stop what agents do in the background")]
    Tasks(tasks::TasksArgs),
    #[command(about = "See which tools the assistant may use, and which rule says so")]
    Tools(tools::ToolsArgs),
    #[command(about = "Chat in the terminal", visible_aliases = ["terminal", "chat"])]
    Tui(tui::TuiArgs),
    #[command(about = "Put back what the assistant changed in files")]
    Undo(undo::UndoArgs),
    #[command(about = "Remove the service, what Homard keeps, or both")]
    Uninstall(erase::UninstallArgs),
    #[command(about = "Replace this program by a newer one, and let a running gateway hand over to it")]
    Update(update::UpdateArgs),
    #[command(about = "See what models cost: tokens, cache hits and money")]
    Usage(usage::UsageArgs),
    #[command(about = "See the hooks other programs call, and try one out")]
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
