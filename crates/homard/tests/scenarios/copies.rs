//! Backups: made in the middle of a chat, put back by exchanging folders, killed in the middle of that.

use std::fs;
use std::path::{Path, PathBuf};

use homard_testkit::{TestHome, free_port};

use crate::command_line::{homard, run};
use crate::scenarios::bad_disk::{can_mount, with_own_mounts};
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

#[tokio::test]
async fn a_wrong_passphrase_and_half_an_archive_are_told_and_change_nothing() {
    let home = TestHome::new().unwrap();
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("right"), "correct horse\n").unwrap();
    fs::write(at("wrong"), "battery staple\n").unwrap();
    let (archive, half) = (at("copies/one.tar.gz.age"), at("copies/half.tar.gz.age"));
    fs::create_dir_all(home.state_dir().join("workspace")).unwrap();
    fs::write(home.state_dir().join("workspace/MEMORY.md"), "tea").unwrap();
    let sealed = ["backup", "create", "--output", &archive, "--passphrase-file", &at("right")];
    assert_eq!(run(&home, &sealed).await.0, 0);
    let whole = fs::read(&archive).unwrap();
    fs::write(&half, &whole[..whole.len() - 30]).unwrap();
    fs::write(home.state_dir().join("workspace/MEMORY.md"), "coffee").unwrap();
    for (archive, passphrase, told) in [
        (&archive, Some(at("wrong")), "not the passphrase"),
        (&archive, None, "--passphrase-file"),
        (&half, Some(at("right")), "damaged"),
    ] {
        let given = passphrase.iter().flat_map(|file| ["--passphrase-file", file]);
        let tried = [&["backup", "verify", archive][..], &["backup", "restore", archive, "--yes"]];
        for line in tried {
            let line: Vec<&str> = line.iter().copied().chain(given.clone()).collect();
            let (code, _, err) = run(&home, &line).await;
            assert!(code == 1 && err.contains(told), "{line:?}: {err}");
            assert!(!err.contains("horse") && !err.contains("battery"), "{err}");
        }
    }
    let memory = home.state_dir().join("workspace/MEMORY.md");
    assert_eq!(fs::read_to_string(memory).unwrap(), "coffee");
    assert_eq!(beside(&home.state_dir(), ".restoring-"), Vec::<PathBuf>::new());
}

/// On a disk of one megabyte: neither an archive nor a restore, a set-up or a migration is left half-done.
#[tokio::test]
async fn a_full_disk_is_told_and_nothing_is_left_half_done() {
    if !can_mount().await {
        return;
    }
    let home = TestHome::new().unwrap();
    let port = free_port().unwrap().to_string();
    let script = r#"set -eu
        mkdir small && mount -t tmpfs -o size=1m tmpfs small && export HOMARD_STATE_DIR="$PWD/small/state"
        fails() { if "$HOMARD" "$@" > said 2>&1; then echo "it worked: $*"; exit 9; else grep -c 'full' said; fi; }
        setup="onboard --non-interactive --accept-risk --auth-choice skip --skip-ui --gateway-port PORT"
        dd if=/dev/zero of=small/fill bs=4k 2> /dev/null || true
        fails $setup
        test ! -e small/state/homard.json
        rm -r small/fill small/state
        "$HOMARD" $setup > said 2>&1
        mkdir -p small/state/workspace && head -c 600000 /dev/urandom > small/state/workspace/noise
        list() { find small ! -name gateway.lock | sort; }
        list > before
        fails backup create --output small/one.tar.gz
        list | diff before -
        "$HOMARD" backup create --output one.tar.gz > said 2>&1
        fails backup restore one.tar.gz --yes
        list | diff before -
        mkdir -p .openclaw/workspace && echo '{}' > .openclaw/openclaw.json
        head -c 3000000 /dev/urandom > .openclaw/workspace/more
        fails migrate openclaw --yes
        list | diff before -"#;
    let (code, said) = with_own_mounts(&script.replace("PORT", &port), &home).await;
    assert_eq!((code, said.as_str()), (Some(0), "1\n1\n1\n1\n"), "{said}");
}

#[tokio::test]
async fn an_archive_whose_making_is_killed_is_not_there_and_the_next_one_is_whole() {
    let home = TestHome::new().unwrap();
    let folder = home.path().join("copies");
    fs::create_dir_all(home.state_dir().join("workspace")).unwrap();
    // Large enough to be in the middle of it for a while.
    fs::write(home.state_dir().join("workspace/large.bin"), vec![7; 64 * 1024 * 1024]).unwrap();
    let archive = folder.join("one.tar.gz");
    let making = ["backup", "create", "--output", archive.to_str().unwrap()];
    let mut killed = homard(&home, &making).spawn().unwrap();
    until("the archive to be under way", || async { fs::read_dir(&folder).ok()?.next().map(drop) }).await;
    killed.kill().await.unwrap();
    assert!(!archive.exists());
    let (code, out, _) = run(&home, &["backup", "list", folder.to_str().unwrap(), "--json"]).await;
    assert!(code == 0 && out.contains("\"archives\": []"), "{out}");
    assert_eq!(run(&home, &making).await.0, 0);
    assert_eq!(run(&home, &["backup", "verify", archive.to_str().unwrap()]).await.0, 0);
}
