//! Reloading and overriding while somebody holds the settings.

use homard_runtime::{Clock, Tasks};
use serde_json::json;

use super::{ConfigHandle, OverrideError};
use crate::changes::reload::{HotPart, ReloadAction};
use crate::config::gateway::BindMode;
use crate::env::Environment;
use crate::load::ConfigSource;
use crate::paths::Paths;

fn open(text: &str) -> (tempfile::TempDir, ConfigHandle) {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    std::fs::create_dir_all(&paths.state_dir).unwrap();
    std::fs::write(&paths.config_path, text).unwrap();
    let source = ConfigSource::isolated(paths, Environment::default(), Clock::fixed(0));
    (home, ConfigHandle::open(source).unwrap())
}

fn edit(handle: &ConfigHandle, text: &str) {
    std::fs::write(&handle.source().paths.config_path, text).unwrap();
}

#[test]
fn a_bad_edit_keeps_the_last_good_settings_and_says_so() {
    let (_home, handle) = open("{ gateway: { port: 5 } }");
    let news = handle.subscribe();
    edit(&handle, "{ gateway: { port: 'x', bnd: 1 } }");
    let reload = handle.reload();
    assert_eq!((reload.generation, reload.rejected.len()), (1, 2));
    assert_eq!(*news.borrow(), reload);
    assert_eq!(handle.current().gateway.port, 5);
    assert!(!handle.snapshot().valid());
    edit(&handle, "{ gateway: { port: 5 } }");
    assert_eq!(handle.reload().rejected, []);
    assert!(handle.snapshot().valid());
}

#[test]
fn a_good_edit_is_taken_over_and_announced_once() {
    let (_home, handle) = open("{ cron: { enabled: true } }");
    edit(&handle, "{ cron: { enabled: false }, logging: { level: 'debug' } }");
    let reload = handle.reload();
    assert_eq!(reload.changed, ["cron.enabled", "logging.level"]);
    assert_eq!(reload.action, ReloadAction::Hot(vec![HotPart::Cron]));
    assert_eq!(handle.reload().generation, reload.generation);
}

#[test]
fn an_edit_that_turns_reloading_off_is_not_applied() {
    let (_home, handle) = open("{ gateway: { port: 5 } }");
    edit(&handle, "{ gateway: { port: 6, reload: { mode: 'off' } } }");
    assert_eq!(handle.reload().generation, 0);
    assert_eq!(handle.current().gateway.port, 5);
}

#[test]
fn a_gateway_does_not_start_on_a_bad_file() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    std::fs::create_dir_all(&paths.state_dir).unwrap();
    std::fs::write(&paths.config_path, "{ gatway: {} }").unwrap();
    let error = ConfigHandle::open(ConfigSource::isolated(paths, Environment::default(), Clock::fixed(0)))
        .unwrap_err();
    assert!(error.to_string().contains("did you mean `gateway`?"), "{error}");
}

#[test]
fn overrides_live_in_memory_on_top_of_the_file() {
    let (_home, handle) = open("{ gateway: { port: 5 } }");
    handle.set_override("gateway.bind", json!("lan")).unwrap();
    handle.set_override("gateway.port", json!(6)).unwrap();
    assert_eq!((handle.current().gateway.bind, handle.current().gateway.port), (BindMode::Lan, 6));
    assert_eq!(handle.overrides(), json!({ "gateway": { "bind": "lan", "port": 6 } }));
    assert!(matches!(handle.set_override("gateway.port", json!("x")), Err(OverrideError::Invalid(_))));
    assert!(matches!(handle.set_override("", json!(1)), Err(OverrideError::Path(_))));
    handle.reload();
    assert_eq!(handle.current().gateway.port, 6);
    handle.unset_override("gateway.port").unwrap();
    assert_eq!(handle.current().gateway.port, 5);
    handle.reset_overrides().unwrap();
    assert_eq!(handle.current().gateway.bind, BindMode::Loopback);
    assert_eq!(
        std::fs::read_to_string(&handle.source().paths.config_path).unwrap(),
        "{ gateway: { port: 5 } }"
    );
}

#[tokio::test]
async fn the_watcher_notices_edits_of_the_file_and_of_includes() {
    let (home, handle) = open("{ gateway: { reload: { debounceMs: 1 } } }");
    let tasks = Tasks::new();
    let cancel = tasks.token().clone();
    let watching = handle.clone();
    let mut news = handle.subscribe();
    tasks.spawn(async move { watching.run_watcher(cancel).await });
    // The watcher starts when the runtime first polls it; edit until it has noticed.
    let include = home.path().join(".homard/gw.json5");
    std::fs::write(&include, "{ port: 7 }").unwrap();
    let text = "{ gateway: { $include: './gw.json5', reload: { debounceMs: 1 } } }";
    while handle.current().gateway.port != 7 {
        edit(&handle, text);
        tokio::time::timeout(std::time::Duration::from_millis(100), news.changed()).await.ok();
    }
    while handle.current().gateway.port != 8 {
        std::fs::write(&include, "{ port: 8 }").unwrap();
        tokio::time::timeout(std::time::Duration::from_millis(100), news.changed()).await.ok();
    }
    tasks.token().cancel();
    tasks.finish(std::time::Duration::from_secs(5)).await;
}

#[tokio::test]
async fn an_edit_between_the_reading_and_the_watching_is_noticed() {
    let (_home, handle) = open("{ gateway: { reload: { debounceMs: 1 } } }");
    let tasks = Tasks::new();
    let cancel = tasks.token().clone();
    let watching = handle.clone();
    let mut news = handle.subscribe();
    edit(&handle, "{ gateway: { port: 7, reload: { debounceMs: 1 } } }");
    tasks.spawn(async move { watching.run_watcher(cancel).await });
    while handle.current().gateway.port != 7 {
        news.changed().await.unwrap();
    }
    tasks.token().cancel();
    tasks.finish(std::time::Duration::from_secs(5)).await;
}
