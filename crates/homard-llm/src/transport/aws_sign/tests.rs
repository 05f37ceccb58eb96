//! A known signature, what it depends on, and what it does not show.

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use super::{regional, sign_get, signed};
use crate::error::FailReason;
use crate::spec::{ApiKey, AwsKeys};
use crate::transport::http::{Outgoing, address};

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const NOW: i64 = 1_700_000_000_000;

fn keys(token: Option<&str>) -> AwsKeys {
    AwsKeys {
        access_key_id: "AKIDEXAMPLE".to_owned(),
        secret_access_key: ApiKey::new(SECRET),
        session_token: token.map(ApiKey::new),
        region: "eu-central-1".to_owned(),
    }
}

fn outgoing(path: &str, body: &str) -> Outgoing {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-unrelated", HeaderValue::from_static("1"));
    Outgoing {
        url: address(&format!("https://bedrock-runtime.eu-central-1.amazonaws.com{path}")).unwrap(),
        headers,
        body: body.as_bytes().to_vec(),
    }
}

fn header(outgoing: &Outgoing, name: &str) -> String {
    outgoing.headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

#[test]
fn a_request_is_signed_for_its_region_service_and_day() {
    let mut request = outgoing("/model/a%3A0/converse-stream", "{}");
    signed(&mut request, &keys(Some("the-session-token")), NOW).unwrap();
    let authorization = header(&request, "authorization");
    assert!(
        authorization.starts_with(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/eu-central-1/bedrock/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature="
        ),
        "{authorization}"
    );
    assert_eq!(header(&request, "x-amz-date"), "20231114T221320Z");
    assert_eq!(header(&request, "x-amz-security-token"), "the-session-token");
    assert!(request.headers.get("authorization").unwrap().is_sensitive());
    assert!(!format!("{request:?}").contains(SECRET));
}

#[test]
fn the_signature_covers_address_body_time_and_keys() {
    let signature = |path: &str, body: &str, token: Option<&str>, now: i64| {
        let mut request = outgoing(path, body);
        signed(&mut request, &keys(token), now).unwrap();
        header(&request, "authorization")
    };
    let first = signature("/a", "{}", None, NOW);
    assert_eq!(first, signature("/a", "{}", None, NOW));
    let others = [
        signature("/b", "{}", None, NOW),
        signature("/a", "{ }", None, NOW),
        signature("/a", "{}", Some("t"), NOW),
        signature("/a", "{}", None, NOW + 1_000),
    ];
    assert!(others.iter().all(|other| *other != first), "{others:?}");
}

#[test]
fn the_region_is_filled_in_and_must_be_one() {
    let base = "https://bedrock-runtime.{region}.amazonaws.com";
    let rows = [
        (Some("eu-central-1"), Some("https://bedrock-runtime.eu-central-1.amazonaws.com")),
        (None, Some("https://bedrock-runtime.us-east-1.amazonaws.com")),
        (Some(""), None),
        (Some("evil.example/"), None),
        (Some("a@b"), None),
    ];
    for (region, expected) in rows {
        let keys = region.map(|region| AwsKeys { region: region.to_owned(), ..keys(None) });
        match (regional(base, keys.as_ref()), expected) {
            (Ok(address), Some(expected)) => assert_eq!(address, expected),
            (Err(error), None) => assert_eq!(error.reason, FailReason::Auth),
            (other, _) => panic!("{region:?}: {other:?}"),
        }
    }
    assert_eq!(regional("http://localhost", None).unwrap(), "http://localhost");
}

#[test]
fn a_list_is_asked_for_with_a_signature_too() {
    let url = "https://bedrock.eu-central-1.amazonaws.com/foundation-models";
    let headers = sign_get(url, &keys(None), NOW).unwrap();
    let found = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
    let authorization = found("authorization").unwrap();
    assert!(authorization.contains("/20231114/eu-central-1/bedrock/aws4_request"), "{authorization}");
    assert_eq!(found("x-amz-date").as_deref(), Some("20231114T221320Z"));
    assert!(!format!("{headers:?}").contains(&authorization));
    assert!(sign_get("not an address", &keys(None), NOW).is_err());
}
