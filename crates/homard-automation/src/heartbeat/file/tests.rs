//! What counts as nothing to look at.

use super::{is_empty, says_nothing};

#[test]
fn a_file_without_words_is_empty_and_any_word_fills_it() {
    let empty = [
        "",
        "\n \n\t\n",
        "# Heartbeat\n\n## Mornings\n",
        "- \n* \n+\n- [ ]\n- [x]\n",
        "<!-- What to look at.\nOne line each. -->\n",
        "\u{feff}#\n<!-- not closed",
    ];
    for text in empty {
        assert!(is_empty(text), "{text:?}");
    }
    let full = ["water the plants", "- [ ] water", "#tag", "<!-- a --> water <!-- b -->", "1.", "---x"];
    for text in full {
        assert!(!is_empty(text), "{text:?}");
    }
}

#[tokio::test]
async fn a_missing_file_a_folder_and_a_large_one_do_not_say_nothing() {
    let dir = tempfile::tempdir().unwrap();
    assert!(says_nothing(&dir.path().join("not-yet")).await, "no workspace");
    assert!(!says_nothing(dir.path()).await, "missing");
    std::fs::write(dir.path().join("HEARTBEAT.md"), "# Nothing\n").unwrap();
    assert!(says_nothing(dir.path()).await);
    std::fs::write(dir.path().join("HEARTBEAT.md"), "\n".repeat(100_000)).unwrap();
    assert!(!says_nothing(dir.path()).await, "large");
    std::fs::remove_file(dir.path().join("HEARTBEAT.md")).unwrap();
    std::fs::create_dir(dir.path().join("HEARTBEAT.md")).unwrap();
    assert!(!says_nothing(dir.path()).await, "a folder");
}
