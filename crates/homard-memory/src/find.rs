//! Finding words in the text of one file. Nothing here reads files or asks for the time.

use homard_protocol::methods::memory::{MemoryFile, MemoryHit};

/// Words beyond these are not looked for.
const MAX_WORDS: usize = 16;
/// Longest passage, in lines.
const PASSAGE_LINES: usize = 8;
/// Longest text of a hit, in characters.
const SNIPPET_CHARS: usize = 480;
/// How much of it stands before the first word that was found, when it must be cut.
const LEAD_CHARS: usize = 80;
/// Most passages of one file.
const MAX_PER_FILE: usize = 6;
/// After so many days a file counts half as recent.
const HALF_RECENT_DAYS: f64 = 30.0;
const DAY_MS: f64 = 86_400_000.0;

/// The words that are looked for, in small letters.
#[derive(Debug)]
pub(super) struct MemoryQuery {
    words: Vec<String>,
}

/// Some lines of a file.
#[derive(Debug)]
struct Passage {
    first: usize,
    text: Vec<String>,
}

impl MemoryQuery {
    pub(super) fn read(query: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        for word in query.split_whitespace().map(str::to_lowercase) {
            if words.len() < MAX_WORDS && !words.contains(&word) {
                words.push(word);
            }
        }
        Self { words }
    }

    /// The passages in which most of the words are, if all of them are somewhere in the file.
    pub(super) fn passages(&self, file: &MemoryFile, text: &str, now: i64) -> Vec<MemoryHit> {
        let whole = text.to_lowercase();
        if self.words.is_empty() || !self.words.iter().all(|word| whole.contains(word.as_str())) {
            return Vec::new();
        }
        let mut found: Vec<(usize, usize, Passage)> = Vec::new();
        for passage in passages(text) {
            let said = passage.text.join("\n").to_lowercase();
            let counts = self.words.iter().map(|word| said.matches(word.as_str()).count());
            let (different, all) =
                counts.fold((0, 0), |(different, all), n| (different + usize::from(n > 0), all + n));
            if different > 0 {
                found.push((different, all, passage));
            }
        }
        let most = found.iter().map(|(different, ..)| *different).max().unwrap_or(0);
        found.retain(|(different, ..)| *different == most);
        found.sort_by_key(|(_, all, _)| std::cmp::Reverse(*all));
        found.truncate(MAX_PER_FILE);
        let hit = |(different, all, passage): (usize, usize, Passage)| {
            let score = self.score(different, all, file.updated_at_ms, now);
            self.hit(file, &passage, score)
        };
        found.into_iter().map(hit).collect()
    }

    fn hit(&self, file: &MemoryFile, passage: &Passage, score: f64) -> MemoryHit {
        let line = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let first = passage.first;
        MemoryHit {
            path: file.path.clone(),
            start_line: line(first + 1),
            end_line: line(first + passage.text.len()),
            score,
            snippet: self.snippet(&passage.text.join("\n")),
            updated_at_ms: file.updated_at_ms,
        }
    }

    /// Mostly how many of the words are there, then how often, then how lately.
    #[expect(clippy::cast_precision_loss, reason = "counts and ages far below what a double holds exactly")]
    fn score(&self, different: usize, all: usize, updated: Option<i64>, now: i64) -> f64 {
        let fit = different as f64 / self.words.len().max(1) as f64;
        let often = all as f64 / (all as f64 + 2.0);
        let days = updated.map_or(f64::INFINITY, |at| now.saturating_sub(at).max(0) as f64 / DAY_MS);
        let lately = 1.0 / (1.0 + days / HALF_RECENT_DAYS);
        let score = 0.6 * fit + 0.2 * often + 0.2 * lately;
        (score * 1000.0).round() / 1000.0
    }

    /// The text, cut around the first word that was found.
    fn snippet(&self, text: &str) -> String {
        if text.chars().count() <= SNIPPET_CHARS {
            return text.to_owned();
        }
        let small = text.to_lowercase();
        let at = self.words.iter().filter_map(|word| small.find(word.as_str())).min().unwrap_or(0);
        // Small letters may take other room than large ones; a lead more or less does no harm.
        let before = small.get(..at).map_or(0, |before| before.chars().count()).saturating_sub(LEAD_CHARS);
        let mut cut = String::new();
        if before > 0 {
            cut.push('…');
        }
        cut.extend(text.chars().skip(before).take(SNIPPET_CHARS));
        if text.chars().count() > before + SNIPPET_CHARS {
            cut.push('…');
        }
        cut
    }
}

/// A text in passages: paragraphs, with the heading that stands over them.
fn passages(text: &str) -> Vec<Passage> {
    let mut all: Vec<Passage> = Vec::new();
    let mut open: Option<Passage> = None;
    for (number, line) in text.lines().enumerate() {
        let blank = line.trim().is_empty();
        let heading = line.starts_with('#');
        let ends = open.as_ref().is_some_and(|passage| {
            let only_heading =
                passage.text.iter().all(|line| line.starts_with('#') || line.trim().is_empty());
            heading || (blank && !only_heading) || passage.text.len() >= PASSAGE_LINES
        });
        if ends {
            all.extend(open.take());
        }
        match &mut open {
            Some(passage) => passage.text.push(line.to_owned()),
            None if blank => {}
            None => open = Some(Passage { first: number, text: vec![line.to_owned()] }),
        }
    }
    all.extend(open);
    all
}
