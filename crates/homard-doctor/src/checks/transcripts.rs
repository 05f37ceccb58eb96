//! The conversations: whether their files can be read, and whether the database and the files agree.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use crate::files::{entries, name_of, open_database};
use crate::finding::Finding;
use crate::scene::{Depth, Scene};

/// How much of the end of a file is read for its last line.
const TAIL: u64 = 64 * 1024;
/// Longest line that is read.
const MAX_LINE: u64 = 64 * 1024 * 1024;
/// Most files that are named.
const MAX_NAMED: usize = 5;

pub(super) fn look(scene: &Scene<'_>) -> Vec<Finding> {
    let files = transcript_files(&scene.source.paths.agents_dir());
    let known = known_files(scene);
    let mut found = Vec::new();
    let broken: Vec<String> = files.iter().filter_map(|path| problem(path, scene.depth)).collect();
    if !broken.is_empty() {
        let words = format!(
            "{} of {} conversations have lines that cannot be read: {}",
            broken.len(),
            files.len(),
            named(&broken)
        );
        found.push(
            Finding::warn("transcripts.damaged", words)
                .fix("nothing: the gateway leaves the lines out when it opens the conversation, and keeps the original beside it"),
        );
    }
    let Some(known) = known else { return found };
    let there: HashSet<&PathBuf> = files.iter().collect();
    let missing: Vec<String> =
        known.iter().filter(|path| !there.contains(path)).map(|path| name_of(path)).collect();
    if !missing.is_empty() {
        let words = format!("{} conversations have lost their file: {}", missing.len(), named(&missing));
        found.push(
            Finding::warn("transcripts.missing", words)
                .fix("homard sessions cleanup --enforce --fix-missing, or restore a backup"),
        );
    }
    let known: HashSet<&PathBuf> = known.iter().collect();
    let unknown = files.iter().filter(|path| !known.contains(path)).count();
    if unknown > 0 {
        let words = format!(
            "{unknown} conversation files are in no list (begun elsewhere, or their session is gone)"
        );
        found.push(Finding::info("transcripts.unlisted", words).fix("nothing; they are kept as they are"));
    }
    found
}

fn transcript_files(agents: &Path) -> Vec<PathBuf> {
    let folders = entries(agents).into_iter().map(|agent| agent.join("sessions"));
    let found = folders.flat_map(|folder| entries(&folder));
    // A pipe of that name would be waited for.
    found.filter(|path| name_of(path).ends_with(".jsonl") && path.is_file()).collect()
}

/// The files the database knows of; `None` when it cannot be asked. The check of the database says why.
fn known_files(scene: &Scene<'_>) -> Option<Vec<PathBuf>> {
    let paths = &scene.source.paths;
    let conn = open_database(&paths.database(), scene.rooms.lock.is_held).ok()?;
    let mut asked = conn
        .prepare("SELECT agent_id, file FROM transcripts WHERE session_id IS NOT NULL AND end_offset > 0")
        .ok()?;
    let rows = asked.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).ok()?;
    let place = |(agent, file): (String, String)| paths.agents_dir().join(agent).join("sessions").join(file);
    Some(rows.flatten().map(place).collect())
}

/// What is wrong with a file, after its name.
fn problem(path: &Path, depth: Depth) -> Option<String> {
    let name = name_of(path);
    match bad_lines(path, depth) {
        Ok(0) => None,
        Ok(count) => Some(format!("{name} ({count})")),
        Err(error) => Some(format!("{name} ({error})")),
    }
}

/// How many lines are no JSON: of the whole file, or of its first line and its last ones. One that is still being written
/// does not count.
fn bad_lines(path: &Path, depth: Depth) -> io::Result<usize> {
    let mut file = File::open(path)?;
    let len = file.metadata()?.len();
    if depth == Depth::Deep || len <= TAIL {
        return count_bad(BufReader::new(file));
    }
    let mut first = Vec::new();
    BufReader::new(&mut file).take(MAX_LINE).read_until(b'\n', &mut first)?;
    file.seek(SeekFrom::Start(len - TAIL))?;
    let mut rest = BufReader::new(file);
    rest.read_until(b'\n', &mut Vec::new())?;
    Ok(usize::from(is_bad(&first)) + count_bad(rest)?)
}

fn count_bad(mut reader: impl BufRead) -> io::Result<usize> {
    let mut bad = 0;
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(bad);
        }
        if line.ends_with(b"\n") && is_bad(&line) {
            bad += 1;
        }
    }
}

fn is_bad(line: &[u8]) -> bool {
    !line.trim_ascii().is_empty() && serde_json::from_slice::<IgnoredAny>(line).is_err()
}

fn named(names: &[String]) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let shown = names.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
