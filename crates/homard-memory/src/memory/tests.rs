//! What is found in memory, and what is not looked at.

use std::fs;

use super::*;

const NOW: i64 = 4_000_000_000_000;

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
    files(folder).files.into_iter().map(|file| file.path).collect()
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
fn links_are_neither_listed_nor_read_nor_searched() {
    let secret = notes(&[("memory/secret.md", "tide tables"), ("key.md", "tide")]);
    let folder = notes(&[("memory/real.md", "nothing")]);
    let link = std::os::unix::fs::symlink::<PathBuf, PathBuf>;
    link(secret.path().join("key.md"), folder.path().join("MEMORY.md")).unwrap();
    link(secret.path().join("memory"), folder.path().join("memory/away")).unwrap();
    link(secret.path().join("key.md"), folder.path().join("memory/key.md")).unwrap();
    assert_eq!(paths(folder.path()), ["memory/real.md"]);
    assert!(look_through(folder.path(), "tide", 10, NOW).hits.is_empty());
    confined(folder.path(), "memory/away/secret.md").unwrap_err();
    workspace_file::read(folder.path(), "memory/key.md").unwrap_err();
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
fn all_words_must_be_there_in_any_case_and_the_passage_is_told_with_its_lines() {
    let folder = notes(&[
        ("MEMORY.md", "# Garden\n\nThe TIDE gate is blue.\nAnna paints it.\n\nUnrelated.\n"),
        ("memory/2026-11-15.md", "Only the tide."),
    ]);
    let found = look_through(folder.path(), " tide   anna ", 10, NOW);
    let [hit] = found.hits.as_slice() else { panic!("{found:?}") };
    assert_eq!((hit.path.as_str(), hit.start_line, hit.end_line), ("MEMORY.md", 1, 4));
    assert_eq!(hit.snippet, "# Garden\n\nThe TIDE gate is blue.\nAnna paints it.");
    assert!(hit.score > 0.0 && hit.score <= 1.0);
    assert!(look_through(folder.path(), "tide whale", 10, NOW).hits.is_empty());
    assert_eq!(look_through(folder.path(), "ANNA", 10, NOW).hits.len(), 1);
}

#[test]
fn more_hits_come_first_and_a_limit_is_told() {
    let folder =
        notes(&[("memory/a.md", "tide"), ("memory/b.md", "tide tide tide"), ("memory/c.md", "tide tide")]);
    let found = look_through(folder.path(), "tide", 2, NOW);
    let paths: Vec<&str> = found.hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!((paths.as_slice(), found.truncated), (["memory/b.md", "memory/c.md"].as_slice(), true));
}

#[test]
fn enormous_lines_and_words_of_other_alphabets_are_cut_around_what_was_found() {
    let long = format!("{}ÉTÉ à la mer{}", "İx ".repeat(20_000), " y".repeat(20_000));
    let folder = notes(&[("memory/long.md", &long)]);
    let found = look_through(folder.path(), "été", 5, NOW);
    let snippet = &found.hits[0].snippet;
    assert!(snippet.chars().count() < 600, "{snippet}");
    assert!(snippet.starts_with('…') && snippet.ends_with('…'));
}
