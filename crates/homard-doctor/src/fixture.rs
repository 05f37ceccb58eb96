//! A home in a temporary folder, for the tests of both tables.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use homard_config::{ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_runtime::Clock;

use crate::report::{Check, Selection, examine};
use crate::scene::{Depth, Rooms, Scene};
use crate::{Act, Finding};

/// A moment in 2027.
pub(crate) const NOW: i64 = 1_800_000_000_000;

pub(crate) struct Home {
    folder: tempfile::TempDir,
    pub(crate) source: ConfigSource,
    pub(crate) rooms: Rooms,
    pub(crate) depth: Depth,
}

impl Home {
    /// One with these settings, closed to others as a gateway leaves it.
    pub(crate) fn with(settings: &str) -> Self {
        let home = Self::empty();
        fs::create_dir(home.state()).unwrap();
        fs::set_permissions(home.state(), fs::Permissions::from_mode(0o700)).unwrap();
        home.write("homard.json", settings);
        home
    }

    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::under(folder.path());
        let source = ConfigSource::isolated(paths, Environment::default(), Clock::fixed(NOW));
        let rooms = Rooms { version: "1.0.0", ..Rooms::default() };
        Self { folder, source, rooms, depth: Depth::Quick }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.source.paths.state_dir.clone()
    }

    /// Writes a file of the state folder, for its owner alone.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.state().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        self.chmod(name, 0o600);
        path
    }

    pub(crate) fn chmod(&self, name: &str, mode: u32) {
        fs::set_permissions(self.state().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// What one check finds.
    pub(crate) fn finds(&self, table: &[Check], only: &str) -> Vec<Finding> {
        let snapshot = Snapshot::load(&self.source, &Overrides::default());
        let scene =
            Scene { source: &self.source, snapshot: &snapshot, rooms: &self.rooms, depth: self.depth };
        let selection = Selection { only: vec![only.to_owned()], ..Selection::default() };
        let done = examine(table, &scene, &selection);
        done.findings().cloned().collect()
    }

    /// The ids of what one check finds.
    pub(crate) fn ids(&self, table: &[Check], only: &str) -> Vec<String> {
        self.finds(table, only).into_iter().map(|finding| finding.id).collect()
    }

    /// Everything `--fix --yes` would do about what one check finds.
    pub(crate) fn acts(&self, table: &[Check], only: &str) -> Vec<Act> {
        self.finds(table, only).into_iter().filter_map(|finding| finding.act).collect()
    }
}
