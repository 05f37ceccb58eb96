//! Finding a passage of the book by words. Passages are what stands under one heading; rare words count more than
//! frequent ones, headings more than text, and a passage with all words comes before one with some.

use std::cmp::Ordering;

use homard_runtime::Clip as _;

use super::Page;

/// How much of a passage is shown.
const SHOWN_CHARS: usize = 200;
/// Words shorter than this must be met whole, longer ones may be the beginning of one.
const MIN_STEM: usize = 4;
/// What a word in a heading is worth beside one in the text.
const HEADING: f64 = 3.0;

/// Where something is said in the book.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    pub page: String,
    pub title: String,
    /// The heading it stands under; the title again at the beginning of a page.
    pub heading: String,
    /// The first lines with a word that was looked for.
    pub excerpt: String,
}

struct Section<'a> {
    page: &'a Page,
    heading: &'a str,
    lines: Vec<&'a str>,
    headed: Vec<String>,
    words: Vec<String>,
}

/// The passages that fit `query` best, best first.
#[must_use]
pub fn find(pages: &[Page], query: &str, limit: usize) -> Vec<Passage> {
    let wanted = words(query);
    let sections: Vec<Section<'_>> = pages.iter().flat_map(sections).collect();
    let rarity: Vec<f64> = wanted
        .iter()
        .map(|word| {
            let having =
                sections.iter().filter(|section| section.words.iter().any(|found| fits(found, word)));
            (1.0 + count(sections.len()) / (1.0 + count(having.count()))).ln()
        })
        .collect();
    let mut found: Vec<(f64, &Section<'_>)> = sections
        .iter()
        .map(|section| (worth(section, &wanted, &rarity), section))
        .filter(|(worth, _)| *worth > 0.0)
        .collect();
    found.sort_by(|(a, _), (b, _)| b.partial_cmp(a).unwrap_or(Ordering::Equal));
    found.into_iter().take(limit).map(|(_, section)| passage(section, &wanted)).collect()
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::INFINITY, f64::from)
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn fits(found: &str, wanted: &str) -> bool {
    found == wanted || (wanted.chars().count() >= MIN_STEM && found.starts_with(wanted))
}

fn worth(section: &Section<'_>, wanted: &[String], rarity: &[f64]) -> f64 {
    let mut sum = 0.0;
    let mut met = 0;
    for (word, rarity) in wanted.iter().zip(rarity) {
        let often = count(section.words.iter().filter(|found| fits(found, word)).count());
        let is_headed = section.headed.iter().any(|found| fits(found, word));
        if often > 0.0 || is_headed {
            met += 1;
        }
        // The third time a word occurs says less than the first, and in a long passage less than in a short one.
        let length = 1.0 + count(section.words.len()) / 200.0;
        sum += rarity * (often / (often + length) + if is_headed { HEADING } else { 0.0 });
    }
    let share = count(met) / count(wanted.len().max(1));
    sum * share * share
}

fn sections(page: &Page) -> Vec<Section<'_>> {
    let mut found: Vec<Section<'_>> = Vec::new();
    let mut is_code = false;
    for line in page.text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let heading = line.trim_start_matches('#').trim();
        if (line.starts_with('#') && !is_code) || found.is_empty() {
            let headed = words(&format!("{} {heading}", page.title));
            found.push(Section { page, heading, lines: Vec::new(), headed, words: Vec::new() });
        } else if let Some(section) = found.last_mut() {
            section.words.extend(words(line));
            section.lines.push(line);
        }
    }
    found
}

fn passage(section: &Section<'_>, wanted: &[String]) -> Passage {
    let has = |line: &&&str| words(line).iter().any(|found| wanted.iter().any(|word| fits(found, word)));
    let line = section.lines.iter().find(has).or(section.lines.iter().find(|line| !line.trim().is_empty()));
    let line = line.map_or("", |line| line.trim());
    let excerpt = line.ellipsis_after(SHOWN_CHARS);
    Passage {
        page: section.page.name.clone(),
        title: section.page.title.clone(),
        heading: section.heading.to_owned(),
        excerpt,
    }
}
