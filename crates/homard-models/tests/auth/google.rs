//! A login with a Google account, from the page to a call: in the name of the vendor's program, with a project that pays.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use homard_config::Environment;
use homard_llm::{FailReason, Http, HttpOptions, Models, ProviderSpec, Request, StreamEvent, ThinkingLevel};
use homard_models::auth::oauth::{BorrowedClient, BrowserLogin, LoginError};
use homard_models::auth::{OAuthRow, Profiles, ProjectError, ProviderAuth};
use homard_protocol::{Message, ModelId, ModelRef};
use homard_testkit::{
    FAKE_CLIENT_ID, FAKE_CLIENT_SECRET, FAKE_EMAIL, FAKE_PROJECT, FakeLlm, GoogleAccount, OAuthFault,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::world::{HOUR, NOW, World, first, provider, secret};

const GEMINI: &str = "google-gemini-cli";
const ID_VARIABLE: &str = "TEST_ID";
const SECRET_VARIABLE: &str = "TEST_SECRET";

fn row(world: &World) -> &'static OAuthRow {
    let forever = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    Box::leak(Box::new(OAuthRow {
        token_url: forever(world.fake.url("/google/token")),
        client_id: "",
        scopes: "https://www.googleapis.com/auth/cloud-platform https://www.googleapis.com/auth/userinfo.email",
        redirect: "http://localhost:0/oauth2callback",
        extra: &[("access_type", "offline"), ("prompt", "consent")],
        account: None,
        borrowed: Some(BorrowedClient {
            id_env: &[ID_VARIABLE],
            secret_env: &[SECRET_VARIABLE],
            program: "no-such-program-here",
            install: "install it",
        }),
        projects: Some(forever(world.fake.url(""))),
        ..*world.row
    }))
}

fn env(more: &[(&str, &str)]) -> Environment {
    let own = [(ID_VARIABLE, FAKE_CLIENT_ID), (SECRET_VARIABLE, FAKE_CLIENT_SECRET)];
    Environment::from_pairs(own.iter().chain(more).map(|(k, v)| ((*k).to_owned(), (*v).to_owned())))
}

fn auth(world: &World, row: &'static OAuthRow) -> ProviderAuth {
    ProviderAuth { oauth: Some(row), ..world.auth(GEMINI) }
}

/// Logs in as somebody without a browser here would: the address it ended at is pasted.
async fn log_in(world: &World, row: &'static OAuthRow, profiles: &Profiles) -> Result<String, LoginError> {
    let login = BrowserLogin::begin(&provider(GEMINI), row, &profiles.environment())?;
    let back = world.fake.approve_google(login.url()).unwrap();
    profiles.finish_login(&login, &login.pasted(&back)?).await
}

#[tokio::test]
async fn a_login_comes_back_to_this_machine_and_is_kept_with_its_project() {
    let world = World::new().await;
    let (row, profiles) = (row(&world), world.profiles().with_environment(env(&[])));
    let began = BrowserLogin::begin_here(&provider(GEMINI), row, &profiles.environment()).await;
    let (login, listener) = began.unwrap();
    let back = world.fake.approve_google(login.url()).unwrap();
    let http = Http::new(HttpOptions::default(), world.clock.clone());
    let (cancel, browser) = (CancellationToken::new(), http.fetch(homard_llm::Fetch::get(&back)));
    let (code, page) = tokio::join!(listener.wait(&login, &cancel), browser);
    assert_eq!(page.unwrap().status, 200);
    let id = profiles.finish_login(&login, &code.unwrap()).await.unwrap();
    assert_eq!(id, format!("{GEMINI}:{FAKE_EMAIL}"));
    let kept = world.read("main")["profiles"][&id].clone();
    assert_eq!((&kept["projectId"], &kept["clientId"]), (&json!(FAKE_PROJECT), &json!(FAKE_CLIENT_ID)));
    let credential = first(&profiles, &auth(&world, row)).await.unwrap();
    assert_eq!(credential.project.as_deref(), Some(FAKE_PROJECT));
    assert!(world.fake.accepts(&secret(&credential)));
}

#[tokio::test]
async fn a_turn_names_the_token_and_the_project() {
    let world = World::new().await;
    let (row, profiles) = (row(&world), world.profiles().with_environment(env(&[])));
    log_in(&world, row, &profiles).await.unwrap();
    let credential = first(&profiles, &auth(&world, row)).await.unwrap();
    let llm = FakeLlm::start().await.unwrap();
    llm.says("hello from Gemini");
    let spec = ProviderSpec::new(provider(GEMINI), GEMINI, llm.url());
    let http = Http::new(HttpOptions::default(), world.clock.clone());
    let models = Models::new(vec![spec], &http, &world.clock);
    let model = ModelRef { provider: provider(GEMINI), model: ModelId::parse("gemini-2.5-pro").unwrap() };
    let resolved = models.resolve(&model).unwrap();
    let said = json!({"role": "user", "content": "hi", "timestamp": NOW});
    let request = Request {
        model: resolved.model,
        system: "Be brief.".into(),
        messages: vec![Arc::new(serde_json::from_value::<Message>(said).unwrap())],
        tools: Arc::new([]),
        max_tokens: None,
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: Some(Arc::clone(&credential)),
        session: None,
        program_dir: None,
    };
    let events: Vec<_> = resolved.provider.stream(request, CancellationToken::new()).collect().await;
    let text: String = events
        .iter()
        .filter_map(|event| if let StreamEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(text, "hello from Gemini", "{events:?}");
    let asked = llm.requests().remove(0);
    assert_eq!(asked.path, "/v1internal:streamGenerateContent");
    assert_eq!(asked.header("authorization"), Some(format!("Bearer {}", secret(&credential)).as_str()));
    assert_eq!(json!([asked.body["model"], asked.body["project"]]), json!(["gemini-2.5-pro", FAKE_PROJECT]));
}

#[tokio::test]
async fn a_login_is_renewed_in_the_same_name_and_keeps_what_it_has() {
    let world = World::new().await;
    let (row, profiles) = (row(&world), world.profiles().with_environment(env(&[])));
    let id = log_in(&world, row, &profiles).await.unwrap();
    let before = world.read("main")["profiles"][&id].clone();
    world.clock.advance(Duration::from_millis(2 * HOUR.unsigned_abs()));
    // The program that renews need not know the environment of the one that logged in.
    let credential = first(&world.profiles(), &auth(&world, row)).await.unwrap();
    assert_eq!(world.fake.refreshes(), 1);
    assert_ne!(json!(secret(&credential)), before["access"]);
    assert!(world.fake.accepts(&secret(&credential)));
    let after = world.read("main")["profiles"][&id].clone();
    for same in ["refresh", "projectId", "clientId", "clientSecret"] {
        assert_eq!(before[same], after[same], "{same}");
    }
}

#[tokio::test]
async fn a_login_of_another_program_is_renewed_by_its_secret_and_asks_for_its_project() {
    let world = World::new().await;
    let (row, profiles) = (row(&world), world.profiles().with_environment(env(&[])));
    let id = log_in(&world, row, &profiles).await.unwrap();
    let mut bare = world.read("main")["profiles"][&id].clone();
    for name in ["projectId", "clientId", "clientSecret"] {
        bare.as_object_mut().unwrap().remove(name);
    }
    bare["expires"] = json!(NOW - 1);
    world.write_profiles(&json!({ id.clone(): bare }));
    let error = first(&world.profiles(), &auth(&world, row)).await.unwrap_err();
    assert!(error.reason == FailReason::Auth && error.message.contains(ID_VARIABLE), "{error}");
    let own = world.profiles().with_environment(env(&[]));
    let credential = first(&own, &auth(&world, row)).await.unwrap();
    assert_eq!(credential.project.as_deref(), Some(FAKE_PROJECT));
    own.flush().await;
    assert_eq!(world.read("main")["profiles"][&id]["projectId"], FAKE_PROJECT);
}

#[tokio::test]
async fn accounts_are_set_up_bring_a_project_or_are_told_why_not() {
    let refused = || GoogleAccount::Refused("Not available in your country.".to_owned());
    let own = [("GOOGLE_CLOUD_PROJECT", "ours-7")];
    let rows = [
        (GoogleAccount::New, &own[..0], Ok(FAKE_PROJECT)),
        (GoogleAccount::Organisation, &own[..0], Err(ProjectError::NeedsOne)),
        (GoogleAccount::Organisation, &own[..], Ok("ours-7")),
        (refused(), &own[..0], Err(ProjectError::NotEligible("Not available in your country.".to_owned()))),
        (GoogleAccount::New, &own[..], Ok(FAKE_PROJECT)),
    ];
    for (account, more, expected) in rows {
        let world = World::new().await;
        world.fake.google_account(account.clone());
        let (row, profiles) = (row(&world), world.profiles().with_environment(env(more)));
        match (log_in(&world, row, &profiles).await, expected) {
            (Ok(id), Ok(project)) => {
                assert_eq!(world.read("main")["profiles"][&id]["projectId"], project, "{account:?}");
            }
            (Err(LoginError::Project(error)), Err(expected)) => {
                assert_eq!(error, expected, "{account:?}");
                assert!(!world.path("main").exists(), "nothing is kept of a login that cannot be used");
            }
            (came, expected) => panic!("{account:?}: {came:?} instead of {expected:?}"),
        }
    }
}

#[tokio::test]
async fn a_wrong_state_a_no_and_a_missing_program_end_the_login() {
    let world = World::new().await;
    let (row, profiles) = (row(&world), world.profiles().with_environment(env(&[])));
    let login = BrowserLogin::begin(&provider(GEMINI), row, &profiles.environment()).unwrap();
    let back = world.fake.approve_google(login.url()).unwrap();
    let (start, _) = back.split_once("state=").unwrap();
    assert!(matches!(login.pasted(&format!("{start}state=guessed")), Err(LoginError::WrongState)));
    let denied = world.fake.deny(login.url()).unwrap();
    assert!(matches!(login.pasted(&denied), Err(LoginError::Refused { code: "access_denied" })));
    world.fake.fault(OAuthFault::Refuses(400, json!({"error": "invalid_grant"}).to_string()));
    let refused = profiles.finish_login(&login, &login.pasted(&back).unwrap()).await;
    assert!(matches!(refused, Err(LoginError::Refused { code: "invalid_grant" })), "{refused:?}");
    let nobody = BrowserLogin::begin(&provider(GEMINI), row, &Environment::default());
    let words = nobody.unwrap_err().to_string();
    assert!(words.contains("install it") && words.contains(SECRET_VARIABLE), "{words}");
    assert!(!world.path("main").exists());
}

#[tokio::test]
async fn a_revoked_login_asks_for_a_new_one_and_no_secret_is_shown() {
    let world = World::new().await;
    let (row, profiles) = (row(&world), world.profiles().with_environment(env(&[])));
    let id = log_in(&world, row, &profiles).await.unwrap();
    let kept: Value = world.read("main")["profiles"][&id].clone();
    world.fake.revoke(kept["refresh"].as_str().unwrap());
    world.clock.advance(Duration::from_millis(2 * HOUR.unsigned_abs()));
    let error = first(&world.profiles(), &auth(&world, row)).await.unwrap_err();
    assert!(error.message.contains("homard models auth login --provider google-gemini-cli"), "{error}");
    let shown = format!("{error:?} {profiles:?} {:?}", profiles.describe().await);
    assert!(!shown.contains(FAKE_CLIENT_SECRET) && !shown.contains(kept["access"].as_str().unwrap()));
}
