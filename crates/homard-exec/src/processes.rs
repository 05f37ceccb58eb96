//! Commands that outlive the call that started them: who they belong to, what they said last, how they end.
//!
//! Every process belongs to a scope (a conversation) and is invisible outside it. Output is kept in rings of
//! fixed size, finished processes for a while, and stopping the registry ends every group. How one command is
//! run is `run.rs`'s; which tool asks is nobody's business here.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use homard_runtime::{Arrange as _, Clip, Clock, Mutex, Subscribers, Tasks, millis_i64};
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use crate::command::Command;
use crate::pty::{Input, Terminal};
use crate::run::{ExecError, Limits, Outcome, StartedCommand, begin, begin_in};
use crate::unix;

mod exits;
mod left_behind;
mod process;

use exits::Exits;
pub use exits::{Finished, MAX_EXIT_TAIL_CHARS};
use left_behind::LeftBehind;
pub use process::{End, InputError, Process, Summary};

/// How long finished processes are kept unless the owner says otherwise.
pub const KEEP_FINISHED: Duration = Duration::from_secs(30 * 60);
/// Most processes of one scope that run at the same time; a model that starts more has lost track.
pub const MAX_RUNNING_PER_SCOPE: usize = 16;

/// The shortest and the longest the owner can say.
const KEEP_RANGE_MS: (i64, i64) = (60 * 1000, 3 * 60 * 60 * 1000);
/// Most processes of all scopes that run at the same time.
const MAX_RUNNING: usize = 128;
/// Most finished processes kept per scope; the oldest go first.
const MAX_FINISHED_PER_SCOPE: usize = 32;
/// Length of a process's name.
const ID_CHARS: usize = 8;

/// Why a process was not started.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The command could not be started.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// Too many at once.
    #[error("{running} commands are running already, which is the most: end one of them first")]
    TooMany { running: usize },
    /// The gateway is going down.
    #[error("the gateway is stopping, nothing is started any more")]
    Stopping,
}

/// What to start, and how far it may go.
pub struct Start {
    pub command: Command,
    /// What people call it: the line as it was asked for.
    pub line: String,
    /// Its limits; the output cap is for the [`Outcome`], the rings have their own.
    pub limits: Limits,
    /// Whether its input stays open for [`Process::write`]; otherwise it is empty.
    pub takes_input: bool,
    /// Whether it gets a terminal, which is also its input. When the system has none left, it gets pipes.
    pub in_terminal: bool,
    /// Told each piece of output as long as the start is attached.
    pub watcher: Option<Watcher>,
}

/// Somebody who is told output while it comes. Must not block.
pub type Watcher = Box<dyn FnMut(&str) + Send>;

/// All processes of the gateway. Clones share one table.
#[derive(Debug, Clone)]
pub struct Processes {
    table: Arc<Mutex<BTreeMap<String, Process>>>,
    tasks: Tasks,
    clock: Clock,
    keep_ms: Arc<AtomicI64>,
    exits: Exits,
    left_behind: LeftBehind,
}

impl Processes {
    /// An empty registry.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        let registry = Self {
            table: Arc::default(),
            tasks: Tasks::new(),
            clock,
            keep_ms: Arc::new(AtomicI64::new(0)),
            exits: Exits::default(),
            left_behind: LeftBehind::default(),
        };
        registry.keep_finished_for(KEEP_FINISHED);
        registry
    }

    /// Sets how long finished processes are kept, brought into the range of one minute to three hours.
    pub fn keep_finished_for(&self, keep: Duration) {
        let (least, most) = KEEP_RANGE_MS;
        let keep = millis_i64(keep).clamp(least, most);
        self.keep_ms.store(keep, Ordering::Relaxed);
    }

    /// Makes this process, as a whole, the parent of what commands leave orphaned, so that it is counted and ends with
    /// the gateway, whatever session it leads. For the one registry of a program.
    pub fn take_in_orphans(&self) {
        self.left_behind.take_in();
    }

    /// Starts a command that belongs to `scope`. It ends with what comes back, unless that is detached.
    ///
    /// # Errors
    /// When it cannot be started, or too many run already.
    pub async fn start(&self, scope: &str, start: Start) -> Result<AttachedProcess, ProcessError> {
        self.check_room(scope)?;
        let Start { command, line, limits, takes_input, in_terminal, watcher } = start;
        let terminal = if in_terminal { open_terminal() } else { None };
        let is_terminal = terminal.is_some();
        let takes_input = takes_input || is_terminal;
        let cwd = command.cwd.clone();
        let (begun, input) = match terminal {
            Some(terminal) => {
                let (begun, keyboard) = begin_in(terminal, command, limits).await?;
                (begun, Some(keyboard))
            }
            None => {
                let (theirs, ours) = pipes(takes_input)?;
                (begin(command, limits, theirs).await?, ours)
            }
        };
        let summary = Summary {
            id: self.new_id(),
            line,
            cwd,
            pid: begun.pid(),
            started_at: self.clock.now_ms(),
            takes_input,
            is_terminal,
            output_bytes: 0,
            end: None,
        };
        let (ended, end) = watch::channel(None);
        let process = Process::new(scope, summary, (input, watcher), end, self.tasks.token().child_token());
        self.table.lock().insert(process.id().to_owned(), process.clone());
        // Room for the one outcome there will be.
        let (told, outcome) = oneshot::channel();
        let follower = Follower { clock: self.clock.clone(), exits: self.exits.clone() };
        let (followed, registry) = (process.clone(), self.clone());
        self.tasks.spawn(async move {
            follow(begun, followed, follower, (ended, told)).await;
            registry.watch_left_behind();
        });
        let (table, exits) = (Arc::clone(&self.table), self.exits.clone());
        Ok(AttachedProcess { process, outcome, table, exits, is_detached: false })
    }

    /// The detached processes of `scope`, in the order they were started.
    #[must_use]
    pub fn list(&self, scope: &str) -> Vec<Process> {
        self.sweep();
        let mut found: Vec<Process> =
            self.table.lock().values().filter(|process| process.is_visible_in(scope)).cloned().collect();
        found.arrange_by_key(|process| process.summary().started_at);
        found
    }

    /// The detached process of that name, if it belongs to `scope`.
    #[must_use]
    pub fn find(&self, scope: &str, id: &str) -> Option<Process> {
        self.sweep();
        self.table.lock().get(id).filter(|process| process.is_visible_in(scope)).cloned()
    }

    /// Ends the process if it runs, and forgets it. Says whether there was one.
    pub fn remove(&self, scope: &str, id: &str) -> bool {
        let Some(process) = self.find(scope, id) else { return false };
        process.kill();
        self.table.lock().remove(id).is_some()
    }

    /// Those who hear when a command that nobody waits for ends.
    #[must_use]
    pub fn exits(&self) -> &Subscribers<Finished> {
        self.exits.subscribers()
    }

    /// Ends every process of `scope`, those somebody waits for included. Says how many there were.
    pub fn kill_scope(&self, scope: &str) -> usize {
        let table = self.table.lock();
        let running = table.values().filter(|process| process.belongs_to(scope) && process.end().is_none());
        running.map(Process::kill).count()
    }

    /// Ends every process and waits until their groups are gone; nothing can be started afterwards.
    pub async fn stop(&self) {
        self.tasks.token().cancel();
        self.tasks.finish(Duration::ZERO).await;
        self.left_behind.stop().await;
    }

    fn watch_left_behind(&self) {
        let table = Arc::clone(&self.table);
        let leaders = move || {
            let running = table.lock();
            running
                .values()
                .filter(|process| process.end().is_none())
                .filter_map(|process| process.summary().pid)
                .collect()
        };
        self.left_behind.watch(&self.tasks, leaders);
    }

    fn check_room(&self, scope: &str) -> Result<(), ProcessError> {
        if self.tasks.token().is_cancelled() {
            return Err(ProcessError::Stopping);
        }
        let table = self.table.lock();
        let running = table.values().filter(|process| process.end().is_none());
        let (mut all, mut own) = (0, 0);
        for process in running {
            all += 1;
            own += usize::from(process.belongs_to(scope));
        }
        if own >= MAX_RUNNING_PER_SCOPE || all >= MAX_RUNNING {
            return Err(ProcessError::TooMany { running: own });
        }
        Ok(())
    }

    /// A name that cannot be mistaken for one of an earlier run of the gateway.
    fn new_id(&self) -> String {
        let table = self.table.lock();
        loop {
            let id = Uuid::new_v4().simple().to_string().clip_chars(ID_CHARS).to_owned();
            if !table.contains_key(&id) {
                return id;
            }
        }
    }

    /// Forgets what finished too long ago, and the oldest of what is too much.
    fn sweep(&self) {
        let oldest = self.clock.now_ms() - self.keep_ms.load(Ordering::Relaxed);
        let mut table = self.table.lock();
        table.retain(|_, process| process.end().is_none_or(|end| end.at > oldest));
        let mut finished: BTreeMap<String, Vec<(i64, String)>> = BTreeMap::new();
        for (id, process) in table.iter() {
            if let Some(end) = process.end() {
                finished.entry(process.scope().to_owned()).or_default().push((end.at, id.clone()));
            }
        }
        for mut ended in finished.into_values() {
            ended.arrange();
            let surplus = ended.len().saturating_sub(MAX_FINISHED_PER_SCOPE);
            for (_, id) in ended.into_iter().take(surplus) {
                table.remove(&id);
            }
        }
    }
}

type Ends = (watch::Sender<Option<End>>, oneshot::Sender<Result<Outcome, ExecError>>);

/// Follows one process to its end and tells everybody.
async fn follow(begun: StartedCommand, process: Process, follower: Follower, (ended, told): Ends) {
    let cancel = process.cancel().clone();
    let outcome = begun.drive(|text| process.take_output(text), &cancel).await;
    let end = End { exit: outcome.as_ref().ok().map(|outcome| outcome.exit), at: follower.clock.now_ms() };
    process.unwatch();
    // Before the input is closed: a write that waits for a reader holds it until it hears of the end.
    ended.send_replace(Some(end));
    // Nobody waits for the outcome of a detached process.
    told.send(outcome).ok();
    follower.exits.tell(&process);
    process.close_input().await;
}

/// What is needed to tell of an end.
struct Follower {
    clock: Clock,
    exits: Exits,
}

/// A terminal, if the system has one left.
fn open_terminal() -> Option<Terminal> {
    Terminal::open().inspect_err(|error| tracing::warn!(%error, "there is no terminal for a command")).ok()
}

/// The two ends of a command's input.
fn pipes(takes_input: bool) -> Result<(Stdio, Option<Input>), ExecError> {
    if !takes_input {
        return Ok((Stdio::null(), None));
    }
    let (theirs, ours) =
        unix::input_pipe().map_err(|source| ExecError::Start { program: "shell".to_owned(), source })?;
    Ok((theirs, Some(ours)))
}

/// A process somebody waits for. Dropping this ends it; detaching lets it go on.
#[derive(Debug)]
pub struct AttachedProcess {
    process: Process,
    outcome: oneshot::Receiver<Result<Outcome, ExecError>>,
    table: Arc<Mutex<BTreeMap<String, Process>>>,
    exits: Exits,
    is_detached: bool,
}

impl AttachedProcess {
    /// The process itself.
    #[must_use]
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Waits for the end. A wait that is given up can be taken up again, until it has answered once.
    ///
    /// # Errors
    /// When the system would not say how it ended.
    pub async fn outcome(&mut self) -> Result<Outcome, ProcessError> {
        match (&mut self.outcome).await {
            Ok(outcome) => Ok(outcome?),
            // The task that follows it is gone, which only happens when the runtime is.
            Err(_) => Err(ProcessError::Stopping),
        }
    }

    /// Lets it go on by itself; from now on it is listed.
    #[must_use]
    pub fn detach(mut self) -> Process {
        self.is_detached = true;
        self.process.unwatch();
        self.process.show();
        // It may have ended while somebody still waited.
        self.exits.tell(&self.process);
        self.process.clone()
    }
}

impl Drop for AttachedProcess {
    fn drop(&mut self) {
        if !self.is_detached {
            self.process.kill();
            self.table.lock().remove(self.process.id());
        }
    }
}
