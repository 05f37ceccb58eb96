//! What is found by which words.

use jiff::civil::date;

use super::*;
use crate::index::FileRow;
use crate::{dates, passages};

fn index(files: &[(&str, &str)]) -> (tempfile::TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(&folder.path().join("i.sqlite")).unwrap();
    for (path, text) in files {
        let row = FileRow { hash: String::new(), mtime: 0, size: 0 };
        let passages = passages::cut(text, 1_600, dates::day_in(path));
        index.together(|index| index.put(path, &row, &passages)).unwrap();
    }
    (folder, index)
}

fn first(index: &Index, words: &str) -> String {
    let asked = EmbeddedQuestion { words, today: date(2026, 11, 18), sessions: Sessions::None, vector: None };
    let found = search(index, asked, &PickRules::default(), None).unwrap();
    found.first().map_or_else(String::new, |found| found.path.clone())
}

#[test]
fn words_are_found_in_every_script_and_form() {
    let (_folder, index) = index(&[
        ("en.md", "She bought new hiking boots in the mountains."),
        ("de.md", "Wir haben die Wohnungen am See besichtigt und uns für die kleine entschieden."),
        ("fr.md", "Nous avons choisi la maison au bord de la mer pour les vacances."),
        ("ja.md", "東京タワーの近くのホテルを予約した。"),
        ("zh.md", "我们决定把数据库迁移到新的服务器。"),
        ("ru.md", "Мы решили поехать на море летом и не брать машину."),
        ("el.md", "Το καλοκαίρι πήγαμε στη θάλασσα."),
        ("noise.md", "Nothing of interest was written on this page."),
    ]);
    for (words, path) in [
        ("What kind of boot did she buy on a hike?", "en.md"),
        ("mountians hikng", "en.md"),
        ("Welche Wohnung haben wir besichtigt?", "de.md"),
        ("quelles maisons avons-nous choisies ?", "fr.md"),
        ("東京のホテル", "ja.md"),
        ("数据库服务器", "zh.md"),
        ("машина летом", "ru.md"),
        ("ΘΆΛΑΣΣΑ", "el.md"),
        ("mountai", "en.md"),
    ] {
        assert_eq!(first(&index, words), path, "{words}");
    }
}

#[test]
fn the_one_who_is_asked_about_is_the_one_who_spoke() {
    let talk = |one: &str, other: &str| {
        format!("Melanie: {one}\nCaroline: {other}\nMelanie: I see.\nCaroline: Take care!\n")
    };
    let (_folder, index) = index(&[
        ("a.md", &talk("How are you?", "I adopted a puppy from the shelter.")),
        ("b.md", &talk("I adopted a puppy from the shelter.", "Wow, tell me more.")),
    ]);
    assert_eq!(first(&index, "What did Caroline adopt from the shelter?"), "a.md");
    assert_eq!(first(&index, "What did Mel adopt from the shelter?"), "b.md");
}

#[test]
fn times_are_found_however_they_are_written() {
    let (_folder, index) = index(&[
        ("memory/2023-05-08.md", "Went running. Yesterday we painted."),
        ("memory/2023-06-09.md", "Went running again."),
        ("talk.md", "# Session 3, 7:55 pm on 9 July, 2024\nWent running once more.\n"),
        ("memory/2026-05-12.md", "Went running, too."),
        ("memory/2026-11-17.md", "Went running, of course."),
        ("memory/2026-10-01-trip.md", "The trip to Norway begins today."),
        ("memory/2026-09-28.md", "Went running with the bags packed."),
    ]);
    for (words, path) in [
        ("running on May 8, 2023", "memory/2023-05-08.md"),
        ("running in June 2023", "memory/2023-06-09.md"),
        ("running in 2024", "talk.md"),
        ("running last May", "memory/2026-05-12.md"),
        ("running yesterday", "memory/2026-11-17.md"),
        ("what was painted on 7 May 2023", "memory/2023-05-08.md"),
        ("did I go running in the week before the trip to Norway?", "memory/2026-09-28.md"),
    ] {
        assert_eq!(first(&index, words), path, "{words}");
    }
}

#[test]
fn headings_weigh_more_and_small_words_alone_are_not_enough() {
    let (_folder, index) = index(&[
        ("a.md", "# Insurance\nThe contract ends in March.\n"),
        ("b.md", "# Car\nWe talked about insurance and tyres and other things of the car.\n"),
    ]);
    assert_eq!(first(&index, "insurance"), "a.md");
    assert_eq!(first(&index, "what is this about?"), "");
}

#[test]
fn a_word_that_every_note_has_finds_them_all_the_same() {
    let notes: Vec<(String, String)> = (1..=30)
        .map(|day| (format!("{day}.md"), format!("# Day {day}\nSaw a heron at the pond near the mill.\n")))
        .collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (_folder, index) = index(&notes);
    assert_ne!(first(&index, "heron"), "");
    assert_ne!(first(&index, "where was the heron?"), "");
    assert_eq!(first(&index, "what is this about?"), "");
}

#[test]
fn a_snippet_is_the_place_that_fits() {
    let filler = "Nothing to see in this line of the note at all.\n".repeat(20);
    let (_folder, index) = index(&[("a.md", &format!("{filler}The spare key is under the pot.\n{filler}"))]);
    let asked = EmbeddedQuestion {
        words: "where is the spare key",
        today: date(2026, 11, 18),
        sessions: Sessions::None,
        vector: None,
    };
    let found = search(&index, asked, &PickRules::default(), None).unwrap();
    assert!(found[0].snippet.contains("spare key"), "{}", found[0].snippet);
    assert!(found[0].snippet.chars().count() <= 702);
    assert_eq!(found[0].matched, ["spare", "key"]);
    assert_eq!(found[0].line, 21);
}

#[test]
fn newer_notes_and_different_ones_are_preferred_where_the_owner_wants_it() {
    let (_folder, index) = index(&[
        ("memory/2020-01-01.md", "The tide is high. The tide is high. The tide is high."),
        ("memory/2026-11-01.md", "A tide, among boats and ropes and nets."),
        ("memory/2020-01-02.md", "The tide is high. The tide is high. The tide is high!"),
    ]);
    let asked = EmbeddedQuestion {
        words: "tide high",
        today: date(2026, 11, 18),
        sessions: Sessions::None,
        vector: None,
    };
    let order = |picking: &PickRules| -> Vec<String> {
        let found = search(&index, asked, picking, None).unwrap();
        found.into_iter().map(|found| found.path).collect()
    };
    let usual = PickRules { min_score: 0.0, ..PickRules::default() };
    assert_eq!(order(&usual)[2], "memory/2026-11-01.md");
    assert_eq!(order(&PickRules { half_life_days: Some(30.0), ..usual.clone() })[0], "memory/2026-11-01.md");
    assert_eq!(order(&PickRules { diversity: Some(0.5), ..usual })[1], "memory/2026-11-01.md");
}

#[test]
fn everyday_words_for_the_same_thing_are_found_and_count_less_than_the_word_itself() {
    let (_folder, index) = index(&[
        ("settled.md", "In the end we settled on Kafka for that."),
        ("journey.md", "The journey to Crete was long."),
        ("dentist.md", "The trip to the dentist was short."),
        ("noise.md", "Bread and butter, and a quiet evening at last."),
    ]);
    for (words, path) in [
        ("What was the decision?", "settled.md"),
        ("which one did they choose", "settled.md"),
        ("Tell me about the journey", "journey.md"),
        ("Tell me about the trip", "dentist.md"),
        ("what kind of jorney", "journey.md"),
        ("Was it a long voyage or a holiday?", "journey.md"),
    ] {
        assert_eq!(first(&index, words), path, "{words}");
    }
}

#[test]
fn hostile_questions_are_only_words() {
    let (_folder, index) = index(&[("a.md", "tide")]);
    for words in [
        "",
        "\"",
        "tide\" OR \"",
        "NEAR(a b)",
        "*",
        "-tide",
        "a:b",
        "'; DROP TABLE chunks",
        "\u{0}",
        "§d20230101 ¶x",
    ] {
        let asked =
            EmbeddedQuestion { words, today: date(2026, 11, 18), sessions: Sessions::None, vector: None };
        search(&index, asked, &PickRules::default(), None).unwrap();
    }
    assert_eq!(first(&index, &"tide ".repeat(10_000)), "a.md");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 48, ..Default::default() })]

    /// Whatever people write and ask, there is an answer, and it stands where it is said to stand.
    #[test]
    fn any_note_can_be_kept_and_any_question_asked_of_it(
        note in "(?s).{0,400}",
        odd in "[#`*>\\-: \\n\\[\\]()|0-9A-Za-z¶§年月日東京ßéёไทยقال😀\u{300}\u{200d}\u{0}\"']{0,300}",
        asked in "(?s).{0,120}",
    ) {
        let (_folder, index) = index(&[("memory/2026-05-08.md", &note), ("b.md", &odd)]);
        let today = date(2026, 11, 18);
        let lines = |path: &str| if path == "b.md" { odd.lines().count() } else { note.lines().count() };
        for words in [asked.as_str(), note.as_str(), odd.as_str(), "\"a\" NEAR(b c) AND -d*"] {
            let asked = EmbeddedQuestion { words, today, sessions: Sessions::None, vector: None };
            let picking = PickRules { min_score: 0.0, limit: 50, diversity: Some(0.5), ..PickRules::default() };
            for found in search(&index, asked, &picking, None).unwrap() {
                let (first, line, last) = (found.start_line, found.line, found.end_line);
                proptest::prop_assert!(1 <= first && first <= line && line <= last, "{first} {line} {last}");
                proptest::prop_assert!(last as usize <= lines(&found.path), "{last} of {}", found.path);
                proptest::prop_assert!((0.0..=1.0).contains(&found.score));
            }
        }
    }
}
