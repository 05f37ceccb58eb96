//! Any refusal has a reason, says it shortly, and never repeats a secret.
#![no_main]

use std::time::Duration;

use homard_llm::classify;
use libfuzzer_sys::fuzz_target;

const SECRET: &str = "s3cret-k3y-of-mine";
const MAX_MESSAGE: usize = 401;
const MAX_PAUSE: Duration = Duration::from_secs(24 * 3_600);

fuzz_target!(|data: &[u8]| {
    // The first line is the status, if there is one.
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    let status = std::str::from_utf8(&data[..end]).ok().and_then(|line| line.parse::<u16>().ok());
    let body = data.get(end + 1..).unwrap_or_default();
    // An input cannot guess the secret, so it says where to put it.
    let body: Vec<u8> = match body.iter().position(|&byte| byte == b'@') {
        Some(at) => [&body[..at], SECRET.as_bytes(), &body[at + 1..]].concat(),
        None => body.to_vec(),
    };
    let error = classify(status, &body, &[SECRET]);
    assert!(!error.message.contains(SECRET), "{}", error.message);
    assert!(error.message.chars().count() <= MAX_MESSAGE, "{}", error.message);
    assert!(error.retry_after.is_none_or(|wait| wait <= MAX_PAUSE));
    assert_eq!(error.status, status);
});
