//! What is read of a manifest, and what is not.

use serde_json::{Value, json};

use super::Release;

fn manifest(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut written = json!({
        "format": 1, "version": "0.3.0", "commit": "abc", "channel": "stable", "date": "2026-11-18T00:00:00Z",
        "builds": [{ "target": "t", "name": "homard-t.tar.gz", "size": 3, "sha256": "ab".repeat(32) }],
        "later": "versions may say more",
    });
    change(&mut written);
    serde_json::to_vec(&written).unwrap()
}

#[test]
fn a_release_says_what_it_is_and_which_builds_it_has() {
    let release = Release::parse(&manifest(|_| {}), "here").unwrap();
    assert_eq!((release.version.to_string().as_str(), release.channel.as_str()), ("0.3.0", "stable"));
    assert_eq!(release.build_for("t").unwrap().size, 3);
    let error = release.build_for("another").unwrap_err().to_string();
    assert_eq!(error, "release 0.3.0 has no build for another; it has t");
}

/// Something wrong that is written into a manifest.
type Change = fn(&mut Value);

#[test]
fn what_names_a_file_elsewhere_or_is_of_another_form_is_refused() {
    let rows: [(Change, &str); 7] = [
        (|m| m["format"] = json!(2), "form 2"),
        (|m| m["version"] = json!("new"), "version `new`"),
        (|m| m["builds"][0]["name"] = json!("../homard"), "no plain file"),
        (|m| m["builds"][0]["name"] = json!(".hidden"), "no plain file"),
        (|m| m["builds"][0]["name"] = json!("https://elsewhere/x"), "no plain file"),
        (|m| m["builds"][0]["sha256"] = json!("AB".repeat(32)), "no SHA-256"),
        (|m| m["builds"] = json!("none"), "invalid type"),
    ];
    for (change, why) in rows {
        let error = Release::parse(&manifest(change), "here").unwrap_err().to_string();
        assert!(error.starts_with("the release at `here` cannot be read") && error.contains(why), "{error}");
    }
    Release::parse(b"<html>", "here").unwrap_err();
}
