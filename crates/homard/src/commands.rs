//! The commands, one file each, and what they share: where files are, how the terminal is written to.

pub(crate) mod approvals;
pub(crate) mod channels;
pub(crate) mod config;
mod connection;
pub(crate) mod cron;
pub(crate) mod gateway;
pub(crate) mod machines;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod reference;
pub(crate) mod service;
pub(crate) mod skills;
mod table;
pub(crate) mod talk;
mod terminal;
pub(crate) mod tools;
mod words;

use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use homard_config::config::logging::{ConsoleStyle, LogLevel};
use homard_config::{
    Config, ConfigSource, Environment, InvalidConfig, Overrides, Paths, ProcessFacts, Profile, Snapshot,
};
use homard_runtime::Clock;

use crate::cli::{Cli, Command, Global};
use crate::logging::redact::Redactor;
use crate::logging::{Log, LogSetup};
use crate::report::{Advice, Console};

/// What every command has at hand.
pub(crate) struct Cx {
    /// Where settings come from.
    pub(crate) source: ConfigSource,
    /// The options every command takes.
    pub(crate) global: Global,
    pub(crate) console: Console,
}

impl Cx {
    fn new(global: Global, environment: Environment, console: Console) -> anyhow::Result<Self> {
        let facts = ProcessFacts::from_process();
        let profile = match (&global.profile, global.dev) {
            (Some(name), _) => Some(Profile::parse(name)?),
            (None, true) => Some(Profile::Dev),
            (None, false) => None,
        };
        let paths = Paths::resolve(&environment, &facts, profile)?;
        let source = ConfigSource {
            environment,
            facts,
            paths,
            clock: Clock::system(),
            channels: Some(homard_channels::sections),
        };
        Ok(Self { source, global, console })
    }

    /// The configuration file at every stage of being understood.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::load(&self.source, &Overrides::default())
    }

    /// The settings in effect.
    ///
    /// # Errors
    /// When the file cannot be used; the error names everything that is wrong with it.
    pub(crate) fn config(&self) -> anyhow::Result<Arc<Config>> {
        let snapshot = self.snapshot();
        match snapshot.config {
            Some(config) => Ok(config),
            None => Err(InvalidConfig { path: snapshot.path, issues: snapshot.issues }.into()),
        }
    }
}

/// Runs a command to its end.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let environment = Environment::from_process();
    let no_color = cli.global.no_color || environment.get("NO_COLOR").is_some();
    let console = Console::new(no_color).with_json(cli.is_for_programs);
    let outcome = Cx::new(cli.global, environment, console).and_then(|cx| match cli.command {
        Some(command) => dispatch(&cx, command),
        None => alone(&cx),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => console.report(&error),
    }
}

/// The program without a command: the setup where there is none yet and somebody sits there, otherwise the help.
fn alone(cx: &Cx) -> anyhow::Result<()> {
    if terminal::is_manned() && service::setup::onboard::is_fresh(cx) {
        return service::setup::onboard::offer(cx);
    }
    let help = crate::cli::on_demand::outline().render_help();
    let color = cx.console.colors_errors();
    cx.console.note(&if color { help.ansi().to_string() } else { help.to_string() });
    Err(Advice::silent_usage())
}

fn dispatch(cx: &Cx, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Completion(args) => reference::completion::run(cx, &args.taken()),
        Command::Configure(args) => ask(cx, service::setup::configure::run(cx, args.taken())),
        Command::Config(args) => config::run(cx, args.taken()),
        Command::Directory(args) => ask(cx, talk::directory::run(cx, args.taken())),
        Command::Docs(args) => reference::docs::run(cx, &args.taken()),
        Command::Gateway(args) => gateway::dispatch(cx, args.taken()),
        Command::Help(args) => reference::help::run(cx, &args.taken()),
        Command::Agent(args) => ask(cx, talk::agent::run(cx, args.taken())),
        Command::Agents(args) => ask(cx, talk::agents::run(cx, args.taken())),
        Command::Approvals(args) => ask(cx, approvals::run(cx, args.taken())),
        Command::Backup(args) => service::backup::run(cx, args.taken()),
        Command::Channels(args) => ask(cx, channels::run(cx, args.taken())),
        Command::Cron(args) => ask(cx, cron::run(cx, args.taken())),
        Command::Daemon(args) => ask(cx, service::daemon::run(cx, args.taken())),
        Command::Dashboard(args) => ask(cx, service::dashboard::run(cx, args.taken())),
        Command::Devices(args) => ask(cx, machines::devices::run(cx, args.taken())),
        Command::Doctor(args) => ask(cx, service::doctor::run(cx, args.taken())),
        Command::Health(args) => ask(cx, service::health::run(cx, &args.taken())),
        Command::Hooks(args) => service::hooks::run(cx, args.taken()),
        Command::Logs(args) => ask(cx, service::logs::run(cx, args.taken())),
        Command::Memory(args) => ask(cx, memory::run(cx, args.taken())),
        Command::Message(args) => ask(cx, talk::message::run(cx, args.taken())),
        Command::Migrate(args) => service::setup::migrate::run(cx, &args.taken()),
        Command::Models(args) => ask(cx, models::run(cx, args.taken())),
        Command::Node(args) => ask(cx, machines::node::run(cx, args.taken())),
        Command::Nodes(args) => ask(cx, machines::nodes::run(cx, args.taken())),
        Command::Onboard(args) => service::setup::onboard::run(cx, &args.taken()),
        Command::Pairing(args) => ask(cx, machines::pairing::run(cx, args.taken())),
        Command::Protocol(args) => reference::protocol::run(cx, &args.taken()),
        Command::Qr(args) => ask(cx, machines::qr::run(cx, args.taken())),
        Command::Reset(args) => service::erase::reset(cx, args.taken()),
        Command::Route(args) => talk::route::run(cx, args.taken()),
        Command::Secrets(args) => ask(cx, service::secrets::run(cx, args.taken())),
        Command::Security(args) => ask(cx, service::security::run(cx, args.taken())),
        Command::Sessions(args) => ask(cx, talk::sessions::run(cx, args.taken())),
        Command::Skills(args) => ask(cx, skills::run(cx, args.taken())),
        Command::Status(args) => ask(cx, service::status::run(cx, &args.taken())),
        Command::System(args) => ask(cx, service::system::run(cx, args.taken())),
        Command::Tasks(args) => ask(cx, talk::tasks::run(cx, args.taken())),
        Command::Tools(args) => ask(cx, tools::run(cx, args.taken())),
        Command::Tui(args) => ask(cx, talk::tui::run(cx, args.taken())),
        Command::Undo(args) => ask(cx, talk::undo::run(cx, args.taken())),
        Command::Uninstall(args) => ask(cx, service::erase::uninstall(cx, args.taken())),
        Command::Update(args) => ask(cx, service::update::run(cx, args.taken())),
        Command::Usage(args) => ask(cx, talk::usage::run(cx, args.taken())),
        Command::Webhooks(args) => ask(cx, service::webhooks::run(cx, args.taken())),
    }
}

/// A command, boxed: what runs it is made once, and not anew for each.
type Running<'a, T> = Pin<Box<dyn Future<Output = anyhow::Result<T>> + 'a>>;

/// Runs a command that talks to a gateway: one thread is plenty. Its own log stays silent unless asked for.
pub(crate) fn ask(cx: &Cx, command: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    asked(cx, Box::pin(command))
}

fn asked(cx: &Cx, command: Running<'_, ()>) -> anyhow::Result<()> {
    let _log = match cx.global.log_level {
        Some(level) => Some(Log::start(console_log(cx, level)).context("could not start the log")?),
        None => None,
    };
    run_alone(command)
}

fn run_alone<T>(command: Running<'_, T>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("could not start the runtime")?;
    let outcome = runtime.block_on(command);
    // A thread that still waits for somebody to type must not keep the command from ending.
    runtime.shutdown_background();
    outcome
}

fn console_log(cx: &Cx, level: LogLevel) -> LogSetup {
    LogSetup {
        files: None,
        file_level: LogLevel::Silent,
        console_level: level,
        console_style: ConsoleStyle::Pretty,
        color: cx.console.colors_errors(),
        redactor: Redactor::default(),
        clock: cx.source.clock.clone(),
    }
}

#[cfg(test)]
mod tests;
