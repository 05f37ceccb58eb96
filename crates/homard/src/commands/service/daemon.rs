//! `homard daemon`, and the same words under `homard gateway`: the gateway as a service of this machine.
//!
//! What systemd, launchd and Task Scheduler want to hear is homard-service's; here are the options and the words.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Subcommand};
use homard_config::Profile;
use homard_service::{Account, Activity, Charge, Replace, State, Supervisor, SupervisorError};
use serde_json::{Value, json};

use crate::commands::Cx;
use crate::commands::table::pairs;
use crate::report::{Advice, AlreadyTold, Mark};

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

/// Variables that name our files, carried into the definition when they are set.
const CARRIED: [&str; 3] = ["HOMARD_STATE_DIR", "HOMARD_CONFIG_PATH", "HOMARD_HOME"];
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

/// Which service is meant.
#[derive(Args, Clone)]
pub(crate) struct WhichArgs {
    /// The service of the whole machine, not of your login; needs root
    #[arg(long)]
    system: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
        DaemonCommand::Restart(which) => restart(cx, which).await,
        DaemonCommand::Status(which) => status(cx, which).await,
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
        ServiceCommand::Uninstall(which) => {
            let desk = Desk::new(cx, which)?;
            let done = desk.supervisor.uninstall(&desk.charge).await;
            desk.tell(done, |is_ours| match is_ours {
                true => format!("Removed {}. Your files stay.", desk.path().display()),
                false => format!("Switched {} off; its definition belongs to a package.", desk.label()),
            })
        }
        ServiceCommand::Start(which) => {
            let desk = Desk::new(cx, which)?;
            let done = desk.supervisor.start(&desk.charge).await;
            desk.tell(done, |()| "The service runs.".to_owned())
        }
        ServiceCommand::Stop(which) => {
            let desk = Desk::new(cx, which)?;
            let done = desk.supervisor.stop(&desk.charge).await;
            desk.tell(done, |()| {
                "The service is stopped; it starts again with the next login or boot.".to_owned()
            })
        }
    }
}

/// Starts the service of this login, if there is one and it does not run; whether there is.
///
/// # Errors
/// When it does not start.
pub(crate) async fn start_if_installed(cx: &Cx) -> anyhow::Result<bool> {
    let desk = Desk::new(cx, WhichArgs { system: false, json: false })?;
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
    Ok(Desk::new(cx, WhichArgs { system: false, json: false })?.path().exists())
}

/// Whether a service of this login could be installed.
///
/// # Errors
/// When there is no supervisor that answers to this person.
pub(crate) async fn can_install(cx: &Cx) -> anyhow::Result<()> {
    let desk = Desk::new(cx, WhichArgs { system: false, json: false })?;
    match desk.supervisor.find(&desk.charge).await {
        Ok(()) => Ok(()),
        Err(error) => Err(desk.explain(&error)?),
    }
}

/// Installs the service of this login for the setup; what came of it, in words.
///
/// # Errors
/// When it could not be; nothing of it is left then.
pub(crate) async fn set_up(cx: &Cx) -> anyhow::Result<String> {
    let mut desk = Desk::new(cx, WhichArgs { system: false, json: false })?;
    desk.charge.variables = carried(cx, &desk.charge.account);
    // What an older setup wrote is ours to renew.
    match desk.supervisor.install(&desk.charge, Replace::Always).await {
        Ok(()) => {
            let lingers = desk.supervisor.lingers(&desk.charge).await;
            Ok(format!("The gateway runs and starts {}.", when(&desk.charge, lingers)))
        }
        Err(error) => Err(desk.explain(&error)?),
    }
}

/// Stops the service of this login and removes it, without a word.
///
/// # Errors
/// When its supervisor refuses.
pub(crate) async fn uninstall(cx: &Cx) -> anyhow::Result<()> {
    let desk = Desk::new(cx, WhichArgs { system: false, json: false })?;
    match desk.supervisor.uninstall(&desk.charge).await {
        Ok(_) => Ok(()),
        Err(error) => Err(desk.explain(&error)?),
    }
}

/// A service, whoever looks after it, and how its fate is told.
struct Desk<'a> {
    cx: &'a Cx,
    which: WhichArgs,
    supervisor: Supervisor,
    charge: Charge,
}

impl<'a> Desk<'a> {
    fn new(cx: &'a Cx, which: WhichArgs) -> anyhow::Result<Self> {
        let environment: BTreeMap<String, String> =
            cx.source.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let supervisor = Supervisor::of_this_machine(&cx.source.paths.home, &environment);
        let account = if which.system { Account::OfItsOwn } else { Account::Owner };
        let profile = profile(&cx.source.paths.profile);
        let mut arguments = vec!["gateway".to_owned(), "run".to_owned()];
        if let Some(profile) = &profile {
            arguments.extend(["--profile".to_owned(), profile.clone()]);
        }
        let charge = Charge { profile, program: program(cx)?, arguments, variables: Vec::new(), account };
        Ok(Self { cx, which, supervisor, charge })
    }

    fn label(&self) -> String {
        self.supervisor.label(&self.charge)
    }

    fn path(&self) -> PathBuf {
        self.supervisor.path(&self.charge)
    }

    /// What programs are told about every service.
    fn facts(&self) -> Value {
        json!({
            "ok": true,
            "manager": self.supervisor.called(),
            "service": self.label(),
            "scope": if self.which.system { "system" } else { "user" },
            "path": self.path(),
        })
    }

    /// Tells what came of it, in words or as JSON.
    fn tell<T>(
        &self,
        done: Result<T, SupervisorError>,
        words: impl FnOnce(T) -> String,
    ) -> anyhow::Result<()> {
        match done {
            Ok(value) if !self.which.json => Ok(self.cx.console.line(&words(value))?),
            Ok(_) => Ok(self.cx.console.json(&self.facts())?),
            Err(error) => Err(self.explain(&error)?),
        }
    }

    /// The error with what to do about it; programs are told here.
    fn explain(&self, error: &SupervisorError) -> anyhow::Result<anyhow::Error> {
        let (message, hint) = advice(error, self.which.system);
        if !self.which.json {
            return Ok(Advice::error(message, hint));
        }
        self.cx.console.json(&json!({"ok": false, "error": message, "hint": hint}))?;
        Ok(AlreadyTold.into())
    }
}

async fn install(cx: &Cx, args: InstallArgs) -> anyhow::Result<()> {
    let mut desk = Desk::new(cx, args.which)?;
    if let Some(port) = args.port {
        desk.charge.arguments.extend(["--port".to_owned(), port.to_string()]);
    }
    if args.allow_unconfigured {
        desk.charge.arguments.push("--allow-unconfigured".to_owned());
    }
    if let Some(name) = args.run_as {
        desk.charge.account = Account::Named(name);
    }
    desk.charge.variables = carried(cx, &desk.charge.account);
    if args.dry_run {
        let definition = desk.supervisor.definition(&desk.charge);
        return Ok(cx.console.line(&format!("# {}\n{definition}", desk.path().display()))?);
    }
    let replace = if args.force { Replace::Always } else { Replace::Never };
    let done = desk.supervisor.install(&desk.charge, replace).await;
    let lingers = desk.supervisor.lingers(&desk.charge).await;
    if done.is_ok() && !desk.which.json {
        cx.console.line(&format!("Wrote {}.", desk.path().display()))?;
        for name in keys_of_this_shell(cx) {
            let env = cx.source.paths.state_dir.join(".env");
            let env = env.display();
            cx.console.warn(&format!(
                "{name} is set in this shell, where the service does not see it; write it into {env}, or store the key with `homard models auth add`"
            ));
        }
    }
    let when = when(&desk.charge, lingers);
    desk.tell(done, |()| format!("The gateway runs and starts {when}."))
}

/// From when on it runs.
fn when(charge: &Charge, lingers: Option<bool>) -> &'static str {
    match (charge.is_of_the_machine(), lingers) {
        (true, _) => "with the machine",
        (false, Some(true)) => "with the machine (lingering is on)",
        (false, Some(false)) => {
            "with your session, and ends with your last one; `loginctl enable-linger` keeps it without one"
        }
        (false, None) => "with your session",
    }
}

async fn restart(cx: &Cx, which: WhichArgs) -> anyhow::Result<()> {
    let desk = Desk::new(cx, which)?;
    let done = desk.supervisor.restart(&desk.charge).await;
    desk.tell(done, |()| "The service was started anew.".to_owned())
}

async fn status(cx: &Cx, which: WhichArgs) -> anyhow::Result<()> {
    let desk = Desk::new(cx, which)?;
    let state = match desk.supervisor.look(&desk.charge).await {
        Ok(state) => state,
        Err(error) => return Err(desk.explain(&error)?),
    };
    let is_installed = state.is_known || desk.path().exists();
    if !is_installed {
        return Err(desk.explain(&SupervisorError::NotInstalled)?);
    }
    let lingers = desk.supervisor.lingers(&desk.charge).await;
    let is_running = state.activity == Activity::Running;
    if desk.which.json {
        let mut facts = desk.facts();
        if let Some(facts) = facts.as_object_mut() {
            facts.insert("ok".to_owned(), is_running.into());
            facts.insert("state".to_owned(), activity(&state).into());
            facts.insert("enabled".to_owned(), state.is_enabled.into());
            facts.insert("pid".to_owned(), state.pid.into());
            facts.insert("lingers".to_owned(), lingers.into());
        }
        cx.console.json(&facts)?;
    } else {
        let mark = if is_running { Mark::Good } else { Mark::Bad };
        let process = state.pid.map_or_else(String::new, |pid| format!(", process {pid}"));
        let starts = if state.is_enabled { when(&desk.charge, lingers) } else { "only when told to" };
        for line in pairs(&[
            ("service", format!("{} ({})", desk.label(), desk.supervisor.called())),
            ("state", format!("{}{process}", cx.console.mark(mark, activity(&state)))),
            ("starts", starts.to_owned()),
            ("definition", desk.path().display().to_string()),
        ]) {
            cx.console.line(&line)?;
        }
    }
    if is_running { Ok(()) } else { Err(AlreadyTold.into()) }
}

fn activity(state: &State) -> &'static str {
    match state.activity {
        Activity::Running => "running",
        Activity::Changing => "changing",
        Activity::Stopped => "stopped",
        Activity::Failed => "failed",
    }
}

async fn logs(cx: &Cx, args: JournalArgs) -> anyhow::Result<()> {
    let desk = Desk::new(cx, WhichArgs { system: args.system, json: false })?;
    let console = cx.console;
    let asked = (args.limit, args.follow);
    // A reader that is gone ends us with the next line that cannot be written; what comes until then is for nobody.
    let shown = desk.supervisor.log(&desk.charge, asked, |said| drop(console.part(said))).await;
    match shown {
        Ok(true) => Ok(()),
        Ok(false) => Err(Advice::error(
            format!("{} keeps no log of services", desk.supervisor.called()),
            "the gateway keeps its own: `homard logs`",
        )),
        Err(error) => Err(desk.explain(&error)?),
    }
}

/// As it is written after `--profile`.
fn profile(profile: &Profile) -> Option<String> {
    match profile {
        Profile::Default => None,
        Profile::Dev => Some("dev".to_owned()),
        Profile::Named(name) => Some(name.to_string()),
    }
}

/// Where this program lies, as people find it: what a package manager links to may be gone after its next upgrade.
fn program(cx: &Cx) -> anyhow::Result<PathBuf> {
    let real = std::env::current_exe().context("this program does not know where it lies")?;
    let folders = std::env::split_paths(cx.source.environment.get("PATH").unwrap_or_default());
    let mut found = folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join("homard"));
    Ok(found.find(|path| fs::canonicalize(path).is_ok_and(|path| path == real)).unwrap_or(real))
}

/// What of this environment the service gets: where files are, and for the owner's own, where programs are.
fn carried(cx: &Cx, account: &Account) -> Vec<(String, String)> {
    let names: &[&str] = match account {
        Account::Owner => &["PATH"],
        Account::Named(_) => &[],
        Account::OfItsOwn => return Vec::new(),
    };
    let set = |&name: &&str| Some((name.to_owned(), cx.source.environment.get(name)?.to_owned()));
    CARRIED.iter().chain(names).filter_map(set).collect()
}

/// Keys of model providers that only this shell knows. Their names, never their values.
fn keys_of_this_shell(cx: &Cx) -> Vec<String> {
    let env = fs::read_to_string(cx.source.paths.state_dir.join(".env")).unwrap_or_default();
    let is_kept = |name: &str| env.lines().any(|line| line.trim_start().starts_with(name));
    let keys = cx.source.environment.iter().map(|(name, _)| name);
    keys.filter(|name| name.ends_with("_API_KEY") && !is_kept(name)).map(str::to_owned).collect()
}

/// What went wrong, and what to do about it.
fn advice(error: &SupervisorError, is_system: bool) -> (String, String) {
    let cause = std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
    let sudo = "`sudo homard daemon install --system`";
    let hint = match error {
        SupervisorError::NotThere { .. } => {
            "nothing was changed; run `homard gateway` under whatever starts programs here, such as a container's own command, runit or s6".to_owned()
        }
        SupervisorError::NoSession { .. } => format!(
            "nothing was changed; log in as this person (not by su or sudo), or allow services without a login with `sudo loginctl enable-linger NAME` and try again, or install for the whole machine with {sudo}"
        ),
        SupervisorError::Taken { .. } => {
            "replace it with --force, or start what is there with `homard daemon start`".to_owned()
        }
        SupervisorError::NotInstalled if is_system => format!("install it with {sudo}"),
        SupervisorError::NotInstalled => {
            "install it with `homard daemon install`; --profile and --system choose another".to_owned()
        }
        SupervisorError::OutOfReach { program } => format!(
            "put it where every account may read it (`sudo install {} /usr/local/bin/homard`) and install from there, or choose an account with --run-as",
            program.display()
        ),
        SupervisorError::NoAccount { .. } => "name one with --run-as".to_owned(),
        SupervisorError::OddPath { .. } => {
            "nothing was changed; put the program where its path is plain, such as /usr/local/bin/homard, and install from there".to_owned()
        }
        SupervisorError::File { .. } if is_system => format!("a service of the machine needs root: {sudo}"),
        SupervisorError::File { .. } => "the folder must be yours, and the disk not full".to_owned(),
        SupervisorError::Refused { .. } => {
            "nothing was left behind; `homard daemon logs` and `homard logs` may say why, and `homard gateway` shows it in this terminal".to_owned()
        }
        SupervisorError::HalfDone { .. } => {
            "look at it with `homard daemon status`, and remove it with `homard daemon uninstall`".to_owned()
        }
    };
    (format!("{error}{cause}"), hint)
}
