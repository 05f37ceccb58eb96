//! What goes into an archive and what does not, and that one which is not whole is recognised.

use std::fs;

use crate::fixture::Home;
use crate::{ArchiveKind, BackupError, Choice, Manifest, list, verify};

fn names(manifest: &Manifest) -> Vec<&str> {
    manifest.files.iter().map(|file| file.path.as_str()).collect()
}

fn made(home: &Home, choice: &Choice) -> Manifest {
    home.backup(choice, None).unwrap();
    verify(&home.archive(), None, &mut |_progress| {}).unwrap()
}

#[test]
fn everything_that_matters_goes_in_and_what_passes_does_not() {
    let home = Home::new();
    let manifest = made(&home, &Choice::default());
    assert_eq!(
        names(&manifest),
        [
            "state/homard.sqlite",
            "state/.env",
            "state/agents/main/agent/auth-profiles.json",
            "state/agents/main/sessions/a.jsonl",
            "state/homard.json",
            "state/workspace/MEMORY.md",
            "state/workspace/link.md",
            "workspaces/far/plan.md",
        ]
    );
    // Of a conversation that is being written whole lines are taken.
    let conversation = manifest.files.iter().find(|file| file.path.ends_with("a.jsonl")).unwrap();
    assert_eq!(conversation.size, 16);
}

#[test]
fn an_archive_is_the_owners_alone_and_nothing_else_is_left_in_its_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    let mode = fs::metadata(home.archive()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(fs::read_dir(home.archive().parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn without_secrets_there_are_none() {
    let home = Home::new();
    let manifest = made(&home, &Choice { no_secrets: true, ..Choice::default() });
    let all = names(&manifest);
    assert!(
        all.contains(&"state/homard.json") && all.contains(&"state/agents/main/sessions/a.jsonl"),
        "{all:?}"
    );
    holds_no_secret(&home);
}

/// Every file of the archive, unpacked; none of them holds the secret of the fixture.
fn holds_no_secret(home: &Home) {
    let folder = home.folder().join("out");
    crate::unpack(&home.archive(), &folder, None, &mut |_progress| {}).unwrap();
    let mut places = vec![folder];
    while let Some(place) = places.pop() {
        if place.is_dir() {
            places.extend(fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()));
        } else if !place.is_symlink() {
            let text = fs::read(&place).unwrap();
            assert!(!text.windows(9).any(|part| part == b"hush-hush"), "{}", place.display());
        }
    }
}

/// Settings that are included, those of another time beside the ones in effect, and what the doctor kept of them.
#[test]
fn without_secrets_no_other_settings_are_in_it_either() {
    let home = Home::new();
    let choice = Choice {
        no_secrets: true,
        include: ["doctor", "undo", "credentials", "logs"].map(str::to_owned).to_vec(),
        ..Choice::default()
    };
    home.write("hooks.json5", "{ token: \"hush-hush\" }");
    home.write("settings/included.json5", "{ token: \"hush-hush\" }");
    home.write(
        "homard.json",
        "{ hooks: { $include: \"./hooks.json5\" }, gateway: { auth: { $include: \"./settings/included.json5\" } } }",
    );
    for name in ["doctor/1/homard.json", "undo/1/homard.json", "credentials/one.json"] {
        home.write(name, "{ gateway: { auth: { token: \"hush-hush\" } } }");
    }
    let manifest = made(&home, &choice);
    assert!(names(&manifest).contains(&"state/logs/today.log"), "{:?}", names(&manifest));
    holds_no_secret(&home);

    let home = Home::new();
    let mut source = home.source.clone();
    source.paths.config_path = home.folder().join("settings.json");
    fs::write(&source.paths.config_path, "{}").unwrap();
    let snapshot = homard_config::Snapshot::load(&source, &homard_config::Overrides::default());
    let plan = crate::Plan::of(&source, &snapshot, &choice).unwrap();
    crate::create(&plan, &home.archive(), None, &mut |_progress| {}).unwrap();
    holds_no_secret(&home);
}

#[test]
fn parts_can_be_left_out_and_taken_in() {
    let home = Home::new();
    let choice = Choice {
        no_workspaces: true,
        exclude: vec!["agents/main/agent".into()],
        include: vec!["logs".into()],
        ..Choice::default()
    };
    assert_eq!(
        names(&made(&home, &choice)),
        [
            "state/homard.sqlite",
            "state/.env",
            "state/agents/main/sessions/a.jsonl",
            "state/homard.json",
            "state/logs/today.log"
        ]
    );
}

#[test]
fn the_settings_alone_are_a_kind_of_their_own() {
    let home = Home::new();
    let manifest = made(&home, &Choice { only_config: true, ..Choice::default() });
    assert_eq!(
        (manifest.about.kind, names(&manifest)),
        (ArchiveKind::Config, vec!["state/homard.json", "state/.env"])
    );
}

#[test]
fn an_archive_never_replaces_another() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    assert!(matches!(home.backup(&Choice::default(), None), Err(BackupError::Exists(_))));
}

#[test]
fn a_home_with_nothing_in_it_is_told() {
    let home = Home::new();
    fs::remove_dir_all(home.state()).unwrap();
    assert!(matches!(home.backup(&Choice::default(), None), Err(BackupError::Nothing(_))));
}

#[test]
fn an_archive_that_was_cut_or_changed_is_damaged() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    let whole = fs::read(home.archive()).unwrap();
    let broken = home.folder().join("broken.tar.gz");
    for end in [2, 20, whole.len() / 2, whole.len() - 9] {
        fs::write(&broken, &whole[..end]).unwrap();
        let error = verify(&broken, None, &mut |_progress| {}).unwrap_err();
        assert!(matches!(error, BackupError::Damaged { .. } | BackupError::NotOurs { .. }), "{end}: {error}");
    }
    fs::write(&broken, "some text").unwrap();
    assert!(matches!(verify(&broken, None, &mut |_progress| {}), Err(BackupError::NotOurs { .. })));
}

#[test]
fn archives_of_a_folder_are_listed_with_what_they_say_of_themselves() {
    let home = Home::new();
    let folder = home.folder().join("backups");
    assert_eq!(list(&folder).unwrap(), []);
    home.backup(&Choice::default(), None).unwrap();
    fs::write(folder.join("two.tar.gz"), "half").unwrap();
    fs::write(folder.join("three.tar.gz.age"), "age-encryption.org/v1\n").unwrap();
    fs::write(folder.join("notes.txt"), "").unwrap();
    let told: Vec<_> = list(&folder)
        .unwrap()
        .into_iter()
        .map(|one| (one.about.is_some(), one.is_sealed, one.problem.is_some()))
        .collect();
    assert_eq!(told, [(true, false, false), (false, true, false), (false, false, true)]);
}

#[test]
fn a_database_that_is_damaged_goes_in_as_it_lies_and_is_told() {
    let home = Home::new();
    let path = home.source.paths.database();
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(512);
    fs::write(&path, &bytes).unwrap();
    home.write("homard.sqlite-wal", "what was written last");
    let created = home.backup(&Choice::default(), None).unwrap();
    assert_eq!(created.raw, ["state/homard.sqlite"]);
    let folder = home.folder().join("out");
    crate::unpack(&home.archive(), &folder, None, &mut |_progress| {}).unwrap();
    assert_eq!(fs::read(folder.join("state/homard.sqlite")).unwrap(), bytes);
    assert_eq!(fs::read_to_string(folder.join("state/homard.sqlite-wal")).unwrap(), "what was written last");
}

#[test]
fn a_database_that_is_written_to_all_the_time_is_kept_as_of_one_moment() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let home = Home::new();
    let conn = rusqlite::Connection::open(home.source.paths.database()).unwrap();
    conn.execute_batch("CREATE TABLE a (x); CREATE TABLE b (x);").unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let over = &over;
        scope.spawn(move || {
            for x in 0.. {
                let both = format!("BEGIN; INSERT INTO a VALUES ({x}); INSERT INTO b VALUES ({x}); COMMIT;");
                conn.execute_batch(&both).unwrap();
                if over.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        home.backup(&Choice::default(), None).unwrap();
        over.store(true, Ordering::Relaxed);
    });
    let folder = home.folder().join("out");
    crate::unpack(&home.archive(), &folder, None, &mut |_progress| {}).unwrap();
    let copy = rusqlite::Connection::open(folder.join("state/homard.sqlite")).unwrap();
    let count = |table: &str| {
        copy.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(count("a"), count("b"));
}

#[test]
fn a_file_of_the_owners_is_kept_to_its_last_letter() {
    let home = Home::new();
    home.write("workspace/data.jsonl", "{\"n\":1}\n{\"n\":2}");
    fs::write(home.folder().join("work/one.jsonl"), "no end of line").unwrap();
    let manifest = made(&home, &Choice::default());
    let size = |name: &str| manifest.files.iter().find(|file| file.path == name).unwrap().size;
    assert_eq!((size("state/workspace/data.jsonl"), size("workspaces/far/one.jsonl")), (15, 14));
}

#[test]
fn a_workspace_that_agents_share_goes_in_once() {
    let home = Home::new();
    let work = home.folder().join("work").display().to_string();
    let agent = |id: &str, place: &str| format!("{{ id: \"{id}\", workspace: \"{place}\" }}");
    let list = [agent("main", &work), agent("far", &work), agent("deep", &format!("{work}/deep"))].join(", ");
    home.write("homard.json", &format!("{{ agents: {{ list: [{list}] }} }}"));
    fs::create_dir(home.folder().join("work/deep")).unwrap();
    fs::write(home.folder().join("work/deep/a.md"), "a").unwrap();
    let manifest = made(&home, &Choice::default());
    let found: Vec<_> = names(&manifest).into_iter().filter(|name| name.starts_with("workspaces")).collect();
    assert_eq!(found, ["workspaces/main/deep/a.md", "workspaces/main/plan.md"]);
}

#[test]
fn settings_that_are_included_stay_at_home_where_no_secrets_are_wanted() {
    let home = Home::new();
    home.write("homard.json", "{ $include: \"./keys.json5\" }");
    home.write("keys.json5", "{ gateway: { auth: { token: \"hush-hush\" } } }");
    let manifest = made(&home, &Choice { no_secrets: true, only_config: true, ..Choice::default() });
    assert_eq!(names(&manifest), ["state/homard.json"]);
}

/// Of several pieces, one of which cannot be packed, and with a folder of its own for what is unpacked.
#[test]
#[expect(clippy::disallowed_methods, reason = "the system's own programs")]
fn an_archive_is_one_that_tar_and_gzip_open() {
    use std::process::Command;
    let home = Home::new();
    let noise: Vec<u8> =
        (0_u32..200_000).flat_map(|at| at.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    fs::write(home.state().join("workspace/noise.bin"), &noise).unwrap();
    home.write("workspace/long.md", &"tea and more tea\n".repeat(60_000));
    let manifest = made(&home, &Choice::default());
    let folder = home.folder().join("by-tar");
    fs::create_dir(&folder).unwrap();
    let run = |name: &str, args: &[&str]| {
        Command::new(name).args(args).arg(home.archive()).current_dir(&folder).status().unwrap().success()
    };
    assert!(run("gzip", &["-t"]) && run("tar", &["xzf"]));
    for file in &manifest.files {
        assert!(fs::metadata(folder.join(&file.path)).unwrap().is_file(), "{}", file.path);
    }
    assert!(fs::read(folder.join("state/workspace/noise.bin")).unwrap() == noise);
}
