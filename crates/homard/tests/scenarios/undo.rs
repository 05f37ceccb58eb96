//! What file tools changed is put back on request, through the gateway and the command line, or it is said why not.

use homard_testkit::TestClient;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::world::{KEY, World, as_owner, say, talk};

async fn undo(client: &mut TestClient, params: Value) -> Result<Value, String> {
    client.call("undo.apply", params).await.map_err(|refusal| format!("{refusal:?}"))
}

/// The owner's command line on the same machine: whether it worked, and all it said.
async fn command_line(world: &World, words: &[&str]) -> (bool, String) {
    let mut command = as_owner(Command::new(crate::homard()), world.gateway.home());
    command.env("HOMARD_GATEWAY_URL", world.gateway.url()).args(words);
    let output = command.output().await.unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

#[tokio::test]
async fn the_last_runs_files_are_put_back_and_that_can_be_taken_back() {
    let world = World::start().await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("note.txt"), "mine\n").unwrap();
    let mut client = world.owner().await;
    world.fake.calls("write", json!({"path": "note.txt", "content": "theirs\n"}));
    world.fake.calls("write", json!({"path": "new/file.txt", "content": "made\n"}));
    world.fake.calls("exec", json!({"command": "true"}));
    world.fake.says("done");
    talk(&mut client, KEY, "change things").await;
    assert_eq!(std::fs::read_to_string(workspace.join("note.txt")).unwrap(), "theirs\n");

    let list = client.call("undo.list", json!({"sessionKey": KEY})).await.unwrap();
    let run = &list["runs"][0];
    assert_eq!((run["files"].as_array().unwrap().len(), &run["commands"]), (2, &json!(true)), "{list}");
    let dry = undo(&mut client, json!({"sessionKey": KEY, "dryRun": true})).await.unwrap();
    assert_eq!(dry["undone"], json!(false));
    assert!(workspace.join("new/file.txt").exists(), "a dry run changes nothing");

    let done = undo(&mut client, json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(done["undone"], json!(true), "{done}");
    let words = done["words"].as_str().unwrap();
    assert!(words.contains("Commands ran in this run; what they changed is not kept."), "{words}");
    assert_eq!(std::fs::read_to_string(workspace.join("note.txt")).unwrap(), "mine\n");
    assert!(!workspace.join("new").exists());

    let refused = undo(&mut client, json!({"sessionKey": KEY})).await.unwrap_err();
    assert!(refused.contains("nothing to undo"), "{refused}");
    undo(&mut client, json!({"runId": done["undoRunId"]})).await.unwrap();
    assert_eq!(std::fs::read_to_string(workspace.join("note.txt")).unwrap(), "theirs\n");
}

#[tokio::test]
async fn the_command_line_lists_refuses_with_reasons_and_insists_when_told() {
    let world = World::start().await;
    let workspace = world.gateway.home().state_dir().join("workspace");
    let mut client = world.owner().await;
    world.fake.calls("write", json!({"path": "note.txt", "content": "theirs\n"})).says("done");
    talk(&mut client, KEY, "write").await;
    std::fs::write(workspace.join("note.txt"), "edited by hand\n").unwrap();

    let (ok, said) = command_line(&world, &["undo", "--list"]).await;
    assert!(ok && said.contains(KEY) && said.contains("1 changed since or not kept"), "{said}");
    let (ok, said) = command_line(&world, &["undo"]).await;
    assert!(!ok && said.contains("note.txt` was changed since"), "{said}");
    assert_eq!(std::fs::read_to_string(workspace.join("note.txt")).unwrap(), "edited by hand\n");
    let (ok, said) = command_line(&world, &["undo", "--force"]).await;
    assert!(ok && said.contains("removed") && said.contains("homard undo --run undo-"), "{said}");
    assert!(!workspace.join("note.txt").exists());
}

#[tokio::test]
async fn nothing_is_undone_under_a_running_turn_and_a_restart_forgets_nothing() {
    let mut world = World::start().await;
    let mut client = world.owner().await;
    world.fake.calls("write", json!({"path": "note.txt", "content": "x"})).says("done");
    talk(&mut client, KEY, "write").await;
    world.fake.calls("exec", json!({"command": "sleep 600"}));
    let run = say(&mut client, KEY, "wait").await;
    let is_tool = |payload: &Value| payload["runId"] == run.as_str() && payload["stream"] == "tool";
    client.next_event_where("agent", is_tool).await.unwrap();
    let refused = undo(&mut client, json!({"sessionKey": KEY})).await.unwrap_err();
    assert!(refused.contains("a run is under way"), "{refused}");
    client.call("chat.abort", json!({"sessionKey": KEY})).await.unwrap();

    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    let list = client.call("undo.list", json!({"sessionKey": KEY})).await.unwrap();
    assert_eq!(list["runs"].as_array().unwrap().len(), 2, "{list}");
    let refused = undo(&mut client, json!({"sessionKey": KEY})).await.unwrap_err();
    assert!(refused.contains("Commands ran in it") && refused.contains("--run"), "{refused}");
    let earlier = &list["runs"][1]["runId"];
    assert_eq!(undo(&mut client, json!({"runId": earlier})).await.unwrap()["undone"], json!(true));
}
