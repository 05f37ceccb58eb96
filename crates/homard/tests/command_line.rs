//! The binary as people and scripts use it: exit codes, words, files. No gateway needed; where one is, it is
//! scripted on a real socket.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use std::process::{Output, Stdio};

use futures_util::{SinkExt, StreamExt};
use homard_runtime::Tasks;
use homard_testkit::{TestHome, free_port};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio_websockets::{Message, ServerBuilder, WebSocketStream};

pub(crate) fn homard(home: &TestHome, args: &[&str]) -> Command {
    let mut command = Command::new(crate::homard());
    command
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("HOMARD_STATE_DIR", home.state_dir())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

pub(crate) async fn run(home: &TestHome, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = homard(home, args).output().await.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[tokio::test]
async fn without_a_gateway_health_says_how_to_start_one() {
    let port = free_port().unwrap();
    let home = TestHome::with_config(&json!({"gateway": {"port": port, "auth": {"token": "t"}}})).unwrap();
    let (code, out, err) = run(&home, &["health"]).await;
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.starts_with(&format!("error: no gateway is running at ws://127.0.0.1:{port}\n")), "{err}");
    assert!(err.ends_with("hint: start it with `homard gateway`\n"), "{err}");

    let (code, out, err) = run(&home, &["status", "--json"]).await;
    assert_eq!((code, err.as_str()), (1, ""));
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["ok"], false);
}

#[tokio::test]
async fn who_asks_for_json_gets_it_also_when_the_command_fails() {
    let port = free_port().unwrap();
    let home = TestHome::with_config(&json!({"gateway": {"port": port, "auth": {"token": "t"}}})).unwrap();
    for (line, code, hint) in [
        ("sessions --json", 1, "homard gateway"),
        ("health --json", 1, "homard gateway"),
        ("config get moon.phase --json", 1, "homard config schema"),
        ("config set gateway.port moon --json", 1, "homard config schema"),
        ("backup verify /nowhere.tar.gz --json", 1, "look how it is written"),
        ("migrate openclaw --from /nowhere --json", 1, "--from"),
        ("agents delete work --json", 2, "homard agents delete work --force"),
        ("agents add --json", 2, "homard agents add"),
        ("cron list --moon --json", 2, "homard"),
        ("mcp list --json", 3, "homard docs openclaw"),
    ] {
        let (ended, out, err) = run(&home, &line.split(' ').collect::<Vec<_>>()).await;
        assert_eq!(ended, code, "{line}: {err}");
        let Ok(told) = serde_json::from_str::<Value>(&out) else { panic!("{line}: {out}") };
        assert!(told["ok"] == false && told["error"].as_str().is_some_and(|words| words.len() > 5), "{told}");
        assert!(told["hint"].as_str().is_some_and(|words| words.contains(hint)), "{line}: {told}");
        assert!(err.starts_with("error: "), "people are told, too: {line}: {err}");
    }
}

#[tokio::test]
async fn names_nobody_knows_are_refused_before_anything_is_written() {
    let home = TestHome::with_config(&json!({"gateway": {"port": free_port().unwrap()}})).unwrap();
    let before = std::fs::read_to_string(home.config_path()).unwrap();
    for (line, told) in [
        ("models aliases add fast moon/x", "there is no model provider `moon`"),
        ("channels remove telegram", "nothing is set up there"),
        ("cron add --name tea --at 20m --message hi --channel moon --to 1", "there is no platform `moon`"),
        ("gateway stop", "no gateway is running"),
    ] {
        let (code, _, err) = run(&home, &line.split(' ').collect::<Vec<_>>()).await;
        assert!(code != 0 && err.contains(told) && err.contains("\nhint: "), "{line}: {code} {err}");
    }
    assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), before);
}

#[tokio::test]
async fn a_model_that_cannot_answer_yet_is_chosen_with_a_word_about_it() {
    let home = TestHome::new().unwrap();
    let (code, _, err) = run(&home, &["models", "set", "gpt-5.2"]).await;
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("`gpt-5.2` names no provider") && err.contains("homard models auth add"), "{err}");
    let (_, told, _) = run(&home, &["doctor", "--only", "models"]).await;
    assert!(
        told.contains("openai/gpt-5.2 has no key") && !told.contains("there is no model provider"),
        "{told}"
    );
}

#[tokio::test]
async fn status_with_a_broken_configuration_says_what_is_wrong_and_what_to_do_next() {
    let home = TestHome::new().unwrap();
    home.write_config_text("{ gatway: 1 }").unwrap();
    let (code, out, err) = run(&home, &["status"]).await;
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.contains("unknown key; did you mean `gateway`?"), "{out}");
    assert!(
        out.ends_with("next  homard doctor --fix mends the settings, or shows what to change\n"),
        "{out}"
    );
    assert!(out.contains("channels  not known while the settings cannot be used\n"), "{out}");
}

#[tokio::test]
async fn where_nothing_is_set_up_the_next_step_is_to_do_so() {
    let (_, out, _) = run(&TestHome::new().unwrap(), &["status"]).await;
    assert!(out.contains("\nnext  homard onboard sets it up"), "{out}");
}

#[tokio::test]
async fn help_of_a_command_is_what_its_option_says() {
    let home = TestHome::new().unwrap();
    for words in [&[] as &[&str], &["agent"], &["cron", "add"], &["daemon", "install"]] {
        let (code, by_option, _) = run(&home, &[words, &["--help"]].concat()).await;
        assert_eq!(code, 0, "{words:?}");
        assert_eq!(
            run(&home, &[&["help"], words].concat()).await,
            (0, by_option, String::new()),
            "{words:?}"
        );
    }
    let (code, _, err) = run(&home, &["help", "cron", "ad"]).await;
    assert!(code == 2 && err.contains("`homard cron` has no `ad`"), "{err}");
}

#[tokio::test]
async fn a_gateway_that_no_service_started_is_told_how_to_stop() {
    let home = TestHome::with_config(&json!({"gateway": {"port": free_port().unwrap()}})).unwrap();
    let gateway = homard(&home, &["gateway"]).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut gateway = gateway.unwrap();
    let mut lines = BufReader::new(gateway.stderr.take().unwrap()).lines();
    while !lines.next_line().await.unwrap().unwrap().contains("ready") {}
    let process = gateway.id().unwrap();
    let (code, _, err) = run(&home, &["gateway", "stop"]).await;
    assert!(code == 1 && err.contains(&format!("`kill {process}`")), "{err}");
    let (code, _, err) = run(&home, &["gateway"]).await;
    assert!(code == 1 && err.contains(&format!("a gateway (process {process}) already runs")), "{err}");
}

#[tokio::test]
async fn doctor_tells_by_its_exit_code_and_mends_only_when_told() {
    let home = TestHome::new().unwrap();
    home.write_config_text("{ gatway: 1, gateway: { prot: 2 } }").unwrap();
    let only = |more: &[&'static str]| [&["doctor", "--only", "config"], more].concat();
    assert_eq!(run(&home, &only(&[])).await.0, 1);
    // Nobody can be asked, and a setting is nothing to be lost without a question.
    assert_eq!(run(&home, &only(&["--fix"])).await.0, 2);
    assert_eq!(run(&home, &only(&["--fix", "--non-interactive"])).await.0, 1);
    assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), "{ gatway: 1, gateway: { prot: 2 } }");
    let (code, out, _) = run(&home, &only(&["--fix", "--yes", "--json"])).await;
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &out["ok"], out["mended"].as_array().unwrap().len()), (0, &json!(true), 2));
    assert_eq!(run(&home, &["config", "validate"]).await.0, 0);
}

#[tokio::test]
async fn reset_takes_away_what_its_scope_says_and_only_when_told() {
    let home = TestHome::new().unwrap();
    home.write_config_text("{}").unwrap();
    let reset = |more: &[&'static str]| [&["reset", "--scope", "config"], more].concat();
    assert_eq!(run(&home, &reset(&["--dry-run"])).await.0, 0);
    assert_eq!(run(&home, &reset(&[])).await.0, 2);
    assert!(home.config_path().exists());
    assert_eq!(run(&home, &reset(&["--yes"])).await.0, 0);
    assert!(!home.config_path().exists() && home.state_dir().exists());
    let (code, out, _) = run(&home, &["uninstall", "--service", "--dry-run"]).await;
    assert_eq!((code, out.as_str()), (0, "No service is installed.\n"));
}

#[tokio::test]
async fn usage_errors_end_with_two() {
    let home = TestHome::new().unwrap();
    for args in [&["frobnicate"] as &[&str], &["agent"], &["gateway", "--port", "x"]] {
        assert_eq!(run(&home, args).await.0, 2, "{args:?}");
    }
    assert_eq!(
        run(&home, &["--version"]).await,
        (0, format!("homard {} (development build)\n", env!("CARGO_PKG_VERSION")), String::new()),
        "only releases are told their commit"
    );
}

#[tokio::test]
async fn a_setting_is_set_read_and_removed() {
    let home = TestHome::new().unwrap();
    home.write_config_text("{\n  // my port\n  gateway: { port: 4000 },\n}\n").unwrap();
    let set = run(&home, &["config", "set", "gateway.port", "4001"]).await;
    assert_eq!((set.0, set.1.as_str()), (0, "set gateway.port\n"), "{}", set.2);
    assert_eq!(run(&home, &["config", "get", "gateway.port"]).await.1, "4001\n");
    let text = std::fs::read_to_string(home.config_path()).unwrap();
    assert!(text.contains("// my port"), "{text}");
    assert_eq!(run(&home, &["config", "unset", "gateway.port"]).await.0, 0);
    let gone = run(&home, &["config", "get", "gateway.port"]).await;
    assert_eq!(gone.0, 1);
    assert!(gone.2.contains("`gateway.port` is not set"), "{}", gone.2);
    assert_eq!(run(&home, &["config", "file"]).await.1, format!("{}\n", home.config_path().display()));
}

#[tokio::test]
async fn secrets_are_hidden_unless_asked_for() {
    let home = TestHome::with_config(&json!({"gateway": {"auth": {"token": "hunter2hunter2"}}})).unwrap();
    let hidden = run(&home, &["config", "get"]).await;
    assert_eq!(hidden.0, 0);
    assert!(!hidden.1.contains("hunter2") && hidden.2.contains("--reveal"), "{hidden:?}");
    assert_eq!(run(&home, &["config", "get", "gateway.auth.token", "--reveal"]).await.1, "hunter2hunter2\n");
    let link = run(&home, &["dashboard", "--no-open"]).await;
    assert_eq!(link.1, "http://127.0.0.1:18789/#token=hunter2hunter2\n");
}

#[tokio::test]
async fn an_invalid_setting_is_named_and_not_written() {
    let home = TestHome::new().unwrap();
    home.write_config_text("{ gateway: { port: 4000 } }").unwrap();
    let (code, _, err) = run(&home, &["config", "set", "gateway.port", "no"]).await;
    assert_eq!(code, 1);
    assert!(err.contains("gateway.port"), "{err}");
    assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), "{ gateway: { port: 4000 } }");

    home.write_config_text("{ gateway: { prot: 1 } }").unwrap();
    let (code, _, err) = run(&home, &["config", "validate"]).await;
    assert_eq!(code, 1);
    assert!(err.contains("prot") && err.contains("port"), "{err}");
    assert_eq!(run(&home, &["config", "validate", "--json"]).await.0, 1);
}

#[tokio::test]
async fn completions_exist_for_every_shell() {
    let home = TestHome::new().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let (code, out, _) = run(&home, &["completion", "--shell", shell]).await;
        assert!(code == 0 && out.contains("dashboard"), "{shell}");
    }
}

struct Peer(WebSocketStream<TcpStream>);

impl Peer {
    async fn send(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        loop {
            let message = self.0.next().await.unwrap().unwrap();
            if let Some(text) = message.as_text() {
                return serde_json::from_str(text).unwrap();
            }
        }
    }

    async fn answer(&mut self, request: &Value, payload: Value) {
        self.send(json!({"type":"res","id":request["id"],"ok":true,"payload":payload})).await;
    }

    async fn delta(&mut self, run: &Value, delta: &str, whole: &str) {
        let message = json!({"role":"assistant","content":[{"type":"text","text":whole}],"timestamp":1});
        let payload = json!({"runId":run,"sessionKey":"agent:main:main","seq":1,"state":"delta","deltaText":delta,"message":message});
        self.send(json!({"type":"event","event":"chat","payload":payload,"seq":1})).await;
    }

    /// Hears `agent` and accepts it; returns the request.
    async fn accept_run(&mut self) -> Value {
        let request = self.next().await;
        assert_eq!(request["method"], "agent");
        let accepted = json!({"runId":request["params"]["idempotencyKey"],"sessionKey":"agent:main:main",
            "status":"accepted","acceptedAt":1});
        self.answer(&request, accepted).await;
        request
    }
}

fn finished(run: &Value, status: &str, text: &str, aborted: bool) -> Value {
    json!({"runId":run,"status":status,"summary":if aborted {"aborted"} else {"completed"},"result":{
        "payloads":[{"text":text,"mediaUrl":null}],
        "meta":{"durationMs":1,"aborted":aborted,"agentMeta":{"sessionId":"s","provider":"p","model":"m",
            "usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"total":2}}}}})
}

fn hello() -> Value {
    json!({
        "type":"hello-ok","protocol":4,"server":{"version":"9","connId":"c","bootId":"b"},
        "features":{"methods":[],"events":[],"capabilities":[]},
        "snapshot":{"presence":[],"health":{},"stateVersion":{"presence":0,"health":0},"uptimeMs":1,
            "sessionDefaults":{"defaultAgentId":"main","mainKey":"main","mainSessionKey":"agent:main:main",
                "scope":"per-sender","modelConfigured":true}},
        "auth":{"role":"operator","scopes":["operator.admin"],"method":"token"},
        "policy":{"maxPayload":1,"maxBufferedBytes":1,"tickIntervalMs":30000,
            "attachments":{"maxBytes":1,"maxImageBytes":1}}
    })
}

/// A gateway that follows `script` after the handshake; returns a home configured for it.
async fn scripted<F, S>(script: S) -> TestHome
where
    S: FnOnce(Peer) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    Tasks::new().spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (_, socket) = ServerBuilder::new().accept(stream).await.unwrap();
        let mut peer = Peer(socket);
        let challenge = json!({"nonce":"n","ts":1,"capabilities":[]});
        peer.send(json!({"type":"event","event":"connect.challenge","payload":challenge})).await;
        let connect = peer.next().await;
        assert_eq!(connect["params"]["auth"], json!({"token":"t"}));
        peer.answer(&connect, hello()).await;
        script(peer).await;
    });
    TestHome::with_config(&json!({"gateway": {"port": port, "auth": {"token": "t"}}})).unwrap()
}

/// A gateway that speaks another protocol, and a program that is none.
#[tokio::test]
async fn a_gateway_of_another_version_is_told_with_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = Tasks::new();
    serving.spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let Ok((_, socket)) = ServerBuilder::new().accept(stream).await else { continue };
            let mut peer = Peer(socket);
            let challenge = json!({"nonce":"n","ts":1,"capabilities":[]});
            peer.send(json!({"type":"event","event":"connect.challenge","payload":challenge})).await;
            let connect = peer.next().await;
            let error = json!({"code":"INVALID_REQUEST","message":"protocol mismatch",
                "details":{"code":"PROTOCOL_MISMATCH","expectedProtocol":9}});
            peer.send(json!({"type":"res","id":connect["id"],"ok":false,"error":error})).await;
        }
    });
    let home = TestHome::with_config(&json!({"gateway": {"port": port, "auth": {"token": "t"}}})).unwrap();
    for line in [&["health"][..], &["sessions", "list"], &["tui"], &["agent", "hello"]] {
        let (code, _, err) = run(&home, line).await;
        assert_eq!(code, 1, "{line:?}: {err}");
        assert!(err.contains("are of different versions; update both"), "{line:?}: {err}");
    }
    let (code, out, err) = run(&home, &["status"]).await;
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("protocol mismatch") && out.contains("next  the gateway and this program"), "{out}");
}

#[tokio::test]
async fn an_answer_is_printed_as_it_comes() {
    let (go_on, may_go_on) = tokio::sync::oneshot::channel();
    let home = scripted(|mut peer| async move {
        let request = peer.accept_run().await;
        assert_eq!(request["params"]["sessionKey"], "agent:main:main");
        let run = &request["params"]["idempotencyKey"];
        peer.delta(run, "Hello\n", "Hello\n").await;
        may_go_on.await.unwrap();
        peer.delta(run, "wor", "Hello\nwor").await;
        peer.answer(&request, finished(run, "ok", "Hello\nworld", false)).await;
        while peer.0.next().await.is_some() {}
    })
    .await;
    let mut child = homard(&home, &["agent", "-m", "hi"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).await.unwrap();
    assert_eq!(first, "Hello\n", "the first line is there before the run has ended");
    go_on.send(()).unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "world\n");
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn ctrl_c_stops_the_run_and_says_so() {
    let home = scripted(|mut peer| async move {
        let request = peer.accept_run().await;
        let run = &request["params"]["idempotencyKey"];
        peer.delta(run, "Half a sen\n", "Half a sen\n").await;
        let abort = peer.next().await;
        assert_eq!(abort["method"], "chat.abort");
        assert_eq!(abort["params"], json!({"sessionKey":"agent:main:main","runId":run}));
        peer.answer(&abort, json!({"ok":true,"aborted":true,"runIds":[run]})).await;
        peer.answer(&request, finished(run, "error", "Half a sen\n", true)).await;
        while peer.0.next().await.is_some() {}
    })
    .await;
    let mut command = homard(&home, &["agent", "-m", "hi"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).await.unwrap();
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let Output { status, stderr, .. } = child.wait_with_output().await.unwrap();
    assert_eq!(status.code(), Some(1));
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(stderr.starts_with("error: the run was stopped\n"), "{stderr}");
}

#[tokio::test]
async fn a_failed_run_ends_with_one_and_json_holds_everything() {
    let home = scripted(|mut peer| async move {
        let request = peer.accept_run().await;
        let run = &request["params"]["idempotencyKey"];
        peer.answer(&request, finished(run, "error", "", false)).await;
        while peer.0.next().await.is_some() {}
    })
    .await;
    let (code, out, _) = run(&home, &["agent", "-m", "hi", "--json"]).await;
    assert_eq!(code, 1);
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["status"], "error");
}

#[tokio::test]
async fn any_method_can_be_called() {
    let home = scripted(|mut peer| async move {
        let request = peer.next().await;
        peer.answer(&request, json!({"method": request["method"], "params": request["params"]})).await;
        while peer.0.next().await.is_some() {}
    })
    .await;
    let (code, out, err) = run(&home, &["gateway", "call", "x.y", "--params", r#"{"a":1}"#]).await;
    assert_eq!(code, 0, "{err}");
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), json!({"method":"x.y","params":{"a":1}}));
    let (code, _, err) = run(&home, &["gateway", "call", "x", "--params", "{"]).await;
    assert!(code == 2 && err.contains("--params is not JSON"), "{err}");
}

#[tokio::test]
async fn logs_of_a_gateway_that_is_gone_are_read_from_its_file() {
    let port = free_port().unwrap();
    let log = TestHome::new().unwrap();
    let file = log.path().join("own.log");
    std::fs::write(
        &file,
        "{\"time\":null,\"level\":\"error\",\"subsystem\":\"store\",\"message\":\"disk full\"}\n",
    )
    .unwrap();
    let config = json!({"gateway": {"port": port}, "logging": {"file": file}});
    let home = TestHome::with_config(&config).unwrap();
    let (code, out, err) = run(&home, &["logs"]).await;
    assert_eq!((code, out.as_str()), (0, "error store          disk full\n"));
    assert!(err.contains("no gateway is running"), "{err}");
    assert_eq!(run(&home, &["logs", "--follow", "--url", "ws://127.0.0.1:1"]).await.0, 1);
}
