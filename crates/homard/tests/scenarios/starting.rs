//! Starting: which settings win, and starts that are refused in words a person can act on.

use std::process::Stdio;

use homard_testkit::{FakeLlm, Launch, TestGateway, TestHome, free_port};
use serde_json::json;

use crate::command_line::run;
use crate::scenarios::world::{
    KEY, OPENAI, World, as_owner, config, failed_start, gateway, launch, outcome, talk, until,
};

#[tokio::test]
async fn a_second_gateway_on_the_same_state_is_refused_with_words() {
    let world = World::start().await;
    let home = world.gateway.home();
    let (code, words) = failed_start(gateway(), home).await;
    assert_eq!(code, Some(1), "{words}");
    let pid = world.gateway.pid().unwrap().to_string();
    assert!(words.contains("already runs") && words.contains(&pid) && words.contains("--force"), "{words}");
    let mut client = world.owner().await;
    assert_eq!(talk(&mut client, KEY, "unharmed?").await["state"], "final");
}

#[tokio::test]
async fn force_takes_over_from_the_gateway_that_runs() {
    let mut world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "remember").await;
    let old = world.gateway.pid().unwrap();
    let mut command = gateway();
    command.arg("--force");
    let mut second = as_owner(command, world.gateway.home())
        .env("HOMARD_GATEWAY_PORT", world.gateway.port().to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(client.close_code().await.unwrap(), (1012, "service restart".to_owned()));
    assert!(world.gateway.ended().await.unwrap().success());
    let mut client = until("the new gateway", || async { world.gateway.operator().await.ok() }).await;
    assert_ne!(second.id(), Some(old));
    let page = client.call("chat.history", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(page["totalMessages"], 2);
    second.kill().await.unwrap();
}

/// Which gateway says that it runs on a home.
fn signature(home: &TestHome) -> String {
    std::fs::read_to_string(home.state_dir().join("gateway.lock")).unwrap()
}

#[tokio::test]
async fn a_port_in_use_is_refused_with_words() {
    let world = World::start().await;
    let home = TestHome::with_config(&config(&world.fake, OPENAI, |_| {})).unwrap();
    let port = world.gateway.port().to_string();
    let mut command = gateway();
    command.args(["--port", &port]);
    let (code, words) = outcome(as_owner(command, &home)).await;
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains(&port) && words.contains("in use") && words.contains("--port"), "{words}");
    assert_eq!(signature(&home), "", "nobody takes it for a crash");
}

#[tokio::test]
async fn the_command_line_is_stronger_than_the_environment_and_that_than_the_file() {
    let fake = FakeLlm::start().await.unwrap();
    let (flag, variable) = (free_port().unwrap(), free_port().unwrap());
    let file = json!({"gateway": {"port": free_port().unwrap()}});
    for (launch, port) in [
        (launch().arg("--port").arg(flag.to_string()), flag),
        (Launch { port: variable, ..launch() }, variable),
    ] {
        let mut settings = config(&fake, OPENAI, |_| {});
        settings["gateway"]["port"] = file["gateway"]["port"].clone();
        let home = TestHome::with_config(&settings).unwrap();
        // Readiness is looked for where the strongest word says; the variable says elsewhere for the flag.
        let mut launch = launch.env("HOMARD_GATEWAY_PORT", variable.to_string());
        launch.port = port;
        let gateway = TestGateway::start(launch, home).await.unwrap();
        assert_eq!(gateway.get("/readyz").await.unwrap().0, 200);
    }
}

#[tokio::test]
async fn a_password_in_a_file_is_the_gateways() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    let file = home.path().join("password");
    std::fs::write(&file, "open sesame\n").unwrap();
    let words = ["--auth", "password", "--password-file", file.to_str().unwrap()];
    let launch = words.iter().fold(launch(), |launch, word| launch.arg(*word));
    let gateway = TestGateway::start(launch, home).await.unwrap();
    for (password, wanted) in [("open sesame", 0), ("open barley", 1)] {
        let (code, _, err) = run(gateway.home(), &["health", "--password", password]).await;
        assert_eq!(code, wanted, "{password}: {err}");
    }
    std::fs::write(&file, "\n").unwrap();
    let (code, _, err) = run(gateway.home(), &[&["gateway"][..], &words].concat()).await;
    assert!(code == 2 && err.contains("there is no password in"), "{err}");
}

#[tokio::test]
async fn a_broken_configuration_is_refused_naming_the_place() {
    let cases = [
        ("{ gateway: ", "homard.json"),
        (r#"{"gateway": {"port": "many"}}"#, "gateway.port"),
        (r#"{"gatway": {}}"#, "gateway"),
        (
            r#"{"models": {"providers": {"p": {"apiKey": "${HOMARD_NO_SUCH_VAR}", "baseUrl": "http://x"}}}}"#,
            "HOMARD_NO_SUCH_VAR",
        ),
        (r#"{"gateway": {"auth": {"mode": "none"}, "bind": "lan"}}"#, "loopback"),
    ];
    for (text, words) in cases {
        let home = TestHome::new().unwrap();
        home.write_config_text(text).unwrap();
        let (code, said) = failed_start(gateway(), &home).await;
        assert_eq!(code, Some(1), "{text}: {said}");
        assert!(said.contains(words) && !said.contains("panicked"), "{text}: {said}");
        assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), text, "the file is left alone");
        assert_eq!(signature(&home), "", "nobody takes it for a crash");
    }
}

#[tokio::test]
async fn what_does_nothing_yet_is_one_line_at_start_and_named_where_somebody_asks() {
    let world = World::start_with(OPENAI, |config| {
        config["ui"] = json!({"seamColor": "#112233"});
        config["discovery"] = json!({"wideArea": {"enabled": false}});
        config["channels"] = json!({"signal": {"account": "+4915"}});
    })
    .await;
    let line = "3 settings do nothing yet, in: ui, discovery, channels; homard config validate names them";
    world.gateway.logged(line).await.unwrap();
    let lines = world.gateway.log_lines().unwrap();
    assert_eq!(
        lines.iter().filter(|found| found.to_string().contains("nothing yet")).count(),
        1,
        "{lines:?}"
    );

    let named = "known, not yet in effect: ui, discovery.wideArea, channels.signal";
    let snapshot = world.owner().await.call("config.get", json!({})).await.unwrap();
    assert_eq!(snapshot["warnings"], json!([{"path": "", "message": named}]));
    let mut command = tokio::process::Command::new(crate::homard());
    command.args(["config", "validate"]);
    let (code, words) = outcome(as_owner(command, world.gateway.home())).await;
    assert_eq!(code, Some(0), "{words}");
    assert!(words.contains(named), "{words}");

    // The page reads the same marks from the schema, and whoever sets one is told at once.
    let schema = world.owner().await.call("config.schema", json!({})).await.unwrap();
    assert_eq!(
        schema["schema"]["properties"]["ui"]["x-inert"], true,
        "{}",
        schema["schema"]["properties"]["ui"]
    );
    for (path, value, is_inert) in [
        ("discovery.wideArea.enabled", "true", true),
        ("agents.defaults.userTimezone", "Europe/Paris", false),
    ] {
        let mut command = tokio::process::Command::new(crate::homard());
        command.args(["config", "set", path, value]);
        let (code, words) = outcome(as_owner(command, world.gateway.home())).await;
        assert_eq!(code, Some(0), "{words}");
        assert_eq!(words.contains("not yet in effect"), is_inert, "{path}: {words}");
    }
}
