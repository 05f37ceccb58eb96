//! Where files land.

use std::os::unix::fs::PermissionsExt;

use homard_channel::{Attachment, Fetched, MediaKind};

use super::save;

fn file(kind: MediaKind, name: Option<&str>) -> Attachment {
    Attachment { kind, handle: "h".into(), mime: None, name: name.map(str::to_owned), size: None }
}

fn fetched(bytes: &[u8], mime: Option<&str>) -> Fetched {
    Fetched { bytes: bytes.to_vec(), mime: mime.map(str::to_owned), name: None }
}

#[test]
fn a_picture_is_shown_as_what_it_is_and_kept_for_the_owner_alone() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("media/inbound");
    let png = [b"\x89PNG\r\n\x1a\n".as_slice(), b"rest"].concat();
    let (saved, shown) =
        save(&folder, &file(MediaKind::Document, Some("a.exe")), &fetched(&png, Some("text/html"))).unwrap();
    assert_eq!((saved.mime.as_str(), shown.is_some()), ("image/png", true));
    assert_eq!(std::fs::metadata(&saved.path).unwrap().permissions().mode() & 0o777, 0o600);
    // The same file again is the same file.
    let (again, _) = save(&folder, &file(MediaKind::Document, Some("a.exe")), &fetched(&png, None)).unwrap();
    assert_eq!(again.path, saved.path);
    let (saved, shown) = save(&folder, &file(MediaKind::Voice, None), &fetched(b"Ogg", None)).unwrap();
    assert_eq!((saved.mime.as_str(), shown), ("audio/ogg", None));
}
