//! Bringing the programs a skill needs, with the installers this machine has. What is run is a program with
//! arguments, never a shell line: a skill's words cannot become a command.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use homard_config::Config;
use homard_config::config::skills::NodeManager;
use homard_exec::{BuiltEnv, Command, EnvError, ExecError, Exit, Limits, run};
use homard_protocol::methods::tools::skills::SkillsInstallResult;
use homard_runtime::CollectOrdered as _;
use tokio_util::sync::CancellationToken;

use crate::front_matter::Installer;
use crate::gate::Programs;

/// How long an installer may take unless somebody says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);
/// How long it may take at most.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(900);
/// Most output that is kept.
const MAX_OUTPUT_BYTES: usize = 16_000;
/// Longest name of something to install.
const MAX_TARGET_CHARS: usize = 256;

/// Why nothing was installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("there is no skill `{0}`; `homard skills list` names those there are")]
    UnknownSkill(String),
    /// The skill has no such way.
    #[error("the skill `{skill}` has no installer `{id}` for this machine; it has: {known}")]
    UnknownWay {
        skill: String,
        /// What was asked for.
        id: String,
        known: String,
    },
    /// A kind we do not do.
    #[error("installers of kind `{0}` are not supported: install the program by hand")]
    Unsupported(String),
    /// The skill does not say what to install, or says something that cannot be it.
    #[error("the installer `{0}` does not name something that can be installed")]
    BadTarget(String),
    /// The installer is not there.
    #[error("`{program}` is not installed here: install it first, or install what the skill needs by hand")]
    NoProgram { program: String },
    /// The path cannot be handed to it.
    #[error(transparent)]
    Path(#[from] EnvError),
    /// It could not be run.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// The file system thread ended early.
    #[error("the skills could not be looked at")]
    Thread(#[from] homard_runtime::Unfinished),
}

/// The program and its arguments.
pub(crate) fn plan(way: &Installer, node: NodeManager) -> Result<(&'static str, Vec<String>), InstallError> {
    let (program, words): (_, &[&str]) = match (way.kind.as_str(), node) {
        ("brew", _) => ("brew", &["install"]),
        ("go", _) => ("go", &["install"]),
        ("uv", _) => ("uv", &["tool", "install"]),
        ("node", NodeManager::Npm) => ("npm", &["install", "-g", "--ignore-scripts"]),
        ("node", NodeManager::Pnpm) => ("pnpm", &["add", "-g", "--ignore-scripts"]),
        ("node", NodeManager::Yarn) => ("yarn", &["global", "add", "--ignore-scripts"]),
        ("node", NodeManager::Bun) => ("bun", &["add", "-g", "--ignore-scripts"]),
        (other, _) => return Err(InstallError::Unsupported(other.to_owned())),
    };
    let target = way.target.as_deref().filter(|target| is_target(target));
    let target = target.ok_or_else(|| InstallError::BadTarget(way.id.clone()))?;
    Ok((program, words.iter().copied().chain([target]).map(str::to_owned).collect()))
}

/// Whether a text can name a package. Not an option, and nothing a package manager would take for a file or an
/// address of another kind.
fn is_target(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "@/._+-~=^".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '@')
        && text.chars().all(is_allowed)
        && text.len() <= MAX_TARGET_CHARS
        && !text.contains("..")
}

/// Runs an installer to its end.
pub(crate) async fn install(
    way: &Installer,
    config: &Config,
    home: &Path,
    timeout: Duration,
) -> Result<SkillsInstallResult, InstallError> {
    let (program, args) = plan(way, config.skills.install.node_manager)?;
    let mut programs = Programs::on_path(&config.tools.exec.path_prepend, config.env.get("PATH"));
    if !programs.has(program) {
        return Err(InstallError::NoProgram { program: program.to_owned() });
    }
    let base: BTreeMap<String, String> =
        config.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect_map();
    // The installer is started from where it was found.
    let path: Vec<String> = programs.dirs().iter().map(|dir| dir.display().to_string()).collect();
    let env = BuiltEnv::from_base(&base).with_explicit("PATH", &path.join(":"))?;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let command = Command::direct(program, &words, home, env);
    let limits = Limits { timeout: timeout.min(MAX_TIMEOUT), max_output_bytes: MAX_OUTPUT_BYTES };
    tracing::info!(program, ?args, "installing what a skill needs");
    let on_output = |text: &str| tracing::debug!(program, "{}", text.trim_end());
    let outcome = run(command, limits, on_output, &CancellationToken::new()).await?;
    let (ok, code, message) = match outcome.exit {
        Exit::Exited(0) => (true, Some(0), "Installed".to_owned()),
        Exit::Exited(code) => (false, Some(code), format!("{program} ended with code {code}")),
        Exit::Signalled(signal) => (false, None, format!("{program} was ended by signal {signal}")),
        Exit::TimedOut => (false, None, format!("{program} took longer than {} s", limits.timeout.as_secs())),
        Exit::Cancelled => (false, None, format!("{program} was stopped")),
        Exit::TooManyProcesses => {
            (false, None, format!("{program} became too many processes and was stopped"))
        }
    };
    tracing::info!(program, ok, %message, "the installer ended");
    Ok(SkillsInstallResult { ok, message, stdout: outcome.output, stderr: String::new(), code })
}

#[cfg(test)]
mod tests;
