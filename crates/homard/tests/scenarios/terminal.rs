//! Commands that were not told enough: who sits at a terminal is asked, everybody else is given an example.

use std::process::{ExitStatus, Stdio};

use homard_testkit::{TEST_TOKEN, TestHome, WAIT_CAP};
use pty_process::{Pty, Size};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

use crate::command_line::{homard, run};
use crate::scenarios::world::{KEY, OPENAI, World, config as world_config, talk};

/// Starts the program in a terminal of 80 columns and 24 rows.
fn in_terminal(home: &TestHome, args: &[&str]) -> (Child, Pty) {
    let (ours, theirs) = pty_process::open().unwrap();
    ours.resize(Size::new(24, 80)).unwrap();
    let command = pty_process::Command::new(crate::homard())
        .args(args)
        .env_clear()
        .env("HOME", home.path())
        .env("HOMARD_STATE_DIR", home.state_dir())
        .env("HOMARD_GATEWAY_TOKEN", TEST_TOKEN)
        .kill_on_drop(true);
    (command.spawn(theirs).unwrap(), ours)
}

/// Runs the program in a terminal; whenever it says one of these words, the text beside them is typed.
async fn at_terminal(home: &TestHome, args: &[&str], typing: &[(&str, &str)]) -> (ExitStatus, String) {
    let (mut child, mut ours) = in_terminal(home, args);
    let mut typing = typing.iter();
    let mut next = typing.next();
    let mut said = Vec::new();
    let talking = async {
        let mut piece = [0; 4096];
        // A terminal whose program is gone says so with an error.
        while let Ok(read @ 1..) = ours.read(&mut piece).await {
            said.extend(piece.iter().take(read));
            if let Some((_, text)) = next.filter(|(words, _)| String::from_utf8_lossy(&said).contains(words))
            {
                ours.write_all(format!("{text}\r").as_bytes()).await.unwrap();
                next = typing.next();
            }
        }
    };
    tokio::time::timeout(WAIT_CAP, talking).await.unwrap();
    (child.wait().await.unwrap(), String::from_utf8_lossy(&said).into_owned())
}

/// Taking the terminal's other screen, and giving it back.
const TAKEN: &str = "\u{1b}[?1049h";
const GIVEN_BACK: &str = "\u{1b}[?1049l";

fn config(home: &TestHome) -> Value {
    serde_json::from_str(&std::fs::read_to_string(home.config_path()).unwrap()).unwrap()
}

#[tokio::test]
async fn commands_without_what_they_need_give_an_example() {
    let home = TestHome::new().unwrap();
    let rows = [
        (&["channels", "add"] as &[&str], "which platform? (", "homard channels add --channel "),
        (&["cron", "add"], "a name (--name), a time (--at,", "homard cron add --name tea --at 20m"),
        (&["cron", "add", "--name", "tea", "--at", "1h"], "something to do (--message", "homard cron add"),
        (&["completion"], "for which shell? (bash,", "homard completion --shell bash"),
        (&["agent"], "the message is empty", "homard agent \""),
    ];
    for (args, error, hint) in rows {
        let (code, out, err) = run(&home, args).await;
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        let mut lines = err.lines();
        assert!(
            lines.next().is_some_and(|line| line.starts_with("error: ") && line.contains(error)),
            "{err}"
        );
        assert!(lines.next().is_some_and(|line| line.starts_with(&format!("hint: {hint}"))), "{err}");
        assert_eq!(lines.next(), None, "{err}");
    }
}

#[tokio::test]
async fn who_sits_at_a_terminal_is_asked_for_the_platform_and_what_it_needs() {
    let home = TestHome::with_config(&json!({})).unwrap();
    let typing = [("Which platform?", "irc"), ("(host", "irc.test"), ("(nick", "homard")];
    let (status, said) = at_terminal(&home, &["channels", "add", "--no-probe"], &typing).await;
    assert!(status.success(), "{said}");
    let irc = &config(&home)["channels"]["irc"];
    assert_eq!(
        (&irc["host"], &irc["nick"], &irc["enabled"]),
        (&json!("irc.test"), &json!("homard"), &json!(true))
    );
}

#[tokio::test]
async fn a_job_is_asked_for_in_three_questions() {
    let world = World::start().await;
    let home = world.gateway.home();
    let typing = [("to do?", "Sum up my mail"), ("When?", "0 9 * * 1-5"), ("called?", "digest")];
    let url = world.gateway.url();
    let (status, said) =
        at_terminal(home, &["cron", "add", "--url", &url, "--token", TEST_TOKEN], &typing).await;
    assert!(status.success(), "{said}");
    let jobs = world.owner().await.call("cron.list", json!({})).await.unwrap();
    let job = &jobs["jobs"][0];
    assert_eq!((&job["name"], &job["schedule"]["expr"]), (&json!("digest"), &json!("0 9 * * 1-5")), "{job}");
    assert_eq!(job["payload"]["message"], "Sum up my mail");
}

#[tokio::test]
async fn the_shell_is_asked_for() {
    let home = TestHome::new().unwrap();
    let (status, said) = at_terminal(&home, &["completion"], &[("For which shell?", "3")]).await;
    assert!(status.success() && said.contains("complete -c homard"), "{said}");
}

#[tokio::test]
async fn an_undo_names_the_conversation_and_asks_first() {
    let world = World::start().await;
    let note = world.gateway.home().state_dir().join("workspace/note.txt");
    world.fake.calls("write", json!({"path": "note.txt", "content": "theirs\n"})).says("done");
    talk(&mut world.owner().await, KEY, "write a note").await;
    let url = world.gateway.url();
    let undo = ["undo", "--url", &url, "--token", TEST_TOKEN];
    let (status, said) = at_terminal(world.gateway.home(), &undo, &[("Undo it?", "n")]).await;
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(
        said.contains(KEY) && said.contains("note.txt") && said.contains("nothing was changed"),
        "{said}"
    );
    assert!(note.exists());
    let (status, said) = at_terminal(world.gateway.home(), &undo, &[("Undo it?", "y")]).await;
    assert!(status.success() && !note.exists(), "{said}");
}

#[tokio::test]
async fn a_message_may_stand_by_itself() {
    let world = World::start().await;
    world.fake.says("well met");
    let url = world.gateway.url();
    let (code, out, err) =
        run(world.gateway.home(), &["agent", "hello", "there", "--url", &url, "--token", TEST_TOKEN]).await;
    assert_eq!((code, out.as_str()), (0, "well met\n"), "{err}");
    let asked = world.fake.requests().remove(0).body.to_string();
    assert!(asked.contains("hello there"), "{asked}");
}

#[tokio::test]
async fn a_line_typed_in_the_terminal_chat_is_answered_there() {
    let world = World::start().await;
    world.fake.says("well met\u{1b}]0;some-title\u{7}, friend");
    let url = world.gateway.url();
    let tui = ["tui", "--url", &url, "--token", TEST_TOKEN];
    // Only what changes is drawn, so words stand alone.
    let typing = [("ready", "hello there"), ("friend", "/quit")];
    let (status, said) = at_terminal(world.gateway.home(), &tui, &typing).await;
    assert!(status.success(), "{said}");
    assert!(said.contains(TAKEN) && said.contains(GIVEN_BACK), "{said}");
    assert!(!said.contains("some-title"), "nothing of what the model said steers the terminal: {said}");
    let asked = world.fake.requests().remove(0).body.to_string();
    assert!(asked.contains("hello there"), "{asked}");
}

#[tokio::test]
async fn the_terminal_is_given_back_when_the_chat_is_ended_from_outside() {
    use rustix::process::Signal;
    let world = World::start().await;
    let url = world.gateway.url();
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let (mut child, mut ours) =
            in_terminal(world.gateway.home(), &["tui", "--url", &url, "--token", TEST_TOKEN]);
        let pid = rustix::process::Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap()).unwrap();
        let mut said = String::new();
        let mut piece = [0; 4096];
        let mut is_asked = false;
        while let Ok(read @ 1..) = tokio::time::timeout(WAIT_CAP, ours.read(&mut piece)).await.unwrap() {
            said.push_str(&String::from_utf8_lossy(&piece[..read]));
            if !is_asked && said.contains("ready") {
                is_asked = true;
                rustix::process::kill_process(pid, signal).unwrap();
            }
        }
        assert!(child.wait().await.unwrap().success(), "{signal:?}");
        assert!(said.contains(GIVEN_BACK), "{signal:?}: {said}");
    }
}

#[tokio::test]
async fn a_gateway_that_goes_and_comes_back_is_told_and_the_chat_goes_on() {
    let mut world = World::start().await;
    let url = world.gateway.url();
    let (mut child, mut ours) =
        in_terminal(world.gateway.home(), &["tui", "--url", &url, "--token", TEST_TOKEN]);
    let mut said = String::new();
    let mut piece = [0; 4096];
    let mut step = 0;
    while let Ok(read @ 1..) = tokio::time::timeout(WAIT_CAP, ours.read(&mut piece)).await.unwrap() {
        said.push_str(&String::from_utf8_lossy(&piece[..read]));
        match step {
            0 if said.contains("ready") => world.gateway.kill9().await.unwrap(),
            1 if said.contains("not") && said.contains("connected") => {
                // Said while nobody is there; sent when somebody is.
                ours.write_all(b"hello again\r").await.unwrap();
                world.fake.says("well met");
                world.gateway.restart().await.unwrap();
            }
            2 if said.contains("met") => ours.write_all(b"/quit\r").await.unwrap(),
            _ => continue,
        }
        step += 1;
        said.clear();
    }
    assert!(child.wait().await.unwrap().success());
    assert_eq!(step, 3, "{said}");
}

#[tokio::test]
async fn a_chat_may_bring_a_gateway_of_its_own_and_find_a_conversation_by_its_words() {
    let fake = homard_testkit::FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&world_config(&fake, OPENAI, |_config| {})).unwrap();
    fake.says("well met");
    let local = ["tui", "--local", "--session", "kitchen-plans", "-m", "hello"];
    let (code, out, err) = run(&home, &local).await;
    assert_eq!(
        (code, out.as_str()),
        (0, "conversation: agent:main:kitchen-plans\nyou: hello\nassistant: well met\n"),
        "{err}"
    );
    let (code, _, _) = run(&home, &["health"]).await;
    assert_eq!(code, 1, "it ended with the chat");
    fake.says("as before");
    let (code, out, err) = run(&home, &["tui", "--local", "--resume", "kitchen", "-m", "and now?"]).await;
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("conversation: agent:main:kitchen-plans") && out.contains("as before"), "{out}");
    let (code, _, err) = run(&home, &["tui", "--local", "--resume", "cellar"]).await;
    assert!(code == 1 && err.contains("no conversation is called anything with `cellar`"), "{err}");
}

#[tokio::test]
async fn in_plain_lines_enter_alone_takes_the_usual_answer() {
    let port = homard_testkit::free_port().unwrap();
    let home = TestHome::with_config(&json!({"gateway": {"port": port}})).unwrap();
    let before = std::fs::read_to_string(home.config_path()).unwrap();
    let typing = [
        ("Security [y/N]", "yes"),
        ("[quickstart]", ""),
        ("Whose model should answer", "nobody"),
        ("is none of them", "skip"),
        ("Ready [y/N]", ""),
    ];
    let (status, said) = at_terminal(&home, &["onboard", "--skip-daemon"], &typing).await;
    assert!(status.code() == Some(1) && said.contains("nothing was changed"), "{said}");
    assert_eq!(std::fs::read_to_string(home.config_path()).unwrap(), before);
}

#[tokio::test]
async fn a_wrong_token_is_told_before_the_terminal_is_taken() {
    let world = World::start().await;
    let url = world.gateway.url();
    let (status, said) =
        at_terminal(world.gateway.home(), &["tui", "--url", &url, "--token", "wrong"], &[]).await;
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(!said.contains(TAKEN) && said.contains("token"), "{said}");
}

#[tokio::test]
async fn without_a_terminal_the_chat_is_plain_lines() {
    let world = World::start().await;
    world.fake.says("well met\u{1b}[2J");
    let url = world.gateway.url();
    let (code, out, err) =
        run(world.gateway.home(), &["tui", "--url", &url, "--token", TEST_TOKEN, "-m", "hello"]).await;
    assert_eq!(code, 0, "{err}");
    assert_eq!(out, "conversation: agent:main:main\nyou: hello\nassistant: well met\n");
    assert!(err.contains("plain lines"), "{err}");
    // Each line of a pipe is answered before the next is read, also before the one that leaves.
    let mut piped = homard(world.gateway.home(), &["tui", "--plain", "--url", &url, "--token", TEST_TOKEN]);
    let mut piped = piped.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    piped.stdin.take().unwrap().write_all(b"/status\n/quit\n").await.unwrap();
    let out = String::from_utf8(piped.wait_with_output().await.unwrap().stdout).unwrap();
    assert!(out.contains("Runs: 0 under way"), "{out}");
}
