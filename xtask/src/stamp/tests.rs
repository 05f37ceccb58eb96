//! What counts as a change.

use std::fs;
use std::path::PathBuf;

use super::hash_of;

/// A folder that goes when the test does.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("src")).unwrap();
        Self(path)
    }

    fn write(&self, path: &str, text: &str) -> u64 {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        hash_of(&[&self.0]).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

#[expect(clippy::disallowed_methods, reason = "a file that moves")]
#[test]
fn contents_and_names_change_the_hash_and_nothing_else_does() {
    let folder = Folder::new("hash");
    let first = folder.write("src/a.ts", "one");
    assert_eq!(folder.write("src/a.ts", "one"), first, "written again");
    assert_ne!(folder.write("src/a.ts", "two"), first, "another content");
    folder.write("src/a.ts", "one");
    assert_ne!(folder.write("src/b.ts", ""), first, "one more file");
    fs::rename(folder.0.join("src/b.ts"), folder.0.join("src/c.ts")).unwrap();
    assert_ne!(hash_of(&[&folder.0]).unwrap(), first, "another name");
    fs::remove_file(folder.0.join("src/c.ts")).unwrap();
    assert_eq!(hash_of(&[&folder.0]).unwrap(), first, "as before");
}

#[test]
fn what_a_build_makes_does_not_count() {
    let folder = Folder::new("outputs");
    let first = folder.write("src/a.ts", "one");
    for output in ["dist/index.html", "node_modules/x/index.js", "test-results/light.png"] {
        assert_eq!(folder.write(output, "made"), first, "{output}");
    }
}

#[test]
fn a_missing_file_is_not_an_error() {
    let folder = Folder::new("missing");
    assert!(hash_of(&[&folder.0.join("package-lock.json")]).is_ok());
}
