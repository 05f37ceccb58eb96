//! What is a loop, and what only looks like one.

use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};

use super::{Repetition, SIGNS_LIMIT, WORDS_LIMIT};

/// Whether a text is stopped, fed in pieces of `step` bytes or a little more.
fn is_stopped(text: &str, step: usize) -> bool {
    let mut watch = Repetition::default();
    let mut rest = text;
    while !rest.is_empty() {
        let mut cut = step.min(rest.len());
        while !rest.is_char_boundary(cut) {
            cut += 1;
        }
        let (now, later) = rest.split_at(cut);
        if watch.push(now).is_some() {
            return true;
        }
        rest = later;
    }
    false
}

#[test]
fn loops_are_stopped() {
    let paragraph = "As an assistant I would like to say that the answer depends on many things, such as the \
                     weather, the time of the year and the mood of whoever is asked about it in the first place.\n\n";
    let rows = [
        ("an apology", "Sure! ".to_owned() + &"I'm sorry, ".repeat(2_000)),
        ("a word", "the ".repeat(5_000)),
        ("a paragraph", "Well.\n".to_owned() + &paragraph.repeat(60)),
        ("another script", "对不起".repeat(3_000)),
        ("lines that alternate", "yes, please\nno, thank you\n".repeat(900)),
        ("nothing", "\n".repeat(20_000)),
        ("one sign", "!".repeat(40_000)),
        ("a smile", "😂".repeat(9_000)),
    ];
    for (what, text) in rows {
        for step in [1, 7, 400, 1 << 20] {
            assert!(is_stopped(&text, step), "{what} in pieces of {step}");
        }
    }
}

#[test]
fn honest_texts_are_left_alone() {
    let table: String = (0..400).map(|n| format!("| {n} | {} | ok | ok |\n", n * 37 % 101)).collect();
    let code: String = (0..300).map(|n| format!("    assert_eq!(call({n}), {});\n", n + 1)).collect();
    let list: String = (1..400).map(|n| format!("{n}. I will not talk in class.\n")).collect();
    let base64: String = (0..20_000_u32)
        .map(|n| char::from(b'A' + (n.wrapping_mul(2_654_435_761) >> 27) as u8 % 26))
        .collect();
    let rows = [
        ("a table", table),
        ("code", code),
        ("a numbered list", list),
        ("a punishment", "I will not talk in class.\n".repeat(100)),
        ("encoded data", base64),
        ("encoded zeroes", "A".repeat(12_000)),
        ("an encoded picture", "gICA".repeat(3_000)),
        ("a rule", format!("{}\n", "=".repeat(4_000))),
        ("a drawing", format!("+{}+\n", "-".repeat(98)).repeat(120)),
        ("an array", "0x00, ".repeat(2_000)),
        ("a matrix", "0,0,0,0,0,0,0,0\n".repeat(800)),
        ("an empty table", "| | | | | |\n".repeat(500)),
        ("cells", "        <td></td>\n".repeat(500)),
        ("indentation", format!("{}x", " ".repeat(1_500))),
        ("verse", "Row, row, row your boat\n".repeat(40)),
    ];
    for (what, text) in rows {
        for step in [1, 7, 400, 1 << 20] {
            assert!(!is_stopped(&text, step), "{what} in pieces of {step}");
        }
    }
}

#[test]
fn what_is_told_says_where_the_copies_are() {
    let text = format!("Hello. {}", "I'm sorry, ".repeat(2_000));
    let mut watch = Repetition::default();
    let told = watch.push(&text).unwrap();
    assert_eq!(told.period, "I'm sorry, ".len());
    assert!(told.length >= WORDS_LIMIT);
    assert!(told.length + told.after <= text.len() && told.after > 0);
}

proptest! {
    #[test]
    fn a_repeated_sentence_is_always_stopped(words in prop::collection::vec("[a-z]{2,9}", 3..12), before in ".{0,300}") {
        let piece = format!("{}. ", words.join(" "));
        let text = format!("{before}{}", piece.repeat(SIGNS_LIMIT * 2 / piece.len()));
        prop_assert!(is_stopped(&text, 13));
    }

    #[test]
    fn how_it_is_cut_makes_no_difference(piece in "[a-z ,]{1,20}", times in 1_usize..1_200, step in 1_usize..900) {
        let text = piece.repeat(times);
        prop_assert_eq!(is_stopped(&text, step), is_stopped(&text, 1));
    }

    #[test]
    fn short_answers_are_never_stopped(text in "(?s).{0,900}") {
        prop_assert!(!is_stopped(&text, 5));
    }

    #[test]
    fn lines_that_differ_are_never_stopped(lines in prop::collection::hash_set("[a-z0-9 ]{4,40}", 50..200)) {
        let text: String = lines.into_iter().map(|line| line + "\n").collect();
        prop_assert!(!is_stopped(&text, 64));
    }
}
