//! A passage as it is kept for ranking: its words as numbers, by field and line, so that fitting a question reads no text.

use std::collections::BTreeMap;
use std::sync::Arc;

use homard_runtime::hex;
use sha2::{Digest, Sha256};

use crate::passages::Passage;
use crate::words::{self, Language, Lexicon, number};

/// Bytes of a passage's hash that are kept.
const HASH_BYTES: usize = 16;
/// Stands before the name of whoever speaks, so that a speaker is not a word of the text.
const SPEAKER: char = '¶';
/// What begins the headings, the marks of dates, and a line; numbers of words are larger.
const HEADING: u32 = 1;
const DATES: u32 = 2;
const LINE: u32 = 3;

/// What is written down about a passage besides its text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PassageEntry {
    pub(crate) hash: String,
    /// Every term once, by its number.
    pub(crate) terms: BTreeMap<u32, Arc<str>>,
    /// All of its words as numbers.
    pub(crate) words: Vec<u8>,
    /// How many words the text has.
    pub(crate) length: i64,
    pub(crate) language: Language,
}

/// One field of a passage; its words as they are kept, for [`numbers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'w> {
    Heading(&'w [u8]),
    Dates(&'w [u8]),
    Line {
        /// Who says it; 0 if nobody does.
        speaker: u32,
        words: &'w [u8],
    },
}

impl Passage {
    /// What it is known by: two that say the same have the same.
    pub(crate) fn hash(&self) -> String {
        let hash = Sha256::digest(format!("{}\n{}", self.heading, self.text));
        hex(hash.get(..HASH_BYTES).unwrap_or_default())
    }
}

impl PassageEntry {
    pub(crate) fn of(passage: &Passage, lexicon: &mut Lexicon) -> Self {
        let language = Language::of(&passage.text);
        let mut terms: BTreeMap<u32, Arc<str>> = BTreeMap::new();
        let mut numbers = vec![HEADING];
        let mut take = |numbers: &mut Vec<u32>, number: u32, term: &Arc<str>| {
            numbers.push(number);
            terms.entry(number).or_insert_with(|| Arc::clone(term));
        };
        lexicon.terms(language, &passage.heading, &mut |number, term| take(&mut numbers, number, term));
        numbers.push(DATES);
        for mark in passage.moments().into_iter().flat_map(crate::dates::Moment::marks) {
            take(&mut numbers, number(&mark), &mark.into());
        }
        let mut length = 0;
        for line in &passage.lines {
            let speaker = line.speaker.as_deref().map(speaker_terms).unwrap_or_default();
            numbers.extend([LINE, speaker.first().map_or(0, |name| number(name))]);
            let mut names = Vec::new();
            speaker.iter().for_each(|name| take(&mut names, number(name), &name.as_str().into()));
            lexicon.terms(language, &line.words, &mut |number, term| {
                take(&mut numbers, number, term);
                length += 1;
            });
        }
        Self {
            hash: passage.hash(),
            terms,
            words: numbers.into_iter().flat_map(u32::to_le_bytes).collect(),
            length,
            language,
        }
    }

    /// Its terms as FTS5 reads them.
    pub(crate) fn text(&self) -> String {
        let terms: Vec<&str> = self.terms.values().map(AsRef::as_ref).collect();
        terms.join(" ")
    }
}

/// The terms of a speaker: the whole name first, then its parts.
pub(crate) fn speaker_terms(name: &str) -> Vec<String> {
    let parts: Vec<String> = words::spans(name).map(|span| words::fold(span.text)).collect();
    let mut terms = vec![format!("{SPEAKER}{}", parts.concat())];
    if parts.len() > 1 {
        terms.extend(parts.iter().map(|part| format!("{SPEAKER}{part}")));
    }
    terms
}

/// The numbers of words as they are kept.
pub(crate) fn numbers(words: &[u8]) -> impl Iterator<Item = u32> {
    words.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
}

impl<'w> Part<'w> {
    /// Reads what [`PassageEntry::of`] wrote; whatever is not of its form is passed over.
    pub(crate) fn each(words: &'w [u8]) -> impl Iterator<Item = Self> {
        let mut rest = words;
        std::iter::from_fn(move || {
            loop {
                let (first, after) = rest.split_first_chunk::<4>()?;
                let kind = u32::from_le_bytes(*first);
                let (speaker, after) = match kind {
                    LINE => {
                        let (speaker, after) = after.split_first_chunk::<4>()?;
                        (u32::from_le_bytes(*speaker), after)
                    }
                    _ => (0, after),
                };
                let length = numbers(after).take_while(|number| *number > LINE).count();
                let (own, after) = after.split_at_checked(length * 4)?;
                rest = after;
                match kind {
                    HEADING => return Some(Self::Heading(own)),
                    DATES => return Some(Self::Dates(own)),
                    LINE => return Some(Self::Line { speaker, words: own }),
                    _ => {}
                }
            }
        })
    }
}
