//! What is masked and what is not.

use proptest::prelude::{any, proptest};

use super::{MASK, Redactor};

#[test]
fn things_that_look_like_secrets_are_masked() {
    let cases = [
        ("key sk-abcdefghijklmnop0123 used", "key sk-•••• used"),
        ("Authorization: Bearer abc.def/ghi+jkl=", "Authorization: Bearer ••••"),
        ("authorization=basic dXNlcjpwYXNz", "authorization=basic ••••"),
        ("GET /?token=abcd1234&x=1", "GET /?token=••••&x=1"),
        (r#"{"apiKey":"averyverylongsecret","a":1}"#, r#"{"apiKey":"••••","a":1}"#),
        ("password: correcthorsebatterystaple", "password: ••••"),
        ("password=~!correct1", "password=••••"),
        ("x-api-key: 0123456789", "x-api-key: ••••"),
        ("xoxb-1234567890-abcdef and ghp_0123456789abcdef", "xoxb-•••• and ghp_••••"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "eyJ••••"),
    ];
    for (text, masked) in cases {
        assert_eq!(Redactor::default().mask(text), masked, "{text}");
    }
}

#[test]
fn ordinary_words_are_left_alone() {
    let cases = [
        "the token is missing",
        "token: missing",
        "tokens=123456789012345678",
        "listening on 127.0.0.1:18789",
        "sk-short",
        "a bearer",
        "a basic, plain line",
        "a basic line",
        "password required",
        "run 0192f0c1-7cde-7a55-8d2e-1f2e3d4c5b6a finished",
        "ünïcödé — “quotes”",
        "",
    ];
    for text in cases {
        assert_eq!(Redactor::default().mask(text), text);
    }
}

#[test]
fn a_known_secret_is_masked_wherever_it_stands() {
    let redactor = Redactor::default();
    redactor.keep_secret("swordfish");
    redactor.keep_secret("swordfish-and-more");
    redactor.keep_secret("abc");
    assert_eq!(redactor.mask("aswordfishb swordfish-and-more abc"), format!("a{MASK}b {MASK} abc"));
}

proptest! {
    #[test]
    fn any_text_can_be_masked_and_masking_again_changes_nothing(text in any::<String>()) {
        let redactor = Redactor::default();
        let once = redactor.mask(&text).into_owned();
        assert_eq!(redactor.mask(&once), once.as_str());
    }

    #[test]
    fn a_known_secret_never_survives(before in "[ -~]{0,20}", after in "[ -~]{0,20}") {
        let redactor = Redactor::default();
        redactor.keep_secret("correct-horse");
        assert!(!redactor.mask(&format!("{before}correct-horse{after}")).contains("correct-horse"));
    }

    #[test]
    fn a_bearer_credential_never_survives(credential in "[A-Za-z0-9._~+/=-]{1,40}") {
        let line = format!("Bearer {credential}z9");
        assert!(!Redactor::default().mask(&line).contains("z9"), "{line}");
    }
}

#[test]
fn the_owners_patterns_are_masked_and_guessing_can_be_turned_off() {
    let redactor = super::Redactor::default();
    redactor.keep_secret("known-secret-of-mine");
    let patterns = ["badge-[0-9]+", "/PIN \\d{4}/gi", "(broken"].map(str::to_owned);
    let refused = redactor.set_masking(&patterns, true);
    assert_eq!(refused.iter().map(|(pattern, _)| pattern.as_str()).collect::<Vec<_>>(), ["(broken"]);
    let line = "badge-17 pin 1234 token=abcdefgh12345678 known-secret-of-mine";
    assert_eq!(redactor.mask(line), "•••• •••• token=•••• ••••");
    redactor.set_masking(&[], false);
    assert_eq!(redactor.mask(line), "badge-17 pin 1234 token=abcdefgh12345678 ••••");
}
