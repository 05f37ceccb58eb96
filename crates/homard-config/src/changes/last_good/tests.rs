//! Coming back to what worked.

use homard_runtime::Clock;

use super::{keep_last_good, restore_last_good};
use crate::changes::overrides::Overrides;
use crate::env::Environment;
use crate::load::{ConfigSource, Snapshot};
use crate::paths::Paths;

const GOOD: &str = "{ gateway: { port: 5 } }\n";

fn source(home: &tempfile::TempDir, text: &str) -> ConfigSource {
    let paths = Paths::under(home.path());
    std::fs::create_dir_all(&paths.state_dir).unwrap();
    std::fs::write(&paths.config_path, text).unwrap();
    ConfigSource::isolated(paths, Environment::default(), Clock::fixed(7))
}

fn keep(source: &ConfigSource) {
    keep_last_good(source, &Snapshot::load(source, &Overrides::default())).unwrap();
}

#[test]
fn what_worked_is_put_back_and_the_other_text_kept() {
    for broken in ["{ gateway: ", "{ gateway: { port: 6 } }"] {
        let home = tempfile::tempdir().unwrap();
        let source = source(&home, GOOD);
        keep(&source);
        std::fs::write(&source.paths.config_path, broken).unwrap();
        let restored = restore_last_good(&source, |config| config.gateway.port == 5).unwrap().unwrap();
        assert_eq!(std::fs::read_to_string(&source.paths.config_path).unwrap(), GOOD);
        assert_eq!(std::fs::read_to_string(&restored.rejected).unwrap(), broken);
        assert!(restored.rejected.to_string_lossy().ends_with(".rejected.7"), "{restored:?}");
    }
}

#[test]
fn nothing_is_put_back_that_would_not_do_either() {
    let home = tempfile::tempdir().unwrap();
    let source = source(&home, GOOD);
    std::fs::write(&source.paths.config_path, "{ gateway: ").unwrap();
    assert_eq!(restore_last_good(&source, |_| true).unwrap(), None, "nothing was kept");
    std::fs::write(&source.paths.config_path, GOOD).unwrap();
    keep(&source);
    assert_eq!(restore_last_good(&source, |_| true).unwrap(), None, "it is the same text");
    std::fs::write(&source.paths.config_path, "{ gateway: ").unwrap();
    keep(&source);
    assert_eq!(restore_last_good(&source, |_| false).unwrap(), None, "it does not fit");
    assert!(restore_last_good(&source, |_| true).unwrap().is_some(), "a broken text is never kept");
}
