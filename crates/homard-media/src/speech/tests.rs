//! What can be said, and habits that come back.

use homard_config::Paths;

use super::{MAX_FILES, MAX_TEXT, Speech, SpeechError, SpeechPreferences, habits, keep_habits, make_room};

#[test]
fn only_words_with_a_voice_that_is_a_name_are_said() {
    let cases = [
        ("hello", None, None, None),
        ("-f /etc/passwd", None, Some("en-us+f3"), None),
        ("hello", Some("espeak-ng"), None, None),
        ("", None, None, Some("1 to 4096")),
        (" \n", None, None, Some("1 to 4096")),
        ("hello", Some("openai"), None, Some("Invalid provider")),
        ("hello", None, Some(""), Some("a voice is named")),
        ("hello", None, Some("-w"), Some("a voice is named")),
        ("hello", None, Some("../x"), Some("a voice is named")),
    ];
    for (text, provider, voice, expected) in cases {
        let speech = Speech {
            text: text.to_owned(),
            provider: provider.map(str::to_owned),
            voice: voice.map(str::to_owned),
            words_per_minute: None,
        };
        let said = speech.check().err().map(|error| error.to_string());
        assert_eq!(said.is_some(), expected.is_some(), "{text} {voice:?}: {said:?}");
        assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{text}");
    }
    let long = Speech { text: "x".repeat(MAX_TEXT + 1), ..Speech::default() };
    assert!(matches!(long.check(), Err(SpeechError::Length)));
}

#[test]
fn habits_come_back_and_a_damaged_file_is_no_habit() {
    let dir = tempfile::tempdir().unwrap();
    let paths = Paths::under(dir.path());
    assert_eq!(habits(&paths), SpeechPreferences::default());
    let chosen = SpeechPreferences { enabled: true, provider: Some("espeak-ng".to_owned()) };
    keep_habits(&paths, &chosen).unwrap();
    assert_eq!(habits(&paths), chosen);
    std::fs::write(super::habits_file(&paths), "{").unwrap();
    assert_eq!(habits(&paths), SpeechPreferences::default());
}

#[test]
fn the_oldest_sounds_give_way() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..MAX_FILES + 3 {
        std::fs::write(dir.path().join(format!("{number:04}.wav")), "").unwrap();
    }
    make_room(dir.path());
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left, MAX_FILES - 1);
    assert!(!dir.path().join("0000.wav").exists());
}
