//! How the workshop runs programs, reads its few variables and speaks to the person at the terminal.
//!
//! The one file of the workshop where processes are made and anything is printed. Product code makes
//! processes through homard-exec instead; the workshop must build before that crate does. Steps that run side by
//! side write into a [`Log`] of their own instead of the terminal.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::workspace::root;

/// How much of a program's output is kept for counting and for showing again.
const KEPT_OUTPUT: usize = 256 * 1024;
/// Between two looks at a program that runs under a time limit.
const GLANCE: Duration = Duration::from_millis(20);

thread_local! {
    /// Where this thread's words and programs write; the terminal when there is none.
    static LOG: RefCell<Option<Log>> = const { RefCell::new(None) };
}

/// A file that takes what a step says and what its programs print.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) path: PathBuf,
    file: Arc<File>,
}

impl Log {
    /// Begins an empty one.
    pub(crate) fn begin(path: &Path) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("could not write `{}`", path.display()))?;
        Ok(Self { path: path.to_path_buf(), file: Arc::new(file) })
    }

    /// Does `work` with everything this thread says and starts going into the log.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = LOG.replace(Some(self.clone()));
        let done = work();
        LOG.set(before);
        done
    }

    /// Everything in it so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.path).unwrap_or_default()).into_owned()
    }

    fn write(&self, text: &str) {
        // A disk that is full shows up in the step itself.
        writeln!(&*self.file, "{text}").ok();
    }
}

/// Says something on standard output, or in the log of the step that is running.
#[expect(clippy::print_stdout, reason = "the workshop talks to a person at a terminal")]
pub(crate) fn say(text: &str) {
    match LOG.with_borrow(Clone::clone) {
        Some(log) => log.write(text),
        None => println!("{text}"),
    }
}

/// Says something on standard error.
#[expect(clippy::print_stderr, reason = "the workshop talks to a person at a terminal")]
pub(crate) fn complain(text: &str) {
    eprintln!("{text}");
}

/// A variable of the workshop itself; the product reads its own in homard-config.
#[expect(clippy::disallowed_methods, reason = "the workshop builds before homard-config does")]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Every variable, for who stands in for another program.
#[expect(clippy::disallowed_methods, reason = "the workshop builds before homard-config does")]
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    std::env::vars()
}

/// A program about to run, in the root of the clone unless [`Cmd::dir`] says otherwise.
#[derive(Debug)]
pub(crate) struct Cmd {
    command: Command,
    shown: String,
    log: Option<Log>,
}

/// What a program that ran to its end left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Whether it ended with status zero.
    pub(crate) ok: bool,
    /// The end of what it printed, both streams.
    pub(crate) text: String,
}

impl Cmd {
    /// A program found on the path, and its arguments.
    #[expect(clippy::disallowed_methods, reason = "the workshop builds before homard-exec does")]
    pub(crate) fn new(program: impl AsRef<OsStr>, args: &[&str]) -> Self {
        let program = program.as_ref();
        let mut command = Command::new(program);
        command.args(args).current_dir(root());
        // What cargo tells this program about itself would look to build scripts like a change of their own.
        let told = variables().map(|(name, _)| name).filter(|name| {
            name == "CARGO" || name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        for name in told {
            command.env_remove(name);
        }
        let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy();
        let shown = [&[name.as_ref()], args].concat().join(" ");
        Self { command, shown, log: LOG.with_borrow(Clone::clone) }
    }

    /// A program in the folder this process was started in.
    #[expect(clippy::disallowed_methods, reason = "the workshop builds before homard-exec does")]
    pub(crate) fn here(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref();
        Self { command: Command::new(program), shown: program.to_string_lossy().into_owned(), log: None }
    }

    /// Adds arguments that are not shown when the command is named.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// Runs it elsewhere.
    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Gives it a variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Gives it only the search path of our environment, so that keys and settings of the person who runs
    /// the tests do not reach the program under test.
    pub(crate) fn bare_env(mut self) -> Self {
        self.command.env_clear();
        for name in ["PATH", "LANG", "TMPDIR"] {
            if let Some(value) = variable(name) {
                self.command.env(name, value);
            }
        }
        self
    }

    /// Runs it in view of the person; anything but status zero is an error.
    pub(crate) fn run(mut self) -> Result<()> {
        self.announce();
        if let Some(log) = &self.log {
            self.command.stdout(log.file.try_clone()?).stderr(log.file.try_clone()?);
        }
        let status = self.command.status().with_context(|| format!("could not start `{}`", self.shown))?;
        if !status.success() {
            bail!("`{}` ended with {status}", self.shown);
        }
        Ok(())
    }

    /// Runs it with standard error in view of the person and hands every line of standard output to `each`; whether
    /// it ended with status zero.
    pub(crate) fn each_line(mut self, mut each: impl FnMut(&str)) -> Result<bool> {
        self.announce();
        if let Some(log) = &self.log {
            self.command.stderr(log.file.try_clone()?);
        }
        let mut child = self
            .command
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start `{}`", self.shown))?;
        for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(|lines| lines.lines()) {
            each(&line.with_context(|| format!("could not read what `{}` prints", self.shown))?);
        }
        let status = child.wait().with_context(|| format!("could not wait for `{}`", self.shown))?;
        Ok(status.success())
    }

    /// Runs it with standard error going to `each`, unnamed; its exit code.
    pub(crate) fn each_error(mut self, mut each: impl FnMut(&str) -> io::Result<()>) -> Result<i32> {
        let mut child = self
            .command
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("could not start `{}`", self.shown))?;
        for line in child.stderr.take().map(BufReader::new).into_iter().flat_map(|lines| lines.lines()) {
            each(&line?)?;
        }
        Ok(child.wait()?.code().unwrap_or(1))
    }

    /// Runs it unseen and returns what it printed on standard output.
    pub(crate) fn read(mut self) -> Result<String> {
        let output = self.command.output().with_context(|| format!("could not start `{}`", self.shown))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            bail!("`{}` ended with {}: {}", self.shown, output.status, stderr.trim());
        }
        String::from_utf8(output.stdout)
            .with_context(|| format!("`{}` printed something else than text", self.shown))
    }

    /// Runs it unseen; whether it could be started and ended well.
    pub(crate) fn works(mut self) -> bool {
        self.command.stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
    }

    /// Runs it unseen and returns both streams, whatever its status.
    pub(crate) fn quiet(mut self) -> Result<Ran> {
        let output = self.command.output().with_context(|| format!("could not start `{}`", self.shown))?;
        let text = [output.stdout, output.stderr].concat();
        Ok(Ran { ok: output.status.success(), text: String::from_utf8_lossy(&text).into_owned() })
    }

    /// Runs it in view of the person and keeps the end of what it printed.
    pub(crate) fn tee(mut self) -> Result<Ran> {
        self.announce();
        if self.log.is_none() && io::stdout().is_terminal() {
            self.command.env("CARGO_TERM_COLOR", "always").env("FORCE_COLOR", "1");
        }
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().with_context(|| format!("could not start `{}`", self.shown))?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let log = self.log.as_ref().map(|log| &*log.file);
        let (out, err) = std::thread::scope(|scope| {
            let out = scope.spawn(move || {
                out.map(|from| match log {
                    Some(mut log) => copy(from, &mut log),
                    None => copy(from, &mut io::stdout()),
                })
            });
            let err = err.map(|from| match log {
                Some(mut log) => copy(from, &mut log),
                None => copy(from, &mut io::stderr()),
            });
            (out.join().ok().flatten(), err)
        });
        let status = child.wait().with_context(|| format!("could not wait for `{}`", self.shown))?;
        let bytes = [out.unwrap_or_default(), err.unwrap_or_default()].concat();
        Ok(Ran { ok: status.success(), text: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// Runs it unseen, with both streams going into the file `into`. `None` when it took longer than `limit`;
    /// it is then killed together with everything it started.
    pub(crate) fn within(mut self, limit: Duration, into: &Path) -> Result<Option<Ran>> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut self.command, 0);
        let mut child = self.start(&File::create(into)?)?;
        let begun = Instant::now();
        let status = loop {
            match child.try_wait()? {
                Some(status) => break Some(status),
                None if begun.elapsed() > limit => break None,
                None => std::thread::sleep(GLANCE),
            }
        };
        if status.is_none() {
            let group = format!("-{}", child.id());
            Self::new("kill", &["-KILL", "--", &group]).works();
            child.kill().and_then(|()| child.wait()).ok();
        }
        let text = String::from_utf8_lossy(&std::fs::read(into)?).into_owned();
        Ok(status.map(|status| Ran { ok: status.success(), text }))
    }

    /// Starts it with both streams going into `log`; the caller owns and ends it.
    pub(crate) fn start(mut self, log: &File) -> Result<Child> {
        let (out, err) = (log.try_clone()?, log.try_clone()?);
        self.command.stdin(Stdio::null()).stdout(out).stderr(err);
        self.command.spawn().with_context(|| format!("could not start `{}`", self.shown))
    }

    /// Names the program where its output goes.
    fn announce(&self) {
        let words = format!("$ {}", self.shown);
        match &self.log {
            Some(log) => log.write(&words),
            None => say(&words),
        }
    }

    /// Becomes the program, so that signals and the exit status are its own. Returns only when it cannot.
    pub(crate) fn become_it(self) -> Result<()> {
        self.announce();
        self.become_silently()
    }

    /// The same, without naming it.
    #[cfg(unix)]
    pub(crate) fn become_silently(mut self) -> Result<()> {
        let error = std::os::unix::process::CommandExt::exec(&mut self.command);
        Err(error).with_context(|| format!("could not start `{}`", self.shown))
    }

    /// Runs the program and takes over its exit status; the nearest thing to becoming it here.
    #[cfg(not(unix))]
    pub(crate) fn become_silently(mut self) -> Result<()> {
        let status = self.command.status().with_context(|| format!("could not start `{}`", self.shown))?;
        std::process::exit(status.code().unwrap_or(1))
    }
}

/// Copies as it comes and returns the last [`KEPT_OUTPUT`] bytes.
fn copy(mut from: impl Read, to: &mut impl Write) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut chunk = [0_u8; 8192];
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        let bytes = chunk.get(..read).unwrap_or_default();
        // A terminal that went away does not stop the work.
        to.write_all(bytes).and_then(|()| to.flush()).ok();
        kept.extend_from_slice(bytes);
        if kept.len() > 2 * KEPT_OUTPUT {
            kept.drain(..kept.len() - KEPT_OUTPUT);
        }
    }
    kept
}

/// The last `count` lines of a text, for showing the end of a log.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().skip(lines.len().saturating_sub(count)).copied().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
