//! Facts about embedded files that hold whether or not the page was built.

use proptest::prelude::{ProptestConfig, proptest};

use super::{Encoding, FALLBACK_ETAG, UNKNOWN_TYPE, asset, compressed, content_type, file_name, is_built};

#[test]
fn the_page_is_always_there() {
    for path in ["", "/", "index.html", "/index.html"] {
        let page = asset(path).expect(path);
        assert_eq!(page.content_type, "text/html; charset=utf-8");
        assert!(!page.immutable);
        assert!(!page.body.is_empty());
        assert_eq!(page.encoding, Encoding::Identity);
    }
}

#[test]
fn the_plain_page_stands_in_only_when_the_real_one_is_missing() {
    let page = asset("").expect("page");
    assert_eq!(page.etag == FALLBACK_ETAG, !is_built());
}

#[test]
fn paths_that_leave_the_folder_or_hide_in_it_find_nothing() {
    let bad = [
        "../Cargo.toml",
        "/../package.json",
        "assets/../../package.json",
        "//index.html",
        ".env",
        "assets/.hidden",
        "a\\b",
        "C:/x",
        "index.html.z",
        "index.html\0",
        "assets/",
        "missing.js",
    ];
    for path in bad {
        assert!(asset(path).is_none(), "{path:?}");
        assert!(compressed(path, |_| true).is_none(), "{path:?}");
    }
}

#[test]
fn types_follow_the_extension() {
    let table = [
        ("a.js", "text/javascript; charset=utf-8"),
        ("a.b.css", "text/css; charset=utf-8"),
        ("favicon.svg", "image/svg+xml"),
        ("manifest.webmanifest", "application/manifest+json"),
        ("noextension", UNKNOWN_TYPE),
    ];
    for (name, expected) in table {
        assert_eq!(content_type(name), expected, "{name}");
    }
}

#[test]
fn a_packed_copy_keeps_its_type_and_has_its_own_tag() {
    // Only a built page has packed copies; without one there must be none.
    match (asset("index.html"), compressed("index.html", |name| name == "deflate")) {
        (Some(plain), Some(packed)) => {
            assert_eq!(packed.content_type, plain.content_type);
            assert_eq!(packed.encoding.header(), Some("deflate"));
            assert_ne!(packed.etag, plain.etag);
            assert!(packed.body.len() < plain.body.len());
        }
        (_, packed) => assert!(packed.is_none() && !is_built()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_path_panics_or_climbs(path in "\\PC{0,40}") {
        if let Some(name) = file_name(&path) {
            assert!(!name.split('/').any(|part| part == ".."));
        }
        drop(asset(&path));
    }
}
