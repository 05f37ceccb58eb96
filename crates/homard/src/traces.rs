//! Traces for a collector the owner runs: how a message was worked on, in spans.
//!
//! The spans are the ones marked with [`TRACE`]; they hold names, counts and kinds of failures. The log's layer
//! hands them over when they begin and end; [`mod@wire`] spells them as OTLP, [`export`] sends them in batches. A
//! full queue drops spans and counts them: nothing ever waits for a collector.

pub(crate) mod export;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use homard_runtime::{Clip, Clock, Mutex, TRACE};
use tokio::sync::Notify;
use tracing::Metadata;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Record};
use tracing_subscriber::registry::{LookupSpan, SpanRef};

/// Spans that may wait for the next export.
const MAX_WAITING: usize = 4_096;
/// As many ask for an export before its time.
const ENOUGH: usize = 512;
/// Attributes of one span.
const MAX_ATTRIBUTES: usize = 32;
/// Longest text of an attribute, in characters.
const MAX_TEXT: usize = 256;
/// The field that says that a span failed, and how.
const ERROR_FIELD: &str = "error";

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AttributeValue {
    Text(String),
    Integer(i64),
    Flag(bool),
}

/// A span that is over.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Finished {
    pub(crate) trace_id: [u8; 16],
    pub(crate) span_id: [u8; 8],
    pub(crate) parent_id: Option<[u8; 8]>,
    pub(crate) name: &'static str,
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) attributes: Vec<(&'static str, AttributeValue)>,
    /// The kind of failure, if it failed.
    pub(crate) error: Option<String>,
}

/// A span under way, kept with it. The moment its trace began makes all its times comparable.
struct Open {
    span: Finished,
    began: Instant,
    began_ns: u64,
}

/// Collects spans while traces are on. Clone-cheap.
#[derive(Debug, Clone)]
pub(crate) struct Traces {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    clock: Clock,
    /// Share of traces kept, in parts of [`u64::MAX`]; 0 means that traces are off.
    share: AtomicU64,
    waiting: Mutex<Vec<Finished>>,
    dropped: AtomicU64,
    enough: Notify,
}

impl Traces {
    /// Off, until told otherwise.
    pub(crate) fn new(clock: Clock) -> Self {
        let inner = Inner {
            clock,
            share: AtomicU64::new(0),
            waiting: Mutex::default(),
            dropped: AtomicU64::new(0),
            enough: Notify::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Keeps this share of traces from now on; `None` turns them off.
    pub(crate) fn keep_share(&self, rate: Option<f64>) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share between 0 and 1; the last digits do not matter"
        )]
        let share = rate.map_or(0, |rate| (rate.clamp(0.0, 1.0) * u64::MAX as f64) as u64);
        self.inner.share.store(share, Ordering::Relaxed);
        tracing::callsite::rebuild_interest_cache();
    }

    /// Whether a span is one of ours.
    pub(crate) fn is_ours(metadata: &Metadata<'_>) -> bool {
        metadata.target() == TRACE
    }

    /// Whether spans are looked at.
    pub(crate) fn is_on(&self) -> bool {
        self.inner.share.load(Ordering::Relaxed) > 0
    }

    /// A span begins.
    pub(crate) fn begin<'a, R: LookupSpan<'a>>(&self, span: &SpanRef<'a, R>, attributes: &Attributes<'_>) {
        let parent = span.parent().and_then(|parent| {
            let extensions = parent.extensions();
            let open = extensions.get::<Open>()?;
            Some((open.span.trace_id, open.span.span_id, open.began, open.began_ns))
        });
        let fresh = uuid::Uuid::new_v4().into_bytes();
        let (trace_id, parent_id, began, began_ns) = match parent {
            Some((trace, parent, began, began_ns)) => (trace, Some(parent), began, began_ns),
            // A span without its parent belongs to a trace that is not kept, or was begun before traces were on.
            None if span.parent().is_some() || !is_kept(&fresh, &self.inner.share) => return,
            None => (fresh, None, Instant::now(), unix_ns(&self.inner.clock)),
        };
        let mut open = Open {
            span: Finished {
                trace_id,
                span_id: span_id(),
                parent_id,
                name: span.name(),
                begin_ns: since(began, began_ns),
                end_ns: 0,
                attributes: Vec::new(),
                error: None,
            },
            began,
            began_ns,
        };
        attributes.record(&mut open.span);
        span.extensions_mut().insert(open);
    }

    /// Something more is known about a span.
    pub(crate) fn note<'a, R: LookupSpan<'a>>(span: &SpanRef<'a, R>, values: &Record<'_>) {
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            values.record(&mut open.span);
        }
    }

    /// A span ends.
    pub(crate) fn end<'a, R: LookupSpan<'a>>(&self, span: &SpanRef<'a, R>) {
        let Some(open) = span.extensions_mut().remove::<Open>() else { return };
        let Open { mut span, began, began_ns } = open;
        span.end_ns = since(began, began_ns);
        let mut waiting = self.inner.waiting.lock();
        if waiting.len() >= MAX_WAITING {
            self.inner.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        waiting.push(span);
        if waiting.len() >= ENOUGH {
            self.inner.enough.notify_one();
        }
    }

    /// Everything that waits, and how many were dropped since the last time.
    fn take(&self) -> (Vec<Finished>, u64) {
        let spans = std::mem::take(&mut *self.inner.waiting.lock());
        (spans, self.inner.dropped.swap(0, Ordering::Relaxed))
    }
}

fn is_kept(fresh: &[u8; 16], share: &AtomicU64) -> bool {
    let drawn = fresh.last_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes) << 2);
    drawn <= share.load(Ordering::Relaxed) && share.load(Ordering::Relaxed) > 0
}

fn span_id() -> [u8; 8] {
    let bytes = uuid::Uuid::new_v4().into_bytes();
    bytes.first_chunk::<8>().copied().unwrap_or([1; 8])
}

fn unix_ns(clock: &Clock) -> u64 {
    u64::try_from(clock.now_ms()).unwrap_or(0).saturating_mul(1_000_000)
}

fn since(began: Instant, began_ns: u64) -> u64 {
    let passed: Duration = began.elapsed();
    began_ns.saturating_add(u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX))
}

impl Finished {
    fn keep(&mut self, field: &Field, value: AttributeValue) {
        if field.name() == ERROR_FIELD {
            self.error = Some(match value {
                AttributeValue::Text(text) => text,
                AttributeValue::Integer(_) | AttributeValue::Flag(_) => String::new(),
            });
        } else if self.attributes.len() < MAX_ATTRIBUTES {
            self.attributes.push((field.name(), value));
        }
    }
}

impl Visit for Finished {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let text = format!("{value:?}").clip_chars(MAX_TEXT).to_owned();
        self.keep(field, AttributeValue::Text(text));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.keep(field, AttributeValue::Text(value.clip_chars(MAX_TEXT).to_owned()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.keep(field, AttributeValue::Integer(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.keep(field, AttributeValue::Integer(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.keep(field, AttributeValue::Flag(value));
    }
}

#[cfg(test)]
mod tests;
