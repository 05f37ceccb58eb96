//! The questions themselves: one server, one bounded answer.

use std::time::Duration;

use homard_llm::{Credential, Fetch, Headers, LlmError};
use serde_json::Value;

use super::{DiscoveryParts, FoundModel, Target, bedrock, listing, ollama, own_server};
use crate::catalogue::DiscoveryKind;

/// How long a server may take to list its models.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(5);
/// Largest list accepted, in bytes.
const SIZE_LIMIT: usize = 8 * 1024 * 1024;

/// Asks one server.
pub(super) async fn models(parts: &DiscoveryParts, target: &Target) -> Result<Vec<FoundModel>, LlmError> {
    let proof = proof(parts, target).await;
    let question = Question { parts, target, proof: proof.as_ref() };
    let asking = async {
        match target.kind {
            DiscoveryKind::Fixed => Ok(Vec::new()),
            DiscoveryKind::OpenAi => {
                let list = question.get(&list_url(&target.base_url)).await?;
                let models = listing::read(&list, listing::Unit::Million)?;
                Ok(own_server::windows(&question, &list, models).await)
            }
            DiscoveryKind::OpenAiPerToken => {
                let list = question.get(&list_url(&target.base_url)).await?;
                listing::read(&list, listing::Unit::Token)
            }
            DiscoveryKind::Ollama => ollama::models(&question).await,
            DiscoveryKind::Bedrock => bedrock::models(&question).await,
        }
    };
    // Several requests may stand behind one question; together they have as long as one.
    match tokio::time::timeout(TIME_LIMIT, asking).await {
        Ok(answer) => answer,
        Err(_) => Err(LlmError::new(
            homard_llm::FailReason::Timeout,
            format!("the server did not list its models within {TIME_LIMIT:?}"),
        )),
    }
}

/// What to ask with: a key that lies about, else a stored credential.
async fn proof(parts: &DiscoveryParts, target: &Target) -> Option<Credential> {
    let auth = &target.auth;
    let lying = auth.env.first().map(|(_, key)| key).filter(|_| auth.exchange.is_none());
    if let Some(key) = lying.or(auth.config_key.as_ref()) {
        return Some(Credential { secret: Some(key.clone()), ..Credential::default() });
    }
    let keys = parts.keys.as_ref().filter(|_| !auth.keyless)?;
    let found = tokio::time::timeout(TIME_LIMIT, keys(auth.clone())).await.ok()??;
    Some(Credential::clone(&found))
}

/// One server and what it is asked with.
pub(super) struct Question<'a> {
    pub(super) parts: &'a DiscoveryParts,
    pub(super) target: &'a Target,
    pub(super) proof: Option<&'a Credential>,
}

impl Question<'_> {
    /// Reads the document at an address.
    pub(super) async fn get(&self, url: &str) -> Result<Value, LlmError> {
        self.fetch(Fetch::get(url).with_headers(self.headers())).await
    }

    /// Sends a document and reads the answer.
    pub(super) async fn post(&self, url: &str, body: &Value) -> Result<Value, LlmError> {
        let kind = ("content-type".to_owned(), "application/json".to_owned());
        let headers = self.headers();
        let own = headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let headers: Headers = own.chain([kind]).collect();
        self.fetch(Fetch::post(url, body.to_string().into_bytes()).with_headers(headers)).await
    }

    /// Sends a prepared request.
    pub(super) async fn fetch(&self, mut request: Fetch) -> Result<Value, LlmError> {
        request.time_limit = TIME_LIMIT;
        request.size_limit = SIZE_LIMIT;
        let secret = self.proof.and_then(|proof| proof.secret.as_ref());
        let secrets: Vec<&str> = secret.map(homard_llm::ApiKey::expose).into_iter().collect();
        self.parts.http.fetch(request).await?.json(&secrets)
    }

    fn headers(&self) -> Headers {
        let own = self.target.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let secret = self.proof.and_then(|proof| proof.secret.as_ref());
        let bearer = secret.map(|key| ("authorization".to_owned(), format!("Bearer {}", key.expose())));
        own.chain(bearer).collect()
    }
}

/// Where the list lies: beside the calls, under the version.
fn list_url(base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    let last = base.rsplit('/').next().unwrap_or_default();
    let has_version =
        last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if has_version { format!("{base}/models") } else { format!("{base}/v1/models") }
}
