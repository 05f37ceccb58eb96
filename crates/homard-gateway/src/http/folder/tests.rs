//! No path leads out.

use std::path::Path;

use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

use super::{confined, content_type, decoded, inside, is_plain};

fn world() -> (tempfile::TempDir, std::path::PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("root");
    std::fs::create_dir_all(root.join("assets")).unwrap();
    std::fs::write(home.path().join("secret.txt"), "secret").unwrap();
    for name in ["index.html", "assets/app.js", "with space.txt", ".hidden", "ü.txt"] {
        std::fs::write(root.join(name), "x").unwrap();
    }
    (home, root)
}

#[test]
fn plain_names_are_found_and_nothing_else() {
    let (home, root) = world();
    for path in ["index.html", "assets/app.js", "with%20space.txt", "%C3%BC.txt", "assets%2Fapp.js"] {
        assert!(confined(&root, path).is_some(), "{path}");
    }
    let absolute = home.path().join("secret.txt").display().to_string();
    for path in [
        "",
        ".",
        "..",
        "/",
        "//",
        "assets",
        "assets/",
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "%252e%252e/secret.txt",
        "assets/../index.html",
        "assets//app.js",
        "./index.html",
        ".hidden",
        "%2ehidden",
        "index.html%00",
        "index.html%00.js",
        "..\\secret.txt",
        "..%5csecret.txt",
        "c:/x",
        "%",
        "%zz",
        "%e",
        "%ff",
        "index.html/",
        "index.html/..",
        "assets/%2e%2e/%2e%2e/secret.txt",
        absolute.as_str(),
    ] {
        assert_eq!(confined(&root, path), None, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_may_lead_around_inside_but_not_out() {
    let (home, root) = world();
    std::os::unix::fs::symlink(root.join("index.html"), root.join("around.html")).unwrap();
    std::os::unix::fs::symlink(home.path().join("secret.txt"), root.join("out.txt")).unwrap();
    std::os::unix::fs::symlink(home.path(), root.join("up")).unwrap();
    assert!(confined(&root, "around.html").is_some());
    assert_eq!(confined(&root, "out.txt"), None);
    assert_eq!(confined(&root, "up/secret.txt"), None);
    // The folder itself may be a link.
    let other = home.path().join("link");
    std::os::unix::fs::symlink(&root, &other).unwrap();
    assert!(confined(&other, "index.html").is_some());
}

#[test]
fn types_are_told_by_names() {
    for (name, expected) in [
        ("a.HTML", "text/html; charset=utf-8"),
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.woff2", "font/woff2"),
        ("a.exe", "application/octet-stream"),
        ("a", "application/octet-stream"),
    ] {
        assert_eq!(content_type(Path::new(name)), expected, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_is_found_lies_inside(path in "(\\.|/|%2e|%2f|%5c|\\\\|assets|up|secret\\.txt|index\\.html|%00){0,12}") {
        let (home, root) = world();
        if let Some(found) = confined(&root, &path) {
            prop_assert!(found.starts_with(root.canonicalize().unwrap()), "{path}");
            prop_assert!(!found.ends_with("secret.txt"));
        }
        prop_assert!(inside(&root, &home.path().join("secret.txt")).is_none());
    }

    #[test]
    fn decoding_never_leaves_something_to_decode(path in any::<String>()) {
        if let Some(once) = decoded(&path) {
            prop_assert!(!once.contains('%') || decoded(&once).is_none_or(|twice| twice == once));
        }
        is_plain(&path);
    }
}
