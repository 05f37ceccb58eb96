//! One conversation, one prompt: whichever way a message comes, what the provider has kept of the conversation is met
//! again. The prompt and the tools are the real ones.

use homard_testkit::{FakeTelegram, TestDevice};
use serde_json::{Value, json};

use crate::scenarios::asking::post;
use crate::scenarios::nodes::approved;
use crate::scenarios::world::{KEY, OPENAI, World, talk, text_of, until};

/// The owner on Telegram, and somebody else.
const ADA: i64 = 42;
const BOB: i64 = 43;
const GROUP: i64 = -1001;
const MAIN: &str = "agent:main:main";
const HOOK_TOKEN: &str = "the-hooks-own-token";

async fn start() -> (World, FakeTelegram) {
    let telegram = FakeTelegram::start().await.unwrap();
    let world = World::start_with(OPENAI, |config| {
        config["channels"]["telegram"] = json!({
            "botToken": telegram.token(), "apiRoot": telegram.url(), "dmPolicy": "allowlist",
            "allowFrom": [ADA.to_string(), BOB.to_string()], "streamMode": "off", "groupPolicy": "open",
            "groups": {"*": {"requireMention": true, "systemPrompt": "Speak like a pirate."}},
            "direct": {ADA.to_string(): {"systemPrompt": "Here I am in a hurry."}},
        });
        config["commands"] = json!({"ownerAllowFrom": [format!("telegram:{ADA}")]});
        config["hooks"] = json!({"enabled": true, "token": HOOK_TOKEN});
        config["messages"] = json!({"queue": {"debounceMs": 0}});
    })
    .await;
    (world, telegram)
}

/// What a provider keeps of a request: everything before the conversation, and the conversation.
fn kept(body: &Value) -> (String, Vec<String>) {
    let mut messages: Vec<String> =
        body["messages"].as_array().unwrap().iter().map(ToString::to_string).collect();
    let system = messages.remove(0);
    (format!("{system}\n{}", body["tools"]), messages)
}

/// Every request is its predecessor with something added.
fn assert_cache_holds(world: &World) {
    let asked: Vec<_> = world.fake.requests().iter().map(|request| kept(&request.body)).collect();
    for (n, pair) in asked.windows(2).enumerate() {
        let [(before, said), (after, more)] = pair else { unreachable!() };
        assert_eq!(before, after, "prompt and tools of request {}", n + 2);
        assert!(more.len() > said.len() && more.starts_with(said), "request {}: {said:#?}\n{more:#?}", n + 2);
    }
}

/// Ada writes on Telegram and is answered.
async fn on_telegram(world: &World, telegram: &FakeTelegram, text: &str) {
    world.fake.says("answered there");
    let asked = world.fake.request_count();
    telegram.user_says(ADA, ADA, text);
    // An answer whose arrival a killed process did not note may come twice, so the question is what is waited for.
    world.fake.wait_for_request(asked + 1).await.unwrap();
    assert_eq!(telegram.next_sent().await.unwrap().text(), "answered there");
}

#[tokio::test]
async fn a_day_of_mixed_use_keeps_one_prefix() {
    let (mut world, telegram) = start().await;
    let mut page = world.owner().await;
    talk(&mut page, MAIN, "good morning").await;
    on_telegram(&world, &telegram, "I am on my way").await;
    talk(&mut page, MAIN, "back at the desk").await;
    page.call("wake", json!({"mode": "next-heartbeat", "text": "the backup is done"})).await.unwrap();
    world.fake.calls("read", json!({"path": "AGENTS.md"})).says("done");
    talk(&mut page, MAIN, "what do your notes say?").await;

    world.fake.says("The tea is ready!");
    let reminder = json!({"name": "tea", "schedule": {"kind": "every", "everyMs": 3_600_000}, "sessionTarget": "main",
        "wakeMode": "now", "payload": {"kind": "systemEvent", "text": "Reminder: tea"}});
    let job = page.call("cron.add", reminder).await.unwrap();
    page.call("cron.run", json!({"id": job["id"]})).await.unwrap();
    assert_eq!(telegram.next_sent().await.unwrap().text(), "The tea is ready!");

    world.fake.says("a parcel came");
    let bearer = format!("Bearer {HOOK_TOKEN}");
    let wake = json!({"text": "parcel delivered", "mode": "now"}).to_string();
    post(world.gateway.port(), "/hooks/wake", &[("authorization", &bearer)], &wake).await;
    assert_eq!(telegram.next_sent().await.unwrap().text(), "a parcel came");

    // A program that may write and not change settings; and how hard to think changes, too.
    let mut helper = world.with_scopes(&["operator.read", "operator.write"]).await;
    world.fake.calls("gateway", json!({"action": "config.get"})).says("I may not");
    talk(&mut helper, MAIN, "show me the settings").await;
    let last = world.fake.requests().pop().unwrap().body;
    let result = text_of(last["messages"].as_array().unwrap().last().unwrap());
    assert!(result.contains("whoever asks now may not have `gateway` used"), "{result}");
    let think = json!({"key": MAIN, "thinkingLevel": "high"});
    page.call("sessions.patch", think).await.unwrap();
    talk(&mut page, MAIN, "and now?").await;

    world.gateway.terminate().await.unwrap();
    world.gateway.restart().await.unwrap();
    on_telegram(&world, &telegram, "still there?").await;
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut page = world.owner().await;
    talk(&mut page, MAIN, "good night").await;
    assert!(world.fake.requests().len() >= 12, "{}", world.fake.requests().len());
    assert_cache_holds(&world);

    // What depends on the message went with it.
    let said = world.fake.requests().pop().unwrap().body["messages"].to_string();
    for told in ["Here I am in a hurry.", "sender_is_owner\\\": true", "not words of the user"] {
        assert!(said.contains(told), "{told}: {said}");
    }
    // A file the owner tells the assistant changes the prompt once.
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::write(workspace.join("MEMORY.md"), "likes tea").unwrap();
    let before = world.fake.requests().len();
    let until_told = async || {
        let mut page = world.owner().await;
        talk(&mut page, MAIN, "what do I like?").await;
        let last = world.fake.requests().pop().unwrap().body;
        kept(&last).0.contains("likes tea").then_some(())
    };
    until("the new file in the prompt", until_told).await;
    on_telegram(&world, &telegram, "and on Telegram?").await;
    let asked = world.fake.requests();
    let told: Vec<bool> = asked.iter().map(|asked| kept(&asked.body).0.contains("likes tea")).collect();
    assert!(told.is_sorted() && told[told.len() - 2], "before {before}: {told:?}");
}

#[tokio::test]
async fn a_group_has_one_prompt_for_everybody_in_it() {
    let (world, telegram) = start().await;
    let mention = |text: &str| format!("@{} {text}", telegram.bot_name());
    for (n, (who, text)) in [(BOB, "hello"), (ADA, "hello, too"), (BOB, "what now?")].into_iter().enumerate()
    {
        world.fake.says("arr");
        telegram.group_says(GROUP, who, &mention(text));
        telegram.wait_for_calls("sendMessage", n + 1).await.unwrap();
    }
    let mut page = world.owner().await;
    talk(&mut page, &format!("agent:main:telegram:group:{GROUP}"), "from the page").await;
    assert_cache_holds(&world);
    let (prompt, _) = kept(&world.fake.requests()[0].body);
    assert!(prompt.contains("Speak like a pirate.") && prompt.contains("group chat on Telegram"), "{prompt}");
    assert!(!prompt.contains("USER.md"), "what is about the owner stays out: {prompt}");
    // Who is not the owner is refused what only the owner may have done, though it is offered.
    world.fake.calls("cron", json!({"action": "list"})).says("no");
    telegram.group_says(GROUP, BOB, &mention("which jobs are there?"));
    telegram.wait_for_calls("sendMessage", 4).await.unwrap();
    let told = world.fake.requests().pop().unwrap().body["messages"].to_string();
    assert!(told.contains("whoever asks now may not have `cron` used"), "{told}");
}

#[tokio::test]
async fn a_guest_has_a_prompt_of_their_own_and_the_owner_at_the_page_does_not_change_it() {
    let (world, telegram) = start().await;
    world.fake.says("hello Bob");
    telegram.user_says(BOB, BOB, "hello");
    telegram.next_sent().await.unwrap();
    let mut page = world.owner().await;
    talk(&mut page, &format!("agent:main:telegram:direct:{BOB}"), "the owner looks in").await;
    assert_cache_holds(&world);
    let (prompt, _) = kept(&world.fake.requests()[0].body);
    assert!(!prompt.contains("\"gateway\"") && !prompt.contains("## USER.md"), "{prompt}");
}

/// The tools of the newest request.
fn offered(world: &World) -> Vec<Value> {
    world.fake.requests().pop().unwrap().body["tools"].as_array().unwrap().clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

#[tokio::test]
async fn a_node_paired_while_the_gateway_runs_is_offered_at_once() {
    let world = World::start().await;
    let mut page = world.owner().await;
    talk(&mut page, MAIN, "hi").await;
    let exec = |tools: &[Value]| {
        let exec = tools.iter().find(|tool| tool["function"]["name"] == "exec");
        exec.unwrap()["function"]["parameters"]["properties"].clone()
    };
    let before = offered(&world);
    assert!(!names(&before).contains(&"nodes") && exec(&before).get("host").is_none(), "{before:?}");
    let _node = approved(&world, &mut page, &TestDevice::new().unwrap(), json!({})).await;
    talk(&mut page, MAIN, "and now?").await;
    let after = offered(&world);
    assert!(names(&after).contains(&"nodes"), "{:?}", names(&after));
    assert_eq!(exec(&after)["host"]["enum"], json!(["gateway", "node"]));
    assert!(exec(&after)["node"].is_object());
    let listed = page.call("tools.effective", json!({"sessionKey": MAIN})).await.unwrap();
    let listed: Vec<&str> = listed["groups"][0]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["id"].as_str())
        .collect();
    assert_eq!(listed, names(&after), "the list is what the model is told");
}

#[tokio::test]
async fn pictures_can_be_asked_about_only_where_some_model_sees_and_lists_are_what_models_are_told() {
    for (input, window, sees) in [
        (json!(["text"]), 200_000, false),
        (json!(["text", "image"]), 200_000, true),
        (json!(["text"]), 6_500, false),
    ] {
        let world = World::start_with(OPENAI, |config| {
            let model = &mut config["models"]["providers"]["fake"]["models"][0];
            model["input"] = input.clone();
            model["contextWindow"] = json!(window);
        })
        .await;
        let mut page = world.owner().await;
        talk(&mut page, MAIN, "hi").await;
        let told = offered(&world);
        assert_eq!(names(&told).contains(&"image"), sees, "{input}: {:?}", names(&told));
        let listed = page.call("tools.effective", json!({"sessionKey": MAIN})).await.unwrap();
        let listed = listed["groups"][0]["tools"].as_array().unwrap().clone();
        let listed: Vec<&str> = listed.iter().filter_map(|tool| tool["id"].as_str()).collect();
        assert_eq!(listed, names(&told), "{window}");
        let explained = page.call("tools.explain", json!({"sessionKey": MAIN})).await.unwrap();
        let rows = explained["tools"].as_array().unwrap().clone();
        let explained: Vec<&str> =
            rows.iter().filter(|row| row["offered"] == true).filter_map(|row| row["name"].as_str()).collect();
        assert_eq!(explained, names(&told), "{window}");
    }
}

#[tokio::test]
async fn a_program_may_have_the_model_told_less_and_a_job_knows_the_skills() {
    let world = World::start_with(OPENAI, |config| config["skills"] = json!({"allowBundled": []})).await;
    let skill = world.gateway.home().state_dir().join("workspace/skills/mail/SKILL.md");
    std::fs::create_dir_all(skill.parent().unwrap()).unwrap();
    std::fs::write(&skill, "---\nname: mail\ndescription: Send letters\n---\nHow.\n").unwrap();
    let mut page = world.owner().await;
    let mut told = Vec::new();
    for mode in ["full", "minimal", "none"] {
        let params = json!({"sessionKey": KEY, "message": "hi", "idempotencyKey": mode, "promptMode": mode});
        page.call("agent", params).await.unwrap();
        page.wait_chat_final(mode).await.unwrap();
        told.push(kept(&world.fake.requests().pop().unwrap().body).0);
    }
    let [full, minimal, none] = told.as_slice() else { unreachable!() };
    assert!(full.contains("## SOUL.md") && minimal.contains("## Workspace"), "{full}\n{minimal}");
    assert!(!minimal.contains("answer exactly NO_REPLY") && !none.contains("## "), "{minimal}\n{none}");
    let wrong = json!({"message": "hi", "idempotencyKey": "w", "promptMode": "tiny"});
    let refused = page.request("agent", wrong).await.unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains("/promptMode"), "{refused}");

    let job = json!({"name": "digest", "schedule": {"kind": "every", "everyMs": 3_600_000}, "sessionTarget": "isolated",
        "wakeMode": "now", "payload": {"kind": "agentTurn", "message": "sum up"}});
    let job = page.call("cron.add", job).await.unwrap();
    page.call("cron.run", json!({"id": job["id"]})).await.unwrap();
    let asked = world.fake.wait_for_request(4).await.unwrap().body;
    assert!(kept(&asked).0.contains("<name>mail</name>"), "{asked}");
}

#[tokio::test]
async fn what_was_heard_in_a_topic_before_the_conversation_begins_is_told() {
    let (world, telegram) = start().await;
    telegram.reads_all(true);
    telegram.topic_says(GROUP, 7, BOB, "the boat leaves at nine");
    telegram.wait_until_confirmed().await.unwrap();
    world.fake.says("at nine");
    telegram.topic_says(GROUP, 7, ADA, &format!("@{} when?", telegram.bot_name()));
    telegram.wait_for_calls("sendMessage", 1).await.unwrap();
    let asked = world.fake.requests().pop().unwrap().body;
    let said = asked["messages"].as_array().unwrap().last().unwrap().to_string();
    assert!(
        said.contains("Chat history since last reply") && said.contains("the boat leaves at nine"),
        "{said}"
    );
}
