//! Every target over every seed as it is, and over seeds that were changed a little.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

use crate::TARGETS;

/// How many changed seeds a target reads. The same ones on every run: what searches further is `cargo xtask fuzz`.
const CASES: u32 = 3_000;
/// Fewer for the target that writes files.
const CASES_WITH_FILES: u32 = 400;
/// How many changes one input carries at most.
const MOST_EDITS: usize = 8;
/// What breaks parsers more often than chance does.
const TOKENS: [&[u8]; 24] = [
    b"\0",
    b"\n",
    b"\r\n\r\n",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"18446744073709551616",
    b"\\ud800",
    b"\xff",
    b"\xf0\x9f\xa6\x9e",
    b"\xe2\x80\xae",
    b"data: ",
    b"data: [DONE]",
    b"${TOKEN}",
    b"//",
];

/// A change of an input.
#[derive(Debug, Clone)]
enum Edit {
    SetByte {
        at: Index,
        byte: u8,
    },
    Insert {
        at: Index,
        token: &'static [u8],
    },
    Remove {
        from: Index,
        to: Index,
    },
    Repeat {
        from: Index,
        to: Index,
    },
    /// The end is replaced by the end of another seed.
    Graft {
        at: Index,
        seed: Index,
        from: Index,
    },
}

impl Edit {
    fn apply(&self, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let place = |at: &Index, input: &[u8]| at.index(input.len() + 1);
        let span = |from: &Index, to: &Index, input: &[u8]| {
            let (from, to) = (place(from, input), place(to, input));
            from.min(to)..from.max(to)
        };
        match self {
            Self::SetByte { at, byte } => {
                let at = place(at, input);
                input.splice(at..input.len().min(at + 1), [*byte]);
            }
            Self::Insert { at, token } => {
                let at = place(at, input);
                input.splice(at..at, token.iter().copied());
            }
            Self::Remove { from, to } => drop(input.drain(span(from, to, input))),
            Self::Repeat { from, to } => {
                let piece = input[span(from, to, input)].to_vec();
                input.extend(piece);
            }
            Self::Graft { at, seed, from } => {
                let other = seed.get(seeds);
                input.truncate(place(at, input));
                input.extend_from_slice(&other[place(from, other)..]);
            }
        }
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Edit::SetByte { at, byte }),
        (at(), prop::sample::select(TOKENS.to_vec())).prop_map(|(at, token)| Edit::Insert { at, token }),
        (at(), at()).prop_map(|(from, to)| Edit::Remove { from, to }),
        (at(), at()).prop_map(|(from, to)| Edit::Repeat { from, to }),
        (at(), at(), at()).prop_map(|(at, seed, from)| Edit::Graft { at, seed, from }),
    ]
}

#[track_caller]
fn holds(name: &str, cases: u32) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("the target is in the table");
    let seeds = seeds(name);
    assert!(!seeds.is_empty(), "`{name}` has seeds");
    seeds.iter().for_each(|seed| (target.run)(seed));
    let inputs = (any::<Index>(), prop::collection::vec(edit(), 1..=MOST_EDITS)).prop_map(|(seed, edits)| {
        let mut input = seed.get(&seeds).clone();
        edits.iter().for_each(|edit| edit.apply(&mut input, &seeds));
        input
    });
    let config = Config { failure_persistence: None, ..Config::with_cases(cases) };
    let checked = TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(Default::default()),
    )
    .run(&inputs, |input| {
        (target.run)(&input);
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let entries = std::fs::read_dir(&folder).expect("a target has a folder of seeds");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).expect("a seed can be read")).collect()
}

/// A test for each target, and the proof that none is left out.
macro_rules! tests {
    ($($name:ident: $cases:expr,)*) => {
        $(#[test]
        fn $name() {
            holds(stringify!($name), $cases);
        })*

        #[test]
        fn every_target_is_tested() {
            let tested = [$(stringify!($name)),*];
            assert_eq!(TARGETS.each_ref().map(|target| target.name), tested);
        }
    };
}

tests! {
    classify: CASES,
    config_json5: CASES_WITH_FILES,
    frame: CASES,
    session_key: CASES,
    sse: CASES,
    transcript_line: CASES,
    wire_anthropic: CASES,
    wire_bedrock: CASES,
    wire_completions: CASES,
    wire_google: CASES,
    wire_ollama: CASES,
    wire_responses: CASES,
}
