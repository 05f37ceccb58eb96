//! What is found in the book, in a small one and in the real one.

use super::{Page, find, pages};

fn book() -> Vec<Page> {
    [
        ("cron", "# Jobs by the clock\n\nRemind me.\n\n## When\n\nEvery hour, or `--at 20m`.\n```\n# not a heading\n```\n"),
        ("network", "# Network\n\nA gateway listens.\n\n## TLS\n\nA certificate that Homard makes; every clock must be right.\n"),
    ]
    .map(|(name, text)| Page::new(name, text))
    .to_vec()
}

#[test]
fn headings_and_rare_words_come_first() {
    let found = find(&book(), "clock", 5);
    let places: Vec<(&str, &str)> =
        found.iter().map(|hit| (hit.page.as_str(), hit.heading.as_str())).collect();
    assert_eq!(places, [("cron", "Jobs by the clock"), ("cron", "When"), ("network", "TLS")]);
    let found = find(&book(), "certificates?", 5);
    assert_eq!(found.len(), 0, "what begins with a word fits it, what it begins with does not");
    let found = find(&book(), "certif", 5);
    assert_eq!(found[0].excerpt, "A certificate that Homard makes; every clock must be right.");
}

#[test]
fn a_passage_with_all_words_comes_before_one_with_some() {
    let found = find(&book(), "certificate clock", 1);
    assert_eq!((found[0].page.as_str(), found[0].heading.as_str()), ("network", "TLS"));
}

#[test]
fn nothing_is_found_by_nothing() {
    for query in ["", "  ", "zzzz", "?!", "\0"] {
        assert_eq!(find(&book(), query, 5), [], "{query:?}");
    }
}

#[test]
fn the_book_is_there() {
    let pages = pages();
    let page = |name: &str| pages.iter().find(|page| page.name == name).unwrap();
    assert_eq!(page("start").title, "Five minutes");
    assert!(page("channels/telegram").text.contains("BotFather"));
    assert!(pages.iter().all(|page| page.name != "SUMMARY" && !page.title.is_empty()));
}

#[test]
fn what_people_ask_leads_to_the_page_that_answers() {
    let pages = pages();
    for (query, page) in [
        ("morning briefing", "recipes/briefing"),
        ("enable-linger", "start"),
        ("telegram bot token", "channels/telegram"),
        ("budget per day", "models"),
        ("hand-over upgrade", "operations"),
    ] {
        let found = find(&pages, query, 5);
        assert!(found.iter().any(|hit| hit.page == page), "{query}: {found:#?}");
    }
}
