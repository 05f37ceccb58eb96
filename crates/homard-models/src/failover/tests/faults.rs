//! The table: what the servers do, and what the caller makes of it.

use homard_config::config::budgets::Budgets;
use homard_llm::{FailReason, HttpOptions, NextStep, Provider, StreamEvent, ThinkingLevel};
use homard_protocol::StopReason;
use homard_testkit::Turn;
use tokio_util::sync::CancellationToken;

use super::world::{A, B, C, Heard, World, ask, hear, impatient, request};
use crate::failover::{Pinned, Winner};
use NextStep::{GiveUp, LessThinking, NextModel, NextProfile, Wait};

fn fails(status: u16, message: &str) -> Turn {
    let body = format!(r#"{{"error":{{"message":"{message}"}}}}"#);
    Turn::Fails { status, body: Some(body), retry_after: None }
}

fn status(status: u16) -> Turn {
    Turn::Fails { status, body: None, retry_after: None }
}

fn says() -> Turn {
    Turn::says("fine thanks")
}

/// One story.
struct Case {
    what: &'static str,
    chain: &'static [&'static str],
    one: Vec<Turn>,
    two: Vec<Turn>,
    /// Profile, reason, what followed.
    attempts: &'static [(&'static str, &'static str, NextStep)],
    /// Who answered, or why nobody did.
    end: Result<&'static str, FailReason>,
    /// The text that arrived.
    text: &'static str,
    /// The last letters of the keys each server saw.
    keys: (&'static str, &'static str),
}

const BOTH: &[&str] = &["one/big", "two/big"];
const ONE: &[&str] = &["one/big"];
const FINE: &str = "fine thanks";

fn keys_and_accounts() -> Vec<Case> {
    vec![
        Case {
            what: "a rate limit leads to the next key",
            chain: BOTH,
            one: vec![status(429), says()],
            two: vec![],
            attempts: &[(A, "rate_limit", NextProfile)],
            end: Ok(B),
            text: FINE,
            keys: ("ab", ""),
        },
        Case {
            what: "a wrong key leads to the next key",
            chain: BOTH,
            one: vec![status(401), says()],
            two: vec![],
            attempts: &[(A, "auth", NextProfile)],
            end: Ok(B),
            text: FINE,
            keys: ("ab", ""),
        },
        Case {
            what: "an empty account leads to the next key, then to the next model",
            chain: BOTH,
            one: vec![status(402), status(402)],
            two: vec![says()],
            attempts: &[(A, "billing", NextProfile), (B, "billing", NextModel)],
            end: Ok(C),
            text: FINE,
            keys: ("ab", "c"),
        },
        Case {
            what: "wrong keys everywhere are not tried again",
            chain: BOTH,
            one: vec![status(401), status(403)],
            two: vec![status(401)],
            attempts: &[(A, "auth", NextProfile), (B, "auth", NextModel), (C, "auth", GiveUp)],
            end: Err(FailReason::Auth),
            text: "",
            keys: ("ab", "c"),
        },
        Case {
            what: "a model that is not there leads to the next model at once",
            chain: BOTH,
            one: vec![fails(404, "model big not found")],
            two: vec![says()],
            attempts: &[(A, "model_not_found", NextModel)],
            end: Ok(C),
            text: FINE,
            keys: ("a", "c"),
        },
        Case {
            what: "a model that is not there may have a sibling at the same provider",
            chain: &["one/big", "one/small"],
            one: vec![fails(404, "model big not found"), says()],
            two: vec![],
            attempts: &[(A, "model_not_found", NextModel)],
            end: Ok(A),
            text: FINE,
            keys: ("aa", ""),
        },
        Case {
            what: "a long conversation is not retried: the agent shortens it",
            chain: BOTH,
            one: vec![fails(400, "prompt is too long: 300000 tokens")],
            two: vec![],
            attempts: &[(A, "context_overflow", GiveUp)],
            end: Err(FailReason::ContextOverflow),
            text: "",
            keys: ("a", ""),
        },
        Case {
            what: "a filter leads to one other model and no other key",
            chain: &["one/big", "two/big", "two/small"],
            one: vec![fails(400, "flagged by our content policy")],
            two: vec![fails(400, "flagged by our content policy")],
            attempts: &[(A, "content_filter", NextModel), (C, "content_filter", GiveUp)],
            end: Err(FailReason::ContentFilter),
            text: "",
            keys: ("a", "c"),
        },
    ]
}

fn bad_moments() -> Vec<Case> {
    vec![
        Case {
            what: "a broken provider leads to its other key, then to another provider",
            chain: BOTH,
            one: vec![status(500), status(503)],
            two: vec![says()],
            attempts: &[(A, "overloaded", NextProfile), (B, "overloaded", NextModel)],
            end: Ok(C),
            text: FINE,
            keys: ("ab", "c"),
        },
        Case {
            what: "when nothing else is left, the first is asked again",
            chain: ONE,
            one: vec![status(500), status(529), says()],
            two: vec![],
            attempts: &[(A, "overloaded", NextProfile), (B, "overloaded", Wait)],
            end: Ok(A),
            text: FINE,
            keys: ("aba", ""),
        },
        Case {
            what: "a connection cut before the first word is no answer",
            chain: ONE,
            one: vec![Turn::CutsAfter(0), says()],
            two: vec![],
            attempts: &[(A, "timeout", NextProfile)],
            end: Ok(B),
            text: FINE,
            keys: ("ab", ""),
        },
        Case {
            what: "a provider out of reach is left for another at once",
            chain: BOTH,
            one: vec![Turn::CutsAfter(0)],
            two: vec![says()],
            attempts: &[(A, "timeout", NextModel)],
            end: Ok(C),
            text: FINE,
            keys: ("a", "c"),
        },
        Case {
            what: "keys that were passed over are tried when the other provider fails too",
            chain: BOTH,
            one: vec![Turn::CutsAfter(0), says()],
            two: vec![status(401)],
            attempts: &[(A, "timeout", NextModel), (C, "auth", Wait)],
            end: Ok(B),
            text: FINE,
            keys: ("ab", "c"),
        },
        Case {
            what: "a web page is not an answer",
            chain: BOTH,
            one: vec![Turn::Html],
            two: vec![says()],
            attempts: &[(A, "format", NextModel)],
            end: Ok(C),
            text: FINE,
            keys: ("a", "c"),
        },
        Case {
            what: "a picture that is too large is nobody's key's fault",
            chain: BOTH,
            one: vec![fails(400, "image exceeds 5 MB maximum")],
            two: vec![says()],
            attempts: &[(A, "format", NextModel)],
            end: Ok(C),
            text: FINE,
            keys: ("a", "c"),
        },
        Case {
            what: "an answer cut in its middle is kept and not begun again",
            chain: BOTH,
            one: vec![Turn::CutsAfter(2)],
            two: vec![],
            attempts: &[(A, "timeout", GiveUp)],
            end: Err(FailReason::Timeout),
            text: "w0 w1 ",
            keys: ("a", ""),
        },
        Case {
            what: "an answer that becomes unreadable is kept and not begun again",
            chain: BOTH,
            one: vec![Turn::Malformed],
            two: vec![],
            attempts: &[(A, "format", GiveUp)],
            end: Err(FailReason::Format),
            text: "w0 ",
            keys: ("a", ""),
        },
    ]
}

fn silences() -> Vec<Case> {
    vec![
        Case {
            what: "a provider that never answers is left for another",
            chain: BOTH,
            one: vec![Turn::Hangs],
            two: vec![says()],
            attempts: &[(A, "timeout", NextModel)],
            end: Ok(C),
            text: FINE,
            keys: ("a", "c"),
        },
        Case {
            what: "an answer that falls silent is kept and not begun again",
            chain: BOTH,
            one: vec![Turn::StallsAfter(2)],
            two: vec![],
            attempts: &[(A, "timeout", GiveUp)],
            end: Err(FailReason::Timeout),
            text: "w0 w1 ",
            keys: ("a", ""),
        },
    ]
}

async fn run(cases: Vec<Case>, options: HttpOptions) {
    for case in cases {
        let world = World::start_with(options, Budgets::default()).await;
        world.script(case.one, case.two);
        let caller = world.caller(case.chain);
        let heard = hear(ask(&caller)).await;
        let what = case.what;
        let attempts: Vec<_> = heard
            .attempts
            .iter()
            .map(|(_, p, r, n)| (p.as_deref().unwrap_or_default(), r.as_str(), *n))
            .collect();
        assert_eq!(attempts, case.attempts, "{what}: {heard:?}");
        assert_eq!(heard.text, case.text, "{what}");
        assert!(heard.starts <= 1, "{what}: an answer begins once");
        let winner = caller.winner().and_then(|winner| winner.profile);
        match (&heard.end, case.end) {
            (Ok(message), Ok(profile)) => {
                assert_eq!((message.text().as_str(), winner.as_deref()), (FINE, Some(profile)), "{what}");
            }
            (Err(error), Err(reason)) => {
                assert_eq!((error.reason, winner), (reason, None), "{what}: {error}");
                let partial = error.partial.as_ref().map(|partial| partial.text());
                assert_eq!(partial.unwrap_or_default(), case.text, "{what}");
                assert!(!format!("{error:?}").contains("secret"), "{what}");
            }
            (end, _) => panic!("{what}: {end:?}"),
        }
        let letter = |keys: Vec<String>| -> String {
            keys.iter()
                .map(|key| key.trim_start_matches("key-").trim_end_matches("-secret").to_owned())
                .collect()
        };
        let (one, two) = world.keys();
        assert_eq!((letter(one).as_str(), letter(two).as_str()), case.keys, "{what}");
        assert_eq!(
            world.meter.records().len(),
            case.keys.0.len() + case.keys.1.len(),
            "{what}: each is counted"
        );
        assert_eq!(caller.attempts().len(), case.attempts.len(), "{what}");
    }
}

#[tokio::test]
async fn trouble_with_keys_and_models_follows_the_table() {
    run(keys_and_accounts(), HttpOptions::default()).await;
}

#[tokio::test]
async fn trouble_with_providers_follows_the_table() {
    run(bad_moments(), HttpOptions::default()).await;
}

#[tokio::test]
async fn silence_follows_the_table() {
    run(silences(), impatient()).await;
}

#[tokio::test]
async fn a_rejected_thinking_level_is_lowered_and_remembered_for_the_run() {
    let world = World::start().await;
    let rejection = fails(
        400,
        "Unsupported value: 'xhigh' is not supported for reasoning_effort. Supported values are: 'low' and 'medium'.",
    );
    world.script(vec![rejection, says(), says()], vec![]);
    let caller = world.caller(BOTH);
    let hard = || {
        let mut request = request("hi");
        request.thinking = ThinkingLevel::XHigh;
        caller.stream(request, CancellationToken::new())
    };
    let heard = hear(hard()).await;
    assert_eq!(heard.attempts, [("one".to_owned(), Some(A.to_owned()), "format".to_owned(), LessThinking)]);
    hear(hard()).await.end.unwrap();
    let efforts: Vec<_> = world.one.requests().iter().map(|r| r.body["reasoning_effort"].clone()).collect();
    assert_eq!(efforts.get(1..), Some(&[serde_json::json!("medium"), serde_json::json!("medium")][..]));
    let levels: Vec<_> = world.meter.records().iter().map(|record| record.target.thinking.clone()).collect();
    let expected = [ThinkingLevel::XHigh, ThinkingLevel::Medium, ThinkingLevel::Medium];
    assert_eq!(levels, expected.map(|level| Some(level.into())));
}

#[tokio::test]
async fn a_run_keeps_to_whoever_answered() {
    let world = World::start().await;
    world.script(vec![status(402), status(402)], vec![says(), says()]);
    let caller = world.caller(BOTH);
    hear(ask(&caller)).await.end.unwrap();
    let again = hear(ask(&caller)).await;
    assert_eq!((again.attempts.len(), again.text.as_str()), (0, FINE));
    let winner = caller.winner().unwrap();
    let Winner { provider, model, profile } = winner;
    assert_eq!((provider.as_str(), model.as_str(), profile.as_deref()), ("two", "big", Some(C)));
    assert_eq!(world.one.requests().len(), 2);
}

#[tokio::test]
async fn a_conversation_keeps_to_its_key_while_that_works() {
    let world = World::start().await;
    world.script(vec![says(), status(429), says()], vec![]);
    let pin = |by_user| Some(Pinned { id: B.to_owned(), by_user });
    hear(ask(&world.pinned(BOTH, pin(false)))).await.end.unwrap();
    let caller = world.pinned(BOTH, pin(false));
    let heard = hear(ask(&caller)).await;
    assert_eq!(heard.attempts.len(), 1);
    assert_eq!(caller.winner().unwrap().profile.as_deref(), Some(A), "a pin of the house may be left");
}

#[tokio::test]
async fn a_key_a_person_chose_is_not_exchanged_for_another() {
    let world = World::start().await;
    world.script(vec![status(429)], vec![says()]);
    let caller = world.pinned(BOTH, Some(Pinned { id: B.to_owned(), by_user: true }));
    let heard = hear(ask(&caller)).await;
    let expected = ("one".to_owned(), Some(B.to_owned()), "rate_limit".to_owned(), NextModel);
    assert_eq!((heard.attempts, heard.text.as_str()), (vec![expected], FINE));
    let gone = world.pinned(BOTH, Some(Pinned { id: "one:gone".to_owned(), by_user: true }));
    world.script(vec![], vec![says()]);
    let heard = hear(ask(&gone)).await;
    assert_eq!(heard.attempts[0].2, "auth", "a chosen key that is gone is told, not replaced");
    assert_eq!(world.one.requests().len(), 1);
}

#[tokio::test]
async fn a_key_chosen_for_one_provider_does_not_stop_another() {
    let world = World::start().await;
    world.script(vec![], vec![says()]);
    let caller = world.pinned(&["two/big"], Some(Pinned { id: A.to_owned(), by_user: true }));
    let heard = hear(ask(&caller)).await;
    assert_eq!((heard.attempts.len(), heard.text.as_str()), (0, FINE));
}

#[tokio::test]
async fn a_provider_without_any_key_says_what_would_help() {
    let world = World::start().await;
    let mut spec = homard_llm::ProviderSpec::new(
        homard_protocol::ProviderId::parse("anthropic").unwrap(),
        "anthropic-messages",
        world.two.anthropic_url(),
    );
    let model = homard_protocol::ModelId::parse("claude").unwrap();
    spec.models.push(homard_llm::ModelSpec::new(spec.id.clone(), model, "anthropic-messages"));
    let heard = hear(ask(&world.with(vec![spec]).caller(&["anthropic/claude"]))).await;
    let error = heard.end.unwrap_err();
    assert_eq!(error.reason, FailReason::Auth);
    assert!(error.message.contains("ANTHROPIC_API_KEY"), "{error}");
    assert!(error.message.contains("homard models auth"), "{error}");
}

#[tokio::test]
async fn when_everything_fails_each_road_is_told_once() {
    let mut world = World::start().await;
    world.policy.max_retries = 2;
    world.script(vec![status(500); 4], vec![fails(401, "bad key")]);
    let heard = hear(ask(&world.caller(BOTH))).await;
    let error = heard.end.unwrap_err();
    assert_eq!(error.reason, FailReason::Auth, "what a person can do something about");
    let told =
        [&format!("one/big ({A}): overloaded, 2 times"), &format!("one/big ({B}): overloaded, 2 times")];
    assert!(told.iter().all(|part| error.message.contains(*part)), "{error}");
    assert!(error.message.contains(&format!("two/big ({C}): auth")), "{error}");
    let steps: Vec<_> = heard.attempts.iter().map(|attempt| attempt.3).collect();
    assert_eq!(steps, [NextProfile, NextModel, Wait, Wait, GiveUp]);
}

#[tokio::test]
async fn an_empty_chain_is_an_answer_too() {
    let world = World::start().await;
    let Heard { end, attempts, .. } = hear(ask(&world.caller(&[]))).await;
    assert_eq!((end.unwrap_err().reason, attempts.len()), (FailReason::Unknown, 0));
}

#[tokio::test]
async fn thinking_alone_does_not_keep_a_call_from_being_tried_again() {
    use futures_util::StreamExt;
    let world = World::start_with(impatient(), Budgets::default()).await;
    world.two.turn(Turn::StallsAfter(0));
    world.two.thinks("hm", "yes");
    let caller = world.caller(&["two/big"]);
    let events: Vec<_> = ask(&caller).collect().await;
    let Some(StreamEvent::Done(answer)) = events.last() else { panic!("{events:?}") };
    assert_eq!((answer.message.text().as_str(), answer.message.stop_reason), ("yes", StopReason::Stop));
    assert_eq!(world.two.requests().len(), 2);
}
