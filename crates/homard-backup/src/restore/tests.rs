//! Putting back: the same as before, or nothing at all.

use std::fs;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use super::{RestoreTarget, restore, unpack};
use crate::archive::{ABOUT, About, ArchiveKind, FORMAT};
use crate::fixture::{Home, NOW};
use crate::{BackupError, Choice};

fn put_back(home: &Home, passphrase: Option<&str>) -> Result<super::Restored, BackupError> {
    let known = home.snapshot().config.map(|config| config.agents.list.clone()).unwrap_or_default();
    let workspaces: Vec<_> = known.into_iter().map(|agent| agent.workspace).collect();
    let target = RestoreTarget { paths: &home.source.paths, workspaces: &workspaces, stamp: NOW };
    restore(&home.archive(), &target, passphrase, &mut |_progress| {})
}

#[test]
fn what_was_there_is_there_again_and_what_was_there_meanwhile_is_kept() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    home.write("workspace/MEMORY.md", "coffee");
    home.write("workspace/new.md", "new");
    fs::write(home.folder().join("work/plan.md"), "changed").unwrap();
    let restored = put_back(&home, None).unwrap();
    assert_eq!(home.read("workspace/MEMORY.md"), "tea");
    assert_eq!(home.read("workspace/link.md"), "tea");
    assert!(!home.state().join("workspace/new.md").exists());
    assert_eq!(fs::read_to_string(home.folder().join("work/plan.md")).unwrap(), "far away");
    let conn = rusqlite::Connection::open(home.source.paths.database()).unwrap();
    assert_eq!(conn.query_row("SELECT x FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 42);
    let kept = restored.places[0].1.clone().unwrap();
    assert_eq!(fs::read_to_string(kept.join("workspace/new.md")).unwrap(), "new");
    let left =
        fs::read_dir(home.folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut left: Vec<String> = left.collect();
    left.sort();
    let stamp = format!("before-restore-{NOW}");
    assert_eq!(
        left,
        [
            ".homard".to_owned(),
            format!(".homard.{stamp}"),
            "backups".into(),
            "work".into(),
            format!("work.{stamp}")
        ]
    );
}

#[test]
fn the_state_folder_is_closed_to_others_whatever_the_archive_says() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    fs::set_permissions(home.state(), fs::Permissions::from_mode(0o777)).unwrap();
    home.backup(&Choice::default(), None).unwrap();
    put_back(&home, None).unwrap();
    assert_eq!(fs::metadata(home.state()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_home_that_is_gone_is_made_anew() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    fs::remove_dir_all(home.state()).unwrap();
    fs::remove_dir_all(home.folder().join("work")).unwrap();
    let restored = put_back(&home, None).unwrap();
    assert_eq!((home.read("workspace/MEMORY.md").as_str(), restored.places[0].1.clone()), ("tea", None));
}

#[test]
fn settings_alone_leave_everything_else_as_it_is() {
    let home = Home::new();
    home.backup(&Choice { only_config: true, ..Choice::default() }, None).unwrap();
    home.write("homard.json", "{}");
    home.write("workspace/MEMORY.md", "coffee");
    put_back(&home, None).unwrap();
    assert!(home.read("homard.json").contains("hush-hush"));
    assert_eq!(home.read(&format!("homard.json.before-restore-{NOW}")), "{}");
    assert_eq!(home.read("workspace/MEMORY.md"), "coffee");
}

#[test]
fn an_archive_that_is_not_whole_changes_nothing() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    let whole = fs::read(home.archive()).unwrap();
    fs::write(home.archive(), &whole[..whole.len() - 20]).unwrap();
    home.write("workspace/MEMORY.md", "coffee");
    assert!(matches!(put_back(&home, None), Err(BackupError::Damaged { .. })));
    assert_eq!(home.read("workspace/MEMORY.md"), "coffee");
    assert_eq!(fs::read_dir(home.folder()).unwrap().count(), 3);
}

#[test]
fn what_a_killed_restore_left_is_swept_by_the_next() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    fs::create_dir_all(home.folder().join(".homard.restoring-1/state/half")).unwrap();
    put_back(&home, None).unwrap();
    assert!(!home.folder().join(".homard.restoring-1").exists());
}

#[test]
fn a_folder_with_something_in_it_is_not_unpacked_into() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    let folder = home.folder().join("work");
    assert!(matches!(
        unpack(&home.archive(), &folder, None, &mut |_progress| {}),
        Err(BackupError::Exists(_))
    ));
    assert_eq!(fs::read_to_string(folder.join("plan.md")).unwrap(), "far away");
}

/// What was there while a restore was killed between exchanging and whatever came after.
#[test]
fn what_a_restore_kept_is_never_swept() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    let kept = put_back(&home, None).unwrap().places[0].1.clone().unwrap();
    home.write("workspace/second.md", "second");
    let workspaces = [home.folder().join("work")];
    let target = RestoreTarget { paths: &home.source.paths, workspaces: &workspaces, stamp: NOW + 1 };
    restore(&home.archive(), &target, None, &mut |_progress| {}).unwrap();
    assert!(kept.join("homard.json").is_file());
    let second = home.folder().join(format!(".homard.before-restore-{}", NOW + 1));
    assert!(second.join("workspace/second.md").is_file());
}

#[test]
fn one_place_that_cannot_be_written_leaves_all_of_them_as_they_were() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    home.write("workspace/MEMORY.md", "coffee");
    // Somebody's file is where the old workspace would be kept.
    fs::create_dir(home.folder().join(format!("work.before-restore-{NOW}"))).unwrap();
    fs::write(home.folder().join(format!("work.before-restore-{NOW}/theirs")), "").unwrap();
    put_back(&home, None).unwrap_err();
    assert_eq!(home.read("workspace/MEMORY.md"), "coffee");
    assert_eq!(fs::read_to_string(home.folder().join("work/plan.md")).unwrap(), "far away");
    assert!(!home.folder().join(format!(".homard.before-restore-{NOW}")).exists());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "moves what the test made")]
fn a_home_behind_a_link_is_kept_whole_and_put_back_where_it_was() {
    let home = Home::new();
    let disk = home.folder().join("disk");
    fs::rename(home.state(), &disk).unwrap();
    std::os::unix::fs::symlink(&disk, home.state()).unwrap();
    let (work, far) = (home.folder().join("work"), home.folder().join("far"));
    fs::rename(&work, &far).unwrap();
    std::os::unix::fs::symlink(&far, &work).unwrap();
    home.backup(&Choice::default(), None).unwrap();
    home.write("workspace/MEMORY.md", "coffee");
    fs::write(far.join("plan.md"), "changed").unwrap();
    put_back(&home, None).unwrap();
    assert!(home.state().is_symlink() && work.is_symlink());
    assert_eq!(home.read("workspace/MEMORY.md"), "tea");
    assert_eq!(fs::read_to_string(work.join("plan.md")).unwrap(), "far away");
}

/// An archive that says where its workspace was, whole in every other way.
fn saying(home: &Home, agent: &str, place: &std::path::Path) {
    let mut plan = crate::Plan::of(&home.source, &home.snapshot(), &Choice::default()).unwrap();
    plan.about.workspaces = [(agent.to_owned(), place.to_owned())].into();
    let _gone = fs::remove_file(home.archive());
    crate::create(&plan, &home.archive(), None, &mut |_progress| {}).unwrap();
}

#[test]
fn an_archive_puts_nothing_where_something_else_is() {
    let home = Home::new();
    let keys = home.folder().join("keys");
    fs::create_dir(&keys).unwrap();
    fs::write(keys.join("authorized"), "mine").unwrap();
    let before = home.read("homard.json");
    for (agent, place) in [
        ("far", keys.clone()),
        ("far", home.folder().to_owned()),
        ("far", home.state()),
        ("far", home.state().join("agents")),
        ("far", home.folder().join("new/../keys")),
        ("far", "relative".into()),
        ("../state", home.folder().join("new")),
        ("..", home.folder().join("new")),
    ] {
        saying(&home, agent, &place);
        let error = put_back(&home, None).unwrap_err();
        assert!(matches!(error, BackupError::Outside(_) | BackupError::Occupied(_)), "{place:?}: {error}");
        assert_eq!(fs::read_to_string(keys.join("authorized")).unwrap(), "mine");
        assert_eq!(home.read("homard.json"), before);
    }
    saying(&home, "far", &home.folder().join("new"));
    put_back(&home, None).unwrap();
    assert_eq!(fs::read_to_string(home.folder().join("new/plan.md")).unwrap(), "far away");
}

/// The folder of all workspaces is none of the archive's links: a workspace "in" it would be a folder of this machine.
#[test]
fn an_archive_takes_no_folder_of_this_machine_for_a_workspace_it_brought() {
    use crate::plan::{EntrySource, PlanEntry};
    let home = Home::new();
    let private = home.folder().join("private");
    fs::create_dir(&private).unwrap();
    fs::write(private.join("diary"), "mine").unwrap();
    let mut plan = crate::Plan::of(&home.source, &home.snapshot(), &Choice::default()).unwrap();
    plan.items.retain(|item| !item.name.starts_with("workspaces"));
    plan.items.push(PlanEntry {
        from: home.folder().to_owned(),
        name: "workspaces".to_owned(),
        len: 0,
        mode: 0o777,
        mtime: 0,
        how: EntrySource::Link(home.folder().to_owned()),
    });
    plan.about.workspaces = [("private".to_owned(), home.folder().join("new"))].into();
    crate::create(&plan, &home.archive(), None, &mut |_progress| {}).unwrap();
    let outcome = put_back(&home, None);
    assert!(matches!(outcome, Err(BackupError::Outside(_))), "{outcome:?}");
    assert_eq!(fs::read_to_string(private.join("diary")).unwrap(), "mine");
    assert!(!home.folder().join("new").exists());
}

#[test]
fn settings_go_where_this_machine_has_them_whatever_the_archive_says() {
    let home = Home::new();
    let elsewhere = home.folder().join("profile");
    fs::write(&elsewhere, "mine").unwrap();
    let mut source = home.source.clone();
    source.paths.config_path = home.folder().join("settings.json");
    fs::write(&source.paths.config_path, "{}").unwrap();
    let snapshot = homard_config::Snapshot::load(&source, &homard_config::Overrides::default());
    let mut plan = crate::Plan::of(&source, &snapshot, &Choice::default()).unwrap();
    plan.about.config_path = elsewhere.clone();
    crate::create(&plan, &home.archive(), None, &mut |_progress| {}).unwrap();
    fs::write(&source.paths.config_path, "{ gateway: {} }").unwrap();
    let target = RestoreTarget { paths: &source.paths, workspaces: &[], stamp: NOW };
    fs::remove_dir_all(home.folder().join("work")).unwrap();
    restore(&home.archive(), &target, None, &mut |_progress| {}).unwrap();
    assert_eq!(fs::read_to_string(elsewhere).unwrap(), "mine");
    assert_eq!(fs::read_to_string(&source.paths.config_path).unwrap(), "{}");
}

/// An archive somebody made by hand, with one entry after its beginning.
fn forged(home: &Home, add: impl FnOnce(&mut tar::Builder<GzEncoder<fs::File>>)) {
    fs::create_dir_all(home.archive().parent().unwrap()).unwrap();
    let file = fs::File::create(home.archive()).unwrap();
    let mut tar = tar::Builder::new(GzEncoder::new(file, Compression::fast()));
    let about = About {
        format: FORMAT,
        kind: ArchiveKind::Full,
        version: "0".into(),
        created_at: String::new(),
        has_secrets: true,
        state_dir: home.state(),
        config_path: home.source.paths.config_path.clone(),
        workspaces: Default::default(),
    };
    let text = serde_json::to_vec(&about).unwrap();
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    tar.append_data(&mut header, ABOUT, text.as_slice()).unwrap();
    add(&mut tar);
    tar.into_inner().unwrap().finish().unwrap().flush().unwrap();
}

#[test]
fn a_path_that_leads_out_is_refused() {
    let home = Home::new();
    forged(&home, |tar| {
        let mut header = tar::Header::new_gnu();
        let name = b"state/../../evil";
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name);
        header.set_size(0);
        header.set_mode(0o600);
        header.set_mtime(0);
        header.set_cksum();
        tar.append(&header, std::io::empty()).unwrap();
    });
    assert!(matches!(put_back(&home, None), Err(BackupError::Outside(_))));
    assert!(!home.folder().join("evil").exists());
}

#[test]
fn nothing_is_written_through_a_link_the_archive_brought() {
    let home = Home::new();
    let target = home.folder().join("work");
    forged(&home, |tar| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        header.set_mode(0o777);
        header.set_mtime(0);
        tar.append_link(&mut header, "state/door", &target).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_size(4);
        header.set_mode(0o600);
        header.set_mtime(0);
        tar.append_data(&mut header, "state/door/evil", b"evil".as_slice()).unwrap();
    });
    assert!(matches!(put_back(&home, None), Err(BackupError::Outside(_))));
    assert!(!target.join("evil").exists());
}

/// What a link leads to keeps its rights, although a folder of the link's name follows it.
#[test]
fn nothing_is_opened_to_others_through_a_link_the_archive_brought() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let target = home.folder().join("work");
    let rights = || fs::metadata(&target).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(&target, fs::Permissions::from_mode(0o700)).unwrap();
    forged(&home, |tar| {
        let header = |kind, mode| {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            header.set_size(0);
            header.set_mode(mode);
            header.set_mtime(0);
            header
        };
        tar.append_link(&mut header(tar::EntryType::Symlink, 0o777), "state/door", &target).unwrap();
        let mut folder = header(tar::EntryType::Directory, 0o777);
        tar.append_data(&mut folder, "state/door/", std::io::empty()).unwrap();
    });
    assert!(matches!(put_back(&home, None), Err(BackupError::Outside(_))));
    assert_eq!(rights(), 0o700);
}

#[test]
fn an_archive_of_a_newer_program_is_refused() {
    let home = Home::new();
    home.backup(&Choice::default(), None).unwrap();
    let about = |format: u32| BackupError::Newer { found: format, known: FORMAT }.to_string();
    assert_eq!(about(2), "the archive was made by a newer Homard (format 2, this one knows 1)");
}

/// Before archives were packed in pieces, one encoder made one stream of blocks.
#[test]
fn an_archive_of_before_is_put_back() {
    let home = Home::new();
    home.write("workspace/long.md", &"tea and more tea\n".repeat(60_000));
    home.backup(&Choice::default(), None).unwrap();
    let mut plain = Vec::new();
    let packed = fs::read(home.archive()).unwrap();
    GzDecoder::new(packed.as_slice()).read_to_end(&mut plain).unwrap();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&plain).unwrap();
    let before = encoder.finish().unwrap();
    assert_ne!(before, packed);
    fs::write(home.archive(), before).unwrap();
    home.write("workspace/MEMORY.md", "coffee");
    put_back(&home, None).unwrap();
    assert_eq!(home.read("workspace/MEMORY.md"), "tea");
    assert_eq!(home.read("workspace/long.md").len(), 17 * 60_000);
}
