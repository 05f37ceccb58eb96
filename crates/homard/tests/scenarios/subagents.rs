//! Agents started by agents: what they are told and offered, who hears of their end, what stops them.

use homard_testkit::{FakeLlm, TestClient, TestGateway, TestHome};
use serde_json::{Value, json};

use crate::scenarios::world::{KEY, OPENAI, config, launch, say, talk, text_of, until};

/// A gateway whose main agent, subagents and their subagents each have a model of their own, so that what each
/// is asked can be told apart.
struct Family {
    gateway: TestGateway,
    parent: FakeLlm,
    child: FakeLlm,
    grandchild: FakeLlm,
}

impl Family {
    async fn start(change: impl FnOnce(&mut Value)) -> Self {
        let [parent, child, grandchild] = [
            FakeLlm::start().await.unwrap(),
            FakeLlm::start().await.unwrap(),
            FakeLlm::start().await.unwrap(),
        ];
        let config = config(&parent, OPENAI, |config| {
            for (name, fake) in [("child", &child), ("grandchild", &grandchild)] {
                let mut provider = config["models"]["providers"]["fake"].clone();
                provider["baseUrl"] = json!(fake.openai_url());
                config["models"]["providers"][name] = provider;
            }
            config["agents"]["defaults"]["subagents"] = json!({"model": "child/fake-1"});
            change(config);
        });
        let home = TestHome::with_config(&config).unwrap();
        Self { gateway: TestGateway::start(launch(), home).await.unwrap(), parent, child, grandchild }
    }

    async fn owner(&self) -> TestClient {
        self.gateway.operator().await.unwrap()
    }
}

/// The last message of a request.
fn last_said(body: &Value) -> String {
    text_of(body["messages"].as_array().unwrap().last().unwrap())
}

/// The names of the tools of a request.
fn offered(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

/// The last word of a conversation with exactly this text.
async fn heard(client: &mut TestClient, text: &str) {
    let is_it = |payload: &Value| {
        payload["sessionKey"] == KEY && payload["state"] == "final" && text_of(&payload["message"]) == text
    };
    client.next_event_where("chat", is_it).await.unwrap();
}

/// A subagent has said its last word.
async fn child_ended(client: &mut TestClient) {
    let is_it = |payload: &Value| {
        let of_child = payload["sessionKey"].as_str().is_some_and(|key| key.contains(":subagent:"));
        of_child && payload["state"] != "delta"
    };
    client.next_event_where("chat", is_it).await.unwrap();
}

#[tokio::test]
async fn a_subagent_works_apart_and_its_result_comes_back_as_a_message() {
    let family = Family::start(|_| {}).await;
    family.parent.calls("sessions_spawn", json!({"task": "count the shells", "label": "counter"}));
    family.parent.says("on it").says("there are 42 shells");
    family.child.says("I counted 42");
    let mut client = family.owner().await;
    let last = talk(&mut client, KEY, "how many shells?").await;
    assert_eq!(text_of(&last["message"]), "on it");
    heard(&mut client, "there are 42 shells").await;

    let first = &family.parent.requests()[0].body;
    let size = first.to_string().len();
    assert!(size <= 20_000, "the first request has {size} bytes");
    let asked = &family.child.requests()[0].body;
    assert!(text_of(&asked["messages"][0]).contains("You are a subagent"), "{asked}");
    assert!(last_said(asked).ends_with("count the shells"), "{asked}");
    let tools = offered(asked);
    assert!(tools.contains(&"read"), "{tools:?}");
    for denied in ["sessions_spawn", "sessions_send", "gateway", "session_status", "subagents", "agents_list"]
    {
        assert!(offered(first).contains(&denied) && !tools.contains(&denied), "{denied}: {tools:?}");
    }
    let report = last_said(&family.parent.requests()[2].body);
    for part in ["[Subagent report] \"counter\" completed", "I counted 42", "tokens", "NO_REPLY"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let listed = client.call("sessions.list", json!({"spawnedBy": KEY})).await.unwrap();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1, "{listed}");
}

#[tokio::test]
async fn a_subagent_that_has_nothing_to_report_is_not_announced() {
    let family = Family::start(|_| {}).await;
    family.parent.calls("sessions_spawn", json!({"task": "look", "cleanup": "delete"})).says("on it");
    family.child.says("ANNOUNCE_SKIP");
    let mut client = family.owner().await;
    say(&mut client, KEY, "look").await;
    child_ended(&mut client).await;
    heard(&mut client, "on it").await;
    family.parent.says("nothing new");
    talk(&mut client, KEY, "well?").await;
    assert_eq!(family.parent.requests().len(), 3);
    assert!(!family.parent.requests()[2].body.to_string().contains("Subagent report"));
    let is_gone = || async {
        let listed = family.owner().await.call("sessions.list", json!({"spawnedBy": KEY})).await.unwrap();
        listed["sessions"].as_array().unwrap().is_empty().then_some(())
    };
    until("the subagent's session to be deleted", is_gone).await;
    talk(&mut client, KEY, "and now?").await;
    let asked = family.parent.requests();
    assert_eq!(asked.len(), 4, "nothing came in between");
    assert!(!asked[3].body.to_string().contains("Subagent report"));
}

#[tokio::test]
async fn a_restart_in_the_middle_is_reported_exactly_once() {
    let mut family = Family::start(|_| {}).await;
    family.parent.calls("sessions_spawn", json!({"task": "dig", "label": "digger"})).says("on it");
    let _gate = family.child.gate("half a hole");
    let mut client = family.owner().await;
    talk(&mut client, KEY, "dig").await;
    family.child.wait_for_request(1).await.unwrap();
    family.parent.says("the digger was cut off");
    family.gateway.kill9().await.unwrap();
    family.gateway.restart().await.unwrap();
    let report = last_said(&family.parent.wait_for_request(3).await.unwrap().body);
    assert!(report.contains("\"digger\" failed: cut off by a restart"), "{report}");
    let mut client = family.owner().await;
    family.parent.says("still here");
    talk(&mut client, KEY, "and now?").await;
    family.gateway.kill9().await.unwrap();
    family.gateway.restart().await.unwrap();
    let mut client = family.owner().await;
    family.parent.says("as ever");
    talk(&mut client, KEY, "and now?").await;
    assert_eq!(family.parent.requests().len(), 5, "nobody is told twice");
    assert_eq!(family.child.requests().len(), 1, "nor does the child begin again");
}

#[tokio::test]
async fn a_child_that_was_killed_while_it_waited_does_not_begin_after_a_crash() {
    let mut family = Family::start(|config| {
        config["agents"]["defaults"]["subagents"]["maxConcurrent"] = json!(1);
    })
    .await;
    family.parent.calls("sessions_spawn", json!({"task": "first"}));
    family.parent.calls("sessions_spawn", json!({"task": "second"})).says("on it");
    let _gate = family.child.gate("half a hole");
    let mut client = family.owner().await;
    talk(&mut client, KEY, "dig twice").await;
    family.child.wait_for_request(1).await.unwrap();
    family.gateway.kill9().await.unwrap();
    // The kill reached the table of children, and then the process died.
    let database = family.gateway.home().state_dir().join("homard.sqlite");
    let conn = rusqlite::Connection::open(database).unwrap();
    assert_eq!(conn.execute("UPDATE subagents SET settled_at = 1", []).unwrap(), 2);
    drop(conn);
    family.gateway.restart().await.unwrap();
    let mut client = family.owner().await;
    family.parent.says("all quiet");
    talk(&mut client, KEY, "quiet?").await;
    let waiting = || async {
        let listed = family.owner().await.call("sessions.list", json!({"spawnedBy": KEY})).await.unwrap();
        (!listed.to_string().contains("\"hasActiveRun\":true")).then_some(())
    };
    until("nothing to go on", waiting).await;
    assert_eq!(family.child.requests().len(), 1);
}

#[tokio::test]
async fn stopping_the_parent_stops_its_children_and_theirs() {
    let family = Family::start(|config| {
        config["agents"]["defaults"]["subagents"]["maxSpawnDepth"] = json!(2);
    })
    .await;
    family.parent.calls("sessions_spawn", json!({"task": "lead"})).says("on it");
    family.child.calls("sessions_spawn", json!({"task": "dig", "model": "grandchild/fake-1"}));
    let _gate = family.child.gate("waiting for the digger");
    let _gate = family.grandchild.gate("half a hole");
    let mut client = family.owner().await;
    talk(&mut client, KEY, "dig").await;
    family.child.wait_for_request(2).await.unwrap();
    family.grandchild.wait_for_request(1).await.unwrap();
    client.call("chat.abort", json!({"sessionKey": KEY})).await.unwrap();
    family.child.wait_for_hangups(1).await.unwrap();
    family.grandchild.wait_for_hangups(1).await.unwrap();
    family.parent.says("all quiet");
    talk(&mut client, KEY, "quiet?").await;
    assert_eq!(family.parent.requests().len(), 3);
    assert!(!family.parent.requests()[2].body.to_string().contains("Subagent report"));
}

#[tokio::test]
async fn a_subagent_is_announced_only_when_its_own_subagents_have_reported() {
    let family = Family::start(|config| {
        config["agents"]["defaults"]["subagents"]["maxSpawnDepth"] = json!(2);
        config["agents"]["defaults"]["subagents"]["maxConcurrent"] = json!(1);
        config["agents"]["defaults"]["maxConcurrent"] = json!(1);
    })
    .await;
    family.parent.calls("sessions_spawn", json!({"task": "lead"})).says("on it").says("it is seven");
    family.child.calls("sessions_spawn", json!({"task": "dig", "model": "grandchild/fake-1"}));
    family.child.says("waiting").says("the digger found seven");
    family.grandchild.says("seven");
    let mut client = family.owner().await;
    talk(&mut client, KEY, "dig").await;
    heard(&mut client, "it is seven").await;
    let inner = last_said(&family.child.requests()[2].body);
    assert!(inner.contains("seven") && inner.contains("your own task"), "{inner}");
    let report = last_said(&family.parent.requests()[2].body);
    assert!(report.contains("the digger found seven"), "{report}");
    assert!(!offered(&family.grandchild.requests()[0].body).contains(&"sessions_spawn"));
}

#[tokio::test]
async fn what_is_beyond_the_limits_is_refused_in_words() {
    let family = Family::start(|config| {
        config["agents"]["defaults"]["subagents"]["maxChildrenPerAgent"] = json!(1);
        config["agents"]["list"] = json!([{"id": "main"}, {"id": "work"}]);
    })
    .await;
    let _gate = family.child.gate("still digging");
    let calls = [
        json!({"task": "dig", "agentId": "work"}),
        json!({"task": "dig", "model": "nobody/knows"}),
        json!({"task": "dig", "thinking": "sideways"}),
        json!({"task": " "}),
        json!({"task": "dig", "label": "digger"}),
        json!({"task": "dig more"}),
    ];
    family.parent.calls_many(calls.map(|call| ("sessions_spawn".to_owned(), call)));
    family.parent.calls("subagents", json!({}));
    family.parent.calls("subagents", json!({"action": "kill", "target": "digger"})).says("enough");
    let mut client = family.owner().await;
    let last = talk(&mut client, KEY, "dig").await;
    assert_eq!(text_of(&last["message"]), "enough");
    let asked = family.parent.requests().pop().unwrap().body;
    let messages = asked["messages"].as_array().unwrap();
    let results: Vec<String> = messages.iter().filter(|m| m["role"] == "tool").map(text_of).collect();
    let words = [
        "allowAgents",
        "nobody",
        "no thinking level",
        "1 to 50000",
        "accepted",
        "maxChildrenPerAgent",
        "\"label\":\"digger\"",
        "digger",
    ];
    assert_eq!(results.len(), words.len(), "{results:?}");
    for (result, word) in results.iter().zip(words) {
        assert!(result.contains(word), "{word}: {result}");
    }
    family.child.wait_for_hangups(1).await.unwrap();
}

#[tokio::test]
async fn a_subagent_that_is_told_something_reports_what_came_of_that() {
    let family = Family::start(|_| {}).await;
    family.parent.calls("sessions_spawn", json!({"task": "dig", "label": "digger"})).says("on it");
    let gate = family.child.gate("a shallow hole");
    family.child.says("a deep hole");
    let mut client = family.owner().await;
    talk(&mut client, KEY, "dig").await;
    family.child.wait_for_request(1).await.unwrap();
    let steer = json!({"action": "steer", "target": "digger", "message": "dig deeper"});
    family.parent.calls("subagents", steer).says("told it").says("it is deep now");
    talk(&mut client, KEY, "deeper").await;
    gate.release();
    heard(&mut client, "it is deep now").await;
    assert!(last_said(&family.child.requests()[1].body).ends_with("dig deeper"));
    let report = last_said(&family.parent.requests()[4].body);
    assert!(report.contains("a deep hole") && !report.contains("shallow"), "{report}");
}

#[tokio::test]
async fn what_subagents_do_is_listed_as_tasks_looked_into_and_stopped() {
    let family = Family::start(|_| {}).await;
    family.parent.calls("sessions_spawn", json!({"task": "count the shells", "label": "counter"}));
    family.parent.says("on it").says("there are 42 shells");
    family.child.says("I counted 42");
    let mut client = family.owner().await;
    talk(&mut client, KEY, "how many shells?").await;
    heard(&mut client, "there are 42 shells").await;
    let asked = json!({"sessionKey": KEY, "status": "completed", "sortBy": "endedAt"});
    let listed = client.call("tasks.list", asked).await.unwrap();
    let task = &listed["tasks"][0];
    assert_eq!(
        (&task["title"], &task["status"], &task["sessionKey"], &task["kind"], task.get("prompt")),
        (&json!("counter"), &json!("completed"), &json!(KEY), &json!("subagent"), None),
        "{listed}"
    );
    let one = json!({"taskId": task["id"]});
    let whole = client.call("tasks.get", one.clone()).await.unwrap()["task"].take();
    assert_eq!(
        (&whole["prompt"], &whole["result"]),
        (&json!("count the shells"), &json!("I counted 42")),
        "{whole}"
    );
    let said = client.call("tasks.history", one.clone()).await.unwrap();
    let said: Vec<String> = said["messages"].as_array().unwrap().iter().map(text_of).collect();
    assert!(said[0].contains("count the shells") && said[1] == "I counted 42", "{said:?}");
    let late = client.call("tasks.cancel", one).await.unwrap();
    assert_eq!((&late["found"], &late["cancelled"]), (&json!(true), &json!(false)), "{late}");
    assert!(client.call("tasks.get", json!({"taskId": "never-was"})).await.is_err());
    let nobody = client.call("tasks.cancel", json!({"taskId": "never-was"})).await.unwrap();
    assert_eq!(nobody, json!({"found": false, "cancelled": false}));

    let gate = family.child.gate("never said");
    family.parent.calls("sessions_spawn", json!({"task": "count the waves"}));
    family.parent.says("on it again").says("it was stopped");
    talk(&mut client, KEY, "and the waves?").await;
    family.child.wait_for_request(2).await.unwrap();
    let running = client.call("tasks.list", json!({"status": ["queued", "running"]})).await.unwrap();
    let running = &running["tasks"][0];
    assert_eq!((&running["title"], &running["status"]), (&json!("count the waves"), &json!("running")));
    let stopped = client.call("tasks.cancel", json!({"taskId": running["id"]})).await.unwrap();
    assert_eq!(
        (&stopped["cancelled"], &stopped["task"]["status"]),
        (&json!(true), &json!("cancelled")),
        "{stopped}"
    );
    gate.release();
}

#[tokio::test]
async fn how_subagents_think_and_how_long_they_may_take_is_the_owners_choice() {
    let all = json!({"model": "child/fake-1", "thinking": "high", "runTimeoutSeconds": 3});
    let own = json!({"model": "grandchild/fake-1", "thinking": "low"});
    for (agents, effort) in [(None, "high"), (Some(own), "low")] {
        let family = Family::start(|config| {
            for name in ["child", "grandchild"] {
                config["models"]["providers"][name]["models"][0]["reasoning"] = json!(true);
            }
            config["agents"]["defaults"]["subagents"] = all.clone();
            if let Some(own) = &agents {
                config["agents"]["list"] = json!([{"id": "main", "default": true, "subagents": own}]);
            }
        })
        .await;
        let model = if agents.is_some() { &family.grandchild } else { &family.child };
        model.hangs();
        family.parent.calls("sessions_spawn", json!({"task": "look after it"}));
        family.parent.says("I have it done.").says("It took too long.");
        let mut client = family.owner().await;
        talk(&mut client, KEY, "have it done").await;
        assert_eq!(model.wait_for_request(1).await.unwrap().body["reasoning_effort"], effort);
        heard(&mut client, "It took too long.").await;
        let told = last_said(&family.parent.requests().pop().unwrap().body);
        assert!(told.contains("ran out of time"), "{told}");
    }
}
