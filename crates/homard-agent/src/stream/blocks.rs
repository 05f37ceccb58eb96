//! Cutting an answer into blocks while it is still being said, and joining small blocks again.
//!
//! Lengths are characters. A cut never falls inside a fence without closing it and opening it again in the next
//! block.

use homard_runtime::Clip;

/// How blocks are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLimits {
    /// Blocks are not cut shorter than this, except at the end.
    pub min: usize,
    /// Nor longer than this.
    pub max: usize,
    /// Where to cut, if there is a choice.
    pub at: BreakAt,
    /// Whether each paragraph is a block of its own, whatever its length.
    pub each_paragraph: bool,
}

impl Default for BlockLimits {
    fn default() -> Self {
        Self { min: 800, max: 1200, at: BreakAt::Paragraph, each_paragraph: false }
    }
}

/// Where to cut by preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakAt {
    /// Between paragraphs, else between lines, else between sentences.
    Paragraph,
    Newline,
    /// Between sentences, else between lines.
    Sentence,
}

impl BreakAt {
    fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Paragraph => &[Kind::Paragraph, Kind::Line, Kind::Sentence],
            Self::Newline => &[Kind::Line],
            Self::Sentence => &[Kind::Sentence, Kind::Line],
        }
    }

    /// What stands between blocks that are joined again.
    #[must_use]
    pub fn joiner(self) -> &'static str {
        match self {
            Self::Paragraph => "\n\n",
            Self::Newline => "\n",
            Self::Sentence => " ",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Paragraph,
    Line,
    Sentence,
    Space,
}

/// Cuts a text that comes in pieces.
#[derive(Debug, Clone)]
pub struct BlockChunker {
    limits: BlockLimits,
    buffer: String,
}

impl BlockChunker {
    /// A chunker. Limits that make no sense are made to.
    #[must_use]
    pub fn new(limits: BlockLimits) -> Self {
        let max = limits.max.max(2);
        Self { limits: BlockLimits { max, min: limits.min.clamp(1, max), ..limits }, buffer: String::new() }
    }

    /// Takes more text; gives the blocks that are complete.
    pub fn push(&mut self, text: &str) -> Vec<String> {
        self.buffer.push_str(text);
        self.cut(false)
    }

    /// Gives what is left, because the text is over or must be shown before something else.
    pub fn finish(&mut self) -> Vec<String> {
        let mut blocks = self.cut(true);
        let rest = std::mem::take(&mut self.buffer);
        push_block(&mut blocks, &rest);
        blocks
    }

    fn cut(&mut self, all: bool) -> Vec<String> {
        let mut blocks = Vec::new();
        while let Some((at, fence)) = self.next_cut(all) {
            let rest = self.buffer.split_off(at);
            let mut block = std::mem::replace(&mut self.buffer, rest);
            let rest = self.buffer.trim_start_matches('\n');
            match fence {
                Some(fence) => {
                    if !block.ends_with('\n') {
                        block.push('\n');
                    }
                    block.push_str(&fence.marker);
                    self.buffer = format!("{}\n{rest}", fence.opening);
                }
                None => self.buffer = rest.to_owned(),
            }
            push_block(&mut blocks, &block);
        }
        blocks
    }

    /// Where the next cut is, and the fence it falls into.
    fn next_cut(&self, all: bool) -> Option<(usize, Option<Fence>)> {
        let text = self.buffer.as_str();
        let fences = Fences::of(text);
        if self.limits.each_paragraph
            && let Some(at) = breaks(text, Kind::Paragraph).find(|at| fences.around(*at).is_none())
        {
            return Some((at, None));
        }
        let length = text.chars().count();
        if length > self.limits.max {
            return Some(self.hard_cut(text, &fences));
        }
        if all || length < self.limits.min || self.limits.each_paragraph {
            return None;
        }
        let least = offset(text, self.limits.min);
        let soft = |kind: &Kind| {
            breaks(text, *kind).find(|at| *at >= least && *at < text.len() && fences.around(*at).is_none())
        };
        self.limits.at.kinds().iter().find_map(soft).map(|at| (at, None))
    }

    /// A text that is too long is cut within the limit, at the best place there is.
    fn hard_cut(&self, text: &str, fences: &Fences) -> (usize, Option<Fence>) {
        let window = text.get(..offset(text, self.limits.max)).unwrap_or(text);
        let least = offset(text, self.limits.min.min(self.limits.max / 2));
        let best = |kind: Kind| {
            breaks(window, kind).filter(|at| *at >= least && fences.around(*at).is_none()).last()
        };
        let kinds = [Kind::Paragraph, Kind::Line, Kind::Sentence, Kind::Space];
        if let Some(at) = kinds.into_iter().find_map(best) {
            return (at, None);
        }
        let Some(fence) = fences.around(window.len()) else { return (window.len(), None) };
        // Before the fence, or inside it with room for its end.
        if offset(text, 1) <= fence.start && fence.start <= window.len() && fence.start >= least {
            return (fence.start, None);
        }
        let room = self.limits.max.saturating_sub(fence.marker.chars().count() + 1);
        let inside = text.get(..offset(text, room)).unwrap_or(window);
        let body = fence.start + fence.opening.len() + 1;
        let at = breaks(inside, Kind::Line).filter(|at| *at > body).last().unwrap_or(inside.len());
        // A fence whose first line fills the block would never end: it is cut as it is.
        if at > body && fence.opening.chars().count() < self.limits.max / 2 {
            (at, Some(fence))
        } else {
            (window.len(), None)
        }
    }
}

fn push_block(blocks: &mut Vec<String>, block: &str) {
    let block = block.trim_end();
    if !block.trim().is_empty() {
        blocks.push(block.trim_start_matches('\n').to_owned());
    }
}

/// The byte after the first `chars` characters.
fn offset(text: &str, chars: usize) -> usize {
    text.clip_chars(chars).len()
}

/// The places after each break of a kind, first to last.
fn breaks(text: &str, kind: Kind) -> Box<dyn Iterator<Item = usize> + '_> {
    match kind {
        Kind::Paragraph => Box::new(text.match_indices("\n\n").map(|(at, found)| at + found.len())),
        Kind::Line => Box::new(text.match_indices('\n').map(|(at, _)| at + 1)),
        Kind::Sentence => Box::new(text.match_indices(['.', '!', '?']).filter_map(|(at, _)| {
            text.get(at + 1..).filter(|rest| rest.starts_with(char::is_whitespace)).map(|_| at + 1)
        })),
        Kind::Space => Box::new(text.match_indices(char::is_whitespace).map(|(at, found)| at + found.len())),
    }
}

/// A fence somewhere in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fence {
    /// The byte its first line begins at.
    start: usize,
    /// The byte after its last line; the end of the text when it is not closed.
    end: usize,
    opening: String,
    marker: String,
}

#[derive(Debug, Default)]
struct Fences(Vec<Fence>);

impl Fences {
    fn of(text: &str) -> Self {
        let mut found = Vec::new();
        let mut open: Option<Fence> = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let end = at + line.len();
            match (fence_mark(line), &mut open) {
                (Some(mark), Some(fence)) if closes(line, mark, &fence.marker) => {
                    fence.end = end;
                    found.extend(open.take());
                }
                (Some(mark), None) => {
                    let opening = line.trim_end_matches(['\n', '\r']).to_owned();
                    open = Some(Fence { start: at, end: text.len(), opening, marker: mark.to_owned() });
                }
                (Some(_) | None, _) => {}
            }
            at = end;
        }
        found.extend(open.map(|fence| Fence { end: usize::MAX, ..fence }));
        Self(found)
    }

    /// The fence a cut at `at` would fall into.
    fn around(&self, at: usize) -> Option<Fence> {
        self.0.iter().find(|fence| fence.start < at && at < fence.end).cloned()
    }
}

/// The run of backticks or tildes a line begins with, if it can open or close a fence.
fn fence_mark(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    let tick = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let run = text.len() - text.trim_start_matches(tick).len();
    (line.len() - text.len() <= 3 && run >= 3).then(|| text.get(..run).unwrap_or_default())
}

fn closes(line: &str, mark: &str, open: &str) -> bool {
    mark.starts_with(open) && line.trim() == mark
}

/// Joins small blocks before they are sent.
#[derive(Debug, Clone)]
pub struct Coalescer {
    min: usize,
    max: usize,
    joiner: &'static str,
    buffer: String,
    reply_to: Option<String>,
}

impl Coalescer {
    /// A coalescer for blocks cut with these limits.
    #[must_use]
    pub fn new(limits: BlockLimits) -> Self {
        let max = limits.max.max(2);
        Self {
            min: limits.min.clamp(1, max),
            max,
            joiner: limits.at.joiner(),
            buffer: String::new(),
            reply_to: None,
        }
    }

    /// Takes a block and the message it replies to; gives what must be sent now, each with its own.
    pub fn put(&mut self, block: &str, reply_to: Option<&str>) -> Vec<(String, Option<String>)> {
        let mut out = Vec::new();
        if self.reply_to.as_deref() != reply_to {
            out.extend(self.flush());
            self.reply_to = reply_to.map(str::to_owned);
        }
        let joined = self.buffer.chars().count() + self.joiner.len() + block.chars().count();
        if !self.buffer.is_empty() && joined > self.max {
            out.extend(self.flush());
        }
        if !self.buffer.is_empty() {
            self.buffer.push_str(self.joiner);
        }
        self.buffer.push_str(block);
        if self.buffer.chars().count() >= self.max {
            out.extend(self.flush());
        }
        out
    }

    /// Nothing came for a while: gives what is long enough.
    pub fn idle(&mut self) -> Option<(String, Option<String>)> {
        if self.buffer.chars().count() >= self.min { self.flush() } else { None }
    }

    /// Gives what there is: a picture, a tool or the end comes next.
    pub fn flush(&mut self) -> Option<(String, Option<String>)> {
        let text = std::mem::take(&mut self.buffer);
        (!text.trim().is_empty()).then(|| (text, self.reply_to.clone()))
    }
}

#[cfg(test)]
mod tests;
