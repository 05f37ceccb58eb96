//! Words of any script, as they are indexed and looked for: folded, stemmed in the language of their text, and cut into
//! pairs of characters where nobody writes spaces. Nothing here reads files or knows what a passage is.

mod fold;
mod irregular;
mod kin;
mod lexicon;
mod stop;

use rust_stemmers::{Algorithm, Stemmer};

pub(crate) use fold::{fold, unmarked};
pub(crate) use kin::kin;
pub(crate) use lexicon::Lexicon;
pub(crate) use stop::languages_of;

/// Longest word that is kept, in characters; what is longer is no word.
const MAX_WORD_CHARS: usize = 40;
/// Stop words of a language a text must have before it counts as written in it.
const MIN_EVIDENCE: usize = 2;

/// Makes the tables that stay for good. Made while a list of thousands of notes is held they would lie behind it, and keep
/// its room from going back to the system.
pub(crate) fn make_tables() {
    irregular::make_table();
    kin::make_table();
    stop::make_table();
}

/// A language whose words are stemmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Russian,
}

impl Language {
    pub(crate) const ALL: [Self; 8] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Italian,
        Self::Portuguese,
        Self::Dutch,
        Self::Russian,
    ];

    fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Italian => Algorithm::Italian,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Dutch => Algorithm::Dutch,
            Self::Russian => Algorithm::Russian,
        }
    }

    /// Its bit in the set of languages an index holds.
    pub(crate) fn bit(self) -> u32 {
        1 << (self as u32)
    }

    /// The language most of a text's small words are of; English when nothing speaks for another.
    pub(crate) fn of(text: &str) -> Self {
        let mut counts = [0_usize; Self::ALL.len()];
        for word in spans(text).filter(|word| !is_tail(text, *word)).take(400) {
            let bits = languages_of(&fold(word.text));
            for (count, language) in counts.iter_mut().zip(Self::ALL) {
                *count += usize::from(bits & language.bit() != 0);
            }
        }
        let english = counts.first().copied().unwrap_or(0);
        let best = Self::ALL.into_iter().zip(counts).rev().max_by_key(|(_, count)| *count);
        match best {
            Some((language, count)) if count >= MIN_EVIDENCE && count > english => language,
            _ => Self::English,
        }
    }
}

/// Stems words of one language.
pub(crate) struct Stems {
    language: Language,
    stemmer: Stemmer,
}

impl Stems {
    pub(crate) fn of(language: Language) -> Self {
        Self { language, stemmer: Stemmer::create(language.algorithm()) }
    }

    /// The term of one folded word.
    pub(crate) fn term(&self, folded: &str) -> String {
        // Short words and numbers have no endings.
        if folded.chars().count() < 3 || folded.chars().any(|c| c.is_numeric()) {
            return folded.to_owned();
        }
        let word = if self.language == Language::English { irregular::base(folded) } else { folded };
        self.stemmer.stem(word).into_owned()
    }
}

/// A word where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span<'t> {
    pub(crate) text: &'t str,
    /// Where it begins, in bytes.
    pub(crate) at: usize,
}

/// The words of a text as people write them: letters, digits and marks in a row. An apostrophe ends a word, so that
/// "Anna's" is Anna.
pub(crate) fn spans(text: &str) -> impl Iterator<Item = Span<'_>> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (at, first) = rest.by_ref().find(|(_, c)| is_part(*c))?;
        let mut end = at + first.len_utf8();
        while let Some((place, c)) = rest.next_if(|(_, c)| is_part(*c)) {
            end = place + c.len_utf8();
        }
        Some(Span { text: text.get(at..end)?, at })
    })
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || ('\u{300}'..='\u{36f}').contains(&c)
}

/// Whether it is what an apostrophe leaves: the `s` of "Anna's", the `t` of "don't".
pub(crate) fn is_tail(text: &str, span: Span<'_>) -> bool {
    let before = text.get(..span.at).and_then(|before| before.chars().next_back());
    span.text.chars().count() <= 2 && matches!(before, Some('\'' | '’'))
}

/// Hands over the folded words of what stands between spaces: itself, or pairs of characters where it is of a script
/// without spaces; the second argument says which.
pub(crate) fn push_terms(word: &str, take: &mut impl FnMut(&str, bool)) {
    let folded = fold(word);
    let mut run: Vec<char> = Vec::new();
    let mut plain = String::new();
    for c in folded.chars() {
        if is_unspaced(c) {
            flush_plain(&mut plain, take);
            run.push(c);
        } else {
            flush_run(&mut run, take);
            plain.push(c);
        }
    }
    flush_plain(&mut plain, take);
    flush_run(&mut run, take);
}

fn flush_plain(plain: &mut String, take: &mut impl FnMut(&str, bool)) {
    for part in plain.split('_').filter(|part| !part.is_empty()) {
        if part.chars().count() <= MAX_WORD_CHARS {
            take(part, false);
        }
    }
    plain.clear();
}

fn flush_run(run: &mut Vec<char>, take: &mut impl FnMut(&str, bool)) {
    if let [only] = run.as_slice() {
        take(&only.to_string(), true);
    }
    for pair in run.windows(2) {
        take(&pair.iter().collect::<String>(), true);
    }
    run.clear();
}

/// Whether a character is of a script in which words are not set apart, or carry their particles: Chinese, Japanese,
/// Korean, Thai, Lao, Khmer, Burmese.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1100..=0x11ff | 0x1780..=0x17ff | 0x3040..=0x30ff
        | 0x3130..=0x318f | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af
        | 0xf900..=0xfaff | 0x20000..=0x323af)
}

/// The number a term is known by in a passage. Two terms with one number cost a wrong place in a list, nothing more.
pub(crate) fn number(term: &str) -> u32 {
    let mut hash = 0x811c_9dc5_u32;
    for byte in term.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    // The smallest numbers mean something else in a passage.
    hash.max(16)
}

#[cfg(test)]
mod tests;
