//! Which packages and steps a change reaches.

use super::super::steps::STEPS;
use super::{Scope, kind};
use crate::workspace::{Dependency, Package, root};

fn package(name: &str, uses: &[&str]) -> Package {
    let dependencies =
        uses.iter().map(|name| Dependency { name: (*name).to_owned(), kind: None }).collect::<Vec<_>>();
    let manifest_path = root().join("crates").join(name).join("Cargo.toml");
    Package {
        name: name.to_owned(),
        version: String::new(),
        dependencies,
        manifest_path,
        metadata: serde_json::Value::Null,
    }
}

fn reached(files: &[&str]) -> (Vec<String>, Vec<&'static str>) {
    let packages = [package("store", &["words"]), package("words", &[]), package("gate", &["store"])];
    let scope = Scope::of(files, &packages, &|folder, name| folder == "crates/gate" && name == "protocol.md");
    let steps = STEPS.iter().filter(|step| scope.touches(step)).map(|step| step.name).collect();
    match scope {
        Scope::Everything => (Vec::new(), steps),
        Scope::Part { packages, .. } => (packages.into_iter().collect(), steps),
    }
}

#[test]
fn whoever_depends_on_a_changed_package_is_reached() {
    assert_eq!(reached(&["crates/gate/src/lib.rs"]).0, ["gate"]);
    assert_eq!(reached(&["crates/store/src/lib.rs"]).0, ["gate", "store"]);
    assert_eq!(reached(&["crates/words/src/lib.rs"]).0, ["gate", "store", "words"]);
    assert_eq!(reached(&["Cargo.lock"]).0, ["gate", "store", "words"]);
}

#[test]
fn a_document_reaches_the_packages_whose_tests_read_it() {
    assert_eq!(reached(&["docs/protocol.md"]).0, ["gate"]);
    assert!(reached(&["docs/cron.md"]).0.is_empty());
}

#[test]
fn a_change_runs_the_steps_it_can_break() {
    let has = |files: &[&str], step: &str| reached(files).1.contains(&step);
    assert!(has(&["web/src/App.svelte"], "web-test") && has(&["web/src/App.svelte"], "flows"));
    assert!(!has(&["web/src/App.svelte"], "rust-test") && !has(&["web/src/App.svelte"], "clippy"));
    assert!(has(&["crates/gate/src/lib.rs"], "rust-test") && !has(&["crates/gate/src/lib.rs"], "web-test"));
    assert!(has(&["Cargo.lock"], "deny") && !has(&["crates/gate/src/lib.rs"], "deny"));
    assert!(has(&["README.md"], "typos") && !has(&["README.md"], "build"));
}

#[test]
fn the_tests_are_named_in_nextests_language() {
    let part = |files: &[&str]| {
        Scope::of(files, &[package("a", &[]), package("b", &["a"])], &|_, _| false).test_filter()
    };
    assert_eq!(part(&["crates/a/x.rs"]).as_deref(), Some("package(=a) | package(=b)"));
    assert_eq!(part(&["README.md"]).as_deref(), Some("none()"));
    assert_eq!(Scope::Everything.test_filter(), None);
    assert_eq!(kind("crates/a/Cargo.toml"), super::Kind::Manifest);
}
