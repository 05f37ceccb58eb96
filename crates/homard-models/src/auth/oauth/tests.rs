//! Facts about what comes back from a browser, and about what tokens say.

use homard_config::Environment;
use homard_protocol::ProviderId;
use proptest::prelude::{prop_assert, proptest};
use url::Url;

use super::{BrowserLogin, LoginError, claim, expiry};
use crate::auth::OAuthRow;

static ROW: OAuthRow = OAuthRow {
    authorize_url: "https://login.example.test/authorize?tenant=1",
    token_url: "https://login.example.test/token",
    client_id: "client",
    scopes: "one two",
    redirect: "https://login.example.test/code",
    extra: &[("code", "true")],
    ..OAuthRow::EMPTY
};

fn login() -> (BrowserLogin, String) {
    let login =
        BrowserLogin::begin(&ProviderId::parse("acme").unwrap(), &ROW, &Environment::default()).unwrap();
    let url = Url::parse(login.url()).unwrap();
    let state = url.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
    (login, state)
}

#[test]
fn the_address_says_all_a_provider_asks() {
    let (login, _) = login();
    let url = Url::parse(login.url()).unwrap();
    let get =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let wanted = [
        ("tenant", "1"),
        ("code", "true"),
        ("response_type", "code"),
        ("client_id", "client"),
        ("scope", "one two"),
        ("redirect_uri", "https://login.example.test/code"),
        ("code_challenge_method", "S256"),
    ];
    for (name, value) in wanted {
        assert_eq!(get(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(get("code_challenge").unwrap().len(), 43);
}

#[test]
fn a_code_is_found_however_it_is_pasted() {
    let (login, state) = login();
    let pasted = [
        "abc".to_owned(),
        format!("  abc#{state}\n"),
        format!("code=abc&state={state}"),
        format!("https://login.example.test/code?code=abc&state={state}"),
        format!("http://localhost:1455/auth/callback?state={state}&code=abc&scope=x"),
    ];
    for text in pasted {
        assert_eq!(login.pasted(&text).unwrap().code, "abc", "{text}");
    }
}

#[test]
fn what_is_no_code_of_this_login_is_refused() {
    let (login, state) = login();
    let wrong = |text: &str| login.pasted(text).unwrap_err();
    assert!(matches!(wrong(""), LoginError::NoCode));
    assert!(matches!(wrong("two words"), LoginError::NoCode));
    assert!(matches!(wrong(&"x".repeat(20_000)), LoginError::NoCode));
    assert!(matches!(wrong("abc#other"), LoginError::WrongState));
    assert!(matches!(wrong("https://x.test/?code=abc&state=other"), LoginError::WrongState));
    assert!(matches!(wrong("https://x.test/?code=abc"), LoginError::WrongState));
    assert!(matches!(wrong(&format!("https://x.test/?state={state}")), LoginError::NoCode));
    let denied = wrong(&format!("https://x.test/?error=access_denied&state={state}"));
    assert!(matches!(denied, LoginError::Refused { code } if code == "access_denied"));
    let odd = wrong(&format!("https://x.test/?error=%3Cscript%3E&state={state}"));
    assert!(matches!(odd, LoginError::Refused { code } if code == "unnamed_error"));
}

#[test]
fn a_provider_without_a_browser_login_says_so() {
    static EMPTY: OAuthRow = OAuthRow::EMPTY;
    let error = BrowserLogin::begin(&ProviderId::parse("acme").unwrap(), &EMPTY, &Environment::default())
        .unwrap_err();
    assert!(error.to_string().contains("homard models auth add --provider acme"));
}

proptest! {
    #[test]
    fn any_token_can_be_looked_into(token in ".{0,200}", middle in "[A-Za-z0-9_-]{0,80}") {
        for token in [token, format!("a.{middle}.c")] {
            prop_assert!(claim(&token, "/email").is_none_or(|text| !text.is_empty()));
            prop_assert!(expiry(&token).is_none_or(|at| at % 1_000 == 0));
        }
    }

    #[test]
    fn any_paste_is_read_or_refused(text in ".{0,200}") {
        let (login, _) = login();
        if let Ok(code) = login.pasted(&text) {
            prop_assert!(!code.code.is_empty());
            let printed = format!("{code:?}");
            prop_assert!(code.code.len() < 5 || !printed.contains(&code.code));
        }
    }
}
