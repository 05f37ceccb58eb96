//! `homard sessions tail`, `export` and `compact`.

use std::process::Stdio;

use homard_testkit::WAIT_CAP;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

use super::typed;
use crate::scenarios::world::{KEY, World, as_owner, talk};

#[tokio::test]
async fn a_conversation_is_followed_as_it_goes_on() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    world.fake.says("good morning");
    talk(&mut owner, KEY, "hello").await;
    let mut command = Command::new(crate::homard());
    command.args(["sessions", "tail", KEY, "--follow"]);
    let mut command = as_owner(command, world.gateway.home());
    command.env("HOMARD_GATEWAY_PORT", world.gateway.port().to_string()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next =
        async || tokio::time::timeout(WAIT_CAP, lines.next_line()).await.unwrap().unwrap().unwrap();
    assert!(next().await.contains("hello"));
    assert!(next().await.contains("good morning"));
    world.fake.says("fine, thank you");
    talk(&mut owner, KEY, "how are you?").await;
    assert!(next().await.contains("how are you?"), "what was shown before is not shown again");
    assert!(next().await.contains("fine, thank you"));
    child.kill().await.unwrap();
}

#[tokio::test]
async fn a_conversation_is_written_down_and_made_shorter() {
    let world = World::start().await;
    let mut owner = world.owner().await;
    for n in 0..4 {
        world.fake.says(format!("answer {n}"));
        talk(&mut owner, KEY, &format!("question {n}")).await;
    }
    let file = world.gateway.home().path().join("story.md");
    let path = file.display().to_string();
    typed(&world, &["sessions", "export", KEY, "--out", &path]).await.well();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with(&format!("# {KEY}\n")) && text.contains("question 0") && text.contains("answer 3"),
        "{text}"
    );
    typed(&world, &["sessions", "export", KEY, "--out", &path])
        .await
        .badly(1, &["is there already", "--force"]);
    let rows = typed(&world, &["sessions", "export", KEY, "--format", "jsonl"]).await.well();
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 8, "{rows:?}");
    typed(&world, &["sessions", "export", "agent:main:nothing"]).await.badly(1, &["nothing was said"]);

    let shorter = typed(&world, &["sessions", "compact", KEY, "--max-lines", "2", "--json"]).await.json();
    assert_eq!(shorter["compacted"], true, "{shorter}");
    let both = ["sessions", "compact", KEY, "--max-lines", "2", "--instructions", "x"];
    typed(&world, &both).await.badly(2, &["--instructions"]);
}

#[tokio::test]
async fn a_conversation_nobody_had_is_neither_put_away_nor_taken_away() {
    let world = World::start().await;
    for what in ["archive", "delete"] {
        typed(&world, &["sessions", what, "nothing"])
            .await
            .badly(1, &["there is no conversation `nothing`", "homard sessions"]);
    }
    assert_eq!(typed(&world, &["sessions", "--json"]).await.json()["count"], 0);
}
