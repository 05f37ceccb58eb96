//! How well one passage fits a question: BM25 over its fields, and more where the words stand together in what one person
//! says.

use std::collections::HashMap;

use super::concepts::Sought;
use crate::index::{Part, Totals};
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

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Fit {
    pub(super) score: f64,
    /// The score as a share of what there was to gain.
    pub(super) share: f64,
    pub(super) matched: Vec<String>,
}

/// A question made ready for many passages.
pub(super) struct Fitting<'q> {
    question: &'q Sought,
    /// Which concept a word is of, and how much it counts.
    words: HashMap<u32, (usize, f64)>,
    /// Speakers that are asked for.
    speakers: Vec<u32>,
    average: f64,
    worth: f64,
}

/// What one line has of a question.
struct LineFit {
    has: Vec<usize>,
    weight: f64,
}

impl<'q> Fitting<'q> {
    pub(super) fn new(question: &'q Sought, totals: Totals) -> Self {
        let mut words = HashMap::new();
        for (place, concept) in question.concepts.iter().enumerate() {
            for (term, weight) in &concept.terms {
                words.entry(words::number(term)).or_insert((place, *weight));
            }
        }
        let speakers =
            question.concepts.iter().flat_map(|concept| concept.speakers.iter().copied()).collect();
        let average = (totals.words as f64 / totals.passages.max(1) as f64).max(1.0);
        Self { question, words, speakers, average, worth: question.worth().max(LEAST_WORTH) }
    }

    /// A score as a share of all there was to gain; told as its root, so that half of the words is not half as good.
    pub(super) fn share(&self, score: f64) -> f64 {
        (score / (self.worth * FULL)).clamp(0.0, 1.0).sqrt()
    }

    pub(super) fn fit(&self, parts: &[Part], length: i64) -> Fit {
        let mut counts = vec![0.0; self.question.concepts.len()];
        let mut pairs = 0.0;
        let mut lines: Vec<LineFit> = Vec::new();
        let mut spoken: Vec<u32> = Vec::new();
        for part in parts {
            match part {
                Part::Heading(words) => {
                    let has = self.count(words, HEADING, &mut counts);
                    pairs += self.pairs(words);
                    lines.push(LineFit { has, weight: 1.0 });
                }
                Part::Dates(words) => self.count_once(words, DATE, &mut counts),
                Part::Line { speaker, words } => {
                    let is_asked =
                        self.speakers.is_empty() || *speaker == 0 || self.speakers.contains(speaker);
                    let weight = if is_asked { 1.0 } else { OTHER_SPEAKER };
                    let has = self.count(words, weight, &mut counts);
                    pairs += weight * self.pairs(words);
                    lines.push(LineFit { has, weight });
                    if *speaker != 0 && !spoken.contains(speaker) {
                        spoken.push(*speaker);
                        self.count(&[*speaker], SPEAKER, &mut counts);
                    }
                }
            }
        }
        self.sum(&counts, pairs, &lines, length as f64)
    }

    fn sum(&self, counts: &[f64], pairs: f64, lines: &[LineFit], length: f64) -> Fit {
        let norm = SATURATION * (1.0 - LENGTH + LENGTH * length / self.average);
        let gains = counts
            .iter()
            .zip(&self.question.concepts)
            .map(|(count, concept)| concept.worth() * count * (SATURATION + 1.0) / (count + norm));
        let gains: Vec<f64> = gains.map(|gain| if gain.is_finite() { gain } else { 0.0 }).collect();
        let best = self.best_line(lines);
        let score = gains.iter().sum::<f64>() + LINES * best + pairs;
        let mut matched: Vec<(f64, &str)> = gains
            .iter()
            .zip(&self.question.concepts)
            .filter(|(gain, concept)| **gain > 0.0 && !concept.is_small())
            .map(|(gain, concept)| (*gain, concept.word.as_str()))
            .collect();
        matched.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut words: Vec<String> = Vec::new();
        for (_, word) in matched {
            if words.len() < MAX_MATCHED && !words.iter().any(|known| known == word) {
                words.push(word.to_owned());
            }
        }
        Fit { score, share: self.share(score), matched: words }
    }

    /// Counts the words of a field; says which concepts it has.
    fn count(&self, words: &[u32], times: f64, counts: &mut [f64]) -> Vec<usize> {
        let mut has = Vec::new();
        for (concept, weight) in words.iter().filter_map(|word| self.words.get(word)) {
            if let Some(count) = counts.get_mut(*concept) {
                *count += weight * times;
            }
            if !has.contains(concept) {
                has.push(*concept);
            }
        }
        has
    }

    /// A time counts once, however many of its days are there.
    fn count_once(&self, words: &[u32], times: f64, counts: &mut [f64]) {
        let mut seen = Vec::new();
        for (concept, weight) in words.iter().filter_map(|word| self.words.get(word)) {
            if !seen.contains(concept) {
                seen.push(*concept);
                if let Some(count) = counts.get_mut(*concept) {
                    *count += weight * times;
                }
            }
        }
    }

    /// What words gain that stand together as they were asked.
    fn pairs(&self, words: &[u32]) -> f64 {
        let mut gained = 0.0;
        let mut before: Option<(usize, usize)> = None;
        for (at, word) in words.iter().enumerate() {
            let Some((concept, _)) = self.words.get(word) else { continue };
            if let Some((place, last)) = before
                && at - place <= PAIR_REACH
                && last.abs_diff(*concept) == 1
            {
                let worth =
                    |concept: usize| self.question.concepts.get(concept).map_or(0.0, super::Concept::worth);
                gained += PAIR * worth(last).min(worth(*concept));
            }
            before = Some((at, *concept));
        }
        gained.min(self.worth * PAIR)
    }

    /// What the line has that has most of the question, together with those beside it.
    fn best_line(&self, lines: &[LineFit]) -> f64 {
        let worth = |concept: &usize| self.question.concepts.get(*concept).map_or(0.0, super::Concept::worth);
        let mut best = 0.0_f64;
        for (place, line) in lines.iter().enumerate() {
            let own: f64 = line.has.iter().map(worth).sum();
            let neighbours = [place.checked_sub(1), Some(place + 1)];
            let mut more: Vec<usize> = Vec::new();
            for beside in neighbours.into_iter().flatten().filter_map(|place| lines.get(place)) {
                more.extend(
                    beside
                        .has
                        .iter()
                        .filter(|concept| !line.has.contains(concept) && !more.contains(concept))
                        .copied()
                        .collect::<Vec<_>>(),
                );
            }
            let score = line.weight * (own + BESIDE * more.iter().map(worth).sum::<f64>());
            best = best.max(score);
        }
        best
    }
}
