//! What agents wrote, as far as is known: what file tools left is in the journal of what can be undone, and what the house
//! writes for an agent is told here. Nothing else is kept; the index remembers it by passage.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::time::{Duration, Instant};

use homard_memory::Writers;
use homard_runtime::{Mutex, hex};
use homard_tools::Undo;
use sha2::{Digest as _, Sha256};

/// How long what was read of the journals holds: a batch of notes is asked about at once.
const HOLDS: Duration = Duration::from_secs(1);
/// How coarse a file system's clock may be.
const GRAIN: Duration = Duration::from_millis(50);
/// Texts that are known to be an agent's, at most; they are asked for when the index is next brought up to date.
const MAX_TOLD: usize = 256;

/// Knows files by what is in them.
#[derive(Debug)]
pub(crate) struct WrittenByAgents {
    undo: Undo,
    left: Mutex<Option<(Instant, BTreeSet<String>)>>,
    told: Mutex<VecDeque<String>>,
}

impl WrittenByAgents {
    pub(crate) fn new(undo: Undo) -> Self {
        Self { undo, left: Mutex::default(), told: Mutex::default() }
    }

    /// A text was written for an agent.
    pub(crate) fn tell(&self, text: &[u8]) {
        let mut told = self.told.lock();
        told.push_back(hex(&Sha256::digest(text)));
        if told.len() > MAX_TOLD {
            told.pop_front();
        }
    }
}

impl Writers for WrittenByAgents {
    fn is_agents(&self, file: &Path, sha256: &str) -> bool {
        if self.told.lock().iter().any(|told| told == sha256) {
            return true;
        }
        let mut left = self.left.lock();
        // What was written since then may be a change of an agent's that was not read yet.
        let changed = file.metadata().and_then(|file| file.modified()).ok();
        let is_older = |age: Duration| {
            changed.and_then(|changed| changed.elapsed().ok()).is_some_and(|since| since > age + GRAIN)
        };
        let known = left.take().filter(|(at, _)| at.elapsed() < HOLDS && is_older(at.elapsed()));
        let (at, known) = known.unwrap_or_else(|| (Instant::now(), self.undo.left()));
        let is_known = known.contains(sha256);
        *left = Some((at, known));
        is_known
    }
}
