//! Pictures in a person's words.

use std::path::Path;

use homard_protocol::UserBlock;
use proptest::prelude::{ProptestConfig, proptest};

use super::{MAX_BYTES, PictureRules, mentioned_pictures, read_pictures};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

#[test]
fn paths_are_found_as_people_write_them() {
    let rows: [(&str, &[&str]); 12] = [
        ("look at a.png", &["a.png"]),
        ("look at /tmp/a.PNG.", &["/tmp/a.PNG"]),
        ("compare ./a.jpg and ~/b.jpeg, please", &["./a.jpg", "~/b.jpeg"]),
        ("`shots/one.webp`: what is it?", &["shots/one.webp"]),
        ("in \"my pictures/two of us.gif\" who is left?", &["us.gif", "my pictures/two of us.gif"]),
        ("see file:///tmp/a%20b.png", &["file:///tmp/a%20b.png"]),
        ("![shot](a.png)", &["a.png"]),
        ("[media attached: /m/in.png (image/png) | /m/in.png]", &["/m/in.png"]),
        ("https://example.com/a.png", &[]),
        ("png and .jpg are formats; a.pngx is none", &[".jpg"]),
        ("nothing here", &[]),
        ("", &[]),
    ];
    for (text, expected) in rows {
        assert_eq!(mentioned_pictures(text), expected, "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_is_found_was_written(text in "[a-z./~\"'`()\\[\\] \u{e9}:\n]{0,80}(\\.png)?[ \"'a-z.]{0,8}") {
        for path in mentioned_pictures(&text) {
            assert!(text.contains(path));
        }
    }
}

fn read(rules: &PictureRules, mentioned: &[&str]) -> Vec<String> {
    let mentioned: Vec<String> = mentioned.iter().map(|path| (*path).to_owned()).collect();
    let mime = |block: UserBlock| match block {
        UserBlock::Image { mime_type, .. } => mime_type,
        other => panic!("not a picture: {other:?}"),
    };
    read_pictures(&mentioned, rules).into_iter().map(mime).collect()
}

fn rules(workspace: &Path) -> PictureRules {
    PictureRules { workspace: workspace.to_owned(), home: "/nowhere".into(), roots: Vec::new() }
}

#[test]
fn only_pictures_that_may_be_read_are_shown_and_each_once() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = dir.path();
    std::fs::write(workspace.join("a b.png"), PNG).unwrap();
    std::fs::write(workspace.join("lie.png"), b"text").unwrap();
    std::fs::write(workspace.join("jpeg.png"), b"\xff\xd8\xff\xe0").unwrap();
    std::fs::create_dir(workspace.join("folder.png")).unwrap();
    let large = std::fs::File::create(workspace.join("large.png")).unwrap();
    large.set_len(MAX_BYTES + 1).unwrap();
    let secret = outside.path().join("secret.png");
    std::fs::write(&secret, PNG).unwrap();
    let secret = secret.display().to_string();
    let inside = rules(workspace);
    let url = format!("file://{}/a%20b.png", workspace.display());
    assert_eq!(read(&inside, &["a b.png", "./a b.png", &url]), ["image/png"]);
    assert_eq!(read(&inside, &["jpeg.png"]), ["image/jpeg"], "what it holds decides");
    assert!(read(&inside, &["lie.png", "folder.png", "large.png", "gone.png", &secret]).is_empty());
    let wider =
        PictureRules { roots: vec![outside.path().to_owned()], home: outside.path().into(), ..inside };
    assert_eq!(read(&wider, &[&secret, "~/secret.png"]), ["image/png"]);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_is_not_followed() {
    let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let secret = outside.path().join("secret.png");
    std::fs::write(&secret, PNG).unwrap();
    std::os::unix::fs::symlink(&secret, dir.path().join("a.png")).unwrap();
    assert!(read(&rules(dir.path()), &["a.png"]).is_empty());
}
