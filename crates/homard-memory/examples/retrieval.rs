//! How well and how fast a memory is searched. The table of `docs/memory.md` is what this prints:
//!
//! ```text
//! cargo run --release -p homard-memory --example retrieval -- vector MODEL TEXT
//! cargo run --release -p homard-memory --example retrieval -- quality SEED [MODEL]
//! cargo run --release -p homard-memory --example retrieval -- notes FOLDER QUESTIONS [MODEL]
//! cargo run --release -p homard-memory --example retrieval -- speed NOTES [MODEL]
//! ```
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a program for the workshop"
)]

#[path = "../tests/diary.rs"]
mod diary;
#[path = "../tests/retrieval.rs"]
mod retrieval;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use diary::{Diary, TODAY};
use homard_memory::{Memories, MemoryPlace, MemoryQuestion, PickRules};
use retrieval::Score;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = args.get(1).and_then(|number| number.parse().ok()).unwrap_or(17);
    let model = args.get(2).map(PathBuf::from);
    match args.first().map(String::as_str) {
        Some("vector") => vector(Path::new(&args[1]), &args[2]),
        Some("notes") => notes(Path::new(&args[1]), Path::new(&args[2]), args.get(3).map(Path::new)),
        Some("speed") => speed(usize::try_from(number).unwrap(), model.as_deref()),
        _ => quality(number, model.as_deref()),
    }
}

/// A question, and the lines any of which answers it.
struct Question {
    kind: String,
    words: String,
    places: Vec<(String, u32)>,
}

/// How well notes of one's own are found: a workspace, and a file with a row for each question: its words, the lines that
/// answer it (`memory/talk.md:12`, with commas between them) and its kind, with tabs between the three.
fn notes(folder: &Path, questions: &Path, model: Option<&Path>) {
    let index = tempfile::tempdir().unwrap();
    let place = MemoryPlace::new(folder.to_owned(), index.path().join("index.sqlite"));
    let rows = std::fs::read_to_string(questions).unwrap();
    let read = |row: &str| {
        let [words, places, kind] = row.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let places = places.split(',').map(|place| place.rsplit_once(':').unwrap());
        let places = places.map(|(path, line)| (path.to_owned(), line.parse().unwrap())).collect();
        Question { kind: kind.to_owned(), words: words.to_owned(), places }
    };
    table(&place, &rows.lines().map(read).collect::<Vec<_>>(), model);
}

/// The beginning of a text's vector of length one, to be compared with what others make of it.
fn vector(model: &Path, text: &str) {
    let memories = Memories::default();
    let vector = &memories.local_vectors(model, &[text.to_owned()]).unwrap()[0];
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    let told: Vec<String> = vector.iter().take(6).map(|number| format!("{:.5}", number / length)).collect();
    println!("{}", told.join(" "));
    let texts = vec![text.repeat(1_500 / text.len().max(1)); 20];
    let began = Instant::now();
    memories.local_vectors(model, &texts).unwrap();
    println!("a passage of 1,500 characters: {:.2?}", began.elapsed() / 20);
}

/// Makes vectors of everything that has none.
fn fill(memories: &Memories, place: &MemoryPlace, model: &Path) {
    memories.sync(place).unwrap();
    loop {
        let unseen = memories.unseen(place, "m", "", 512).unwrap();
        if unseen.is_empty() {
            return;
        }
        let texts: Vec<String> = unseen.iter().map(|unseen| unseen.text.clone()).collect();
        let vectors = memories.local_vectors(model, &texts).unwrap();
        let made: Vec<_> = unseen.into_iter().map(|unseen| unseen.hash).zip(vectors).collect();
        memories.keep_vectors(place, "m", &made).unwrap();
    }
}

fn quality(seed: u64, model: Option<&Path>) {
    let folder = tempfile::tempdir().unwrap();
    let place = MemoryPlace::new(folder.path().join("work"), folder.path().join("index.sqlite"));
    let diary = Diary::new(seed, 90);
    retrieval::write(&diary, &place.workspace);
    println!("seed {seed}: {} files, {} questions", diary.files.len(), diary.questions.len());
    let questions = diary.questions.into_iter().map(|asked| Question {
        kind: asked.kind.to_owned(),
        words: asked.words,
        places: vec![(asked.path, u32::try_from(asked.line).unwrap())],
    });
    table(&place, &questions.collect::<Vec<_>>(), model);
}

/// Prints how well each way of searching does.
fn table(place: &MemoryPlace, questions: &[Question], model: Option<&Path>) {
    let memories = Memories::default();
    memories.sync(place).unwrap();
    let base = PickRules { limit: 10, min_score: 0.0, candidates: 10, ..PickRules::default() };
    let mut ways = vec![("lexical".to_owned(), false, base.clone())];
    let mut vectors = Vec::new();
    if let Some(model) = model {
        fill(&memories, place, model);
        let words: Vec<String> = questions.iter().map(|question| question.words.clone()).collect();
        vectors = memories.local_vectors(model, &words).unwrap();
        for share in [1.0, 0.3, 0.2, 0.5] {
            let picking = PickRules { text_weight: 1.0 - share, vector_weight: share, ..base.clone() };
            let name = match share {
                1.0 => "vector".to_owned(),
                0.3 => "hybrid".to_owned(),
                share => format!("hybrid, vectors {share}"),
            };
            ways.push((name, true, picking));
        }
    }
    println!("| way | kind | questions | recall@1 | recall@5 | MRR |\n|---|---|---|---|---|---|");
    for (name, with_vectors, picking) in ways {
        let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
        for (number, asked) in questions.iter().enumerate() {
            let vector = with_vectors.then(|| ("m", vectors[number].as_slice()));
            let sought = (asked.words.as_str(), asked.places.as_slice());
            let rank = retrieval::rank(&memories, place, sought, vector, &picking);
            scores.entry(&asked.kind).or_default().count(rank);
            scores.entry("~all").or_default().count(rank);
            if rank.is_none_or(|rank| rank >= 5) && std::env::args().any(|arg| arg == "misses") {
                println!("  {name} missed: {} {:?}", asked.words, asked.places);
            }
        }
        for (kind, score) in scores {
            let (first, five, reciprocal) = score.rates();
            let (kind, count) = (kind.trim_start_matches('~'), score.questions);
            println!("| {name} | {kind} | {count} | {first:.3} | {five:.3} | {reciprocal:.3} |");
        }
    }
}

fn speed(notes: usize, model: Option<&Path>) {
    let folder = tempfile::tempdir().unwrap();
    let place = MemoryPlace::new(folder.path().join("work"), folder.path().join("index.sqlite"));
    let mut bytes = 0;
    let mut questions = Vec::new();
    let mut last = PathBuf::new();
    let mut written = 0;
    for seed in 0.. {
        let diary = Diary::new(seed, 90);
        for (path, text) in &diary.files {
            let path = place.workspace.join(format!("memory/{seed}")).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            // Notes of about five thousand bytes.
            let text = format!("{text}\n{}", rare(seed, written))
                + &text.repeat(5_000_usize.saturating_sub(text.len()) / text.len().max(1));
            bytes += text.len();
            std::fs::write(&path, text).unwrap();
            (last, written) = (path, written + 1);
        }
        questions.extend(diary.questions.into_iter().take(20).map(|asked| asked.words));
        if written >= notes {
            break;
        }
    }
    let memories = Memories::default();
    let began = Instant::now();
    memories.sync(&place).unwrap();
    println!("indexed {written} notes, {:.1} MB, in {:.2?}", bytes as f64 / 1e6, began.elapsed());
    println!(
        "{:?}; index {:.1} MB; peak {}",
        memories.standing(&place).unwrap().size,
        std::fs::metadata(&place.index).unwrap().len() as f64 / 1e6,
        peak()
    );
    let measure = |name: &str, vector: Option<&Path>| {
        let mut times: Vec<Duration> = Vec::new();
        for words in questions.iter().chain(&questions).take(400) {
            let made =
                vector.map(|model| memories.local_vectors(model, std::slice::from_ref(words)).unwrap());
            let began = Instant::now();
            let vector = made.as_ref().map(|made| ("m", made[0].as_slice()));
            memories
                .search(
                    &place,
                    &MemoryQuestion { vector, ..MemoryQuestion::plain(words, TODAY) },
                    &PickRules::default(),
                )
                .unwrap();
            times.push(began.elapsed());
        }
        times.sort();
        println!("{name}: p50 {:.2?}, p99 {:.2?}", times[times.len() / 2], times[times.len() * 99 / 100]);
    };
    measure("lexical", None);
    let change = |text: &str| std::fs::write(&last, format!("# Changed\n\n{text}\n")).unwrap();
    change("The one note that is another now.");
    let began = Instant::now();
    memories.sync(&place).unwrap();
    println!("one changed file: {:.2?} with a look at all files", began.elapsed());
    let _bell = memories.watch(&place).unwrap();
    memories.sync(&place).unwrap();
    memories.catch_up(&place).unwrap();
    let mut times: Vec<Duration> = (0..20)
        .map(|n| {
            change(&format!("It is another for the {n}th time."));
            let began = Instant::now();
            assert_eq!(memories.catch_up(&place).unwrap().unwrap().indexed, 1);
            began.elapsed()
        })
        .collect();
    times.sort();
    println!("one changed file that was heard of: {:.2?}", times[times.len() / 2]);
    if let Some(model) = model {
        let began = Instant::now();
        fill(&memories, &place, model);
        println!("vectors in {:.2?}", began.elapsed());
        measure("hybrid", Some(model));
    }
    println!("peak {}", peak());
}

/// A sentence nobody else has, so that the vocabulary is as large as life.
fn rare(seed: u64, note: usize) -> String {
    (0..40_u64)
        .map(|n| format!("w{:x} ", (seed * 7_919 + note as u64 * 104_729 + n * 1_299_709) % 60_000))
        .collect()
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
}
