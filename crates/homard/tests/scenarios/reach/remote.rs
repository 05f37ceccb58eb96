//! Commands that talk to a gateway elsewhere, straight and through a tunnel whose `ssh` is played by the test.

use std::path::Path;

use homard_runtime::Tasks;
use homard_testkit::{TEST_TOKEN, TestGateway, TestHome};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use super::{ended, homard, put_program};
use crate::scenarios::world::{World, launch, until};

/// Tells what it was started with and stays, as `ssh -N` does; the test listens in its stead.
const SSH: &str = r#"#!/bin/sh
env | cut -d= -f1 | sort > "$HOME/ssh-env"
echo $$ > "$HOME/ssh-pid"
echo "$@" > "$HOME/ssh-args.new"
mv "$HOME/ssh-args.new" "$HOME/ssh-args"
exec sleep 600
"#;

fn away(remote: &Value) -> TestHome {
    TestHome::with_config(&json!({"gateway": {"mode": "remote", "remote": remote}})).unwrap()
}

#[tokio::test]
async fn every_command_talks_to_the_gateway_the_configuration_names() {
    let config = json!({"gateway": {"tls": {"enabled": true}, "auth": {"token": TEST_TOKEN}}});
    let gateway = TestGateway::start(launch(), TestHome::with_config(&config).unwrap()).await.unwrap();
    let log = gateway.logged("TLS fingerprint (SHA-256): ").await.unwrap();
    let pin = log.lines().find_map(|line| line.strip_prefix("TLS fingerprint (SHA-256): ")).unwrap();
    let url = format!("wss://127.0.0.1:{}", gateway.port());
    let home = away(&json!({"url": url, "token": TEST_TOKEN, "tlsFingerprint": pin}));
    for args in
        [&["health"] as &[&str], &["status"], &["gateway", "call", "sessions.list"], &["gateway", "probe"]]
    {
        let (code, said) = ended(homard(&home, args)).await;
        assert_eq!(code, 0, "{args:?}: {said}");
    }
    let (_, said) = ended(homard(&home, &["status", "--json"])).await;
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap()["url"], url);
    let (_, said) = ended(homard(&home, &["dashboard", "--no-open"])).await;
    assert!(said.contains(&format!("https://127.0.0.1:{}/#token={TEST_TOKEN}", gateway.port())), "{said}");

    let other = away(&json!({"url": url, "token": TEST_TOKEN, "tlsFingerprint": "00".repeat(32)}));
    let (code, said) = ended(homard(&other, &["health"])).await;
    assert_eq!(code, 1);
    assert!(said.contains("another certificate"), "{said}");
}

#[tokio::test]
async fn a_tunnel_stands_while_the_command_runs_and_is_gone_afterwards() {
    let world = World::start().await;
    let url = format!("ws://127.0.0.1:{}", world.gateway.port());
    let identity = "keys/id_ed25519";
    let home =
        away(&json!({"url": url, "sshTarget": "me@far:2222", "sshIdentity": identity, "token": TEST_TOKEN}));
    put_program(&home, "ssh", SSH);
    let command = homard(&home, &["health", "--json"]);
    let tasks = Tasks::new();
    let (listening, gateway) = (home.path().to_owned(), world.gateway.port());
    tasks.spawn(async move { forward(&listening, gateway).await });
    let mut command = command;
    command.env("SSH_AUTH_SOCK", "/nowhere/agent").env("HOMARD_MODEL_KEY", "secret");
    let (code, said) = ended(command).await;
    assert_eq!(code, 0, "{said}");
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap()["ok"], true);
    tasks.token().cancel();

    let args = std::fs::read_to_string(home.path().join("ssh-args")).unwrap();
    assert!(args.starts_with("-N -L 127.0.0.1:"), "{args}");
    assert!(args.contains(&format!(":127.0.0.1:{gateway} ")), "{args}");
    let key = home.state_dir().join(identity);
    assert!(args.ends_with(&format!("-p 2222 -i {} -- me@far\n", key.display())), "{args}");
    let env = std::fs::read_to_string(home.path().join("ssh-env")).unwrap();
    assert!(env.contains("SSH_AUTH_SOCK") && !env.contains("HOMARD"), "{env}");
    let pid = std::fs::read_to_string(home.path().join("ssh-pid")).unwrap();
    let process = Path::new("/proc").join(pid.trim());
    until("ssh to be gone", || async { (!is_alive(&process)).then_some(()) }).await;
}

/// Whether a process still runs; one that nobody has looked after yet does not.
fn is_alive(process: &Path) -> bool {
    let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
    !status.is_empty() && !status.lines().any(|line| line.starts_with("State:") && line.contains('Z'))
}

/// Listens where `ssh` was told to and carries everything to the gateway.
async fn forward(home: &Path, gateway: u16) {
    let args =
        until("ssh to be started", || async { std::fs::read_to_string(home.join("ssh-args")).ok() }).await;
    let port: u16 = args.split(':').nth(1).unwrap().parse().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    let carried = Tasks::new();
    loop {
        let (mut near, _) = listener.accept().await.unwrap();
        carried.spawn(async move {
            let mut far = TcpStream::connect(("127.0.0.1", gateway)).await.unwrap();
            drop(tokio::io::copy_bidirectional(&mut near, &mut far).await);
        });
    }
}

#[tokio::test]
async fn a_tunnel_that_does_not_stand_says_what_ssh_said() {
    let home = away(&json!({"sshTarget": "me@far", "token": TEST_TOKEN}));
    put_program(&home, "ssh", "#!/bin/sh\necho 'me@far: Permission denied (publickey).' >&2\nexit 255\n");
    let (code, said) = ended(homard(&home, &["health"])).await;
    assert_eq!(code, 1);
    assert!(said.contains("the tunnel to me@far could not be opened: me@far: Permission denied"), "{said}");

    let nowhere = away(&json!({"transport": "ssh"}));
    let (code, said) = ended(homard(&nowhere, &["health"])).await;
    assert_eq!(code, 1);
    assert!(said.contains("gateway.remote.sshTarget"), "{said}");
}

#[tokio::test]
async fn a_probe_tries_every_way_and_says_which_one_works() {
    let world = World::start().await;
    let home = TestHome::with_config(&json!({"gateway": {"auth": {"token": TEST_TOKEN}}})).unwrap();
    put_program(&home, "ssh", "#!/bin/sh\nexit 255\n");
    let mut command = homard(&home, &["gateway", "probe", "--json", "--ssh", "me@far"]);
    command.env("HOMARD_GATEWAY_PORT", world.gateway.port().to_string());
    let (code, said) = ended(command).await;
    assert_eq!(code, 0, "{said}");
    let told: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(told["primaryTargetId"], "localLoopback");
    let ways: Vec<(&str, bool)> = told["targets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|target| (target["id"].as_str().unwrap(), target["connect"]["ok"] == true))
        .collect();
    assert_eq!(ways, [("sshTunnel", false), ("localLoopback", true)]);

    let (code, said) =
        ended(homard(&home, &["gateway", "probe", "--url", "ws://127.0.0.1:1", "--token", "t"])).await;
    assert_eq!(code, 1);
    assert!(
        said.contains("explicit") && said.contains("no gateway is running at ws://127.0.0.1:1"),
        "{said}"
    );
}
