//! A question as what it is about: words with their stems, names of speakers, times.

use std::collections::HashSet;

use jiff::civil::Date;

use crate::dates::{self, Moment, Reading};
use crate::index::{Index, IndexError, Totals};
use crate::words::{self, Language, Stems, number};

/// Concepts of one question, at most.
const MAX_CONCEPTS: usize = 48;
/// Weight of a small word, of one that is part of a date, of a pair of characters, of a name and of a time.
const SMALL: f64 = 0.06;
/// How rare a word counts at least that is not small: one that every passage has is asked for all the same.
const LEAST_RARITY: f64 = 0.25;
const OF_A_DATE: f64 = 0.25;
const PAIR: f64 = 0.6;
const NAME: f64 = 1.2;
const TIME: f64 = 1.1;
/// Weight of a word that is only like the one that was asked for.
const ALIKE: f64 = 0.6;
/// Weight of a word that means about the same as the one that was asked for.
const KIN: f64 = 0.45;
/// Words like it that are taken.
const MAX_ALIKE: usize = 8;

/// One thing a passage may have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Concept {
    /// As it was asked.
    pub(crate) word: String,
    /// The terms any of which will do, with how much each counts.
    pub(crate) terms: Vec<(String, f64)>,
    /// Terms that mean about the same, which count less.
    pub(crate) kin: Vec<(String, f64)>,
    /// Numbers of the speakers it names.
    pub(crate) speakers: Vec<u32>,
    pub(crate) weight: f64,
    /// How many passages have it.
    pub(crate) passages: i64,
    /// How telling it is, by how few have it.
    pub(crate) rarity: f64,
}

impl Concept {
    /// What a passage gains that has it.
    pub(crate) fn worth(&self) -> f64 {
        self.weight * self.rarity
    }

    pub(crate) fn is_small(&self) -> bool {
        self.weight <= SMALL
    }

    /// Asks FTS5 for the passages that have it, or its kin, too, where there are few of either.
    pub(crate) fn query(&self, with_kin: bool) -> String {
        let kin = self.kin.iter().filter(|_| with_kin);
        self.terms
            .iter()
            .chain(kin)
            .map(|(term, _)| format!("\"{}\"", term.replace('"', "")))
            .collect::<Vec<_>>()
            .join(" OR ")
    }
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryConcept {
    pub(crate) concepts: Vec<Concept>,
}

impl QueryConcept {
    pub(crate) fn read(index: &Index, text: &str, today: Date, totals: Totals) -> Result<Self, IndexError> {
        let languages = totals.languages();
        let stems: Vec<Stems> = languages.iter().map(|language| Stems::of(*language)).collect();
        let times = dates::scan(text, Some(today), Reading::Question);
        let speakers = speakers(index)?;
        let is_english = Language::of(text) == Language::English;
        let asked_in =
            languages.iter().fold(Language::of(text).bit(), |bits, language| bits | language.bit());
        let mut concepts: Vec<Concept> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for span in words::spans(text) {
            if words::is_tail(text, span) || concepts.len() >= MAX_CONCEPTS {
                continue;
            }
            let is_time = times.iter().any(|time| time.place.contains(&span.at));
            let is_name = span.at > 0 && span.text.chars().next().is_some_and(char::is_uppercase);
            let mut found = Vec::new();
            words::push_terms(span.text, &mut |folded, is_pair| found.push((folded.to_owned(), is_pair)));
            for (folded, is_pair) in found {
                if !seen.insert(folded.clone()) {
                    continue;
                }
                let named: Vec<&String> = speakers.iter().filter(|name| is_speaker(&folded, name)).collect();
                let weight = match () {
                    () if is_time => OF_A_DATE,
                    () if !named.is_empty() => 1.0,
                    () if words::languages_of(&folded) & asked_in != 0 => SMALL,
                    () if is_pair => PAIR,
                    () if is_name => NAME,
                    () => 1.0,
                };
                let mut terms: Vec<(String, f64)> = Vec::new();
                let forms = stems.iter().filter(|_| !is_pair).map(|stems| stems.term(&folded));
                for term in forms.chain([folded.clone()]).chain(named.iter().map(|name| (*name).clone())) {
                    if !terms.iter().any(|(known, _)| *known == term) {
                        terms.push((term, 1.0));
                    }
                }
                let is_plain = named.is_empty() && !is_name && weight > SMALL && !is_time && !is_pair;
                let english =
                    stems.first().filter(|_| is_plain && is_english).map(|stems| stems.term(&folded));
                let kin = english.as_deref().map(words::kin).unwrap_or_default().into_iter();
                let kin = kin.filter(|term| !terms.iter().any(|(known, _)| known == term));
                let kin = kin.map(|term| (term, KIN)).collect();
                let speakers = named.iter().map(|name| number(name)).collect();
                concepts.push(Concept {
                    word: span.text.to_owned(),
                    terms,
                    kin,
                    speakers,
                    weight,
                    passages: 0,
                    rarity: 0.0,
                });
            }
        }
        for time in &times {
            concepts.push(Self::time(text.get(time.place.clone()).unwrap_or_default(), time.moment));
        }
        for concept in &mut concepts {
            weigh(index, concept, totals)?;
        }
        Ok(Self { concepts })
    }

    /// A time as a concept; how many passages have it is not known yet.
    pub(crate) fn time(word: &str, moment: Moment) -> Concept {
        let terms = moment.wanted().into_iter().map(|mark| (mark, 1.0)).collect();
        let (kin, speakers) = (Vec::new(), Vec::new());
        Concept { word: word.to_owned(), terms, kin, speakers, weight: TIME, passages: 0, rarity: 0.0 }
    }

    /// All a passage could gain.
    pub(crate) fn worth(&self) -> f64 {
        self.concepts.iter().map(Concept::worth).sum()
    }
}

/// Counts the passages that have a concept, and looks for words like it where nobody has.
pub(crate) fn weigh(index: &Index, concept: &mut Concept, totals: Totals) -> Result<(), IndexError> {
    concept.passages = count(index, concept)?;
    if concept.passages == 0 && !concept.is_small() {
        // A word that has kin is no misspelling of another.
        let exact = std::mem::replace(&mut concept.terms, std::mem::take(&mut concept.kin));
        concept.passages = count(index, concept)?;
        if concept.passages == 0 {
            concept.terms = exact;
            concept.terms = alike(index, concept)?;
            concept.passages = count(index, concept)?;
        }
    }
    let (all, have) = (totals.passages.max(concept.passages) as f64, concept.passages as f64);
    let least = if concept.is_small() { 0.0 } else { LEAST_RARITY };
    concept.rarity = (1.0 + (all - have + 0.5) / (have + 0.5)).ln().max(least);
    Ok(())
}

fn count(index: &Index, concept: &Concept) -> Result<i64, IndexError> {
    let mut most = 0;
    for (term, _) in &concept.terms {
        let have = index.having(term)?;
        most = if concept.speakers.is_empty() { most + have } else { most.max(have) };
    }
    Ok(most)
}

/// Everybody who speaks anywhere.
fn speakers(index: &Index) -> Result<Vec<String>, IndexError> {
    let mut statement =
        index.db.prepare_cached("SELECT term FROM terms WHERE term >= '¶' AND term < '·' LIMIT 5000")?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// Whether a word is a speaker's name, or a short form of it: Mel is Melanie.
fn is_speaker(folded: &str, name: &str) -> bool {
    let name = name.trim_start_matches('¶');
    let is_short = |short: &str, long: &str| short.chars().count() >= 3 && long.starts_with(short);
    name == folded || (words::languages_of(folded) == 0 && is_short(folded, name))
}

/// Words that begin like one that nobody has, or are one or two letters away from it.
fn alike(index: &Index, concept: &Concept) -> Result<Vec<(String, f64)>, IndexError> {
    let Some((word, _)) = concept.terms.first() else { return Ok(Vec::new()) };
    let letters = word.chars().count();
    if letters < 4 || word.starts_with('§') || word.chars().any(|c| c.is_numeric() || words::is_unspaced(c))
    {
        return Ok(Vec::new());
    }
    let Some(first) = word.chars().next() else { return Ok(Vec::new()) };
    let end = char::from_u32(u32::from(first) + 1).unwrap_or(char::MAX);
    let mut statement =
        index.db.prepare_cached("SELECT term, passages FROM terms WHERE term >= ?1 AND term < ?2")?;
    let rows =
        statement.query_map([first.to_string(), end.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut found: Vec<(usize, i64, String)> = Vec::new();
    for row in rows {
        let (term, passages): (String, i64) = row?;
        if let Some(steps) = steps(word, &term, letters) {
            found.push((steps, -passages, term));
        }
    }
    found.sort();
    found.truncate(MAX_ALIKE);
    let nearest = found.first().map_or(0, |(steps, ..)| *steps);
    let same = found.into_iter().filter(|(steps, ..)| *steps == nearest);
    Ok(same.map(|(_, _, term)| (term, ALIKE)).collect())
}

/// How far apart two words are, if they may be meant for each other.
fn steps(word: &str, term: &str, letters: usize) -> Option<usize> {
    let length = term.chars().count();
    if term.starts_with(word) || (length >= 4 && word.starts_with(term) && letters - length <= 3) {
        return Some(length.abs_diff(letters).min(2));
    }
    let allowed = if letters >= 5 { 2 } else { 1 };
    if length.abs_diff(letters) > allowed {
        return None;
    }
    let steps = strsim::osa_distance(word, term);
    (steps <= allowed).then_some(steps)
}
