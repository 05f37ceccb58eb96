//! Coming in, against scripted lines.

use homard_channel::ChannelError;
use homard_config::Environment;
use homard_protocol::{AccountId, ChannelId};
use homard_runtime::Clock;
use serde_json::{Value, json};

use super::{RegisterStep, Registration, Welcome};
use crate::irc::settings::Settings;
use crate::irc::wire::Incoming;
use crate::registry::Parts;

fn settings(more: &Value) -> Settings {
    let mut section = json!({"host": "irc.test", "nick": "homard"});
    section.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let parts = Parts {
        channel: ChannelId::parse("irc").unwrap(),
        account: AccountId::default_account(),
        section,
        env: Environment::default(),
        state_dir: "/".into(),
        clock: Clock::fixed(0),
        commands: Vec::new(),
        ingress: homard_channel::Ingress::default(),
    };
    Settings::read(&parts).unwrap()
}

/// Plays lines of a server; returns what we wrote to each, and how it ended.
fn play(settings: &Settings, lines: &[&str]) -> (Vec<String>, Option<Result<Welcome, ChannelError>>) {
    let (mut registration, mut written) = Registration::begin(settings, &settings.nick);
    for line in lines {
        match registration.hear(&Incoming::read(line)) {
            Ok(RegisterStep::Write(lines)) => written.extend(lines),
            Ok(RegisterStep::In(welcome)) => return (written, Some(Ok(welcome))),
            Err(error) => return (written, Some(Err(error))),
        }
    }
    (written, None)
}

const PLAIN: [&str; 3] = ["CAP LS 302", "NICK homard", "USER homard 0 * :Homard"];

#[test]
fn a_server_without_capabilities_lets_us_in() {
    let (written, end) =
        play(&settings(&json!({})), &[":s 421 * CAP :Unknown command", ":s 001 homard :Welcome"]);
    assert_eq!(written, PLAIN);
    assert_eq!(end.unwrap().unwrap().nick, "homard");
}

#[test]
fn what_is_offered_and_wanted_is_asked_for() {
    let lines = [
        ":s CAP * LS * :multi-prefix echo-message sasl=PLAIN",
        "PING :x",
        ":s CAP * LS :server-time message-tags",
        ":s CAP * ACK :echo-message message-tags server-time",
        ":s 001 homard :Welcome",
    ];
    let (written, end) = play(&settings(&json!({})), &lines);
    assert_eq!(written[3..], ["PONG :x", "CAP REQ :echo-message message-tags server-time", "CAP END"]);
    let welcome = end.unwrap().unwrap();
    assert_eq!(welcome.caps.len(), 3);
    assert!(!welcome.logged_in);
}

#[test]
fn an_account_is_proven_before_we_go_on() {
    let settings = settings(&json!({"sasl": {"username": "acc", "password": "secret"}, "password": "door"}));
    let lines = [
        ":s CAP * LS :sasl",
        ":s CAP * ACK :sasl",
        "AUTHENTICATE +",
        ":s 900 * * acc :You are now logged in",
        ":s 903 * :SASL authentication successful",
        ":s 001 homard :Welcome",
    ];
    let (written, end) = play(&settings, &lines);
    assert_eq!(written[1], "PASS :door");
    assert_eq!(
        written[4..],
        ["CAP REQ :sasl", "AUTHENTICATE PLAIN", "AUTHENTICATE AGFjYwBzZWNyZXQ=", "CAP END"]
    );
    assert!(end.unwrap().unwrap().logged_in);
}

#[test]
fn a_long_proof_goes_in_pieces() {
    let settings = settings(&json!({"sasl": {"username": "a", "password": "p".repeat(297)}}));
    let lines = [":s CAP * LS :sasl", ":s CAP * ACK :sasl", "AUTHENTICATE +"];
    let (written, _) = play(&settings, &lines);
    assert_eq!(written[5].len(), "AUTHENTICATE ".len() + 400);
    assert_eq!(written[6], "AUTHENTICATE +");
}

#[test]
fn a_wrong_account_is_refused_in_words_that_help() {
    let required = settings(&json!({"sasl": {"username": "acc", "password": "secret"}}));
    for (number, line) in [
        (904, ":s 904 * :SASL authentication failed"),
        (905, ":s 905 * :SASL message too long"),
        (902, ":s 902 * :You must use a nick assigned to you"),
    ] {
        let lines = [":s CAP * LS :sasl", ":s CAP * ACK :sasl", "AUTHENTICATE +", line];
        let (_, end) = play(&required, &lines);
        let Some(Err(ChannelError::Refused(words))) = end else { panic!("{end:?}") };
        assert!(words.contains("`acc`") && words.contains(&number.to_string()), "{words}");
        assert!(!words.contains("secret"));
    }
}

#[test]
fn a_required_proof_that_is_not_offered_keeps_us_out() {
    let required = settings(&json!({"sasl": {"password": "secret"}}));
    for lines in [
        &[":s CAP * LS :server-time"][..],
        &[":s CAP * LS :sasl=EXTERNAL"][..],
        &[":s CAP * LS :sasl", ":s CAP * NAK :sasl"][..],
        &[":s 001 homard :Welcome"][..],
    ] {
        let (_, end) = play(&required, lines);
        assert!(matches!(end, Some(Err(ChannelError::Refused(_)))), "{lines:?} {end:?}");
    }
}

#[test]
fn the_nicks_password_is_tried_over_sasl_and_a_failure_only_noted() {
    let settings = settings(&json!({"nickserv": {"password": "secret"}}));
    let lines = [
        ":s CAP * LS :sasl",
        ":s CAP * ACK :sasl",
        "AUTHENTICATE +",
        ":s 904 * :SASL authentication failed",
        ":s 001 homard :Welcome",
    ];
    let (written, end) = play(&settings, &lines);
    assert_eq!(written.last().unwrap(), "CAP END");
    let welcome = end.unwrap().unwrap();
    assert!(!welcome.logged_in);
    assert_eq!(welcome.advice.len(), 1);
    let (_, end) =
        play(&settings, &[":s CAP * LS :server-time", ":s CAP * NAK :server-time", ":s 001 homard :W"]);
    assert!(end.unwrap().is_ok());
}

#[test]
fn a_taken_nick_leads_to_another() {
    let taken = ":s 433 * homard :Nickname is already in use";
    let (written, end) = play(&settings(&json!({})), &[taken, ":s 001 homard_ :Welcome"]);
    assert_eq!(written[3..], ["NICK homard_"]);
    assert_eq!(end.unwrap().unwrap().nick, "homard_");
    let (written, end) = play(&settings(&json!({})), &[taken; 6]);
    assert_eq!(
        written[3..],
        ["NICK homard_", "NICK homard__", "NICK homard3", "NICK homard4", "NICK homard5"]
    );
    assert!(matches!(end, Some(Err(ChannelError::Unreachable(_)))));
}

#[test]
fn what_a_server_says_when_it_shuts_us_out_is_understood() {
    let rows = [
        (":s 464 * :Password incorrect", "refused"),
        ("ERROR :Access denied: Bad password?", "refused"),
        (":s 465 * :You are banned", "refused"),
        ("ERROR :Closing Link: (K-lined)", "refused"),
        (":s 432 * homard :Erroneous Nickname", "refused"),
        ("ERROR :Closing link: (Throttled: Reconnecting too fast)", "wait"),
        ("ERROR :Trying to reconnect too fast.", "wait"),
        ("ERROR :Closing Link: (Ping timeout)", "unreachable"),
    ];
    for (line, expected) in rows {
        let (_, end) = play(&settings(&json!({})), &[line]);
        let kind = match end.unwrap().unwrap_err() {
            ChannelError::Refused(_) => "refused",
            ChannelError::Wait(_) => "wait",
            ChannelError::Unreachable(_) => "unreachable",
            other => panic!("{other}"),
        };
        assert_eq!(kind, expected, "{line}");
    }
}
