//! From whatever a provider said when it failed to one [`FailReason`].
//!
//! Providers agree on little: the same trouble is a status here, a code there and a sentence elsewhere, and
//! the obvious reading is often the wrong one: a 429 that means an empty account, a 400 that means a long
//! prompt, a 500 that means either. Reading order: `said` finds what was said in whichever shape it came,
//! `rules` is the ordered table that gives it a reason, `pause` reads how long to wait. A new provider's
//! spelling is a row there and a body in `tests/recorded/errors.jsonl`.

mod pause;
mod rules;
mod said;

pub(crate) use pause::{MAX_PAUSE, span};

use crate::error::{FailReason, LlmError, clip, scrub};
use homard_runtime::Clip;
use said::ErrorText;

/// Longest text searched for known phrases, in bytes; providers are done long before.
const MAX_SEARCHED: usize = 16 * 1024;

/// Turns a failed response, or an error inside a stream (no status), into an error. `secrets` never appear
/// in it. Public because programs and token servers fail in the same words as model APIs.
#[must_use]
pub fn classify(status: Option<u16>, body: &[u8], secrets: &[&str]) -> LlmError {
    classify_named(status, "", body, secrets)
}

/// [`classify`] for servers that name the kind of error in a header.
pub(crate) fn classify_named(status: Option<u16>, kind: &str, body: &[u8], secrets: &[&str]) -> LlmError {
    let mut said = said::read(body);
    said.add_code(kind);
    let reason = reason(status, &said);
    let what = if said.sentence.is_empty() { said.first_code() } else { &said.sentence };
    let what = scrub(what, secrets);
    let message = match (status, what.is_empty()) {
        (Some(status), true) => format!("the provider answered {status} without a reason"),
        (Some(status), false) => format!("the provider answered {status}: {what}"),
        (None, true) => "the provider reported an error without a reason".to_owned(),
        (None, false) => format!("the provider reported an error: {what}"),
    };
    // Joining lines may join the halves of a secret, so it is looked for once more.
    let message = scrub(&clip(message), secrets);
    let waits = matches!(reason, FailReason::RateLimit | FailReason::Overloaded | FailReason::Timeout);
    let retry_after = if waits { said.wait.or_else(|| pause::in_sentence(&said.sentence)) } else { None };
    LlmError { status, retry_after, ..LlmError::new(reason, message) }
}

fn reason(status: Option<u16>, said: &ErrorText) -> FailReason {
    // Nobody sends this status for anything else.
    if status == Some(402) {
        return FailReason::Billing;
    }
    let text = searchable(said);
    let codes = said.codes();
    // The status inside the body counts where there is none outside, or where the one outside says all is well.
    let status = status.filter(|status| *status >= 300).or(said.status).or(status);
    rules::find(&codes, &text)
        .or_else(|| rules::names_missing_model(status, &codes, &text).then_some(FailReason::ModelNotFound))
        .or_else(|| status.and_then(telling))
        .or_else(|| rules::find_vague(&codes))
        .unwrap_or_else(|| status.map_or(FailReason::Unknown, by_status))
}

fn searchable(said: &ErrorText) -> String {
    format!("{} {}", said.sentence, said.aside).clip_bytes(MAX_SEARCHED).to_lowercase()
}

/// What a status means that is more exact than a vague code beside it.
fn telling(status: u16) -> Option<FailReason> {
    matches!(status, 401 | 403 | 404 | 408 | 413 | 429 | 498 | 499 | 504 | 522 | 524)
        .then(|| by_status(status))
}

fn by_status(status: u16) -> FailReason {
    match status {
        402 => FailReason::Billing,
        401 | 403 => FailReason::Auth,
        413 => FailReason::ContextOverflow,
        429 => FailReason::RateLimit,
        408 | 499 | 504 | 522 | 524 | 598 | 599 => FailReason::Timeout,
        424 | 425 | 498 => FailReason::Overloaded,
        300..=499 => FailReason::Format,
        500..=599 => FailReason::Overloaded,
        _ => FailReason::Unknown,
    }
}

/// Whether bytes begin like a web page.
pub(crate) fn looks_like_html(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let begins = |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins(b"<!doctype") || begins(b"<html") || begins(b"<head") || begins(b"<body") || begins(b"<title")
}

/// A web page where an API should be: a login portal, a proxy's error page, or simply the wrong address.
pub(crate) fn web_page(status: u16, body: &[u8]) -> LlmError {
    let reason = match status {
        // A page that turns people away says nothing about the key: APIs refuse in their own words.
        0..=399 | 401 | 403 => FailReason::Format,
        _ => by_status(status),
    };
    let title = said::title(body).map_or_else(String::new, |title| format!(" titled \"{title}\""));
    let message =
        format!("the provider answered {status} with a web page{title} instead of its API; check baseUrl");
    LlmError::new(reason, scrub(&message, &[])).with_status(status)
}

#[cfg(test)]
mod tests;
