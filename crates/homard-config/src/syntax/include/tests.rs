//! Includes: merging, circles, depth and borders.

use std::path::Path;

use serde_json::{Value, json};

use super::{Includes, MAX_INCLUDE_DEPTH, merge};

fn resolve(dir: &Path, files: &[(&str, &str)], root: &Value) -> (Value, Vec<String>) {
    for (name, text) in files {
        let file = dir.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let config = dir.join("homard.json");
    std::fs::write(&config, root.to_string()).unwrap();
    let mut includes = Includes::new(&config, &[]);
    let value = includes.resolve(root, &config);
    let base = dir.canonicalize().unwrap().display().to_string();
    (value, includes.issues.iter().map(|i| i.to_string().replace(&base, "DIR")).collect())
}

#[test]
fn objects_merge_arrays_join_and_later_scalars_win() {
    let merged = merge(
        json!({"a": {"x": 1, "y": 1}, "l": [1], "s": 1}),
        json!({"a": {"y": 2}, "l": [2], "s": 2, "n": 3}),
    );
    assert_eq!(merged, json!({"a": {"x": 1, "y": 2}, "l": [1, 2], "s": 2, "n": 3}));
}

#[test]
fn single_list_and_nested_includes_resolve() {
    let dir = tempfile::tempdir().unwrap();
    let files = [
        ("one.json5", "{ port: 1, auth: { mode: 'token' } }"),
        ("sub/two.json5", "{ port: 2, $include: './three.json5' }"),
        ("sub/three.json5", "{ port: 3, bind: 'lan' }"),
        ("list.json5", "['a', 'b']"),
    ];
    let root = json!({
        "single": { "$include": "one.json5" },
        "siblings": { "$include": "one.json5", "port": 9 },
        "list": { "$include": ["one.json5", "./sub/two.json5"] },
        "array": { "$include": "list.json5" },
    });
    let (value, issues) = resolve(dir.path(), &files, &root);
    assert_eq!(issues, [""; 0]);
    assert_eq!(
        value,
        json!({
            "single": { "port": 1, "auth": { "mode": "token" } },
            "siblings": { "auth": { "mode": "token" }, "port": 9 },
            "list": { "port": 2, "auth": { "mode": "token" }, "bind": "lan" },
            "array": ["a", "b"],
        })
    );
}

#[test]
fn circles_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let files = [("a.json5", "{ $include: 'b.json5' }"), ("b.json5", "{ $include: 'a.json5' }")];
    let (_, issues) = resolve(dir.path(), &files, &json!({ "gateway": { "$include": "a.json5" } }));
    assert_eq!(
        issues,
        ["`gateway.$include`: files include each other in a circle: \
          DIR/homard.json → DIR/a.json5 → DIR/b.json5 → DIR/a.json5"]
    );
}

#[test]
fn ten_levels_are_read_and_the_eleventh_is_refused() {
    for (levels, refused) in [(MAX_INCLUDE_DEPTH, 0), (MAX_INCLUDE_DEPTH + 1, 1)] {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<(String, String)> = (1..=levels)
            .map(|n| {
                (
                    format!("{n}.json5"),
                    if n == levels {
                        "{ end: 1 }".to_owned()
                    } else {
                        format!("{{ $include: '{}.json5' }}", n + 1)
                    },
                )
            })
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let (_, issues) = resolve(dir.path(), &files, &json!({ "$include": "1.json5" }));
        assert_eq!(issues.len(), refused, "{issues:?}");
    }
}

#[test]
fn mistakes_are_told_with_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(outside.path(), "{}").unwrap();
    let files = [("bad.json5", "{ a: }"), ("list.json5", "[]")];
    let root = json!({
        "a": { "$include": 1 },
        "b": { "$include": "none.json5" },
        "c": { "$include": "bad.json5" },
        "d": { "$include": outside.path().to_str().unwrap() },
        "e": { "$include": "list.json5", "x": 1 },
    });
    let (_, issues) = resolve(dir.path(), &files, &root);
    let expected = [
        "`a.$include`: expected a file name",
        "`b.$include`: could not read `DIR/none.json5`",
        "`c.$include`: `DIR/bad.json5`: line 1, column 6",
        "`d.$include`: `",
        "`e.$include`: only an object can be included",
    ];
    assert_eq!(issues.len(), expected.len(), "{issues:?}");
    for (issue, start) in issues.iter().zip(expected) {
        assert!(issue.starts_with(start), "{issue}");
    }
    assert!(issues[3].contains("HOMARD_INCLUDE_ROOTS"));
}
