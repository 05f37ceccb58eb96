//! Logins other programs on this machine have made, read only when a person asks for it.
//!
//! Nothing is written, neither there nor here: the caller shows what was found and stores what the person wants.
//! Renewing an imported login may end the other program's own, which is why nothing is taken silently.

use std::path::Path;

use homard_llm::ApiKey;
use homard_protocol::ProviderId;
use serde_json::Value;

use super::manage::{NewProfile, NewSecret};
use super::oauth::{claim, expiry};

/// Largest file read, in bytes.
const MAX_FILE: u64 = 1024 * 1024;
/// Life assumed of a token that does not say, from when its file says it was renewed.
const DEFAULT_LIFE_MS: i64 = 3_600_000;
/// Where in a Codex token the account stands.
const CODEX_ACCOUNT: &str = "/https:~1~1api.openai.com~1auth/chatgpt_account_id";

/// A login found.
#[derive(Debug, Clone)]
pub struct Imported {
    /// What can be stored.
    pub profile: NewProfile,
    /// The program it belongs to, for people.
    pub program: &'static str,
    /// The file it was found in, from the home directory.
    pub file: &'static str,
}

/// Looks for logins in a home directory. Blocks on the disk.
#[must_use]
pub fn import_external(home: &Path) -> Vec<Imported> {
    let found = [
        (".codex/auth.json", "Codex", codex as fn(&Value) -> Option<NewProfile>),
        (".claude/.credentials.json", "Claude Code", claude),
        (".gemini/oauth_creds.json", "Gemini CLI", gemini),
    ];
    found
        .into_iter()
        .filter_map(|(file, program, read)| {
            Some(Imported { profile: read(&json_at(&home.join(file))?)?, program, file })
        })
        .collect()
}

fn json_at(path: &Path) -> Option<Value> {
    let meta = std::fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str().map(str::trim).filter(|text| !text.is_empty())
}

fn profile(provider: &str, id: &str, secret: NewSecret, email: Option<String>) -> Option<NewProfile> {
    let provider = ProviderId::parse(provider).ok()?;
    Some(NewProfile {
        provider,
        secret,
        email,
        metadata: std::collections::BTreeMap::new(),
        id: Some(id.to_owned()),
    })
}

fn codex(value: &Value) -> Option<NewProfile> {
    let Some(access) = text(value, "/tokens/access_token") else {
        let key = ApiKey::new(text(value, "/OPENAI_API_KEY")?);
        return profile("openai", "openai:codex-cli", NewSecret::Key(key), None);
    };
    let id_token = text(value, "/tokens/id_token").unwrap_or_default();
    let renewed = text(value, "/last_refresh").and_then(|at| at.parse::<jiff::Timestamp>().ok());
    let guess = renewed.map_or(0, |at| at.as_millisecond().saturating_add(DEFAULT_LIFE_MS));
    let account =
        text(value, "/tokens/account_id").map(str::to_owned).or_else(|| claim(access, CODEX_ACCOUNT));
    let secret = NewSecret::OAuth {
        access: ApiKey::new(access),
        refresh: text(value, "/tokens/refresh_token").map(ApiKey::new),
        expires: expiry(access).unwrap_or(guess),
        account,
    };
    profile("openai-codex", "openai-codex:codex-cli", secret, claim(id_token, "/email"))
}

fn claude(value: &Value) -> Option<NewProfile> {
    let access = text(value, "/claudeAiOauth/accessToken")?;
    let expires = value.pointer("/claudeAiOauth/expiresAt").and_then(Value::as_i64);
    let refresh = text(value, "/claudeAiOauth/refreshToken").map(ApiKey::new);
    let secret = match refresh {
        None => NewSecret::Token { token: ApiKey::new(access), expires },
        Some(refresh) => NewSecret::OAuth {
            access: ApiKey::new(access),
            refresh: Some(refresh),
            expires: expires.unwrap_or(0),
            account: None,
        },
    };
    profile("anthropic", "anthropic:claude-cli", secret, None)
}

/// The project that pays is not written there; it is asked for with the first call.
fn gemini(value: &Value) -> Option<NewProfile> {
    let secret = NewSecret::OAuth {
        access: ApiKey::new(text(value, "/access_token")?),
        refresh: text(value, "/refresh_token").map(ApiKey::new),
        // Written with a fraction of a millisecond by some versions.
        expires: value
            .get("expiry_date")
            .and_then(Value::as_number)?
            .to_string()
            .split('.')
            .next()?
            .parse()
            .ok()?,
        account: None,
    };
    let id_token = text(value, "/id_token").unwrap_or_default();
    profile("google-gemini-cli", "google-gemini-cli:gemini-cli", secret, claim(id_token, "/email"))
}

#[cfg(test)]
mod tests;
