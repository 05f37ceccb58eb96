//! The whole gateway with one platform more than it has: what CONTRIBUTING promises about a channel.
//!
//! The adapter is one folder and its line stands below; nothing else names it, which a test of `xtask` looks after.
//! The gateway runs in this process, because the program people start has no such platform.

mod carrier_pigeon;
mod heartbeat_day;

use std::sync::LazyLock;

use homard_channel::{ChannelEntry, ChannelRegistry};
use homard_config::{ChannelSections, ConfigSource, Environment, Paths, ProcessFacts};
use homard_gateway::Hooks;
use homard_runtime::Clock;
use homard_testkit::{FakeLlm, LineServer, TEST_TOKEN, TestClient, TestHome, free_port};
use homard_tools::{HookAnswer, HookPoint};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{build, guards, open_config, reach, run_gateway};
use crate::commands::gateway::{GatewayOptions, GatewayTerminal};

static ENTRIES: LazyLock<Vec<ChannelEntry>> =
    LazyLock::new(|| homard_channels::ENTRIES.iter().copied().chain([carrier_pigeon::ENTRY]).collect());
static SECTIONS: LazyLock<ChannelSections> =
    LazyLock::new(|| homard_channels::sections_of(ChannelRegistry::new(&ENTRIES)));

/// How the program would be started in `home` if it had the platform.
fn options(home: &TestHome, port: u16) -> GatewayOptions {
    let folder = |path: &std::path::Path| path.display().to_string();
    let environment = Environment::from_pairs([
        ("HOME", folder(home.path())),
        ("HOMARD_STATE_DIR", folder(&home.state_dir())),
        ("HOMARD_GATEWAY_TOKEN", TEST_TOKEN.to_owned()),
    ]);
    let facts = ProcessFacts::default();
    let paths = Paths::resolve(&environment, &facts, None).unwrap();
    let source =
        ConfigSource { environment, facts, paths, clock: Clock::system(), channels: Some(|| &SECTIONS) };
    GatewayOptions {
        source,
        platforms: ChannelRegistry::new(&ENTRIES),
        port: Some(port),
        bind: None,
        auth: None,
        token: None,
        password: None,
        tailscale: None,
        terminal: GatewayTerminal::Shown { verbose: false, color: false },
        allow_unconfigured: false,
        log_level: None,
    }
}

/// Chats over the platform and asks the gateway what the page asks.
async fn story(fake: &FakeLlm, loft: &LineServer, port: u16) {
    let mut birds = loft.accept().await.unwrap();
    assert_eq!(birds.next().await.unwrap(), "LISTEN homard s3cret");
    fake.says("the tide is **out**");
    birds.send("FROM 1 mia how is the tide?").await.unwrap();
    assert_eq!(birds.next().await.unwrap(), "GOT 1");
    let mut bird = loft.accept().await.unwrap();
    assert_eq!(bird.next().await.unwrap(), "TO mia the tide is out");
    bird.send("TOOK 7").await.unwrap();

    let mut page = TestClient::operator(&format!("ws://127.0.0.1:{port}"), TEST_TOKEN).await.unwrap();
    let platforms = page.call("channels.platforms", json!({})).await.unwrap();
    let platforms = platforms["platforms"].as_array().unwrap();
    let ours = platforms.iter().find(|platform| platform["id"] == carrier_pigeon::ENTRY.id).unwrap();
    assert_eq!((&ours["label"], &ours["secrets"]), (&json!("Carrier pigeon"), &json!(["secret"])));
    assert_eq!(ours["schema"]["x-form"]["named"], "ring");
    let form = |key: &str| ours["schema"]["properties"][key]["x-form"].clone();
    assert_eq!(form("loft"), json!({"needed": true, "example": "loft.example:2000"}));
    assert_eq!(form("ring"), json!({"needed": true, "initial": "homard"}));

    let section = json!({"loft": "127.0.0.1:1", "ring": "grey", "secret": "other"});
    let params = json!({"channel": carrier_pigeon::ENTRY.id, "accountId": "second", "section": section});
    let tried = page.call("channels.check", params).await.unwrap();
    assert_eq!((&tried["ok"], &tried["username"]), (&json!(true), &json!("grey")), "{tried}");
    let status = page.call("channels.status", json!({})).await.unwrap();
    let account = &status["channelAccounts"][carrier_pigeon::ENTRY.id][0];
    assert_eq!((&account["running"], &account["connected"]), (&json!(true), &json!(true)), "{status}");
}

/// Sets a second account up as the wizard asks for it, from nothing but the platform's schema.
async fn ask_wizard(loft: &LineServer, port: u16) {
    let mut page = TestClient::operator(&format!("ws://127.0.0.1:{port}"), TEST_TOKEN).await.unwrap();
    let params = json!({"flow": "channels", "channel": "pigeon"});
    let mut turn = page.call("wizard.start", params).await.unwrap();
    let session = turn["sessionId"].clone();
    let place = format!("127.0.0.1:{}", loft.port().unwrap());
    let answers = [("+", ""), ("grey", ""), (&place, "loft.example:2000"), ("grey", ""), ("s3cret", "")];
    for (answer, placeholder) in answers {
        assert_eq!(turn["step"]["placeholder"].as_str().unwrap_or_default(), placeholder, "{turn}");
        let is_secret = answer == "s3cret";
        assert_eq!(turn["step"]["sensitive"].as_bool().unwrap_or_default(), is_secret, "{turn}");
        let answer = json!({"stepId": turn["step"]["id"], "value": answer});
        turn = page.call("wizard.next", json!({"sessionId": session, "answer": answer})).await.unwrap();
    }
    assert!(turn["step"]["message"].as_str().unwrap().contains("this is grey on Carrier pigeon"), "{turn}");
    let who = json!({"stepId": turn["step"]["id"], "value": "pairing"});
    turn = page.call("wizard.next", json!({"sessionId": session, "answer": who})).await.unwrap();
    let answer = json!({"stepId": turn["step"]["id"], "value": true});
    let asked = page.send("wizard.next", json!({"sessionId": session, "answer": answer})).await.unwrap();
    // Both accounts of the platform are connected anew.
    let mut heard = Vec::new();
    let mut birds = Vec::new();
    for _ in 0..2 {
        let mut bird = loft.accept().await.unwrap();
        heard.push(bird.next().await.unwrap());
        birds.push(bird);
    }
    heard.sort_unstable();
    assert_eq!(heard, ["LISTEN grey s3cret", "LISTEN homard s3cret"]);
    let last = page.response(&asked).await.unwrap();
    assert!(last["payload"]["step"]["message"].as_str().unwrap().contains("is connected"), "{last}");
}

fn config(fake: &FakeLlm, loft: &LineServer) -> Value {
    let mut config = TestHome::chat_config(TEST_TOKEN, "openai-completions", &fake.openai_url());
    config["messages"] = json!({"queue": {"debounceMs": 0}});
    let loft = format!("127.0.0.1:{}", loft.port().unwrap());
    config["channels"][carrier_pigeon::ENTRY.id] =
        json!({"loft": loft, "ring": "homard", "secret": "s3cret", "allowFrom": ["mia"]});
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn a_platform_is_one_folder_and_one_line() {
    let fake = FakeLlm::start().await.unwrap();
    let loft = LineServer::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, &loft)).unwrap();
    let port = free_port().unwrap();
    tokio::select! {
        ended = run_gateway(options(&home, port)) => panic!("the gateway ended: {ended:?}"),
        () = async {
            story(&fake, &loft, port).await;
            ask_wizard(&loft, port).await;
        } => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_hear_the_gateway_begin_before_anybody_is_let_in_and_end_with_the_reason() {
    let (fake, loft) = (FakeLlm::start().await.unwrap(), LineServer::start().await.unwrap());
    let home = TestHome::with_config(&config(&fake, &loft)).unwrap();
    let options = options(&home, free_port().unwrap());
    let config = open_config(&options).unwrap();
    let reachable = reach::rooms(&config.current(), &options.source).unwrap();
    let built = build(&options, &config, &guards(&options), reachable).await.unwrap();
    let (tell, mut told) = mpsc::channel(8);
    for point in [HookPoint::GatewayStart, HookPoint::GatewayStop] {
        let tell = tell.clone();
        built.relay.hook_points().add(point, "a diary", move |occasion| {
            tell.try_send((occasion.point.name(), occasion.subject)).unwrap();
            async { Ok(HookAnswer::Pass) }
        });
    }
    let stop = CancellationToken::new();
    let opened = {
        let (tell, stop) = (tell.clone(), stop.clone());
        move || {
            tell.try_send(("open", None)).unwrap();
            stop.cancel();
        }
    };
    let hooks = Hooks {
        on_reload: Vec::new(),
        can_restart: Box::new(|| Ok(())),
        put_back: None,
        on_open: vec![Box::new(opened)],
    };
    homard_gateway::run(built.gateway, Vec::new(), hooks, stop).await.unwrap();
    let mut heard = Vec::new();
    while let Ok(one) = told.try_recv() {
        heard.push(one);
    }
    let why = Some("gateway stopping".to_owned());
    assert_eq!(heard, [("gateway start", None), ("open", None), ("gateway stop", why)]);
    built.processes.stop().await;
    built.store.close().await;
}
