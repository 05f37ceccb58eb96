//! A part of the program as a service of this machine: which one, whoever looks after it, and how its fate is told. What
//! systemd, launchd and Task Scheduler want to hear is homard-service's.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use homard_config::Profile;
use homard_runtime::CollectOrdered as _;
use homard_service::{Account, Activity, Charge, Replace, Role, State, Supervisor, SupervisorError};
use serde_json::{Value, json};

use crate::commands::Cx;
use crate::commands::table::pairs;
use crate::report::{Advice, AlreadyTold, Mark};

/// Variables that name our files, carried into the definition when they are set.
const CARRIED: [&str; 3] = ["HOMARD_STATE_DIR", "HOMARD_CONFIG_PATH", "HOMARD_HOME"];
/// Which service is meant.
#[derive(Args, Clone)]
pub(crate) struct WhichArgs {
    /// The service of the whole machine, not of your login; needs root
    #[arg(long)]
    pub(crate) system: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl WhichArgs {
    /// The service of this login, told about in words.
    pub(crate) const OWN: Self = Self { system: false, json: false };
}

/// How a service is installed.
#[derive(Clone, Copy)]
pub(crate) struct HowToInstall {
    /// Whether a definition that is there already is replaced.
    pub(crate) force: bool,
    /// Whether the definition is only shown.
    pub(crate) dry_run: bool,
}

/// A service, whoever looks after it, and how its fate is told.
pub(crate) struct ServiceCx<'a> {
    cx: &'a Cx,
    pub(crate) which: WhichArgs,
    pub(crate) supervisor: Supervisor,
    pub(crate) charge: Charge,
}

impl<'a> ServiceCx<'a> {
    /// # Errors
    /// When it is not known which program this is.
    pub(crate) fn new(cx: &'a Cx, which: WhichArgs, role: Role) -> anyhow::Result<Self> {
        let environment: BTreeMap<String, String> = cx
            .source
            .environment
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect_map();
        let supervisor = Supervisor::of_this_machine(&cx.source.paths.home, &environment);
        let account = if which.system { Account::OfItsOwn } else { Account::Owner };
        let profile = profile(&cx.source.paths.profile);
        let mut arguments = vec![role.as_str().to_owned(), "run".to_owned()];
        if let Some(profile) = &profile {
            arguments.extend(["--profile".to_owned(), profile.clone()]);
        }
        let charge =
            Charge { role, profile, program: program(cx)?, arguments, variables: Vec::new(), account };
        Ok(Self { cx, which, supervisor, charge })
    }

    pub(crate) fn label(&self) -> String {
        self.supervisor.label(&self.charge)
    }

    pub(crate) fn path(&self) -> PathBuf {
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
    pub(crate) fn tell<T>(
        &self,
        done: Result<T, SupervisorError>,
        words: impl FnOnce(T) -> String,
    ) -> anyhow::Result<()> {
        match done {
            Ok(value) if !self.which.json => Ok(self.cx.console.line(&words(value))?),
            Ok(_) => Ok(self.cx.console.json(&self.facts())?),
            Err(error) => Err(self.explain(&error)),
        }
    }

    /// Installs it, or only shows how it would be; whether it was installed and told about in words.
    ///
    /// # Errors
    /// When it was not; then nothing is left behind.
    pub(crate) async fn install(mut self, how: HowToInstall) -> anyhow::Result<bool> {
        let console = self.cx.console;
        self.charge.variables = carried(self.cx, &self.charge.account);
        if how.dry_run {
            let definition = self.supervisor.definition(&self.charge);
            console.line(&format!("# {}\n{definition}", self.path().display()))?;
            return Ok(false);
        }
        let replace = if how.force { Replace::Always } else { Replace::Never };
        let done = self.supervisor.install(&self.charge, replace).await;
        let lingers = self.supervisor.lingers(&self.charge).await;
        let is_told = done.is_ok() && !self.which.json;
        if is_told {
            console.line(&format!("Wrote {}.", self.path().display()))?;
        }
        let (role, when) = (self.charge.role.as_str(), when(&self.charge, lingers));
        self.tell(done, |()| format!("The {role} runs and starts {when}."))?;
        Ok(is_told)
    }

    /// Installs it in place of what an older setup wrote; answers from when on it runs.
    ///
    /// # Errors
    /// When it could not be; nothing of it is left then.
    pub(crate) async fn renew(mut self) -> anyhow::Result<&'static str> {
        self.charge.variables = carried(self.cx, &self.charge.account);
        match self.supervisor.install(&self.charge, Replace::Always).await {
            Ok(()) => Ok(when(&self.charge, self.supervisor.lingers(&self.charge).await)),
            Err(error) => Err(self.explain(&error)),
        }
    }

    /// Stops it and removes it.
    ///
    /// # Errors
    /// When it is not installed, or does not stop.
    pub(crate) async fn uninstall(&self) -> anyhow::Result<()> {
        let done = self.supervisor.uninstall(&self.charge).await;
        self.tell(done, |is_ours| match is_ours {
            true => format!("Removed {}. Your files stay.", self.path().display()),
            false => format!("Switched {} off; its definition belongs to a package.", self.label()),
        })
    }

    /// Starts it.
    ///
    /// # Errors
    /// When it is not installed, or does not come up.
    pub(crate) async fn start(&self) -> anyhow::Result<()> {
        let done = self.supervisor.start(&self.charge).await;
        self.tell(done, |()| "The service runs.".to_owned())
    }

    /// Stops it.
    ///
    /// # Errors
    /// When it is not installed, or does not stop.
    pub(crate) async fn stop(&self) -> anyhow::Result<()> {
        let done = self.supervisor.stop(&self.charge).await;
        self.tell(done, |()| {
            "The service is stopped; it starts again with the next login or boot.".to_owned()
        })
    }

    /// Stops and starts it.
    ///
    /// # Errors
    /// When it is not installed, or does not come up again.
    pub(crate) async fn restart(&self) -> anyhow::Result<()> {
        let done = self.supervisor.restart(&self.charge).await;
        self.tell(done, |()| "The service was started anew.".to_owned())
    }

    /// What its supervisor says of it; `None` when it is not installed or nobody looks after services here.
    pub(crate) async fn state(&self) -> Option<&'static str> {
        let state = self.supervisor.look(&self.charge).await.ok()?;
        (state.is_known || self.path().exists()).then(|| activity(&state))
    }

    /// Shows whether it is installed, runs, and starts by itself.
    ///
    /// # Errors
    /// When it does not run.
    pub(crate) async fn status(&self) -> anyhow::Result<()> {
        let state = match self.supervisor.look(&self.charge).await {
            Ok(state) => state,
            Err(error) => return Err(self.explain(&error)),
        };
        let is_installed = state.is_known || self.path().exists();
        if !is_installed {
            return Err(self.explain(&SupervisorError::NotInstalled));
        }
        let lingers = self.supervisor.lingers(&self.charge).await;
        let is_running = state.activity == Activity::Running;
        if self.which.json {
            let mut facts = self.facts();
            if let Some(facts) = facts.as_object_mut() {
                facts.insert("ok".to_owned(), is_running.into());
                facts.insert("state".to_owned(), activity(&state).into());
                facts.insert("enabled".to_owned(), state.is_enabled.into());
                facts.insert("pid".to_owned(), state.pid.into());
                facts.insert("lingers".to_owned(), lingers.into());
            }
            self.cx.console.json(&facts)?;
        } else {
            let console = self.cx.console;
            let mark = if is_running { Mark::Good } else { Mark::Bad };
            let process = state.pid.map_or_else(String::new, |pid| format!(", process {pid}"));
            let starts = if state.is_enabled { when(&self.charge, lingers) } else { "only when told to" };
            for line in pairs(&[
                ("service", format!("{} ({})", self.label(), self.supervisor.called())),
                ("state", format!("{}{process}", console.mark(mark, activity(&state)))),
                ("starts", starts.to_owned()),
                ("definition", self.path().display().to_string()),
            ]) {
                console.line(&line)?;
            }
        }
        if is_running { Ok(()) } else { Err(AlreadyTold.into()) }
    }

    /// The error with what to do about it.
    pub(crate) fn explain(&self, error: &SupervisorError) -> anyhow::Error {
        let (message, hint) = advice(error, self.charge.role, self.which.system);
        Advice::error(message, hint)
    }
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

fn activity(state: &State) -> &'static str {
    match state.activity {
        Activity::Running => "running",
        Activity::Changing => "changing",
        Activity::Stopped => "stopped",
        Activity::Failed => "failed",
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

/// What went wrong, and what to do about it.
fn advice(error: &SupervisorError, role: Role, is_system: bool) -> (String, String) {
    let command = match role {
        Role::Gateway => "homard daemon",
        Role::Node => "homard node",
    };
    let cause = std::error::Error::source(error).map_or_else(String::new, |cause| format!(": {cause}"));
    let sudo = "`sudo homard daemon install --system`";
    let machine = match role {
        Role::Gateway => format!(", or install for the whole machine with {sudo}"),
        Role::Node => String::new(),
    };
    let role = role.as_str();
    let hint = match error {
        SupervisorError::NotThere { .. } => format!(
            "nothing was changed; run `homard {role}{}` under whatever starts programs here, such as a container's own command, runit or s6",
            if role == Role::Node.as_str() { " run" } else { "" }
        ),
        SupervisorError::NoSession { .. } => format!(
            "nothing was changed; log in as this person (not by su or sudo), or allow services without a login with `sudo loginctl enable-linger NAME` and try again{machine}"
        ),
        SupervisorError::Taken { .. } => {
            format!("replace it with --force, or start what is there with `{command} start`")
        }
        SupervisorError::NotInstalled if is_system => format!("install it with {sudo}"),
        SupervisorError::NotInstalled => {
            format!("install it with `{command} install`; --profile chooses another")
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
        SupervisorError::Refused { .. } => format!(
            "nothing was left behind; `homard daemon logs` and `homard logs` may say why, and `homard {role}` shows it in this terminal"
        ),
        SupervisorError::HalfDone { .. } => {
            format!("look at it with `{command} status`, and remove it with `{command} uninstall`")
        }
    };
    let message = match error {
        SupervisorError::NotInstalled => format!("the {role} is not installed as a service"),
        error => format!("{error}{cause}"),
    };
    (message, hint)
}
