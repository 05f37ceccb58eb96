//! A state as one has it after years: conversations and rows made of sentences, and a file that cannot be packed.

use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context, Result};
use rusqlite::Connection;

use crate::bench::stage::Stage;

const MB: usize = 1_000_000;
/// The length of one conversation.
const CONVERSATION: usize = MB;
/// Words there are; few of them are most of what is said.
const WORDS: u64 = 6_000;

/// How much of each, in bytes.
pub(super) struct Sizes {
    conversations: u64,
    database: u64,
    pub(super) noise: u64,
}

impl Sizes {
    pub(super) fn of(stage: &Stage) -> Self {
        let bytes = |megabytes| (stage.amount(megabytes) * MB) as u64;
        Self { conversations: bytes(600), database: bytes(300), noise: bytes(100) }
    }

    pub(super) fn all(&self) -> u64 {
        self.conversations + self.database + self.noise
    }
}

/// Fills a state folder that a gateway has begun with, and which no gateway uses now.
pub(super) fn fill(state: &Path, sizes: &Sizes) -> Result<()> {
    let mut chance = Chance(88_172_645_463_325_252);
    // Of an agent that is gone: nobody reads them, and they are kept.
    let folder = state.join("agents/gone/sessions");
    fs::create_dir_all(&folder)?;
    for at in 0..sizes.conversations / CONVERSATION as u64 {
        let mut text = String::with_capacity(CONVERSATION + CONVERSATION / 8);
        while text.len() < CONVERSATION {
            text.push_str(&line(&mut chance));
        }
        fs::write(folder.join(format!("{at:08}.jsonl")), text)?;
    }
    let mut db = Connection::open(state.join("homard.sqlite")).context("the gateway made no database")?;
    let tx = db.transaction()?;
    tx.execute_batch("CREATE TABLE ballast (id INTEGER PRIMARY KEY, at INTEGER, text TEXT); CREATE INDEX ballast_at ON ballast (at);")?;
    let mut written = 0;
    while written < sizes.database {
        let (text, at) = (line(&mut chance), i64::try_from(chance.draw() % 1_000_000)?);
        written += text.len() as u64;
        tx.execute("INSERT INTO ballast (at, text) VALUES (?1, ?2)", (at, &text))?;
    }
    tx.commit()?;
    fs::create_dir_all(state.join("workspace"))?;
    let mut noise = BufWriter::new(fs::File::create(state.join("workspace/noise.bin"))?);
    for _ in 0..sizes.noise / 8 {
        noise.write_all(&chance.draw().to_le_bytes())?;
    }
    Ok(noise.flush()?)
}

/// Numbers that are the same in every run, and look like chance.
struct Chance(u64);

impl Chance {
    fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// One entry of a conversation: an id, times, some sentences.
fn line(chance: &mut Chance) -> String {
    let mut said = String::new();
    for _ in 0..20 + chance.draw() % 300 {
        // The product of two shares makes a few words frequent and most rare, as in what people say.
        let number = (chance.draw() % WORDS) * (chance.draw() % WORDS) / WORDS;
        said.push_str(&word(number * (chance.draw() % 100) / 100));
        said.push(if chance.draw().is_multiple_of(12) { '.' } else { ' ' });
    }
    format!(
        r#"{{"type":"message","id":"{:016x}","timestamp":{},"message":{{"role":"assistant","content":[{{"type":"text","text":"{said}"}}],"usage":{{"input":{},"output":{}}},"stopReason":"stop"}}}}{}"#,
        chance.draw(),
        1_767_225_600_000 + chance.draw() % 10_000_000_000,
        chance.draw() % 20_000,
        chance.draw() % 2_000,
        "\n",
    )
}

/// A word of one to three syllables by its number.
fn word(number: u64) -> String {
    const BEGIN: [&str; 12] = ["b", "br", "d", "g", "k", "l", "m", "n", "p", "s", "st", "t"];
    const MIDDLE: [&str; 5] = ["a", "e", "i", "o", "u"];
    let (mut rest, mut word) = (number, String::new());
    loop {
        let at = |step: u64, len: usize| usize::try_from(rest / step).map_or(0, |at| at % len);
        word.push_str(BEGIN.get(at(1, BEGIN.len())).copied().unwrap_or_default());
        word.push_str(MIDDLE.get(at(12, MIDDLE.len())).copied().unwrap_or_default());
        rest /= 60;
        if rest == 0 {
            return word;
        }
    }
}
