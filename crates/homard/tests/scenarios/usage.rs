//! What model calls cost: every call is counted once, sums agree wherever they are asked for, and a crash makes
//! nothing cheaper.

use homard_testkit::TestClient;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{ANTHROPIC, KEY, OPENAI, World, as_owner, history, talk};

/// A model that costs something, per million tokens.
fn priced(config: &mut Value) {
    config["models"]["providers"]["fake"]["models"][0]["cost"] =
        json!({"input": 2.0, "output": 10.0, "cacheRead": 0.2, "cacheWrite": 2.5});
}

/// What the fake said each answer used, as the transcript keeps it.
async fn used(client: &mut TestClient, key: &str) -> Vec<Value> {
    let messages = history(client, key).await;
    messages.into_iter().filter(|m| m["role"] == "assistant").map(|mut m| m["usage"].take()).collect()
}

/// A field of every answer, added up.
fn sum(answers: &[Value], field: &str) -> u64 {
    answers.iter().map(|usage| usage[field].as_u64().unwrap()).sum()
}

fn dollars(answers: &[Value]) -> f64 {
    answers.iter().map(|usage| usage["cost"]["total"].as_f64().unwrap()).sum()
}

/// The sums of a report are those of the answers; money is kept in millionths, one rounding for each call.
#[track_caller]
fn agree(totals: &Value, answers: &[Value]) {
    for (field, of_answer) in [
        ("input", "input"),
        ("output", "output"),
        ("cacheRead", "cacheRead"),
        ("cacheWrite", "cacheWrite"),
        ("totalTokens", "totalTokens"),
    ] {
        assert_eq!(totals[field], sum(answers, of_answer), "{field} of {totals}");
    }
    assert_eq!(totals["calls"], answers.len(), "{totals}");
    let difference = (totals["totalCost"].as_f64().unwrap() - dollars(answers)).abs();
    assert!(difference < 0.000_01, "{totals} differs by {difference}");
}

#[tokio::test]
async fn every_call_of_a_tool_loop_is_counted_and_all_reports_agree() {
    for api in [OPENAI, ANTHROPIC] {
        let world = World::start_with(api, priced).await;
        let mut client = world.owner().await;
        world.fake.calls("exec", json!({"command": "true"})).calls("exec", json!({"command": "true"}));
        world.fake.says("done with both");
        talk(&mut client, KEY, "work").await;
        world.fake.says("hello again");
        talk(&mut client, KEY, "hi").await;
        let answers = used(&mut client, KEY).await;
        assert_eq!((answers.len(), world.fake.requests().len()), (4, 4), "{api}");
        assert!(dollars(&answers) > 0.0, "{api}: {answers:?}");

        let cost = client.call("usage.cost", json!({"days": 2})).await.unwrap();
        agree(&cost["totals"], &answers);
        assert_eq!((&cost["days"], cost["daily"].as_array().unwrap().len()), (&json!(2), 2));
        assert_eq!(cost["totals"]["missingCostEntries"], 0);

        let report = client.call("sessions.usage", json!({"days": 2})).await.unwrap();
        agree(&report["totals"], &answers);
        let session = &report["sessions"][0];
        assert_eq!(session["key"], KEY);
        agree(&session["usage"], &answers);
        let sums = &report["aggregates"];
        for list in ["byModel", "byProvider", "byAgent"] {
            assert_eq!(sums[list].as_array().unwrap().len(), 1, "{list}");
            agree(&sums[list][0]["totals"], &answers);
        }
        assert_eq!(
            (&sums["byModel"][0]["provider"], &sums["byModel"][0]["model"]),
            (&json!("fake"), &json!("fake-1"))
        );
        assert_eq!((&sums["messages"]["user"], &sums["messages"]["errors"]), (&json!(2), &json!(0)));

        let curve = client.call("sessions.usage.timeseries", json!({"key": KEY})).await.unwrap();
        let points = curve["points"].as_array().unwrap();
        assert_eq!((points.len(), &curve["sessionId"]), (4, &session["sessionId"]));
        assert_eq!(points[3]["cumulativeTokens"], sum(&answers, "totalTokens"));

        let logs = client.call("sessions.usage.logs", json!({"key": KEY})).await.unwrap();
        let logs = logs["logs"].as_array().unwrap();
        let roles: Vec<&str> = logs.iter().map(|log| log["role"].as_str().unwrap()).collect();
        let looped = ["user", "assistant", "toolResult", "assistant", "toolResult", "assistant"];
        assert_eq!(roles, [&looped[..], &["user", "assistant"]].concat());
        assert_eq!(
            logs.iter().filter_map(|log| log["tokens"].as_u64()).sum::<u64>(),
            sum(&answers, "totalTokens")
        );
    }
}

#[tokio::test]
async fn a_sessions_context_is_its_last_prompt_and_not_the_sum_of_all() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.calls("exec", json!({"command": "true"})).says("done");
    talk(&mut client, KEY, "work").await;
    let answers = used(&mut client, KEY).await;
    let prompt =
        |usage: &Value| sum(std::slice::from_ref(usage), "input") + usage["cacheRead"].as_u64().unwrap();
    let last = prompt(answers.last().unwrap());
    let report = client.call("sessions.usage", json!({"key": KEY})).await.unwrap();
    assert_eq!(report["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(report["sessions"][0]["totalTokens"], last);
    assert!(last < sum(&answers, "input"), "the sum of both prompts is no context");
    let list = client.call("sessions.list", json!({})).await.unwrap();
    assert_eq!(list["sessions"][0]["totalTokens"], last);
}

#[tokio::test]
async fn models_without_a_price_count_tokens_and_are_named_as_unpriced() {
    let world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let cost = client.call("usage.cost", json!({})).await.unwrap();
    assert_eq!(
        (&cost["totals"]["missingCostEntries"], &cost["totals"]["totalCost"]),
        (&json!(1), &json!(0.0))
    );
    assert!(cost["totals"]["totalTokens"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn reports_survive_a_crash() {
    let mut world = World::start_with(OPENAI, priced).await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let before = client.call("usage.cost", json!({})).await.unwrap();
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    let after = client.call("usage.cost", json!({})).await.unwrap();
    assert_eq!((&after["totals"], &before["totals"]["calls"]), (&before["totals"], &json!(1)));
}

#[tokio::test]
async fn runs_tell_what_was_asked() {
    let world = World::start().await;
    let mut client = world.owner().await;
    world.fake.calls("exec", json!({"command": "true"})).says("done");
    talk(&mut client, KEY, "work").await;
    talk(&mut client, "agent:main:other", "hello").await;
    let found = client.call("usage.runs", json!({"sessionKey": KEY})).await.unwrap();
    let runs = found["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[0]["status"], &runs[0]["attempts"]), (1, &json!("ok"), &json!([])));
    let calls = runs[0]["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call["state"] == "settled" && call["model"] == "fake-1"), "{calls:?}");
    assert_eq!(client.call("usage.runs", json!({})).await.unwrap()["runs"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn hours_add_up_to_what_the_answers_used() {
    let world = World::start_with(OPENAI, priced).await;
    let mut client = world.owner().await;
    world.fake.calls("exec", json!({"command": "true"})).says("done");
    talk(&mut client, KEY, "work").await;
    let answers = used(&mut client, KEY).await;
    let found = client.call("usage.hours", json!({"hours": 2})).await.unwrap();
    let hours = found["hours"].as_array().unwrap();
    assert_eq!(hours.len(), 2);
    let sum_of = |field: &str| hours.iter().map(|hour| hour[field].as_u64().unwrap()).sum::<u64>();
    let prompts = ["input", "cacheRead", "cacheWrite"].map(|field| sum(&answers, field)).iter().sum::<u64>();
    assert_eq!((sum_of("turns"), sum_of("calls"), sum_of("errors")), (1, 2, 0), "{found}");
    assert_eq!(
        (sum_of("inputTokens"), sum_of("outputTokens")),
        (prompts, sum(&answers, "output")),
        "{found}"
    );
    let cost: f64 = hours.iter().map(|hour| hour["cost"].as_f64().unwrap()).sum();
    assert!((cost - dollars(&answers)).abs() < 0.000_01, "{found}");
    assert!(
        hours.iter().any(|hour| hour["latencyP95Ms"].as_u64() >= hour["latencyP50Ms"].as_u64()),
        "{found}"
    );
    assert_eq!(client.call("usage.hours", json!({})).await.unwrap()["hours"].as_array().unwrap().len(), 24);
}

#[tokio::test]
async fn what_is_no_range_is_refused_over_the_wire() {
    let world = World::start().await;
    let mut client = world.owner().await;
    for (method, params) in [
        ("usage.cost", json!({"days": 0})),
        ("usage.cost", json!({"startDate": "2026-13-01"})),
        ("usage.cost", json!({"mode": "specific", "timeZone": "../../etc/passwd"})),
        ("sessions.usage", json!({"range": "2w"})),
        ("sessions.usage", json!({"limit": 0})),
        ("sessions.usage.logs", json!({"key": KEY, "limit": 1_001})),
        ("sessions.usage.timeseries", json!({})),
        ("usage.hours", json!({"hours": 0})),
        ("usage.hours", json!({"hours": 721})),
        ("usage.hours", json!({"hours": "24"})),
        ("usage.hours", json!({"agentId": "../x"})),
        ("usage.hours", json!({"until": 5})),
        ("usage.runs", json!({"limit": 0})),
    ] {
        let answer = client.request(method, params.clone()).await.unwrap();
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{method} {params}: {answer}");
    }
    let status = client.call("usage.status", json!({})).await.unwrap();
    assert_eq!((&status["providers"], &status["budgets"]), (&json!([]), &json!([])));
}

#[tokio::test]
async fn the_command_line_says_the_same() {
    let world = World::start_with(OPENAI, priced).await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hello").await;
    let answers = used(&mut client, KEY).await;
    let ask = async |args: &[&str]| {
        let mut command = Command::new(crate::homard());
        command.arg("usage").args(args).args(["--url", &world.gateway.url()]);
        let output = as_owner(command, world.gateway.home()).output().await.unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let json: Value = serde_json::from_str(&ask(&["--json"]).await).unwrap();
    agree(&json["totals"], &answers);
    assert_eq!(json["budgets"], json!([]));
    let by: Value = serde_json::from_str(&ask(&["--by", "model", "--json"]).await).unwrap();
    agree(&by["aggregates"]["byModel"][0]["totals"], &answers);
    let runs: Value = serde_json::from_str(&ask(&["--runs", "--json"]).await).unwrap();
    assert_eq!(runs["runs"][0]["sessionKey"], KEY);
    for (args, words) in [
        (&["--days", "3"][..], "today"),
        (&["--by", "model"], "fake/fake-1"),
        (&["--by", "provider"], "PROVIDER"),
        (&["--by", "agent"], "main"),
        (&["--by", "session"], KEY),
        (&["--by", "day"], "today"),
        (&["--session", KEY], KEY),
        (&["--runs"], "asked fake/fake-1"),
    ] {
        let shown = ask(args).await;
        assert!(shown.contains(words) && !shown.contains('\u{1b}'), "{args:?}: {shown}");
    }
}
