//! A home with a bit of everything, for tests.

use std::fs;
use std::path::{Path, PathBuf};

use homard_config::{ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_runtime::Clock;

use crate::{BackupError, Choice, Created, Plan, create};

/// A moment in 2027.
pub(crate) const NOW: i64 = 1_800_000_000_000;

pub(crate) struct Home {
    folder: tempfile::TempDir,
    pub(crate) source: ConfigSource,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source =
            ConfigSource::isolated(Paths::under(folder.path()), Environment::default(), Clock::fixed(NOW));
        let home = Self { folder, source };
        let outside = home.folder().join("work");
        let settings = format!(
            "{{ gateway: {{ auth: {{ token: \"hush-hush\" }} }}, agents: {{ list: [{{ id: \"main\" }}, {{ id: \"far\", workspace: \"{}\" }}] }} }}",
            outside.display()
        );
        home.write("homard.json", &settings);
        home.write(".env", "KEY=hush-hush");
        home.write("agents/main/sessions/a.jsonl", "{\"n\":1}\n{\"n\":2}\n{\"half");
        home.write("agents/main/agent/auth-profiles.json", "{\"key\":\"hush-hush\"}");
        home.write("workspace/MEMORY.md", "tea");
        home.write("logs/today.log", "noise");
        home.write("gateway.lock", "1");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("plan.md"), "far away").unwrap();
        std::os::unix::fs::symlink("MEMORY.md", home.state().join("workspace/link.md")).unwrap();
        let conn = rusqlite::Connection::open(home.source.paths.database()).unwrap();
        conn.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (42);")
            .unwrap();
        home
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.source.paths.state_dir.clone()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.state().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.state().join(name)).unwrap()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot::load(&self.source, &Overrides::default())
    }

    /// Makes an archive.
    pub(crate) fn backup(&self, choice: &Choice, passphrase: Option<&str>) -> Result<Created, BackupError> {
        let plan = Plan::of(&self.source, &self.snapshot(), choice)?;
        create(&plan, &self.archive(), passphrase, &mut |_progress| {})
    }

    pub(crate) fn archive(&self) -> PathBuf {
        self.folder().join("backups/one.tar.gz")
    }
}
