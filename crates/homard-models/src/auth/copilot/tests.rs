//! Facts about where a Copilot token is accepted.

use super::api_address;

#[test]
fn a_token_names_its_address() {
    let cases = [
        (
            "tid=1;proxy-ep=proxy.individual.githubcopilot.com;x=1",
            Some("https://api.individual.githubcopilot.com"),
        ),
        (
            "tid=1; proxy-ep=https://proxy.business.githubcopilot.com/ ;x",
            Some("https://api.business.githubcopilot.com"),
        ),
        ("proxy-ep=copilot.acme.test", Some("https://copilot.acme.test")),
        ("proxy-ep=evil.test/path?x", None),
        ("proxy-ep=", None),
        ("tid=1;exp=2", None),
        ("", None),
    ];
    for (token, expected) in cases {
        assert_eq!(api_address(token).as_deref(), expected, "{token}");
    }
}
