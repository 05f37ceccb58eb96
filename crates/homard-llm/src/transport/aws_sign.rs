//! Signs a request with AWS keys (Signature Version 4). The arithmetic is `aws-sigv4`'s.

use std::time::{Duration, UNIX_EPOCH};

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use reqwest::header::CONTENT_TYPE;

use crate::error::{FailReason, LlmError};
use crate::spec::{AwsKeys, Headers};
use crate::transport::http::{Outgoing, add_header};

/// The service whose requests are signed.
const SERVICE: &str = "bedrock";

/// Adds the signature and what it covers to the headers of `outgoing`.
///
/// Only the host, the date, the token and the kind of the body are covered: what a proxy adds or changes on
/// the way does not break the signature.
pub(crate) fn signed(outgoing: &mut Outgoing, keys: &AwsKeys, now_ms: i64) -> Result<(), LlmError> {
    let kind = outgoing.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let covered = kind.into_iter().map(|kind| ("content-type", kind));
    let url = outgoing.url.as_str();
    let request = SignableRequest::new("POST", url, covered, SignableBody::Bytes(&outgoing.body));
    for (name, value) in signature(request.map_err(|_unreadable| unsigned())?, keys, now_ms)? {
        add_header(&mut outgoing.headers, &name, &value)?;
    }
    Ok(())
}

/// The headers that prove a `GET` of `url`, for lists that are asked for beside model calls.
///
/// # Errors
/// When the address or the keys cannot be signed with.
pub fn sign_get(url: &str, keys: &AwsKeys, now_ms: i64) -> Result<Headers, LlmError> {
    let request = SignableRequest::new("GET", url, std::iter::empty(), SignableBody::Bytes(&[]));
    let headers = signature(request.map_err(|_unreadable| unsigned())?, keys, now_ms)?;
    Ok(headers.into_iter().collect())
}

/// The underlying errors quote what was signed, which may be a secret.
fn unsigned() -> LlmError {
    LlmError::new(FailReason::Auth, "the request could not be signed with the AWS keys")
}

fn signature(
    request: SignableRequest<'_>,
    keys: &AwsKeys,
    now_ms: i64,
) -> Result<Vec<(String, String)>, LlmError> {
    let token = keys.session_token.as_ref().map(|token| token.expose().to_owned());
    let secret = keys.secret_access_key.expose();
    let identity = Credentials::new(&keys.access_key_id, secret, token, None, "homard").into();
    let time = UNIX_EPOCH + Duration::from_millis(u64::try_from(now_ms).unwrap_or(0));
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(&keys.region)
        .name(SERVICE)
        .time(time)
        .settings(SigningSettings::default())
        .build()
        .map_err(|_incomplete| unsigned())?;
    let (instructions, _) = sign(request, &params.into()).map_err(|_unsignable| unsigned())?.into_parts();
    let (headers, _) = instructions.into_parts();
    Ok(headers.iter().map(|header| (header.name().to_owned(), header.value().to_owned())).collect())
}

/// The address of a provider that has one per region, from the region its keys are for.
pub(crate) fn regional(base_url: &str, keys: Option<&AwsKeys>) -> Result<String, LlmError> {
    let region = keys.map_or(DEFAULT_REGION, |keys| keys.region.trim());
    let plain = !region.is_empty() && region.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if !plain {
        // It becomes part of a host name; anything else would send the request to another one.
        return Err(LlmError::new(FailReason::Auth, "the AWS region is not a region; check AWS_REGION"));
    }
    Ok(base_url.replace(REGION_PLACE, region))
}

/// What a base address has where the region goes.
pub(crate) const REGION_PLACE: &str = "{region}";
/// The region of those who do not name one.
const DEFAULT_REGION: &str = "us-east-1";

#[cfg(test)]
mod tests;
