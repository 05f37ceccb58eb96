//! Codes, mentions and lines.

use proptest::prelude::{prop_assert, proptest};

use super::{ctcp, lines_of, mentions, without_address, without_codes};
use crate::irc::casemap::CaseMapping;

#[test]
fn codes_are_taken_out_with_their_parameters() {
    let rows = [
        ("plain", "plain"),
        ("\u{2}bold\u{2} \u{1d}it\u{1d} \u{1f}u\u{f}", "bold it u"),
        ("\u{3}4red\u{3} and \u{3}04,12both", "red and both"),
        ("\u{3}4,none", ",none"),
        ("\u{3}123", "3"),
        ("\u{3}", ""),
        ("\u{4}ff0000,00ff00x", "x"),
        ("a\tb\u{7}", "a b"),
        ("  spaces  ", "spaces"),
    ];
    for (text, plain) in rows {
        assert_eq!(without_codes(text), plain, "{text:?}");
    }
}

#[test]
fn words_between_programs_are_told_from_what_people_say() {
    assert_eq!(ctcp("hello"), None);
    assert_eq!(ctcp("\u{1}VERSION\u{1}"), Some(("VERSION", "")));
    assert_eq!(ctcp("\u{1}ACTION waves"), Some(("ACTION", "waves")));
    assert_eq!(ctcp("\u{1}"), Some(("", "")));
}

#[test]
fn our_nick_is_found_only_as_a_word() {
    let rows = [
        ("homard: hi", true),
        ("hi Homard!", true),
        ("(homard)", true),
        ("@homard", true),
        ("homard's lunch", true),
        ("homards", false),
        ("homard_", false),
        ("homard-bot", false),
        ("lehomard", false),
        ("élhomardé", false),
        ("ho\u{200b}mard", false),
        ("homardhomard homard", true),
        ("", false),
    ];
    for (text, found) in rows {
        assert_eq!(mentions(text, "homard", CaseMapping::Rfc1459), found, "{text}");
    }
    assert!(mentions("hi bot{1}", "bot[1]", CaseMapping::Rfc1459));
    assert!(!mentions("hi bot{1}", "bot[1]", CaseMapping::Ascii));
    assert!(!mentions("anything", "", CaseMapping::Ascii));
}

#[test]
fn our_nick_before_a_text_is_taken_off() {
    let rows = [
        ("homard: /status", "/status"),
        ("Homard, stop", "stop"),
        ("@homard: hi", "hi"),
        ("homard:hi", "hi"),
        ("homard hi", "homard hi"),
        ("homards: hi", "homards: hi"),
        ("homard:", "homard:"),
        ("hi homard: x", "hi homard: x"),
        ("ho", "ho"),
        ("éhomard: x", "éhomard: x"),
    ];
    for (text, rest) in rows {
        assert_eq!(without_address(text, "homard", CaseMapping::Ascii), rest, "{text}");
    }
}

#[test]
fn text_is_cut_into_lines() {
    let rows: [(&str, usize, &[&str]); 9] = [
        ("one\ntwo\r\n\n\nthree", 100, &["one", "two", "three"]),
        ("    indented", 100, &["    indented"]),
        ("aaaa bbbb cccc", 9, &["aaaa bbbb", "cccc"]),
        ("aaaa bbbb cccc", 10, &["aaaa bbbb", "cccc"]),
        ("a bbbbbbbbbbbb", 6, &["a bbbb", "bbbbbb", "bb"]),
        ("üüüü", 3, &["ü", "ü", "ü", "ü"]),
        ("日本", 1, &["日", "本"]),
        ("\u{1}VERSION\u{1}", 100, &["VERSION"]),
        (" \n\t\n", 100, &[]),
    ];
    for (text, budget, lines) in rows {
        assert_eq!(lines_of(text, budget, false), lines, "{text:?}");
    }
}

#[test]
fn formatting_stays_only_where_it_is_wanted() {
    assert_eq!(lines_of("\u{2}b\u{f}\u{1}", 100, true), ["\u{2}b\u{f}"]);
    assert_eq!(lines_of("\u{2}b\u{f}\u{1}", 100, false), ["b"]);
}

proptest! {
    #[test]
    fn no_line_is_too_long_or_has_a_break_and_no_word_is_lost(text in "\\PC{0,200}", budget in 4_usize..80) {
        let lines = lines_of(&text, budget, false);
        for line in &lines {
            prop_assert!(line.len() <= budget, "{line:?}");
            prop_assert!(!line.is_empty());
            prop_assert!(!line.chars().any(char::is_control));
        }
        let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        prop_assert!(squeeze(&lines.concat()) == squeeze(&text));
    }
}
