//! Questions, and what is shown of what they find.

use proptest::prelude::{prop_assert, proptest};

use super::{expression, needles, snippet, spaced};

#[test]
fn a_question_is_asked_word_by_word_and_means_nothing_else() {
    for (question, asked) in [
        ("deploy", Some(r#""deploy"*"#)),
        ("cat", Some(r#""cat"*"#)),
        ("deploy  of notes", Some(r#""deploy"* OR "of" OR "notes"*"#)),
        (r#""exact words" more"#, Some(r#""exact words" OR "more""#)),
        ("NOT (a OR b)", Some(r#""NOT" OR "(a" OR "OR" OR "b)""#)),
        ("text:x*", Some(r#""text:x*"*"#)),
        ("東京", Some(r#"" 東  京 ""#)),
        (r#"""#, None),
        ("- * ^", None),
        ("", None),
    ] {
        assert_eq!(expression(question).as_deref(), asked, "{question}");
    }
}

#[test]
fn a_snippet_begins_near_the_word_and_says_that_it_was_cut() {
    let long = format!("{} the needle lies here {}", "hay ".repeat(100), "straw ".repeat(100));
    let shown = snippet(&long, &needles("NEEDLE"));
    assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("the needle lies"), "{shown}");
    assert_eq!(snippet("short\n  text", &needles("text")), "short text");
    assert_eq!(snippet("nothing of it", &needles("other")), "nothing of it");
    assert_eq!(snippet("", &needles("x")), "");
}

#[test]
fn only_scripts_without_spaces_are_taken_apart() {
    assert_eq!(spaced("ab 東京c"), "ab  東  京 c");
    assert_eq!(spaced("Größe 한국어"), "Größe 한국어");
}

proptest! {
    #[test]
    fn a_snippet_contains_the_word_it_was_found_by(before in "[a-z ]{0,300}", word in "[a-zäöüß]{1,12}", after in "[a-z ]{0,300}") {
        let text = format!("{before} {word} {after}");
        prop_assert!(snippet(&text, &needles(&word)).contains(&word));
    }

    #[test]
    fn any_question_can_be_asked(question in ".{0,80}") {
        if let Some(asked) = expression(&question) {
            prop_assert!(asked.matches('"').count() % 2 == 0);
        }
        let _shown = snippet(&question, &needles(&question));
    }
}
