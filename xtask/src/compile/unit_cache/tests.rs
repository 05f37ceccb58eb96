//! What is kept of a call, what is put back in another clone, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Call, Kept, NOTE, OUTPUTS, below, forget, stem};

/// A folder that goes with its test.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("homard-unit-cache-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Self(fs::canonicalize(dir).unwrap())
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.0.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// A call in the clone `clone` that made a library or program of `crates/a`.
fn call(all: &Dir, clone: &str, is_library: bool) -> Call {
    let root = all.0.join(clone);
    let out = root.join("target");
    fs::create_dir_all(&out).unwrap();
    all.write(&format!("{clone}/crates/a/src/lib.rs"), "");
    all.write(&format!("{clone}/docs/a.md"), "what it says");
    Call {
        root,
        kept: all.0.join("kept/name"),
        package: PathBuf::from("crates/a"),
        stem: "a-0123".to_owned(),
        out,
        is_library,
        name: "name".to_owned(),
    }
}

fn made(all: &Dir, clone: &str, read: &str) {
    let root = all.0.join(clone);
    all.write(&format!("{clone}/target/a-0123.d"), &format!("{}/target/a-0123.d: {read}\n", root.display()));
    all.write(&format!("{clone}/target/liba-0123.rlib"), "code");
    all.write(&format!("{clone}/target/ab-0123.rlib"), "another's");
}

#[test]
fn what_one_clone_made_another_gets_with_its_own_path() {
    let all = Dir::new("restore");
    made(&all, "one", "crates/a/src/lib.rs");
    let one = call(&all, "one", true);
    one.keep("{\"artifact\":\"x\"}\n").unwrap();
    let two = call(&all, "two", true);
    assert!(two.restore().unwrap());
    let target = all.0.join("two/target");
    assert_eq!(fs::read_to_string(target.join("liba-0123.rlib")).unwrap(), "code");
    let read = fs::read_to_string(target.join("a-0123.d")).unwrap();
    assert_eq!(read, format!("{}/a-0123.d: crates/a/src/lib.rs\n", target.display()));
    assert!(!target.join("ab-0123.rlib").exists());
}

#[test]
fn a_program_that_reads_a_file_elsewhere_is_made_again_when_that_file_changes() {
    let all = Dir::new("outside");
    made(&all, "one", "crates/a/src/lib.rs crates/a/src/../../../docs/a.md");
    call(&all, "one", false).keep("").unwrap();
    assert!(call(&all, "two", false).restore().unwrap());
    let three = call(&all, "three", false);
    all.write("three/docs/a.md", "something else");
    assert!(!three.restore().unwrap());
}

#[test]
fn a_library_that_reads_a_file_elsewhere_or_the_clones_path_is_refused() {
    let all = Dir::new("refused");
    made(&all, "one", "crates/a/src/lib.rs docs/a.md");
    let library = call(&all, "one", true);
    assert!(library.keep("").unwrap_err().to_string().contains("`docs/a.md`"));
    let path = format!("crates/a/src/lib.rs\n\n# env-dep:WHERE={}", library.root.display());
    made(&all, "one", &path);
    assert!(library.keep("").unwrap_err().to_string().contains("path of its clone"));
    call(&all, "one", false).keep("").unwrap();
    assert!(!library.kept.exists(), "a program with a path in it is not kept");
}

#[test]
fn a_call_is_named_by_the_libraries_below_it() {
    let dir = Dir::new("names");
    dir.write("libserde-1.rmeta", "outline");
    let args = words(&format!(
        "rustc --crate-name b --extern serde={0}/libserde-1.rmeta --extern homard_a={0}/libhomard_a-2.rlib -C extra-filename=-3",
        dir.0.display()
    ));
    assert_eq!(stem(&args).as_deref(), Some("b-3"));
    assert_eq!(below(&args, &dir.0), None, "one of ours without a name");
    dir.write("homard_a-2", "named");
    dir.write("libhomard_a-2.rmeta", "who it is");
    let before = below(&args, &dir.0).unwrap();
    assert!(before.last().is_some_and(|ours| ours.starts_with("named ")), "{before:?}");
    assert_eq!(below(&args, &dir.0).unwrap(), before);
    dir.write("libhomard_a-2.rmeta", "who is it");
    assert_ne!(
        below(&args, &dir.0).unwrap(),
        before,
        "one of ours that was compiled again under the same name"
    );
    dir.write("libhomard_a-2.rmeta", "who it is");
    let later = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1);
    fs::File::options()
        .write(true)
        .open(dir.0.join("libserde-1.rmeta"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    assert_ne!(below(&args, &dir.0).unwrap(), before, "one of the registry that was compiled again");
}

#[test]
fn the_least_recently_used_goes_first() {
    let kept = Dir::new("forget");
    for (name, used) in [("old", 100), ("new", 200)] {
        kept.write(&format!("{name}/{OUTPUTS}/code"), "0123456789");
        kept.write(
            &format!("{name}/{NOTE}"),
            &serde_json::to_string(&Kept { messages: String::new(), outside: Vec::new() }).unwrap(),
        );
        let used = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(used);
        fs::File::options()
            .write(true)
            .open(kept.0.join(name).join(NOTE))
            .unwrap()
            .set_modified(used)
            .unwrap();
    }
    let left = |kept: &Path| ["old", "new"].map(|name| kept.join(name).exists());
    forget(&kept.0, 20).unwrap();
    assert_eq!(left(&kept.0), [true, true]);
    forget(&kept.0, 19).unwrap();
    assert_eq!(left(&kept.0), [false, true]);
}
