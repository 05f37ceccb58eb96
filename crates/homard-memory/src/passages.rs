//! A note in passages: cut at headings, and where a section is too long for one, at the turn of talk or the paragraph at
//! which the words change most. A passage is whole lines, so that it can be cited by them.

mod speakers;

use homard_runtime::Clip as _;
use jiff::civil::Date;

use crate::dates::{self, Moment, Reading};
use crate::words;
use speakers::Speakers;

/// Least of a full passage, in hundredths, before the text may be cut.
const LEAST_FULL: usize = 45;
/// How many lines on each side of a cut are compared.
const COMPARED: usize = 3;
/// How much of a passage is looked through for the day it is about.
const DAY_CHARS: usize = 400;
/// Between the headings over a passage.
const BETWEEN: &str = " › ";

/// Some lines of a note that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    /// First and last line, counted from 1.
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// The headings over it, outermost first.
    pub(crate) heading: String,
    pub(crate) text: String,
    pub(crate) lines: Vec<Line>,
    /// The day it was written on, or is about.
    pub(crate) day: Option<Date>,
}

/// One line of a passage, without the name of whoever says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) speaker: Option<String>,
    pub(crate) words: String,
}

impl Passage {
    /// The times it names or lies in.
    pub(crate) fn moments(&self) -> Vec<Moment> {
        let mut moments: Vec<Moment> = self.day.map(Moment::Day).into_iter().collect();
        moments.extend(dates::scan(&self.heading, None, Reading::Note).into_iter().map(|found| found.moment));
        moments
            .extend(dates::scan(&self.text, self.day, Reading::Note).into_iter().map(|found| found.moment));
        moments
    }
}

/// Cuts a note into passages of at most `max` characters; `day` is the one its name says.
pub(crate) fn cut(text: &str, max: usize, day: Option<Date>) -> Vec<Passage> {
    let speakers = Speakers::of(text);
    let mut passages = Vec::new();
    for section in sections(text, &speakers, max) {
        let day = section.heading_day.or(day);
        for lines in section.cut(max) {
            passages.extend(passage(&section.heading, lines, day));
        }
    }
    passages
}

fn passage(heading: &str, pieces: &[Piece<'_>], day: Option<Date>) -> Option<Passage> {
    let (first, last) = (pieces.first()?, pieces.last()?);
    let mut whole = String::new();
    let mut number = first.number;
    for piece in pieces {
        // Empty lines are told, so that a place in the text is a line of the file.
        whole.extend(std::iter::repeat_n('\n', piece.number - number));
        if piece.number == number && !whole.is_empty() {
            whole.push('\n');
        }
        number = piece.number;
        whole.push_str(piece.text);
    }
    let lines: Vec<Line> = pieces
        .iter()
        .filter(|piece| !piece.is_heading)
        .map(|piece| Line { speaker: piece.speaker.map(str::to_owned), words: piece.words.to_owned() })
        .collect();
    let day = day.or_else(|| dates::day_in(whole.clip_chars(DAY_CHARS)));
    Some(Passage {
        first: first.number,
        last: last.number,
        heading: heading.to_owned(),
        text: whole,
        lines,
        day,
    })
}

/// A line, or a part of one that is too long.
#[derive(Debug, Clone, Copy)]
struct Piece<'t> {
    number: usize,
    text: &'t str,
    /// What is said, without the name before it.
    words: &'t str,
    speaker: Option<&'t str>,
    is_heading: bool,
    /// Lines from the one before it that is not empty.
    gap: usize,
}

/// What stands below one heading.
#[derive(Debug, Default)]
struct Section<'t> {
    heading: String,
    /// The day a heading names.
    heading_day: Option<Date>,
    pieces: Vec<Piece<'t>>,
}

impl<'t> Section<'t> {
    fn has_body(&self) -> bool {
        self.pieces.iter().any(|piece| !piece.is_heading)
    }

    /// Its lines in runs of at most `max` characters.
    fn cut(&self, max: usize) -> Vec<&[Piece<'t>]> {
        let mut runs = Vec::new();
        let mut rest = self.pieces.as_slice();
        while !rest.is_empty() {
            let at = cut_at(rest, max);
            let Some((run, after)) = rest.split_at_checked(at) else { break };
            runs.push(run);
            rest = after;
        }
        runs
    }
}

/// How many lines the next passage has. No more is looked at than two passages and what is compared with them.
fn cut_at(pieces: &[Piece<'_>], max: usize) -> usize {
    let mut total = 0;
    let mut lengths: Vec<usize> = Vec::new();
    for piece in pieces {
        if total > 2 * max + 1 {
            break;
        }
        lengths.push(piece.text.chars().count() + piece.gap.max(1));
        total += lengths.last().copied().unwrap_or(0);
    }
    let pieces = pieces.get(..(lengths.len() + COMPARED).min(pieces.len())).unwrap_or(pieces);
    if total <= max + 1 {
        return pieces.len();
    }
    // The last two passages of a section are about as long as each other, the others as full as may be.
    let is_last_cut = total < 2 * max;
    let least = (max * LEAST_FULL / 100).max(if is_last_cut { total.saturating_sub(max) } else { 0 });
    let goal = if is_last_cut { total / 2 } else { max };
    let bags: Vec<Vec<u32>> = pieces.iter().map(|piece| bag(piece.words)).collect();
    let (mut length, mut best) = (0, None::<(f64, usize)>);
    for (index, own) in lengths.iter().enumerate() {
        if length + own > max + 1 && index > 0 {
            break;
        }
        length += own;
        let cut = index + 1;
        if length < least || cut == pieces.len() {
            continue;
        }
        let cost = cost(pieces, &bags, cut) + 0.3 * goal.abs_diff(length) as f64 / max as f64;
        if best.is_none_or(|(least, _)| cost <= least) {
            best = Some((cost, cut));
        }
    }
    let fits = lengths.iter().scan(0, |sum, own| {
        *sum += own;
        Some(*sum)
    });
    best.map_or_else(|| fits.take_while(|sum| *sum <= max + 1).count().max(1), |(_, cut)| cut)
}

/// How much it hurts to cut before this line.
fn cost(pieces: &[Piece<'_>], bags: &[Vec<u32>], cut: usize) -> f64 {
    let (Some(before), Some(after)) = (pieces.get(cut - 1), pieces.get(cut)) else { return f64::MAX };
    let gather = |from: usize, to: usize| -> Vec<u32> {
        bags.get(from..to.min(bags.len())).unwrap_or_default().iter().flatten().copied().collect()
    };
    let (one, other) = (gather(cut.saturating_sub(COMPARED), cut), gather(cut, cut + COMPARED));
    let both = one.iter().filter(|word| other.contains(word)).count();
    let alike = both as f64 / one.len().min(other.len()).max(1) as f64;
    let asks = before.text.trim_end().ends_with(['?', '？']);
    let flows = after.gap <= 1 && after.speaker == before.speaker;
    // A heading stays with what is below it.
    let dangles = before.is_heading;
    alike.min(1.0)
        + f64::from(u8::from(asks)) * 0.25
        + f64::from(u8::from(flows)) * 0.2
        + f64::from(u8::from(dangles))
}

/// The words of a line that say something.
fn bag(line: &str) -> Vec<u32> {
    let folded = words::spans(line).map(|span| words::fold(span.text));
    folded
        .filter(|word| word.chars().count() > 3 && words::languages_of(word) == 0)
        .map(|word| words::number(&word))
        .collect()
}

fn sections<'t>(text: &'t str, speakers: &Speakers<'t>, max: usize) -> Vec<Section<'t>> {
    let mut all: Vec<Section<'t>> = Vec::new();
    let mut open = Section::default();
    let mut path: Vec<(usize, &str)> = Vec::new();
    let (mut is_fenced, mut last) = (false, 0);
    let mut speaking = None;
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            speaking = None;
            continue;
        }
        is_fenced ^= line.trim_start().starts_with("```");
        let heading = if is_fenced { None } else { heading(line) };
        if let Some((level, name)) = heading {
            if open.has_body() {
                all.push(std::mem::take(&mut open));
            }
            path.retain(|(over, _)| *over < level);
            path.push((level, name));
            open.heading = path.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(BETWEEN);
            open.heading_day = path.iter().rev().find_map(|(_, name)| dates::day_in(name));
            speaking = None;
        } else if open.heading.is_empty() && !path.is_empty() {
            open.heading = path.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(BETWEEN);
        }
        let (speaker, words) = match speakers.read(line) {
            Some((name, words)) => (Some(name), words),
            None => (speaking, line),
        };
        speaking = speaker;
        let whole = Piece {
            number: index + 1,
            text: line,
            words,
            speaker,
            is_heading: heading.is_some(),
            gap: index + 1 - last,
        };
        last = index + 1;
        parts(whole, max, &mut open.pieces);
    }
    all.push(open);
    all.retain(|section| !section.pieces.is_empty());
    all
}

/// A heading's level and words.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let name = line.get(level..)?;
    let is_one = (1..=6).contains(&level) && name.starts_with([' ', '\t']);
    is_one.then(|| (level, name.trim().trim_end_matches('#').trim_end())).filter(|(_, name)| !name.is_empty())
}

/// Takes a line, in parts where it is longer than a passage, cut between words where there are any.
fn parts<'t>(whole: Piece<'t>, max: usize, into: &mut Vec<Piece<'t>>) {
    if whole.text.chars().count() <= max {
        into.push(whole);
        return;
    }
    let mut rest = whole.text;
    while !rest.is_empty() {
        let head = rest.clip_chars(max);
        let full = head.len();
        let space = head.rfind(char::is_whitespace).map(|space| space + 1);
        let end = match space.filter(|space| full < rest.len() && *space > full / 2) {
            Some(space) => space,
            None => full,
        };
        let Some((part, after)) = rest.split_at_checked(end.max(1)) else { break };
        into.push(Piece { text: part, words: part, ..whole });
        rest = after;
    }
}

#[cfg(test)]
mod tests;
