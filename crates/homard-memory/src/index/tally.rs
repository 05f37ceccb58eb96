//! How much one transaction adds to the counts of an index: written once at its end, because a word of a batch of notes
//! is counted thousands of times.

use std::collections::{HashMap, HashSet};

use rusqlite::params;

use super::entry::{Part, PassageEntry, numbers};
use super::{Index, IndexError};

/// What is added so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Passages with a term, by its number; the term itself where it may be new.
    terms: HashMap<u32, (Option<String>, i64)>,
    passages: i64,
    words: i64,
    languages: u32,
}

impl Tally {
    pub(super) fn add(&mut self, entry: &PassageEntry) {
        for (number, term) in &entry.terms {
            let (known, count) = self.terms.entry(*number).or_default();
            known.get_or_insert_with(|| term.to_string());
            *count += 1;
        }
        self.passages += 1;
        self.words += entry.length;
        self.languages |= entry.language.bit();
    }

    /// A passage that is gone, by its length and its words.
    pub(super) fn subtract(&mut self, length: i64, words: &[u8]) {
        let mut gone: HashSet<u32> = HashSet::new();
        for part in Part::each(words) {
            match part {
                Part::Heading(words) | Part::Dates(words) => gone.extend(numbers(words)),
                Part::Line { speaker, words } => {
                    gone.extend(numbers(words).chain(Some(speaker).filter(|speaker| *speaker != 0)));
                }
            }
        }
        for number in gone {
            self.terms.entry(number).or_default().1 -= 1;
        }
        self.passages -= 1;
        self.words -= length;
    }
}

impl Index {
    /// Writes down what the transaction under way counted.
    pub(super) fn write_tally(&self) -> Result<(), IndexError> {
        let Tally { terms, passages, words, languages } = self.tally.take();
        let mut more = self.db.prepare_cached(
            "INSERT INTO terms (number, term, passages) VALUES (?1, ?2, ?3)
             ON CONFLICT (number) DO UPDATE SET passages = passages + excluded.passages",
        )?;
        let mut less =
            self.db.prepare_cached("UPDATE terms SET passages = passages + ?2 WHERE number = ?1")?;
        let mut gone = self.db.prepare_cached("DELETE FROM terms WHERE number = ?1 AND passages <= 0")?;
        for (number, (term, count)) in terms.iter().filter(|(_, (_, count))| *count != 0) {
            match term {
                Some(term) => more.execute(params![number, term, count])?,
                None => less.execute(params![number, count])?,
            };
            if *count < 0 {
                gone.execute([number])?;
            }
        }
        for (key, more) in
            [("passages", passages), ("words", words)].into_iter().filter(|(_, more)| *more != 0)
        {
            self.set_meta(key, &(self.counted(key)? + more).to_string())?;
        }
        if languages != 0 {
            let known = u32::try_from(self.counted("languages")?).unwrap_or(0);
            self.set_meta("languages", &(known | languages).to_string())?;
        }
        Ok(())
    }
}
