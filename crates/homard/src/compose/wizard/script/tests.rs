//! Conversations as tables: what is answered, what is asked next, what comes of it.

use homard_config::Secret;
use serde_json::{Value, json};

use super::{Facts, Plan, Provider, Script, Taken, Wrong};

fn facts() -> Facts {
    let provider = |id: &str, keyless, found_in: Option<&str>, models: &[&str]| Provider {
        id: id.to_owned(),
        name: id.to_uppercase(),
        keyless,
        found_in: found_in.map(str::to_owned),
        models: models.iter().map(|id| ((*id).to_owned(), (*id).to_owned())).collect(),
    };
    Facts {
        providers: vec![
            provider("found", false, Some("FOUND_KEY"), &["big", "small"]),
            provider("asked", false, None, &["one"]),
            provider("local", true, None, &[]),
        ],
        model: Some("old/model".to_owned()),
        port: 18_789,
        auth: "token".to_owned(),
        only_here: true,
        workspace: None,
    }
}

/// Answers one question after the other; what is left is the outcome of the last answer.
fn walk(script: &mut Script, answers: &[Value]) -> Taken {
    let mut taken = Taken::GoOn;
    for answer in answers {
        let step = script.step();
        taken =
            script.answer(&step.id, Some(answer)).unwrap_or_else(|e| panic!("{answer} to {step:?}: {e:?}"));
    }
    taken
}

fn plan(model: Option<(&str, &str)>, key: Option<&str>, auth: &str) -> Plan {
    Plan {
        model: model.map(|(provider, model)| (provider.to_owned(), model.to_owned())),
        key: key.map(Secret::new),
        port: 18_789,
        auth: auth.to_owned(),
        password: None,
        workspace: None,
    }
}

#[test]
fn good_answers_lead_to_a_plan() {
    let cases = [
        (
            json!(["found", true, "small", "18789", "token", true]),
            plan(Some(("found", "small")), None, "token"),
        ),
        (
            json!(["found", false, "sk-typed", "big", 18789, "token", true]),
            plan(Some(("found", "big")), Some("sk-typed"), "token"),
        ),
        (
            json!(["asked", "sk-1", "one", "18789", "none", true]),
            plan(Some(("asked", "one")), Some("sk-1"), "none"),
        ),
        (json!(["local", "qwen3", "18789", "token", true]), plan(Some(("local", "qwen3")), None, "token")),
        (json!(["keep", "18789", "token", true]), plan(None, None, "token")),
        (
            json!(["skip", "9000", "password", "correct horse", true]),
            Plan {
                port: 9_000,
                password: Some(Secret::new("correct horse")),
                ..plan(None, None, "password")
            },
        ),
    ];
    for (answers, expected) in cases {
        let taken = walk(&mut Script::setup(facts()), answers.as_array().unwrap());
        assert!(matches!(&taken, Taken::Agreed(plan) if *plan == expected), "{answers}: {taken:?}");
    }
}

#[test]
fn bad_answers_change_nothing_and_say_why() {
    let cases = [
        (json!([]), json!("nobody"), "choose one"),
        (json!([]), json!(7), "choose one"),
        (json!(["found"]), json!("yes"), "yes or no"),
        (json!(["asked"]), json!("  "), "paste the key"),
        (json!(["asked"]), json!("two\nlines"), "one line"),
        (json!(["asked", "k"]), json!("two"), "choose one"),
        (json!(["local"]), json!(null), "type the model"),
        (json!(["skip"]), json!("0"), "1 to 65535"),
        (json!(["skip"]), json!("70000"), "1 to 65535"),
        (json!(["skip"]), json!(-1), "1 to 65535"),
        (json!(["skip", "1"]), json!("trusted-proxy"), "choose one"),
        (json!(["skip", "1", "password"]), json!("short"), "8 characters"),
        (json!(["skip", "1", "token"]), json!("sure"), "yes or no"),
    ];
    for (before, answer, words) in cases {
        let mut script = Script::setup(facts());
        walk(&mut script, before.as_array().unwrap());
        let step = script.step();
        let Err(Wrong::Value(said)) = script.answer(&step.id, Some(&answer)) else {
            panic!("{answer} was taken")
        };
        assert!(said.contains(words), "{answer}: {said}");
        assert_eq!(script.step(), step, "the question still waits");
    }
}

#[test]
fn an_answer_to_another_question_is_none() {
    let mut script = Script::setup(facts());
    let first = script.step().id;
    assert_eq!(script.answer("never-asked", Some(&json!("skip"))).unwrap_err(), Wrong::NotAsked);
    script.answer(&first, Some(&json!("skip"))).unwrap();
    assert_eq!(script.answer(&first, Some(&json!("skip"))).unwrap_err(), Wrong::NotAsked);
}

#[test]
fn a_no_at_the_end_writes_nothing() {
    let answers = json!(["keep", "18789", "token", false]);
    assert!(matches!(walk(&mut Script::setup(facts()), answers.as_array().unwrap()), Taken::Stop));
}

#[test]
fn keys_are_asked_for_hidden_and_never_shown() {
    let mut script = Script::setup(facts());
    walk(&mut script, &[json!("asked")]);
    assert_eq!(script.step().sensitive, Some(true));
    walk(&mut script, &[json!("sk-very-secret"), json!("one"), json!("1"), json!("token")]);
    assert!(!format!("{script:?} {:?}", script.step()).contains("sk-very-secret"));
}

#[test]
fn without_loopback_nobody_is_let_in_unproven() {
    let mut script = Script::setup(Facts { only_here: false, ..facts() });
    walk(&mut script, &[json!("skip"), json!("1")]);
    let step = script.step();
    assert!(script.answer(&step.id, Some(&json!("none"))).is_err());
}
