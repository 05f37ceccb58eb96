//! AWS keys from wherever AWS tools look: environment, shared files, web identity, container, instance.
//!
//! The chain itself is `aws-config`'s; this file gives it our environment instead of the process's and our
//! HTTP client instead of its own (`web`), and runs an owner's `credential_process` the way we run all
//! programs: with a built environment and within limits. Nothing is cached here; the caller keeps what is
//! found until shortly before it expires.

use std::collections::BTreeMap;
use std::time::{Duration, UNIX_EPOCH};

use aws_config::BehaviorVersion;
use aws_config::profile::ProfileSet;
use aws_credential_types::provider::ProvideCredentials;
use aws_credential_types::provider::error::CredentialsError;
use aws_types::os_shim_internal::{Env, Fs};
use homard_exec::{BuiltEnv, Command, Exit, Limits};
use homard_llm::{ApiKey, AwsKeys, FailReason, LlmError};
use homard_runtime::{CollectOrdered as _, OrCancel, millis_i64};
use serde::Deserialize;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

mod web;

/// How long looking everywhere may take; machines without metadata take a few seconds to say so.
const CHAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// How long an owner's `credential_process` may take: some of them ask a person or a phone.
const PROCESS_TIMEOUT: Duration = Duration::from_secs(60);
/// Most a `credential_process` may print, in bytes.
const PROCESS_OUTPUT: usize = 64 * 1024;
/// The region of those who name none.
const DEFAULT_REGION: &str = "us-east-1";
/// Begins the names a `credential_process` gets beside the base environment.
const OWN_NAMES: &str = "AWS_";

/// Keys, and until when they are good.
#[derive(Debug, Clone)]
pub(crate) struct FoundKeys {
    pub(crate) keys: AwsKeys,
    /// When they expire, in milliseconds since 1970; `None` for keys that do not.
    pub(crate) expires_at: Option<i64>,
}

/// Why no keys could be had. Never carries what a server or program said in their place: it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AwsError {
    #[error(
        "no AWS keys were found; run `aws configure`, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    )]
    Nowhere,
    #[error("the AWS configuration cannot be used: {what}")]
    Unusable { what: String },
    #[error("looking for AWS keys took longer than {} s", CHAIN_TIMEOUT.as_secs())]
    Slow,
    #[error("the credential_process of the AWS profile `{profile}` {what}")]
    Process { profile: String, what: String },
    #[error("the search for AWS keys was stopped")]
    Stopped,
}

impl From<AwsError> for LlmError {
    fn from(error: AwsError) -> Self {
        let reason = match error {
            AwsError::Slow => FailReason::Timeout,
            AwsError::Stopped => return Self::aborted(),
            AwsError::Nowhere | AwsError::Unusable { .. } | AwsError::Process { .. } => FailReason::Auth,
        };
        Self::new(reason, error.to_string())
    }
}

/// Looks everywhere in the order AWS tools do. `env` is the whole environment as Homard knows it: `AWS_*`,
/// and `HOME` and `PATH` for files and programs.
pub(crate) async fn chain(
    env: &[(String, String)],
    cancel: &CancellationToken,
) -> Result<FoundKeys, AwsError> {
    if cancel.is_cancelled() {
        return Err(AwsError::Stopped);
    }
    let pairs: Vec<(&str, &str)> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let shim = Env::from_slice(&pairs);
    let profiles = profiles(&shim).or_cancel(cancel).await.map_err(|_cancelled| AwsError::Stopped)??;
    if let Some(line) = process_line(&shim, &profiles) {
        let mut found = run_process(line, profiles.selected_profile(), env, cancel).await?;
        found.keys.region = named_region(&shim, &profiles).unwrap_or(DEFAULT_REGION.to_owned());
        return Ok(found);
    }
    let missing = shim.get("AWS_PROFILE").ok().filter(|name| profiles.get_profile(name).is_none());
    let looking = timeout(CHAIN_TIMEOUT, walk(shim)).or_cancel(cancel).await;
    let found = looking.map_err(|_cancelled| AwsError::Stopped)?.map_err(|_elapsed| AwsError::Slow)?;
    match (found, missing) {
        // The chain goes on past a profile that is not there; when nothing else is either, that is why.
        (Err(AwsError::Nowhere), Some(name)) => {
            Err(AwsError::Unusable { what: format!("there is no profile `{name}`; check AWS_PROFILE") })
        }
        (found, _) => found,
    }
}

async fn walk(env: Env) -> Result<FoundKeys, AwsError> {
    let loader = aws_config::defaults(BehaviorVersion::latest())
        .env(env)
        .fs(Fs::real())
        .http_client(web::Web::default());
    let config = loader.load().await;
    let provider = config.credentials_provider().ok_or(AwsError::Nowhere)?;
    let credentials = provider.provide_credentials().await.map_err(|error| refused(&error))?;
    let region = config.region().map_or(DEFAULT_REGION, |region| region.as_ref());
    let expires_at = credentials.expiry().and_then(|at| {
        let since = at.duration_since(UNIX_EPOCH).ok()?;
        Some(millis_i64(since))
    });
    Ok(FoundKeys {
        keys: AwsKeys {
            access_key_id: credentials.access_key_id().to_owned(),
            secret_access_key: ApiKey::new(credentials.secret_access_key()),
            session_token: credentials.session_token().map(ApiKey::new),
            region: region.to_owned(),
        },
        expires_at,
    })
}

fn refused(error: &CredentialsError) -> AwsError {
    match error {
        CredentialsError::CredentialsNotLoaded(_) => AwsError::Nowhere,
        CredentialsError::ProviderTimedOut(_) => AwsError::Slow,
        other => {
            let source = std::error::Error::source(other).map(|source| format!(": {source}"));
            AwsError::Unusable { what: format!("{other}{}", source.unwrap_or_default()) }
        }
    }
}

async fn profiles(env: &Env) -> Result<ProfileSet, AwsError> {
    // The parser's own message names the file and the line, and quotes neither.
    let loaded = aws_config::profile::load(&Fs::real(), env, &Default::default(), None).await;
    loaded.map_err(|error| AwsError::Unusable { what: error.to_string() })
}

/// The program that prints keys, where the profile has one and nothing comes before it.
fn process_line(env: &Env, profiles: &ProfileSet) -> Option<String> {
    let has_own = env.get("AWS_ACCESS_KEY_ID").is_ok_and(|key| !key.trim().is_empty())
        || profiles.get("aws_access_key_id").is_some()
        || profiles.get("role_arn").is_some();
    profiles.get("credential_process").filter(|_| !has_own).map(str::to_owned)
}

fn named_region(env: &Env, profiles: &ProfileSet) -> Option<String> {
    let named = |name: &str| env.get(name).ok().filter(|region| !region.trim().is_empty());
    named("AWS_REGION")
        .or_else(|| named("AWS_DEFAULT_REGION"))
        .or_else(|| profiles.get("region").map(str::to_owned))
}

/// What a `credential_process` prints.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Printed {
    version: u32,
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
    expiration: Option<jiff::Timestamp>,
}

async fn run_process(
    line: String,
    profile: &str,
    env: &[(String, String)],
    cancel: &CancellationToken,
) -> Result<FoundKeys, AwsError> {
    let failed = |what: &str| AwsError::Process { profile: profile.to_owned(), what: what.to_owned() };
    let base: BTreeMap<String, String> = env.iter().cloned().collect_map();
    let mut built = BuiltEnv::from_base(&base);
    for (name, value) in env.iter().filter(|(name, _)| name.starts_with(OWN_NAMES)) {
        built = built.with_explicit(name, value).map_err(|_bad| failed("cannot be given its environment"))?;
    }
    let home = base.get("HOME").map_or("/", String::as_str);
    let limits = Limits { timeout: PROCESS_TIMEOUT, max_output_bytes: PROCESS_OUTPUT };
    // A shell, because the setting is a line with quotes in it; the owner wrote it, nobody else.
    let outcome = homard_exec::run(Command::shell(line, home, built), limits, |_| {}, cancel).await;
    let outcome = outcome.map_err(|_not_started| failed("could not be started"))?;
    match outcome.exit {
        Exit::Exited(0) => {}
        Exit::Exited(code) => return Err(failed(&format!("ended with code {code}"))),
        Exit::Signalled(signal) => return Err(failed(&format!("was ended by signal {signal}"))),
        Exit::TimedOut => return Err(failed(&format!("took longer than {} s", PROCESS_TIMEOUT.as_secs()))),
        Exit::Cancelled => return Err(AwsError::Stopped),
        Exit::TooManyProcesses => return Err(failed("became too many processes and was stopped")),
    }
    // What it printed is a secret even where it is not readable.
    let printed: Printed = serde_json::from_str(outcome.output.trim())
        .map_err(|_unreadable| failed("did not print what AWS tools expect of it"))?;
    if printed.version != 1 {
        return Err(failed("prints a version other than 1"));
    }
    Ok(FoundKeys {
        keys: AwsKeys {
            access_key_id: printed.access_key_id,
            secret_access_key: ApiKey::new(&printed.secret_access_key),
            session_token: printed.session_token.as_deref().map(ApiKey::new),
            region: DEFAULT_REGION.to_owned(),
        },
        expires_at: printed.expiration.map(jiff::Timestamp::as_millisecond),
    })
}

#[cfg(test)]
mod tests;
