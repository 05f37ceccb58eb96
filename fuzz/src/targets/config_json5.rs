//! Any text is a configuration or a list of issues, and changing one setting changes nothing else.
//!
//! Goes through the public doors (a file, `Snapshot::load`, `set_path`, `unset_path`), so it covers reading
//! JSON5, includes, `${VAR}`, validation, redaction and the splicing that keeps comments. Every input has a
//! home of its own in the temporary directory.

use std::path::Path;

use homard_config::{ConfigSource, Environment, Overrides, Paths, Snapshot, set_path, unset_path};
use homard_runtime::Clock;
use serde_json::{Value, json};

/// Larger files only slow the search down.
const MAX_TEXT: usize = 16 * 1024;
/// What a write may touch besides what it was asked to.
const STAMPED: &str = "meta";

/// The promise.
pub(super) fn run(text: &str) {
    if text.len() > MAX_TEXT {
        return;
    }
    let home = tempfile::tempdir().expect("the temporary folder is ours");
    let source = source_with(home.path(), text);
    let before = load(&source);
    if before.config.is_some() {
        check_change(&source, &before, "gateway", "gateway.port", Some(&json!(4242)));
        let source = source_with(home.path(), text);
        check_change(&source, &before, "agents", "agents.defaults", None);
    }
}

/// A fresh home with this text as its configuration. The shell does nothing, in case a text asks for it.
fn source_with(home: &Path, text: &str) -> ConfigSource {
    let environment =
        Environment::from_pairs([("TOKEN", "t0ken"), ("KEPT", "${TOKEN}"), ("SHELL", "/bin/false")]);
    let source = ConfigSource::isolated(Paths::under(home), environment, Clock::fixed(0));
    let file = &source.paths.config_path;
    let folder = file.parent().expect("a file is in a folder");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(file, text))
        .expect("the temporary folder is ours");
    source
}

fn load(source: &ConfigSource) -> Snapshot {
    let snapshot = Snapshot::load(source, &Overrides::default());
    assert_eq!(snapshot.config.is_some(), snapshot.valid(), "issues and settings exclude each other");
    let (_, _) = (snapshot.redacted_raw(), snapshot.redacted_parsed());
    snapshot
}

/// Sets or unsets `path` under the section `touched`: either nothing is written, or only that changes.
fn check_change(source: &ConfigSource, before: &Snapshot, touched: &str, path: &str, value: Option<&Value>) {
    let written = match value {
        Some(value) => set_path(source, path, value.clone()),
        None => unset_path(source, path),
    };
    let after = load(source);
    if written.is_err() {
        assert_eq!(after.raw, before.raw, "a refused change leaves the file alone");
        return;
    }
    assert!(after.valid(), "an invalid configuration is never written: {:?}", after.issues);
    let place = format!("/{}", path.replace('.', "/"));
    assert_eq!(after.parsed.pointer(&place), value, "the change is there");
    let keep = |snapshot: &Snapshot| {
        let mut all = snapshot.parsed.clone();
        if let Value::Object(sections) = &mut all {
            sections.retain(|name, _| name != touched && name != STAMPED);
        }
        all
    };
    assert_eq!(keep(&after), keep(before), "everything else is as it was written");
}
