//! Facts about the file on disk.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::{StoreError, StoreFile};

const SOON: Duration = Duration::from_millis(30);

fn place() -> (TempDir, StoreFile) {
    let dir = TempDir::new().unwrap();
    let file = StoreFile::new(dir.path().join("agents/main/agent/auth-profiles.json"));
    (dir, file)
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn only_the_owner_can_read_what_is_written() {
    let (dir, file) = place();
    let lock = file.lock(SOON).await.unwrap();
    let mut loaded = lock.read().unwrap();
    loaded.document.put("a:1", json!({"type": "api_key", "key": "k"}).as_object().unwrap().clone());
    let written = lock.write(loaded.document).unwrap();
    assert_eq!(written.stamp, file.stamp());
    assert_eq!(file.read().unwrap().document.ids(), ["a:1"]);
    let folder = dir.path().join("agents/main/agent");
    assert_eq!(mode(&folder.join("auth-profiles.json")), 0o600);
    assert_eq!(mode(&folder.join("auth-profiles.json.lock")), 0o600);
    assert_eq!(mode(&folder), 0o700);
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "no temporary file is left: {names:?}");
}

#[tokio::test]
async fn a_hand_made_file_is_taken_from_other_users() {
    let (_dir, file) = place();
    drop(file.lock(SOON).await.unwrap());
    std::fs::write(&file.path, "{}").unwrap();
    std::fs::set_permissions(&file.path, std::fs::Permissions::from_mode(0o644)).unwrap();
    file.read().unwrap();
    assert_eq!(mode(&file.path), 0o600);
}

#[tokio::test]
async fn a_lock_keeps_others_out_until_it_is_given_back() {
    let (_dir, file) = place();
    let held = file.lock(SOON).await.unwrap();
    assert!(matches!(file.lock(SOON).await, Err(StoreError::Locked { .. })));
    drop(held);
    assert!(file.lock(SOON).await.is_ok());
}

#[tokio::test]
async fn a_lock_directory_of_another_program_is_respected() {
    let (_dir, file) = place();
    let mut name = file.path.clone().into_os_string();
    name.push(".lock");
    std::fs::create_dir_all(&name).unwrap();
    assert!(matches!(file.lock(SOON).await, Err(StoreError::Locked { .. })));
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    std::fs::File::open(&name).unwrap().set_modified(long_ago).unwrap();
    assert!(file.lock(Duration::from_secs(5)).await.is_ok(), "one left by a crash is not");
}

#[tokio::test]
async fn the_older_file_is_read_until_there_is_a_newer() {
    let (_dir, file) = place();
    let lock = file.lock(SOON).await.unwrap();
    let older = file.path.with_file_name("auth.json");
    std::fs::write(&older, r#"{"openai": {"type": "api_key", "key": "k"}}"#).unwrap();
    let loaded = lock.read().unwrap();
    assert_eq!(loaded.document.ids(), ["openai:default"]);
    assert_eq!(loaded.stamp, file.stamp());
    lock.write(loaded.document).unwrap();
    std::fs::write(&older, "not JSON").unwrap();
    assert_eq!(file.read().unwrap().document.ids(), ["openai:default"]);
}

#[tokio::test]
async fn a_broken_file_can_be_set_aside() {
    let (_dir, file) = place();
    let lock = file.lock(SOON).await.unwrap();
    std::fs::write(&file.path, "{broken").unwrap();
    assert!(matches!(lock.read(), Err(StoreError::Broken { .. })));
    let aside = file.set_aside(7).unwrap();
    assert_eq!(std::fs::read_to_string(aside).unwrap(), "{broken");
    assert!(lock.read().unwrap().document.is_empty());
}

#[tokio::test]
async fn a_link_is_written_through() {
    let (dir, file) = place();
    let lock = file.lock(SOON).await.unwrap();
    let real = dir.path().join("elsewhere.json");
    std::fs::write(&real, "{}").unwrap();
    std::os::unix::fs::symlink(&real, &file.path).unwrap();
    let mut document = lock.read().unwrap().document;
    document.set_last_good("a", "a:1");
    lock.write(document).unwrap();
    assert!(std::fs::symlink_metadata(&file.path).unwrap().is_symlink());
    assert!(std::fs::read_to_string(real).unwrap().contains("a:1"));
}
