//! Backups: made in the middle of a chat, put back by exchanging folders, killed in the middle of that.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command_line::{homard, run};
use crate::scenarios::world::{KEY, World, first_delta, history, said, say, talk, text_of, until};

/// The folders beside the state folder that a restore made, by what their names have.
fn beside(state: &Path, what: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(state.parent().unwrap()).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.to_string_lossy().contains(what)).collect()
}

#[tokio::test]
async fn a_backup_made_in_the_middle_of_an_answer_is_put_back_and_the_chat_goes_on() {
    let mut world = World::start().await;
    world.fake.says("before the storm");
    let gate = world.fake.gate("half an answer");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "calm").await;
    let asked = say(&mut client, KEY, "storm").await;
    first_delta(&mut client, &asked).await;
    let archive = world.gateway.home().path().join("copies/one.tar.gz");
    let archive = archive.to_str().unwrap();
    let made = run(world.gateway.home(), &["backup", "create", "--output", archive, "--verify"]).await;
    assert_eq!(made.0, 0, "{}", made.2);
    let refused = run(world.gateway.home(), &["backup", "restore", archive, "--yes"]).await;
    assert_eq!(refused.0, 1);
    assert!(refused.2.contains("stop it first"), "{}", refused.2);
    drop(gate);
    world.gateway.kill9().await.unwrap();

    let state = world.gateway.home().state_dir();
    fs::write(state.join("workspace/later.md"), "written after the backup").unwrap();
    let back = run(world.gateway.home(), &["backup", "restore", archive, "--yes"]).await;
    assert_eq!(back.0, 0, "{}", back.2);
    assert!(!state.join("workspace/later.md").exists());
    assert!(beside(&state, ".before-restore-")[0].join("workspace/later.md").exists());
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    let order: Vec<String> =
        said(&history(&mut client, KEY).await).into_iter().map(|(_, text)| text).take(3).collect();
    assert_eq!(order, ["calm", "before the storm", "storm"]);
    world.fake.says("after the storm");
    let next = talk(&mut client, KEY, "sunshine").await;
    assert_eq!(text_of(&next["message"]), "after the storm");
}

#[tokio::test]
async fn a_restore_that_is_killed_leaves_the_old_home_and_the_next_one_works() {
    let mut world = World::start().await;
    world.fake.says("hello");
    let mut client = world.owner().await;
    talk(&mut client, KEY, "hi").await;
    world.gateway.terminate().await.unwrap();
    let home = world.gateway.home();
    let state = home.state_dir();
    // Large enough to be in the middle of it for a while.
    fs::write(state.join("workspace/large.bin"), vec![7; 64 * 1024 * 1024]).unwrap();
    let archive = home.path().join("copies/one.tar.gz");
    let archive = archive.to_str().unwrap();
    assert_eq!(run(home, &["backup", "create", "--output", archive]).await.0, 0);
    fs::write(state.join("workspace/later.md"), "written after the backup").unwrap();
    let mut restoring = homard(home, &["backup", "restore", archive, "--yes"]).spawn().unwrap();
    until("the restore to be under way", || async { beside(&state, ".restoring-").pop() }).await;
    restoring.kill().await.unwrap();
    assert_eq!(fs::read_to_string(state.join("workspace/later.md")).unwrap(), "written after the backup");

    let back = run(home, &["backup", "restore", archive, "--yes"]).await;
    assert_eq!(back.0, 0, "{}", back.2);
    assert_eq!(beside(&state, ".restoring-"), Vec::<PathBuf>::new());
    assert!(!state.join("workspace/later.md").exists());
    world.gateway.restart().await.unwrap();
    let mut client = world.owner().await;
    assert_eq!(said(&history(&mut client, KEY).await).len(), 2);
}
