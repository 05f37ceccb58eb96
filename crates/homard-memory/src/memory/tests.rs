//! What is found in memory, and what is not looked at.

use std::fs;

use super::*;

fn notes(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn paths(folder: &Path) -> Vec<String> {
    Memory::new(folder.to_owned(), Vec::new()).files().files.into_iter().map(|file| file.path).collect()
}

#[test]
fn a_memory_is_its_main_file_and_the_notes_below_its_folder() {
    let folder = notes(&[
        ("MEMORY.md", "a"),
        ("SOUL.md", "not a memory"),
        ("memory/2026-11-16.md", "b"),
        ("memory/people/anna.MD", "c"),
        ("memory/picture.png", "d"),
        ("memory/.hidden.md", "e"),
        ("memory/.git/x.md", "f"),
    ]);
    assert_eq!(paths(folder.path()), ["MEMORY.md", "memory/2026-11-16.md", "memory/people/anna.MD"]);
    assert_eq!(paths(&folder.path().join("nowhere")), [""; 0]);
}

#[cfg(unix)]
#[test]
fn links_are_neither_listed_nor_read_and_it_is_told() {
    let secret = notes(&[("memory/secret.md", "tide tables"), ("key.md", "tide")]);
    let folder = notes(&[("memory/real.md", "nothing")]);
    let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
    link(secret.path().join("key.md"), folder.path().join("MEMORY.md")).unwrap();
    link(secret.path().join("memory"), folder.path().join("memory/away")).unwrap();
    link(secret.path().join("key.md"), folder.path().join("memory/key.md")).unwrap();
    assert_eq!(paths(folder.path()), ["memory/real.md"]);
    let skipped = Memory::new(folder.path().to_owned(), Vec::new()).files().skipped;
    let mut skipped: Vec<&str> = skipped.iter().map(|file| file.path.as_str()).collect();
    skipped.sort_unstable();
    assert_eq!(skipped, ["MEMORY.md", "memory/away", "memory/key.md"]);
    confined(folder.path(), "memory/away/secret.md").unwrap_err();
    workspace_file::read(folder.path(), "memory/key.md").unwrap_err();
}

#[cfg(unix)]
#[test]
fn whatever_looks_like_a_note_and_is_not_searched_is_told() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = notes(&[("memory/real.md", "nothing"), ("memory/picture.md", "\u{89}PNG\0\0")]);
    let pipe = folder.path().join("memory/pipe.md");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9.md");
    // Some file systems take no such name.
    let has_odd = fs::write(folder.path().join("memory").join(odd), "x").is_ok();
    let memory = Memory::new(folder.path().to_owned(), Vec::new());
    let files = memory.files();
    assert_eq!(files.files.len(), 2, "{:?}", files.files);
    let why = |path: &str| files.skipped.iter().find(|file| file.path == path).map(|file| file.reason);
    assert_eq!(why("memory/pipe.md"), Some("is no plain file"));
    assert_eq!(why("memory/caf\u{fffd}.md"), has_odd.then_some("has a name that is not UTF-8"));
    let refused = memory.read("memory/picture.md").unwrap_err().to_string();
    assert!(refused.contains("is not text"), "{refused}");
}

#[test]
fn only_paths_of_a_memory_are_opened() {
    let folder = notes(&[("memory/a.md", "a")]);
    for path in ["MEMORY.md", "memory/a.md", "memory/people/anna.md", "memory/größe.md"] {
        assert!(confined(folder.path(), path).is_ok(), "{path}");
    }
    for path in [
        "",
        "SOUL.md",
        "memory",
        "memory/",
        "memory/a.txt",
        "/memory/a.md",
        "./memory/a.md",
        "memory/../SOUL.md",
        "memory/../../x.md",
        "memory//a.md",
        "memory/.git/a.md",
        "memory\\a.md",
        "memory/a\0.md",
        "memory/a.md/b.md",
        "memory/1/2/3/4/5/6/7/8.md",
    ] {
        assert!(confined(folder.path(), path).is_err(), "{path:?}");
    }
}

#[test]
fn what_the_owner_names_besides_and_is_no_note_is_told() {
    let folder = notes(&[("MEMORY.md", "m"), ("docs/plan.txt", "p")]);
    let named = ["docs/plan.txt", "docs/gone.md", "nowhere"].map(PathBuf::from).to_vec();
    let memory = Memory::new(folder.path().to_owned(), named);
    let files = memory.files();
    assert_eq!(files.files.len(), 1, "what is found can be read: {:?}", files.files);
    let told: Vec<_> = files.skipped.iter().map(|file| (file.path.as_str(), file.reason)).collect();
    let gone = "is not there";
    assert_eq!(
        told,
        [("docs/plan.txt", "is not Markdown (`.md`)"), ("docs/gone.md", gone), ("nowhere", gone)]
    );
}

#[test]
fn what_the_owner_names_besides_is_of_the_memory_and_nothing_around_it() {
    let elsewhere =
        notes(&[("team/a.md", "a"), ("team/deep/b.md", "b"), ("other.md", "c"), ("team/x.txt", "d")]);
    let folder = notes(&[("MEMORY.md", "m"), ("docs/d.md", "d"), ("docs/e.md", "e")]);
    let team = elsewhere.path().join("team");
    let memory = Memory::new(folder.path().to_owned(), vec![team.clone(), PathBuf::from("docs/d.md")]);
    let told: Vec<String> = memory.files().files.into_iter().map(|file| file.path).collect();
    let (a, b) = (team.join("a.md").display().to_string(), team.join("deep/b.md").display().to_string());
    assert_eq!(told, [a.clone(), b.clone(), "MEMORY.md".to_owned(), "docs/d.md".to_owned()]);
    assert_eq!(memory.read(&b).unwrap().content.as_deref(), Some("b"));
    assert_eq!(memory.read("docs/d.md").unwrap().content.as_deref(), Some("d"));
    let out = format!("{}/../other.md", team.display());
    for path in ["docs/e.md", out.as_str(), team.join("x.txt").to_str().unwrap(), "/etc/passwd"] {
        assert!(memory.read(path).is_err(), "{path}");
    }
}

#[test]
fn lines_are_taken_out_and_put_back_of_the_note_that_was_seen() {
    let folder = notes(&[("memory/a.md", "one\ntwo\nthree\n")]);
    let memory = Memory::new(folder.path().to_owned(), Vec::new());
    let seen = memory.read("memory/a.md").unwrap().hash.unwrap();
    let (gone, hash) = memory.replace_lines("memory/a.md", &seen, 2..=3, None).unwrap();
    assert_eq!(gone, "two\nthree\n");
    assert_eq!(memory.read("memory/a.md").unwrap().content.as_deref(), Some("one\n"));
    let (nothing, hash) =
        memory.replace_lines("memory/a.md", &hash, RangeInclusive::new(2, 1), Some(&gone)).unwrap();
    assert_eq!((nothing.as_str(), hash.as_str()), ("", seen.as_str()));
    for (path, seen, lines) in [
        ("memory/a.md", "another", 1..=1),
        ("memory/a.md", seen.as_str(), 3..=4),
        ("memory/a.md", seen.as_str(), 5..=9),
        ("memory/none.md", seen.as_str(), 1..=1),
        ("SOUL.md", seen.as_str(), 1..=1),
    ] {
        memory.replace_lines(path, seen, lines, None).unwrap_err();
    }
}

#[test]
fn lines_of_a_note_that_is_not_utf8_are_not_taken_out() {
    let home = tempfile::tempdir().unwrap();
    let note = home.path().join("MEMORY.md");
    let bytes = b"one\ncaf\xe9\nthree\n";
    fs::write(&note, bytes).unwrap();
    let memory = Memory::new(home.path().to_owned(), Vec::new());
    let seen = memory.read("MEMORY.md").unwrap().hash.unwrap();
    let refused = memory.replace_lines("MEMORY.md", &seen, 1..=1, None).unwrap_err().to_string();
    assert!(refused.contains("UTF-8"), "{refused}");
    assert_eq!(fs::read(note).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_note_is_refused_and_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("pipe.md");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    assert!(crate::workspace_file::read_plain(&pipe, 100).is_err());
}
