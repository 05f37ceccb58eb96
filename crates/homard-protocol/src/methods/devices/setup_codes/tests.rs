//! Codes read back what was put in, and nothing else reads as one.

use proptest::prelude::{any, proptest};

use super::{SetupPayload, SetupProfile, setup_scopes};

#[test]
fn a_recorded_code_of_the_reference_system_is_read() {
    let code = "eyJ1cmwiOiJ3czovLzEyNy4wLjAuMToyOTg3MSIsImJvb3RzdHJhcFRva2VuIjoiYWJjIiwiZXhwaXJlc0F0TXMiOjE3OTQ4MTQ3MDM1OTd9";
    let read = SetupPayload::decode(code).unwrap();
    assert_eq!((read.url.as_str(), read.expires_at_ms), ("ws://127.0.0.1:29871", 1_794_814_703_597));
    assert_eq!(read.encode(), code);
}

#[test]
fn profiles_give_what_is_documented() {
    let cases = [
        (
            None,
            "operator.admin operator.read operator.write operator.approvals operator.questions operator.talk.secrets",
        ),
        (
            Some(SetupProfile::Limited),
            "operator.read operator.write operator.approvals operator.questions operator.talk.secrets",
        ),
        (Some(SetupProfile::VoiceNode), "operator.read operator.talk"),
        (Some(SetupProfile::Node), ""),
    ];
    for (profile, scopes) in cases {
        assert_eq!(setup_scopes(profile).to_strings().join(" "), scopes, "{profile:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_code_or_not(text in any::<String>()) {
        if let Some(read) = SetupPayload::decode(&text) {
            assert_eq!(SetupPayload::decode(&read.encode()), Some(read));
        }
    }
}
