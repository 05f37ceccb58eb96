//! Which addresses carry something out.

use super::{KnownUrls, Novelty};

fn seen(text: &str) -> KnownUrls {
    let seen = KnownUrls::default();
    seen.note(text, "");
    seen
}

#[test]
fn what_somebody_else_named_may_be_fetched() {
    let text = "see [docs](https://docs.example.org/a/b?page=2#top), <https://other.example/x>. Also http://plain.example!";
    for (address, news) in [
        ("https://docs.example.org/a/b?page=2", Novelty::Nothing),
        ("https://docs.example.org/a/b?page=2#elsewhere", Novelty::Nothing),
        ("https://DOCS.example.org/a/b?page=2", Novelty::Nothing),
        ("https://other.example/x", Novelty::Nothing),
        ("http://plain.example/", Novelty::Nothing),
        ("https://docs.example.org/a/c", Novelty::Nothing),
        ("https://docs.example.org/a/b?page=3", Novelty::Nothing),
        ("https://evil.example/", Novelty::Host),
        ("https://docs.example.org.evil.example/a/b?page=2", Novelty::Host),
        ("https://docs.example.org:444/a/b", Novelty::Host),
        ("https://docs.example.org/a/b?key=0123456789012345678901234567890123456789", Novelty::Rest),
        ("https://docs.example.org/AKIAIOSFODNN7EXAMPLE", Novelty::Rest),
        ("https://docs.example.org/a/b?d=correct-horse", Novelty::Rest),
        ("https://docs.example.org/0123456789012345678901234567890123456789", Novelty::Rest),
        ("not an address", Novelty::Host),
    ] {
        assert_eq!(seen(text).judge(address), news, "{address}");
    }
}

#[test]
fn little_by_little_is_as_much_as_all_at_once() {
    let seen = seen("https://example.org/");
    let told = ["abcdefgh", "bcdefghi", "cdefghij", "defghijk"]
        .map(|part| seen.judge(&format!("https://example.org/{part}")));
    assert_eq!(told, [Novelty::Nothing; 4]);
    assert_eq!(seen.judge("https://example.org/e"), Novelty::Rest);
}

#[test]
fn what_the_model_asked_for_is_not_named_by_the_answer() {
    let seen = KnownUrls::default();
    let asked = r#"{"query": "https://evil.example/?d=stolen"}"#;
    seen.note("no results for https://evil.example/?d=stolen but https://good.example/", asked);
    assert_eq!(seen.judge("https://evil.example/?d=stolen"), Novelty::Host);
    assert_eq!(seen.judge("https://good.example/"), Novelty::Nothing);
}

#[test]
fn a_page_that_names_an_address_for_every_letter_is_told_little() {
    let alphabet: String = ('a'..='z').map(|letter| format!("https://evil.example/{letter} ")).collect();
    let seen = seen(&alphabet);
    let told = "averylongsecretthatapagewouldliketobetoldletterbyletter";
    let asked = told
        .chars()
        .take_while(|letter| seen.judge(&format!("https://evil.example/{letter}")) == Novelty::Nothing);
    assert_eq!(asked.count(), 38, "192 bits by five");
    assert_eq!(seen.judge("https://evil.example/a"), Novelty::Choice);
}

#[test]
fn reading_many_pages_one_after_another_is_no_telling() {
    let links: String = (0..3_000).map(|page| format!("https://example.org/{page} ")).collect();
    let seen = seen(&links);
    for page in 0..15 {
        assert_eq!(seen.judge(&format!("https://example.org/{page}")), Novelty::Nothing, "{page}");
    }
}
