//! Asking a person first: who hears it, who may answer, what silence means.

use homard_testkit::TestClient;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{KEY, World, as_owner, first_delta, say};

/// Asks about a command, and waits until the asking is accepted.
async fn ask(client: &mut TestClient, more: Value) -> (String, Value) {
    let mut params = json!({"command": "rm -rf build", "cwd": "/tmp", "twoPhase": true});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let request = client.send("exec.approval.request", params).await.unwrap();
    let mut accepted = client.response(&request).await.unwrap();
    assert_eq!(accepted["payload"]["status"], "accepted", "{accepted}");
    (request, accepted["payload"].take())
}

/// Answers, and returns the whole frame.
async fn answer(client: &mut TestClient, id: &str, decision: &str) -> Value {
    client.request("exec.approval.resolve", json!({"id": id, "decision": decision})).await.unwrap()
}

#[tokio::test]
async fn who_may_decide_is_asked_and_the_asker_hears_the_answer() {
    let world = World::start().await;
    let mut asker = world.owner().await;
    let mut person = world.with_scopes(&["operator.approvals"]).await;
    let mut reader = world.with_scopes(&["operator.read", "operator.write"]).await;
    let more = json!({"warningText": "it deletes files", "sessionKey": KEY, "env": {"DEBUG": "1"}});
    let (request, accepted) = ask(&mut asker, more).await;
    assert_eq!(accepted["deliveryRoute"], "approval-client");

    let asked = person.next_event("exec.approval.requested").await.unwrap()["payload"].take();
    let id = asked["id"].as_str().unwrap().to_owned();
    assert_eq!((&asked["approvalKind"], &asked["id"]), (&json!("exec"), &accepted["id"]));
    let shown = &asked["request"];
    assert_eq!((&shown["command"], &shown["cwd"]), (&json!("rm -rf build"), &json!("/tmp")));
    let reasons = json!(["asked by another program: cli", "it deletes files", "it sets DEBUG"]);
    assert_eq!(shown["reasons"], reasons);
    assert_eq!(shown["allowedDecisions"], json!(["allow-once", "allow-always", "deny"]));
    assert_eq!((&shown["agentId"], &shown["sessionKey"]), (&json!("main"), &json!(KEY)));

    assert_eq!(person.call("exec.approval.list", json!({})).await.unwrap(), json!([asked]));
    let got = person.call("exec.approval.get", json!({"id": id[..8]})).await.unwrap();
    assert_eq!((&got["id"], &got["commandText"]), (&json!(id), &json!("rm -rf build")));

    assert_eq!(answer(&mut person, &id, "allow_once").await["payload"], json!({"ok": true}));
    let decided = asker.response(&request).await.unwrap();
    assert_eq!(decided["payload"]["decision"], "allow-once", "{decided}");
    let ended = person.next_event("exec.approval.resolved").await.unwrap()["payload"].take();
    assert_eq!((&ended["id"], &ended["decision"]), (&json!(id), &json!("allow-once")));
    assert_eq!((&ended["resolvedBy"], &ended["terminalReason"]), (&json!("cli"), &json!("user")));
    assert_eq!(person.call("exec.approval.list", json!({})).await.unwrap(), json!([]));

    assert_eq!(reader.request("health", json!({})).await.unwrap()["ok"], true);
    let heard = |event: &&Value| event["event"].as_str().unwrap().contains("approval");
    assert_eq!(reader.events().iter().filter(heard).count(), 0, "not for those who may not decide");
}

#[tokio::test]
async fn the_first_answer_stands() {
    let world = World::start().await;
    let (mut asker, mut person) = (world.owner().await, world.owner().await);
    let (request, accepted) = ask(&mut asker, json!({"ask": "always"})).await;
    let id = accepted["id"].as_str().unwrap();
    let always = answer(&mut person, id, "allow-always").await["error"].take();
    assert_eq!(always["code"], "INVALID_REQUEST");
    assert_eq!(always["details"]["reason"], "APPROVAL_ALLOW_ALWAYS_UNAVAILABLE");
    assert_eq!(answer(&mut person, &id[..8], "deny").await["ok"], true);
    let late = answer(&mut person, &id[..8], "allow").await["error"].take();
    assert_eq!(late["code"], "INVALID_REQUEST");
    assert_eq!(late["details"]["reason"], "APPROVAL_ALREADY_RESOLVED");
    assert_eq!(asker.response(&request).await.unwrap()["payload"]["decision"], "deny");
    let unknown = answer(&mut person, "no-such-question", "allow").await["error"].take();
    assert_eq!(unknown["code"], "APPROVAL_NOT_FOUND");
    let nonsense = answer(&mut person, id, "perhaps").await["error"].take();
    assert_eq!(nonsense["code"], "INVALID_REQUEST", "{nonsense}");
}

#[tokio::test]
async fn silence_is_a_no() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let params = json!({"command": "ls", "timeoutMs": 1});
    let decided = client.call("exec.approval.request", params).await.unwrap();
    assert_eq!((&decided["decision"], &decided["terminalReason"]), (&Value::Null, &json!("timeout")));
    let ended = client.next_event("exec.approval.resolved").await.unwrap()["payload"].take();
    assert_eq!((&ended["decision"], &ended["terminalReason"]), (&json!("deny"), &json!("timeout")));
    let waited = client.call("exec.approval.waitDecision", json!({"id": decided["id"]})).await.unwrap();
    assert_eq!(waited["decision"], Value::Null);
}

#[tokio::test]
async fn without_anybody_to_ask_a_program_may_give_up_at_once() {
    let world = World::start().await;
    let mut alone = world.with_scopes(&["operator.approvals"]).await;
    let params = json!({"command": "ls", "requireDeliveryRoute": true});
    let decided = alone.call("exec.approval.request", params).await.unwrap();
    assert_eq!((&decided["decision"], &decided["terminalReason"]), (&Value::Null, &json!("no-route")));
    assert_eq!(ask(&mut alone, json!({})).await.1["deliveryRoute"], "none", "others keep waiting");
}

#[tokio::test]
async fn a_request_that_cannot_be_kept_as_asked_is_refused() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let wrong = [
        json!({}),
        json!({"command": " "}),
        json!({"command": "ls", "timeoutMs": 600_001}),
        json!({"command": "ls", "timeoutMs": 0}),
        json!({"command": "ls", "host": "node"}),
        json!({"command": "ls", "systemRunPlan": {"argv": ["rm"]}}),
        json!({"command": "ls", "id": "a b"}),
    ];
    for params in wrong {
        let refused = client.request("exec.approval.request", params.clone()).await.unwrap();
        assert_eq!(refused["error"]["code"], "INVALID_REQUEST", "{params}: {refused}");
    }
    ask(&mut client, json!({"id": "mine"})).await;
    let again =
        client.request("exec.approval.request", json!({"command": "ls", "id": "mine"})).await.unwrap();
    assert_eq!(again["error"]["code"], "INVALID_REQUEST", "{again}");
}

#[tokio::test]
async fn who_watches_a_run_sees_that_it_waits() {
    let world = World::start().await;
    let _gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "go").await;
    first_delta(&mut client, &run).await;
    let mut asker = world.owner().await;
    let (_, accepted) =
        ask(&mut asker, json!({"runId": run, "sessionKey": KEY, "toolCallId": "call_1"})).await;
    let is_step = |payload: &Value| payload["stream"] == "approval";
    let waits = client.next_event_where("agent", is_step).await.unwrap()["payload"].take();
    assert_eq!((&waits["runId"], &waits["sessionKey"]), (&json!(run), &json!(KEY)));
    let data = &waits["data"];
    assert_eq!((&data["phase"], &data["status"]), (&json!("requested"), &json!("pending")));
    assert_eq!((&data["approvalId"], &data["toolCallId"]), (&accepted["id"], &json!("call_1")));
    answer(&mut asker, accepted["id"].as_str().unwrap(), "allow").await;
    let goes_on = client.next_event_where("agent", is_step).await.unwrap()["payload"].take();
    let data = &goes_on["data"];
    assert_eq!((&data["phase"], &data["status"]), (&json!("resolved"), &json!("approved")));
}

/// Runs `homard` as the owner and returns whether it worked, its output and its complaints.
async fn homard(world: &World, args: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(crate::homard());
    command.args(args).args(["--url", &world.gateway.url()]);
    let output = as_owner(command, world.gateway.home()).output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[tokio::test]
async fn the_command_line_lists_and_answers() {
    let world = World::start().await;
    let mut asker = world.owner().await;
    let (_, out, err) = homard(&world, &["approvals", "pending"]).await;
    assert_eq!((out.as_str(), err.as_str()), ("", "nothing waits for approval\n"));

    let (request, accepted) = ask(&mut asker, json!({"warningText": "it deletes files"})).await;
    let slug = &accepted["id"].as_str().unwrap()[..8];
    let (_, listed, _) = homard(&world, &["approvals", "pending"]).await;
    assert!(listed.contains(slug) && listed.contains("rm -rf build"), "{listed}");
    assert!(listed.contains("it deletes files"), "{listed}");
    let (worked, said, err) = homard(&world, &["approvals", "allow", slug, "--always"]).await;
    assert_eq!((worked, said.as_str()), (true, "allowed: rm -rf build\n"), "{err}");
    assert_eq!(asker.response(&request).await.unwrap()["payload"]["decision"], "allow-always");
    let (worked, _, err) = homard(&world, &["approvals", "deny", slug]).await;
    assert!(!worked && err.contains("answered already"), "{err}");

    let (request, accepted) = ask(&mut asker, json!({})).await;
    let id = accepted["id"].as_str().unwrap();
    assert!(homard(&world, &["exec-approvals", "resolve", id, "deny"]).await.0);
    assert_eq!(asker.response(&request).await.unwrap()["payload"]["decision"], "deny");
}
