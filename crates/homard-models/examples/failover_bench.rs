//! How long it takes to go on with the next credential after a refusal, for `cargo xtask bench`: one JSON
//! document on standard output. The server is the fake one, in the same process; the profiles are on disk.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use homard_config::config::budgets::Budgets;
use homard_llm::{
    CredentialKind, Http, ModelSpec, Models, Provider, ProviderSpec, Request, Resolved, StreamEvent,
    ThinkingLevel,
};
use homard_models::auth::{AuthContext, ProfileFiles, ProfilePolicy, Profiles, ProviderAuth};
use homard_models::budget::{Ledger, Spender};
use homard_models::failover::{CallRecord, Caller, CallerParts, FailoverPolicy, Meter, Pacing};
use homard_protocol::{AgentId, Message, ModelId, ModelRef, ProviderId, SessionKey};
use homard_runtime::{Clock, Tasks};
use homard_testkit::FakeLlm;
use jiff::tz::TimeZone;
use serde_json::json;
use tokio_util::sync::CancellationToken;

type Failure = Box<dyn std::error::Error>;

const API: &str = "openai-completions";
/// How often it is measured.
const ROUNDS: usize = 50;
/// Most time the switch may take, in milliseconds.
const LIMIT: f64 = 5.0;

struct Nobody;

impl Meter for Nobody {
    fn call(&self, record: CallRecord) {
        drop(record);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let fake = FakeLlm::start().await?;
    let mut millis = Vec::new();
    for round in 0..=ROUNDS {
        let took = switch(&fake).await?;
        // The first opens the connections and reads the certificates there are.
        if round > 0 {
            millis.push(took.as_secs_f64() * 1e3);
        }
    }
    millis.sort_by(f64::total_cmp);
    let at = |share: usize| millis.get(ROUNDS * share / 100).copied().unwrap_or(f64::NAN);
    let (median, slow) = (at(50), at(95));
    let tables = [json!({
        "title": "Going on after a 429",
        "note": "From the refusal to the next credential's answer beginning, over a local socket, with two stored profiles.",
        "columns": ["p50 ms", "p95 ms"],
        "rows": [["next profile of the same provider", [median, slow]]],
    })];
    let promises =
        [json!({"what": "next profile after a 429, p50", "value": median, "unit": "ms", "atMost": LIMIT})];
    writeln!(std::io::stdout(), "{}", json!({"tables": tables, "promises": promises}))?;
    Ok(())
}

/// One run whose first credential is refused; the time between the refusal and the second one's answer.
async fn switch(fake: &FakeLlm) -> Result<Duration, Failure> {
    let home = tempfile::tempdir()?;
    let file = home.path().join("auth-profiles.json");
    let profile = |key: &str| json!({"type": "api_key", "provider": "p", "key": key});
    let stored =
        json!({"version": 1, "profiles": {"p:a": profile("first-key-000"), "p:b": profile("second-key-00")}});
    std::fs::write(&file, stored.to_string())?;
    let (caller, request) = caller(fake, ProfileFiles { own: file, main: None })?;
    fake.rate_limits(Duration::from_secs(60)).says("hello");
    let mut stream = caller.stream(request, CancellationToken::new());
    let mut refused = None;
    let mut answered = None;
    while let Some(event) = stream.next().await {
        match event {
            StreamEvent::Attempt(_) => refused = Some(Instant::now()),
            StreamEvent::Start => answered = Some(Instant::now()),
            StreamEvent::Failed(error) => return Err(error.into()),
            _ => {}
        }
    }
    match (refused, answered) {
        (Some(refused), Some(answered)) => Ok(answered.saturating_duration_since(refused)),
        _ => Err("the run was not refused and answered".into()),
    }
}

fn caller(fake: &FakeLlm, files: ProfileFiles) -> Result<(Caller, Request), Failure> {
    let (clock, http, provider) = (Clock::default(), Http::default(), ProviderId::parse("p")?);
    let mut spec = ProviderSpec::new(provider.clone(), API, fake.openai_url());
    spec.models.push(ModelSpec::new(provider.clone(), ModelId::parse("m")?, API));
    let models = Models::new(vec![spec], &http, &clock);
    let resolved: Resolved = models.resolve(&ModelRef::parse("p/m")?)?;
    let auth = ProviderAuth {
        provider: provider.clone(),
        env: Vec::new(),
        env_kind: CredentialKind::ApiKey,
        config_key: None,
        aws: false,
        keyless: false,
        oauth: None,
        exchange: None,
        base_url_template: None,
    };
    let message: Message = serde_json::from_value(json!({"role": "user", "content": "hi", "timestamp": 1}))?;
    let request = Request {
        model: Arc::clone(&resolved.model),
        system: Arc::from("You are Homard."),
        messages: vec![Arc::new(message)],
        tools: Arc::from([]),
        max_tokens: None,
        sampling: homard_llm::Sampling::default(),
        thinking: ThinkingLevel::Off,
        credential: None,
        session: None,
        program_dir: None,
    };
    let cx = AuthContext {
        clock: clock.clone(),
        http,
        tasks: Tasks::new(),
        secrets: homard_runtime::Redactor::default(),
    };
    let parts = CallerParts {
        chain: vec![resolved],
        auth: Arc::new(BTreeMap::from([(provider, auth)])),
        profiles: Profiles::open(files, ProfilePolicy::default(), cx),
        ledger: Ledger::new(Budgets::default(), clock.clone(), TimeZone::UTC),
        spender: Spender {
            agent: AgentId::main(),
            session: SessionKey::parse("agent:main:main")?,
            job: None,
        },
        pinned: None,
        meter: Arc::new(Nobody),
        pacing: Pacing::default(),
        clock,
        policy: FailoverPolicy::default(),
    };
    Ok((Caller::new(parts), request))
}
