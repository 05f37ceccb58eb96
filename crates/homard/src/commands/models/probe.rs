//! `homard models probe`: does each credential work, and what can its model do?

use std::time::Duration;

use clap::Args;
use homard_models::probe::{
    PROBE_MAX_TOKENS, PROBE_TIMEOUT, PROBES_AT_ONCE, ProbeOptions, Probed, ToolSupport, probe,
};
use homard_runtime::{brief, millis};
use serde_json::{Value, json};

use super::choose::print;
use super::room::Local;
use crate::commands::Cx;
use crate::commands::words;
use crate::report::{Advice, AlreadyTold};

#[derive(Args)]
pub(super) struct ProbeArgs {
    /// Only this provider
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Only this credential
    #[arg(long, value_name = "ID")]
    profile_id: Option<String>,
    /// Longest wait for each, in milliseconds
    #[arg(long, value_name = "MS")]
    timeout: Option<u64>,
    /// How many are asked at once
    #[arg(long, value_name = "N", default_value_t = PROBES_AT_ONCE)]
    concurrency: usize,
    /// Longest answer asked for, in tokens
    #[arg(long, value_name = "N", default_value_t = PROBE_MAX_TOKENS)]
    max_tokens: u32,
    /// Do not have a tool called
    #[arg(long)]
    no_tools: bool,
    /// On whose behalf
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command: an error exit when nobody answered.
pub(super) async fn run(cx: &Cx, args: ProbeArgs) -> anyhow::Result<()> {
    let options = ProbeOptions {
        provider: args.provider.as_deref().map(super::auth::provider).transpose()?,
        profile: args.profile_id,
        timeout: args.timeout.map_or(PROBE_TIMEOUT, Duration::from_millis),
        at_once: args.concurrency,
        max_tokens: args.max_tokens,
        tools: !args.no_tools,
    };
    let local = Local::open(cx, args.agent.as_deref()).await?;
    let probed = probe(&local.router, local.agent()?, &options, &cx.source.clock).await;
    local.close().await;
    if probed.is_empty() && (options.provider.is_some() || options.profile.is_some()) {
        return Err(Advice::error(
            "no provider or credential of that name is set up",
            "`homard models status` shows what there is",
        ));
    }
    if probed.is_empty() {
        return Err(Advice::error(
            "there is no provider to ask",
            "add a key with `homard models auth add`, or set one in the environment",
        ));
    }
    tell(cx, &probed, args.json)?;
    if probed.iter().any(|one| one.outcome.is_ok()) { Ok(()) } else { Err(AlreadyTold.into()) }
}

pub(super) fn tell(cx: &Cx, probed: &[Probed], as_json: bool) -> anyhow::Result<()> {
    if as_json {
        return Ok(cx.console.json(&json!({"results": results(probed)}))?);
    }
    let rows: Vec<Vec<String>> = probed
        .iter()
        .map(|one| {
            let told = match &one.outcome {
                Ok(took) => able(one, millis(*took)),
                Err(error) => brief(&format!("{} ({})", error.message, error.hint()), 100),
            };
            vec![
                one.profile.clone().unwrap_or_else(|| one.provider.to_string()),
                one.model.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string),
                one.status().to_string(),
                told,
            ]
        })
        .collect();
    print(cx, &["CREDENTIAL", "MODEL", "STATUS", ""], &rows)
}

/// What a model that answered can do.
fn able(one: &Probed, ms: u64) -> String {
    let window = one
        .window
        .map_or_else(|| "context unknown".to_owned(), |n| format!("context {}", words::tokens(u64::from(n))));
    let calls = match &one.calls {
        None => return format!("{ms} ms"),
        Some(ToolSupport::Native) => "calls tools".to_owned(),
        Some(ToolSupport::Written) => "writes calls of tools as text, which works".to_owned(),
        Some(ToolSupport::Never) => "did not call a tool when asked to".to_owned(),
        Some(ToolSupport::Refused(why)) => format!("takes no tools: {}", brief(why, 80)),
    };
    format!("{ms} ms, {window}, {calls}")
}

/// What programs are told.
pub(super) fn results(probed: &[Probed]) -> Vec<Value> {
    probed.iter().map(in_json).collect()
}

fn in_json(one: &Probed) -> Value {
    let mut told = json!({
        "provider": one.provider.as_str(),
        "profileId": one.profile,
        "model": one.model.as_ref().map(ToString::to_string),
        "status": one.status(),
    });
    let more = match &one.outcome {
        Ok(took) => ("latencyMs", json!(millis(*took))),
        Err(error) => ("error", json!(error.message)),
    };
    if let Some(told) = told.as_object_mut() {
        told.extend(one.calls.iter().map(|calls| ("tools".to_owned(), json!(calls.as_str()))));
        told.extend(one.window.map(|window| ("contextWindow".to_owned(), json!(window))));
        told.insert(more.0.to_owned(), more.1);
    }
    told
}
