//! Conversations as tables: what is answered, what is asked next, what comes of it.

use homard_config::Secret;
use serde_json::{Value, json};

use super::{
    AnswerError, AnswerOutcome, Credential, Facts, FoundHere, OwnServer, Plan, Provider, RemoteGateway,
    Scope, Script, Section, SetupQuestion, TakenPorts,
};

fn facts() -> Facts {
    let provider = |id: &str, keyless, found_in: Option<&str>, models: &[&str]| Provider {
        id: id.to_owned(),
        name: id.to_uppercase(),
        keyless,
        login_only: false,
        found: found_in.map(|name| FoundHere::Variable(name.to_owned())),
        models: models.iter().map(|id| ((*id).to_owned(), (*id).to_owned())).collect(),
    };
    Facts {
        scope: Scope::Gateway,
        providers: vec![
            provider("found", false, Some("FOUND_KEY"), &["big", "small"]),
            provider("asked", false, None, &["one"]),
            provider("local", true, None, &[]),
        ],
        model: Some("old/model".to_owned()),
        port: 18_789,
        taken: TakenPorts { ours: None, is_used: |_| false },
        bind: "loopback".to_owned(),
        auth: "token".to_owned(),
        workspace: None,
        present_workspace: "/w".to_owned(),
        openclaw: None,
        service: false,
        tries: false,
    }
}

/// Answers one question after the other; what is left is the outcome of the last answer.
fn walk(script: &mut Script, answers: &[Value]) -> AnswerOutcome {
    let mut taken = AnswerOutcome::GoOn;
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
        credential: key.map(|key| Credential::Key(Secret::new(key))),
        own_server: None,
        port: 18_789,
        bind: "loopback".to_owned(),
        auth: auth.to_owned(),
        token: None,
        password: None,
        workspace: None,
        remote: None,
        here: false,
        service: false,
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
        assert!(matches!(&taken, AnswerOutcome::Agreed(plan) if **plan == expected), "{answers}: {taken:?}");
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
        let Err(AnswerError::Value(said)) = script.answer(&step.id, Some(&answer)) else {
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
    assert_eq!(script.answer("never-asked", Some(&json!("skip"))).unwrap_err(), AnswerError::NotAsked);
    script.answer(&first, Some(&json!("skip"))).unwrap();
    assert_eq!(script.answer(&first, Some(&json!("skip"))).unwrap_err(), AnswerError::NotAsked);
}

#[test]
fn a_no_at_the_end_writes_nothing() {
    let answers = json!(["keep", "18789", "token", false]);
    assert!(matches!(walk(&mut Script::setup(facts()), answers.as_array().unwrap()), AnswerOutcome::Stop));
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
    let mut script = Script::setup(Facts { bind: "lan".to_owned(), ..facts() });
    walk(&mut script, &[json!("skip"), json!("1")]);
    let step = script.step();
    assert!(script.answer(&step.id, Some(&json!("none"))).is_err());
}

fn whole() -> Facts {
    Facts { scope: Scope::Whole, ..facts() }
}

/// The questions a walk passes, one name for each.
fn asked(facts: Facts, answers: &[Value]) -> Vec<SetupQuestion> {
    let mut script = Script::setup(facts);
    let mut asked = vec![script.at()];
    for answer in answers {
        walk(&mut script, std::slice::from_ref(answer));
        asked.push(script.at());
    }
    asked
}

#[test]
fn the_whole_way_begins_with_the_notice_and_asks_as_much_as_is_wanted() {
    use SetupQuestion::{
        Auth, Bind, Confirm, Import, Port, Provider as Whose, RemoteToken, RemoteUrl, Risk, Service, Way,
        Workspace,
    };
    let quick = [json!(true), json!("quickstart"), json!("keep")];
    assert_eq!(asked(whole(), &quick), [Risk, Way, Whose, Confirm]);
    let manual = json!([true, "manual", "skip", "/elsewhere", "4000", "lan", "token"]);
    let all = [Risk, Way, Whose, Workspace, Port, Bind, Auth, Confirm];
    assert_eq!(asked(whole(), manual.as_array().unwrap()), all);
    let remote = json!([true, "remote", "wss://far.test:1/", ""]);
    assert_eq!(asked(whole(), remote.as_array().unwrap()), [Risk, Way, RemoteUrl, RemoteToken, Confirm]);
    let found = Facts { openclaw: Some("/old".to_owned()), service: true, ..whole() };
    let answers = json!([true, false, "quickstart", "keep", true]);
    assert_eq!(asked(found, answers.as_array().unwrap()), [Risk, Import, Way, Whose, Service, Confirm]);
}

#[test]
fn who_does_not_accept_the_notice_or_wants_the_other_home_first_ends_here() {
    assert!(matches!(walk(&mut Script::setup(whole()), &[json!(false)]), AnswerOutcome::Stop));
    let found = Facts { openclaw: Some("/old".to_owned()), ..whole() };
    assert!(matches!(walk(&mut Script::setup(found), &[json!(true), json!(true)]), AnswerOutcome::Import));
}

#[test]
fn a_gateway_elsewhere_and_a_server_of_ones_own_become_a_plan() {
    let remote = json!([true, "remote", "wss://far.test:1/", "t0ken", true]);
    let taken = walk(&mut Script::setup(whole()), remote.as_array().unwrap());
    let elsewhere = RemoteGateway { url: "wss://far.test:1".to_owned(), token: Some(Secret::new("t0ken")) };
    assert!(
        matches!(&taken, AnswerOutcome::Agreed(plan) if plan.remote.as_ref() == Some(&elsewhere)),
        "{taken:?}"
    );
    let own =
        json!(["custom", "http://127.0.0.1:8000/v1/", "openai", "", "my-model", "18789", "token", true]);
    let taken = walk(&mut Script::setup(facts()), own.as_array().unwrap());
    let server =
        OwnServer { base_url: "http://127.0.0.1:8000/v1".to_owned(), speaks: Some("openai".to_owned()) };
    let model = ("custom-127-0-0-1-8000".to_owned(), "my-model".to_owned());
    let expected = Plan { model: Some(model), own_server: Some(server), ..plan(None, None, "token") };
    assert!(matches!(&taken, AnswerOutcome::Agreed(plan) if **plan == expected), "{taken:?}");
}

#[test]
fn a_model_that_does_not_answer_can_be_mended_in_place() {
    let mut script = Script::setup(Facts { tries: true, ..facts() });
    assert!(matches!(walk(&mut script, &[json!("asked"), json!("sk-1"), json!("one")]), AnswerOutcome::Try));
    let step = script.step().id;
    script.tried("another", Ok("late".to_owned()));
    assert_eq!(
        (script.at(), script.step().id.as_str()),
        (SetupQuestion::Model, step.as_str()),
        "it is another's"
    );
    script.tried(&step, Err("the key is wrong".to_owned()));
    let step = script.step();
    assert!(step.message.as_ref().unwrap().contains("the key is wrong"), "{step:?}");
    walk(&mut script, &[json!("key")]);
    assert_eq!(script.at(), SetupQuestion::Key);
    walk(&mut script, &[json!("sk-2"), json!("one")]);
    let step = script.step().id;
    script.tried(&step, Ok("it answered in 5 ms".to_owned()));
    assert_eq!(script.at(), SetupQuestion::Port);
    walk(&mut script, &[json!("18789"), json!("token")]);
    assert!(script.step().message.unwrap().contains("asked/one (it answered in 5 ms)"));
    let mut script = Script::setup(Facts { tries: true, ..facts() });
    walk(&mut script, &[json!("local"), json!("qwen3")]);
    let step = script.step().id;
    script.tried(&step, Err("nobody is there".to_owned()));
    walk(&mut script, &[json!("keep")]);
    assert_eq!(script.at(), SetupQuestion::Port, "who wants it all the same gets it");
}

#[test]
fn a_server_of_a_known_kind_may_listen_elsewhere() {
    let mut script = Script::setup(Facts { tries: true, ..facts() });
    walk(&mut script, &[json!("local"), json!("qwen3")]);
    let step = script.step().id;
    script.tried(&step, Err("nobody is there".to_owned()));
    walk(&mut script, &[json!("address"), json!("http://10.0.0.9:81/v1/")]);
    assert_eq!(script.step().initial_value, Some(json!("qwen3")), "what was typed is offered again");
    assert!(matches!(walk(&mut script, &[json!("qwen3")]), AnswerOutcome::Try));
    let server = OwnServer { base_url: "http://10.0.0.9:81/v1".to_owned(), speaks: None };
    assert_eq!(script.plan().own_server, Some(server));
    assert_eq!(script.plan().model, Some(("local".to_owned(), "qwen3".to_owned())));
}

#[test]
fn a_port_somebody_else_uses_is_asked_for_and_not_taken() {
    let taken = TakenPorts { ours: None, is_used: |port| [18_789, 18_790, 4_000].contains(&port) };
    let mut script = Script::setup(Facts { taken, ..whole() });
    walk(&mut script, &[json!(true), json!("quickstart"), json!("keep")]);
    assert_eq!((script.at(), script.step().initial_value), (SetupQuestion::Port, Some(json!("18791"))));
    let step = script.step().id;
    for port in ["18789", "4000"] {
        let Err(AnswerError::Value(words)) = script.answer(&step, Some(&json!(port))) else {
            panic!("{port} was taken")
        };
        assert!(words.contains("used by another program"), "{words}");
    }
    walk(&mut script, &[json!("18791")]);
    assert_eq!(script.at(), SetupQuestion::Confirm);

    let ours = TakenPorts { ours: Some(18_789), ..taken };
    let mut script = Script::setup(Facts { taken: ours, ..whole() });
    walk(&mut script, &[json!(true), json!("quickstart"), json!("keep")]);
    assert_eq!(script.at(), SetupQuestion::Confirm, "our own gateway may stay where it is");
}

#[test]
fn a_part_is_asked_about_alone() {
    let only = |section| Facts { scope: Scope::Only(section), ..facts() };
    assert_eq!(
        asked(only(Section::Workspace), &[json!("/x")]),
        [SetupQuestion::Workspace, SetupQuestion::Confirm]
    );
    assert_eq!(
        asked(only(Section::Model), &[json!("keep")]),
        [SetupQuestion::Provider, SetupQuestion::Confirm]
    );
    assert_eq!(asked(only(Section::Gateway), &[json!("1")]), [SetupQuestion::Port, SetupQuestion::Bind]);
}

#[test]
fn a_login_of_another_program_is_offered_and_taken_only_with_a_yes() {
    let login = |login_only| {
        let mut facts = facts();
        facts.providers[0].found = Some(FoundHere::Login { program: "Some CLI", file: ".some/auth.json" });
        facts.providers[0].login_only = login_only;
        facts
    };
    let mut script = Script::setup(login(false));
    let hint = script.step().options.unwrap()[1].hint.clone();
    assert_eq!(hint.as_deref(), Some("Some CLI is logged in here"));
    walk(&mut script, &[json!("found")]);
    let asked = script.step().message.unwrap();
    assert!(asked.contains("~/.some/auth.json") && asked.contains("may ask you to log in again"), "{asked}");
    let taken = walk(&mut script, &[json!(true), json!("big"), json!("18789"), json!("token"), json!(true)]);
    let wanted = Plan {
        credential: Some(Credential::Login("Some CLI")),
        ..plan(Some(("found", "big")), None, "token")
    };
    assert!(matches!(&taken, AnswerOutcome::Agreed(plan) if **plan == wanted), "{taken:?}");
    assert_eq!(asked_of(login(false)), SetupQuestion::Key, "a key can be typed instead");
    assert_eq!(asked_of(login(true)), SetupQuestion::Provider, "there is no key to be typed");
}

/// What is asked after a no to what was found.
fn asked_of(facts: Facts) -> SetupQuestion {
    let mut script = Script::setup(facts);
    walk(&mut script, &[json!("found"), json!(false)]);
    assert_eq!(script.plan().credential, None);
    script.at()
}
