//! Questions to the owner on a chat platform: where they are shown, who may answer, and what they say when they are
//! over.

use homard_testkit::{FakeLlm, FakeTelegram, Sent};
use serde_json::{Value, json};

use crate::scenarios::asking::post;
use crate::scenarios::world::{KEY, OPENAI, World, say};

/// The owner's number on the platform.
const OWNER: i64 = 7;
/// Somebody who may write, too.
const FRIEND: i64 = 8;
/// Where both are.
const GROUP: i64 = -100;
const HOOKS: &str = "the-hooks-own-token";

/// A gateway that asks before every command, with an account on a fake platform.
async fn asking(change: impl FnOnce(&mut Value)) -> (World, FakeTelegram) {
    let there = FakeTelegram::start().await.unwrap();
    there.has_chat(OWNER, json!({})).has_chat(FRIEND, json!({}));
    there.has_chat(GROUP, json!({"type": "group", "title": "Crew"}));
    let (url, token) = (there.url(), there.token().to_owned());
    let world = World::start_with(OPENAI, |config| {
        config["channels"] = json!({"telegram": {
            "botToken": token, "apiRoot": url, "dmPolicy": "allowlist", "allowFrom": [OWNER, FRIEND],
            "groups": {"*": {"requireMention": false}}, "groupPolicy": "open", "streamMode": "off",
        }});
        config["commands"] = json!({"ownerAllowFrom": [format!("telegram:{OWNER}")]});
        config["tools"] = json!({"exec": {"host": "gateway", "security": "allowlist", "ask": "always"}});
        config["hooks"] = json!({"enabled": true, "token": HOOKS});
        change(config);
    })
    .await;
    there.wait_for_polls(1).await.unwrap();
    (world, there)
}

/// What the buttons of a message say and bring back.
fn buttons(sent: &Sent) -> Vec<(String, String)> {
    let rows = sent.param("reply_markup").map(|markup| &markup["inline_keyboard"][0]);
    let row = rows.and_then(Value::as_array).cloned().unwrap_or_default();
    let word = |button: &Value, key: &str| button[key].as_str().unwrap_or_default().to_owned();
    row.iter().map(|button| (word(button, "text"), word(button, "callback_data"))).collect()
}

/// The value of one of them.
fn value(sent: &Sent, text: &str) -> String {
    let found = buttons(sent).into_iter().find(|(says, _)| says == text);
    found.unwrap_or_else(|| panic!("no button {text}: {sent:?}")).1
}

fn shown(sent: &Sent) -> &str {
    sent.shown.as_deref().unwrap_or_default()
}

/// The question that was just asked.
async fn question(there: &FakeTelegram, chat: i64, command: &str) -> Sent {
    let asked = there.next_sent().await.unwrap();
    assert_eq!((asked.method, asked.chat()), ("sendMessage", chat), "{asked:?}");
    let text = shown(&asked);
    assert!(text.contains("May I use exec?") && text.contains(command), "{text}");
    assert!(text.contains("Answer within") && text.contains("/approve "), "{text}");
    asked
}

/// The question changed into what became of it, and nobody can press anything any more.
fn assert_over(asked: &Sent, changed: &Sent, words: &str) {
    assert_eq!(changed.method, "editMessageText", "{changed:?}");
    assert_eq!(changed.param("message_id"), asked.message_id.map(|id| json!(id)).as_ref());
    let text = shown(changed);
    assert!(text.contains("May I use exec?") && text.contains(words), "{text}");
    assert!(!text.contains("/approve") && buttons(changed).is_empty(), "{changed:?}");
}

/// The next things that people see, one of which changes the question; answers with the others.
async fn over_among(there: &FakeTelegram, count: usize, asked: &Sent, words: &str) -> Vec<String> {
    let mut rest = Vec::new();
    for _ in 0..count {
        let sent = there.next_sent().await.unwrap();
        if sent.method == "editMessageText" {
            assert_over(asked, &sent, words);
        } else {
            rest.push(shown(&sent).to_owned());
        }
    }
    assert_eq!(rest.len(), count - 1, "{rest:?}");
    rest
}

#[tokio::test]
async fn a_question_has_buttons_and_pressing_one_answers_it() {
    let (world, there) = asking(|_| {}).await;
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    world.fake.says("It is done.");
    there.user_says(OWNER, OWNER, "do it");
    let asked = question(&there, OWNER, "echo is-done").await;
    let says: Vec<String> = buttons(&asked).into_iter().map(|(text, _)| text).collect();
    assert_eq!((says[0].as_str(), says.last().unwrap().as_str()), ("Allow once", "Deny"));
    there.presses(OWNER, OWNER, asked.message_id.unwrap(), &value(&asked, "Allow once"));
    let said = over_among(&there, 2, &asked, "Allowed once, by telegram:7").await;
    assert_eq!(said, ["It is done."]);
    let requests = world.fake.requests();
    assert!(requests.last().unwrap().body.to_string().contains("is-done"));
    assert!(!requests.last().unwrap().body.to_string().contains("callback_data"), "the model is not told");
    there.wait_for_calls("answerCallbackQuery", 1).await.unwrap();
}

#[tokio::test]
async fn in_a_group_somebody_elses_press_is_refused_and_the_question_waits_on() {
    let (world, there) = asking(|_| {}).await;
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    world.fake.says("I was not allowed to.");
    there.group_says(GROUP, OWNER, "do it");
    let asked = question(&there, GROUP, "echo is-done").await;
    let (id, yes) = (asked.message_id.unwrap(), value(&asked, "Allow once"));
    there.presses(GROUP, FRIEND, id, &yes);
    let refused = there.next_sent().await.unwrap();
    assert_eq!((refused.chat(), refused.text()), (GROUP, "Only the owner may answer this."));
    // Once is enough, and a stranger is told no more than a friend.
    there.presses(GROUP, FRIEND, id, &yes);
    there.presses(GROUP, 999, id, &yes);
    assert_eq!(there.next_sent().await.unwrap().text(), "Only the owner may answer this.");
    let mut client = world.owner().await;
    assert_eq!(client.call("exec.approval.list", json!({})).await.unwrap().as_array().unwrap().len(), 1);
    there.presses(GROUP, OWNER, id, &value(&asked, "Deny"));
    let said = over_among(&there, 2, &asked, "Denied, by telegram:7").await;
    assert_eq!(said, ["I was not allowed to."]);
    // A button of a question that is over does nothing more.
    there.presses(GROUP, OWNER, id, &yes);
    there.wait_until_confirmed().await.unwrap();
    world.fake.says("still here");
    there.group_says(GROUP, OWNER, "and now?");
    assert_eq!(there.next_sent().await.unwrap().text(), "still here");
}

#[tokio::test]
async fn a_question_answered_in_the_page_changes_in_place() {
    let (world, there) = asking(|_| {}).await;
    let mut page = world.owner().await;
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    world.fake.says("It is done.");
    there.user_says(OWNER, OWNER, "do it");
    let asked = question(&there, OWNER, "echo is-done").await;
    let pending = page.call("exec.approval.list", json!({})).await.unwrap();
    let params = json!({"id": pending[0]["id"], "decision": "allow-once"});
    page.call("exec.approval.resolve", params).await.unwrap();
    assert_eq!(over_among(&there, 2, &asked, "Allowed once, by cli").await, ["It is done."]);
}

#[tokio::test]
async fn a_question_of_a_run_that_is_stopped_says_so() {
    let (world, there) = asking(|_| {}).await;
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    there.user_says(OWNER, OWNER, "do it");
    let asked = question(&there, OWNER, "echo is-done").await;
    there.user_says(OWNER, OWNER, "/stop");
    let said = over_among(&there, 2, &asked, "Stopped before anybody answered").await;
    assert!(said[0].contains("aborted"), "{said:?}");
}

#[tokio::test]
async fn questions_go_to_the_places_the_owner_listed_and_whoever_is_asked_there_may_answer() {
    let (world, there) = asking(|config| {
        let targets = json!([{"channel": "telegram", "to": FRIEND.to_string()}, {"channel": "telegram", "to": GROUP.to_string()}]);
        config["approvals"] = json!({"exec": {"enabled": true, "mode": "targets", "targets": targets}});
    })
    .await;
    let mut page = world.owner().await;
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    world.fake.says("It is done.");
    let run = say(&mut page, KEY, "do it").await;
    let sent = there.wait_for_sent(2).await.unwrap();
    let of = |chat: i64| sent.iter().find(|sent| sent.chat() == chat).unwrap();
    for asked in [of(FRIEND), of(GROUP)] {
        assert!(shown(asked).contains("echo is-done") && shown(asked).contains(KEY), "{asked:?}");
    }
    // In the group nobody but the owner may, though the friend is there.
    there.presses(GROUP, FRIEND, of(GROUP).message_id.unwrap(), &value(of(GROUP), "Allow once"));
    let refused = there.wait_for_sent(3).await.unwrap().pop().unwrap();
    assert_eq!(refused.text(), "Only the owner may answer this.");
    there.presses(FRIEND, FRIEND, of(FRIEND).message_id.unwrap(), &value(of(FRIEND), "Allow once"));
    page.wait_chat_final(&run).await.unwrap();
    let changed = there.wait_for_calls("editMessageText", 2).await.unwrap();
    for change in changed {
        assert_over(of(change.chat()), &change, "Allowed once, by telegram:8");
    }
}

#[tokio::test]
async fn a_question_nobody_answers_says_that_its_time_is_over() {
    let (world, there) = asking(|config| {
        let targets = json!([{"channel": "telegram", "to": OWNER.to_string()}]);
        config["approvals"] = json!({"exec": {"enabled": true, "mode": "both", "targets": targets}});
    })
    .await;
    let mut program = world.owner().await;
    let params = json!({"command": "rm -rf build", "timeoutMs": 1_500, "sessionKey": KEY});
    let decided = program.call("exec.approval.request", params).await.unwrap();
    assert_eq!(decided["decision"], Value::Null, "{decided}");
    let asked = question(&there, OWNER, "rm -rf build").await;
    assert_over(&asked, &there.next_sent().await.unwrap(), "Nobody answered in time");
}

#[tokio::test]
async fn after_a_kill_the_question_of_before_says_that_it_is_over() {
    let (mut world, there) = asking(|_| {}).await;
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    there.user_says(OWNER, OWNER, "do it");
    let asked = question(&there, OWNER, "echo is-done").await;
    // What goes to a chat goes one after the other, so the receipt of the question is kept once something else is done.
    let on = json!({"target": "7", "messageId": asked.message_id.unwrap().to_string(), "emoji": "👀"});
    let react = json!({"channel": "telegram", "action": "react", "params": on, "idempotencyKey": "k"});
    world.owner().await.call("message.action", react).await.unwrap();
    assert_eq!(there.next_sent().await.unwrap().method, "setMessageReaction");
    world.gateway.kill9().await.unwrap();
    world.fake.says("I start afresh.");
    world.gateway.restart().await.unwrap();
    let said = over_among(&there, 2, &asked, "The gateway restarted").await;
    assert_eq!(said, ["I start afresh."]);
    // The button of before answers nothing.
    there.presses(OWNER, OWNER, asked.message_id.unwrap(), &value(&asked, "Allow once"));
    there.wait_until_confirmed().await.unwrap();
    world.fake.says("still here");
    there.user_says(OWNER, OWNER, "and now?");
    assert_eq!(there.next_sent().await.unwrap().text(), "still here");
}

#[tokio::test]
async fn what_a_hook_leads_to_is_asked_where_the_owner_was_last_with_the_reason() {
    let (world, there) = asking(|config| config["tools"] = json!({"exec": {"host": "gateway"}})).await;
    world.fake.says("hello");
    there.user_says(OWNER, OWNER, "hi");
    assert_eq!(there.next_sent().await.unwrap().text(), "hello");
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    world.fake.says("The shop was told.");
    let bearer = format!("Bearer {HOOKS}");
    let body = json!({"message": "a parcel came", "name": "Shop"}).to_string();
    let page = post(world.gateway.port(), "/hooks/agent", &[("authorization", &bearer)], &body).await;
    assert_eq!(page.status, 200, "{page:?}");
    let asked = question(&there, OWNER, "echo is-done").await;
    assert!(shown(&asked).contains("Shop"), "whose words are in play: {:?}", asked.shown);
    there.presses(OWNER, OWNER, asked.message_id.unwrap(), &value(&asked, "Allow once"));
    let said = over_among(&there, 2, &asked, "Allowed once").await;
    assert_eq!(said, ["The shop was told."], "its answer is delivered where the owner was last");
}

/// Lets subagents speak with a model of their own.
fn giving(child: &FakeLlm, config: &mut Value) {
    let mut provider = config["models"]["providers"]["fake"].clone();
    provider["baseUrl"] = json!(child.openai_url());
    config["models"]["providers"]["child"] = provider;
    config["agents"]["defaults"]["subagents"] = json!({"model": "child/fake-1"});
}

#[tokio::test]
async fn what_a_subagent_wants_to_do_is_asked_where_its_parent_is_spoken_to() {
    let child = FakeLlm::start().await.unwrap();
    let (world, there) = asking(|config| giving(&child, config)).await;
    world.fake.calls("sessions_spawn", json!({"task": "look after it"}));
    world.fake.says("I have it done.").says("It was done.");
    child.calls("exec", json!({"command": "echo is-done"}));
    child.says("done");
    there.user_says(OWNER, OWNER, "have it done");
    let mut sent = there.wait_for_sent(2).await.unwrap();
    sent.sort_by_key(|sent| buttons(sent).len());
    let asked = sent.pop().unwrap();
    assert!(asked.chat() == OWNER && shown(&asked).contains("echo is-done"), "{asked:?}");
    assert_eq!(sent.pop().unwrap().text(), "I have it done.");
    there.presses(OWNER, OWNER, asked.message_id.unwrap(), &value(&asked, "Allow once"));
    let sent = there.wait_for_sent(4).await.unwrap().split_off(2);
    let changed = sent.iter().find(|sent| sent.method == "editMessageText").unwrap();
    assert_over(&asked, changed, "Allowed once, by telegram:7");
    assert!(sent.iter().any(|sent| sent.text() == "It was done."), "{sent:?}");
    assert!(child.requests().last().unwrap().body.to_string().contains("is-done"));
}

/// Waits until something that fits was sent.
async fn until_sent(there: &FakeTelegram, fits: impl Fn(&Sent) -> bool) -> Sent {
    let mut count = 1;
    loop {
        let sent = there.wait_for_sent(count).await.unwrap();
        if let Some(found) = sent.iter().find(|sent| fits(sent)) {
            return found.clone();
        }
        count = sent.len() + 1;
    }
}

/// Answers the question about this, which is asked in the group.
async fn answers_in_group(there: &FakeTelegram, about: &str, answer: &str) {
    let asked = until_sent(there, |sent| !buttons(sent).is_empty() && shown(sent).contains(about)).await;
    assert_eq!(asked.chat(), GROUP, "{asked:?}");
    there.presses(GROUP, OWNER, asked.message_id.unwrap(), &value(&asked, answer));
}

#[tokio::test]
async fn what_the_owner_has_a_subagent_do_is_asked_in_the_group_after_its_parents_turn_too() {
    let child = FakeLlm::start().await.unwrap();
    let (world, there) = asking(|config| giving(&child, config)).await;
    world.fake.calls("sessions_spawn", json!({"task": "look after it"}));
    world.fake.says("I have it done.");
    child.calls("exec", json!({"command": "echo first"}));
    child.calls("exec", json!({"command": "echo second"}));
    child.says("done");
    there.group_says(GROUP, OWNER, "have it done");
    answers_in_group(&there, "sessions_spawn", "Allow once").await;
    // The turn that asked for the subagent is over once it is answered.
    until_sent(&there, |sent| sent.text() == "I have it done.").await;
    answers_in_group(&there, "echo first", "Allow once").await;
    world.fake.calls("exec", json!({"command": "echo third"}));
    world.fake.says("It was done.");
    answers_in_group(&there, "echo second", "Deny").await;
    // What its report leads to is the owner's matter as well.
    answers_in_group(&there, "echo third", "Deny").await;
    until_sent(&there, |sent| sent.text() == "It was done.").await;
}

/// Makes a job that wants to run a command and delivers to a chat, and runs it.
async fn run_job(world: &World, to: i64) {
    let mut client = world.owner().await;
    let job = json!({
        "name": "digest", "schedule": {"kind": "every", "everyMs": 3_600_000}, "sessionTarget": "isolated",
        "wakeMode": "now", "payload": {"kind": "agentTurn", "message": "sum up"},
        "delivery": {"mode": "announce", "channel": "telegram", "to": to.to_string()},
    });
    let added = client.call("cron.add", job).await.unwrap();
    world.fake.calls("exec", json!({"command": "echo is-done"}));
    world.fake.says("All is well.");
    client.call("cron.run", json!({"id": added["id"]})).await.unwrap();
}

#[tokio::test]
async fn what_a_job_wants_to_do_is_asked_where_its_result_goes_or_where_the_owner_was_last() {
    let (world, there) = asking(|_| {}).await;
    // The owner never wrote on the platform: the job alone says where they are.
    run_job(&world, OWNER).await;
    let asked = question(&there, OWNER, "echo is-done").await;
    there.presses(OWNER, OWNER, asked.message_id.unwrap(), &value(&asked, "Allow once"));
    let said = over_among(&there, 2, &asked, "Allowed once").await;
    assert_eq!(said, ["All is well."]);
    // What goes to others is not asked before them.
    world.fake.says("hello");
    there.user_says(OWNER, OWNER, "hi");
    assert_eq!(there.next_sent().await.unwrap().text(), "hello");
    run_job(&world, FRIEND).await;
    let asked = question(&there, OWNER, "echo is-done").await;
    there.presses(OWNER, OWNER, asked.message_id.unwrap(), &value(&asked, "Deny"));
    let said = over_among(&there, 2, &asked, "Denied").await;
    assert_eq!(said, ["All is well."]);
}
