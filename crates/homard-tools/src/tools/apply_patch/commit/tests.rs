//! All or nothing on a real disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{CommitError, PatchStep, commit};

#[test]
fn a_step_that_fails_takes_everything_back() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("changed"), "old").unwrap();
    fs::set_permissions(at("changed"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(at("removed"), "still").unwrap();
    fs::create_dir(at("directory")).unwrap();
    let put = |name: &str| PatchStep::Put { path: at(name), content: b"new".to_vec(), mode: None };
    let steps =
        [put("changed"), put("deep/er/made"), PatchStep::Remove { path: at("removed") }, put("directory")];
    let error = commit(&steps).unwrap_err();
    assert!(matches!(error, CommitError::Io { .. } | CommitError::Replace(_)), "{error}");
    assert!(error.to_string().starts_with("nothing was changed"), "{error}");
    assert_eq!(fs::read_to_string(at("changed")).unwrap(), "old");
    assert_eq!(fs::metadata(at("changed")).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(at("removed")).unwrap(), "still");
    assert!(!at("deep").exists() && at("directory").is_dir());
}
