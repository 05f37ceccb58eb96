//! The gateway as a process: started, asked, killed, started again, stopped.

use homard_testkit::{Launch, TEST_TOKEN, TestClient, TestGateway, TestHome, free_port};
use serde_json::json;

use crate::command_line::run;

fn launch() -> Launch {
    Launch::of(crate::homard())
}

#[tokio::test]
async fn a_killed_gateway_starts_again_on_its_state() {
    let mut gateway = TestGateway::start(launch(), TestHome::new().unwrap()).await.unwrap();
    let mut client = gateway.operator().await.unwrap();
    let params = json!({"sessionKey": "main", "message": "hello", "idempotencyKey": "run-1"});
    client.call("chat.send", params).await.unwrap();
    assert_eq!(client.wait_chat_final("run-1").await.unwrap().get("state"), Some(&json!("final")));
    gateway.kill9().await.unwrap();
    assert_eq!(client.close_code().await.unwrap().0, 0, "nobody said goodbye");

    gateway.restart().await.unwrap();
    let mut client = gateway.operator().await.unwrap();
    let history = client.call("chat.history", json!({"sessionKey": "main"})).await.unwrap();
    assert_eq!(history.pointer("/totalMessages"), Some(&json!(2)), "{history}");
    assert_eq!(gateway.get("/healthz").await.unwrap().0, 200);
}

#[tokio::test]
async fn a_gateway_that_is_asked_to_stop_says_goodbye() {
    let mut gateway = TestGateway::start(launch(), TestHome::new().unwrap()).await.unwrap();
    let mut client = gateway.operator().await.unwrap();
    assert!(gateway.terminate().await.unwrap().success());
    client.next_event("shutdown").await.unwrap();
    assert_eq!(client.close_code().await.unwrap(), (1012, "service restart".to_owned()));
}

#[tokio::test]
async fn a_second_gateway_takes_over_only_when_told_to() {
    let mut first = TestGateway::start(launch(), TestHome::new().unwrap()).await.unwrap();
    let run = |force: bool| {
        let mut command = tokio::process::Command::new(crate::homard());
        command.arg("gateway").args(force.then_some("--force")).kill_on_drop(true);
        command
            .env_clear()
            .env("HOME", first.home().path())
            .env("HOMARD_STATE_DIR", first.home().state_dir());
        command.env("HOMARD_GATEWAY_PORT", first.port().to_string());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command
    };
    let refused = run(false).output().await.unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--force"));

    let mut second = run(true).spawn().unwrap();
    let url = first.url();
    first.ended().await.unwrap();
    let mut said = tokio::io::BufReader::new(second.stdout.take().unwrap());
    let mut line = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut said, &mut line).await.unwrap();
    assert!(line.contains("ready"), "{line}");
    TestClient::connect(&url).await.unwrap();
}

#[tokio::test]
async fn a_gateway_at_another_port_than_is_configured_is_found() {
    let port = free_port().unwrap();
    let config = json!({"gateway": {"port": port, "auth": {"token": TEST_TOKEN}}});
    let home = TestHome::with_config(&config).unwrap();
    let mut gateway = TestGateway::start(launch(), home).await.unwrap();
    assert_ne!(gateway.port(), port);
    let (code, _, err) = run(gateway.home(), &["health"]).await;
    assert_eq!(code, 0, "{err}");
    let (_, out, _) = run(gateway.home(), &["dashboard", "--json"]).await;
    assert!(out.contains(&format!("127.0.0.1:{}/", gateway.port())), "{out}");
    gateway.terminate().await.unwrap();
    let (code, _, err) = run(gateway.home(), &["health"]).await;
    assert!(code == 1 && err.contains(&format!("ws://127.0.0.1:{port}")), "{err}");
}
