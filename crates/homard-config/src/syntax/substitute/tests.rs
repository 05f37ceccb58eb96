//! References in texts.

use proptest::prelude::proptest;
use serde_json::json;

use super::{expand, has_reference, resolves_to, substitute};
use crate::env::Environment;

fn env() -> Environment {
    Environment::from_pairs([("A", "alpha"), ("B_2", "beta"), ("EMPTY", ""), ("LOOP", "${A}")])
}

#[test]
fn references_are_replaced_and_escapes_are_kept() {
    let rows: &[(&str, &str, &[&str])] = &[
        ("plain", "plain", &[]),
        ("${A}", "alpha", &[]),
        ("x-${A}/${B_2}-y", "x-alpha/beta-y", &[]),
        ("$${A}", "${A}", &[]),
        ("$$${A}", "$${A}", &[]),
        ("${a} ${1A} ${} $A $", "${a} ${1A} ${} $A $", &[]),
        ("${NOPE} ${EMPTY}", "${NOPE} ${EMPTY}", &["NOPE", "EMPTY"]),
        ("${LOOP}", "${A}", &[]),
        ("${A", "${A", &[]),
    ];
    for (text, expected, missing) in rows {
        let (found, lost) = expand(text, &env());
        assert_eq!(
            (found.as_str(), lost.iter().map(String::as_str).collect::<Vec<_>>()),
            (*expected, missing.to_vec())
        );
    }
}

#[test]
fn a_missing_variable_is_named_with_its_place() {
    let mut issues = Vec::new();
    let value = json!({ "models": { "providers": { "p": { "apiKey": "${KEY}" } } }, "l": ["${A}", "${X}"] });
    substitute(&value, &env(), &mut issues);
    let told: Vec<String> = issues.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2);
    assert_eq!(
        told[0],
        "`models.providers.p.apiKey`: environment variable `KEY` is not set; set it, or write `$${KEY}` for the literal text"
    );
    assert!(told[1].starts_with("`l[1]`: environment variable `X` is not set"));
}

#[test]
fn a_reference_stands_for_the_value_it_resolves_to() {
    assert!(resolves_to(&json!("Bearer ${A}"), &json!("Bearer alpha"), &env()));
    assert!(!resolves_to(&json!("${A}"), &json!("other"), &env()));
    assert!(!resolves_to(&json!("${NOPE}"), &json!("${NOPE}"), &env()));
    assert!(has_reference("x${A}") && !has_reference("$${A}") && !has_reference("$a"));
}

proptest! {
    #[test]
    fn texts_without_references_come_out_unchanged(text in "[a-z${} ]{0,30}") {
        assert_eq!(expand(&text, &env()), (text.clone(), vec![]));
        assert!(!has_reference(&text));
    }

    #[test]
    fn escaping_a_text_protects_it(name in "[A-Z_][A-Z0-9_]{0,8}", around in "[a-z ]{0,5}") {
        let (text, missing) = expand(&format!("{around}$${{{name}}}{around}"), &env());
        assert_eq!(text, format!("{around}${{{name}}}{around}"));
        assert!(missing.is_empty());
    }
}
