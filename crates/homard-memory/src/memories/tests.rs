//! An index that follows its files, whatever happens to either.

use std::fs;

use jiff::civil::date;

use super::*;

struct Home {
    folder: tempfile::TempDir,
    memories: Memories,
}

impl Home {
    fn with(files: &[(&str, &str)]) -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap(), memories: Memories::default() };
        files.iter().for_each(|(path, text)| home.write(path, text));
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("work").join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn place(&self) -> MemoryPlace {
        MemoryPlace::new(self.folder.path().join("work"), self.folder.path().join("state/main.sqlite"))
    }

    fn ask(&self, words: &str) -> Vec<FoundPassage> {
        self.memories.sync(&self.place()).unwrap();
        self.search(&self.memories, words)
    }

    fn search(&self, memories: &Memories, words: &str) -> Vec<FoundPassage> {
        let question = MemoryQuestion { words, today: date(2026, 11, 18), vector: None, catches_up: true };
        memories.search(&self.place(), &question, &Picking::default()).unwrap()
    }

    fn places(&self, words: &str) -> Vec<String> {
        self.ask(words).into_iter().map(|f| format!("{}#L{}-L{}", f.path, f.start_line, f.end_line)).collect()
    }
}

#[test]
fn a_question_finds_the_passage_that_has_some_of_its_words() {
    let home = Home::with(&[
        ("MEMORY.md", "# Garden\n\nThe gate is blue.\n"),
        ("memory/2026-11-15.md", "# Work\n\nWe decided that the API is designed around resources.\n"),
        ("memory/2026-11-16.md", "# Home\n\nBread and butter.\n"),
    ]);
    assert_eq!(home.places("API design decision"), ["memory/2026-11-15.md#L1-L3"]);
    assert_eq!(home.places("which colour has the gate?"), ["MEMORY.md#L1-L3"]);
    assert_eq!(home.places("zebra"), [""; 0]);
    let found = home.ask("what did we decide about the API?");
    assert_eq!(found[0].day, Some(date(2026, 11, 15)));
    assert_eq!(found[0].heading, "Work");
    assert!(found[0].matched.contains(&"API".to_owned()), "{found:?}");
}

#[test]
fn new_changed_and_deleted_files_are_followed_and_the_rest_is_left_alone() {
    let home = Home::with(&[("memory/a.md", "tide tables"), ("memory/b.md", "bread")]);
    assert_eq!(home.places("tide"), ["memory/a.md#L1-L1"]);
    home.write("memory/b.md", "the tide again");
    home.write("memory/c.md", "no tide here");
    fs::remove_file(home.path("memory/a.md")).unwrap();
    let synced = home.memories.sync(&home.place()).unwrap().unwrap();
    assert_eq!((synced.indexed, synced.forgotten, synced.unchanged), (2, 1, 0));
    let mut places = home.places("tide");
    places.sort();
    assert_eq!(places, ["memory/b.md#L1-L1", "memory/c.md#L1-L1"]);
    assert!(!home.memories.sync(&home.place()).unwrap().unwrap().has_changed());
}

#[test]
fn an_index_that_is_deleted_or_broken_is_made_anew() {
    let home = Home::with(&[("memory/a.md", "tide tables")]);
    let index = home.place().index;
    assert_eq!(home.places("tide").len(), 1);
    index::delete(&index).unwrap();
    assert_eq!(home.search(&Memories::default(), "tide").len(), 1);
    index::delete(&index).unwrap();
    fs::write(&index, "this is no database, and long enough to be looked at as one ".repeat(200)).unwrap();
    let memories = Memories::default();
    assert_eq!(home.search(&memories, "tide").len(), 1);
    assert!(memories.standing(&home.place()).unwrap().was_broken);
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_found() {
    let home = Home::with(&[("memory/good.md", "tide tables")]);
    home.write("memory/binary.md", [b'a', 0, b'b']);
    let large = fs::File::create(home.path("memory/large.md")).unwrap();
    large.set_len(1024 * 1024 * 1024).unwrap();
    home.write("memory/odd.md", [0xff, b' ', b't', b'i', b'd', b'e']);
    assert_eq!(home.ask("tide").len(), 2);
    let skipped = home.memories.standing(&home.place()).unwrap().skipped;
    let mut told: Vec<_> = skipped.iter().map(|file| (file.path.as_str(), file.reason)).collect();
    told.sort_unstable();
    assert_eq!(told, [("memory/binary.md", "is not text"), ("memory/large.md", "is larger than 8 MiB")]);
}

#[test]
fn vectors_are_kept_by_what_they_are_of() {
    let home = Home::with(&[("memory/a.md", "# One\ntide\n# Two\nbread\n")]);
    let place = home.place();
    home.memories.sync(&place).unwrap();
    let unseen = home.memories.unseen(&place, "m", 10).unwrap();
    assert_eq!(unseen.len(), 2);
    let vector = |text: &str| vec![1.0, f32::from(u8::from(text.contains("tide")))];
    let made: Vec<_> = unseen.iter().map(|unseen| (unseen.hash.clone(), vector(&unseen.text))).collect();
    home.memories.keep_vectors(&place, "m", &made).unwrap();
    assert_eq!(home.memories.unseen(&place, "m", 10).unwrap(), []);
    assert_eq!(home.memories.unseen(&place, "other", 10).unwrap().len(), 2, "another model sees nothing yet");
    // The note moves and grows: what is as it was needs no new vector.
    fs::remove_file(home.path("memory/a.md")).unwrap();
    home.write("memory/b.md", "# Zero\nnew\n# One\ntide\n# Two\nbread\n");
    home.memories.sync(&place).unwrap();
    assert_eq!(home.memories.unseen(&place, "m", 10).unwrap().len(), 1);
    let question = MemoryQuestion {
        words: "ocean",
        today: date(2026, 11, 18),
        vector: Some(("m", &[1.0, 1.0])),
        catches_up: true,
    };
    let picking = Picking { min_score: 0.2, ..Picking::default() };
    let found = home.memories.search(&place, &question, &picking).unwrap();
    assert_eq!(found[0].heading, "One");
    assert!(found[0].vector_score.unwrap() > 0.98);
}

#[test]
fn vectors_of_another_length_find_nothing_and_the_words_are_found() {
    let home = Home::with(&[("memory/a.md", "the tide")]);
    let place = home.place();
    home.memories.sync(&place).unwrap();
    let unseen = home.memories.unseen(&place, "m", 10).unwrap();
    let made: Vec<_> = unseen.into_iter().map(|unseen| (unseen.hash, vec![1.0, 0.5])).collect();
    home.memories.keep_vectors(&place, "m", &made).unwrap();
    let today = date(2026, 11, 18);
    let vector: Option<(&str, &[f32])> = Some(("m", &[1.0, 0.5, 0.25]));
    let question = MemoryQuestion { words: "tide", today, vector, catches_up: true };
    let found = home.memories.search(&place, &question, &Picking::default()).unwrap();
    assert_eq!((found.len(), found[0].vector_score), (1, None));
}

#[test]
fn an_index_is_asked_as_it_is_where_the_owner_wants_that() {
    let home = Home::with(&[("memory/a.md", "tide")]);
    home.memories.sync(&home.place()).unwrap();
    home.write("memory/b.md", "tide");
    let today = date(2026, 11, 18);
    let ask = |catches_up| {
        let question = MemoryQuestion { words: "tide", today, vector: None, catches_up };
        home.memories.search(&home.place(), &question, &Picking::default()).unwrap().len()
    };
    assert_eq!((ask(false), ask(true)), (1, 2));
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_heard_of_is_read_and_nothing_else_is_looked_at() {
    let home = Home::with(&[("memory/a.md", "tide"), ("memory/b.md", "bread"), ("MEMORY.md", "gate")]);
    let place = home.place();
    let _bell = home.memories.watch(&place).unwrap();
    let caught = || home.memories.catch_up(&place).unwrap().map(|s| (s.indexed, s.forgotten, s.unchanged));
    assert_eq!(caught(), Some((3, 0, 0)));
    // What came into the folders before they were listened to is looked for once more.
    assert_eq!(caught(), Some((0, 0, 3)));
    assert_eq!((caught(), home.memories.hears(&place)), (None, false));

    home.write("memory/b.md", "the tide and bread");
    home.write("MEMORY.md", "the gate is blue");
    home.write("memory/picture.png", [0, 1]);
    home.write("other.txt", "not of the memory");
    assert!(home.memories.hears(&place));
    assert_eq!(caught(), Some((2, 0, 0)));
    assert_eq!(caught(), None);
    fs::remove_file(home.path("memory/a.md")).unwrap();
    fs::copy(home.path("memory/b.md"), home.path("memory/c.md")).unwrap();
    fs::remove_file(home.path("memory/b.md")).unwrap();
    assert_eq!(caught(), Some((1, 2, 0)));
    assert_eq!(home.search(&home.memories, "tide")[0].path, "memory/c.md");

    // A new folder is looked into, and listened to from then on.
    home.write("memory/deep/d.md", "tide");
    assert_eq!(home.search(&home.memories, "tide").len(), 2);
    assert_eq!(caught(), Some((0, 0, 3)));
    home.write("memory/deep/e.md", "tide");
    assert_eq!(caught(), Some((1, 0, 0)));
    home.memories.unwatch(&place);
    home.write("memory/deep/f.md", "tide");
    assert_eq!(home.search(&home.memories, "tide").len(), 4);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_gone_or_a_link_when_it_is_read_is_not_in_the_index() {
    let home = Home::with(&[("memory/a.md", "tide"), ("secret.txt", "tide of a secret")]);
    let place = home.place();
    let _bell = home.memories.watch(&place).unwrap();
    home.memories.sync(&place).unwrap();
    home.memories.sync(&place).unwrap();
    home.write("memory/gone.md", "tide");
    fs::remove_file(home.path("memory/gone.md")).unwrap();
    std::os::unix::fs::symlink(home.path("secret.txt"), home.path("memory/link.md")).unwrap();
    let found: Vec<String> =
        home.search(&home.memories, "tide").into_iter().map(|found| found.path).collect();
    assert_eq!(found, ["memory/a.md"]);
}

#[test]
fn broken_markdown_is_words_all_the_same() {
    let odd = "```\n# no heading\nthe fence never ends\n####### seven\n[link](<\n| a | b\n\u{feff}# tide";
    let home = Home::with(&[("memory/odd.md", odd), ("memory/empty.md", ""), ("memory/bar.md", "# \n##\n")]);
    assert_eq!(home.places("tide fence"), ["memory/odd.md#L1-L7"]);
}

#[test]
fn a_half_made_index_can_be_asked_and_two_do_not_make_it_at_once() {
    let home = Home::with(&[("memory/a.md", "tide")]);
    let shelf = home.memories.shelf(&home.place());
    home.memories.sync(&home.place()).unwrap();
    shelf.is_syncing.store(true, Ordering::Release);
    assert_eq!(home.memories.sync(&home.place()).unwrap(), None);
    assert!(home.memories.standing(&home.place()).unwrap().progress.is_some());
    assert_eq!(home.search(&home.memories, "tide").len(), 1);
}

#[test]
fn a_memory_without_files_finds_nothing_and_is_well() {
    let home = Home { folder: tempfile::tempdir().unwrap(), memories: Memories::default() };
    assert_eq!(home.places("anything"), [""; 0]);
    assert_eq!(home.memories.standing(&home.place()).unwrap().size, IndexSize::default());
}
