//! Which session ids may become file names.

use homard_protocol::SessionId;

use super::transcript_file_name;

#[test]
fn only_names_that_stay_in_their_folder_become_files() {
    let long = "a".repeat(300);
    for (id, ok) in [
        ("5b1c6c0e-7e0b-4c3a-9a55-2f6f6a1d2b3c", true),
        ("s1", true),
        ("abc-topic-42", true),
        ("../../etc/passwd", false),
        ("a/b", false),
        ("a\\b", false),
        (".hidden", false),
        ("..", false),
        ("ünïcode", false),
        (long.as_str(), false),
    ] {
        let id = SessionId::parse(id).unwrap();
        assert_eq!(transcript_file_name(&id).is_ok(), ok, "{id}");
    }
}
