//! Starting afresh: asked for by signal or by configuration, and what happens when that does not work.

use std::os::unix::net::UnixDatagram;

use homard_testkit::{TestGateway, TestHome};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::scenarios::world::{
    KEY, OPENAI, World, config, first_delta, history, launch, said, say, talk, text_of, until,
};

fn signal(gateway: &TestGateway, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(gateway.pid().unwrap()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// The configuration as a client reads it.
async fn read(world: &World) -> (Value, String) {
    let mut client = world.owner().await;
    let snapshot = client.call("config.get", json!({})).await.unwrap();
    (snapshot["parsed"].clone(), snapshot["hash"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn sigusr1_starts_afresh_after_the_run_under_way_and_refuses_nobody() {
    let world = World::start().await;
    let gate = world.fake.gate("a whole answer");
    let mut client = world.owner().await;
    let boot = client.hello()["server"]["bootId"].clone();
    let run = say(&mut client, KEY, "take your time").await;
    first_delta(&mut client, &run).await;
    signal(&world.gateway, Signal::USR1);
    let event = client.next_event("shutdown").await.unwrap();
    assert_eq!(event["payload"]["reason"], "restart asked for");
    // Who comes now waits for the fresh start.
    let coming = world.gateway.operator();
    let finishing = async {
        gate.release();
        client.wait_chat_final(&run).await.unwrap()
    };
    let (fresh, last) = tokio::join!(coming, finishing);
    assert_eq!(text_of(&last["message"]), "a whole answer");
    let mut fresh = fresh.unwrap();
    assert_ne!(fresh.hello()["server"]["bootId"], boot);
    assert_eq!(talk(&mut fresh, KEY, "still there?").await["state"], "final");
}

#[tokio::test]
async fn the_conversation_that_asked_for_a_change_is_told_after_the_restart() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let (_, hash) = read(&world).await;
    world.fake.says("I am back.");
    let patch = json!({"gateway": {"controlUi": {"allowedOrigins": ["https://example.org"]}}});
    let params =
        json!({"raw": patch.to_string(), "baseHash": hash, "sessionKey": KEY, "note": "origins are set"});
    let written = client.call("config.patch", params).await.unwrap();
    assert_eq!(written["sentinel"]["persisted"], true, "{written}");
    let payload = &written["sentinel"]["payload"];
    assert_eq!(
        (&payload["kind"], &payload["sessionKey"], &payload["message"]),
        (&json!("config-patch"), &json!(KEY), &json!("origins are set"))
    );
    let told = until("the note", || async {
        let mut client = world.gateway.operator().await.ok()?;
        let told = said(&history(&mut client, KEY).await);
        (told.len() == 2).then_some(told)
    })
    .await;
    assert!(told[0].1.contains("Homard restarted") && told[0].1.contains("origins are set"), "{told:?}");
    assert_eq!(told[1].1, "I am back.");
}

#[tokio::test]
async fn a_change_that_needs_no_restart_leaves_no_note() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let (_, hash) = read(&world).await;
    let params =
        json!({"raw": "{logging: {level: 'debug'}}", "baseHash": hash, "sessionKey": KEY, "note": "x"});
    let written = client.call("config.patch", params).await.unwrap();
    assert_eq!((&written["restart"], &written["sentinel"]), (&Value::Null, &Value::Null), "{written}");
    signal(&world.gateway, Signal::USR1);
    client.close_code().await.unwrap();
    let mut client = until("it again", || async { world.gateway.operator().await.ok() }).await;
    assert_eq!(history(&mut client, KEY).await.len(), 0, "nobody is told of a restart nobody asked for");
}

#[tokio::test]
async fn a_configuration_no_gateway_could_start_with_is_put_back_and_the_conversation_told() {
    let world = World::start().await;
    let mut client = world.owner().await;
    let (before, hash) = read(&world).await;
    world.fake.says("It did not work.");
    let patch = json!({"gateway": {"bind": "custom", "customBindHost": "192.0.2.1"}});
    let params = json!({"raw": patch.to_string(), "baseHash": hash, "sessionKey": KEY, "note": "moving"});
    client.call("config.patch", params).await.unwrap();
    let told = until("the note", || async {
        let told = said(&history(&mut world.owner().await, KEY).await);
        (told.len() == 2).then_some(told)
    })
    .await;
    assert!(told[0].1.contains("did not restart") && told[0].1.contains("192.0.2.1"), "{told:?}");
    let (after, _) = read(&world).await;
    assert_eq!(after["gateway"]["bind"], before["gateway"]["bind"]);
    // The connection from before is still there: nothing was restarted.
    client.call("health", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_file_broken_while_nobody_watched_does_not_keep_the_gateway_from_starting() {
    let mut world = World::start().await;
    let good = std::fs::read_to_string(world.gateway.home().config_path()).unwrap();
    assert!(world.gateway.terminate().await.unwrap().success());
    for broken in ["{ gateway: ", r#"{"gateway": {"auth": {"mode": "none"}, "bind": "lan"}}"#] {
        world.gateway.home().write_config_text(broken).unwrap();
        world.gateway.restart().await.unwrap();
        assert_eq!(std::fs::read_to_string(world.gateway.home().config_path()).unwrap(), good);
        world.gateway.logged("was put back").await.unwrap();
        let kept = std::fs::read_dir(world.gateway.home().state_dir()).unwrap().filter_map(|entry| {
            let path = entry.unwrap().path();
            path.display().to_string().contains(".rejected.").then(|| std::fs::read_to_string(path).unwrap())
        });
        assert!(kept.into_iter().any(|text| text == broken), "the other text is kept");
        assert!(world.gateway.terminate().await.unwrap().success());
    }
}

#[tokio::test]
async fn systemd_hears_when_it_is_ready_starts_afresh_and_stops() {
    let fake = homard_testkit::FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    let path = home.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let launch = launch().env("NOTIFY_SOCKET", path.display().to_string()).env("WATCHDOG_USEC", "60000000");
    let mut gateway = TestGateway::start(launch, home).await.unwrap();
    let mut heard = Vec::new();
    let mut hear_until = |word: &str| {
        let mut buffer = [0_u8; 256];
        loop {
            let read = socket.recv(&mut buffer).unwrap();
            let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
            let found = text.starts_with(word);
            heard.push(text);
            if found {
                return;
            }
        }
    };
    hear_until("READY=1");
    signal(&gateway, Signal::USR1);
    hear_until("RELOADING=1");
    hear_until("READY=1");
    assert!(gateway.terminate().await.unwrap().success());
    hear_until("STOPPING=1");
    assert!(heard.iter().any(|text| text == "WATCHDOG=1"), "{heard:?}");
}
