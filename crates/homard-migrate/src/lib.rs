//! Taking over an OpenClaw home: what is in it, what of it is taken, and how it gets here.
//!
//! [`Migration::look`] reads a home of either era (files, or SQLite databases) and makes a plan that names every file and
//! setting with what becomes of it; [`Migration::apply`] carries it out. The home itself is only read: databases are
//! copied before they are opened. Everything is staged beside its place and then renamed into it, the configuration
//! last, so that whoever is interrupted begins again and finds what arrived already. What OpenClaw kept is put where it
//! kept it: the store, the jobs and the credentials of Homard read those files by themselves.

mod config;
mod database;
mod files;
mod home;
mod places;
mod report;
mod stage;

pub use home::{Era, Home, NoHome};
pub use places::{Options, OurHome};
pub use report::{Fate, Item, Kind, Report};
pub use stage::ApplyError;

use std::path::PathBuf;

use tempfile::TempDir;

/// Something that is to be put into our state folder.
#[derive(Debug)]
pub(crate) struct Parcel {
    /// Where it goes, from the state folder on.
    to: PathBuf,
    content: Content,
}

impl Parcel {
    fn new(to: impl Into<PathBuf>, content: Content) -> Self {
        Self { to: to.into(), content }
    }
}

/// Where a piece comes from.
#[derive(Debug)]
pub(crate) enum Content {
    File(PathBuf),
    Folder(PathBuf),
    Text(Vec<u8>),
    /// A conversation in a copy of a database.
    Transcript {
        database: PathBuf,
        session_id: String,
    },
}

/// A plan, and what is needed to carry it out.
#[derive(Debug)]
pub struct Migration {
    target: OurHome,
    options: Options,
    report: Report,
    pieces: Vec<Parcel>,
    /// The configuration as it will be; `None` when it stays as it is.
    config: Option<String>,
    /// Holds the copies of databases; gone with the plan.
    scratch: Option<TempDir>,
}

impl Migration {
    /// Looks at a home and decides what becomes of everything in it. Writes nothing but copies of databases, into the
    /// system's folder for temporary files.
    #[must_use]
    pub fn look(home: &Home, target: OurHome, options: Options) -> Self {
        let mut migration = Self {
            report: Report::new(home, &target),
            target,
            options,
            pieces: Vec::new(),
            config: None,
            scratch: None,
        };
        migration.plan_files(home);
        migration.plan_databases(home);
        migration.plan_config(home);
        migration.report.sort();
        migration
    }

    /// What becomes of everything.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Whether there is nothing to be done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.config.is_none()
    }

    /// Plans to put something into our state folder, unless it is there already.
    fn put(&mut self, what: &str, parcel: Parcel, fate: Fate, why: &str) {
        if self.pieces.iter().any(|piece| piece.to == parcel.to) {
            self.report.add(Kind::File, what, Fate::Left, "its database says the same, newer");
            return;
        }
        let place = self.target.state_dir.join(&parcel.to);
        match stage::already(&place, &parcel.content) {
            stage::Already::Same => {
                self.report.add(Kind::File, what, Fate::Left, "it is here already");
                return;
            }
            stage::Already::Another if !self.options.overwrite => {
                self.report.add(Kind::File, what, Fate::Left, "there is another here; --overwrite takes it");
                return;
            }
            stage::Already::Another | stage::Already::Absent | stage::Already::Folder => {}
        }
        self.report.add(Kind::File, what, fate, why);
        self.pieces.push(parcel);
    }
}
