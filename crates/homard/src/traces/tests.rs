//! Spans as they are collected and spelled.

use homard_runtime::{Clock, TRACE};
use tracing::field::Empty;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

use super::{AttributeValue, Traces, wire};

struct Collecting(Traces);

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collecting {
    fn on_new_span(
        &self,
        attributes: &tracing::span::Attributes<'_>,
        id: &tracing::span::Id,
        cx: Context<'_, S>,
    ) {
        self.0.begin(&cx.span(id).unwrap(), attributes);
    }

    fn on_record(&self, id: &tracing::span::Id, values: &tracing::span::Record<'_>, cx: Context<'_, S>) {
        Traces::note(&cx.span(id).unwrap(), values);
    }

    fn on_close(&self, id: tracing::span::Id, cx: Context<'_, S>) {
        self.0.end(&cx.span(&id).unwrap());
    }
}

fn one_message(traces: &Traces) {
    let subscriber = tracing_subscriber::registry().with(Collecting(traces.clone()));
    tracing::subscriber::with_default(subscriber, || {
        let message = tracing::info_span!(target: TRACE, parent: None, "message", "homard.run" = "r1");
        let turn = tracing::info_span!(target: TRACE, parent: &message, "turn", error = Empty);
        turn.record("error", "timeout");
        turn.in_scope(|| drop(tracing::info_span!(target: TRACE, "tool.call", n = 7_u64, flag = true)));
    });
}

#[test]
fn spans_of_one_message_belong_together() {
    let traces = Traces::new(Clock::fixed(5));
    traces.keep_share(Some(1.0));
    one_message(&traces);
    let (spans, dropped) = traces.take();
    assert_eq!(dropped, 0);
    let [tool, turn, message] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!((tool.name, turn.name, message.name), ("tool.call", "turn", "message"));
    assert_eq!((tool.trace_id, turn.trace_id), (message.trace_id, message.trace_id));
    assert_eq!((tool.parent_id, turn.parent_id), (Some(turn.span_id), Some(message.span_id)));
    assert_eq!(message.parent_id, None);
    assert_eq!(turn.error.as_deref(), Some("timeout"));
    assert_eq!(message.attributes, [("homard.run", AttributeValue::Text("r1".to_owned()))]);
    assert_eq!(tool.attributes, [("n", AttributeValue::Integer(7)), ("flag", AttributeValue::Flag(true))]);
    assert!(message.begin_ns >= 5_000_000 && message.end_ns >= turn.end_ns);
}

#[test]
fn traces_that_are_not_kept_leave_nothing_behind() {
    let traces = Traces::new(Clock::fixed(5));
    for rate in [None, Some(0.0)] {
        traces.keep_share(rate);
        assert!(!traces.is_on());
        one_message(&traces);
        assert_eq!(traces.take().0, []);
    }
    traces.keep_share(Some(0.5));
    (0..200).for_each(|_| one_message(&traces));
    let spans = traces.take().0;
    assert!(
        spans.len().is_multiple_of(3) && (150..450).contains(&spans.len()),
        "whole traces, about half: {}",
        spans.len()
    );
}

#[test]
fn too_many_spans_are_dropped_and_counted() {
    let traces = Traces::new(Clock::fixed(5));
    traces.keep_share(Some(1.0));
    (0..1_400).for_each(|_| one_message(&traces));
    let (spans, dropped) = traces.take();
    assert_eq!((spans.len(), dropped), (4_096, 104));
}

#[test]
fn a_span_is_spelled_as_the_protocol_says() {
    let span = super::Finished {
        trace_id: [1; 16],
        span_id: [2; 8],
        parent_id: None,
        name: "turn",
        begin_ns: 1,
        end_ns: 2,
        attributes: vec![("n", AttributeValue::Integer(300))],
        error: Some("x".to_owned()),
    };
    let body = wire::request(&[span], "s");
    let mut expected = vec![0x0a, 16];
    expected.extend([1; 16]);
    expected.extend([0x12, 8]);
    expected.extend([2; 8]);
    expected.extend([0x2a, 4]);
    expected.extend(b"turn");
    expected.extend([0x30, 1, 0x39, 1, 0, 0, 0, 0, 0, 0, 0, 0x41, 2, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend([0x4a, 8, 0x0a, 1, b'n', 0x12, 3, 0x18, 0xac, 0x02]);
    expected.extend([0x7a, 5, 0x12, 1, b'x', 0x18, 2]);
    assert!(body.ends_with(&expected), "{body:02x?}");
}
