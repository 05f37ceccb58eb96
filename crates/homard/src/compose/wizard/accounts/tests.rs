//! Conversations about an account of a platform nobody has: what is answered, what is asked next, what comes of it.

use homard_channel::{BuildError, ChannelEntry, ChannelError, Form, Probe, SectionKeys};
use homard_config::Environment;
use homard_gateway::TrialError;
use homard_protocol::AccountId;
use homard_protocol::methods::config::wizard::WizardStepKind;
use serde_json::{Map, Value, json};

use super::{AccountScript, AccountStep, AnswerError, Platform};

static HARBOUR: ChannelEntry = ChannelEntry {
    id: "harbour",
    aliases: &[],
    label: "Harbour",
    summary: "flags on a mast",
    secrets: &["password", "login.password"],
    keys: SectionKeys { own: schema, inert: &[] },
    details: |_section| Vec::new(),
    is_configured: |section, env| section.get("host").is_some() || env.get("HARBOUR_HOST").is_some(),
    build: |_parts| Err(BuildError::Incomplete("never built".to_owned())),
};

fn schema() -> Value {
    json!({"x-form": {"steps": ["Ask the harbour master."], "handle": "~", "named": "flag", "servers": true, "refused": "Ask again.", "people": "Names of ships."},
    "properties": {
        "host": {"type": "string", "x-form": {"needed": true, "pattern": r"^\S+$", "problem": "No host."}},
        "tls": {"type": "boolean", "x-form": {"initial": true}},
        "flag": {"type": "string", "x-form": {"initial": "red"}},
        "login": {"type": "object", "x-form": {}, "properties": {
            "enabled": {"type": "boolean"},
            "password": {"type": "string", "x-secret": true, "x-form": {"needed": true}},
        }},
        "password": {"type": "string", "x-secret": true, "x-form": {"more": true}},
    }})
}

/// The platform with these accounts.
pub(crate) fn harbour(accounts: &[(&str, Value)]) -> Platform {
    let account = |(id, section): &(&str, Value)| {
        (AccountId::parse(id).unwrap(), section.as_object().cloned().unwrap())
    };
    Platform { entry: &HARBOUR, form: Form::of(&HARBOUR), accounts: accounts.iter().map(account).collect() }
}

fn script(accounts: &[(&str, Value)], env: &[(&str, &str)]) -> AccountScript {
    let env = Environment::from_pairs(env.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())));
    AccountScript::new(vec![harbour(accounts)], env, Some("harbour"))
}

fn walk(script: &mut AccountScript, answers: &[Value]) -> AccountStep {
    let mut came = AccountStep::GoOn;
    for answer in answers {
        let step = script.step();
        let taken = script.answer(&step.id, Some(answer));
        came = taken.unwrap_or_else(|wrong| panic!("{answer} to {step:?}: {wrong:?}"));
    }
    came
}

fn section(script: &AccountScript) -> Value {
    Value::Object(script.section().clone())
}

#[test]
fn answers_become_the_section_the_page_would_write() {
    let rows = [
        (json!([null, "h", true, "red", false, false]), json!({"host": "h", "tls": true, "flag": "red"})),
        (
            json!([null, "h", false, "", true, "s3", true, "pw"]),
            json!({"host": "h", "tls": false, "login": {"enabled": true, "password": "s3"}, "password": "pw"}),
        ),
        (json!([null, "${HOST}", true, "", false, true, ""]), json!({"host": "${HOST}", "tls": true})),
    ];
    for (answers, expected) in rows {
        let mut script = script(&[], &[]);
        let came = walk(&mut script, answers.as_array().unwrap());
        assert!(matches!(came, AccountStep::Try), "{answers}: {came:?}");
        assert_eq!(section(&script), expected, "{answers}");
    }
}

#[test]
fn questions_are_the_schemas_and_secrets_are_hidden() {
    let mut script = script(&[], &[]);
    assert_eq!(script.step().kind, WizardStepKind::Note);
    assert!(script.step().message.unwrap().contains("harbour master"));
    walk(&mut script, &[json!(null)]);
    let host = script.step();
    for (answer, words) in [(json!(""), "This is needed."), (json!("a b"), "No host.")] {
        assert_eq!(script.answer(&host.id, Some(&answer)).unwrap_err(), AnswerError::Value(words.to_owned()));
        assert_eq!(script.step(), host, "the question still waits");
    }
    walk(&mut script, &[json!("h")]);
    assert_eq!(script.step().initial_value, Some(json!(true)), "a switch begins as the schema says");
    walk(&mut script, &[json!(true), json!("red"), json!(true)]);
    assert_eq!(script.step().sensitive, Some(true));
    walk(&mut script, &[json!("very-secret")]);
    assert!(!format!("{script:?} {:?}", script.step()).contains("very-secret"));
}

#[test]
fn what_the_file_or_the_environment_holds_need_not_be_typed_again() {
    let mut named = script(&[], &[("HARBOUR_HOST", "h")]);
    let came =
        walk(&mut named, &[json!(null), json!(""), json!(true), json!(""), json!(false), json!(false)]);
    assert!(matches!(came, AccountStep::Try));
    assert_eq!(section(&named), json!({"tls": true}));
    let kept = json!({"host": "h", "login": {"enabled": true, "password": "kept"}, "flag": "blue"});
    let mut changed = script(&[("default", kept)], &[]);
    let options = changed.step().options.unwrap();
    let values: Vec<_> = options.iter().map(|option| option.value.clone()).collect();
    assert_eq!(values, [json!("default"), json!("+")]);
    walk(&mut changed, &[json!("default"), json!(null), json!("h2"), json!(true)]);
    assert_eq!(changed.step().initial_value, Some(json!("blue")), "what is written is shown");
    walk(&mut changed, &[json!(""), json!(true), json!(""), json!(false)]);
    let expected = json!({"host": "h2", "tls": true, "flag": null, "login": {"enabled": true}});
    assert_eq!(section(&changed), expected, "an emptied text is taken away, a secret stays");
}

#[test]
fn a_wrong_value_is_mended_alone_and_tried_again() {
    let mut script = script(&[], &[]);
    walk(&mut script, &[json!(null), json!("h"), json!(true), json!("red"), json!(false), json!(false)]);
    let waiting = script.step().id;
    script.refused("another question", &TrialError::Platform(ChannelError::Refused("no".to_owned())));
    assert_eq!(script.step().id, waiting, "news about another question changes nothing");
    script.refused(&waiting, &TrialError::Platform(ChannelError::Refused("who are you".to_owned())));
    let mend = script.step();
    let said = mend.message.clone().unwrap();
    assert!(said.contains("who are you") && said.contains("Ask again."), "{said}");
    let offered: Vec<_> = mend.options.unwrap().into_iter().map(|option| option.value).collect();
    assert_eq!(json!(offered), json!(["host", "tls", "flag", "login", "again", "stop"]));
    assert!(matches!(walk(&mut script, &[json!("host"), json!("h2")]), AccountStep::Try));
    let asked = script.step().id;
    script.tried(&asked, Probe { username: Some("red".to_owned()), ..Probe::default() });
    assert!(script.step().message.unwrap().contains("~red on Harbour"));
    assert!(matches!(walk(&mut script, &[json!("pairing"), json!(true)]), AccountStep::Write));
    assert!(!script.is_done());
    script.connected("Now write.".to_owned());
    assert!(script.is_done());
    assert!(matches!(walk(&mut script, &[json!(null)]), AccountStep::Over));
}

/// What was asked, of an account that has this written, until the platform said who we are.
fn tried(written: Value) -> AccountScript {
    let mut script = script(&[("default", written)], &[]);
    let answers = [json!(null), json!("h"), json!(true), json!(""), json!(false), json!(false)];
    if script.step().options.is_some() {
        walk(&mut script, &[json!("default")]);
    }
    walk(&mut script, &answers);
    let asked = script.step().id;
    script.tried(&asked, Probe { username: Some("red".to_owned()), ..Probe::default() });
    script
}

#[test]
fn who_may_write_is_asked_as_the_section_has_it_and_written() {
    let rows = [
        (json!({}), json!(["pairing"]), json!(["pairing", null])),
        (json!({"allowFrom": ["*", "anna"]}), json!(["pairing"]), json!(["pairing", ["anna"]])),
        (json!({}), json!(["allowlist", "anna, 7"]), json!(["allowlist", ["anna", "7"]])),
        (json!({"dmPolicy": "open"}), json!(["open", false, "disabled"]), json!(["disabled", null])),
        (json!({"allowFrom": ["anna"]}), json!(["open", true]), json!(["open", ["anna", "*"]])),
    ];
    for (written, answers, expected) in rows {
        let mut script = tried(written.clone());
        walk(&mut script, answers.as_array().unwrap());
        assert!(script.step().message.unwrap().contains("Connect it?"), "{answers}");
        let section = section(&script);
        assert_eq!(json!([section["dmPolicy"], section["allowFrom"]]), expected, "{written} {answers}");
    }
}

#[test]
fn the_way_in_that_holds_is_offered_first_and_an_open_door_is_warned_of() {
    let mut script = tried(json!({"host": "h", "dmPolicy": "allowlist", "allowFrom": ["*", "anna"]}));
    let who = script.step();
    assert_eq!(who.initial_value, Some(json!("allowlist")));
    let ways: Vec<_> = who.options.unwrap().into_iter().map(|option| option.value).collect();
    assert_eq!(json!(ways), json!(["pairing", "allowlist", "open", "disabled"]));
    walk(&mut script, &[json!("open")]);
    let warned = script.step();
    assert_eq!((warned.kind, warned.initial_value), (WizardStepKind::Confirm, Some(json!(false))));
    assert!(warned.message.unwrap().contains("Anybody who finds ~red"));
    walk(&mut script, &[json!(false), json!("allowlist")]);
    let people = script.step();
    assert_eq!(people.initial_value, Some(json!("anna")));
    assert!(people.message.unwrap().contains("Names of ships."));
    for bad in [json!(""), json!("*"), json!("anna, *")] {
        assert!(script.answer(&people.id, Some(&bad)).is_err(), "{bad}");
    }
}

#[test]
fn a_no_a_stop_and_a_taken_name_write_nothing() {
    let mut script = script(&[("default", json!({"host": "h"}))], &[]);
    walk(&mut script, &[json!("+")]);
    let name = script.step();
    for bad in [json!("default"), json!(""), json!("no spaces!")] {
        assert!(script.answer(&name.id, Some(&bad)).is_err(), "{bad}");
    }
    walk(
        &mut script,
        &[json!("second"), json!(null), json!("h"), json!(true), json!(""), json!(false), json!(false)],
    );
    let asked = script.step().id;
    script.mend(&asked, "no".to_owned());
    let again = script.step().id;
    assert!(matches!(script.answer(&again, Some(&json!("again"))), Ok(AccountStep::Try)));
    assert!(matches!(script.answer(&again, Some(&json!("stop"))), Ok(AccountStep::Stop)));
    script.tried(&again, Probe::default());
    assert!(matches!(walk(&mut script, &[json!("disabled"), json!(false)]), AccountStep::Stop));
    assert_ne!(script.section(), &Map::new());
}

#[test]
fn a_test_message_is_offered_to_whom_was_named_and_may_be_tried_again() {
    let mut script = tried(json!({}));
    walk(&mut script, &[json!("allowlist"), json!("anna, 7"), json!(true)]);
    script.connected("It is connected.".to_owned());
    let step = script.step();
    assert_eq!(step.initial_value, Some(json!("anna")));
    let said = step.message.unwrap();
    assert!(said.contains("It is connected.") && said.contains("Names of ships."), "{said}");
    assert!(matches!(walk(&mut script, &[json!("7")]), AccountStep::Greet(person) if person == "7"));
    script.greeted("another question", Ok(String::new()));
    assert_eq!(script.step().id, step.id, "news about another question changes nothing");
    script.greeted(&step.id, Err("nobody is there".to_owned()));
    let again = script.step();
    assert!(again.message.unwrap().contains("was not sent: nobody is there"));
    script.greeted(&again.id, Ok("The test message to anna was sent.".to_owned()));
    let over = script.step();
    assert_eq!(over.kind, WizardStepKind::Note);
    assert!(script.is_done() && over.message.unwrap().contains("anna"));
}
