//! What the stories share: a gateway with a fake model, clients of every kind, plain HTTP. Owns no assertions
//! about the product.

use std::future::Future;
use std::process::Stdio;
use std::time::Duration;

use homard_testkit::{
    FakeLlm, Launch, ProofVersion, Refusal, TEST_TOKEN, TestClient, TestDevice, TestGateway, TestHome,
    WAIT_CAP, free_port, operator_params,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;

/// The session most stories are about.
pub(crate) const KEY: &str = "agent:main:story";
/// Between two looks at something that tells nobody when it changes: a file, a port, a row.
const LOOK_INTERVAL: Duration = Duration::from_millis(3);

/// The wire APIs a story may be told over.
pub(crate) const OPENAI: &str = "openai-completions";
pub(crate) const ANTHROPIC: &str = "anthropic-messages";

/// A gateway and the model it talks to.
pub(crate) struct World {
    pub(crate) fake: FakeLlm,
    pub(crate) gateway: TestGateway,
}

impl World {
    /// A gateway with one model.
    pub(crate) async fn start() -> Self {
        Self::start_with(OPENAI, |_| {}).await
    }

    /// The same over this wire API and with changes to its configuration.
    pub(crate) async fn start_with(api: &str, change: impl FnOnce(&mut Value)) -> Self {
        let fake = FakeLlm::start().await.unwrap();
        let home = TestHome::with_config(&config(&fake, api, change)).unwrap();
        Self { gateway: TestGateway::start(launch(), home).await.unwrap(), fake }
    }

    /// The owner's command line, with every permission.
    pub(crate) async fn owner(&self) -> TestClient {
        self.gateway.operator().await.unwrap()
    }

    /// A program of the owner's with these scopes only, without tool events.
    pub(crate) async fn with_scopes(&self, scopes: &[&str]) -> TestClient {
        let mut params = operator_params(TEST_TOKEN);
        params["scopes"] = json!(scopes);
        params["caps"] = json!([]);
        let mut client = TestClient::connect(&self.gateway.url()).await.unwrap();
        client.handshake(params).await.unwrap();
        client
    }
}

/// The binary under test.
pub(crate) fn launch() -> Launch {
    Launch::of(crate::homard())
}

/// A configuration with one model that takes pictures.
pub(crate) fn config(fake: &FakeLlm, api: &str, change: impl FnOnce(&mut Value)) -> Value {
    let url = if api == ANTHROPIC { fake.anthropic_url() } else { fake.openai_url() };
    let mut config = TestHome::chat_config(TEST_TOKEN, api, &url);
    config["models"]["providers"]["fake"]["models"][0]["input"] = json!(["text", "image"]);
    change(&mut config);
    config
}

/// Gives a command the environment of a home's owner, and nothing of the developer's.
pub(crate) fn as_owner(mut command: Command, home: &TestHome) -> Command {
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
        .env("HOME", home.path())
        .env("HOMARD", crate::homard())
        .env("HOMARD_STATE_DIR", home.state_dir())
        .env("HOMARD_GATEWAY_TOKEN", TEST_TOKEN)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    command
}

/// What a gateway that does not start says on a port of its own, and how it ends.
pub(crate) async fn failed_start(command: Command, home: &TestHome) -> (Option<i32>, String) {
    let mut command = as_owner(command, home);
    command.env("HOMARD_GATEWAY_PORT", free_port().unwrap().to_string());
    outcome(command).await
}

/// How a command ends, and what it says about it.
pub(crate) async fn outcome(mut command: Command) -> (Option<i32>, String) {
    let output = tokio::time::timeout(WAIT_CAP, command.output()).await.unwrap().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// The command that starts a gateway, for starts that fail.
pub(crate) fn gateway() -> Command {
    let mut command = Command::new(crate::homard());
    command.arg("gateway");
    command
}

/// Asks to come in with `params`, proving `device` when there is one.
pub(crate) async fn knock(url: &str, mut params: Value, device: Option<&TestDevice>) -> Answer {
    let mut client = TestClient::connect(url).await.unwrap();
    if let Some(device) = device {
        params["device"] = device.proof(ProofVersion::V3, &params, client.challenge());
    }
    let hello = client.handshake(params).await?;
    Ok((client, hello))
}

/// A greeted client and its hello, or how it was refused.
pub(crate) type Answer = Result<(TestClient, Value), Refusal>;

/// Says something and returns the run without waiting for its end.
pub(crate) async fn say(client: &mut TestClient, key: &str, text: &str) -> String {
    let run = format!("run-{}", uuid::Uuid::new_v4());
    let params = json!({"sessionKey": key, "message": text, "idempotencyKey": run});
    let sent = client.call("chat.send", params).await.unwrap();
    assert_eq!(sent, json!({"runId": run, "status": "started"}));
    run
}

/// Says something and waits for the last `chat` event.
pub(crate) async fn talk(client: &mut TestClient, key: &str, text: &str) -> Value {
    let run = say(client, key, text).await;
    client.wait_chat_final(&run).await.unwrap()
}

/// The first piece of a run's answer has arrived.
pub(crate) async fn first_delta(client: &mut TestClient, run: &str) -> Value {
    let is_delta = |payload: &Value| payload["runId"] == run && payload["state"] == "delta";
    client.next_event_where("chat", is_delta).await.unwrap()["payload"].take()
}

/// The messages of a session, oldest first.
pub(crate) async fn history(client: &mut TestClient, key: &str) -> Vec<Value> {
    let mut page = client.call("chat.history", json!({"sessionKey": key})).await.unwrap();
    serde_json::from_value(page["messages"].take()).unwrap()
}

/// What a message says, without its other blocks.
pub(crate) fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Who said what, for comparing conversations in one line.
pub(crate) fn said(messages: &[Value]) -> Vec<(String, String)> {
    messages.iter().map(|m| (m["role"].as_str().unwrap_or("").to_owned(), text_of(m))).collect()
}

/// Looks again and again until `look` finds something.
pub(crate) async fn until<T, F: Future<Output = Option<T>>>(what: &str, mut look: impl FnMut() -> F) -> T {
    let looking = async {
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        loop {
            looks.tick().await;
            if let Some(found) = look().await {
                return found;
            }
        }
    };
    match tokio::time::timeout(WAIT_CAP, looking).await {
        Ok(found) => found,
        Err(_elapsed) => panic!("looked {} s in vain for {what}", WAIT_CAP.as_secs()),
    }
}

/// An HTTP answer.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Page {
    /// A header's value.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// Sends one request line with headers and reads the whole answer.
pub(crate) async fn fetch(port: u16, request: &str, headers: &[(&str, &str)]) -> Page {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let named = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = if named { String::new() } else { format!("Host: 127.0.0.1:{port}\r\n") };
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let text = format!("{request} HTTP/1.1\r\n{host}{more}Connection: close\r\n\r\n");
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(WAIT_CAP, stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Page { status, head: head.to_owned(), body: body.to_owned() }
}
