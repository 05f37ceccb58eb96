//! Where log lines go: a JSONL file per day and the terminal, from a thread of their own.
//!
//! A line costs its caller one allocation and one `try_send`; formatting, masking of secrets and writing happen
//! elsewhere. The queue is bounded: when the disk cannot keep up, lines are dropped and counted, and the count
//! is logged as soon as there is room. [`gateway`] reads the settings, [`mod@line`] knows how a line looks, [`files`] which file it goes to,
//! [`redact`] what must not be in it, [`writer`] is the thread.

pub(crate) mod files;
pub(crate) mod gateway;
pub(crate) mod line;
pub(crate) mod redact;
mod writer;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use homard_config::config::logging::{ConsoleStyle, LogLevel};
use homard_runtime::Clock;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use files::LogFiles;
use redact::Redactor;
use writer::{LogJob, Queue, Record};

use crate::traces::Traces;

/// How long the end of the program waits for the last lines to be written.
const FLUSH_GRACE: Duration = Duration::from_secs(1);
/// Our own crates; others are heard from `warn` on.
const OWN_TARGETS: &str = "homard";

/// What is logged, and where.
pub(crate) struct LogSetup {
    /// The files; `None` logs to the terminal only.
    pub(crate) files: Option<LogFiles>,
    /// How much goes to the files.
    pub(crate) file_level: LogLevel,
    /// How much goes to the terminal.
    pub(crate) console_level: LogLevel,
    /// How terminal lines look.
    pub(crate) console_style: ConsoleStyle,
    /// Whether terminal lines may be coloured.
    pub(crate) color: bool,
    /// What must not be in any line.
    pub(crate) redactor: Redactor,
    pub(crate) clock: Clock,
}

/// The running log. Dropping it writes out what is queued.
pub(crate) struct Log {
    queue: Queue,
    levels: Arc<Levels>,
    redactor: Redactor,
    traces: Traces,
}

impl Log {
    /// Starts the thread and becomes the process's log. A second start in one process is refused.
    ///
    /// # Errors
    /// When the system gives no thread, or a log runs already.
    pub(crate) fn start(setup: LogSetup) -> io::Result<Self> {
        let (log, layer) = Self::open(setup)?;
        tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer))
            .map_err(io::Error::other)?;
        Ok(log)
    }

    /// Starts the thread; the layer is what hears events.
    fn open(setup: LogSetup) -> io::Result<(Self, QueueLayer)> {
        let file_level = if setup.files.is_some() { setup.file_level } else { LogLevel::Silent };
        let levels = Arc::new(Levels::new(file_level, setup.console_level));
        let redactor = setup.redactor.clone();
        let clock = setup.clock.clone();
        let queue = writer::start(setup, Arc::clone(&levels))?;
        let traces = Traces::new(clock.clone());
        let log =
            Self { queue: queue.clone(), levels: Arc::clone(&levels), redactor, traces: traces.clone() };
        Ok((log, QueueLayer { queue, levels, clock, traces }))
    }

    /// Changes how much is logged, as a reload of the configuration does.
    pub(crate) fn set_levels(&self, file: LogLevel, console: LogLevel) {
        self.levels.set(file, console);
        tracing::callsite::rebuild_interest_cache();
    }

    /// Writes to other files, or shows lines in another way, from now on.
    pub(crate) fn rearrange(&self, files: LogFiles, style: ConsoleStyle) {
        if !self.queue.order(LogJob::Rearrange(Box::new(files), style)) {
            tracing::debug!("the log is over");
        }
    }

    /// Masks what matches, and what looks like a secret, as the owner wants it from now on.
    pub(crate) fn set_masking(&self, patterns: &[String], guess: bool) {
        for (pattern, error) in self.redactor.set_masking(patterns, guess) {
            tracing::warn!(%pattern, %error, "a pattern of logging.redactPatterns cannot be used");
        }
    }

    /// Where spans are collected.
    pub(crate) fn traces(&self) -> Traces {
        self.traces.clone()
    }

    /// Masks one more text from now on.
    pub(crate) fn keep_secret(&self, text: &str) {
        self.redactor.keep_secret(text);
    }

    /// Waits, but not for long, until everything queued so far is written.
    pub(crate) fn flush(&self) {
        let (done, finished) = std::sync::mpsc::sync_channel(1);
        if self.queue.order(LogJob::Flush(done)) {
            // A timeout loses nothing but the wait: the thread goes on writing.
            finished.recv_timeout(FLUSH_GRACE).unwrap_or_default();
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Both thresholds, changeable while running.
struct Levels {
    file: AtomicU8,
    console: AtomicU8,
}

impl Levels {
    fn new(file: LogLevel, console: LogLevel) -> Self {
        Self { file: AtomicU8::new(rank(file)), console: AtomicU8::new(rank(console)) }
    }

    fn set(&self, file: LogLevel, console: LogLevel) {
        self.file.store(rank(file), Ordering::Relaxed);
        self.console.store(rank(console), Ordering::Relaxed);
    }

    fn wants_file(&self, level: Level) -> bool {
        level_rank(level) <= self.file.load(Ordering::Relaxed)
    }

    fn wants_console(&self, level: Level) -> bool {
        level_rank(level) <= self.console.load(Ordering::Relaxed)
    }
}

fn rank(level: LogLevel) -> u8 {
    match level {
        LogLevel::Silent => 0,
        LogLevel::Fatal | LogLevel::Error => 1,
        LogLevel::Warn => 2,
        LogLevel::Info => 3,
        LogLevel::Debug => 4,
        LogLevel::Trace => 5,
    }
}

fn level_rank(level: Level) -> u8 {
    match level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        _ => 5,
    }
}

/// Turns events into records and queues them.
struct QueueLayer {
    queue: Queue,
    levels: Arc<Levels>,
    clock: Clock,
    traces: Traces,
}

impl QueueLayer {
    fn wants(&self, metadata: &Metadata<'_>) -> bool {
        if metadata.is_span() && Traces::is_ours(metadata) {
            return self.traces.is_on();
        }
        let level = *metadata.level();
        let ours = metadata.target().starts_with(OWN_TARGETS) || level_rank(level) <= level_rank(Level::WARN);
        ours && (self.levels.wants_file(level) || self.levels.wants_console(level))
    }
}

/// Fields of a span, kept with it for the lines inside.
struct SpanFields(Map<String, Value>);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for QueueLayer {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.wants(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _cx: Context<'_, S>) -> bool {
        self.wants(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        // Not a bound: levels may be raised while running.
        None
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, cx: Context<'_, S>) {
        let Some(span) = cx.span(id) else { return };
        if Traces::is_ours(span.metadata()) {
            return self.traces.begin(&span, attributes);
        }
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(SpanFields(fields.others));
    }

    fn on_record(&self, id: &Id, values: &tracing::span::Record<'_>, cx: Context<'_, S>) {
        if let Some(span) = cx.span(id) {
            Traces::note(&span, values);
        }
    }

    fn on_close(&self, id: Id, cx: Context<'_, S>) {
        if let Some(span) = cx.span(&id) {
            self.traces.end(&span);
        }
    }

    fn on_event(&self, event: &Event<'_>, cx: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        for span in cx.event_scope(event).into_iter().flatten() {
            let extensions = span.extensions();
            let Some(SpanFields(outer)) = extensions.get::<SpanFields>() else { continue };
            for (name, value) in outer {
                if !fields.others.contains_key(name) {
                    fields.others.insert(name.clone(), value.clone());
                }
            }
        }
        let metadata = event.metadata();
        self.queue.push(Record {
            ms: self.clock.now_ms(),
            level: *metadata.level(),
            target: metadata.target(),
            message: fields.message,
            fields: fields.others,
        });
    }
}

/// Collects what an event or span carries.
#[derive(Default)]
struct Fields {
    message: String,
    others: Map<String, Value>,
}

impl Fields {
    fn keep(&mut self, field: &Field, value: Value) {
        self.others.insert(field.name().trim_start_matches("r#").to_owned(), value);
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.keep(field, format!("{value:?}").into());
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            value.clone_into(&mut self.message);
        } else {
            self.keep(field, value.into());
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.keep(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.keep(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.keep(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.keep(field, value.into());
    }
}

#[cfg(test)]
mod tests;
