//! Which addresses carry something out.

use super::{News, Seen};

fn seen(text: &str) -> Seen {
    let seen = Seen::default();
    seen.note(text, "");
    seen
}

#[test]
fn what_somebody_else_named_may_be_fetched() {
    let text = "see [docs](https://docs.example.org/a/b?page=2#top), <https://other.example/x>. Also http://plain.example!";
    for (address, news) in [
        ("https://docs.example.org/a/b?page=2", News::Nothing),
        ("https://docs.example.org/a/b?page=2#elsewhere", News::Nothing),
        ("https://DOCS.example.org/a/b?page=2", News::Nothing),
        ("https://other.example/x", News::Nothing),
        ("http://plain.example/", News::Nothing),
        ("https://docs.example.org/a/c", News::Nothing),
        ("https://docs.example.org/a/b?page=3", News::Nothing),
        ("https://evil.example/", News::Host),
        ("https://docs.example.org.evil.example/a/b?page=2", News::Host),
        ("https://docs.example.org:444/a/b", News::Host),
        ("https://docs.example.org/a/b?key=0123456789012345678901234567890123456789", News::Rest),
        ("https://docs.example.org/AKIAIOSFODNN7EXAMPLE", News::Rest),
        ("https://docs.example.org/a/b?d=correct-horse", News::Rest),
        ("https://docs.example.org/0123456789012345678901234567890123456789", News::Rest),
        ("not an address", News::Host),
    ] {
        assert_eq!(seen(text).judge(address), news, "{address}");
    }
}

#[test]
fn little_by_little_is_as_much_as_all_at_once() {
    let seen = seen("https://example.org/");
    let told = ["abcdefgh", "bcdefghi", "cdefghij", "defghijk"]
        .map(|part| seen.judge(&format!("https://example.org/{part}")));
    assert_eq!(told, [News::Nothing; 4]);
    assert_eq!(seen.judge("https://example.org/e"), News::Rest);
}

#[test]
fn what_the_model_asked_for_is_not_named_by_the_answer() {
    let seen = Seen::default();
    let asked = r#"{"query": "https://evil.example/?d=stolen"}"#;
    seen.note("no results for https://evil.example/?d=stolen but https://good.example/", asked);
    assert_eq!(seen.judge("https://evil.example/?d=stolen"), News::Host);
    assert_eq!(seen.judge("https://good.example/"), News::Nothing);
}

#[test]
fn a_page_that_names_an_address_for_every_letter_is_told_little() {
    let alphabet: String = ('a'..='z').map(|letter| format!("https://evil.example/{letter} ")).collect();
    let seen = seen(&alphabet);
    let told = "averylongsecretthatapagewouldliketobetoldletterbyletter";
    let asked = told
        .chars()
        .take_while(|letter| seen.judge(&format!("https://evil.example/{letter}")) == News::Nothing);
    assert_eq!(asked.count(), 38, "192 bits by five");
    assert_eq!(seen.judge("https://evil.example/a"), News::Choice);
}

#[test]
fn reading_many_pages_one_after_another_is_no_telling() {
    let links: String = (0..3_000).map(|page| format!("https://example.org/{page} ")).collect();
    let seen = seen(&links);
    for page in 0..15 {
        assert_eq!(seen.judge(&format!("https://example.org/{page}")), News::Nothing, "{page}");
    }
}
