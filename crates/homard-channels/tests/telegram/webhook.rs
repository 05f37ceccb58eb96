//! Hearing by being told.

use homard_testkit::free_port;
use serde_json::json;

use crate::telegram::bench::{ADA, Bench};

async fn ready() -> (Bench, String) {
    let port = free_port().unwrap();
    let root = format!("http://127.0.0.1:{port}");
    let more = json!({
        "webhookUrl": format!("{root}/telegram-webhook"), "webhookSecret": "s3cret", "webhookPort": port,
    });
    (Bench::with(&more).await, root)
}

#[tokio::test]
async fn updates_are_brought_and_acknowledged_once_kept() {
    let (bench, _) = ready().await;
    bench.fake.user_says(ADA, ADA, "one");
    bench.fake.user_says(ADA, ADA, "two");
    let mut listening = bench.listen();
    let (_, kept) = listening.next_unkept().await;
    assert_eq!(bench.fake.unconfirmed().len(), 2);
    kept.send(()).unwrap();
    assert_eq!(listening.next_message().await.text, "two");
    bench.fake.wait_until_confirmed().await.unwrap();
    let set = bench.fake.calls_of("setWebhook").remove(0);
    assert_eq!(set.params["secret_token"], "s3cret");
    assert!(set.params["allowed_updates"].as_array().unwrap().contains(&json!("message_reaction")));
    listening.stop().await.unwrap();
}

#[tokio::test]
async fn strangers_and_nonsense_are_turned_away() {
    let (bench, root) = ready().await;
    let listening = bench.listen();
    bench.fake.wait_for_calls("setWebhook", 1).await.unwrap();
    let client = homard_http::client().build().expect("a client");
    let hook = format!("{root}/telegram-webhook");
    let header = "X-Telegram-Bot-Api-Secret-Token";
    let health = client.get(format!("{root}/healthz")).send().await.unwrap();
    assert_eq!((health.status().as_u16(), health.text().await.unwrap().as_str()), (200, "ok"));
    let rows = [
        (client.post(&hook).body("{}"), 401),
        (client.post(&hook).header(header, "wrong!").body("{}"), 401),
        (client.post(&hook).header(header, "s3cret").body("not json"), 200),
        (client.post(&hook).header(header, "s3cret").body("{\"update_id\":1,\"hologram\":1}"), 200),
        (client.post(&hook).header(header, "s3cret").body("x".repeat(1024 * 1024 + 1)), 413),
        (client.get(&hook), 405),
        (client.post(format!("{root}/elsewhere")).body("{}"), 404),
    ];
    for (request, status) in rows {
        assert_eq!(request.send().await.unwrap().status().as_u16(), status);
    }
    listening.stop().await.unwrap();
}

#[tokio::test]
async fn a_taken_port_is_told() {
    let (bench, root) = ready().await;
    let taken = std::net::TcpListener::bind(root.trim_start_matches("http://")).unwrap();
    let ended = bench.listen().end().await;
    assert!(ended.unwrap_err().to_string().contains("cannot listen"));
    drop(taken);
}
