//! Taking the marks out of a text that comes in pieces.
//!
//! However the text is cut, what comes out is the same. What might be the beginning of a mark is held until
//! that is known; text in code is left as it is.

use super::markup::{Directive, Look, MAX_MARK, Mark, at_angle, at_bracket};

/// Most bytes held back while it is not known what they are: a mark, and what must follow it.
pub const MAX_HELD: usize = MAX_MARK + 512;
/// Longest run of backticks or tildes that is counted.
const MAX_RUN: usize = 64;
/// Most spaces before a fence.
const MAX_INDENT: usize = 3;
/// Most bytes of words to be spoken.
const MAX_SPEECH: usize = 16_384;
/// What comes out, in the order it was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    Text(&'a str),
    Thinking(&'a str),
    /// How the answer is to be delivered.
    Wish(Directive),
}

/// Where in the text we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Text,
    /// Between backticks, so many of them.
    Inline(usize),
    /// In a fence of this character, so many of them.
    Fence(u8, usize),
    Thinking,
    /// In a tool call that leaked.
    Call,
    /// In words that are to be spoken.
    Speech,
}

/// Takes marks out of a text.
#[derive(Debug, Clone, Default)]
pub struct TagFilter {
    held: String,
    state: State,
}

#[derive(Debug, Clone)]
struct State {
    place: Place,
    /// How many spaces the line has so far, if it has nothing else.
    indent: Option<usize>,
    speech: String,
    /// Whether something was taken out before anything was shown, so that white space is not left over.
    trims: bool,
    shown: bool,
}

impl Default for State {
    fn default() -> Self {
        Self { place: Place::Text, indent: Some(0), speech: String::new(), trims: false, shown: false }
    }
}

type Sink<'s> = &'s mut dyn FnMut(Piece<'_>);

impl TagFilter {
    /// Takes more text and gives what is decided.
    pub fn push(&mut self, text: &str, sink: Sink<'_>) {
        if self.held.is_empty() {
            let taken = self.take(text, false, sink);
            self.held.push_str(text.get(taken..).unwrap_or_default());
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        held.push_str(text);
        let taken = self.take(&held, false, sink);
        held.drain(..taken);
        self.held = held;
    }

    /// The text is over; gives what was held back. The filter is as new afterwards.
    pub fn finish(&mut self, sink: Sink<'_>) {
        let held = std::mem::take(&mut self.held);
        self.take(&held, true, sink);
        let state = std::mem::take(&mut self.state);
        if state.place == Place::Speech && !state.speech.is_empty() {
            sink(Piece::Wish(Directive::TtsText(state.speech)));
        }
    }

    /// Decides about as much of `text` as can be; answers how much that was.
    fn take(&mut self, text: &str, ended: bool, sink: Sink<'_>) -> usize {
        let mut at = 0;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let step = match self.state.place {
                Place::Text => self.in_text(rest, ended, sink),
                Place::Inline(_) | Place::Fence(..) => self.in_code(rest, ended, sink),
                Place::Thinking => self.in_thinking(rest, ended, sink),
                Place::Call => self.in_call(rest, ended),
                Place::Speech => self.in_speech(rest, ended, sink),
            };
            match step {
                Some(taken) => at += taken,
                None => break,
            }
        }
        at
    }

    /// Each of these takes at least one byte, or `None` when more text is needed.
    fn in_text(&mut self, text: &str, ended: bool, sink: Sink<'_>) -> Option<usize> {
        let special = text.bytes().position(|byte| matches!(byte, b'<' | b'[' | b'`' | b'~'));
        match special {
            None => {
                self.show(text, sink);
                Some(text.len())
            }
            Some(0) => self.at_special(text, ended, sink),
            Some(before) => {
                self.show(text.get(..before).unwrap_or_default(), sink);
                Some(before)
            }
        }
    }

    fn at_special(&mut self, text: &str, ended: bool, sink: Sink<'_>) -> Option<usize> {
        let look = match text.as_bytes().first() {
            Some(b'<') => at_angle(text, ended),
            Some(b'[') => at_bracket(text, ended),
            Some(&tick) => return self.at_ticks(tick, text, ended, sink),
            None => return None,
        };
        match look {
            Look::More => None,
            Look::Nothing => {
                self.show(text.get(..1).unwrap_or_default(), sink);
                Some(1)
            }
            Look::Found(mark, length) => {
                self.met(mark, sink);
                Some(length)
            }
        }
    }

    fn met(&mut self, mark: Mark, sink: Sink<'_>) {
        let state = &mut self.state;
        state.trims |= !state.shown;
        match mark {
            Mark::ThinkOpen => state.place = Place::Thinking,
            Mark::ToolOpen => state.place = Place::Call,
            Mark::SpeechOpen => state.place = Place::Speech,
            Mark::FinalOpen
            | Mark::FinalClose
            | Mark::ThinkClose
            | Mark::ToolClose
            | Mark::SpeechClose
            | Mark::Noise => {}
            Mark::Wish(wish) => sink(Piece::Wish(wish)),
        }
    }

    /// A run of backticks or tildes in the text: a fence at the beginning of a line, code anywhere else.
    fn at_ticks(&mut self, tick: u8, text: &str, ended: bool, sink: Sink<'_>) -> Option<usize> {
        let run = run_of(tick, text, ended)?;
        let begins_line = self.state.indent.is_some_and(|indent| indent <= MAX_INDENT);
        self.show(text.get(..run).unwrap_or_default(), sink);
        if begins_line && run >= 3 {
            self.state.place = Place::Fence(tick, run);
        } else if tick == b'`' {
            self.state.place = Place::Inline(run);
        }
        Some(run)
    }

    /// Code is shown as it is; only its end is looked for.
    fn in_code(&mut self, text: &str, ended: bool, sink: Sink<'_>) -> Option<usize> {
        let (tick, length) = match self.state.place {
            Place::Fence(tick, length) => (tick, length),
            Place::Inline(length) => (b'`', length),
            Place::Text | Place::Thinking | Place::Call | Place::Speech => return None,
        };
        let inline = matches!(self.state.place, Place::Inline(_));
        let Some(next) = text.bytes().position(|byte| byte == tick || (inline && byte == b'\n')) else {
            self.show(text, sink);
            return Some(text.len());
        };
        if next > 0 {
            self.show(text.get(..next).unwrap_or_default(), sink);
            return Some(next);
        }
        if text.starts_with('\n') {
            self.show("\n", sink);
            self.state.place = Place::Text;
            return Some(1);
        }
        let run = run_of(tick, text, ended)?;
        let after = text.get(run..).and_then(|rest| rest.chars().next());
        if !inline && after.is_none() && !ended {
            return None;
        }
        let begins_line = self.state.indent.is_some_and(|indent| indent <= MAX_INDENT);
        let ends = if inline {
            run == length
        } else {
            begins_line && run >= length && after.is_none_or(char::is_whitespace)
        };
        self.show(text.get(..run).unwrap_or_default(), sink);
        if ends {
            self.state.place = Place::Text;
        }
        Some(run)
    }

    fn in_thinking(&mut self, text: &str, ended: bool, sink: Sink<'_>) -> Option<usize> {
        let next = text.bytes().position(|byte| byte == b'<').unwrap_or(text.len());
        if next > 0 {
            sink(Piece::Thinking(text.get(..next).unwrap_or_default()));
            return Some(next);
        }
        match at_angle(text, ended) {
            Look::More => None,
            Look::Found(Mark::ThinkClose, length) => {
                self.state.place = Place::Text;
                Some(length)
            }
            // Whoever begins the answer has done with thinking.
            Look::Found(mark @ Mark::FinalOpen, length) => {
                self.state.place = Place::Text;
                self.met(mark, sink);
                Some(length)
            }
            Look::Found(Mark::ThinkOpen | Mark::Noise, length) => Some(length),
            Look::Found(..) | Look::Nothing => {
                sink(Piece::Thinking("<"));
                Some(1)
            }
        }
    }

    fn in_call(&mut self, text: &str, ended: bool) -> Option<usize> {
        let next = text.bytes().position(|byte| matches!(byte, b'<' | b'[')).unwrap_or(text.len());
        if next > 0 {
            return Some(next);
        }
        let look = if text.starts_with('<') { at_angle(text, ended) } else { at_bracket(text, ended) };
        match look {
            Look::More => None,
            Look::Found(Mark::ToolClose, length) => {
                self.state.place = Place::Text;
                Some(length)
            }
            Look::Found(..) | Look::Nothing => Some(1),
        }
    }

    fn in_speech(&mut self, text: &str, ended: bool, sink: Sink<'_>) -> Option<usize> {
        let next = text.bytes().position(|byte| byte == b'[').unwrap_or(text.len());
        let look = if next == 0 { at_bracket(text, ended) } else { Look::Nothing };
        match look {
            Look::More => None,
            Look::Found(Mark::SpeechClose, length) => {
                self.state.place = Place::Text;
                sink(Piece::Wish(Directive::TtsText(std::mem::take(&mut self.state.speech))));
                Some(length)
            }
            Look::Found(..) | Look::Nothing => {
                let taken = next.max(1);
                fill(&mut self.state.speech, text.get(..taken).unwrap_or_default(), MAX_SPEECH);
                Some(taken)
            }
        }
    }

    /// Text for the person.
    fn show(&mut self, text: &str, sink: Sink<'_>) {
        let state = &mut self.state;
        state.indent = indent_after(state.indent, text);
        let text = if state.trims && !state.shown { text.trim_start() } else { text };
        if text.is_empty() {
            return;
        }
        state.shown = true;
        sink(Piece::Text(text));
    }
}

/// Adds what there is room for, character by character, so that it does not matter how the text was cut.
fn fill(kept: &mut String, text: &str, room: usize) {
    if kept.len() + text.len() <= room {
        kept.push_str(text);
        return;
    }
    for c in text.chars() {
        if kept.len() + c.len_utf8() <= room {
            kept.push(c);
        }
    }
}

/// How many of `tick` the text begins with; `None` when more may come.
fn run_of(tick: u8, text: &str, ended: bool) -> Option<usize> {
    let run = text.bytes().take(MAX_RUN).take_while(|byte| *byte == tick).count();
    (ended || run == MAX_RUN || run < text.len()).then_some(run)
}

/// How many spaces the line has after `text`, if nothing else.
fn indent_after(before: Option<usize>, text: &str) -> Option<usize> {
    let (start, line) = match text.rfind('\n') {
        Some(newline) => (Some(0), text.get(newline + 1..).unwrap_or_default()),
        None => (before, text),
    };
    if line.bytes().all(|byte| byte == b' ') { start.map(|start| start + line.len()) } else { None }
}

#[cfg(test)]
mod tests;
