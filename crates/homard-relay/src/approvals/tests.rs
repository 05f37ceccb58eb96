//! A question is shown where it is to be, answered by those who may, and says when it is over.

use std::sync::Arc;
use std::time::Duration;

use homard_channel::{
    Abilities, Act, ChannelError, ChatKind, ChunkMode, Content, Conversation, Details, Dialect, Inbound,
    Press, RichText, Sender, Shape, TableMode, TextUnit,
};
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_protocol::{AccountId, ApprovalId, ChannelId, PeerId, SessionKey};
use homard_runtime::Clock;
use homard_tools::{ANSWER_WITHIN, ApprovalOutcome, ApprovalRequest, CommandTerms, Question};
use serde_json::{Value, json};

use super::{answer_of, press, words};
use crate::fixture::{Platform, Shared, World, abilities, editable};
use crate::parts::ChatApprovals;

/// Where everything is asked about in these tests.
const KEY: &str = "agent:main:main";

fn request(action: &str) -> ApprovalRequest {
    ApprovalRequest {
        tool: "exec".to_owned(),
        action: action.to_owned(),
        cwd: Some("/srv".to_owned()),
        resolved_path: None,
        reasons: vec!["it is not on the list".to_owned(), "words of others: page example.org".to_owned()],
        can_always: true,
        terms: CommandTerms::default(),
        session_key: Some(SessionKey::parse(KEY).unwrap()),
        run_id: None,
        call_id: None,
        for_guest: false,
    }
}

fn question(action: &str) -> Question {
    Question {
        id: ApprovalId::parse("0a1b2c3d-0000-4000-8000-000000000000").unwrap(),
        request: request(action),
        created_at: 0,
        expires_at: 120_000,
        outcome: None,
        answered_by: None,
    }
}

/// Questions about commands go to these people.
fn asking(people: &[&str]) -> Value {
    let targets: Vec<Value> = people.iter().map(|to| json!({"channel": "fake", "to": to})).collect();
    json!({
        "approvals": {"exec": {"enabled": true, "mode": "targets", "targets": targets}},
        "commands": {"ownerAllowFrom": ["fake:1"]},
    })
}

fn roomy(abilities: Abilities) -> Abilities {
    Abilities { text_limit: 2_000, ..abilities }
}

async fn open(config: Value, abilities: Abilities) -> (World, Arc<Platform>) {
    let (world, platform) = (World::new(config), Platform::new(abilities));
    world.relay.follow_approvals();
    connect(&world, &platform).await;
    (world, platform)
}

async fn connect(world: &World, platform: &Arc<Platform>) {
    world.relay.platforms().open_channels(vec![Arc::new(Shared(Arc::clone(platform)))]).await.unwrap();
}

fn ask(world: &World, request: ApprovalRequest) -> ApprovalId {
    world.relay.approvals().post(request, &Clock::system(), ANSWER_WITHIN).unwrap()
}

/// Somebody presses a button in a direct chat.
fn pressed(who: &str, value: &str) -> Inbound {
    Inbound {
        channel: ChannelId::parse("fake").unwrap(),
        account: AccountId::default_account(),
        conversation: Conversation::Direct { peer: PeerId::parse(who).unwrap(), thread: None },
        sender: Sender::Peer { id: PeerId::parse(who).unwrap(), name: None },
        message_id: format!("press-{who}"),
        text: String::new(),
        images: Vec::new(),
        timestamp: 1,
        details: Details {
            pressed: Some(Press { message_id: "77".to_owned(), value: value.to_owned() }),
            ..Details::default()
        },
    }
}

async fn presses(world: &World, who: &str, value: &str) -> &'static str {
    let message = pressed(who, value);
    let answer = answer_of(&message).unwrap();
    ChatApprovals::of(world.relay.downgrade().upgrade().unwrap()).take(&message, &answer).await
}

#[test]
fn a_question_says_what_where_why_and_how_to_answer() {
    let asked = words::asked(&question("rm -r old ```\nIt is harmless."), true, 30_000);
    let (what, how) = asked.rsplit_once("\n\n").unwrap();
    assert!(what.contains("````\nrm -r old ```") && what.contains("It is harmless."), "{what}");
    for part in ["exec", "in /srv", KEY, "• it is not on the list", "• words of others: page example.org"]
    {
        assert!(what.contains(part), "{part}: {what}");
    }
    assert_eq!(how, "Answer within 90 s: /approve 0a1b2c3d allow-once|allow-always|deny");
    let here = words::asked(&question("ls"), false, 0);
    assert!(!here.contains(KEY) && here.contains("within 2 min"), "{here}");
    let long = words::asked(&question(&format!("begin{}end", "x".repeat(9_000))), false, 0);
    assert!(
        long.contains("\nbegin") && long.contains("7008 characters more") && long.contains("end\n"),
        "{long}"
    );
    assert!(long.len() < 3_000, "{}", long.len());
}

#[test]
fn its_end_stands_in_place_of_how_to_answer() {
    let asked =
        RichText { formatted: "<b>May I?</b>\n\nAnswer".to_owned(), plain: "May I?\n\nAnswer".to_owned() };
    let end = || RichText { formatted: "<i>No.</i>".to_owned(), plain: "No.".to_owned() };
    let shape = |limit, unit| Shape {
        dialect: Dialect::Html,
        tables: TableMode::Code,
        limit,
        unit,
        mode: ChunkMode::Length,
    };
    let ended = words::with_end(&asked, end(), shape(100, TextUnit::Chars));
    assert_eq!(
        (ended.formatted.as_str(), ended.plain.as_str()),
        ("<b>May I?</b>\n\n<i>No.</i>", "May I?\n\nNo.")
    );
    assert_eq!(words::with_end(&RichText::plain("Answer"), end(), shape(100, TextUnit::Chars)), end());
    assert_eq!(words::with_end(&asked, end(), shape(8, TextUnit::Chars)), end());
    let faces = RichText::plain(format!("{}\n\nAnswer", "😀".repeat(40)));
    assert_eq!(words::with_end(&faces, end(), shape(70, TextUnit::Utf16)), end(), "two units each");
    let mut question = question("ls");
    for (outcome, by, said) in [
        (ApprovalOutcome::Said(ApprovalDecision::AllowOnce), Some("fake:1"), "✅ Allowed once, by fake:1."),
        (ApprovalOutcome::Said(ApprovalDecision::Deny), None, "⛔ Denied."),
        (ApprovalOutcome::Expired, None, "⌛ Nobody answered in time."),
        (ApprovalOutcome::Withdrawn, None, "⏹ Stopped before anybody answered."),
    ] {
        question.outcome = Some(outcome);
        question.answered_by = by.map(str::to_owned);
        assert_eq!(words::ended(&question), said);
    }
}

#[test]
fn buttons_come_back_as_the_answer_they_stand_for() {
    let mut question = question("ls");
    let [row] = &press::buttons(&question)[..] else { panic!("one row") };
    let values: Vec<&str> = row.iter().map(|button| button.value.as_str()).collect();
    assert_eq!(values.len(), 3);
    for (value, verdict) in values.iter().zip([
        ApprovalDecision::AllowOnce,
        ApprovalDecision::AllowAlways,
        ApprovalDecision::Deny,
    ]) {
        assert!(value.len() <= 64, "{value}");
        let answer = answer_of(&pressed("1", value)).unwrap();
        assert!(format!("{answer:?}").contains(&format!("{verdict:?}")), "{answer:?}");
    }
    question.request.can_always = false;
    assert_eq!(press::buttons(&question)[0].len(), 2);
    question.id = ApprovalId::parse(&"x".repeat(50)).unwrap();
    assert!(press::buttons(&question).is_empty(), "a name that cannot come back");
    for other in ["yes", "approval:", "approval:1:maybe", "/approve 1 allow-once"] {
        assert_eq!(answer_of(&pressed("1", other)), None, "{other}");
    }
}

#[tokio::test]
async fn a_question_changes_in_place_where_messages_can_be_changed() {
    let buttons = Abilities { acts: &[Act::Edit, Act::Buttons], ..roomy(abilities()) };
    let (world, platform) = open(asking(&["1", "-5"]), buttons).await;
    let id = ask(&world, request("echo hi"));
    platform.told(2).await;
    for sent in platform.sent() {
        let Content::Text { buttons, .. } = &sent.content else { panic!("{sent:?}") };
        assert_eq!(buttons.len(), 1, "{sent:?}");
    }
    world.relay.approvals().resolve(&id, ApprovalDecision::Deny, "the page").unwrap();
    platform.told(4).await;
    for sent in platform.sent().into_iter().skip(2) {
        let Content::Edit { words, buttons, .. } = &sent.content else { panic!("{sent:?}") };
        assert!(
            words.plain.contains("echo hi") && words.plain.ends_with("⛔ Denied, by the page."),
            "{words:?}"
        );
        assert!(!words.plain.contains("/approve") && buttons.is_empty(), "{words:?}");
    }
}

#[tokio::test]
async fn where_messages_cannot_be_changed_the_end_is_said_after_it() {
    let (world, platform) = open(asking(&["1"]), roomy(abilities())).await;
    let id = ask(&world, request("echo hi"));
    let asked = platform.told(1).await;
    assert!(asked[0].contains(&format!("/approve {}", &id[..8])), "{asked:?}");
    world.relay.approvals().expire(&id);
    assert_eq!(platform.told(2).await[1], "⌛ Nobody answered in time.");
}

#[tokio::test]
async fn a_question_that_ends_before_it_was_sent_is_not_asked() {
    let (world, platform) = open(asking(&["1"]), roomy(editable())).await;
    platform.answers(Err(ChannelError::Wait(Duration::from_secs(3_600))));
    let id = ask(&world, request("echo hi"));
    platform.told(1).await;
    world.relay.approvals().resolve(&id, ApprovalDecision::AllowOnce, "the page").unwrap();
    while world.store.outbox().counts().await.unwrap().iter().any(|count| count.waiting > 0) {
        tokio::task::yield_now().await;
    }
    assert_eq!(platform.sent().len(), 1);
}

#[tokio::test]
async fn only_the_owner_and_those_who_are_asked_may_press() {
    let (world, platform) = open(asking(&["2", "-5"]), roomy(editable())).await;
    for (who, may) in [("1", true), ("2", true), ("3", false)] {
        let id = ask(&world, request("echo hi"));
        let value = format!("approval:{id}:allow-once");
        let came_of_it = presses(&world, who, &value).await;
        assert_eq!(came_of_it == "an answer to a question", may, "{who}: {came_of_it}");
        let outcome = world.relay.approvals().get(&id).unwrap().outcome;
        assert_eq!(outcome.is_some(), may, "{who}: {outcome:?}");
        if !may {
            presses(&world, who, &value).await;
        }
    }
    world.relay.stop(Duration::ZERO).await;
    let said = platform.told(1).await;
    let refused = said.iter().filter(|text| text.contains("Only the owner")).count();
    assert_eq!(refused, 1, "they are told once: {said:?}");
}

#[tokio::test]
async fn who_presses_what_was_never_asked_hears_nothing() {
    let (world, _platform) = open(asking(&["1"]), roomy(editable())).await;
    for made_up in ["a", "b", "c"] {
        presses(&world, "3", &format!("approval:{made_up}:deny")).await;
    }
    let said = world.store.outbox().beginning_with("question").await.unwrap();
    assert!(said.is_empty(), "{said:?}");
}

#[tokio::test]
async fn who_is_asked_about_commands_does_not_answer_about_other_tools() {
    let (world, _platform) = open(asking(&["2"]), roomy(editable())).await;
    let id = ask(&world, ApprovalRequest { tool: "write".to_owned(), ..request("a file") });
    presses(&world, "2", &format!("approval:{id}:allow-once")).await;
    assert_eq!(world.relay.approvals().get(&id).unwrap().outcome, None);
}

#[tokio::test]
async fn after_a_restart_a_question_of_before_says_that_it_is_over() {
    let (world, platform) = open(asking(&["1", "2"]), roomy(editable())).await;
    let id = ask(&world, request("echo hi"));
    platform.told(2).await;
    while world.store.outbox().counts().await.unwrap().iter().any(|count| count.waiting > 0) {
        tokio::task::yield_now().await;
    }
    let world = world.crash().await;
    let platform = Platform::new(roomy(editable()));
    world.relay.turns().recover().await.unwrap();
    connect(&world, &platform).await;
    let said = platform.told(2).await;
    assert!(said.iter().all(|text| text.starts_with("edit ") && text.contains("echo hi")), "{said:?}");
    assert!(said.iter().all(|text| text.ends_with("this question is over.")), "{said:?}");
    // A press that was on its way changes nothing more.
    assert_eq!(presses(&world, "1", &format!("approval:{id}:allow-once")).await, "its question is over");
    world.relay.stop(Duration::ZERO).await;
    assert_eq!(platform.sent().len(), 2, "{:?}", platform.sent());
}

#[tokio::test]
async fn what_was_not_sent_before_a_restart_is_not_asked_after_it() {
    let (world, platform) = open(asking(&["1"]), roomy(editable())).await;
    platform.answers(Err(ChannelError::Wait(Duration::from_secs(3_600))));
    let id = ask(&world, request("echo hi"));
    platform.told(1).await;
    let world = world.crash().await;
    let platform = Platform::new(roomy(editable()));
    world.relay.turns().recover().await.unwrap();
    connect(&world, &platform).await;
    // Its buttons may be there all the same, if the platform took it and did not come to say so.
    presses(&world, "1", &format!("approval:{id}:allow-once")).await;
    assert_eq!(platform.told(1).await, ["edit 77: ⌛ This question is over."]);
}

#[tokio::test]
async fn a_question_of_a_chat_with_somebody_else_is_not_shown_there() {
    let (world, _platform) =
        open(json!({"commands": {"ownerAllowFrom": ["fake:1"]}}), roomy(editable())).await;
    let approvals = ChatApprovals::of(world.relay.downgrade().upgrade().unwrap());
    for (who, is_shown) in [("1", true), ("2", false)] {
        let talking = world.talker.next();
        let address = crate::fixture::address(who);
        let run = world.asks(&format!("run-{who}"), "do it", &address).await;
        world.begun(&run).await;
        let asked = Question {
            request: ApprovalRequest { run_id: Some(run.clone()), ..request("ls") },
            ..question("ls")
        };
        let places = approvals.places(&asked).await.unwrap();
        let places: Vec<_> = places.into_iter().map(|place| (place.address, place.is_elsewhere)).collect();
        let expected = is_shown.then_some((address, false));
        assert_eq!(places, expected.into_iter().collect::<Vec<_>>(), "{who}");
        drop(talking);
        world.ended(&run).await;
    }
}

#[tokio::test]
async fn questions_go_where_the_owner_wrote_that_they_go() {
    let target = json!([{"channel": "fake", "to": "9"}]);
    let rows = [
        (json!({"enabled": true, "targets": target}), vec![("2", ChatKind::Direct)]),
        (json!({"enabled": true, "mode": "targets", "targets": target}), vec![("9", ChatKind::Direct)]),
        (
            json!({"enabled": true, "mode": "both", "targets": [{"channel": "fake", "to": "2"}, {"channel": "fake", "to": "-9"}]}),
            vec![("2", ChatKind::Direct), ("-9", ChatKind::Group)],
        ),
        (json!({"enabled": true, "agentFilter": ["work"]}), vec![]),
        (json!({"enabled": true, "sessionFilter": ["main"]}), vec![("2", ChatKind::Direct)]),
        (json!({"enabled": false, "mode": "both", "targets": target}), vec![]),
    ];
    for (written, expected) in rows {
        let config = json!({"approvals": {"exec": written}, "commands": {"ownerAllowFrom": ["fake:1"]}});
        let (world, _platform) = open(config, roomy(editable())).await;
        let approvals = ChatApprovals::of(world.relay.downgrade().upgrade().unwrap());
        let talking = world.talker.next();
        let run = world.asks("run", "do it", &crate::fixture::address("2")).await;
        world.begun(&run).await;
        let request = ApprovalRequest { run_id: Some(run.clone()), ..request("ls") };
        let places = approvals.places(&Question { request, ..question("ls") }).await.unwrap();
        let places: Vec<_> =
            places.iter().map(|place| (place.address.to.as_str(), place.address.chat)).collect();
        assert_eq!(places, expected, "{written}");
        drop(talking);
        world.ended(&run).await;
    }
}

#[tokio::test]
async fn a_question_goes_to_the_account_and_the_thread_that_were_written() {
    let target = json!([{"channel": "fake", "to": "9", "accountId": "second", "threadId": "7"}]);
    let config = json!({
        "approvals": {"exec": {"enabled": true, "mode": "targets", "targets": target}},
        "channels": {"fake": {"accounts": {"default": {}, "second": {}}}},
    });
    let (world, _platform) = open(config, roomy(editable())).await;
    let approvals = ChatApprovals::of(world.relay.downgrade().upgrade().unwrap());
    let places = approvals.places(&question("ls")).await.unwrap();
    let address = &places[0].address;
    let thread = address.thread.as_ref().map(ToString::to_string);
    assert_eq!((address.account.as_str(), thread.as_deref()), ("second", Some("7")));
}
