//! No value of a credential is ever printed: not by `Debug`, not in errors, not in the log.

use std::io::Write;
use std::sync::Arc;

use homard_llm::{ApiKey, FailReason};
use homard_models::auth::{NewProfile, NewSecret};
use homard_runtime::Mutex;
use homard_testkit::OAuthFault;
use proptest::prelude::{ProptestConfig, proptest};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::fmt::MakeWriter;

use super::world::{NOW, World, provider};

/// Everything that was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Uses a secret in every way and returns everything that was printed on the way.
async fn printed(secret: &str, fault: OAuthFault) -> String {
    let world = World::new().await;
    let mut out = String::new();
    let mut print = |text: String| out.push_str(&text);
    world.write_profiles(&json!({
        "codex:a": {"type": "oauth", "provider": "codex", "access": format!("{secret}-a"), "refresh": secret, "expires": NOW - 1},
        "codex:b": {"type": "token", "provider": "codex", "token": secret, "expires": NOW - 1},
        "codex:c": {"type": "api_key", "provider": "codex", "key": secret},
        "github-copilot:d": {"type": "token", "provider": "github-copilot", "token": secret},
    }));
    let profiles = world.profiles();
    let cancel = CancellationToken::new();
    for auth in [world.auth("codex"), world.copilot()] {
        world.fake.fault(fault.clone());
        for candidate in profiles.candidates(&auth, None).await {
            let credential = profiles.credential(&auth, &candidate, &cancel).await;
            print(format!("{candidate:?} {credential:?}"));
            if let Err(error) = credential {
                print(format!("{error} {}", error.hint()));
            }
            profiles.mark_failed(&candidate, FailReason::Auth, None);
        }
        print(format!("{:?} {auth:?}", profiles.nothing_usable(&auth).await));
    }
    profiles.flush().await;
    let new = NewProfile {
        secret: NewSecret::Token { token: ApiKey::new(secret), expires: None },
        ..NewProfile::key(provider("acme"), ApiKey::new(secret))
    };
    print(format!("{new:?} {:?}", profiles.add(new.clone()).await));
    world.write("main", &format!("{{\"profiles\": {{\"x\": \"{secret}"));
    print(format!("{:?} {:?}", profiles.describe().await.problem, profiles.add(new).await));
    print(format!("{profiles:?}"));
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn secrets_are_never_printed(secret in "[a-z_]{16,48}", which in 0_usize..4) {
        let fault = [
            OAuthFault::Echoes,
            OAuthFault::Html,
            OAuthFault::Refuses(400, format!("{{\"error\": \"{secret}\", \"message\": \"{secret}\"}}")),
            OAuthFault::Refuses(500, secret.clone()),
        ][which].clone();
        let log = Log::default();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(log.clone())
            .with_max_level(tracing::Level::TRACE)
            .finish();
        let printed = tracing::subscriber::with_default(subscriber, || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(printed(&secret, fault))
        });
        assert!(!printed.contains(&secret), "printed: {printed}");
        let logged = String::from_utf8_lossy(&log.0.lock()).into_owned();
        assert!(!logged.contains(&secret), "logged: {logged}");
    }
}
