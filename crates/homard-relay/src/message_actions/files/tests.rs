//! Which files may leave.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use homard_channel::MediaKind;

use homard_tools::Caller;

use super::{FileError, FileFolders, decode, is_address, safe_name, take};
use crate::message_actions::action::{FileForm, FileWanted};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n0000";

struct Room {
    _dir: tempfile::TempDir,
    root: PathBuf,
    folders: FileFolders,
}

fn room() -> Room {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let [workspace, media, scratch] = ["ws", "media", "tmp"].map(|name| root.join(name));
    for folder in [&workspace, &media, &scratch] {
        fs::create_dir(folder).unwrap();
    }
    let folders = FileFolders {
        workspace,
        home: root.clone(),
        media,
        records: homard_config::Records::in_dir(root.join("state")),
        session: None,
        caller: Caller::Owner,
    };
    Room { _dir: dir, root, folders }
}

async fn try_take(room: &Room, place: &str) -> Result<homard_channel::File, FileError> {
    take(FileWanted::At(place.to_owned()), FileForm::Plain, &room.folders).await
}

#[tokio::test]
async fn a_file_of_the_workspace_is_copied_and_its_kind_is_told_by_its_bytes() {
    let room = room();
    fs::write(room.folders.workspace.join("chart.dat"), PNG).unwrap();
    let file = try_take(&room, "chart.dat").await.unwrap();
    assert_eq!(
        (file.kind, file.mime.as_str(), file.name.as_str()),
        (MediaKind::Image, "image/png", "chart.dat")
    );
    assert!(file.path.starts_with(room.folders.media.join("outbound")));
    assert_eq!(fs::read(&file.path).unwrap(), PNG);
}

#[tokio::test]
async fn nothing_leaves_from_elsewhere_nor_what_may_hold_secrets() {
    let room = room();
    fs::write(room.root.join("outside.txt"), "x").unwrap();
    fs::write(room.root.join("tmp/chart.png"), PNG).unwrap();
    symlink(room.root.join("outside.txt"), room.folders.workspace.join("link.txt")).unwrap();
    fs::create_dir(room.folders.workspace.join(".ssh")).unwrap();
    for name in [".env", ".env.local", ".ssh/config", "server.pem"] {
        fs::write(room.folders.workspace.join(name), "x").unwrap();
    }
    for (place, words) in [
        ("../outside.txt", "not in the workspace"),
        ("~/outside.txt", "not in the workspace"),
        ("link.txt", "not in the workspace"),
        ("/etc/hostname", "not in the workspace"),
        ("../tmp/chart.png", "not in the workspace"),
        (".env", "may hold secrets"),
        (".env.local", "may hold secrets"),
        (".ssh/config", "may hold secrets"),
        ("server.pem", "may hold secrets"),
        ("nothing.txt", "there is no file"),
        (".", "there is no file"),
        ("data:image/png;base64,???", "not base64"),
    ] {
        let error = try_take(&room, place).await.unwrap_err().to_string();
        assert!(error.contains(words), "{place}: {error}");
    }
}

#[tokio::test]
async fn a_workspace_around_the_state_folder_does_not_open_it() {
    let mut room = room();
    let state = room.root.join("state");
    for folder in ["workspace", "media/inbound", "agents"] {
        fs::create_dir_all(state.join(folder)).unwrap();
    }
    for name in ["homard.json", "agents/a.db", "workspace/notes.txt", "media/inbound/cat.txt"] {
        fs::write(state.join(name), "x").unwrap();
    }
    room.folders.media = state.join("media");
    room.folders.workspace.clone_from(&room.root);
    symlink(state.join("homard.json"), room.root.join("link.txt")).unwrap();
    for place in ["state/homard.json", "state/agents/a.db", "link.txt"] {
        let error = try_take(&room, place).await.unwrap_err().to_string();
        assert!(error.contains("may hold secrets"), "{place}: {error}");
    }
    try_take(&room, "state/media/inbound/cat.txt").await.unwrap();
    // A workspace inside it is a workspace all the same.
    room.folders.workspace = state.join("workspace");
    try_take(&room, "notes.txt").await.unwrap();
    // The folder itself is none.
    room.folders.workspace = state;
    try_take(&room, "homard.json").await.unwrap_err();
}

#[tokio::test]
async fn a_picture_that_is_too_large_is_refused_and_goes_as_a_file() {
    let room = room();
    let mut bytes = PNG.to_vec();
    bytes.resize(7 * 1024 * 1024, 0);
    fs::write(room.folders.workspace.join("big.png"), bytes).unwrap();
    let error = try_take(&room, "big.png").await.unwrap_err();
    assert!(matches!(error, FileError::TooLarge { kind: "a picture", .. }), "{error}");
    let as_file =
        take(FileWanted::At("big.png".to_owned()), FileForm::Document, &room.folders).await.unwrap();
    assert_eq!(as_file.kind, MediaKind::Document);
}

#[tokio::test]
async fn files_take_the_guise_that_was_asked_for() {
    let room = room();
    let rows = [
        ("audio/ogg", FileForm::Voice, MediaKind::Voice),
        ("audio/ogg", FileForm::Plain, MediaKind::Audio),
        ("video/mp4", FileForm::Animation, MediaKind::Animation),
        ("image/gif", FileForm::Plain, MediaKind::Animation),
        ("image/webp", FileForm::Sticker, MediaKind::Sticker),
        ("image/svg+xml", FileForm::Plain, MediaKind::Document),
        ("application/pdf", FileForm::Plain, MediaKind::Document),
        ("application/pdf", FileForm::Voice, MediaKind::Document),
    ];
    for (mime, guise, kind) in rows {
        let wanted = FileWanted::Bytes { bytes: b"x".to_vec(), name: None, mime: Some(mime.to_owned()) };
        let file = take(wanted, guise, &room.folders).await.unwrap();
        assert_eq!((file.kind, file.mime.as_str()), (kind, mime));
    }
}

#[test]
fn names_are_one_part_of_a_path() {
    for (name, safe) in [
        ("a.txt", "a.txt"),
        ("../../etc/passwd", "passwd"),
        ("..", ""),
        ("a\u{202e}gpj.exe", "agpj.exe"),
        ("c:\\x\\y.png", "y.png"),
    ] {
        assert_eq!(safe_name(name), safe);
    }
    assert_eq!(decode("data:text/plain;base64,aGk=").unwrap(), b"hi");
    assert!(is_address("https://x") && !is_address("file:///x"));
}

#[tokio::test]
async fn what_is_remembered_of_the_owner_is_sent_to_nobody_else() {
    let mut room = room();
    fs::write(room.folders.workspace.join("MEMORY.md"), "the PIN").unwrap();
    fs::write(room.folders.workspace.join("chart.png"), "a chart").unwrap();
    assert!(try_take(&room, "MEMORY.md").await.is_ok());
    room.folders.caller = Caller::Guest;
    assert!(matches!(try_take(&room, "MEMORY.md").await, Err(FileError::Sensitive(_))));
    assert!(try_take(&room, "chart.png").await.is_ok());
}
