//! Which dependencies the layer rule refuses.

use super::check;
use crate::workspace::{Dependency, Package};

/// A workspace of `homard-low` (0), `homard-mid` (1), `homard-testkit` (99) and the package under test.
fn findings(layer: Option<u64>, uses: &str, kind: Option<&str>) -> Vec<String> {
    let package = |name: &str, layer: Option<u64>, dependencies| Package {
        manifest_path: std::path::PathBuf::new(),
        name: name.to_owned(),
        version: String::new(),
        dependencies,
        metadata: layer
            .map_or(serde_json::Value::Null, |layer| serde_json::json!({ "homard": { "layer": layer } })),
    };
    let dependency = Dependency { name: uses.to_owned(), kind: kind.map(str::to_owned) };
    let packages = [
        package("homard-low", Some(0), vec![]),
        package("homard-mid", Some(1), vec![]),
        package("homard-testkit", Some(99), vec![]),
        package("homard-it", layer, vec![dependency]),
    ];
    check(&packages).iter().map(ToString::to_string).collect()
}

#[test]
fn a_dependency_must_stand_strictly_lower() {
    let sideways = ["homard-it: layer 1 may not use homard-mid of layer 1"];
    assert_eq!(findings(Some(1), "homard-low", None), [""; 0]);
    assert_eq!(findings(Some(1), "homard-mid", None), sideways);
    assert_eq!(findings(Some(1), "homard-mid", Some("build")), sideways);
    assert_eq!(findings(Some(1), "homard-mid", Some("dev")), sideways);
    assert_eq!(
        findings(Some(0), "homard-mid", None),
        ["homard-it: layer 0 may not use homard-mid of layer 1"]
    );
}

#[test]
fn tests_of_every_layer_may_use_the_testkit_and_nothing_that_ships_may() {
    assert_eq!(findings(Some(1), "homard-testkit", Some("dev")), [""; 0]);
    assert_eq!(findings(Some(1), "homard-testkit", None).len(), 1);
}

#[test]
fn crates_of_others_have_no_layer_and_ours_must() {
    assert_eq!(findings(Some(0), "serde", None), [""; 0]);
    assert_eq!(findings(None, "serde", None).len(), 1);
}
