//! The list of files: what it remembers, and for how long.

use std::path::{Path, PathBuf};

use super::{MAX_FILES, TaintedFiles};
use crate::words_of_others::taint::{Label, Source};

fn page() -> Label {
    Label::new(Source::Web, "https://example.org/")
}

#[test]
fn the_list_outlives_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("taint").join("files.json");
    let notes = [PathBuf::from("/w/notes.md")];
    TaintedFiles::kept_in(kept.clone()).mark(&notes, &page());
    let again = TaintedFiles::kept_in(kept.clone());
    let label = again.label_of(Path::new("/w/notes.md")).unwrap();
    assert_eq!(label.source, Source::File);
    assert!(
        label.to_string().contains("notes.md") && label.to_string().contains("https://example.org/"),
        "{label}"
    );
    assert_eq!(again.label_of(Path::new("/w/other.md")), None);
    again.unmark(&notes);
    assert_eq!(TaintedFiles::kept_in(kept).label_below(Path::new("/")), None);
}

#[test]
fn a_damaged_list_begins_anew() {
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("files.json");
    std::fs::write(&kept, "{oh no").unwrap();
    assert_eq!(TaintedFiles::kept_in(kept).label_below(Path::new("/")), None);
}

#[test]
fn the_list_is_bounded() {
    let files = TaintedFiles::default();
    let paths: Vec<PathBuf> = (0..MAX_FILES + 10).map(|n| PathBuf::from(format!("/w/{n}"))).collect();
    files.mark(&paths, &page());
    assert_eq!(files.label_of(Path::new("/w/0")), None);
    assert!(files.label_of(paths.last().unwrap()).is_some());
}

#[test]
fn commands_that_name_a_file_are_noticed() {
    let files = TaintedFiles::default();
    files.mark(&[PathBuf::from("/w/page.md")], &page());
    for (command, named) in [
        ("cat page.md", true),
        ("cat ./sub/../page.md | head", true),
        ("sh <'page.md'", true),
        ("cat homepage.md", false),
        ("cat page.mdx", false),
        ("ls", false),
    ] {
        assert_eq!(files.named_in(command).is_some(), named, "{command}");
    }
}

#[test]
fn what_an_undo_brings_back_is_theirs_again() {
    let files = TaintedFiles::default();
    let notes = [PathBuf::from("/w/notes.md")];
    files.mark(&notes, &page());
    files.unmark(&notes);
    assert_eq!((files.label_of(&notes[0]), files.label_below(Path::new("/"))), (None, None));
    files.restored(&notes);
    assert!(files.label_of(&notes[0]).is_some());
    files.restored(&[PathBuf::from("/w/never-marked.md")]);
    assert_eq!(files.label_of(Path::new("/w/never-marked.md")), None);
}

/// The state directory may lie behind a link, and whoever marks a file there may not have followed it.
#[test]
fn a_file_is_known_however_its_path_was_written_and_before_it_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().canonicalize().unwrap().join("real");
    std::fs::create_dir(&real).unwrap();
    let door = dir.path().join("door");
    std::os::unix::fs::symlink(&real, &door).unwrap();
    std::fs::write(real.join("note.md"), "said").unwrap();
    let files = TaintedFiles::default();
    files.mark(&[door.join("note.md"), door.join("later.md")], &page());
    // By its content it is not known any more.
    std::fs::write(real.join("note.md"), "said, and more").unwrap();
    for name in ["note.md", "later.md"] {
        assert!(files.label_of(&real.join(name)).is_some(), "{name}");
    }
}
