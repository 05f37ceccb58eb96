//! A disk, a clock, a login server, and short words for using them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use homard_llm::{ApiKey, Credential, CredentialKind, Http, HttpOptions, LlmError};
use homard_models::auth::{
    AccountClaim, AuthContext, AuthLimits, Candidate, Exchange, OAuthRow, ProfileFiles, ProfilePolicy,
    Profiles, ProviderAuth,
};
use homard_protocol::ProviderId;
use homard_runtime::{Clock, Tasks};
use homard_testkit::{FAKE_CLIENT_ID, FakeOAuth, Issued};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// In milliseconds; the fake's Copilot tokens end 500 seconds later.
pub(crate) const NOW: i64 = 1_000_000;
pub(crate) const HOUR: i64 = 3_600_000;

pub(crate) struct World {
    dir: TempDir,
    pub(crate) clock: Clock,
    pub(crate) fake: FakeOAuth,
    pub(crate) row: &'static OAuthRow,
    copilot: &'static str,
    pub(crate) limits: AuthLimits,
}

pub(crate) fn provider(name: &str) -> ProviderId {
    ProviderId::parse(name).unwrap()
}

fn forever(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

impl World {
    pub(crate) async fn new() -> Self {
        let fake = FakeOAuth::start().await.unwrap();
        let row = OAuthRow {
            authorize_url: forever(fake.url("/authorize")),
            token_url: forever(fake.url("/token")),
            device_url: Some(forever(fake.url("/device"))),
            client_id: FAKE_CLIENT_ID,
            scopes: "openid offline_access",
            redirect: "http://localhost:0/auth/callback",
            account: Some(AccountClaim {
                pointer: "/https:~1~1api.openai.com~1auth/chatgpt_account_id",
                header: "chatgpt-account-id",
            }),
            ..OAuthRow::EMPTY
        };
        let limits = AuthLimits {
            token_timeout: Duration::from_secs(20),
            grace_wait: Duration::from_secs(20),
            lock_wait: Duration::from_secs(20),
            slow_down: Duration::from_millis(1),
        };
        Self {
            dir: TempDir::new().unwrap(),
            clock: Clock::fixed(NOW),
            copilot: forever(fake.url("/copilot")),
            fake,
            row: Box::leak(Box::new(row)),
            limits,
        }
    }

    pub(crate) fn path(&self, agent: &str) -> PathBuf {
        self.dir.path().join(format!("agents/{agent}/agent/auth-profiles.json"))
    }

    pub(crate) fn write(&self, agent: &str, text: &str) {
        let path = self.path(agent);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn write_profiles(&self, profiles: &Value) {
        self.write("main", &json!({"version": 1, "profiles": profiles}).to_string());
    }

    pub(crate) fn read(&self, agent: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path(agent)).unwrap()).unwrap()
    }

    /// A handle of its own, as another process would have.
    pub(crate) fn profiles(&self) -> Profiles {
        self.profiles_of("main", ProfilePolicy::default())
    }

    pub(crate) fn profiles_of(&self, agent: &str, policy: ProfilePolicy) -> Profiles {
        let main = (agent != "main").then(|| self.path("main"));
        let http = Http::new(HttpOptions::default(), self.clock.clone());
        let cx = AuthContext {
            clock: self.clock.clone(),
            http,
            tasks: Tasks::new(),
            secrets: homard_runtime::Redactor::default(),
        };
        Profiles::open_with(ProfileFiles { own: self.path(agent), main }, policy, cx, self.limits)
    }

    pub(crate) fn auth(&self, name: &str) -> ProviderAuth {
        ProviderAuth {
            provider: provider(name),
            env: Vec::new(),
            env_kind: CredentialKind::ApiKey,
            config_key: None,
            aws: false,
            keyless: false,
            oauth: Some(self.row),
            exchange: None,
            base_url_template: None,
        }
    }

    pub(crate) fn copilot(&self) -> ProviderAuth {
        ProviderAuth {
            exchange: Some(Exchange::Copilot { url: self.copilot }),
            ..self.auth("github-copilot")
        }
    }

    /// Stores a login that expires this long from now.
    pub(crate) fn store_login(&self, left_ms: i64) -> Issued {
        let issued = self.fake.issue();
        self.write_profiles(&json!({"codex:default": login(&issued, NOW + left_ms)}));
        issued
    }
}

pub(crate) fn login(issued: &Issued, expires: i64) -> Value {
    json!({"type": "oauth", "provider": "codex", "access": issued.access, "refresh": issued.refresh, "expires": expires, "projectId": "kept"})
}

/// The first candidate's proof.
pub(crate) async fn first(profiles: &Profiles, auth: &ProviderAuth) -> Result<Arc<Credential>, LlmError> {
    let candidates = profiles.candidates(auth, None).await;
    profiles.credential(auth, &candidates[0], &CancellationToken::new()).await
}

pub(crate) async fn ids(profiles: &Profiles, auth: &ProviderAuth, pinned: Option<&str>) -> Vec<String> {
    profiles.candidates(auth, pinned).await.into_iter().map(|candidate| candidate.id).collect()
}

pub(crate) async fn candidate(profiles: &Profiles, auth: &ProviderAuth, id: &str) -> Candidate {
    let all = profiles.candidates(auth, None).await;
    all.into_iter().find(|candidate| candidate.id == id).unwrap()
}

pub(crate) fn secret(credential: &Credential) -> String {
    credential.secret.as_ref().map(ApiKey::expose).unwrap_or_default().to_owned()
}
