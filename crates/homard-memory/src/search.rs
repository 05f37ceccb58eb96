//! Finding passages: the words of a question bring candidates, and each of these is then fitted as a whole.
//!
//! A question is a list of [`Concept`]s: a word with its stems, a name, a time. None is required. First FTS5 says which
//! passages have which, and the rare ones decide who is looked at; then [`fit`] weighs fields, speakers, lines that stand
//! together and words that follow each other.

mod concepts;
mod fit;
mod near;
mod snippet;
mod spread;

use jiff::civil::Date;
use rusqlite::OptionalExtension as _;

use crate::index::{Index, IndexError, Totals};
use crate::transcripts::{self, Sessions};
use crate::vectors::Matrix;
pub(crate) use concepts::{Concept, QueryConcept};
use fit::{Fit, FitQuery};

/// Passages that are fitted as a whole, at most.
const MAX_FITTED: usize = 400;
/// A word that more passages have than this says too little to bring candidates.
const MAX_LISTED: i64 = 8_000;
/// Passages that are fetched for their meaning alone, unless more are to be told.
const MAX_NEAREST: usize = 200;
/// By how much a passage must be nearer in meaning than others are, to be told for that alone: a paraphrase has none of the
/// words, and the weight of meaning would keep it below any least score; but for some models everything is near.
const STANDS_OUT: f64 = 0.15;
/// How much of a neighbour's score a passage gets: talk about one thing runs over the cut.
const FROM_NEIGHBOUR: f64 = 0.08;

/// How results are picked, as the owner has it.
#[derive(Debug, Clone, PartialEq)]
pub struct PickRules {
    pub limit: usize,
    /// Least score that is told.
    pub min_score: f64,
    /// Share of the words and of the meaning in the score, where there are vectors.
    pub text_weight: f64,
    pub vector_weight: f64,
    /// How many times more than are wanted are fetched from each half.
    pub candidates: usize,
    /// Preferring what differs from what was picked before: 1 is not at all. `None` is off.
    pub diversity: Option<f64>,
    /// After so many days a dated passage counts half. `None` is off.
    pub half_life_days: Option<f64>,
}

impl Default for PickRules {
    fn default() -> Self {
        Self {
            limit: 6,
            min_score: 0.35,
            text_weight: 0.7,
            vector_weight: 0.3,
            candidates: 4,
            diversity: None,
            half_life_days: None,
        }
    }
}

/// A passage that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPassage {
    pub path: String,
    pub start_line: u32,
    pub end_line: u32,
    /// The line of it that fits best.
    pub line: u32,
    /// How well it fits, from 0 to 1.
    pub score: f64,
    /// The same by its words alone, and by its meaning alone where there are vectors.
    pub text_score: f64,
    pub vector_score: Option<f64>,
    pub heading: String,
    /// The lines that fit best.
    pub snippet: String,
    /// The day it was written on, or is about.
    pub day: Option<Date>,
    /// Words of the question that are in it, most telling first.
    pub matched: Vec<String>,
    /// Whether the agent wrote or said it, as far as is known, and not the owner.
    pub is_of_agent: bool,
}

/// A question with the vector of its meaning, where somebody made one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EmbeddedQuestion<'q> {
    pub(crate) words: &'q str,
    pub(crate) sessions: Sessions<'q>,
    pub(crate) today: Date,
    pub(crate) vector: Option<&'q [f32]>,
}

/// A candidate on its way to being told.
#[derive(Debug, Clone)]
struct Candidate {
    id: i64,
    fit: Fit,
    vector: Option<f64>,
    score: f64,
    /// What is held against the least score that is told.
    sure: f64,
}

/// Looks for the passages that fit a question best.
pub(crate) fn search(
    index: &Index,
    asked: EmbeddedQuestion<'_>,
    picking: &PickRules,
    matrix: Option<&Matrix>,
) -> Result<Vec<FoundPassage>, IndexError> {
    // One state of the index from here on: somebody may be writing.
    let _reading = index.db.unchecked_transaction()?;
    let totals = index.totals()?;
    if totals.passages <= 0 {
        return Ok(Vec::new());
    }
    let question = QueryConcept::read(index, asked.words, asked.today, totals)?;
    let question = near::resolve(index, question, asked, totals)?;
    let mut candidates = by_words(index, &question, totals, asked.sessions)?;
    if let Some(matrix) = matrix {
        let fitting = FitQuery::new(&question, totals);
        add_by_meaning(index, &fitting, picking, (matrix, asked), &mut candidates)?;
    }
    if let Some(half_life) = picking.half_life_days {
        spread::decay(index, &mut candidates, asked.today, half_life)?;
    }
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.id.cmp(&one.id)));
    candidates.retain(|candidate| candidate.sure >= picking.min_score);
    candidates.truncate(picking.limit.saturating_mul(picking.candidates.max(1)).max(picking.limit));
    if let Some(lambda) = picking.diversity {
        candidates = spread::diversify(index, candidates, lambda, picking.limit)?;
    }
    candidates.truncate(picking.limit);
    let fitting = FitQuery::new(&question, totals);
    candidates
        .iter()
        .filter_map(|candidate| told(index, &fitting, &question, candidate).transpose())
        .collect()
}

/// The passages that have its words, fitted.
fn by_words(
    index: &Index,
    question: &QueryConcept,
    totals: Totals,
    sessions: Sessions<'_>,
) -> Result<Vec<Candidate>, IndexError> {
    let mut ids = listed(index, question, totals)?;
    if ids.len() > MAX_FITTED {
        ids.select_nth_unstable_by(MAX_FITTED, |one, other| {
            other.1.total_cmp(&one.1).then(other.0.cmp(&one.0))
        });
        ids.truncate(MAX_FITTED);
    }
    // In the order they lie on the disk, neighbours side by side.
    ids.sort_unstable_by_key(|(id, _)| *id);
    let fitting = FitQuery::new(question, totals);
    let mut fits: Vec<(i64, Fit, String)> = Vec::with_capacity(ids.len());
    let mut statement = index.db.prepare_cached("SELECT length, words, path FROM chunks WHERE id = ?1")?;
    for (id, _) in ids {
        let row = statement.query_row([id], |row| {
            let (length, path): (i64, String) = (row.get(0)?, row.get(2)?);
            let fit = fitting.fit(row.get_ref(1)?.as_blob()?, length);
            Ok(sessions.may_see(&path).then_some((id, fit, path)))
        });
        fits.extend(row.optional()?.flatten());
    }
    let told = fits.iter().enumerate().map(|(place, (id, fit, path))| {
        let beside = |place: Option<usize>| {
            let other = place.and_then(|place| fits.get(place));
            let is_next = |other: &&(i64, Fit, String)| other.0.abs_diff(*id) == 1 && other.2 == *path;
            other.filter(is_next).map_or(0.0, |(_, fit, _)| fit.score)
        };
        let near = beside(place.checked_sub(1)).max(beside(Some(place + 1)));
        let score = fit.score + FROM_NEIGHBOUR * near.min(fit.score);
        let share = fitting.share(score);
        Candidate { id: *id, score: share, sure: share, fit: Fit { score, share }, vector: None }
    });
    Ok(told.collect())
}

/// How much of the question each passage has, by what FTS5 knows. Common words bring nobody while there are rarer ones.
fn listed(index: &Index, question: &QueryConcept, totals: Totals) -> Result<Vec<(i64, f64)>, IndexError> {
    let mut sums: Vec<(i64, f64)> = Vec::new();
    let mut statement =
        index.db.prepare_cached("SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH ?1 LIMIT ?2")?;
    let is_large = totals.passages > MAX_LISTED;
    let mut order: Vec<&Concept> =
        question.concepts.iter().filter(|concept| !concept.terms.is_empty()).collect();
    order.sort_by(|one, other| other.worth().total_cmp(&one.worth()));
    for concept in order {
        let is_common = is_large && (concept.is_small() || concept.passages > MAX_LISTED);
        if (is_common && !sums.is_empty()) || concept.passages == 0 {
            continue;
        }
        let ids = statement
            .query_map(rusqlite::params![concept.query(!is_large), MAX_LISTED], |row| row.get::<_, i64>(0))?;
        sums = merged(&sums, ids, concept.worth())?;
    }
    Ok(sums)
}

/// A list of sums and one of ids, both in order, as one.
fn merged(
    sums: &[(i64, f64)],
    ids: impl Iterator<Item = rusqlite::Result<i64>>,
    worth: f64,
) -> Result<Vec<(i64, f64)>, IndexError> {
    let mut all = Vec::with_capacity(sums.len() + sums.len() / 2 + 64);
    let mut known = sums.iter().copied().peekable();
    for id in ids {
        let id = id?;
        while let Some(before) = known.next_if(|(known, _)| *known < id) {
            all.push(before);
        }
        let had = known.next_if(|(known, _)| *known == id).map_or(0.0, |(_, sum)| sum);
        all.push((id, had + worth));
    }
    all.extend(known);
    Ok(all)
}

/// Brings in the passages whose meaning is nearest, and gives every candidate both scores.
fn add_by_meaning(
    index: &Index,
    fitting: &FitQuery<'_>,
    picking: &PickRules,
    (matrix, question): (&Matrix, EmbeddedQuestion<'_>),
    candidates: &mut Vec<Candidate>,
) -> Result<(), IndexError> {
    let wanted = picking.limit.saturating_mul(picking.candidates.max(1)).min(MAX_NEAREST).max(picking.limit);
    let Some(asked) = question.vector.and_then(|vector| matrix.asked(vector)) else { return Ok(()) };
    let nearest = matrix.nearest(&asked, wanted);
    let mut statement = index.db.prepare_cached("SELECT length, words, path FROM chunks WHERE id = ?1")?;
    // They come in the order of their ids.
    let known: Vec<i64> = candidates.iter().map(|candidate| candidate.id).collect();
    for (id, _) in nearest {
        if known.binary_search(&id).is_ok() {
            continue;
        }
        let row = statement.query_row([id], |row| {
            let may_see = question.sessions.may_see(row.get_ref(2)?.as_str()?);
            Ok(may_see.then_some(fitting.fit(row.get_ref(1)?.as_blob()?, row.get(0)?)))
        });
        if let Some(fit) = row.optional()?.flatten() {
            candidates.push(Candidate { id, score: 0.0, sure: 0.0, fit, vector: None });
        }
    }
    let all = picking.text_weight + picking.vector_weight;
    let (text, meaning) =
        if all > 0.0 { (picking.text_weight / all, picking.vector_weight / all) } else { (1.0, 0.0) };
    let usual = matrix.usual(&asked);
    for candidate in &mut *candidates {
        candidate.vector = matrix.likeness(candidate.id, &asked);
    }
    let best = candidates.iter().filter_map(|candidate| candidate.vector).fold(0.0, f64::max);
    // The nearest in meaning counts as much as the one with most of the words: how large either number is says little.
    let words = candidates.iter().map(|candidate| candidate.fit.share).fold(0.0, f64::max);
    for candidate in candidates {
        let near = candidate.vector.unwrap_or(0.0).max(0.0);
        let by_likeness = if text > 0.0 && words > 0.0 { words * usual.share(near, best) } else { near };
        candidate.score = text * candidate.fit.share + meaning * by_likeness;
        // A model takes nothing away that the words alone would have brought.
        let by_words = if text > 0.0 { candidate.fit.share } else { 0.0 };
        let by_meaning = if meaning > 0.0 && near >= usual.without(near) + STANDS_OUT { near } else { 0.0 };
        candidate.sure = candidate.score.max(by_words).max(by_meaning);
    }
    Ok(())
}

fn told(
    index: &Index,
    fitting: &FitQuery<'_>,
    question: &QueryConcept,
    candidate: &Candidate,
) -> Result<Option<FoundPassage>, IndexError> {
    let mut statement = index.db.prepare_cached(
        "SELECT path, start_line, end_line, day, heading, text, length, words,
                EXISTS (SELECT 1 FROM of_agent a WHERE a.hash = chunks.hash) FROM chunks WHERE id = ?1",
    )?;
    let round = |score: f64| (score.clamp(0.0, 1.0) * 1000.0).round() / 1000.0;
    let found = statement.query_row([candidate.id], |row| {
        let line = |column| row.get::<_, i64>(column).map(|line| u32::try_from(line).unwrap_or(u32::MAX));
        let (start_line, text) = (line(1)?, row.get_ref(5)?.as_str()?.to_owned());
        let day: Option<String> = row.get(3)?;
        let (snippet, lines) = snippet::cut(&text, question);
        let path: String = row.get(0)?;
        let is_talk = transcripts::session_of(&path).is_some();
        Ok(FoundPassage {
            is_of_agent: if is_talk { transcripts::is_of_agent(&text, lines) } else { row.get(8)? },
            path,
            start_line,
            end_line: line(2)?,
            score: round(candidate.score),
            text_score: round(candidate.fit.share),
            vector_score: candidate.vector.map(round),
            heading: row.get(4)?,
            snippet,
            // Lines of a message have one place.
            line: if is_talk {
                start_line
            } else {
                start_line.saturating_add(u32::try_from(lines).unwrap_or(0))
            },
            day: day.and_then(|day| day.parse().ok()),
            matched: fitting.matched(row.get_ref(7)?.as_blob()?, row.get(6)?),
        })
    });
    Ok(found.optional()?)
}

#[cfg(test)]
mod tests;
