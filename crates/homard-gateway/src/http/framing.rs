//! Requests whose length can be read in two ways are refused: a proxy before us might read the other one, and
//! what it takes for a body would be a second request to us.

use http::header::{CONNECTION, CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING};
use http::{HeaderMap, StatusCode};
use serde_json::json;

use homard_http::answers::{Answer, json_answer};

/// Refuses a request that gives its length twice. Different lengths and unknown encodings never get here: the
/// HTTP library refuses them.
pub(super) fn refusal(headers: &HeaderMap) -> Option<Answer> {
    let is_twice = headers.contains_key(TRANSFER_ENCODING) && headers.contains_key(CONTENT_LENGTH);
    is_twice.then(|| {
        let message = "a request must not have both Content-Length and Transfer-Encoding";
        let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
        let mut answer = json_answer(StatusCode::BAD_REQUEST, &body);
        close(&mut answer);
        answer
    })
}

/// Whether nothing may follow a request on its connection. The library leaves out a length that comes after an
/// encoding, so every request with an encoding is taken for one with both.
pub(super) fn is_last(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING)
}

/// Ends the connection after this answer.
pub(super) fn close(answer: &mut Answer) {
    answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
}
