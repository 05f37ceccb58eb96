//! `homard cron` beyond a day's use.

use serde_json::json;

use super::typed;
use crate::scenarios::world::World;

#[tokio::test]
async fn a_job_is_made_with_all_it_can_have_changed_and_cleared() {
    let world = World::start().await;
    let add = [
        "cron",
        "add",
        "--name",
        "digest",
        "--cron",
        "0 9 * * 1-5",
        "--tz",
        "Europe/Paris",
        "--exact",
        "--message",
        "sum up",
        "--light-context",
        "--thinking",
        "low",
        "--timeout-seconds",
        "30",
        "--description",
        "mail",
        "--channel",
        "telegram",
        "--to",
        "7",
        "--thread-id",
        "3",
        "--best-effort-deliver",
        "--failure-alert-after",
        "2",
        "--failure-alert-cooldown",
        "1h",
        "--disabled",
        "--json",
    ];
    let added = typed(&world, &add).await.json();
    let payload = json!({"kind": "agentTurn", "message": "sum up", "thinking": "low", "timeoutSeconds": 30.0, "lightContext": true});
    assert_eq!(added["payload"], payload, "{added}");
    let delivery =
        json!({"mode": "announce", "channel": "telegram", "to": "7", "threadId": "3", "bestEffort": true});
    assert_eq!(added["delivery"], delivery, "{added}");
    assert_eq!(added["failureAlert"], json!({"after": 2, "cooldownMs": 3_600_000}), "{added}");
    assert_eq!((&added["enabled"], &added["schedule"]["staggerMs"]), (&json!(false), &json!(0)), "{added}");

    let edit = [
        "cron",
        "edit",
        "digest",
        "--enable",
        "--clear-thinking",
        "--clear-timeout",
        "--clear-description",
        "--clear-failure-alert",
        "--json",
    ];
    let edited = typed(&world, &edit).await.json();
    assert_eq!(
        edited["payload"],
        json!({"kind": "agentTurn", "message": "sum up", "lightContext": true}),
        "{edited}"
    );
    assert_eq!(
        (&edited["enabled"], edited.get("description"), edited.get("failureAlert")),
        (&json!(true), None, None)
    );
    let never = typed(&world, &["cron", "edit", "digest", "--no-failure-alert", "--json"]).await.json();
    assert_eq!(never["failureAlert"], json!(false));

    world.fake.says("all well");
    typed(&world, &["cron", "edit", "digest", "--no-deliver"]).await.well();
    typed(&world, &["cron", "run", "digest", "--wait"]).await.well();
    let asked = world.fake.requests().pop().unwrap().body.to_string();
    assert!(asked.contains("sum up"), "{asked}");
    assert!(typed(&world, &["cron", "runs", "--status", "ok"]).await.well().contains("digest"));
    assert_eq!(typed(&world, &["cron", "runs", "--status", "error"]).await.well(), "");
    typed(&world, &["cron", "add", "--name", "more", "--every", "1h", "--message", "x"]).await.well();
    let page = typed(&world, &["cron", "list", "--limit", "1", "--offset", "1", "--json"]).await.json();
    assert_eq!((page["jobs"].as_array().unwrap().len(), &page["total"]), (1, &json!(2)), "{page}");

    typed(&world, &["cron", "show", "nothing"]).await.badly(1, &["nothing", "homard cron list"]);
    typed(&world, &["cron", "edit", "digest", "--tz", "Asia/Tokyo"]).await.badly(2, &["--cron"]);
    typed(&world, &["cron", "edit", "digest"]).await.badly(1, &["nothing to change"]);
    typed(&world, &["cron", "edit", "digest", "--enable", "--disable"]).await.badly(2, &["--disable"]);
    typed(&world, &["cron", "edit", "digest", "--failure-alert-cooldown", "soon"])
        .await
        .badly(1, &["is not a time"]);
}
