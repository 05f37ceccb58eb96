//! How a stream of bytes is cut into events: one enum over the ways APIs do it.

use crate::error::{FailReason, LlmError};
use crate::transport::event_stream::EventStream;
use crate::transport::sse::{MAX_SSE_LINE, SseEvent, SseParser};

/// The ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    Sse,
    /// One JSON document per line.
    JsonLines,
    /// Binary frames with checksums.
    EventStream,
}

/// One stream being cut.
#[derive(Debug)]
pub(crate) enum Frames {
    Sse(SseParser),
    JsonLines(Lines),
    EventStream(EventStream),
}

impl Frames {
    pub(crate) fn new(framing: Framing) -> Self {
        match framing {
            Framing::Sse => Self::Sse(SseParser::new()),
            Framing::JsonLines => Self::JsonLines(Lines::default()),
            Framing::EventStream => Self::EventStream(EventStream::default()),
        }
    }

    /// Takes the next piece and hands every event it completes to `sink`.
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), LlmError>,
    ) -> Result<(), LlmError> {
        match self {
            Self::Sse(parser) => parser.feed(bytes, sink),
            Self::JsonLines(lines) => lines.feed(bytes, sink),
            Self::EventStream(stream) => stream.feed(bytes, sink),
        }
    }

    /// The stream is over: hands out what an unterminated end still holds.
    pub(crate) fn finish(
        &mut self,
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), LlmError>,
    ) -> Result<(), LlmError> {
        match self {
            Self::Sse(parser) => parser.finish(sink),
            Self::JsonLines(lines) => lines.finish(sink),
            Self::EventStream(stream) => {
                stream.finish();
                Ok(())
            }
        }
    }
}

/// Lines from bytes cut anywhere; keeps at most one unfinished line.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    fn feed(
        &mut self,
        mut bytes: &[u8],
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), LlmError>,
    ) -> Result<(), LlmError> {
        while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
            let (line, after) = bytes.split_at(end);
            bytes = after.get(1..).unwrap_or_default();
            if self.rest.is_empty() && line.len() <= MAX_SSE_LINE {
                hand_out(line, sink)?;
            } else {
                self.keep(line)?;
                let whole = std::mem::take(&mut self.rest);
                hand_out(&whole, sink)?;
            }
        }
        self.keep(bytes)
    }

    fn finish(
        &mut self,
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), LlmError>,
    ) -> Result<(), LlmError> {
        let rest = std::mem::take(&mut self.rest);
        hand_out(&rest, sink)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), LlmError> {
        if self.rest.len() + bytes.len() > MAX_SSE_LINE {
            return Err(LlmError::new(
                FailReason::Format,
                format!("the stream has a line longer than {MAX_SSE_LINE} bytes"),
            ));
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }
}

fn hand_out(
    line: &[u8],
    sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), LlmError>,
) -> Result<(), LlmError> {
    let data = line.trim_ascii();
    if data.is_empty() { Ok(()) } else { sink(SseEvent { name: b"", data }) }
}
