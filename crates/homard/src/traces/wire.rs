//! Spans as OTLP protobuf: the few messages and fields an export of traces has.
//!
//! Written by hand because it is a hundred lines; the crates that do it bring forty others with them. Field numbers
//! are those of `opentelemetry/proto/collector/trace/v1`.

use super::{AttributeValue, Finished};

/// `STATUS_CODE_ERROR`.
const STATUS_ERROR: u64 = 2;
/// `SPAN_KIND_INTERNAL`.
const KIND_INTERNAL: u64 = 1;
/// `SPAN_KIND_SERVER`.
const KIND_SERVER: u64 = 2;
/// `SPAN_KIND_CLIENT`.
const KIND_CLIENT: u64 = 3;

/// One message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(low_seven(value) | 0x80);
            value >>= 7;
        }
        self.0.push(low_seven(value));
    }

    fn number(&mut self, field: u64, value: u64) -> &mut Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn fixed(&mut self, field: u64, value: u64) -> &mut Self {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) -> &mut Self {
        self.varint(field << 3 | 2);
        self.varint(u64::try_from(bytes.len()).unwrap_or(0));
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(&mut self, field: u64, text: &str) -> &mut Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(&mut self, field: u64, write: impl FnOnce(&mut Self)) -> &mut Self {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(field, &inner.0)
    }

    fn attribute(&mut self, field: u64, name: &str, value: &AttributeValue) {
        self.message(field, |pair| {
            pair.text(1, name).message(2, |any| match value {
                AttributeValue::Text(text) => {
                    any.text(1, text);
                }
                AttributeValue::Flag(flag) => {
                    any.number(2, u64::from(*flag));
                }
                AttributeValue::Integer(number) => {
                    any.number(3, number.cast_unsigned());
                }
            });
        });
    }

    fn span(&mut self, span: &Finished) {
        self.bytes(1, &span.trace_id).bytes(2, &span.span_id);
        if let Some(parent) = &span.parent_id {
            self.bytes(4, parent);
        }
        self.text(5, span.name).number(6, kind(span.name));
        self.fixed(7, span.begin_ns).fixed(8, span.end_ns);
        for (name, value) in &span.attributes {
            self.attribute(9, name, value);
        }
        if let Some(error) = &span.error {
            self.message(15, |status| {
                status.text(2, error).number(3, STATUS_ERROR);
            });
        }
    }
}

fn low_seven(value: u64) -> u8 {
    u8::try_from(value & 0x7f).unwrap_or(0)
}

fn kind(name: &str) -> u64 {
    match name {
        "message" => KIND_SERVER,
        "model.call" => KIND_CLIENT,
        _ => KIND_INTERNAL,
    }
}

/// The body of an export.
pub(super) fn request(spans: &[Finished], service: &str) -> Vec<u8> {
    let version = AttributeValue::Text(env!("CARGO_PKG_VERSION").to_owned());
    let service = AttributeValue::Text(service.to_owned());
    let mut request = Message::default();
    request.message(1, |resource_spans| {
        resource_spans.message(1, |resource| {
            resource.attribute(1, "service.name", &service);
            resource.attribute(1, "service.version", &version);
        });
        resource_spans.message(2, |scope_spans| {
            scope_spans.message(1, |scope| {
                scope.text(1, "homard").text(2, env!("CARGO_PKG_VERSION"));
            });
            for span in spans {
                scope_spans.message(2, |message| message.span(span));
            }
        });
    });
    request.0
}
