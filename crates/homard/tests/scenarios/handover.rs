//! Another program takes over from a running gateway: nobody is refused, nothing is lost or said twice.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use homard_testkit::{FakeLlm, TestClient, TestGateway, TestHome};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::scenarios::world::{
    KEY, OPENAI, World, as_owner, config, first_delta, history, launch, said, say, talk, text_of, until,
};

/// How many people talk during the hand-over.
const TALKERS: usize = 4;
/// What each of them says at least.
const ROUNDS: usize = 6;

/// The process that is the gateway now, ended when the story is over.
pub(crate) struct Reaper(PathBuf);

impl Reaper {
    pub(crate) fn of(home: &TestHome) -> Self {
        Self(home.state_dir().join("gateway.lock"))
    }

    pub(crate) fn pid(&self) -> Option<Pid> {
        let text = std::fs::read_to_string(&self.0).ok()?;
        text.split_whitespace().next()?.parse().ok().and_then(Pid::from_raw)
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        if let Some(pid) = self.pid() {
            let _may_be_gone = kill_process(pid, Signal::KILL);
        }
    }
}

async fn hand_over(home: &TestHome, more: &[&str]) -> (bool, Value, String) {
    let mut command = Command::new(crate::homard());
    command.args(["gateway", "handover", "--json"]).args(more);
    let output = as_owner(command, home).output().await.unwrap();
    let told = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.success(), told, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Comes in, again and again when a gateway that leaves says so. Being refused at the door is a failure.
async fn come_in(url: &str, token: &str) -> TestClient {
    loop {
        match TestClient::operator(url, token).await {
            Ok(client) => return client,
            Err(error) => {
                let io = error.chain().find_map(|cause| cause.downcast_ref::<std::io::Error>());
                let refused = io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused);
                assert!(!refused, "nobody may be refused: {error:#}");
            }
        }
    }
}

/// Sends a message until it is answered, coming in again whenever the line goes dead.
async fn say_for_sure(client: &mut TestClient, (url, token): (&str, &str), key: &str, text: &str) -> Value {
    let run = format!("run-{}", uuid::Uuid::new_v4());
    loop {
        let send = json!({"sessionKey": key, "message": text, "idempotencyKey": run});
        if let Ok(answer) = client.request("chat.send", send).await {
            assert_eq!(answer["ok"], true, "no message may be refused: {answer}");
            let wait = json!({"runId": run, "timeoutMs": 10_000});
            match client.request("agent.wait", wait).await {
                Ok(waited) if waited["payload"]["status"] == "timeout" => continue,
                Ok(waited) => return waited["payload"].clone(),
                Err(_dead) => {}
            }
        }
        *client = come_in(url, token).await;
    }
}

/// Asks for a page on a connection of its own, and wants an answer.
async fn probe(port: u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection is never refused");
    let request = format!("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn under_load_nobody_is_refused_and_every_message_is_answered_once() {
    let mut world = World::start().await;
    let reaper = Reaper::of(world.gateway.home());
    let (url, token, port) = (world.gateway.url(), world.gateway.token().to_owned(), world.gateway.port());
    let first = reaper.pid();
    let over = Arc::new(AtomicBool::new(false));
    let probing = {
        let over = Arc::clone(&over);
        async move {
            let mut count = 0_usize;
            while !over.load(Ordering::Relaxed) {
                probe(port).await;
                count += 1;
            }
            count
        }
    };
    let talking = futures_util::future::join_all((0..TALKERS).map(|talker| {
        let (url, token, over) = (url.clone(), token.clone(), Arc::clone(&over));
        async move {
            let (key, mut client) = (format!("agent:main:talker-{talker}"), come_in(&url, &token).await);
            let mut said = 0;
            while said < ROUNDS || !over.load(Ordering::Relaxed) {
                let text = format!("message {said}");
                let end = say_for_sure(&mut client, (&url, &token), &key, &text).await;
                assert_eq!(end["status"], "ok", "{end}");
                said += 1;
            }
            said
        }
    }));
    let replacing = async {
        let mut gaps = Vec::new();
        for _time in 0..2 {
            let (ok, told, errors) = hand_over(world.gateway.home(), &[]).await;
            assert!(ok, "{errors}\n{}", world.gateway.log());
            gaps.push(told["gapMs"].as_u64().unwrap());
        }
        over.store(true, Ordering::Relaxed);
        gaps
    };
    let (probes, counts, gaps) = tokio::join!(probing, talking, replacing);
    eprintln!("gaps {gaps:?} ms, {probes} probes, messages {counts:?}");
    assert!(reaper.pid() != first, "another process is the gateway now");

    let mut client = world.owner().await;
    for (talker, &count) in counts.iter().enumerate() {
        let told = said(&history(&mut client, &format!("agent:main:talker-{talker}")).await);
        let asked = told.iter().filter(|(role, _)| role == "user").map(|(_, text)| text.clone());
        let expected: Vec<String> = (0..count).map(|n| format!("message {n}")).collect();
        assert_eq!(asked.collect::<Vec<_>>(), expected, "talker {talker}");
        assert_eq!(told.len(), 2 * count, "talker {talker}: one answer each");
    }
    let asked: usize = counts.iter().sum();
    assert_eq!(world.fake.requests().len(), asked, "no message is answered twice");
    drop(client);
    // The process that was started passes the signal on and ends with the gateway.
    assert!(world.gateway.terminate().await.unwrap().success());
    assert_eq!(reaper.pid(), None, "it said goodbye");
}

#[tokio::test]
async fn a_run_under_way_finishes_and_what_is_said_meanwhile_is_answered_by_the_new_one() {
    let world = World::start().await;
    let reaper = Reaper::of(world.gateway.home());
    let first = reaper.pid();
    let gate = world.fake.gate("a whole answer");
    let mut client = world.owner().await;
    let run = say(&mut client, KEY, "take your time").await;
    first_delta(&mut client, &run).await;
    let replacing = hand_over(world.gateway.home(), &[]);
    let talking = async {
        until("the old one to stand back", || async {
            world
                .gateway
                .log_lines()
                .unwrap()
                .iter()
                .any(|line| {
                    line["message"].as_str().is_some_and(|text| text.contains("what comes in is kept"))
                })
                .then_some(())
        })
        .await;
        let meanwhile = say(&mut client, "agent:main:other", "meanwhile").await;
        world.fake.says("and this");
        gate.release();
        let last = client.wait_chat_final(&run).await.unwrap();
        assert_eq!(text_of(&last["message"]), "a whole answer");
        let phase = client.next_event("gateway.suspension").await.unwrap();
        assert_eq!(phase["payload"], json!({"phase": "draining"}));
        assert_eq!(client.close_code().await.unwrap(), (1012, "service restart".to_owned()));
        meanwhile
    };
    let ((ok, told, errors), meanwhile) = tokio::join!(replacing, talking);
    assert!(ok, "{errors}");
    assert_eq!(told["successor"]["pid"], json!(reaper.pid().unwrap().as_raw_nonzero().get()));
    assert_ne!(reaper.pid(), first);
    let mut client = world.owner().await;
    let waited = until("the answer", || async {
        let mut client = world.owner().await;
        let waited =
            client.call("agent.wait", json!({"runId": meanwhile, "timeoutMs": 1_000})).await.unwrap();
        (waited["status"] != "timeout").then_some(waited)
    })
    .await;
    assert_eq!(waited["terminalReply"]["text"], "and this", "{waited}");
    assert_eq!(history(&mut client, KEY).await.len(), 2);
    assert_eq!(world.fake.requests().len(), 2);
}

#[tokio::test]
async fn a_program_that_does_not_get_ready_changes_nothing() {
    let world = World::start().await;
    let reaper = Reaper::of(world.gateway.home());
    let first = reaper.pid();
    let mut client = world.owner().await;
    let folder = world.gateway.home().path().to_owned();
    let script = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    let homard = crate::homard();
    let rows = [
        (script("ends", "#!/bin/sh\nexit 3\n"), "it ended"),
        (script("chatters", "#!/bin/sh\necho '{\"say\":\"go\"}' >&0; sleep 1\n"), "unexpected"),
        (script("broken", &format!("#!/bin/sh\nexec {homard} gateway --port nonsense\n")), "it ended"),
        (
            script("other", &format!("#!/bin/sh\nexec {homard} gateway --bind lan --auth none\n")),
            "may only listen on this machine",
        ),
    ];
    for (binary, words) in rows {
        let (ok, told, errors) = hand_over(world.gateway.home(), &["--binary", &binary]).await;
        assert!(
            !ok && told["error"].as_str().is_some_and(|e| e.contains(words)),
            "{binary}: {told} {errors}"
        );
        assert!(errors.contains("goes on"), "{errors}");
    }
    assert_eq!(reaper.pid(), first);
    assert_eq!(talk(&mut client, KEY, "unharmed?").await["state"], "final", "not even a connection broke");
}

#[tokio::test]
async fn a_program_that_fails_with_the_store_gives_it_back() {
    let world = World::start().await;
    let reaper = Reaper::of(world.gateway.home());
    let first = reaper.pid();
    let mut client = world.owner().await;
    talk(&mut client, KEY, "remember").await;
    // Ready, and then nothing: the line dies when it should open the store.
    let path = world.gateway.home().path().join("dies");
    let text = "#!/bin/sh\nread -r offer <&0\necho '{\"say\":\"ready\",\"version\":\"9\"}' >&0\nread -r go <&0\nexit 1\n";
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (ok, told, _errors) =
        hand_over(world.gateway.home(), &["--binary", &path.display().to_string()]).await;
    assert!(!ok && told["error"].as_str().is_some_and(|e| e.contains("ended")), "{told}");
    let mut client = until("the old one again", || async { world.gateway.operator().await.ok() }).await;
    assert_eq!(talk(&mut client, KEY, "and now").await["state"], "final");
    assert_eq!(history(&mut client, KEY).await.len(), 4);
    assert_eq!(reaper.pid(), first);
}

#[tokio::test]
async fn systemd_is_told_who_the_gateway_is_now_and_the_old_process_ends() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    let path = home.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let launch = launch().env("NOTIFY_SOCKET", path.display().to_string());
    let mut gateway = TestGateway::start(launch, home).await.unwrap();
    // After the gateway: it must find the lock before the folder goes.
    let reaper = Reaper::of(gateway.home());
    let (ok, told, errors) = hand_over(gateway.home(), &[]).await;
    assert!(ok, "{errors}");
    assert!(gateway.ended().await.unwrap().success(), "systemd looks at the new process by itself");
    let pid = reaper.pid().unwrap().as_raw_nonzero().get();
    assert_eq!(told["successor"]["pid"], json!(pid));
    socket.set_nonblocking(true).unwrap();
    let mut heard = Vec::new();
    let mut buffer = [0_u8; 256];
    while let Ok(read) = socket.recv(&mut buffer) {
        heard.push(String::from_utf8_lossy(&buffer[..read]).into_owned());
    }
    let ready = "READY=1\nSTATUS=serving".to_owned();
    assert_eq!(heard, [ready.clone(), format!("MAINPID={pid}"), ready]);
    let mut client = gateway.operator().await.unwrap();
    assert_eq!(talk(&mut client, KEY, "there?").await["state"], "final");
}
