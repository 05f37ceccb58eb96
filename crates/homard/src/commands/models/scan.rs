//! `homard models scan`: asking servers which models they have.

use clap::Args;
use homard_config::set_path;
use homard_protocol::ProviderId;
use homard_runtime::brief;
use serde_json::json;

use super::choose::print;
use super::room::Local;
use crate::commands::Cx;
use crate::commands::words;
use crate::report::{Advice, Mark};

#[derive(Args)]
pub(super) struct ScanArgs {
    /// Only this provider
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Use the first model found as the model that answers
    #[arg(long)]
    set_default: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(cx: &Cx, args: ScanArgs) -> anyhow::Result<()> {
    let only = args.provider.as_deref().map(super::auth::provider).transpose()?;
    let local = Local::open(cx, None).await?;
    if !args.json {
        cx.console.note("asking providers and the usual ports of this machine …");
    }
    let report = local.room.scan(&local.config, only.as_ref()).await;
    let found = local.room.discovered();
    local.close().await;
    let models = |provider: &ProviderId| found.models(provider).to_vec();
    if args.json {
        let providers: serde_json::Map<String, serde_json::Value> = report
            .providers
            .iter()
            .map(|(provider, outcome)| {
                let ids: Vec<String> = models(provider).iter().map(|model| model.id.to_string()).collect();
                let told = match outcome {
                    Ok(_) => json!({"ok": true, "models": ids}),
                    Err(error) => {
                        json!({"ok": false, "reason": error.reason.as_str(), "error": error.message})
                    }
                };
                (provider.to_string(), told)
            })
            .collect();
        return Ok(cx.console.json(&json!({"providers": providers}))?);
    }
    let mut rows = Vec::new();
    for (provider, outcome) in &report.providers {
        match outcome {
            Ok(count) => {
                let count = u64::try_from(*count).unwrap_or(u64::MAX);
                let names: Vec<String> = models(provider).iter().map(|model| model.id.to_string()).collect();
                rows.push(vec![
                    provider.to_string(),
                    words::count(count, "model"),
                    brief(&names.join(", "), 80),
                ]);
            }
            Err(error) => {
                rows.push(vec![provider.to_string(), "-".to_owned(), brief(&error.message, 80)]);
            }
        }
    }
    print(cx, &["PROVIDER", "FOUND", ""], &rows)?;
    if args.set_default {
        let first = report
            .providers
            .keys()
            .find_map(|provider| Some((provider, models(provider).first()?.id.clone())));
        let Some((provider, model)) = first else {
            return Err(Advice::error("no server listed a model", "start one, or name one with --provider"));
        };
        let name = format!("{provider}/{model}");
        set_path(&cx.source, "agents.defaults.model.primary", json!(name))?;
        cx.console
            .line(&cx.console.mark(Mark::Good, &format!("agents.defaults.model.primary is now {name}")))?;
    }
    Ok(())
}
