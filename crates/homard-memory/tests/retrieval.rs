//! How often a question finds its passage: what the table in `docs/memory.md` is made of.

use std::path::Path;

use homard_memory::{Memories, MemoryPlace, MemoryQuestion, PickRules};

use crate::diary::{Diary, TODAY};

/// How well a way of searching does.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Score {
    pub(crate) questions: usize,
    pub(crate) first: usize,
    pub(crate) five: usize,
    pub(crate) reciprocal: f64,
}

impl Score {
    pub(crate) fn rates(self) -> (f64, f64, f64) {
        let all = self.questions.max(1) as f64;
        (self.first as f64 / all, self.five as f64 / all, self.reciprocal / all)
    }

    pub(crate) fn count(&mut self, rank: Option<usize>) {
        self.questions += 1;
        if let Some(rank) = rank {
            self.first += usize::from(rank == 0);
            self.five += usize::from(rank < 5);
            self.reciprocal += 1.0 / f64::from(u32::try_from(rank + 1).unwrap_or(u32::MAX));
        }
    }
}

/// Writes a diary into a folder.
pub(crate) fn write(diary: &Diary, folder: &Path) {
    for (path, text) in &diary.files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Where the first passage is among what was found that has one of the lines that answer a question.
pub(crate) fn rank(
    memories: &Memories,
    place: &MemoryPlace,
    (words, lines): (&str, &[(String, u32)]),
    vector: Option<(&str, &[f32])>,
    picking: &PickRules,
) -> Option<usize> {
    let question = MemoryQuestion { vector, ..MemoryQuestion::plain(words, TODAY) };
    let found = memories.search(place, &question, picking).unwrap();
    found.iter().position(|found| {
        let own = found.start_line..=found.end_line;
        lines.iter().any(|(path, line)| *path == found.path && own.contains(line))
    })
}

/// How the words alone do, for questions of some kinds.
#[cfg(test)]
fn lexical(diary: &Diary, folder: &Path, wanted: impl Fn(&crate::diary::Asked) -> bool) -> Score {
    let place = MemoryPlace::new(folder.join("work"), folder.join("index.sqlite"));
    write(diary, &place.workspace);
    let memories = Memories::default();
    let picking = PickRules { limit: 10, min_score: 0.0, ..PickRules::default() };
    let mut score = Score::default();
    for asked in diary.questions.iter().filter(|asked| wanted(asked)) {
        let line = (asked.path.clone(), u32::try_from(asked.line).unwrap());
        score.count(rank(&memories, &place, (&asked.words, &[line]), None, &picking));
    }
    score
}

#[test]
fn nine_of_ten_questions_find_their_passage_among_the_first_five_by_words_alone() {
    let folder = tempfile::tempdir().unwrap();
    let diary = Diary::new(17, 90);
    let score = lexical(&diary, folder.path(), |asked| !asked.kind.is_empty());
    assert!(score.questions >= 300, "{score:?}");
    let (first, five, reciprocal) = score.rates();
    assert!(five >= 0.90, "recall@1 {first:.3}, recall@5 {five:.3}, MRR {reciprocal:.3}");
}
