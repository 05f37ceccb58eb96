//! Files of a workspace, read for the prompt and no further.

use std::os::unix::fs::symlink;

use super::{BOOT_FILE, told_at_start};

#[tokio::test]
async fn a_link_out_of_the_workspace_is_not_told_at_a_start() {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("work");
    let (boot, secret) = (workspace.join(BOOT_FILE), home.path().join("secret"));
    std::fs::create_dir_all(workspace.join("notes")).unwrap();
    std::fs::write(&secret, "a key").unwrap();
    assert_eq!(told_at_start(&workspace).await, None);
    symlink(&secret, &boot).unwrap();
    assert_eq!(told_at_start(&workspace).await, None);
    std::fs::remove_file(&boot).unwrap();
    std::fs::write(workspace.join("notes/boot.md"), "Say that you are up.").unwrap();
    symlink(workspace.join("notes/boot.md"), &boot).unwrap();
    assert_eq!(told_at_start(&workspace).await.as_deref(), Some("Say that you are up."));
    std::fs::write(&boot, " \n").unwrap();
    assert_eq!(told_at_start(&workspace).await, None);
}
