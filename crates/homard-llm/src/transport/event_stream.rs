//! Binary event-stream frames from bytes cut anywhere.
//!
//! A frame is its length, the length of its headers, a checksum of both, headers, payload and a checksum of
//! everything. Lengths are believed only once their checksum is right and they are within the limits; what a
//! payload means is the decoder's business. An exception frame becomes an event named
//! [`EXCEPTION`] and its kind.

use crate::error::{FailReason, LlmError};
use crate::transport::sse::SseEvent;

/// Largest frame, in bytes.
pub(crate) const MAX_FRAME: usize = 8 * 1024 * 1024;
/// Most bytes of headers one frame may hold.
const MAX_HEADERS: usize = 128 * 1024;
/// What comes before the headers: two lengths and their checksum.
const PRELUDE: usize = 12;
/// A checksum.
const CRC: usize = 4;
/// The smallest frame: nothing but the frame.
const MIN_FRAME: usize = PRELUDE + CRC;
/// Buffers that grew beyond this for one huge frame are given back after it.
const KEEP_CAPACITY: usize = 64 * 1024;
/// Begins the name of an event that is an error.
pub(crate) const EXCEPTION: &str = "exception:";

/// An incremental reader; keeps at most one unfinished frame.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    rest: Vec<u8>,
}

impl EventStream {
    /// Takes the next piece and hands every event completed by it to `sink`.
    pub(crate) fn feed(
        &mut self,
        mut bytes: &[u8],
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), LlmError>,
    ) -> Result<(), LlmError> {
        while !bytes.is_empty() {
            // Only what is missing is copied, so that a frame is judged before the next is looked at.
            let wanted = frame_length(&self.rest)?.unwrap_or(PRELUDE);
            let missing = wanted.saturating_sub(self.rest.len());
            let (now, later) = bytes.split_at(missing.min(bytes.len()));
            self.rest.extend_from_slice(now);
            bytes = later;
            if frame_length(&self.rest)?.is_some_and(|length| self.rest.len() >= length) {
                let frame = std::mem::take(&mut self.rest);
                let outcome = hand_out(&frame, sink);
                self.rest = emptied(frame);
                outcome?;
            }
        }
        Ok(())
    }

    /// The stream is over; half a frame tells that it was cut, which is the decoder's to notice by what is
    /// missing.
    pub(crate) fn finish(&mut self) {
        self.rest = Vec::new();
    }
}

/// The length a frame announces, once enough of it is there to believe it.
fn frame_length(bytes: &[u8]) -> Result<Option<usize>, LlmError> {
    let (Some(total), Some(headers), Some(sum)) = (number(bytes, 0), number(bytes, 4), number(bytes, 8))
    else {
        return Ok(None);
    };
    if bytes.get(..8).map(crc32fast::hash) != Some(sum) {
        return Err(broken("a frame's lengths do not match their checksum"));
    }
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    let headers = usize::try_from(headers).unwrap_or(usize::MAX);
    if total > MAX_FRAME || headers > MAX_HEADERS {
        return Err(broken(&format!("a frame is larger than {MAX_FRAME} bytes")));
    }
    if total < MIN_FRAME || headers > total - MIN_FRAME {
        return Err(broken("a frame is shorter than its own parts"));
    }
    Ok(Some(total))
}

fn hand_out(
    frame: &[u8],
    sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), LlmError>,
) -> Result<(), LlmError> {
    let body_end = frame.len().saturating_sub(CRC);
    if frame.get(..body_end).map(crc32fast::hash) != number(frame, body_end) {
        return Err(broken("a frame does not match its checksum"));
    }
    let headers_end = PRELUDE + number(frame, 4).and_then(|n| usize::try_from(n).ok()).unwrap_or_default();
    let head = Head::read(frame.get(PRELUDE..headers_end).unwrap_or_default())?;
    let payload = frame.get(headers_end..body_end).unwrap_or_default();
    match head.message {
        b"" | b"event" => sink(SseEvent { name: head.event, data: payload }),
        b"exception" => {
            let name = [EXCEPTION.as_bytes(), head.exception].concat();
            sink(SseEvent { name: &name, data: payload })
        }
        b"error" => {
            let name = [EXCEPTION.as_bytes(), head.error_code].concat();
            let text = String::from_utf8_lossy(head.error_message);
            let said = serde_json::json!({ "message": text }).to_string();
            sink(SseEvent { name: &name, data: said.as_bytes() })
        }
        _ => Ok(()),
    }
}

/// The headers that say what a frame is.
#[derive(Default)]
struct Head<'a> {
    message: &'a [u8],
    event: &'a [u8],
    exception: &'a [u8],
    error_code: &'a [u8],
    error_message: &'a [u8],
}

impl<'a> Head<'a> {
    fn read(mut bytes: &'a [u8]) -> Result<Self, LlmError> {
        let mut head = Self::default();
        while !bytes.is_empty() {
            let (name, value, rest) =
                header(bytes).ok_or_else(|| broken("a frame's headers are not readable"))?;
            bytes = rest;
            let place = match name {
                b":message-type" => &mut head.message,
                b":event-type" => &mut head.event,
                b":exception-type" => &mut head.exception,
                b":error-code" => &mut head.error_code,
                b":error-message" => &mut head.error_message,
                _ => continue,
            };
            *place = value;
        }
        Ok(head)
    }
}

/// The first header's name and value, and what follows it.
fn header(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (&length, rest) = bytes.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(length))?;
    let (&kind, rest) = rest.split_first()?;
    let (size, rest) = match kind {
        // True and false have no value; then come one, two, four and eight bytes.
        0 | 1 => (0, rest),
        2 => (1, rest),
        3 => (2, rest),
        4 => (4, rest),
        5 | 8 => (8, rest),
        // Bytes and text say how long they are.
        6 | 7 => {
            let (size, rest) = rest.split_first_chunk::<2>()?;
            (usize::from(u16::from_be_bytes(*size)), rest)
        }
        9 => (16, rest),
        _ => return None,
    };
    let (value, rest) = rest.split_at_checked(size)?;
    Some((name, value, rest))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk::<4>().map(|four| u32::from_be_bytes(*four))
}

fn broken(what: &str) -> LlmError {
    LlmError::new(FailReason::Format, format!("the provider's stream is broken: {what}"))
}

/// The same buffer for the next frame, or a fresh one when this grew too large to keep.
fn emptied(mut buffer: Vec<u8>) -> Vec<u8> {
    if buffer.capacity() > KEEP_CAPACITY {
        return Vec::new();
    }
    buffer.clear();
    buffer
}

#[cfg(test)]
pub(crate) mod tests;
