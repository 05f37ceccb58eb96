//! An index that follows its files, whatever happens to either.

use std::fs;
use std::sync::atomic::AtomicBool;

use jiff::civil::date;

use super::*;
use crate::index;

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
        let question = MemoryQuestion::plain(words, date(2026, 11, 18));
        memories.search(&self.place(), &question, &PickRules::default()).unwrap()
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
    let unseen = home.memories.unseen(&place, "m", "", 10).unwrap();
    assert_eq!(unseen.len(), 2);
    let vector = |text: &str| vec![1.0, f32::from(u8::from(text.contains("tide")))];
    let made: Vec<_> = unseen.iter().map(|unseen| (unseen.hash.clone(), vector(&unseen.text))).collect();
    home.memories.keep_vectors(&place, "m", &made).unwrap();
    assert_eq!(home.memories.unseen(&place, "m", "", 10).unwrap(), []);
    assert_eq!(
        home.memories.unseen(&place, "other", "", 10).unwrap().len(),
        2,
        "another model sees nothing yet"
    );
    // The note moves and grows: what is as it was needs no new vector.
    fs::remove_file(home.path("memory/a.md")).unwrap();
    home.write("memory/b.md", "# Zero\nnew\n# One\ntide\n# Two\nbread\n");
    home.memories.sync(&place).unwrap();
    assert_eq!(home.memories.unseen(&place, "m", "", 10).unwrap().len(), 1);
    let vector: Option<(&str, &[f32])> = Some(("m", &[1.0, 1.0]));
    let question = MemoryQuestion { vector, ..MemoryQuestion::plain("ocean", date(2026, 11, 18)) };
    let picking = PickRules { min_score: 0.2, ..PickRules::default() };
    let found = home.memories.search(&place, &question, &picking).unwrap();
    assert_eq!(found[0].heading, "One");
    assert!(found[0].vector_score.unwrap() > 0.98);
}

#[test]
fn what_means_the_same_is_told_without_a_word_of_the_question_and_what_has_them_stays() {
    let home = Home::with(&[
        ("memory/a.md", "the tide"),
        ("memory/b.md", "my ocean is far"),
        ("memory/c.md", "bread"),
    ]);
    let place = home.place();
    home.memories.sync(&place).unwrap();
    let vector = |text: &str| vec![1.0, if text.contains("tide") { 1.0 } else { -1.0 }];
    let unseen = home.memories.unseen(&place, "m", "", 10).unwrap();
    let made: Vec<_> = unseen.into_iter().map(|unseen| (unseen.hash, vector(&unseen.text))).collect();
    home.memories.keep_vectors(&place, "m", &made).unwrap();
    let vector: Option<(&str, &[f32])> = Some(("m", &[1.0, 0.8]));
    let question = MemoryQuestion { vector, ..MemoryQuestion::plain("ocean", date(2026, 11, 18)) };
    let found = home.memories.search(&place, &question, &PickRules::default()).unwrap();
    let paths: Vec<_> = found.iter().map(|found| found.path.as_str()).collect();
    assert_eq!(paths, ["memory/b.md", "memory/a.md"]);
    assert!(
        found[1].score < PickRules::default().min_score && found[1].vector_score.unwrap() > 0.9,
        "{found:?}"
    );
}

#[test]
fn what_is_said_once_in_a_long_talk_is_found_by_its_meaning() {
    let chatter = |n: usize| {
        format!("Anna: This is the {n}th time that we speak of this and of that, and of nothing.\n")
    };
    let talk: String = (0..12).map(chatter).collect();
    let note = talk.clone() + "Tom: The tide took the boat.\n";
    let home = Home::with(&[("memory/a.md", &note), ("memory/b.md", &talk.replace("nothing", "bread"))]);
    let place = home.place();
    home.memories.sync(&place).unwrap();
    let all = home.memories.unseen(&place, "m", "", 1_000).unwrap();
    assert!(all.len() > 6, "{all:?}");
    // By twos, each once, and what is there is not asked for again.
    let (mut by_twos, mut after) = (Vec::new(), String::new());
    loop {
        let next = home.memories.unseen(&place, "m", &after, 2).unwrap();
        let Some(last) = next.last() else { break };
        after.clone_from(&last.hash);
        by_twos.extend(next);
    }
    assert_eq!(by_twos, all);
    let vector = |text: &str| vec![1.0, if text.contains("tide") { 9.0 } else { 0.0 }];
    let made: Vec<_> = all.iter().map(|part| (part.hash.clone(), vector(&part.text))).collect();
    home.memories.keep_vectors(&place, "m", &made[..1]).unwrap();
    assert_eq!(home.memories.unseen(&place, "m", "", 1_000).unwrap(), all[1..]);
    assert_eq!(
        home.memories.standing(&place).unwrap().size.vectors,
        0,
        "a passage has all of its parts or none"
    );
    home.memories.keep_vectors(&place, "m", &made).unwrap();
    home.memories.sweep_vectors(&place, &["m".to_owned()]).unwrap();
    let size = home.memories.standing(&place).unwrap().size;
    assert_eq!(
        (home.memories.unseen(&place, "m", "", 1_000).unwrap(), size.vectors),
        (vec![], size.passages)
    );
    let vector: Option<(&str, &[f32])> = Some(("m", &[0.0, 1.0]));
    let question = MemoryQuestion { vector, ..MemoryQuestion::plain("ocean", date(2026, 11, 18)) };
    let found = home.memories.search(&place, &question, &PickRules::default()).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].path == "memory/a.md" && found[0].vector_score.unwrap() > 0.6, "{found:?}");
}

#[test]
fn vectors_of_another_length_find_nothing_and_the_words_are_found() {
    let home = Home::with(&[("memory/a.md", "the tide")]);
    let place = home.place();
    home.memories.sync(&place).unwrap();
    let unseen = home.memories.unseen(&place, "m", "", 10).unwrap();
    let made: Vec<_> = unseen.into_iter().map(|unseen| (unseen.hash, vec![1.0, 0.5])).collect();
    home.memories.keep_vectors(&place, "m", &made).unwrap();
    let today = date(2026, 11, 18);
    let vector: Option<(&str, &[f32])> = Some(("m", &[1.0, 0.5, 0.25]));
    let question = MemoryQuestion { vector, ..MemoryQuestion::plain("tide", today) };
    let found = home.memories.search(&place, &question, &PickRules::default()).unwrap();
    assert_eq!((found.len(), found[0].vector_score), (1, None));
    assert_eq!(home.memories.unseen(&place, "m", "", 10).unwrap().len(), 1, "it is made anew in that length");
}

#[test]
fn an_index_is_asked_as_it_is_where_the_owner_wants_that() {
    let home = Home::with(&[("memory/a.md", "tide")]);
    home.memories.sync(&home.place()).unwrap();
    home.write("memory/b.md", "tide");
    let today = date(2026, 11, 18);
    let ask = |catches_up| {
        let question = MemoryQuestion { catches_up, ..MemoryQuestion::plain("tide", today) };
        home.memories.search(&home.place(), &question, &PickRules::default()).unwrap().len()
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
fn whether_anything_is_to_be_done_is_known_without_looking() {
    let home = Home::with(&[("memory/a.md", "tide tables")]);
    let (memories, place) = (&home.memories, home.place());
    memories.sync(&place).unwrap();
    assert!(!memories.needs_no_look(&place), "nobody listens");
    let _bell = memories.watch(&place).unwrap();
    for _ in 0..2 {
        memories.catch_up(&place).unwrap();
    }
    assert!(memories.needs_no_look(&place));
    home.write("memory/b.md", "the tide again");
    assert!(!memories.needs_no_look(&place));
    assert_eq!(memories.catch_up(&place).unwrap().unwrap().indexed, 1);
    assert!(memories.needs_no_look(&place));
    index::delete(&place.index).unwrap();
    assert!(!memories.needs_no_look(&place));
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

/// Somebody who writes to a note between its being read and its being kept.
struct Meddles(AtomicBool);

impl Writers for Meddles {
    fn is_agents(&self, file: &Path, _sha256: &str) -> bool {
        if !self.0.swap(true, Ordering::AcqRel) {
            fs::write(file, "the moon instead, and more of it").unwrap();
        }
        false
    }
}

#[test]
fn a_file_that_changes_while_it_is_indexed_is_read_again() {
    let home = Home::with(&[("memory/a.md", "tide")]);
    let memories = Memories::knowing(Arc::new(Meddles(AtomicBool::new(false))));
    assert_eq!(memories.sync(&home.place()).unwrap().unwrap().indexed, 1);
    assert_eq!(memories.sync(&home.place()).unwrap().unwrap().indexed, 1);
    assert_eq!(home.search(&memories, "moon").len(), 1);
    assert_eq!(home.search(&memories, "tide"), []);
    assert_eq!(memories.sync(&home.place()).unwrap().unwrap().unchanged, 1);
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
fn an_index_can_be_asked_while_somebody_writes_to_it() {
    let home = Home::with(&[("memory/a.md", "tide tables")]);
    home.memories.sync(&home.place()).unwrap();
    let writer = rusqlite::Connection::open(home.place().index).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(Memories::default().standing(&home.place()).unwrap().size.files, 1);
}

#[test]
fn a_memory_without_files_finds_nothing_and_is_well() {
    let home = Home { folder: tempfile::tempdir().unwrap(), memories: Memories::default() };
    assert_eq!(home.places("anything"), [""; 0]);
    assert_eq!(home.memories.standing(&home.place()).unwrap().size, IndexSize::default());
}

#[test]
fn an_index_that_is_deleted_under_a_running_program_is_made_anew() {
    let home = Home::with(&[("memory/a.md", "tide tables")]);
    let _bell = home.memories.watch(&home.place());
    assert_eq!(home.places("tide").len(), 1);
    index::delete(&home.place().index).unwrap();
    assert_eq!(home.search(&home.memories, "tide").len(), 1);
    home.write("memory/b.md", "the tide again");
    assert_eq!(home.search(&home.memories, "tide").len(), 2);
    assert!(home.place().index.exists());
}

#[test]
fn an_index_that_is_cut_off_under_a_running_program_is_made_anew() {
    let home = Home::with(&[("memory/a.md", "tide tables")]);
    assert_eq!(home.places("tide").len(), 1);
    fs::OpenOptions::new().write(true).open(home.place().index).unwrap().set_len(4_096).unwrap();
    assert_eq!(home.search(&home.memories, "tide").len(), 1);
}

#[test]
fn what_was_not_ours_is_put_aside_or_left_alone() {
    let home = Home::with(&[("memory/a.md", "tide tables")]);
    let index = home.place().index;
    fs::create_dir_all(index.parent().unwrap()).unwrap();
    fs::write(&index, "the owner's shopping list, by mistake").unwrap();
    assert_eq!(home.search(&home.memories, "tide").len(), 1);
    let aside = index.with_extension("sqlite.broken");
    assert_eq!(fs::read_to_string(aside).unwrap(), "the owner's shopping list, by mistake");

    // An index as another program makes it, and a database that is no index at all.
    index::delete(&index).unwrap();
    let theirs = "CREATE TABLE chunks (id TEXT, path TEXT, hash TEXT); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)";
    rusqlite::Connection::open(&index).unwrap().execute_batch(theirs).unwrap();
    assert_eq!(home.search(&Memories::default(), "tide").len(), 1);
    index::delete(&index).unwrap();
    let other = rusqlite::Connection::open(&index).unwrap();
    other
        .execute_batch("CREATE TABLE meta (key TEXT, value TEXT); INSERT INTO meta VALUES ('a', 'b')")
        .unwrap();
    let error = Memories::default().sync(&home.place()).unwrap_err().to_string();
    assert!(error.contains("memorySearch.store.path"), "{error}");
    let kept: i64 = other.query_row("SELECT count(*) FROM meta", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 1);
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_an_index() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::with(&[("memory/a.md", "tide tables")]);
    let folder = home.place().index.parent().unwrap().to_owned();
    fs::create_dir_all(&folder).unwrap();
    assert_eq!(home.places("tide").len(), 1);
    for file in fs::read_dir(folder).unwrap().flatten() {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", file.file_name());
    }
}

#[test]
fn notes_are_cut_anew_when_the_owner_wants_them_shorter() {
    let home = Home::with(&[("memory/a.md", &"The tide is high today.\n".repeat(60))]);
    home.memories.sync(&home.place()).unwrap();
    let before = home.memories.standing(&home.place()).unwrap().size.passages;
    let shorter = MemoryPlace { passage_chars: 200, ..home.place() };
    home.memories.sync(&shorter).unwrap();
    assert!(home.memories.standing(&shorter).unwrap().size.passages > before);
}

#[test]
fn folders_beside_the_workspace_are_searched_followed_and_read() {
    let home = Home::with(&[("memory/a.md", "bread"), ("../beside/b.md", "tide")]);
    let place = MemoryPlace { extra: vec!["../beside".into()], ..home.place() };
    let found = |memories: &Memories| {
        let question = MemoryQuestion::plain("tide", date(2026, 11, 18));
        let found = memories.search(&place, &question, &PickRules::default()).unwrap();
        found.into_iter().map(|found| found.path).collect::<Vec<_>>()
    };
    let _bell = home.memories.watch(&place);
    home.memories.sync(&place).unwrap();
    home.memories.sync(&place).unwrap();
    let there = found(&home.memories);
    assert_eq!(there.len(), 1);
    assert_eq!(place.memory().read(&there[0]).unwrap().content.unwrap(), "tide");
    home.write("../beside/c.md", "tide");
    assert_eq!(found(&home.memories).len(), 2);
}

#[test]
fn what_the_owner_takes_in_or_out_counts_from_the_next_question_on() {
    let home =
        Home::with(&[("memory/a.md", "bread"), ("../beside/b.md", "tide"), ("../other/MEMORY.md", "gate")]);
    let _bell = home.memories.watch(&home.place());
    (0..2).for_each(|_| drop(home.memories.sync(&home.place()).unwrap()));
    let found = |place: &MemoryPlace, words: &str| {
        let question = MemoryQuestion::plain(words, date(2026, 11, 18));
        home.memories.search(place, &question, &PickRules::default()).unwrap().len()
    };
    let more = MemoryPlace { extra: vec!["../beside".into()], ..home.place() };
    assert_eq!((found(&home.place(), "tide"), found(&more, "tide")), (0, 1));
    assert_eq!(found(&home.place(), "tide"), 0, "it is not the memory's any more");
    let later = MemoryPlace { extra: vec!["../later".into()], ..home.place() };
    (0..3).for_each(|_| assert_eq!(found(&later, "tide"), 0));
    home.write("../later/c.md", "tide");
    assert_eq!(found(&later, "tide"), 1);
    let elsewhere = MemoryPlace { workspace: home.folder.path().join("other"), ..home.place() };
    assert!(!home.memories.needs_no_look(&elsewhere));
    assert_eq!((found(&elsewhere, "gate"), found(&elsewhere, "bread")), (1, 0));
}

#[cfg(target_os = "linux")]
#[test]
fn notes_are_listened_to_once_there_is_a_workspace() {
    let home = Home { folder: tempfile::tempdir().unwrap(), memories: Memories::default() };
    let (memories, place) = (&home.memories, home.place());
    let _bell = memories.watch(&place).unwrap();
    memories.catch_up(&place).unwrap();
    assert!(!memories.needs_no_look(&place), "there is nothing yet to listen to");
    home.write("memory/a.md", "tide");
    assert_eq!(home.search(memories, "tide").len(), 1);
    memories.catch_up(&place).unwrap();
    assert!(memories.needs_no_look(&place));
    home.write("memory/b.md", "tide");
    assert!(memories.hears(&place));
}

#[test]
fn the_small_spelling_of_the_main_note_counts_only_where_there_is_no_large_one() {
    let home = Home::with(&[("MEMORY.md", "bread")]);
    let _bell = home.memories.watch(&home.place());
    home.memories.sync(&home.place()).unwrap();
    home.memories.sync(&home.place()).unwrap();
    home.write("memory.md", "tide");
    assert_eq!(home.search(&home.memories, "tide").len(), 0);
}

#[test]
fn a_note_that_can_be_read_again_is_not_told_as_passed_over() {
    let home = Home::with(&[("memory/a.md", "tide")]);
    home.write("memory/b.md", [b'a', 0]);
    let _bell = home.memories.watch(&home.place());
    home.memories.sync(&home.place()).unwrap();
    home.memories.sync(&home.place()).unwrap();
    home.write("memory/b.md", "tide");
    assert_eq!(home.search(&home.memories, "tide").len(), 2);
    assert_eq!(home.memories.standing(&home.place()).unwrap().skipped, []);
}

#[test]
fn a_note_of_millions_of_lines_is_told_and_a_long_one_is_cut() {
    let home = Home::with(&[("memory/a.md", "tide")]);
    home.write("memory/hostile.md", "a\n".repeat(4_000_000));
    let long = "The tide was high, and we wrote it down.\n".repeat(100_000) + "The lighthouse is open.\n";
    home.write("memory/long.md", long);
    assert_eq!(home.ask("lighthouse")[0].line, 100_001);
    let skipped = home.memories.standing(&home.place()).unwrap().skipped;
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    assert_eq!(
        (skipped[0].path.as_str(), skipped[0].reason),
        ("memory/hostile.md", "has more than 200,000 lines")
    );
}

#[test]
fn two_can_write_to_an_index_at_once() {
    let home = Home::with(&[("memory/a.md", "tide")]);
    home.memories.sync(&home.place()).unwrap();
    let write = |path: &'static str| {
        let index = Index::open(&home.place().index).unwrap();
        for _ in 0..300 {
            index
                .together(|index| {
                    assert_eq!(index.file(path)?, None);
                    index.remove(path)
                })
                .unwrap();
        }
    };
    std::thread::scope(|scope| {
        let others = ["x.md", "y.md", "z.md"].map(|path| scope.spawn(move || write(path)));
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

/// Knows a file by its content.
struct Knows(String);

impl Writers for Knows {
    fn is_agents(&self, _file: &Path, sha256: &str) -> bool {
        sha256 == self.0
    }
}

#[test]
fn what_the_agent_added_is_the_agents_and_the_rest_stays_the_owners() {
    let owners = "# Gate\nThe gate is blue.\n";
    let both = format!("{owners}# Fence\nThe fence is green.\n");
    let home = Home::with(&[("memory/a.md", owners)]);
    let known = crate::workspace_file::hash(both.as_bytes());
    let home = Home { memories: Memories::knowing(Arc::new(Knows(known))), ..home };
    let by_agent = |words: &str| home.ask(words).first().map(|found| found.is_of_agent);
    assert_eq!(by_agent("gate"), Some(false));
    home.write("memory/a.md", &both);
    assert_eq!((by_agent("gate"), by_agent("fence")), (Some(false), Some(true)));
    // The owner goes on, and the index is made anew.
    home.write("memory/a.md", both + "# Roof\nThe roof is red.\n");
    home.memories.rebuild(&home.place()).unwrap();
    assert_eq!((by_agent("roof"), by_agent("fence")), (Some(false), Some(true)));
}
