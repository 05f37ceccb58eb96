//! Any refusal has a reason, says it shortly, and never repeats a secret.

use std::time::Duration;

use homard_llm::classify;

const SECRET: &str = "s3cret-k3y-of-mine";
const MAX_MESSAGE: usize = 401;
const MAX_PAUSE: Duration = Duration::from_secs(24 * 3_600);

/// The promise.
pub(super) fn run(data: &[u8]) {
    // The first line is the status, if there is one.
    let (status, body) = cut_at(data, b'\n').unwrap_or((b"", data.get(1..).unwrap_or_default()));
    let status = str::from_utf8(status).ok().and_then(|line| line.parse::<u16>().ok());
    // An input cannot guess the secret, so it says where to put it.
    let body = match cut_at(body, b'@') {
        Some((before, after)) => [before, SECRET.as_bytes(), after].concat(),
        None => body.to_vec(),
    };
    let error = classify(status, &body, &[SECRET]);
    assert!(!error.message.contains(SECRET), "{}", error.message);
    assert!(error.message.chars().count() <= MAX_MESSAGE, "{}", error.message);
    assert!(error.retry_after.is_none_or(|wait| wait <= MAX_PAUSE));
    assert_eq!(error.status, status);
}

/// What stands before and after the first `sign`.
fn cut_at(bytes: &[u8], sign: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|&byte| byte == sign)?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}
