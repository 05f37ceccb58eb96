//! `homard daemon`, and the same words under `homard gateway`: the gateway as a service of this machine.
//!
//! What systemd, launchd and Task Scheduler want to hear is homard-service's, what any service can be told is
//! `supervised`'s; here are the options.

use std::fs;

use clap::{Args, Subcommand};
use homard_service::{Account, Role, SupervisorError};
use rustix::process::Pid;

use super::supervised::{HowToInstall, ServiceCx, WhichArgs};
use crate::commands::Cx;
use crate::compose::lock::{self, Holder};
use crate::report::Advice;

const EXAMPLES: &str = "\
Examples:
  homard daemon install                    start the gateway now and with every login
  homard daemon install --dry-run          see what would be written
  sudo homard daemon install --system      for the whole machine, in an account of its own
  homard daemon status
  homard daemon logs --follow

On Linux this is systemd, on macOS launchd, on Windows Task Scheduler. Services of yours end with your last session
unless systemd is told otherwise: `loginctl enable-linger`. Keys and tokens never go into the definition; the gateway
reads them from its state folder.";

/// Lines of the log unless asked otherwise.
const DEFAULT_LINES: u32 = 100;

/// Keep the gateway running as a service of this machine
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DaemonArgs {
    #[command(subcommand)]
    command: DaemonCommand,
}

#[derive(Subcommand)]
enum DaemonCommand {
    #[command(flatten)]
    Also(ServiceCommand),
    /// Stop and start the service, so that a new program takes effect
    Restart(WhichArgs),
    /// See whether the service is installed, runs, and starts by itself
    Status(WhichArgs),
    /// Read what the service manager has kept of the gateway's words; `homard logs` has the gateway's own log
    Logs(JournalArgs),
}

/// What `homard gateway` can do as well.
#[derive(Subcommand)]
pub(crate) enum ServiceCommand {
    Install(InstallArgs),
    /// Stop the service and remove it; your files stay
    Uninstall(WhichArgs),
    /// Start the installed service
    Start(WhichArgs),
    /// Stop the installed service, after the runs under way
    Stop(WhichArgs),
}

/// Install the gateway as a service that starts by itself
///
/// An installation that fails leaves nothing behind. Doing it again changes nothing.
#[derive(Args)]
pub(crate) struct InstallArgs {
    /// Port to listen on
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Start even if this machine is configured to use a gateway elsewhere
    #[arg(long)]
    allow_unconfigured: bool,
    /// Run it as this account, with its home; without it, in an account of its own
    #[arg(long, value_name = "NAME", requires = "system")]
    run_as: Option<String>,
    /// Replace a definition that is there already
    #[arg(long)]
    force: bool,
    /// Print the definition and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    which: WhichArgs,
}

#[derive(Args)]
struct JournalArgs {
    /// Go on and print new lines as they come
    #[arg(long, short)]
    follow: bool,
    /// How many lines to begin with
    #[arg(long, value_name = "N", default_value_t = DEFAULT_LINES)]
    limit: u32,
    /// The service of the whole machine, not of your login
    #[arg(long)]
    system: bool,
}

/// Runs `homard daemon`.
///
/// # Errors
/// Whatever went wrong.
pub(crate) async fn run(cx: &Cx, args: DaemonArgs) -> anyhow::Result<()> {
    match args.command {
        DaemonCommand::Also(command) => control(cx, command).await,
        DaemonCommand::Restart(which) => desk(cx, which)?.restart().await,
        DaemonCommand::Status(which) => desk(cx, which)?.status().await,
        DaemonCommand::Logs(args) => logs(cx, args).await,
    }
}

/// Runs what `homard daemon` and `homard gateway` share.
///
/// # Errors
/// Whatever went wrong.
pub(crate) async fn control(cx: &Cx, command: ServiceCommand) -> anyhow::Result<()> {
    match command {
        ServiceCommand::Install(args) => install(cx, args).await,
        ServiceCommand::Uninstall(which) => desk(cx, which)?.uninstall().await,
        ServiceCommand::Start(which) => desk(cx, which)?.start().await,
        ServiceCommand::Stop(which) => {
            let desk = desk(cx, which)?;
            let holder = lock::holder(&cx.source.paths.lock_file());
            let is_installed = desk.state().await.is_some();
            match holder {
                // A service is stopped by whoever started it; without one there is only the process.
                Holder::Process(process) if !is_installed => Err(by_hand(process)),
                Holder::Nobody | Holder::Crashed if !is_installed && !desk.path().exists() => {
                    Err(Advice::error(
                        "no gateway is running, and no service is installed that would start one",
                        "--profile and HOMARD_STATE_DIR choose another folder; `homard status` says how it is",
                    ))
                }
                Holder::Process(_) | Holder::Nobody | Holder::Crashed => desk.stop().await,
            }
        }
    }
}

/// How to stop a gateway that no service started.
fn by_hand(process: Option<Pid>) -> anyhow::Error {
    let what = "the gateway that runs was not started by a service";
    match process.map(Pid::as_raw_nonzero) {
        Some(process) => Advice::error(
            format!("{what} (process {process})"),
            format!("Ctrl-C where it runs stops it, or `kill {process}`; runs under way may finish first"),
        ),
        None => Advice::error(what, "Ctrl-C where it runs stops it; runs under way may finish first"),
    }
}

fn desk(cx: &Cx, which: WhichArgs) -> anyhow::Result<ServiceCx<'_>> {
    ServiceCx::new(cx, which, Role::Gateway)
}

/// Starts the service of this login, if there is one and it does not run; whether there is.
///
/// # Errors
/// When it does not start.
pub(crate) async fn start_if_installed(cx: &Cx, json: bool) -> anyhow::Result<bool> {
    let desk = desk(cx, WhichArgs { json, ..WhichArgs::OWN })?;
    match desk.supervisor.start(&desk.charge).await {
        Err(
            SupervisorError::NotInstalled
            | SupervisorError::NotThere { .. }
            | SupervisorError::NoSession { .. },
        ) => Ok(false),
        started => desk.tell(started, |()| "The service runs.".to_owned()).map(|()| true),
    }
}

/// Whether a service of this login is there.
///
/// # Errors
/// When it is not known which program this is.
pub(crate) fn is_installed(cx: &Cx) -> anyhow::Result<bool> {
    Ok(desk(cx, WhichArgs::OWN)?.path().exists())
}

/// Whether a service of this login could be installed.
///
/// # Errors
/// When there is no supervisor that answers to this person.
pub(crate) async fn can_install(cx: &Cx) -> anyhow::Result<()> {
    let desk = desk(cx, WhichArgs::OWN)?;
    match desk.supervisor.find(&desk.charge).await {
        Ok(()) => Ok(()),
        Err(error) => Err(desk.explain(&error)),
    }
}

/// Installs the service of this login for the setup; what came of it, in words.
///
/// # Errors
/// When it could not be; nothing of it is left then.
pub(crate) async fn set_up(cx: &Cx) -> anyhow::Result<String> {
    let when = desk(cx, WhichArgs::OWN)?.renew().await?;
    Ok(format!("The gateway runs and starts {when}."))
}

/// Stops the service of this login and removes it, without a word.
///
/// # Errors
/// When its supervisor refuses.
pub(crate) async fn uninstall(cx: &Cx) -> anyhow::Result<()> {
    let desk = desk(cx, WhichArgs::OWN)?;
    match desk.supervisor.uninstall(&desk.charge).await {
        Ok(_) => Ok(()),
        Err(error) => Err(desk.explain(&error)),
    }
}

async fn install(cx: &Cx, args: InstallArgs) -> anyhow::Result<()> {
    let mut desk = desk(cx, args.which)?;
    if let Some(port) = args.port {
        desk.charge.arguments.extend(["--port".to_owned(), port.to_string()]);
    }
    if args.allow_unconfigured {
        desk.charge.arguments.push("--allow-unconfigured".to_owned());
    }
    if let Some(name) = args.run_as {
        desk.charge.account = Account::Named(name);
    }
    if desk.install(HowToInstall { force: args.force, dry_run: args.dry_run }).await? {
        for name in keys_of_this_shell(cx) {
            let env = cx.source.paths.state_dir.join(".env");
            let env = env.display();
            cx.console.warn(&format!(
                "{name} is set in this shell, where the service does not see it; write it into {env}, or store the key with `homard models auth add`"
            ));
        }
    }
    Ok(())
}

/// Keys of model providers that only this shell knows. Their names, never their values.
fn keys_of_this_shell(cx: &Cx) -> Vec<String> {
    let env = fs::read_to_string(cx.source.paths.state_dir.join(".env")).unwrap_or_default();
    let is_kept = |name: &str| env.lines().any(|line| line.trim_start().starts_with(name));
    let keys = cx.source.environment.iter().map(|(name, _)| name);
    keys.filter(|name| name.ends_with("_API_KEY") && !is_kept(name)).map(str::to_owned).collect()
}

async fn logs(cx: &Cx, args: JournalArgs) -> anyhow::Result<()> {
    let desk = desk(cx, WhichArgs { system: args.system, json: false })?;
    let console = cx.console;
    let (lines, follow) = (args.limit, args.follow);
    // A reader that is gone ends us with the next line that cannot be written; what comes until then is for nobody.
    let shown = desk.supervisor.log(&desk.charge, lines, follow, |said| drop(console.part(said))).await;
    match shown {
        Ok(true) => Ok(()),
        Ok(false) => Err(Advice::error(
            format!("{} keeps no log of services", desk.supervisor.called()),
            "the gateway keeps its own: `homard logs`",
        )),
        Err(error) => Err(desk.explain(&error)),
    }
}
