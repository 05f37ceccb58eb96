//! What files are.

use super::{ending_of_type, image_type, photo_type, type_of_name};

#[test]
fn pictures_are_told_by_what_is_inside() {
    let rows: [(&[u8], Option<&str>, Option<&str>); 7] = [
        (b"\x89PNG\r\n\x1a\nrest", Some("image/png"), Some("image/png")),
        (b"\xff\xd8\xff\xe0", Some("image/jpeg"), Some("image/jpeg")),
        (b"GIF89a...", Some("image/gif"), Some("image/gif")),
        (b"RIFF....WEBPVP8 ", Some("image/webp"), Some("image/webp")),
        (b"\0\0\0\x18ftypheic....", None, Some("image/heic")),
        (b"GIF8 is a word", None, None),
        (b"", None, None),
    ];
    for (bytes, image, photo) in rows {
        assert_eq!((image_type(bytes), photo_type(bytes)), (image, photo), "{bytes:?}");
    }
}

#[test]
fn names_tell_types_and_types_endings() {
    assert_eq!((type_of_name("A.PNG"), type_of_name("x")), ("image/png", "application/octet-stream"));
    assert_eq!((ending_of_type("image/jpeg"), ending_of_type("x/y")), (".jpg", ""));
}
