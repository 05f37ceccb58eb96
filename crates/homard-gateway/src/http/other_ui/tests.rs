//! Another page, as it was built.

use base64::Engine;
use sha2::{Digest, Sha256};

use super::{find, fitted, inline_scripts, is_app_path, policy};

#[test]
fn the_first_file_fits_the_place_it_is_mounted_at() {
    let page = r#"<!doctype html><html lang="en"><script src="./assets/a.js"></script><link href="./x.css">"#;
    assert_eq!(
        fitted(page, ""),
        r#"<!doctype html><html lang="en"><script src="/assets/a.js"></script><link href="/x.css">"#
    );
    let mounted = fitted(page, "/ui");
    assert!(mounted.contains(r#"src="/ui/assets/a.js""#), "{mounted}");
    assert!(mounted.contains(r#"<html data-openclaw-control-ui-base-path="/ui" lang="en">"#), "{mounted}");
}

#[test]
fn only_the_scripts_that_stand_in_the_page_may_run() {
    let page =
        "<script data-x>one()</script><script src=\"/a.js\"></script><script></script><script>two()</script>";
    assert_eq!(inline_scripts(page).collect::<Vec<_>>(), ["one()", "two()"]);
    let policy = policy(page);
    for script in ["one()", "two()"] {
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script));
        assert!(policy.contains(&format!("'sha256-{hash}'")), "{policy}");
    }
    assert!(
        !policy.contains("unsafe-eval") && !policy.contains("script-src 'self' 'unsafe-inline'"),
        "{policy}"
    );
}

#[test]
fn assets_are_found_from_deep_links_and_packed_ones_are_preferred() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("assets")).unwrap();
    for name in ["assets/a.js", "assets/a.js.br", "assets/b.js", "favicon.svg"] {
        std::fs::write(root.path().join(name), "x").unwrap();
    }
    let name = |path: &str, packed| {
        find(root.path(), path, packed)
            .map(|(file, how)| (file.file_name().unwrap().to_str().unwrap().to_owned(), how))
    };
    assert_eq!(name("assets/a.js", true), Some(("a.js.br".to_owned(), Some("br"))));
    assert_eq!(name("assets/a.js", false), Some(("a.js".to_owned(), None)));
    assert_eq!(name("assets/b.js", true), Some(("b.js".to_owned(), None)));
    assert_eq!(name("chat/main/assets/b.js", true), Some(("b.js".to_owned(), None)));
    assert_eq!(name("assets/gone.js", true), None);
    assert_eq!(name("../assets/a.js/../../x", true), None);
}

#[test]
fn what_looks_like_a_file_is_not_the_app() {
    for (path, expected) in [
        ("chat/main", true),
        ("chat/agent.with.dots", true),
        ("settings", true),
        ("assets/gone.js", false),
        ("x.json", false),
        ("../x", false),
        ("a\\b", false),
    ] {
        assert_eq!(is_app_path(path), expected, "{path}");
    }
}
