//! The project a Google login's calls are counted for: most accounts are given one by Google, the first time they ask;
//! those of organisations bring their own.

use homard_llm::{ApiKey, Fetch, Headers};
use homard_runtime::brief;
use serde::Deserialize;
use serde_json::{Value, json};

use super::profiles::Profiles;

/// Largest answer, in bytes.
const MAX_ANSWER: usize = 256 * 1024;
/// How often an account that is being set up is asked about.
const MAX_LOOKS: usize = 24;
/// Longest reason of Google's that is repeated, in characters.
const MAX_REASON: usize = 400;
/// Where an account's own project is named.
const PROJECT_ENV: [&str; 2] = ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"];
/// The plan that comes with a project of Google's own; naming another makes it refuse.
const FREE: &str = "free-tier";
/// The plan of accounts that are offered none.
const LEGACY: &str = "legacy-tier";

/// Why there is no project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProjectError {
    #[error("Google could not be asked which project pays: {0}")]
    Unreachable(String),
    #[error("Google does not let this account in: {0}")]
    NotEligible(String),
    #[error(
        "this account needs a Google Cloud project of its own; set GOOGLE_CLOUD_PROJECT to its id, and log in again"
    )]
    NeedsOne,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Loaded {
    current_tier: Option<Tier>,
    allowed_tiers: Vec<Tier>,
    ineligible_tiers: Vec<Reason>,
    cloudaicompanion_project: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Tier {
    id: Option<String>,
    is_default: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Reason {
    reason_message: Option<String>,
    validation_url: Option<String>,
}

impl Profiles {
    /// The project that pays for the calls of a login.
    pub(super) async fn project(&self, server: &str, access: &ApiKey) -> Result<String, ProjectError> {
        let env = self.environment();
        let wanted = PROJECT_ENV.iter().find_map(|name| env.get(name)).map(str::to_owned);
        Account { profiles: self, server, access, wanted }.project().await
    }
}

/// An account at Google, with a token that was just had for it.
struct Account<'a> {
    profiles: &'a Profiles,
    server: &'a str,
    access: &'a ApiKey,
    /// The owner's own project.
    wanted: Option<String>,
}

impl Account<'_> {
    async fn project(self) -> Result<String, ProjectError> {
        let mut about = json!({"metadata": self.metadata()});
        if let (Some(about), Some(wanted)) = (about.as_object_mut(), &self.wanted) {
            about.insert("cloudaicompanionProject".to_owned(), json!(wanted));
        }
        let loaded = self.post("loadCodeAssist", &about).await?;
        let loaded: Loaded = serde_json::from_value(loaded).unwrap_or_default();
        let found = if loaded.current_tier.is_some() {
            loaded.cloudaicompanion_project.clone()
        } else {
            self.onboard(&loaded).await?
        };
        found.filter(|project| !project.is_empty()).or(self.wanted).ok_or_else(|| why_not(&loaded))
    }

    /// Sets up an account that never asked before.
    async fn onboard(&self, loaded: &Loaded) -> Result<Option<String>, ProjectError> {
        let offered = loaded.allowed_tiers.iter().find(|tier| tier.is_default);
        let tier = offered.and_then(|tier| tier.id.as_deref()).unwrap_or(LEGACY);
        if tier != FREE && self.wanted.is_none() {
            return Err(why_not(loaded));
        }
        let mut about = json!({"tierId": tier, "metadata": self.metadata()});
        if let (Some(about), Some(wanted)) =
            (about.as_object_mut(), self.wanted.as_ref().filter(|_| tier != FREE))
        {
            about.insert("cloudaicompanionProject".to_owned(), json!(wanted));
        }
        let mut work = self.post("onboardUser", &about).await?;
        for _ in 0..MAX_LOOKS {
            let name = work.get("name").and_then(Value::as_str).unwrap_or_default();
            if work.get("done") == Some(&Value::Bool(true)) || name.is_empty() {
                break;
            }
            tokio::time::sleep(self.profiles.inner.limits.slow_down).await;
            work = self.ask(Fetch::get(format!("{}/v1internal/{name}", self.server))).await?;
        }
        let project = work.pointer("/response/cloudaicompanionProject/id");
        Ok(project.and_then(Value::as_str).map(str::to_owned))
    }

    fn metadata(&self) -> Value {
        let mut about =
            json!({"ideType": "IDE_UNSPECIFIED", "platform": "PLATFORM_UNSPECIFIED", "pluginType": "GEMINI"});
        if let (Some(about), Some(wanted)) = (about.as_object_mut(), &self.wanted) {
            about.insert("duetProject".to_owned(), json!(wanted));
        }
        about
    }

    async fn post(&self, method: &str, body: &Value) -> Result<Value, ProjectError> {
        let url = format!("{}/v1internal:{method}", self.server);
        self.ask(Fetch::post(url, body.to_string().into_bytes())).await
    }

    async fn ask(&self, request: Fetch) -> Result<Value, ProjectError> {
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json".to_owned()),
            ("authorization", format!("Bearer {}", self.access.expose())),
        ];
        let headers: Headers = headers.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        let mut request = request.with_headers(headers);
        let inner = &self.profiles.inner;
        request.time_limit = inner.limits.token_timeout;
        request.size_limit = MAX_ANSWER;
        let unreachable = |why: String| ProjectError::Unreachable(why);
        let fetched = inner.cx.http.fetch(request).await.map_err(|error| unreachable(error.message))?;
        let said: Value = serde_json::from_slice(&fetched.body)
            .map_err(|_page| unreachable(format!("it answered {} with no JSON", fetched.status)))?;
        if fetched.is_success() {
            return Ok(said);
        }
        let words = said.pointer("/error/message").and_then(Value::as_str).unwrap_or("it does not say why");
        let words = brief(words, MAX_REASON).replace(self.access.expose(), "••••");
        Err(match fetched.status {
            400..=404 => ProjectError::NotEligible(words),
            status => unreachable(format!("it answered {status}: {words}")),
        })
    }
}

/// Why an account has no project, in Google's words where it has some.
fn why_not(loaded: &Loaded) -> ProjectError {
    let reasons = loaded.ineligible_tiers.iter().filter_map(|one| {
        let words = one.reason_message.as_deref().map(|words| brief(words, MAX_REASON))?;
        let page = one.validation_url.as_deref().filter(|page| page.starts_with("https://"));
        Some(page.map_or_else(|| words.clone(), |page| format!("{words} ({page})")))
    });
    let reasons: Vec<_> = reasons.collect();
    if reasons.is_empty() { ProjectError::NeedsOne } else { ProjectError::NotEligible(reasons.join("; ")) }
}
