//! Messages are short, on one line and free of secrets.

use std::time::Duration;

use super::{FailReason, LlmError, MAX_MESSAGE, Retry, clip, scrub};

#[test]
fn keys_never_survive_in_a_message() {
    let rows = [
        ("bad key hunter2hunter2 given", "bad key •••• given"),
        ("Incorrect key: sk-proj-abcdefghijkl. See docs", "Incorrect key: •••• See docs"),
        ("the sk-1 line", "the sk-1 line"),
    ];
    for (text, expected) in rows {
        assert_eq!(scrub(text, &["hunter2hunter2"]), expected);
    }
}

#[test]
fn long_and_ragged_messages_become_one_short_line() {
    assert_eq!(clip("a\n\n  b\tc".to_owned()), "a b c");
    assert_eq!(clip("é".repeat(1000)).chars().count(), MAX_MESSAGE + 1);
}

#[test]
fn only_passing_trouble_is_retried() {
    let mut error = LlmError::new(FailReason::RateLimit, "slow down");
    assert_eq!(error.retry(), Retry::Now);
    error.retry_after = Some(Duration::from_secs(7));
    assert_eq!(error.retry(), Retry::After(Duration::from_secs(7)));
    assert_eq!(LlmError::new(FailReason::Auth, "no").retry(), Retry::Never);
    assert_eq!(LlmError::new(FailReason::Unknown, "odd").with_status(418).retry(), Retry::Never);
    assert_eq!(LlmError::aborted().retry(), Retry::Never);
}

#[test]
fn a_program_s_words_are_read_like_a_provider_s() {
    let error = super::LlmError::from_text("429 Too Many Requests", None);
    assert_eq!((error.reason, error.status), (super::FailReason::RateLimit, None));
}
