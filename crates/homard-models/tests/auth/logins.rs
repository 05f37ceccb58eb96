//! Facts about logging in, from the first click to the stored profile.

use homard_config::Environment;
use homard_llm::{FailReason, Fetch, Http, HttpOptions};
use homard_models::auth::oauth::{BrowserLogin, LoginError};
use homard_models::auth::{DeviceFlow, OAuthRow, TokenBody};
use homard_runtime::Clock;
use homard_testkit::{FAKE_EMAIL, OAuthFault};
use tokio_util::sync::CancellationToken;

use super::world::{World, first, provider, secret};

/// The browser follows an address; returns the status and the page.
async fn browse(url: &str) -> (u16, String) {
    let http = Http::new(HttpOptions::default(), Clock::system());
    let page = http.fetch(Fetch::get(url)).await.unwrap();
    (page.status, String::from_utf8(page.body).unwrap())
}

#[tokio::test]
async fn a_login_in_a_browser_on_this_machine() {
    let world = World::new().await;
    let profiles = world.profiles();
    let (login, listener) =
        BrowserLogin::begin_here(&provider("codex"), world.row, &Environment::default()).await.unwrap();
    let back = world.fake.approve(login.url()).unwrap();
    let elsewhere = back.replace("/auth/callback", "/favicon.ico");
    let forged = format!("{}?code=evil&state=guess", listener.redirect());
    let browser = async {
        assert_eq!(browse(&elsewhere).await.0, 404);
        let (status, page) = browse(&forged).await;
        assert_eq!(status, 400, "an answer to another login does not end this one");
        assert!(!page.contains("evil"), "nothing of the request is repeated");
        let (status, page) = browse(&back).await;
        assert_eq!(status, 200);
        assert!(page.contains("You are logged in"));
    };
    let cancel = CancellationToken::new();
    let (code, ()) = tokio::join!(listener.wait(&login, &cancel), browser);
    let id = profiles.finish_login(&login, &code.unwrap()).await.unwrap();
    assert_eq!(id, format!("codex:{FAKE_EMAIL}"));
    let credential = first(&profiles, &world.auth("codex")).await.unwrap();
    assert!(world.fake.accepts(&secret(&credential)));
    let stored = &world.read("main")["profiles"][&id];
    assert_eq!(stored["type"], "oauth");
    assert_eq!(stored["email"], FAKE_EMAIL);
}

#[tokio::test]
async fn a_refused_login_says_so() {
    let world = World::new().await;
    let (login, listener) =
        BrowserLogin::begin_here(&provider("codex"), world.row, &Environment::default()).await.unwrap();
    let back = world.fake.deny(login.url()).unwrap();
    let cancel = CancellationToken::new();
    let (code, page) = tokio::join!(listener.wait(&login, &cancel), browse(&back));
    assert!(matches!(code, Err(LoginError::Refused { code }) if code == "access_denied"));
    assert!(page.1.contains("did not work"));
}

#[tokio::test]
async fn a_login_can_be_stopped() {
    let world = World::new().await;
    let (login, listener) =
        BrowserLogin::begin_here(&provider("codex"), world.row, &Environment::default()).await.unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert!(matches!(listener.wait(&login, &cancel).await, Err(LoginError::Stopped)));
}

#[tokio::test]
async fn a_port_in_use_is_named() {
    let world = World::new().await;
    let (_login, listener) =
        BrowserLogin::begin_here(&provider("codex"), world.row, &Environment::default()).await.unwrap();
    let taken: &'static str = Box::leak(listener.redirect().to_owned().into_boxed_str());
    let row: &'static OAuthRow = Box::leak(Box::new(OAuthRow { redirect: taken, ..*world.row }));
    let error = BrowserLogin::begin_here(&provider("codex"), row, &Environment::default()).await.unwrap_err();
    assert!(matches!(error, LoginError::Port { .. }), "{error}");
}

#[tokio::test]
async fn a_pasted_code_is_exchanged_as_json_where_the_server_wants_that() {
    let world = World::new().await;
    world.fake.wants_json();
    let redirect = "https://login.example.test/code";
    let row = OAuthRow { redirect, token_body: TokenBody::Json, ..*world.row };
    let row: &'static OAuthRow = Box::leak(Box::new(row));
    let here = BrowserLogin::begin_here(&provider("codex"), row, &Environment::default()).await;
    assert!(matches!(here, Err(LoginError::NotOffered { .. })), "the browser does not come back here");
    let login = BrowserLogin::begin(&provider("codex"), row, &Environment::default()).unwrap();
    let back = world.fake.approve(login.url()).unwrap();
    let code = login.pasted(&back).unwrap();
    let profiles = world.profiles();
    profiles.finish_login(&login, &code).await.unwrap();
    let again = profiles.finish_login(&login, &code).await;
    assert!(matches!(again, Err(LoginError::Refused { .. })), "a code works once");
}

#[tokio::test]
async fn a_login_on_another_device() {
    let world = World::new().await;
    let profiles = world.profiles();
    let login = profiles.begin_device_login(&provider("codex"), world.row).await.unwrap();
    assert_eq!(login.page(), "https://login.example.test/device");
    world.fake.type_code(login.user_code()).unwrap();
    let cancel = CancellationToken::new();
    let id = profiles.finish_device_login(&login, &cancel).await.unwrap();
    assert_eq!(id, format!("codex:{FAKE_EMAIL}"));
    let credential = first(&profiles, &world.auth("codex")).await.unwrap();
    assert!(world.fake.accepts(&secret(&credential)));
}

#[tokio::test]
async fn a_login_on_another_device_as_the_vendors_do_it() {
    let world = World::new().await;
    let profiles = world.profiles();
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let minimax = OAuthRow {
        device_url: Some(leaked(world.fake.url("/minimax/code"))),
        token_url: leaked(world.fake.url("/minimax/token")),
        device_flow: DeviceFlow::UserCode,
        redirect: "",
        ..*world.row
    };
    let codex = OAuthRow {
        device_url: Some(leaked(world.fake.url("/api/accounts/deviceauth/usercode"))),
        device_flow: DeviceFlow::Codex,
        ..*world.row
    };
    assert!(minimax.is_device_only() && !codex.is_device_only());
    for (row, page) in
        [(minimax, "https://login.example.test/minimax".to_owned()), (codex, world.fake.url("/codex/device"))]
    {
        let row: &'static OAuthRow = Box::leak(Box::new(row));
        let login = profiles.begin_device_login(&provider("codex"), row).await.unwrap();
        assert_eq!(login.page(), page);
        let cancel = CancellationToken::new();
        let typing = async {
            tokio::task::yield_now().await;
            world.fake.type_code(login.user_code()).unwrap();
        };
        let (id, ()) = tokio::join!(profiles.finish_device_login(&login, &cancel), typing);
        assert_eq!(id.unwrap(), format!("codex:{FAKE_EMAIL}"));
        let credential = first(&profiles, &world.auth("codex")).await.unwrap();
        assert!(world.fake.accepts(&secret(&credential)), "{page}");
    }
}

#[tokio::test]
async fn a_login_at_github_is_a_token_without_an_end() {
    let world = World::new().await;
    let profiles = world.profiles();
    let token_url: &'static str = Box::leak(world.fake.url("/github/token").into_boxed_str());
    let row = OAuthRow { token_url, redirect: "", account: None, ..*world.row };
    let row: &'static OAuthRow = Box::leak(Box::new(row));
    let login = profiles.begin_device_login(&provider("github-copilot"), row).await.unwrap();
    let cancel = CancellationToken::new();
    let typing = async {
        tokio::task::yield_now().await;
        world.fake.type_code(login.user_code()).unwrap();
    };
    let (id, ()) = tokio::join!(profiles.finish_device_login(&login, &cancel), typing);
    let kept = world.read("main")["profiles"][id.unwrap()].clone();
    assert_eq!((&kept["type"], kept.get("expires")), (&serde_json::json!("token"), None), "{kept}");
    let credential = first(&profiles, &world.copilot()).await.unwrap();
    assert!(secret(&credential).starts_with("tid="), "the token was exchanged");
}

#[tokio::test]
async fn a_device_login_goes_on_through_trouble_and_ends_with_a_refusal() {
    let world = World::new().await;
    let profiles = world.profiles();
    let cancel = CancellationToken::new();
    let login = profiles.begin_device_login(&provider("codex"), world.row).await.unwrap();
    world.fake.fault(OAuthFault::Html).fault(OAuthFault::Refuses(503, "{}".to_owned()));
    world.fake.type_code(login.user_code()).unwrap();
    profiles.finish_device_login(&login, &cancel).await.unwrap();
    for (word, late) in [("access_denied", false), ("expired_token", true)] {
        let login = profiles.begin_device_login(&provider("codex"), world.row).await.unwrap();
        world.fake.fault(OAuthFault::Refuses(400, format!("{{\"error\":\"{word}\"}}")));
        let error = profiles.finish_device_login(&login, &cancel).await.unwrap_err();
        assert_eq!(matches!(error, LoginError::TooLate), late, "{error}");
    }
    let none: &'static OAuthRow = Box::leak(Box::new(OAuthRow { device_url: None, ..*world.row }));
    let error = profiles.begin_device_login(&provider("codex"), none).await.unwrap_err();
    assert!(matches!(error, LoginError::NotOffered { .. }));
}

#[tokio::test]
async fn a_wrong_client_is_refused_by_the_strict_server() {
    let world = World::new().await;
    let row: &'static OAuthRow = Box::leak(Box::new(OAuthRow { client_id: "somebody-else", ..*world.row }));
    let login = BrowserLogin::begin(&provider("codex"), row, &Environment::default()).unwrap();
    assert!(world.fake.approve(login.url()).is_err());
    world.store_login(-1);
    let auth = homard_models::auth::ProviderAuth { oauth: Some(row), ..world.auth("codex") };
    let error = first(&world.profiles(), &auth).await.unwrap_err();
    assert_eq!(error.reason, FailReason::Auth);
    assert!(error.message.contains("invalid_client"), "{error}");
}
