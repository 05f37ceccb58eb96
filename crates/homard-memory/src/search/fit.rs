//! How well one passage fits a question: BM25 over its fields, and more where the words stand together in what one person
//! says.

use std::collections::HashMap;

use super::concepts::QueryConcept;
use crate::index::{Part, Totals, numbers};
use crate::words;

/// How soon more of the same word stops counting, and how much the length of a passage matters.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.5;
/// How often a word of a heading, a date, or the name of a speaker counts.
const HEADING: f64 = 1.6;
const DATE: f64 = 1.5;
const SPEAKER: f64 = 1.0;
/// How much what somebody else says counts, where a speaker is asked for.
const OTHER_SPEAKER: f64 = 0.7;
/// Share of the best lines in the score, and of the lines beside the best one.
const LINES: f64 = 0.5;
const BESIDE: f64 = 0.6;
/// What two words gain that follow each other as they were asked, and how far apart they may be.
const PAIR: f64 = 0.3;
const PAIR_REACH: usize = 3;
/// What a passage with every word once gains, as a multiple of their worth: its score counts as 1.
const FULL: f64 = 1.55;
/// What a question is worth at least: one of small words that everybody has is about nothing.
const LEAST_WORTH: f64 = 1.0;
/// Words of the question that are told.
const MAX_MATCHED: usize = 8;
/// Concepts that are told apart; a question has fewer.
const MAX_CONCEPTS: usize = 128;
const SIEVE_BITS: usize = 8_192;

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Fit {
    pub(super) score: f64,
    /// The score as a share of what there was to gain.
    pub(super) share: f64,
}

/// A question made ready for many passages.
pub(super) struct FitQuery<'q> {
    question: &'q QueryConcept,
    /// Which concept a word is of, and how much it counts.
    words: HashMap<u32, (usize, f64)>,
    /// A bit for every word that is asked for, by its last digits: most words of a passage are not, and need no look into
    /// the table.
    sieve: Vec<u64>,
    /// What each concept is worth.
    worths: Vec<f64>,
    /// Speakers that are asked for.
    speakers: Vec<u32>,
    average: f64,
    worth: f64,
}

/// What one line has of a question: a bit for each concept.
struct LineFit {
    has: u128,
    weight: f64,
}

/// What a passage has of a question.
struct Counted {
    counts: Vec<f64>,
    pairs: f64,
    lines: Vec<LineFit>,
}

impl<'q> FitQuery<'q> {
    pub(super) fn new(question: &'q QueryConcept, totals: Totals) -> Self {
        let mut words = HashMap::new();
        let mut sieve = vec![0_u64; SIEVE_BITS / 64];
        for (place, concept) in question.concepts.iter().enumerate().take(MAX_CONCEPTS) {
            for (term, weight) in concept.terms.iter().chain(&concept.kin) {
                let number = words::number(term);
                words.entry(number).or_insert((place, *weight));
                let (cell, bit) = sieve_place(number);
                if let Some(cell) = sieve.get_mut(cell) {
                    *cell |= bit;
                }
            }
        }
        let speakers =
            question.concepts.iter().flat_map(|concept| concept.speakers.iter().copied()).collect();
        let average = (totals.words as f64 / totals.passages.max(1) as f64).max(1.0);
        let worths = question.concepts.iter().map(super::Concept::worth).collect();
        let worth = question.worth().max(LEAST_WORTH);
        Self { question, words, sieve, worths, speakers, average, worth }
    }

    /// A score as a share of all there was to gain; told as its root, so that half of the words is not half as good.
    pub(super) fn share(&self, score: f64) -> f64 {
        (score / (self.worth * FULL)).clamp(0.0, 1.0).sqrt()
    }

    pub(super) fn fit(&self, words: &[u8], length: i64) -> Fit {
        let counted = self.counted(words);
        let gains = self.gains(&counted.counts, length as f64);
        let score = gains.sum::<f64>() + LINES * self.best_line(&counted.lines) + counted.pairs;
        Fit { score, share: self.share(score) }
    }

    /// The words of the question that a passage has, most telling first.
    pub(super) fn matched(&self, words: &[u8], length: i64) -> Vec<String> {
        let counted = self.counted(words);
        let mut matched: Vec<(f64, &str)> = self
            .gains(&counted.counts, length as f64)
            .zip(&self.question.concepts)
            .filter(|(gain, concept)| *gain > 0.0 && !concept.is_small())
            .map(|(gain, concept)| (gain, concept.word.as_str()))
            .collect();
        matched.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut words: Vec<String> = Vec::new();
        for (_, word) in matched {
            if words.len() < MAX_MATCHED && !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
        words
    }

    /// What each concept brings by how often it is there.
    fn gains(&self, counts: &[f64], length: f64) -> impl Iterator<Item = f64> {
        let norm = SATURATION * (1.0 - LENGTH + LENGTH * length / self.average);
        counts.iter().zip(&self.worths).map(move |(count, worth)| {
            let gain = worth * count * (SATURATION + 1.0) / (count + norm);
            if gain.is_finite() { gain } else { 0.0 }
        })
    }

    fn counted(&self, words: &[u8]) -> Counted {
        let mut counted =
            Counted { counts: vec![0.0; self.worths.len()], pairs: 0.0, lines: Vec::with_capacity(32) };
        let mut spoken: Vec<u32> = Vec::new();
        for part in Part::each(words) {
            match part {
                Part::Heading(words) => {
                    let (has, pairs) = self.count(words, HEADING, &mut counted.counts);
                    counted.pairs += pairs;
                    counted.lines.push(LineFit { has, weight: 1.0 });
                }
                Part::Dates(words) => self.count_once(words, DATE, &mut counted.counts),
                Part::Line { speaker, words } => {
                    let is_asked =
                        self.speakers.is_empty() || speaker == 0 || self.speakers.contains(&speaker);
                    let weight = if is_asked { 1.0 } else { OTHER_SPEAKER };
                    let (has, pairs) = self.count(words, weight, &mut counted.counts);
                    counted.pairs += weight * pairs;
                    counted.lines.push(LineFit { has, weight });
                    if speaker != 0 && !spoken.contains(&speaker) {
                        spoken.push(speaker);
                        if let Some((concept, weight)) = self.concept(speaker) {
                            add(&mut counted.counts, concept, weight * SPEAKER);
                        }
                    }
                }
            }
        }
        counted
    }

    /// The concept a word is of, and how much it counts.
    fn concept(&self, word: u32) -> Option<(usize, f64)> {
        let (cell, bit) = sieve_place(word);
        self.sieve.get(cell).filter(|cell| **cell & bit != 0)?;
        self.words.get(&word).copied()
    }

    /// Counts the words of a field; says which concepts it has, and what those gain that stand together as they were asked.
    fn count(&self, words: &[u8], times: f64, counts: &mut [f64]) -> (u128, f64) {
        let (mut has, mut gained) = (0, 0.0);
        let mut before: Option<(usize, usize)> = None;
        for (at, word) in numbers(words).enumerate() {
            let Some((concept, weight)) = self.concept(word) else { continue };
            add(counts, concept, weight * times);
            has |= bit(concept);
            if let Some((place, last)) = before
                && at - place <= PAIR_REACH
                && last.abs_diff(concept) == 1
            {
                gained += PAIR * self.worth_of(last).min(self.worth_of(concept));
            }
            before = Some((at, concept));
        }
        (has, gained.min(self.worth * PAIR))
    }

    /// A time counts once, however many of its days are there.
    fn count_once(&self, words: &[u8], times: f64, counts: &mut [f64]) {
        let mut seen = 0;
        for (concept, weight) in numbers(words).filter_map(|word| self.concept(word)) {
            if seen & bit(concept) == 0 {
                seen |= bit(concept);
                add(counts, concept, weight * times);
            }
        }
    }

    fn worth_of(&self, concept: usize) -> f64 {
        self.worths.get(concept).copied().unwrap_or(0.0)
    }

    /// What the line has that has most of the question, together with those beside it.
    fn best_line(&self, lines: &[LineFit]) -> f64 {
        let worth = |mut has: u128| {
            let mut sum = 0.0;
            while has != 0 {
                sum += self.worth_of(has.trailing_zeros() as usize);
                has &= has - 1;
            }
            sum
        };
        let mut best = 0.0_f64;
        for (place, line) in lines.iter().enumerate() {
            let beside =
                |place: Option<usize>| place.and_then(|place| lines.get(place)).map_or(0, |line| line.has);
            let more = (beside(place.checked_sub(1)) | beside(Some(place + 1))) & !line.has;
            if line.has != 0 || more != 0 {
                best = best.max(line.weight * (worth(line.has) + BESIDE * worth(more)));
            }
        }
        best
    }
}

fn add(counts: &mut [f64], concept: usize, more: f64) {
    if let Some(count) = counts.get_mut(concept) {
        *count += more;
    }
}

fn bit(concept: usize) -> u128 {
    1 << (concept % MAX_CONCEPTS)
}

/// Where a word is in the sieve.
fn sieve_place(number: u32) -> (usize, u64) {
    let at = number as usize % SIEVE_BITS;
    (at / 64, 1 << (at % 64))
}
