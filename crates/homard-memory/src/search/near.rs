//! Times that are named by what happened: "the week before the trip" is looked up in the notes themselves.

use super::concepts::{QueryConcept, weigh};
use super::{EmbeddedQuestion, by_words};
use crate::dates::{self, Reading};
use crate::index::{Index, IndexError, Totals};
use crate::words;

/// Least score at which a passage is taken for what happened.
const SURE: f64 = 0.45;
/// Weight of such a time.
const GUESSED: f64 = 1.0;
/// How much the words count by which such a time is named.
const NAMES_THE_TIME: f64 = 0.25;

/// Adds the time that "the week before the trip" means, where the notes say when the trip was.
pub(super) fn resolve(
    index: &Index,
    mut question: QueryConcept,
    asked: EmbeddedQuestion<'_>,
    totals: Totals,
) -> Result<QueryConcept, IndexError> {
    let Some((unit, step, event)) = event(asked.words) else { return Ok(question) };
    if !dates::scan(event, Some(asked.today), Reading::Question).is_empty() {
        return Ok(question);
    }
    let about = QueryConcept::read(index, event, asked.today, totals)?;
    let mut found = by_words(index, &about, totals, asked.sessions)?;
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    let Some(best) = found.first().filter(|best| best.score >= SURE) else { return Ok(question) };
    let mut statement = index.db.prepare_cached("SELECT day FROM chunks WHERE id = ?1")?;
    let day: Option<String> = statement.query_row([best.id], |row| row.get(0))?;
    let moment = day.and_then(|day| day.parse().ok()).and_then(|day| dates::beside(day, &unit, step));
    if let Some(moment) = moment {
        let mut concept = QueryConcept::time(&format!("{unit} beside {}", event.trim()), moment);
        concept.weight = GUESSED;
        weigh(index, &mut concept, totals)?;
        if concept.passages > 0 {
            // What happened is not what is asked for.
            let named: Vec<&str> = words::spans(event).map(|span| span.text).collect();
            for other in question.concepts.iter_mut().filter(|other| named.contains(&other.word.as_str())) {
                other.weight *= NAMES_THE_TIME;
            }
            question.concepts.push(concept);
        }
    }
    Ok(question)
}

/// The unit, the direction and the event of `the week before the trip`.
fn event(text: &str) -> Option<(String, i64, &str)> {
    let spans: Vec<_> = words::spans(text).collect();
    let at = spans.iter().position(|span| matches!(words::fold(span.text).as_str(), "before" | "after"))?;
    let (unit, word) = (spans.get(at.checked_sub(1)?)?, spans.get(at)?);
    let unit = words::fold(unit.text);
    let is_unit = matches!(unit.as_str(), "day" | "week" | "weekend" | "month");
    let step = if words::fold(word.text) == "before" { -1 } else { 1 };
    let event = text.get(word.at + word.text.len()..)?;
    (is_unit && !event.trim().is_empty()).then_some((unit, step, event))
}
