//! What becomes of everything, in words for people and programs.

use std::path::PathBuf;

use homard_runtime::Arrange as _;
use serde::Serialize;

use crate::home::{Era, Home};
use crate::places::OurHome;

/// What becomes of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    Taken,
    /// Taken, and not as it was.
    Changed,
    Left,
    /// It could not be read; the rest goes on.
    Failed,
}

impl Fate {
    /// The word people read.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Changed => "changed",
            Self::Left => "left",
            Self::Failed => "failed",
        }
    }
}

/// What something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A setting, by its path.
    Key,
    File,
    /// Rows of a database.
    Table,
}

/// One thing and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    pub kind: Kind,
    pub what: String,
    pub fate: Fate,
    pub why: String,
}

/// Everything and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub from: PathBuf,
    pub to: PathBuf,
    pub era: Era,
    pub items: Vec<Item>,
}

impl Report {
    pub(crate) fn new(home: &Home, target: &OurHome) -> Self {
        Self { from: home.dir.clone(), to: target.state_dir.clone(), era: home.era, items: Vec::new() }
    }

    pub(crate) fn add(&mut self, kind: Kind, what: &str, fate: Fate, why: &str) {
        self.items.push(Item { kind, what: what.to_owned(), fate, why: why.to_owned() });
    }

    pub(crate) fn sort(&mut self) {
        self.items.arrange_by(|a, b| (a.fate, a.kind, &a.what).cmp(&(b.fate, b.kind, &b.what)));
    }

    /// How many things have a fate.
    #[must_use]
    pub fn count(&self, fate: Fate) -> usize {
        self.items.iter().filter(|item| item.fate == fate).count()
    }
}
