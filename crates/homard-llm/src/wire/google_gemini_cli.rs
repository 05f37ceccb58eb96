//! `google-gemini-cli`: `POST {base}/v1internal:streamGenerateContent`, what a Google login is answered by.
//!
//! A request and a stream of `google-generative-ai` in an envelope that names the model and the project that pays.

use serde::Serialize;

use super::google_generative_ai::{Body, GoogleDecoder};
use super::{GOOGLE_GEMINI_CLI, Wire};
use crate::call::request::Request;
use crate::transport::framing::Framing;

/// The table line.
pub(super) const ENTRY: Wire = Wire {
    api: GOOGLE_GEMINI_CLI,
    framing: Framing::Sse,
    key_header: None,
    headers: &[],
    token_mark: None,
    token_headers: &[],
    endpoint: |base, _model| format!("{base}/v1internal:streamGenerateContent?alt=sse"),
    sign: None,
    body: write,
    decoder: |draft| Box::new(GoogleDecoder::new(draft)),
};

#[derive(Serialize)]
struct Envelope<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    request: Body<'a>,
}

fn write(request: &Request) -> Result<Vec<u8>, serde_json::Error> {
    let project = request.credential.as_ref().and_then(|credential| credential.project.as_deref());
    serde_json::to_vec(&Envelope { model: request.model.id.as_str(), project, request: Body::of(request) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::GOOGLE_GEMINI_CLI;
    use crate::Credential;
    use crate::wire::find;
    use crate::wire::tests::{replay, request};

    #[test]
    fn a_request_is_geminis_in_an_envelope_that_names_who_pays() {
        let wire = find(GOOGLE_GEMINI_CLI).unwrap();
        let mut asked = request(GOOGLE_GEMINI_CLI);
        let plain: Value =
            serde_json::from_slice(&find("google-generative-ai").unwrap().body(&asked).unwrap()).unwrap();
        let credential = Credential { project: Some("mia-1".to_owned()), ..Credential::default() };
        asked.credential = Some(Arc::new(credential));
        let body: Value = serde_json::from_slice(&wire.body(&asked).unwrap()).unwrap();
        assert_eq!(body, json!({"model": asked.model.id, "project": "mia-1", "request": plain}));
        let address = wire.endpoint("https://assist.test/", &asked.model);
        assert_eq!(address, "https://assist.test/v1internal:streamGenerateContent?alt=sse");
    }

    #[test]
    fn a_stream_is_read_through_its_envelope() {
        let said =
            r#"data: {"response":{"candidates":[{"content":{"parts":[{"text":"hi"}]}}]},"traceId":"t"}"#;
        assert_eq!(replay(find(GOOGLE_GEMINI_CLI).unwrap(), said).unwrap(), "text hi");
    }
}
