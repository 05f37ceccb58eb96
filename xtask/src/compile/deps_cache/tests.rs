//! Names of what cargo makes.

use std::collections::BTreeSet;
use std::path::Path;

use super::{foreign, hash_in};

#[test]
fn the_hash_is_in_the_name_of_a_file_or_of_its_folder() {
    let hash = |path: &str| hash_in(Path::new(path));
    let found = Some("0123456789abcdef".to_owned());
    assert_eq!(hash("target/debug/deps/libserde-0123456789abcdef.rlib"), found);
    assert_eq!(hash("target/debug/deps/serde-0123456789abcdef.d"), found);
    assert_eq!(hash("target/debug/build/ring-0123456789abcdef/out"), found);
    assert_eq!(hash("target/debug/.fingerprint/ring-0123456789abcdef"), found);
    assert_eq!(hash("target/debug/homard"), None);
    assert_eq!(hash("target/debug/deps/lib-short-0123.rlib"), None);
}

#[test]
fn our_own_packages_are_never_kept() {
    let dir = std::env::temp_dir().join(format!("homard-deps-cache-{}", std::process::id()));
    for name in ["serde-0123456789abcdef", "homard-store-aaaaaaaaaaaaaaaa", "stale-bbbbbbbbbbbbbbbb"] {
        std::fs::create_dir_all(dir.join(name)).unwrap();
    }
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let used = set(&["0123456789abcdef", "aaaaaaaaaaaaaaaa"]);
    let found = foreign(&dir, &used, &set(&["homard-store"]));
    std::fs::remove_dir_all(&dir).unwrap();
    assert_eq!(found.unwrap(), set(&["0123456789abcdef"]));
}
