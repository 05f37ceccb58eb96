//! The terms of texts, each word stemmed once: notes say the same words again and again.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Language, Stems, is_tail, number, push_terms, spans};

/// Words that are remembered, at most; then it begins anew.
const MAX_WORDS: usize = 40_000;

/// Words as they were stemmed, by language.
#[derive(Default)]
pub(crate) struct Lexicon {
    languages: HashMap<Language, Known>,
}

struct Known {
    stems: Stems,
    /// Folded words and pairs of characters, each with its number and its term.
    words: HashMap<Box<str>, (u32, Arc<str>)>,
}

impl std::fmt::Debug for Lexicon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lexicon({} languages)", self.languages.len())
    }
}

impl Lexicon {
    /// Hands over the terms of a text in order, each with its number.
    pub(crate) fn terms(&mut self, language: Language, text: &str, take: &mut impl FnMut(u32, &Arc<str>)) {
        let known = self
            .languages
            .entry(language)
            .or_insert_with(|| Known { stems: Stems::of(language), words: HashMap::new() });
        for span in spans(text) {
            if is_tail(text, span) {
                continue;
            }
            push_terms(span.text, &mut |folded, is_pair| {
                if let Some((number, term)) = known.words.get(folded) {
                    return take(*number, term);
                }
                let term: Arc<str> = if is_pair { folded.into() } else { known.stems.term(folded).into() };
                if known.words.len() >= MAX_WORDS {
                    known.words.clear();
                }
                let number = number(&term);
                take(number, &term);
                known.words.insert(folded.into(), (number, term));
            });
        }
    }
}
