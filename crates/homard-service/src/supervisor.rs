//! The supervisor of this machine: the one place that writes definitions and asks its programs.
//!
//! An installation that fails takes back in reverse order what it did, so that nothing is left behind.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_exec::{BuiltEnv, Command, ExecError, Exit, Limits, MAX_TIMEOUT};
use homard_runtime::{Clip, replace_shared};
use tokio_util::sync::CancellationToken;

use crate::charge::{Account, Charge};
use crate::launchd::Launchd;
use crate::systemd::Systemd;
use crate::task_scheduler::TaskScheduler;
use crate::words::{Activity, Ask, Dialect, Places, State};

/// How long a supervisor may take; starting waits until the gateway is ready, stopping until its runs are over.
const PATIENCE: Duration = Duration::from_secs(100);
/// How much of what it says is read.
const MAX_ANSWER: usize = 64 * 1024;
/// How much of that goes into an error.
const SHOWN_CHARS: usize = 2000;
/// What its programs need to find the owner's session.
const SESSION: [&str; 4] = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "SYSTEMROOT", "USERPROFILE"];

/// Why the service is not as it was asked to be.
#[derive(Debug, thiserror::Error)]
pub enum SupervisorError {
    /// Nothing here keeps programs running.
    #[error("this machine has no {called} that could keep it running: {said}")]
    NotThere { called: &'static str, said: String },
    /// There is one, but none of this person's.
    #[error("{called} runs, but not for this login: {said}")]
    NoSession { called: &'static str, said: String },
    /// Somebody else's definition, or an older one of ours, is in the place.
    #[error("`{path}` is there already, and says something else")]
    Taken { path: PathBuf },
    /// The supervisor does not know the service.
    #[error("it is not installed as a service")]
    NotInstalled,
    /// The account that is to run it cannot see the program.
    #[error("an account of its own cannot reach `{program}`")]
    OutOfReach { program: PathBuf },
    /// The supervisor refuses such a path.
    #[error(
        "{called} starts no program whose path has quotes, backslashes or control characters: {program:?}"
    )]
    OddPath { called: &'static str, program: PathBuf },
    /// Only systemd makes accounts.
    #[error("{called} makes no account for a service")]
    NoAccount { called: &'static str },
    /// A file could not be changed.
    #[error("could not write `{path}`")]
    File {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A program of the supervisor did not do what it was asked.
    #[error("`{line}` did not work: {said}")]
    Refused { line: String, said: String },
    /// An installation failed, and then something could not be taken back.
    #[error("{failure}; and could not be taken back: {}", left.join("; "))]
    HalfDone { failure: Box<Self>, left: Vec<String> },
}

/// What to do with a definition that says something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    Never,
    Always,
}

/// What looks after programs on this machine.
pub struct Supervisor {
    dialect: &'static dyn Dialect,
    places: Places,
    env: BuiltEnv,
}

impl Supervisor {
    /// The one this kind of machine has, for the person whose home and environment these are.
    #[must_use]
    pub fn of_this_machine(home: &Path, environment: &BTreeMap<String, String>) -> Self {
        let dialect: &'static dyn Dialect = match std::env::consts::OS {
            "macos" => &Launchd,
            "windows" => &TaskScheduler,
            _ => &Systemd,
        };
        #[cfg(unix)]
        let user = rustix::process::getuid().as_raw();
        #[cfg(not(unix))]
        let user = 0;
        let root = if std::env::consts::OS == "windows" { PathBuf::new() } else { PathBuf::from("/") };
        Self::new(dialect, home, environment, root, user)
    }

    fn new(
        dialect: &'static dyn Dialect,
        home: &Path,
        environment: &BTreeMap<String, String>,
        root: PathBuf,
        user: u32,
    ) -> Self {
        let set = |name: &str| environment.get(name).filter(|value| !value.is_empty());
        let mut env = BuiltEnv::from_base(environment);
        // A login by `su` or over some SSH servers has a session, but no variable that says where.
        let usual = root.join(format!("run/user/{user}"));
        let runtime = usual.is_dir().then(|| ("XDG_RUNTIME_DIR", usual.display().to_string()));
        let found = SESSION.iter().filter_map(|&name| Some((name, set(name)?.clone())));
        for (name, value) in runtime.into_iter().chain(found) {
            env = env.clone().with_explicit(name, &value).unwrap_or(env);
        }
        let config_home = set("XDG_CONFIG_HOME").or_else(|| set("LOCALAPPDATA")).map(PathBuf::from);
        let config_home = config_home.unwrap_or_else(|| home.join(".config"));
        Self { dialect, places: Places { home: home.to_owned(), config_home, root, user }, env }
    }

    /// How people call it.
    #[must_use]
    pub fn called(&self) -> &'static str {
        self.dialect.called()
    }

    /// What it calls the service.
    #[must_use]
    pub fn label(&self, charge: &Charge) -> String {
        self.dialect.label(charge)
    }

    /// Where the definition lies.
    #[must_use]
    pub fn path(&self, charge: &Charge) -> PathBuf {
        self.dialect.path(charge, &self.places)
    }

    /// The definition, as people read it.
    #[must_use]
    pub fn definition(&self, charge: &Charge) -> String {
        let bytes = self.dialect.definition(charge, &self.places);
        match bytes.as_slice() {
            [0xff, 0xfe, wide @ ..] => {
                let units = wide.chunks_exact(2).map(|pair| match pair {
                    [low, high] => u16::from_le_bytes([*low, *high]),
                    _ => 0,
                });
                char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
            plain => String::from_utf8_lossy(plain).into_owned(),
        }
    }

    /// Writes the definition and has the service started, now and whenever the machine or the session comes up.
    /// Doing it again with the same charge changes nothing.
    ///
    /// # Errors
    /// When it could not be; then everything is as it was before, or the error says what is not.
    pub async fn install(&self, charge: &Charge, replace: Replace) -> Result<(), SupervisorError> {
        if charge.is_out_of_reach() {
            return Err(SupervisorError::OutOfReach { program: charge.program.clone() });
        }
        if charge.account == Account::OfItsOwn && self.called() != Systemd.called() {
            return Err(SupervisorError::NoAccount { called: self.called() });
        }
        if !self.dialect.starts(&charge.program) {
            return Err(SupervisorError::OddPath { called: self.called(), program: charge.program.clone() });
        }
        self.find(charge).await?;
        let path = self.path(charge);
        let wanted = self.dialect.definition(charge, &self.places);
        let before = match fs::read(&path) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(SupervisorError::File { path, source }),
        };
        if before.as_ref().is_some_and(|before| *before != wanted) && replace == Replace::Never {
            return Err(SupervisorError::Taken { path });
        }
        let state = self.look(charge).await?;
        if let Some(before) = before.as_ref().filter(|_| state.is_known) {
            let is_whole = state.is_enabled && state.activity == Activity::Running;
            return if *before == wanted && is_whole {
                Ok(())
            } else {
                self.renew(charge, &wanted, before).await
            };
        }
        let made = make_folder(&path)?;
        let mut undos = Vec::new();
        let failure = match write(&path, &wanted) {
            Ok(()) => self.take_up(charge, &path, &mut undos).await.err(),
            Err(error) => Some(error),
        };
        let Some(failure) = failure else { return Ok(()) };
        let left = self.take_back(&path, before.as_deref(), &made, undos).await;
        if left.is_empty() {
            return Err(failure);
        }
        Err(SupervisorError::HalfDone { failure: Box::new(failure), left })
    }

    /// Whether there is a supervisor here that answers to this person.
    ///
    /// # Errors
    /// When there is none; the error says why.
    pub async fn find(&self, charge: &Charge) -> Result<(), SupervisorError> {
        match self.dialect.presence(charge) {
            Some(ask) => self.ask(&ask).await.map(drop).map_err(|error| self.absence(error)),
            None => Ok(()),
        }
    }

    /// Gives a service that is there another definition, or leaves it as it was.
    async fn renew(&self, charge: &Charge, wanted: &[u8], before: &[u8]) -> Result<(), SupervisorError> {
        let path = self.path(charge);
        let asks = self.dialect.renew(charge, &path, &self.places);
        write(&path, wanted)?;
        let Err(failure) = self.ask_all(&asks).await else { return Ok(()) };
        let put_back = match write(&path, before) {
            Ok(()) => self.ask_all(&asks).await,
            Err(error) => Err(error),
        };
        match put_back {
            Ok(()) => Err(failure),
            Err(error) => {
                Err(SupervisorError::HalfDone { failure: Box::new(failure), left: vec![error.to_string()] })
            }
        }
    }

    async fn ask_all(&self, asks: &[Ask]) -> Result<(), SupervisorError> {
        for ask in asks {
            self.ask(ask).await?;
        }
        Ok(())
    }

    async fn take_up(
        &self,
        charge: &Charge,
        path: &Path,
        undos: &mut Vec<Ask>,
    ) -> Result<(), SupervisorError> {
        for step in self.dialect.take_up(charge, path, &self.places) {
            if let Err(refused) = self.ask(&step.change).await {
                // It may have been made in part.
                if let Some(undo) = step.undo {
                    self.ask(&undo).await.ok();
                }
                return Err(refused);
            }
            undos.extend(step.undo);
        }
        Ok(())
    }

    /// Takes back what was done, last things first, and names what stays.
    async fn take_back(
        &self,
        path: &Path,
        before: Option<&[u8]>,
        made: &[PathBuf],
        undos: Vec<Ask>,
    ) -> Vec<String> {
        let mut left = Vec::new();
        let mut undos = undos.into_iter();
        // What was asked first makes systemd read definitions anew, which is good only when the file is gone.
        let last = undos.next();
        for undo in undos.rev() {
            if let Err(error) = self.ask(&undo).await {
                left.push(error.to_string());
            }
        }
        let put_back = match before {
            // A definition the supervisor had not read yet is somebody's all the same.
            Some(before) => write(path, before).map_err(|error| error.to_string()),
            None => match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(format!("`{}`: {error}", path.display()))
                }
                Ok(()) | Err(_) => Ok(()),
            },
        };
        left.extend(put_back.err());
        for folder in made {
            // Somebody may have put something into it meanwhile; then it is theirs.
            fs::remove_dir(folder).ok();
        }
        if let Some(last) = last
            && let Err(error) = self.ask(&last).await
        {
            left.push(error.to_string());
        }
        left
    }

    /// Stops the service and removes its definition. Returns whether there was a definition of ours; one that came
    /// with a package is only switched off.
    ///
    /// # Errors
    /// When there is none, or it does not stop.
    pub async fn uninstall(&self, charge: &Charge) -> Result<bool, SupervisorError> {
        let path = self.path(charge);
        let is_ours = path.exists();
        let state = self.look(charge).await?;
        if !state.is_known && !is_ours {
            return Err(SupervisorError::NotInstalled);
        }
        if state.is_known {
            self.ask_all(&self.dialect.give_up(charge, &self.places)).await?;
        }
        if is_ours {
            fs::remove_file(&path).map_err(|source| SupervisorError::File { path, source })?;
        }
        self.ask_all(&self.dialect.forget(charge)).await?;
        Ok(is_ours)
    }

    /// Starts the service, unless it runs.
    ///
    /// # Errors
    /// When it is not installed, or does not come up.
    pub async fn start(&self, charge: &Charge) -> Result<(), SupervisorError> {
        let path = self.installed(charge).await?;
        let ask = match self.look(charge).await?.is_known {
            true => self.dialect.wake(charge, &path, &self.places),
            false => self.dialect.start(charge, &path, &self.places),
        };
        self.ask(&ask).await.map(drop)
    }

    /// Stops it, until somebody starts it or the machine does.
    ///
    /// # Errors
    /// When it is not installed, or does not stop.
    pub async fn stop(&self, charge: &Charge) -> Result<(), SupervisorError> {
        self.installed(charge).await?;
        if !self.look(charge).await?.is_known {
            return Ok(());
        }
        self.ask(&self.dialect.stop(charge, &self.places)).await.map(drop)
    }

    /// Stops and starts it, so that a new program takes effect.
    ///
    /// # Errors
    /// When it is not installed, or does not come up again.
    pub async fn restart(&self, charge: &Charge) -> Result<(), SupervisorError> {
        self.installed(charge).await?;
        if !self.look(charge).await?.is_known {
            return self.start(charge).await;
        }
        self.ask(&self.dialect.restart(charge, &self.places)).await.map(drop)
    }

    /// What the supervisor says about it.
    ///
    /// # Errors
    /// When there is no supervisor.
    pub async fn look(&self, charge: &Charge) -> Result<State, SupervisorError> {
        let ask = self.dialect.look(charge, &self.places);
        match self.ask(&ask).await {
            Ok(answer) => Ok(self.dialect.read(true, &answer)),
            Err(error) => match self.absence(error) {
                SupervisorError::Refused { said, .. } => Ok(self.dialect.read(false, &said)),
                absent => Err(absent),
            },
        }
    }

    /// Whether a service of this person runs while nobody is logged in, where that is a question and somebody knows.
    pub async fn lingers(&self, charge: &Charge) -> Option<bool> {
        let ask = self.dialect.lingering(&self.places).filter(|_| !charge.is_of_the_machine())?;
        self.ask(&ask).await.ok().map(|answer| answer.contains("yes"))
    }

    /// Shows what the supervisor has kept of its words, if this one keeps any; whether it does.
    ///
    /// # Errors
    /// When its log cannot be read.
    pub async fn log(
        &self,
        charge: &Charge,
        lines: u32,
        is_followed: bool,
        show: impl FnMut(&str) + Send,
    ) -> Result<bool, SupervisorError> {
        let Some(ask) = self.dialect.log(charge, &self.places, lines, is_followed) else { return Ok(false) };
        self.run(&ask, MAX_TIMEOUT, show).await.map(|_| true)
    }

    async fn installed(&self, charge: &Charge) -> Result<PathBuf, SupervisorError> {
        let path = self.path(charge);
        let is_installed = path.exists() || self.look(charge).await?.is_known;
        if is_installed { Ok(path) } else { Err(SupervisorError::NotInstalled) }
    }

    async fn ask(&self, ask: &Ask) -> Result<String, SupervisorError> {
        self.run(ask, PATIENCE, |_said| {}).await
    }

    async fn run(
        &self,
        ask: &Ask,
        timeout: Duration,
        show: impl FnMut(&str) + Send,
    ) -> Result<String, SupervisorError> {
        let words: Vec<&str> = ask.words.iter().map(String::as_str).collect();
        let cwd = if self.places.home.is_dir() { &self.places.home } else { &self.places.root };
        let command = Command::direct(ask.program, &words, cwd, self.env.clone());
        let limits = Limits { timeout, max_output_bytes: MAX_ANSWER };
        let ran = homard_exec::run(command, limits, show, &CancellationToken::new()).await;
        let refused = |said: String| SupervisorError::Refused { line: ask.line(), said };
        let outcome = match ran {
            Ok(outcome) => outcome,
            Err(ExecError::Start { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let said = format!("there is no `{}` here", ask.program);
                return Err(SupervisorError::NotThere { called: self.called(), said });
            }
            Err(error) => return Err(refused(error.to_string())),
        };
        match outcome.exit {
            Exit::Exited(0) => Ok(outcome.output),
            Exit::TimedOut => Err(refused(format!("it took longer than {} s", timeout.as_secs()))),
            _ => Err(refused(outcome.output.trim().ellipsis_after(SHOWN_CHARS))),
        }
    }

    /// Whether a failure means that there is nobody to ask.
    fn absence(&self, error: SupervisorError) -> SupervisorError {
        let SupervisorError::Refused { line, said } = error else { return error };
        let called = self.called();
        if !said.contains("Failed to connect to bus") && !said.contains("not been booted with systemd") {
            return SupervisorError::Refused { line, said };
        }
        // Where systemd started the machine it says so there, as its manual has it.
        let is_booted = self.places.of_the_machine("/run/systemd/system").is_dir();
        match is_booted {
            true => SupervisorError::NoSession { called, said },
            false => SupervisorError::NotThere { called, said },
        }
    }
}

fn write(path: &Path, definition: &[u8]) -> Result<(), SupervisorError> {
    replace_shared(path, definition).map_err(|source| SupervisorError::File { path: path.to_owned(), source })
}

/// Makes the folder of a file; those that were not there, innermost first.
fn make_folder(path: &Path) -> Result<Vec<PathBuf>, SupervisorError> {
    let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    let Some(innermost) = missing.first() else { return Ok(missing) };
    match fs::create_dir_all(innermost) {
        Ok(()) => Ok(missing),
        Err(source) => {
            for folder in &missing {
                fs::remove_dir(folder).ok();
            }
            Err(SupervisorError::File { path: innermost.clone(), source })
        }
    }
}

#[cfg(test)]
mod tests;
