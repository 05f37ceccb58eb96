//! Programs that answer, and programs that hang, crash, print garbage or a gigabyte, or fork.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use homard_config::Environment;
use homard_config::Secret;
use homard_config::config::hooks::internal::HookEntry;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{Answer, Call, HandlerError};

const LIMIT: Duration = Duration::from_secs(20);

fn script(text: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("handler");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    (dir, path)
}

async fn run_within(text: &str, event: &Value, limit: Duration) -> Result<Answer, HandlerError> {
    let (_dir, program) = script(text);
    let env = Environment::from_pairs([("PATH", "/usr/bin:/bin"), ("OPENAI_API_KEY", "sk-very-secret")]);
    let entry = HookEntry { env: [("WHO".to_owned(), Secret::new("ada"))].into(), ..HookEntry::default() };
    let call = Call {
        name: "mine",
        program: &program,
        argument: Some("word"),
        entry: Some(&entry),
        env: &env,
        limit,
        launcher: None,
    };
    Answer::read(&call.run(event, &CancellationToken::new()).await?)
}

async fn run(text: &str) -> Result<Answer, HandlerError> {
    run_within(text, &json!({"type": "command", "action": "new"}), LIMIT).await
}

#[tokio::test]
async fn a_hook_reads_its_event_and_answers_on_its_last_line() {
    let text = r#"read -r event; echo "working" >&2; echo "{\"text\": \"$(echo "$event" | cut -c1-20 | tr -d '\"')\"}""#;
    let answer = run(text).await.unwrap();
    assert!(answer.text.unwrap().contains("command"), "the event came on its input");
    assert_eq!(run("cat > /dev/null; echo done").await.unwrap(), Answer::default(), "words are no answer");
    assert_eq!(run("exit 0").await.unwrap(), Answer::default(), "it need not read");
    let answer = run(r#"echo '{"messages": ["hello"], "refuse": "no", "other": 1}'"#).await.unwrap();
    assert_eq!((answer.messages, answer.refuse), (vec!["hello".to_owned()], Some("no".to_owned())));
    let answer = run(r#"printf '{\n  "text": "%s"\n}\n' "$1""#).await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("word"), "an answer may be several lines");
}

#[tokio::test]
async fn a_hook_has_a_built_environment_without_secrets() {
    let answer = run(r#"echo "{\"text\": \"$WHO $HOMARD_HOOK [$OPENAI_API_KEY]\"}""#).await.unwrap();
    assert_eq!(answer.text.as_deref(), Some("ada mine []"));
}

#[tokio::test]
async fn a_hook_that_hangs_is_ended_with_what_it_started() {
    let dir = tempfile::tempdir().unwrap();
    let mark = dir.path().join("pid");
    let text = format!("sleep 1000 & echo $! > {}; wait", mark.display());
    let late = run_within(&text, &json!({}), Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(late.to_string(), "did not end within 1 s and was ended");
    let pid = std::fs::read_to_string(mark).unwrap();
    // Where nobody takes in orphans, what is left of one is its entry.
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z"), "its child is gone, too: {state}");
}

#[tokio::test]
async fn a_hook_that_crashes_says_how() {
    let failed = run("echo oh dear >&2; exit 3").await.unwrap_err();
    assert_eq!(failed.to_string(), "ended with code 3: oh dear");
    let killed = run("kill -9 $$").await.unwrap_err();
    assert_eq!(killed.to_string(), "ended with signal 9: it printed nothing");
}

#[tokio::test]
async fn garbage_and_a_flood_are_bounded() {
    let garbage = run(r"echo '{not json'").await.unwrap_err();
    assert!(garbage.to_string().starts_with("printed an answer that is none:"), "{garbage}");
    assert_eq!(
        run("head -c 100000 /dev/urandom").await.map_err(|e| e.to_string()).unwrap_or_default(),
        Answer::default()
    );
    let text = r#"head -c 1000000000 /dev/zero | tr '\0' x; echo; echo '{"text": "end"}'"#;
    let flood = run_within(text, &json!({}), Duration::from_secs(3)).await.map(|answer| answer.text);
    assert!(
        matches!(&flood, Ok(Some(text)) if text == "end") || matches!(flood, Err(HandlerError::Late(_))),
        "{flood:?}"
    );
}

#[tokio::test]
async fn a_hook_that_forks_without_end_is_ended() {
    let forked = run("while :; do sleep 100 & done").await.unwrap_err();
    assert!(matches!(forked, HandlerError::Forked | HandlerError::Failed { .. }), "{forked}");
}

#[tokio::test]
async fn an_event_that_nobody_reads_holds_nobody_up() {
    let event = json!({"context": {"content": "x".repeat(1_000_000)}});
    assert_eq!(run_within("exit 0", &event, LIMIT).await.unwrap(), Answer::default());
}
