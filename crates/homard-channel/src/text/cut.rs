//! Where one message ends and the next begins.

use homard_runtime::Clip;
use unicode_segmentation::GraphemeCursor;

use super::layout::{Atom, Style};
use super::writer::{FlowPosition, Meter, Writer, WriterOptions, measure, write};
use super::{ChunkMode, Shape};
use crate::abilities::Dialect;
use crate::outbound::RichText;

/// Where a message may end, best first. Among equals the last that fits is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// At the end of a line.
    Line,
    Space,
    /// At the end of a line within parentheses.
    LineInside,
    /// Between words within parentheses or code.
    SpaceInside,
    Link,
    /// Between the words of a link.
    SpaceInLink,
}

/// How many ranks there are.
const RANKS: usize = 6;

/// Where a message ends and where the next goes on; between them is white space only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stop {
    end: FlowPosition,
    resume: FlowPosition,
}

/// Cuts a flow into messages and writes each in both forms.
pub(super) fn cut(flow: &[Atom], shape: Shape) -> Vec<RichText> {
    let end = FlowPosition { atom: flow.len(), at: 0 };
    let mut out = Vec::new();
    let mut from = FlowPosition::default();
    let mut open: Vec<&Style> = Vec::new();
    while from < end {
        let find = |both: bool| {
            let stop = Search::new(flow, shape, from, &open, both).run().unwrap_or(Stop { end, resume: end });
            (stop, written(flow, manner(shape, Dialect::Plain), from, stop.end, &open))
        };
        let (mut stop, mut plain) = find(false);
        if measure(shape.unit, &plain) > shape.limit {
            (stop, plain) = find(true);
        }
        if plain.contains(is_visible) {
            let formatted = if shape.dialect == Dialect::Plain {
                plain.clone()
            } else {
                written(flow, manner(shape, shape.dialect), from, stop.end, &open)
            };
            out.push(RichText { formatted, plain });
        }
        for atom in flow.get(from.atom..stop.resume.atom).unwrap_or_default() {
            match atom {
                Atom::Open(style) => open.push(style),
                Atom::Close => drop(open.pop()),
                _ => {}
            }
        }
        from = stop.resume;
    }
    out
}

fn manner(shape: Shape, dialect: Dialect) -> WriterOptions {
    WriterOptions { dialect, unit: shape.unit, room: shape.limit / 2 }
}

fn written<'f>(
    flow: &'f [Atom],
    manner: WriterOptions,
    from: FlowPosition,
    to: FlowPosition,
    open: &[&'f Style],
) -> String {
    let mut writer = Writer::new(manner, String::new(), open);
    write(&mut writer, flow, from, to);
    let mut text = writer.finish();
    text.truncate(text.trim_end().len());
    text
}

/// Whether a person sees a character.
fn is_visible(c: char) -> bool {
    let hidden = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    !(hidden || c.is_whitespace() || c.is_control())
}

/// White space between what was seen last and what comes next.
#[derive(Debug, Clone, Copy)]
struct Pause {
    end: FlowPosition,
    rank: Rank,
    /// Whether a message must end here.
    forced: bool,
}

/// A search for the end of one message. The plain form is measured too where it is the longer one.
struct Search<'f, 'o> {
    flow: &'f [Atom],
    shape: Shape,
    from: FlowPosition,
    open: &'o [&'f Style],
    formatted: Writer<'f, Meter>,
    plain: Option<Writer<'f, Meter>>,
    best: [Option<Stop>; RANKS],
    pause: Option<Pause>,
    /// Whether there is something to see already.
    begun: bool,
    /// Whether words are measured one by one, because the end is near.
    is_near: bool,
    parens: usize,
    /// The styles we are in.
    stack: Vec<&'f Style>,
}

impl<'f, 'o> Search<'f, 'o> {
    fn new(flow: &'f [Atom], shape: Shape, from: FlowPosition, open: &'o [&'f Style], both: bool) -> Self {
        let meter = || Meter { unit: shape.unit, length: 0 };
        let formatted = Writer::new(manner(shape, shape.dialect), meter(), open);
        let plain = (both && shape.dialect != Dialect::Plain)
            .then(|| Writer::new(manner(shape, Dialect::Plain), meter(), open));
        Self {
            flow,
            shape,
            from,
            open,
            formatted,
            plain,
            best: [None; RANKS],
            pause: None,
            begun: false,
            is_near: false,
            parens: 0,
            stack: open.to_vec(),
        }
    }

    /// The end of the message; `None` when everything fits.
    fn run(mut self) -> Option<Stop> {
        let flow = self.flow;
        for (index, atom) in flow.iter().enumerate().skip(self.from.atom) {
            let spot = FlowPosition { atom: index, at: 0 };
            let stop = match atom {
                Atom::Text(text) => {
                    let start = if index == self.from.atom { self.from.at } else { 0 };
                    self.text(text, FlowPosition { at: start, ..spot })
                }
                Atom::Escaped(_) | Atom::Whole { .. } => self.single(atom, spot),
                Atom::Line => {
                    self.rest(spot, false);
                    self.each(Writer::line)
                }
                Atom::Gap { apart } => {
                    self.rest(spot, *apart && self.shape.mode == ChunkMode::Newline);
                    self.parens = 0;
                    self.each(|writer| writer.gap(*apart))
                }
                Atom::Open(style) => self.style(style, atom, spot),
                Atom::Close => {
                    self.stack.pop();
                    self.each(Writer::close)
                }
            };
            if stop.is_some() {
                return stop;
            }
        }
        None
    }

    fn each(&mut self, act: impl Fn(&mut Writer<'f, Meter>)) -> Option<Stop> {
        act(&mut self.formatted);
        if let Some(plain) = self.plain.as_mut() {
            act(plain);
        }
        None
    }

    fn style(&mut self, style: &'f Style, atom: &'f Atom, spot: FlowPosition) -> Option<Stop> {
        self.stack.push(style);
        match style {
            Style::Item(_) => self.single(atom, spot),
            Style::Link(_) => {
                if self.begun && self.pause.is_none() {
                    self.note(Rank::Link, Stop { end: spot, resume: spot });
                }
                self.each(|writer| writer.open(style))
            }
            _ => self.each(|writer| writer.open(style)),
        }
    }

    /// Something that cannot be cut.
    fn single(&mut self, atom: &'f Atom, spot: FlowPosition) -> Option<Stop> {
        if let Some(stop) = self.arrive(spot) {
            return Some(stop);
        }
        self.each(|writer| match atom {
            Atom::Escaped(c) => writer.escaped(*c),
            Atom::Whole { formatted, plain } => writer.whole(formatted, plain),
            Atom::Open(style) => {
                writer.open(style);
                writer.mark_item();
            }
            _ => {}
        });
        let here = self.begun.then_some(Stop { end: spot, resume: spot });
        self.begun = true;
        if self.fits() { None } else { self.chosen().or(here) }
    }

    fn text(&mut self, text: &'f str, from: FlowPosition) -> Option<Stop> {
        let in_fence = self.stack.iter().any(|style| matches!(style, Style::Fence { .. }));
        let mut at = from.at;
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let spot = FlowPosition { at, ..from };
            let spaces = rest.len() - rest.trim_start().len();
            let is_indent = in_fence && at == 0 && spaces < rest.len();
            if spaces > 0 && !is_indent {
                let space = rest.get(..spaces).unwrap_or_default();
                self.pause_at(Pause { end: spot, rank: self.rank_between_words(), forced: false });
                self.each(|writer| writer.space(space));
                at += spaces;
                continue;
            }
            if !is_indent {
                match self.many(rest, spot, in_fence) {
                    Ok(0) => {}
                    Ok(taken) => {
                        at += taken;
                        continue;
                    }
                    Err(stop) => return Some(stop),
                }
            }
            let word = first_word(rest, if is_indent { spaces } else { 0 }, self.shape.limit);
            if let Some(stop) = self.word(word, spot, in_fence) {
                return Some(stop);
            }
            at += word.len();
        }
        None
    }

    /// Takes as many words at once as surely fit and answers how many bytes they have.
    fn many(&mut self, rest: &'f str, spot: FlowPosition, in_fence: bool) -> Result<usize, Stop> {
        let limit = self.shape.limit;
        let window = rest.clip_bytes(limit.saturating_sub(self.formatted.length()));
        let paren = if in_fence { None } else { window.find(['(', ')']) };
        let window = paren.and_then(|at| window.get(..at)).unwrap_or(window);
        let words = if window.len() == rest.len() {
            window.trim_end()
        } else {
            window.rfind(char::is_whitespace).and_then(|at| window.get(..at)).unwrap_or_default().trim_end()
        };
        let Some((before, last)) = words.rsplit_once(char::is_whitespace).filter(|_| !self.is_near) else {
            return Ok(0);
        };
        if let Some(stop) = self.arrive(spot) {
            return Err(stop);
        }
        self.each(|writer| writer.words(""));
        let formatted = self.formatted.cost(words);
        let plain = self.plain.as_ref().map_or(0, |plain| plain.cost(words));
        let is_too_long = self.formatted.length() + formatted > limit
            || self.plain.as_ref().is_some_and(|writer| writer.length() + plain > limit);
        if is_too_long {
            self.is_near = true;
            return Ok(0);
        }
        self.formatted.sink.length += formatted;
        if let Some(writer) = self.plain.as_mut() {
            writer.sink.length += plain;
        }
        self.begun = true;
        let end = FlowPosition { at: spot.at + before.trim_end().len(), ..spot };
        let resume = FlowPosition { at: spot.at + words.len() - last.len(), ..spot };
        self.note(self.rank_between_words(), Stop { end, resume });
        Ok(words.len())
    }

    fn word(&mut self, word: &'f str, spot: FlowPosition, in_fence: bool) -> Option<Stop> {
        if let Some(stop) = self.arrive(spot) {
            return Some(stop);
        }
        self.each(|writer| writer.words(word));
        if !self.fits() {
            return Some(self.chosen().unwrap_or_else(|| self.hard(word, spot)));
        }
        self.begun = true;
        if !in_fence {
            for byte in word.bytes() {
                match byte {
                    b'(' => self.parens += 1,
                    b')' => self.parens = self.parens.saturating_sub(1),
                    _ => {}
                }
            }
        }
        None
    }

    fn fits(&self) -> bool {
        let limit = self.shape.limit;
        self.formatted.length() <= limit && self.plain.as_ref().is_none_or(|plain| plain.length() <= limit)
    }

    fn rank_between_words(&self) -> Rank {
        match self.stack.last() {
            _ if self.in_link() => Rank::SpaceInLink,
            Some(Style::Code(_) | Style::Fence { .. }) => Rank::SpaceInside,
            _ if self.parens > 0 => Rank::SpaceInside,
            _ => Rank::Space,
        }
    }

    /// A line ends.
    fn rest(&mut self, spot: FlowPosition, forced: bool) {
        let in_fence = matches!(self.stack.last(), Some(Style::Fence { .. }));
        let rank = if self.parens > 0 && !in_fence { Rank::LineInside } else { Rank::Line };
        self.pause_at(Pause { end: spot, rank, forced });
    }

    fn pause_at(&mut self, pause: Pause) {
        self.pause = Some(match self.pause {
            Some(begun) => Pause {
                end: begun.end,
                rank: begun.rank.min(pause.rank),
                forced: begun.forced || pause.forced,
            },
            None => pause,
        });
    }

    fn in_link(&self) -> bool {
        self.stack.iter().any(|style| matches!(style, Style::Link(_)))
    }

    /// Something to see comes at `spot`, so the white space before it is a place to end at.
    fn arrive(&mut self, spot: FlowPosition) -> Option<Stop> {
        let pause = self.pause.take().filter(|_| self.begun)?;
        let stop = Stop { end: pause.end, resume: spot };
        if pause.forced {
            return Some(stop);
        }
        self.note(pause.rank, stop);
        None
    }

    fn note(&mut self, rank: Rank, stop: Stop) {
        if let Some(best) = self.best.get_mut(rank as usize) {
            *best = Some(stop);
        }
    }

    fn chosen(&self) -> Option<Stop> {
        self.best.iter().flatten().next().copied()
    }

    /// A place within a word that is too long, between two characters as people see them if that can be.
    fn hard(&self, word: &str, spot: FlowPosition) -> Stop {
        let mut before = Self::new(self.flow, self.shape, self.from, self.open, self.plain.is_some());
        before.each(|writer| {
            write(writer, self.flow, self.from, spot);
            writer.words("");
        });
        let fitting = before.longest(word);
        let mut taken = grapheme_start(word, fitting);
        if taken == 0 && !self.begun {
            taken = fitting.max(word.chars().next().map_or(0, char::len_utf8));
        }
        let at = FlowPosition { at: spot.at + taken, ..spot };
        Stop { end: at, resume: at }
    }

    /// How many bytes of a word still fit.
    fn longest(&self, word: &str) -> usize {
        let limit = self.shape.limit;
        let fits = |bytes: usize| {
            let part = word.clip_bytes(bytes);
            let fits = |writer: &Writer<'_, Meter>| writer.length() + writer.cost(part) <= limit;
            fits(&self.formatted) && self.plain.as_ref().is_none_or(fits)
        };
        let (mut fitting, mut too_long) = (0, word.len() + 1);
        while too_long - fitting > 1 {
            let middle = fitting.midpoint(too_long);
            if fits(middle) { fitting = middle } else { too_long = middle }
        }
        word.clip_bytes(fitting).len()
    }
}

/// Where the character begins, as people see characters, that `at` stands in or before.
fn grapheme_start(text: &str, at: usize) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or_default(),
        Ok(true) | Err(_) => at,
    }
}

/// The first word of a text after `indent` bytes of white space; not much more of it than can fit.
fn first_word(text: &str, indent: usize, limit: usize) -> &str {
    let window = text.clip_bytes(limit.saturating_mul(4).saturating_add(indent));
    let word = window.get(indent..).unwrap_or_default();
    let end = word.find(char::is_whitespace).map_or(window.len(), |end| indent + end);
    window.get(..end).unwrap_or(window)
}
