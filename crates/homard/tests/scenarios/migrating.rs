//! A home of OpenClaw is taken over, and a real gateway lists what was in it.

use homard_testkit::{OpenClawHome, TEST_TOKEN, TestGateway, TestHome};
use serde_json::{Value, json};

use crate::command_line::{homard, run};
use crate::scenarios::world::{launch, until};

#[tokio::test]
async fn a_home_of_either_era_is_taken_over_and_opened_by_the_gateway() {
    let token = json!({"gateway": {"auth": {"mode": "token", "token": TEST_TOKEN}}});
    for era in [OpenClawHome::of_files, OpenClawHome::of_databases] {
        let home = TestHome::new().unwrap();
        let old = era(&home.path().join(".openclaw"), &token).unwrap();
        let before = old.fingerprint().unwrap();

        let (code, out, err) = run(&home, &["migrate", "plan", "openclaw", "--json"]).await;
        assert_eq!(code, 0, "{err}");
        let told: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(told["applied"], false);
        assert!(!home.config_path().exists(), "a plan writes nothing");
        let (code, out, err) =
            run(&home, &["migrate", "apply", "openclaw", "--yes", "--include-secrets", "--json"]).await;
        assert_eq!(code, 0, "{err}");
        let told: Value = serde_json::from_str(&out).unwrap();
        assert_eq!(told["applied"], true, "{told}");
        assert_eq!(old.fingerprint().unwrap(), before, "the other home is only read");

        let gateway = TestGateway::start(launch(), home).await.unwrap();
        let mut owner = gateway.operator().await.unwrap();
        let sessions = owner.call("sessions.list", json!({})).await.unwrap();
        let kitchen = sessions["sessions"].as_array().unwrap().iter().find(|one| one["label"] == "Kitchen");
        assert_eq!(kitchen.unwrap()["key"], "agent:main:main", "{sessions}");
        let history = owner.call("chat.history", json!({"sessionKey": "agent:main:main"})).await.unwrap();
        assert!(history.to_string().contains("noted: buy tea"), "{history}");
        let jobs = owner.call("cron.list", json!({})).await.unwrap();
        assert_eq!(
            (&jobs["jobs"][0]["name"], &jobs["jobs"][0]["schedule"]["expr"]),
            (&json!("tea"), &json!("0 16 * * *")),
            "{jobs}"
        );
        let devices = owner.call("device.pair.list", json!({})).await.unwrap();
        assert!(devices.to_string().contains("phone"), "{devices}");
        let config = owner.call("config.get", json!({})).await.unwrap();
        assert!(config.to_string().contains("idleMinutes"), "{config}");
        assert_eq!(old.fingerprint().unwrap(), before, "nor does the gateway write there");
    }
}

#[tokio::test]
async fn a_gateway_that_runs_is_in_the_way_and_a_missing_home_is_named() {
    let home = TestHome::new().unwrap();
    let (code, _, err) = run(&home, &["migrate", "openclaw"]).await;
    assert!(code == 1 && err.contains("--from DIR"), "{err}");
    OpenClawHome::of_files(&home.path().join(".openclaw"), &json!({})).unwrap();
    let (code, _, err) = run(&home, &["migrate", "openclaw"]).await;
    assert!(code == 2 && err.contains("homard migrate apply openclaw --yes"), "{err}");
    home.write_config(&json!({"gateway": {"auth": {"token": TEST_TOKEN}}})).unwrap();
    let gateway = TestGateway::start(launch(), home).await.unwrap();
    let (code, _, err) = run(gateway.home(), &["migrate", "apply", "openclaw", "--yes"]).await;
    assert!(code == 1 && err.contains("a gateway runs"), "{err}");
}

/// Killed while it puts things together: the other home is as it was, ours begins nothing, and the next run arrives.
#[tokio::test]
async fn a_migration_that_is_killed_is_begun_again_and_the_other_home_stays_as_it_was() {
    let home = TestHome::new().unwrap();
    let old = OpenClawHome::of_files(&home.path().join(".openclaw"), &json!({})).unwrap();
    old.text("workspace/large.bin", "a large file").unwrap();
    let seen =
        || old.fingerprint().unwrap().into_iter().map(|(path, bytes, _)| (path, bytes)).collect::<Vec<_>>();
    let before = seen();
    let large = std::fs::File::options().write(true).open(home.path().join(".openclaw/workspace/large.bin"));
    let large = large.unwrap();
    // Large enough to be in the middle of it for a while.
    large.set_len(256 * 1024 * 1024).unwrap();
    let apply = ["migrate", "apply", "openclaw", "--yes", "--include-secrets"];
    let stage = home.state_dir().join("migrating");
    let mut migrating = homard(&home, &apply).spawn().unwrap();
    let at = async || stage.join("workspace/large.bin").exists().then_some(());
    until("the migration to be under way", at).await;
    migrating.kill().await.unwrap();
    assert!(stage.exists(), "it was killed in the middle");
    assert!(!home.config_path().exists() && !home.state_dir().join("workspace/large.bin").exists());

    large.set_len(12).unwrap();
    assert!(seen() == before, "the other home is only read");
    let (code, _, err) = run(&home, &apply).await;
    assert_eq!(code, 0, "{err}");
    assert!(!stage.exists() && home.config_path().exists());
    assert_eq!(std::fs::read(home.state_dir().join("workspace/large.bin")).unwrap(), b"a large file");
    assert!(seen() == before, "the other home is only read");
}
