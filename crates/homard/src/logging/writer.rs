//! The thread that formats, masks and writes log lines.
//!
//! Waking a thread costs more than a line, so it gathers what comes within a moment. Whoever warns, and whoever waits
//! for the lines, wakes it at once.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Thread;
use std::time::Duration;

use homard_config::config::logging::ConsoleStyle;
use serde_json::{Map, Value};
use tracing::Level;

use super::files::LogFiles;
use super::line::{Line, LineStyle};
use super::{Levels, LogSetup};

/// Lines that may wait to be written. When full, new lines are dropped and counted.
const QUEUE_LINES: usize = 4_096;
/// How long lines are gathered before they are written.
const GATHER: Duration = Duration::from_millis(10);
/// Where the lines about the log itself come from.
const OWN_SUBSYSTEM: &str = "log";

/// An event as it leaves the caller.
pub(super) struct Record {
    pub(super) ms: i64,
    pub(super) level: Level,
    pub(super) target: &'static str,
    pub(super) message: String,
    pub(super) fields: Map<String, Value>,
}

/// What the thread is asked to do.
pub(super) enum LogJob {
    /// Boxed, because room for the longest queue is taken at the start: it would be half a megabyte.
    Write(Box<Record>),
    Flush(SyncSender<()>),
    Rearrange(Box<LogFiles>, ConsoleStyle),
}

/// The callers' end.
#[derive(Clone)]
pub(super) struct Queue {
    sender: SyncSender<LogJob>,
    dropped: Arc<AtomicU64>,
    thread: Thread,
}

impl Queue {
    /// Queues a record, or counts it when there is no room. Never waits.
    pub(super) fn push(&self, record: Record) {
        let is_urgent = record.level <= Level::WARN;
        if self.sender.try_send(LogJob::Write(Box::new(record))).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        if is_urgent {
            self.thread.unpark();
        }
    }

    /// Has the thread do something at once, after what is queued; waits for room. `false` when the log is over.
    pub(super) fn order(&self, job: LogJob) -> bool {
        let taken = self.sender.send(job).is_ok();
        self.thread.unpark();
        taken
    }
}

/// Starts the thread.
pub(super) fn start(setup: LogSetup, levels: Arc<Levels>) -> io::Result<Queue> {
    let (sender, jobs) = sync_channel(QUEUE_LINES);
    let dropped = Arc::new(AtomicU64::new(0));
    let writer = Writer {
        setup,
        levels,
        dropped: Arc::clone(&dropped),
        look: LineStyle::default(),
        console: String::new(),
        complained: false,
    };
    // The process may end while the thread waits: it owns nothing that needs an orderly end but the buffer,
    // which `Log::flush` empties.
    let thread = std::thread::Builder::new().name("homard-log".into()).spawn(move || writer.run(&jobs))?;
    Ok(Queue { sender, dropped, thread: thread.thread().clone() })
}

struct Writer {
    setup: LogSetup,
    levels: Arc<Levels>,
    dropped: Arc<AtomicU64>,
    look: LineStyle,
    /// Lines for the terminal that are not there yet.
    console: String,
    complained: bool,
}

impl Writer {
    fn run(mut self, jobs: &Receiver<LogJob>) {
        self.show_as(self.setup.console_style);
        while let Ok(job) = jobs.recv() {
            self.take(job);
            std::thread::park_timeout(GATHER);
            while let Ok(job) = jobs.try_recv() {
                self.take(job);
            }
            self.flush();
        }
    }

    fn show_as(&mut self, style: ConsoleStyle) {
        self.look = match style {
            ConsoleStyle::Pretty => LineStyle::pretty(self.setup.color),
            ConsoleStyle::Compact => LineStyle::compact(self.setup.color),
            ConsoleStyle::Json => LineStyle::Json,
        };
    }

    fn take(&mut self, job: LogJob) {
        match job {
            LogJob::Write(record) => {
                self.tell_dropped(record.ms);
                let line = Line::new(&record.level, record.target, record.message, record.fields);
                self.write(record.ms, record.level, line);
            }
            LogJob::Rearrange(files, style) => {
                self.flush();
                self.setup.files = Some(*files);
                self.complained = false;
                self.show_as(style);
            }
            LogJob::Flush(done) => {
                self.flush();
                // Nobody waits any more when this fails.
                done.try_send(()).unwrap_or_default();
            }
        }
    }

    fn tell_dropped(&mut self, ms: i64) {
        let count = self.dropped.swap(0, Ordering::Relaxed);
        if count > 0 {
            let text = "log lines were dropped because they came faster than they could be written";
            let fields = Map::from_iter([("count".to_owned(), Value::from(count))]);
            self.write(ms, Level::WARN, Line::new(&Level::WARN, OWN_SUBSYSTEM, text.into(), fields));
        }
    }

    fn write(&mut self, ms: i64, level: Level, line: Line) {
        let line = line.stamped(ms).masked(&self.setup.redactor);
        let mut shown = None;
        if self.levels.wants_console(level) {
            let shown = shown.insert(self.look.show(&line));
            self.console.push_str(shown);
            self.console.push('\n');
        }
        if self.levels.wants_file(level) {
            // What the terminal shows may be what the file holds.
            let json =
                shown.filter(|_| matches!(self.look, LineStyle::Json)).unwrap_or_else(|| line.to_json());
            let written = self.setup.files.as_mut().map(|files| files.write(ms, &json));
            self.complain(written.and_then(Result::err));
        }
    }

    fn flush(&mut self) {
        if !self.console.is_empty() {
            // A terminal that is gone is no reason to stop logging to the file.
            drop(io::stderr().lock().write_all(self.console.as_bytes()));
            self.console.clear();
        }
        let flushed = self.setup.files.as_mut().map(LogFiles::flush);
        self.complain(flushed.and_then(Result::err));
    }

    /// Says once that the file cannot be written; the terminal goes on.
    fn complain(&mut self, error: Option<io::Error>) {
        let Some(error) = error else { return };
        if !self.complained {
            self.complained = true;
            drop(writeln!(io::stderr().lock(), "warning: could not write the log file: {error}"));
        }
    }
}

#[cfg(test)]
mod tests;
