//! Which of the candidates are told when the owner wants more than the best: newer ones first, and not the same twice.

use std::collections::HashSet;

use jiff::civil::Date;

use super::Candidate;
use crate::index::{Index, IndexError};
use crate::words;

/// Makes dated passages count less with every day. What has no date is as true as ever.
pub(super) fn decay(
    index: &Index,
    candidates: &mut [Candidate],
    today: Date,
    half_life_days: f64,
) -> Result<(), IndexError> {
    let mut statement = index.db.prepare_cached("SELECT path, day FROM chunks WHERE id = ?1")?;
    for candidate in candidates {
        let (path, day): (String, Option<String>) =
            statement.query_row([candidate.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let day = day.filter(|_| path.starts_with("memory/")).and_then(|day| day.parse::<Date>().ok());
        if let Some(age) = day.and_then(|day| today.since(day).ok()) {
            let days = f64::from(age.get_days()).max(0.0);
            let share = (-std::f64::consts::LN_2 * days / half_life_days.max(0.1)).exp();
            candidate.score *= share;
            candidate.sure *= share;
        }
    }
    Ok(())
}

/// Picks one after the other what fits and differs from what was picked: `lambda` is the share of fitting.
pub(super) fn diversify(
    index: &Index,
    candidates: Vec<Candidate>,
    lambda: f64,
    limit: usize,
) -> Result<Vec<Candidate>, IndexError> {
    let lambda = lambda.clamp(0.0, 1.0);
    let mut statement = index.db.prepare_cached("SELECT text FROM chunks WHERE id = ?1")?;
    let mut left: Vec<(Candidate, HashSet<u32>)> = Vec::new();
    for candidate in candidates {
        let text: String = statement.query_row([candidate.id], |row| row.get(0))?;
        let bag = words::spans(&text).map(|span| words::number(&words::fold(span.text))).collect();
        left.push((candidate, bag));
    }
    let mut picked: Vec<(Candidate, HashSet<u32>)> = Vec::new();
    while picked.len() < limit && !left.is_empty() {
        let value = |(candidate, bag): &(Candidate, HashSet<u32>)| {
            let alike = picked.iter().map(|(_, other)| likeness(bag, other)).fold(0.0, f64::max);
            lambda * candidate.score - (1.0 - lambda) * alike
        };
        let values: Vec<f64> = left.iter().map(value).collect();
        let best =
            values.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1)).map_or(0, |(at, _)| at);
        picked.push(left.remove(best));
    }
    Ok(picked.into_iter().map(|(candidate, _)| candidate).collect())
}

/// Words both have among those either has.
fn likeness(one: &HashSet<u32>, other: &HashSet<u32>) -> f64 {
    let both = one.intersection(other).count();
    let either = one.len() + other.len() - both;
    if either == 0 { 0.0 } else { both as f64 / either as f64 }
}
