//! A passage as it is kept for ranking: its words as numbers, by field and line, so that fitting a question reads no text.

use std::collections::BTreeSet;

use homard_runtime::hex;
use sha2::{Digest, Sha256};

use crate::passages::Passage;
use crate::words::{self, Language, Stems, number};

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
    /// Every term once, for FTS5.
    pub(crate) terms: String,
    /// All of its words as numbers.
    pub(crate) words: Vec<u8>,
    /// How many words the text has.
    pub(crate) length: i64,
    pub(crate) language: Language,
}

/// One field of a passage.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Heading(Vec<u32>),
    Dates(Vec<u32>),
    Line {
        /// Who says it; 0 if nobody does.
        speaker: u32,
        words: Vec<u32>,
    },
}

impl PassageEntry {
    pub(crate) fn of(passage: &Passage) -> Self {
        let language = Language::of(&passage.text);
        let stems = Stems::of(language);
        let mut all: BTreeSet<String> = BTreeSet::new();
        let mut numbers = vec![HEADING];
        for term in words::terms(&passage.heading, &stems) {
            numbers.push(number(&term));
            all.insert(term);
        }
        numbers.push(DATES);
        for mark in passage.moments().into_iter().flat_map(crate::dates::Moment::marks) {
            numbers.push(number(&mark));
            all.insert(mark);
        }
        let mut length = 0;
        for line in &passage.lines {
            let speaker = line.speaker.as_deref().map(speaker_terms).unwrap_or_default();
            numbers.extend([LINE, speaker.first().map_or(0, |name| number(name))]);
            all.extend(speaker);
            for term in words::terms(&line.words, &stems) {
                numbers.push(number(&term));
                length += 1;
                all.insert(term);
            }
        }
        let hash = Sha256::digest(format!("{}\n{}", passage.heading, passage.text));
        Self {
            hash: hex(hash.get(..HASH_BYTES).unwrap_or_default()),
            terms: all.into_iter().collect::<Vec<_>>().join(" "),
            words: numbers.into_iter().flat_map(u32::to_le_bytes).collect(),
            length,
            language,
        }
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

impl Part {
    /// Reads what [`PassageEntry::of`] wrote; whatever is not of its form is passed over.
    pub(crate) fn read(words: &[u8]) -> Vec<Self> {
        let mut numbers =
            words.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok().map(u32::from_le_bytes));
        let mut parts: Vec<Self> = Vec::new();
        while let Some(next) = numbers.next() {
            match next {
                HEADING => parts.push(Self::Heading(Vec::new())),
                DATES => parts.push(Self::Dates(Vec::new())),
                LINE => {
                    let Some(speaker) = numbers.next() else { break };
                    parts.push(Self::Line { speaker, words: Vec::new() });
                }
                word => match parts.last_mut() {
                    Some(Self::Heading(words) | Self::Dates(words) | Self::Line { words, .. }) => {
                        words.push(word);
                    }
                    None => {}
                },
            }
        }
        parts
    }
}
