//! Kinds of files.

use homard_channel::MediaKind;

use super::kind_of;

#[test]
fn a_name_says_what_kind_of_file_it_is() {
    let cases = [
        ("cat.PNG", MediaKind::Image, "image/png"),
        ("a.b.jpeg", MediaKind::Image, "image/jpeg"),
        ("loop.gif", MediaKind::Animation, "image/gif"),
        ("note.ogg", MediaKind::Audio, "audio/ogg"),
        ("film.mp4", MediaKind::Video, "video/mp4"),
        ("paper.pdf", MediaKind::Document, "application/pdf"),
        ("README", MediaKind::Document, "application/octet-stream"),
        ("strange.xyz", MediaKind::Document, "application/octet-stream"),
    ];
    for (name, kind, mime) in cases {
        assert_eq!(kind_of(name), (kind, mime), "{name}");
    }
}
