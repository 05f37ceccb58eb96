//! State folders a gateway cannot or must not use: it says so in words a person can act on, and harms nothing.

use std::process::Stdio;

use homard_testkit::{FakeLlm, Launch, TestGateway, TestHome};
use serde_json::json;
use tokio::process::Command;

use crate::scenarios::world::{
    KEY, OPENAI, World, config, failed_start, gateway, history, say, talk, text_of,
};

/// A script in a mount namespace of its own: how it ended, and all it said.
pub(super) async fn with_own_mounts(script: &str, home: &TestHome) -> (Option<i32>, String) {
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).current_dir(home.path()).env_clear();
    command
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", home.path())
        .env("HOMARD", crate::homard());
    let ended = command.stdin(Stdio::null()).output().await.unwrap();
    let said = [ended.stdout, ended.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
    (ended.status.code(), said)
}

/// The gateway in a mount namespace of its own, prepared by `setup`; needs a system that allows it.
fn in_own_mounts(setup: &str, home: &TestHome) -> Command {
    let mut command = Command::new("unshare");
    let script = format!("{setup} && exec \"$HOMARD\" gateway");
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]);
    command.current_dir(home.path());
    command
}

/// Writes a program that starts the gateway after `setup`, for [`Launch`].
fn wrapper(home: &TestHome, setup: &str) -> Launch {
    use std::os::unix::fs::PermissionsExt;
    let binary = crate::homard();
    let path = home.path().join("wrapped-homard");
    let inner = format!("{setup} && exec \"{binary}\" \"$@\"");
    let quoted = inner.replace('\'', "'\\''");
    let text = format!("#!/bin/sh\nexec unshare --map-root-user --mount sh -c '{quoted}' homard \"$@\"\n");
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    Launch::of(path)
}

/// Whether this system lets a test make mounts nobody else sees. A container may forbid it; then those stories
/// cannot be told there, and the test's output says so.
pub(super) async fn can_mount() -> bool {
    let probe = "mount -t tmpfs tmpfs /mnt";
    let tried = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", probe])
        .stderr(Stdio::null())
        .status()
        .await;
    let can = tried.is_ok_and(|status| status.success());
    if !can {
        eprintln!("not told here: this system allows no private mounts (`unshare --mount`)");
    }
    can
}

#[tokio::test]
async fn a_database_from_a_newer_version_is_refused_and_not_touched() {
    let mut world = World::start().await;
    assert!(world.gateway.terminate().await.unwrap().success());
    let home = world.gateway.home();
    let path = home.state_dir().join("homard.sqlite");
    let db = rusqlite::Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    db.close().unwrap();
    let before = std::fs::read(&path).unwrap();
    let (code, words) = failed_start(gateway(), home).await;
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("newer version") && words.contains("homard.sqlite"), "{words}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_not_touched() {
    let home = TestHome::new().unwrap();
    let path = home.state_dir().join("homard.sqlite");
    let letter = "Dear diary, this is not a database, and it is longer than a header.\n".repeat(40);
    std::fs::write(&path, &letter).unwrap();
    let (code, words) = failed_start(gateway(), &home).await;
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("not a readable database"), "{words}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), letter);
}

#[tokio::test]
async fn a_state_folder_that_is_a_file_is_refused_with_words() {
    let home = TestHome::new().unwrap();
    std::fs::remove_dir_all(home.state_dir()).unwrap();
    std::fs::write(home.state_dir(), "I am a file").unwrap();
    let (code, words) = failed_start(gateway(), &home).await;
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains(".homard"), "{words}");
    assert!(!words.contains("panicked"), "{words}");
    assert_eq!(std::fs::read_to_string(home.state_dir()).unwrap(), "I am a file");
}

#[tokio::test]
async fn a_read_only_state_folder_is_refused_with_words() {
    if !can_mount().await {
        return;
    }
    let mut world = World::start().await;
    let mut client = world.owner().await;
    talk(&mut client, KEY, "before").await;
    assert!(world.gateway.terminate().await.unwrap().success());
    let home = world.gateway.home();
    let setup = "mount --bind .homard .homard && mount -o remount,bind,ro .homard";
    let (code, words) = failed_start(in_own_mounts(setup, home), home).await;
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains(".homard") && !words.contains("panicked"), "{words}");
    assert!(words.to_lowercase().contains("read-only") || words.contains("cannot be written"), "{words}");
}

#[tokio::test]
async fn a_full_disk_is_said_and_loses_nothing_that_was_acknowledged() {
    if !can_mount().await {
        return;
    }
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    // Everything lives on a small disk of its own; the configuration is copied there first.
    let setup = "cp .homard/homard.json saved.json && mount -t tmpfs -o size=3m tmpfs .homard \
                 && cp saved.json .homard/homard.json";
    let launch = wrapper(&home, setup);
    let gateway = TestGateway::start(launch, home).await.unwrap();
    let mut client = gateway.operator().await.unwrap();
    let big = "a long story ".repeat(20_000);
    let mut acknowledged = 0;
    let mut refusal = String::new();
    for n in 0..40 {
        fake.says("short");
        let run = format!("big-{n}");
        let params = json!({"sessionKey": KEY, "message": big, "idempotencyKey": run});
        let answer = client.request("chat.send", params).await.unwrap();
        if answer["ok"] == false {
            refusal = answer["error"].to_string();
            break;
        }
        acknowledged += 1;
        let last = client.wait_chat_final(&run).await.unwrap();
        if last["state"] == "error" {
            refusal = last["errorMessage"].as_str().unwrap().to_owned();
            break;
        }
    }
    assert!(acknowledged > 1, "{refusal}");
    assert!(refusal.contains("full"), "{refusal}");
    assert_eq!(client.call("health", json!({})).await.unwrap()["ok"], true, "it goes on serving");
    let kept = history(&mut client, KEY).await;
    let whole = kept.iter().filter(|m| m["role"] == "user" && text_of(m).trim() == big.trim()).count();
    assert!(whole >= acknowledged - 1, "{whole} of {acknowledged}");
}

#[tokio::test]
async fn a_run_whose_end_cannot_be_written_is_told_as_an_error() {
    if !can_mount().await {
        return;
    }
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    let setup = "cp .homard/homard.json saved.json && mount -t tmpfs -o size=2m tmpfs .homard \
                 && cp saved.json .homard/homard.json";
    let launch = wrapper(&home, setup);
    let gateway = TestGateway::start(launch, home).await.unwrap();
    let mut client = gateway.operator().await.unwrap();
    // A few large pieces; together more than the disk holds, and nothing that is said over and over.
    let mut chance = 1_u32;
    let mut letter = |at: usize| {
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let letter = b'a' + u8::try_from(chance >> 24).unwrap_or_default() % 26;
        if at.is_multiple_of(100_000) { ' ' } else { char::from(letter) }
    };
    fake.says((1..2_200_000).map(&mut letter).collect::<String>());
    let run = say(&mut client, KEY, "talk").await;
    let last = client.wait_chat_final(&run).await.unwrap();
    assert_eq!(last["state"], "error", "the person hears that it was not kept");
    assert!(last["errorMessage"].as_str().unwrap().contains("full"), "{}", last["errorMessage"]);
    assert_eq!(client.call("health", json!({})).await.unwrap()["ok"], true);
}
