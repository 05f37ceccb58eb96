//! What the model had done: each thing once, or not at all and the conversation says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use rusqlite::{Connection, OpenFlags};

use super::buttons::Buttons;
use super::conversations::Conversations;
use super::judge::{Verdict, marks};

/// Where the commands leave their trace.
const FILE: &str = "effects.txt";
/// How marks end of commands somebody is asked about, and of what stands above a button.
const ASK: &str = "-ask";
const CHOICE: &str = "-choice";

/// What was done, held against what was asked for.
pub(super) struct Effects {
    /// How often the command of each mark was run.
    done: BTreeMap<String, usize>,
    /// How many subagents began to work on each mark.
    children: BTreeMap<String, usize>,
    /// What the conversations say was cut off, or not allowed.
    cut_off: BTreeSet<String>,
    not_allowed: BTreeSet<String>,
}

impl Effects {
    /// Looks at the agent's folder, its conversations and the gateway's tables.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub(super) fn read(workspace: &Path, conversations: &Conversations, database: &Path) -> Result<Self> {
        let traces = std::fs::read_to_string(workspace.join(FILE)).unwrap_or_default();
        let db = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut asked = db.prepare("SELECT task FROM subagents JOIN runs USING (run_id)")?;
        let tasks = asked.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            done: counted(marks(&traces).into_iter()),
            children: counted(tasks.iter().flat_map(|task| marks(task))),
            cut_off: conversations.cut_off().into_iter().collect(),
            not_allowed: conversations.not_allowed().into_iter().collect(),
        })
    }

    /// The marks that subagents owe to those who were told that one works for them.
    pub(super) fn reports<'v>(&'v self, verdict: &'v Verdict) -> impl Iterator<Item = String> + 'v {
        let asked = verdict.seen.keys().filter_map(|mark| mark.strip_suffix("-child"));
        let reports = asked.map(|name| format!("{name}-report"));
        reports.filter(|report| self.children.contains_key(report) || !self.is_said_not_to_be(report))
    }

    /// What is wrong, in sentences.
    pub(super) fn wrongs(&self, verdict: &Verdict, buttons: &Buttons) -> Vec<String> {
        let twice = |what: &'static str| {
            move |(mark, times): (&String, &usize)| {
                (*times > 1).then(|| format!("{mark} was {what} {times} times"))
            }
        };
        let done = self.done.iter().filter_map(twice("done"));
        let given = self.children.iter().filter_map(twice("given to a subagent"));
        let happened = self.done.keys().chain(verdict.seen.keys().filter(|mark| mark.ends_with(CHOICE)));
        // Whoever asks with this ending is asked first, each time.
        let is_allowed = |mark: &&String| {
            buttons.allowed.contains(*mark) || !(buttons.refused.contains(*mark) || mark.ends_with(ASK))
        };
        let unasked = happened.filter(|mark| !is_allowed(mark));
        let unasked = unasked.map(|mark| format!("{mark} was done, and nobody allowed it"));
        let missing = verdict.seen.keys().filter_map(|mark| self.missing(mark, verdict));
        done.chain(given).chain(unasked).chain(missing).collect()
    }

    /// Something that was to be done before an answer and was not, without a word about it.
    fn missing(&self, mark: &str, verdict: &Verdict) -> Option<String> {
        let trace = match mark.strip_suffix("-menu") {
            Some(name) => format!("{name}{CHOICE}"),
            None if mark.ends_with("-tool") || mark.ends_with(ASK) => mark.to_owned(),
            None => return None,
        };
        let is_done = self.done.contains_key(&trace) || (trace != mark && verdict.seen.contains_key(&trace));
        (!is_done && !self.is_said_not_to_be(&trace))
            .then(|| format!("what {mark} asks for was not done, and its conversation does not say so"))
    }

    fn is_said_not_to_be(&self, mark: &str) -> bool {
        self.cut_off.contains(mark) || self.not_allowed.contains(mark)
    }
}

fn counted(marks: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    marks.for_each(|mark| *times.entry(mark).or_default() += 1);
    times
}

#[cfg(test)]
mod tests;
