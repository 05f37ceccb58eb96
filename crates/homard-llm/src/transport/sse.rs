//! Server-sent events from bytes cut anywhere.
//!
//! The parser owns lines, fields and limits; what the data means is the decoder's business. It keeps at most
//! one unfinished line and one unfinished event, reuses both buffers and copies nothing else, so a long
//! stream costs no memory and a chunk costs no allocation. Text is not decoded here: the JSON parser checks
//! it, and a character split over two chunks is whole again by then.

/// Longest line, in bytes. A tool call's arguments may arrive in one line, so this is generous.
pub const MAX_SSE_LINE: usize = 4 * 1024 * 1024;
/// Most data one event may hold, in bytes.
pub const MAX_SSE_EVENT: usize = 8 * 1024 * 1024;
/// Buffers that grew beyond this for one huge event are given back after it.
const KEEP_CAPACITY: usize = 64 * 1024;

/// One event, borrowed from the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The `event` field; empty when there was none.
    pub name: &'a [u8],
    /// The `data` fields, joined by line feeds.
    pub data: &'a [u8],
}

/// Why a stream cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// One line is too long.
    #[error("the stream has a line longer than {MAX_SSE_LINE} bytes")]
    LineTooLong,
    /// One event is too large.
    #[error("the stream has an event larger than {MAX_SSE_EVENT} bytes")]
    EventTooLarge,
}

/// An incremental parser: feed it bytes as they come, in any pieces.
#[derive(Debug, Default)]
pub struct SseParser {
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    state: State,
    has_data: bool,
    past_first_line: bool,
}

/// Where in a line the last piece ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the start or in the middle of a line worth keeping.
    #[default]
    Line,
    /// Inside a comment, whose bytes are dropped as they come.
    Comment,
    /// Right after a carriage return: a line feed now belongs to it.
    AfterCr,
}

impl SseParser {
    /// A parser at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece and hands every event completed by it to `sink`.
    ///
    /// # Errors
    /// When a limit is exceeded, or with whatever `sink` refused.
    pub fn feed<E: From<SseError>>(
        &mut self,
        mut bytes: &[u8],
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(&first) = bytes.first() {
            if self.state == State::AfterCr {
                self.state = State::Line;
                if first == b'\n' {
                    bytes = bytes.get(1..).unwrap_or_default();
                    continue;
                }
            }
            if self.state == State::Line && self.line.is_empty() && first == b':' {
                self.state = State::Comment;
            }
            let Some(end) = bytes.iter().position(|&b| b == b'\n' || b == b'\r') else {
                self.keep(bytes)?;
                return Ok(());
            };
            let (line, rest) = bytes.split_at(end);
            let cr = rest.first() == Some(&b'\r');
            bytes = rest.get(1..).unwrap_or_default();
            self.end_line(line, sink)?;
            self.state = if cr { State::AfterCr } else { State::Line };
        }
        Ok(())
    }

    /// The stream is over: hands out what a server that forgets the last blank line left behind.
    ///
    /// # Errors
    /// As [`feed`](Self::feed).
    pub fn finish<E: From<SseError>>(
        &mut self,
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.line.is_empty() {
            self.end_line(&[], sink)?;
        }
        self.dispatch(sink)
    }

    fn keep(&mut self, piece: &[u8]) -> Result<(), SseError> {
        if self.state == State::Comment {
            return Ok(());
        }
        if self.line.len() + piece.len() > MAX_SSE_LINE {
            return Err(SseError::LineTooLong);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn end_line<E: From<SseError>>(
        &mut self,
        tail: &[u8],
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.state == State::Comment {
            self.past_first_line = true;
            return Ok(());
        }
        if self.line.is_empty() {
            if tail.len() > MAX_SSE_LINE {
                return Err(SseError::LineTooLong.into());
            }
            return self.line_is(tail, sink);
        }
        self.keep(tail)?;
        let line = std::mem::take(&mut self.line);
        let outcome = self.line_is(&line, sink);
        self.line = emptied(line);
        outcome
    }

    fn line_is<E: From<SseError>>(
        &mut self,
        line: &[u8],
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let first = !std::mem::replace(&mut self.past_first_line, true);
        let line = if first { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        if line.is_empty() {
            return self.dispatch(sink);
        }
        let (field, value) = match line.iter().position(|&b| b == b':') {
            Some(colon) => {
                let (field, rest) = line.split_at(colon);
                let value = rest.get(1..).unwrap_or_default();
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[] as &[u8]),
        };
        match field {
            b"data" => Ok(self.add_data(value)?),
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add_data(&mut self, value: &[u8]) -> Result<(), SseError> {
        if self.data.len() + value.len() + 1 > MAX_SSE_EVENT {
            return Err(SseError::EventTooLarge);
        }
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(value);
        Ok(())
    }

    fn dispatch<E: From<SseError>>(
        &mut self,
        sink: &mut impl FnMut(SseEvent<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let outcome =
            if self.has_data { sink(SseEvent { name: &self.name, data: &self.data }) } else { Ok(()) };
        self.has_data = false;
        self.name = emptied(std::mem::take(&mut self.name));
        self.data = emptied(std::mem::take(&mut self.data));
        outcome
    }
}

/// The same buffer for the next use, or a fresh one when this grew too large to keep.
fn emptied(mut buffer: Vec<u8>) -> Vec<u8> {
    if buffer.capacity() > KEEP_CAPACITY {
        return Vec::new();
    }
    buffer.clear();
    buffer
}

#[cfg(test)]
mod tests;
