//! What to run: a program, a directory and an environment. Nothing here starts anything.

use std::path::PathBuf;
use std::sync::Arc;

use crate::env::BuiltEnv;
use crate::launch::Launcher;
use crate::run::MAX_PROCESSES;

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A line for the machine's shell.
    Shell(String),
    /// A program and its arguments, with no shell in between. Choose this whenever the arguments are known:
    /// nothing in them is interpreted.
    Direct {
        /// A path, or a name looked up in the built `PATH`.
        program: String,
        args: Vec<String>,
    },
}

/// A command that can be run once. Its standard input is empty, so that nothing waits for a person, unless it is
/// started in [`Processes`](crate::Processes) with input.
#[derive(Debug, Clone)]
pub struct Command {
    pub program: Program,
    /// Where; it must exist.
    pub cwd: PathBuf,
    /// The whole environment of the process.
    pub env: BuiltEnv,
    /// How many processes it may be at the same time.
    pub(crate) max_processes: usize,
    /// How it is started; directly when there is none.
    pub(crate) launcher: Option<Arc<Launcher>>,
    /// Whether what its launcher hides is there all the same.
    pub(crate) sees_records: bool,
    /// Whether its launcher stays beside it and ends it when this program is gone, however it went.
    pub(crate) ends_with_us: bool,
}

impl Command {
    /// A program that is chosen already.
    pub fn new(program: Program, cwd: impl Into<PathBuf>, env: BuiltEnv) -> Self {
        Self {
            program,
            cwd: cwd.into(),
            env,
            max_processes: MAX_PROCESSES,
            launcher: None,
            sees_records: false,
            ends_with_us: false,
        }
    }

    /// A line for the machine's shell.
    pub fn shell(line: impl Into<String>, cwd: impl Into<PathBuf>, env: BuiltEnv) -> Self {
        Self::new(Program::Shell(line.into()), cwd, env)
    }

    /// A program with arguments, without a shell.
    pub fn direct(program: &str, args: &[&str], cwd: impl Into<PathBuf>, env: BuiltEnv) -> Self {
        let args = args.iter().map(|&arg| arg.to_owned()).collect();
        Self::new(Program::Direct { program: program.to_owned(), args }, cwd, env)
    }

    /// The same, ended when it becomes more processes than this at the same time; the default is 512.
    #[must_use]
    pub fn with_max_processes(self, max_processes: usize) -> Self {
        Self { max_processes, ..self }
    }

    /// The same, started by a launcher.
    #[must_use]
    pub fn launched_by(self, launcher: Option<Arc<Launcher>>) -> Self {
        Self { launcher, ..self }
    }

    /// The same, with the gateway's records in sight.
    #[must_use]
    pub fn seeing_records(self) -> Self {
        Self { sees_records: true, ..self }
    }

    /// The same, ended with whatever it started when this program is gone, even if it was killed. Only a launcher can
    /// do that: it stays beside the command as one process more.
    #[must_use]
    pub fn ending_with_us(self) -> Self {
        Self { ends_with_us: true, ..self }
    }
}
