//! The first two minutes: a fresh machine is set up by options or at a terminal, and the gateway answers.

use std::process::ExitStatus;

use homard_testkit::{FakeLlm, OpenClawHome, TEST_TOKEN, TestGateway, TestHome, WAIT_CAP, free_port};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::command_line::run;
use crate::scenarios::world::{KEY, launch, talk};

/// Leaves with Ctrl-C.
const LEAVES: &str = "\x03";

/// Runs the program in a terminal of this width; whenever it says one of these words, the keys beside them are pressed.
async fn at_terminal(
    home: &TestHome,
    args: &[&str],
    columns: u16,
    typing: &[(&str, &str)],
) -> (ExitStatus, String) {
    let (mut ours, theirs) = pty_process::open().unwrap();
    ours.resize(pty_process::Size::new(24, columns)).unwrap();
    let command = pty_process::Command::new(crate::homard())
        .args(args)
        .env_clear()
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .env("HOME", home.path())
        .env("HOMARD_STATE_DIR", home.state_dir())
        .kill_on_drop(true);
    let mut child = command.spawn(theirs).unwrap();
    let mut typing = typing.iter();
    let mut next = typing.next();
    let (mut said, mut seen) = (Vec::new(), 0);
    let talking = async {
        let mut piece = [0; 4096];
        // A terminal whose program is gone says so with an error.
        while let Ok(read @ 1..) = ours.read(&mut piece).await {
            said.extend(piece.iter().take(read));
            let news = String::from_utf8_lossy(said.get(seen..).unwrap_or_default()).into_owned();
            if let Some((_, keys)) = next.filter(|(words, _)| news.contains(words)) {
                seen = said.len();
                let keys = if *keys == LEAVES { LEAVES.to_owned() } else { format!("{keys}\r") };
                ours.write_all(keys.as_bytes()).await.unwrap();
                next = typing.next();
            }
        }
    };
    let text = |said: &[u8]| String::from_utf8_lossy(said).into_owned();
    if tokio::time::timeout(WAIT_CAP, talking).await.is_err() {
        panic!("it waits for something else than {next:?}: {}", text(&said));
    }
    (child.wait().await.unwrap(), text(&said))
}

fn config(home: &TestHome) -> Value {
    let text = std::fs::read_to_string(home.config_path()).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The options that set a machine up with a server of one's own.
fn options<'a>(url: &'a str, port: &'a str) -> Vec<&'a str> {
    vec![
        "onboard",
        "--non-interactive",
        "--accept-risk",
        "--custom-base-url",
        url,
        "--custom-model-id",
        "fake-1",
        "--custom-provider-id",
        "mine",
        "--gateway-port",
        port,
        "--gateway-token",
        TEST_TOKEN,
        "--json",
    ]
}

#[tokio::test]
async fn options_alone_set_a_machine_up_and_its_gateway_answers() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::new().unwrap();
    let (url, port) = (fake.openai_url(), free_port().unwrap().to_string());
    let (code, out, err) = run(&home, &options(&url, &port)).await;
    assert_eq!(code, 0, "{err}");
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&told["ok"], &told["model"]), (&json!(true), &json!("mine/fake-1")), "{told}");
    assert_eq!(told["dashboard"], format!("http://127.0.0.1:{port}/#token={TEST_TOKEN}"));
    assert!(home.state_dir().join("workspace/SOUL.md").is_file(), "the workspace has its first files");
    assert_eq!(fake.request_count(), 0, "nobody who could read an answer, nobody asked");

    let first = config(&home);
    let (code, _, err) = run(&home, &["onboard", "--non-interactive", "--accept-risk"]).await;
    assert_eq!(code, 0, "{err}");
    let second = config(&home);
    for part in ["gateway", "models", "agents"] {
        assert_eq!(first[part], second[part], "what is set is kept");
    }
    let gateway = TestGateway::start(launch(), home).await.unwrap();
    fake.says("hello to you");
    let mut owner = gateway.operator().await.unwrap();
    let said = talk(&mut owner, KEY, "hello").await;
    assert!(said.to_string().contains("hello to you"), "{said:?}");
}

#[tokio::test]
async fn who_cannot_be_asked_is_told_which_options_to_use() {
    let home = TestHome::new().unwrap();
    let port = free_port().unwrap().to_string();
    let quiet = ["onboard", "--non-interactive", "--accept-risk", "--gateway-port", port.as_str()];
    let with =
        |more: &[&'static str]| quiet.iter().copied().chain(more.iter().copied()).collect::<Vec<&str>>();
    let rows = [
        (vec!["onboard"], "nobody sits at a terminal", "--non-interactive --accept-risk"),
        (vec!["configure"], "nobody sits at a terminal", "homard config set"),
        (with(&["--auth-choice", "anthropic"]), "a key is needed", "KEY"),
        (with(&["--auth-choice", "anthropicc"]), "did you mean `anthropic`?", "homard models list"),
        (with(&["--auth-choice", "custom"]), "the server's address is needed", "--custom-base-url"),
        (with(&["--custom-base-url", "nowhere"]), "begins with http", "--help"),
        (with(&["--gateway-auth", "password"]), "the password is needed", "--gateway-password"),
        (with(&["--mode", "remote"]), "the gateway's address is needed", "--remote-url"),
        (with(&["--api-key", "sk-1"]), "whose key --api-key holds", "--auth-choice anthropic"),
        (
            with(&["--auth-choice", "skip", "--gateway-auth", "password", "--gateway-password", "hush"]),
            "at least 8 characters",
            "--help",
        ),
    ];
    for (args, error, hint) in rows {
        let (code, out, err) = run(&home, &args).await;
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(error) && err.contains(hint), "{args:?}: {err}");
        assert!(!err.contains("hush"), "a secret is not said again: {err}");
    }
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let taken = taken.local_addr().map(|address| (taken, address.port().to_string())).unwrap();
    let (code, _, err) = run(&home, &["onboard", "--baseline", "--gateway-port", &taken.1]).await;
    assert!(code == 2 && err.contains("is used by another program"), "{err}");
    let (code, _, err) = run(&home, &["onboard", "--non-interactive"]).await;
    assert!(code == 2 && err.contains("--accept-risk"), "{err}");
    assert!(!home.config_path().exists(), "nothing was written");
}

/// What a person answers who sets a server of their own up.
fn answers<'a>(url: &'a str, port: Option<&'a str>) -> Vec<(&'a str, &'a str)> {
    let mut all = vec![
        ("Security", "y"),
        ("How do you want", "Quick"),
        ("Whose model", "Another server"),
        ("Where does the", url),
        ("Whose API", ""),
        ("The key of", ""),
        ("Which model", "fake-1"),
    ];
    all.extend(port.map(|port| ("On which port", port)));
    all.push(("Write this?", ""));
    all
}

#[tokio::test]
async fn a_person_is_walked_to_the_first_chat_and_the_model_is_asked_for_a_word() {
    for columns in [80, 40] {
        let fake = FakeLlm::start().await.unwrap();
        let home = TestHome::new().unwrap();
        home.write_config(&json!({"gateway": {"port": free_port().unwrap()}})).unwrap();
        let url = fake.openai_url();
        fake.fails(401, r#"{"error":{"message":"no tea for you"}}"#);
        fake.says("OK");
        let mut typing = answers(&url, None);
        typing.insert(7, ("What now?", "again"));
        typing.extend([("Chat with it", ""), ("First chat", "n")]);
        let (status, said) = at_terminal(&home, &["onboard", "--skip-daemon"], columns, &typing).await;
        assert!(status.success(), "{said}");
        assert!(said.contains("no tea for you"), "the provider's own words are shown: {said}");
        assert!(said.contains("it answered in"), "{said}");
        let config = config(&home);
        let token = config["gateway"]["auth"]["token"].as_str().unwrap();
        let link = format!("/#token={token}");
        let link = said.lines().find(|line| line.trim_end().ends_with(&link));
        assert!(
            link.is_some_and(|line| line.starts_with("http://")),
            "the link signs in, and is whole: {said}"
        );
        let model = config["agents"]["defaults"]["model"]["primary"].as_str().unwrap();
        assert!(model.starts_with("custom-127-0-0-1-") && model.ends_with("/fake-1"), "{model}");
    }
}

#[tokio::test]
async fn leaving_at_any_question_changes_nothing() {
    let fake = FakeLlm::start().await.unwrap();
    let url = fake.openai_url();
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let free = free_port().unwrap().to_string();
    let all = answers(&url, Some(&free));
    for leaving in 0..all.len() {
        let home = TestHome::new().unwrap();
        home.write_config(&json!({"gateway": {"port": port}})).unwrap();
        let before = std::fs::read_to_string(home.config_path()).unwrap();
        fake.says("OK");
        let mut typing: Vec<(&str, &str)> = all.iter().take(leaving).copied().collect();
        typing.push((all[leaving].0, LEAVES));
        let (status, said) = at_terminal(&home, &["onboard", "--skip-daemon"], 80, &typing).await;
        assert_eq!(status.code(), Some(1), "{said}");
        assert!(said.contains("nothing was changed"), "{leaving}: {said}");
        assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), before, "{leaving}");
        assert!(!home.state_dir().join("workspace").exists(), "{leaving}");
    }
}

#[tokio::test]
async fn the_program_alone_offers_the_setup_on_a_fresh_machine_and_help_otherwise() {
    let home = TestHome::new().unwrap();
    let (_, said) = at_terminal(&home, &[], 80, &[("Security", LEAVES)]).await;
    assert!(said.contains("your responsibility"), "{said}");
    let (code, out, err) = run(&home, &[]).await;
    assert!(code == 2 && out.is_empty() && err.contains("Usage: homard"), "nobody can be asked: {err}");
    home.write_config(&json!({})).unwrap();
    let (status, said) = at_terminal(&home, &[], 80, &[]).await;
    assert!(status.code() == Some(2) && said.contains("Usage: homard"), "{said}");
}

#[tokio::test]
async fn beginning_anew_puts_what_there_was_aside() {
    let home = TestHome::with_config(&json!({"gateway": {"port": 4000}})).unwrap();
    std::fs::create_dir_all(home.state_dir().join("agents/main")).unwrap();
    // It goes, too, so no model is chosen for it.
    std::fs::write(home.state_dir().join(".env"), "OPENAI_API_KEY=sk-1\n").unwrap();
    let port = free_port().unwrap().to_string();
    let reset = [
        "onboard",
        "--non-interactive",
        "--accept-risk",
        "--reset",
        "--skip-bootstrap",
        "--gateway-port",
        &port,
    ];
    let (code, out, err) = run(&home, &reset).await;
    assert_eq!(code, 0, "{out} {err}");
    assert_eq!(config(&home)["gateway"]["port"].to_string(), port);
    assert_eq!(config(&home)["agents"]["defaults"]["model"], Value::Null);
    let beside: Vec<_> =
        std::fs::read_dir(home.path()).unwrap().flatten().map(|entry| entry.path()).collect();
    let aside = beside.iter().find(|path| path.to_string_lossy().contains(".homard.reset-")).unwrap();
    assert!(aside.join("homard.json").is_file() && aside.join("agents/main").is_dir(), "{beside:?}");
    assert!(aside.join(".env").is_file(), "{beside:?}");
}

#[tokio::test]
async fn who_leaves_before_beginning_anew_keeps_everything() {
    let (port, free) = (free_port().unwrap(), free_port().unwrap().to_string());
    let all = [
        ("Security", "y"),
        ("How do you want", "Manual"),
        ("Whose model", "No model"),
        ("In which folder", ""),
        ("On which port", free.as_str()),
        ("Who can reach", ""),
        ("How should", ""),
        ("Write this?", LEAVES),
    ];
    let rows =
        [("full", "Security"), ("config+creds+sessions", "How do you want"), ("config", "Write this?")];
    for (scope, leaving_at) in rows {
        let home = TestHome::with_config(&json!({"gateway": {"port": port}})).unwrap();
        let before = std::fs::read_to_string(home.config_path()).unwrap();
        let args = ["onboard", "--reset", "--reset-scope", scope, "--skip-daemon"];
        let mut typing: Vec<_> = all.into_iter().take_while(|(words, _)| *words != leaving_at).collect();
        typing.push((leaving_at, LEAVES));
        let (status, said) = at_terminal(&home, &args, 80, &typing).await;
        assert!(status.code() == Some(1) && said.contains("nothing was changed"), "{scope}: {said}");
        assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), before, "{scope}");
        let beside = std::fs::read_dir(home.path()).unwrap().flatten();
        let mut names = beside.map(|one| one.file_name().to_string_lossy().into_owned());
        assert!(names.all(|name| !name.contains(".reset-")), "{scope}: nothing was put aside");
    }
}

#[tokio::test]
async fn the_options_people_know_from_elsewhere_set_a_provider_up() {
    let home = TestHome::new().unwrap();
    let port = free_port().unwrap().to_string();
    let model = "anthropic/claude-opus-4-6";
    let options = ["onboard", "--non-interactive", "--accept-risk", "--auth-choice", "token", "--api-key"];
    let more = ["sk-ant-1", "--model", model, "--gateway-port", &port, "--json"];
    let (code, out, err) = run(&home, &[options.as_slice(), more.as_slice()].concat()).await;
    assert_eq!(code, 0, "{err}");
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["model"], model);
    let kept = home.state_dir().join("agents/main/agent/auth-profiles.json");
    assert!(std::fs::read_to_string(kept).unwrap().contains("sk-ant-1"));
    let audit = std::fs::read_to_string(home.state_dir().join("logs/config-audit.jsonl")).unwrap();
    assert!(audit.contains("--auth-choice") && !audit.contains("sk-ant-1"), "{audit}");
}

#[tokio::test]
async fn an_openclaw_home_is_offered_and_taken_over_on_the_way() {
    let home = TestHome::new().unwrap();
    let old = OpenClawHome::of_files(&home.path().join(".openclaw"), &json!({})).unwrap();
    let before = old.fingerprint().unwrap();
    let typing = [
        ("Security", "y"),
        ("Take over its", ""),
        ("keys and tokens", ""),
        ("Take it over now", ""),
        ("How do you want", "Quick"),
        ("Whose model", "No model"),
        ("Write this?", ""),
        ("Chat with it", ""),
        ("First chat", "n"),
    ];
    let port = free_port().unwrap().to_string();
    let args = ["onboard", "--skip-daemon", "--gateway-port", &port];
    let (status, said) = at_terminal(&home, &args, 80, &typing).await;
    assert!(status.success() && said.contains(&format!("port {port};")), "{said}");
    assert_eq!(old.fingerprint().unwrap(), before, "the other home is only read");
    let text = std::fs::read_to_string(home.config_path()).unwrap();
    assert!(text.contains("oc-gateway-token") && text.contains("lastRunCommand"), "{text}");
    assert!(home.state_dir().join("agents/main/sessions/sessions.json").is_file());

    let home = TestHome::new().unwrap();
    OpenClawHome::of_files(&home.path().join(".openclaw"), &json!({})).unwrap();
    let quiet = ["onboard", "--non-interactive", "--accept-risk", "--json", "--gateway-port", &port];
    let (code, out, err) = run(&home, &quiet).await;
    assert_eq!(code, 0, "what nobody here understands is not in the way: {out} {err}");
    let text = std::fs::read_to_string(home.config_path()).unwrap();
    assert!(!text.contains("oc-gateway-token"), "what was not agreed to is not taken: {text}");
}

#[tokio::test]
async fn a_server_that_wants_no_key_is_written_down_so_that_its_model_is_known() {
    let home = TestHome::new().unwrap();
    let port = free_port().unwrap().to_string();
    let quiet =
        ["onboard", "--non-interactive", "--accept-risk", "--gateway-port", &port, "--auth-choice", "vllm"];
    let args: Vec<&str> =
        quiet.into_iter().chain(["--model", "my-model", "--workspace", "~/elsewhere"]).collect();
    let (code, _, err) = run(&home, &args).await;
    assert_eq!(code, 0, "{err}");
    let config = config(&home);
    assert_eq!(config["agents"]["defaults"]["model"]["primary"], "vllm/my-model");
    assert_eq!(config["models"]["providers"]["vllm"]["models"][0]["id"], "my-model", "{config}");
    let (code, out, err) = run(&home, &["models", "list", "--json"]).await;
    assert!(code == 0 && out.contains("my-model"), "{out} {err}");
    assert!(home.path().join("elsewhere/SOUL.md").is_file(), "the workspace is where it was wanted");
}

#[tokio::test]
async fn a_login_of_another_program_is_offered_tried_and_kept_with_the_last_yes() {
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::new().unwrap();
    home.write_config(&json!({
        "gateway": {"port": free_port().unwrap()},
        "models": {"providers": {"anthropic": {"baseUrl": fake.anthropic_url()}}},
    }))
    .unwrap();
    let file = home.path().join(".claude/.credentials.json");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let theirs = json!({"claudeAiOauth": {"accessToken": "sk-ant-oat01-theirs", "refreshToken": "sk-ant-ort01-theirs", "expiresAt": 4_102_444_800_000_i64}});
    std::fs::write(&file, theirs.to_string()).unwrap();
    fake.says("OK");
    let begin = [("Security", "y"), ("How do you want", "Quick"), ("Whose model", "Anthropic")];
    let then = [("Use the login of", ""), ("Which model", ""), ("Write this?", LEAVES)];
    let typing: Vec<_> = begin.into_iter().chain(then).collect();
    let (_, said) = at_terminal(&home, &["onboard", "--skip-daemon"], 80, &typing).await;
    assert!(said.contains("with the login of Claude Code"), "{said}");
    assert!(!said.contains("theirs"), "no secret is shown: {said}");
    let kept = home.state_dir().join("agents/main/agent/auth-profiles.json");
    assert!(!std::fs::read_to_string(&kept).unwrap_or_default().contains("theirs"), "nothing was agreed to");
    let mut typing = typing;
    typing.truncate(typing.len() - 1);
    typing.extend([("Write this?", ""), ("Chat with it", ""), ("First chat", "n")]);
    fake.says("OK");
    let (status, said) = at_terminal(&home, &["onboard", "--skip-daemon"], 80, &typing).await;
    assert!(status.success(), "{said}");
    assert!(std::fs::read_to_string(&kept).unwrap().contains("sk-ant-ort01-theirs"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), theirs.to_string(), "theirs stays as it is");
}

#[tokio::test]
async fn a_home_that_cannot_be_written_and_a_file_in_its_place_are_told_and_nothing_is_half_done() {
    let home = TestHome::new().unwrap();
    let port = free_port().unwrap().to_string();
    let file = home.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    let quiet =
        ["onboard", "--non-interactive", "--accept-risk", "--gateway-port", &port, "--auth-choice", "skip"];
    let mut command = crate::command_line::homard(&home, &quiet);
    command.env("HOMARD_STATE_DIR", file.join("state"));
    let done = command.output().await.unwrap();
    let err = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success() && err.contains("could not"), "{err}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}
