//! Words of many scripts.

use super::*;

fn told(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    Lexicon::default().terms(Language::of(text), text, &mut |_, term| found.push(term.to_string()));
    found
}

#[test]
fn words_are_folded_stemmed_and_freed_of_apostrophes() {
    assert_eq!(told("Anna's hiking boots weren't cleaned"), ["anna", "hike", "boot", "weren", "clean"]);
    assert_eq!(told("ZOË ｚｏｅ zoe"), ["zoe", "zoe", "zoe"]);
    assert_eq!(told("she bought children's snake_case"), ["she", "buy", "child", "snake", "case"]);
    assert_eq!(told("Straße"), told("STRASSE"));
}

#[test]
fn scripts_without_spaces_are_cut_into_pairs() {
    assert_eq!(told("東京タワー"), ["東京", "京タ", "タワ", "ワー"]);
    assert_eq!(told("猫 cat猫"), ["猫", "cat", "猫"]);
    assert_eq!(told("สวัสดี").len(), 5);
}

#[test]
fn the_language_of_a_text_is_the_one_of_its_small_words() {
    for (text, language) in [
        ("we went to the market and bought bread", Language::English),
        ("wir haben uns für die Laube am See entschieden", Language::German),
        ("nous avons choisi la maison au bord de la mer", Language::French),
        ("hemos elegido la casa que está en el campo", Language::Spanish),
        ("abbiamo scelto la casa che è sul mare con gli amici", Language::Italian),
        ("мы решили поехать на море и не брать машину", Language::Russian),
        ("sqlite", Language::English),
        ("", Language::English),
    ] {
        assert_eq!(Language::of(text), language, "{text}");
    }
}
