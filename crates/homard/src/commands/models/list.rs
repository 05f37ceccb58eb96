//! `homard models list`.

use clap::Args;
use homard_llm::Price;
use homard_models::catalogue;
use homard_models::listing::ListedModel;
use homard_protocol::methods::chat::agent::{ModelSummary, ModelsList, ModelsListParams};
use serde_json::json;

use super::choose::print;
use super::room::Local;
use crate::commands::Cx;
use crate::commands::connection::{self, Patience, Target};
use crate::commands::words;

const EXAMPLES: &str = "\
Examples:
  homard models list
  homard models list --all --provider openrouter
  homard models list --json | jq -r '.models[].key'";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
pub(super) struct ListArgs {
    /// Also those without a credential and those that are not allowed
    #[arg(long)]
    all: bool,
    /// Only those on this machine
    #[arg(long)]
    local: bool,
    /// Only those of this provider
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Print names only
    #[arg(long)]
    plain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Ask the gateway instead of this machine's files
    #[arg(long)]
    gateway: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

pub(super) async fn run(cx: &Cx, args: ListArgs) -> anyhow::Result<()> {
    if args.gateway || args.target.is_elsewhere(cx) {
        return ask_gateway(cx, args).await;
    }
    let local = Local::open(cx, None).await?;
    let agent = local.agent()?;
    let chosen = agent.model.primary.as_ref().map(|model| local.router.selector().normal(model));
    let chosen = chosen.unwrap_or_else(|| local.router.first_choice().clone());
    let mut list = local.router.listing(agent, &chosen).await;
    local.close().await;
    list.retain(|listed| args.all || !listed.tags.is_empty() || (listed.available && listed.allowed));
    list.retain(|listed| !args.local || is_local(listed));
    if let Some(only) = &args.provider {
        list.retain(|listed| listed.reference.provider.as_str() == only.to_lowercase());
    }
    if args.json {
        let models: Vec<_> = list.iter().map(as_json).collect();
        return Ok(cx.console.json(&json!({"count": models.len(), "models": models}))?);
    }
    if args.plain {
        for listed in &list {
            cx.console.line(&listed.reference.to_string())?;
        }
        return Ok(());
    }
    if list.is_empty() {
        cx.console.note("no model is like that; `homard models list --all` names those without a key, too");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = list.iter().map(row).collect();
    print(cx, &["MODEL", "INPUT", "CONTEXT", "PRICE IN/OUT", "AUTH", "TAGS"], &rows)
}

/// Models of servers on this machine: they have no price and their provider asks for nothing.
fn is_local(listed: &ListedModel) -> bool {
    let provider = listed.reference.provider.as_str();
    let is_here = catalogue::find(provider).is_some_and(|row| row.base_url.contains("://127.0.0.1:"));
    is_here || provider == "demo" || listed.model.api == "cli"
}

/// Whether a price is known; one that is nothing at all is none that anybody told.
fn priced(price: Price) -> bool {
    price.input > 0.0 || price.output > 0.0
}

/// A size of context for people.
fn context(window: Option<u64>) -> String {
    window.map_or_else(|| "unknown".to_owned(), words::tokens)
}

fn row(listed: &ListedModel) -> Vec<String> {
    let model = &listed.model;
    let price = model.price;
    let mut tags = listed.tags.clone();
    if !listed.allowed {
        tags.push("not allowed".to_owned());
    }
    vec![
        listed.reference.to_string(),
        model.input.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join("+"),
        context(model.context_window.map(u64::from)),
        if priced(price) { format!("${} / ${}", price.input, price.output) } else { "-".to_owned() },
        if listed.available { "yes" } else { "no" }.to_owned(),
        tags.join(", "),
    ]
}

fn as_json(listed: &ListedModel) -> serde_json::Value {
    let model = &listed.model;
    json!({
        "key": listed.reference.to_string(),
        "provider": listed.reference.provider.as_str(),
        "id": listed.reference.model.as_str(),
        "name": model.name,
        "api": model.api,
        "input": model.input.iter().map(|kind| kind.as_str()).collect::<Vec<_>>(),
        "contextWindow": model.context_window,
        "maxTokens": model.max_tokens,
        "reasoning": model.reasoning,
        "cost": priced(model.price).then(|| json!({"input": model.price.input, "output": model.price.output,
            "cacheRead": model.price.cache_read, "cacheWrite": model.price.cache_write})),
        "local": is_local(listed),
        "available": listed.available,
        "allowed": listed.allowed,
        "tags": listed.tags,
    })
}

async fn ask_gateway(cx: &Cx, args: ListArgs) -> anyhow::Result<()> {
    let client = connection::connect(cx, &args.target, args.patience.limit()).await?;
    let params = ModelsListParams { provider: args.provider, ..ModelsListParams::default() };
    let list = client.call::<ModelsList>(&params).await?;
    client.close().await;
    if args.json {
        return Ok(cx.console.json(&list)?);
    }
    let rows: Vec<Vec<String>> = list.models.iter().map(summary).collect();
    print(cx, &["MODEL", "NAME", "CONTEXT", "INPUT", ""], &rows)
}

fn summary(model: &ModelSummary) -> Vec<String> {
    let mut notes = model.tags.clone();
    if !model.available {
        notes.push("no credentials".into());
    }
    vec![
        format!("{}/{}", model.provider, model.id),
        model.name.clone(),
        context(model.context_window),
        model.input.join("+"),
        notes.join(", "),
    ]
}
