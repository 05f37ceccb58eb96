//! `homard models status`: who answers, who is tried next, with which credentials, within which budgets.

use clap::Args;
use homard_models::auth::{Candidate, Described, Source};
use homard_models::budget::BudgetStatus;
use homard_models::probe::{ProbeOptions, probe};
use homard_protocol::ProviderId;
use serde_json::{Value, json};

use super::choose::print;
use super::probe::{results, tell};
use super::room::Local;
use crate::commands::Cx;
use crate::commands::table::pairs;
use crate::commands::words;
use crate::report::{AlreadyTold, Mark};

/// How long before its end a token counts as ending, in milliseconds.
const ENDING: i64 = 24 * 3_600_000;

const HELP: &str = "\
With --check the exit code tells: 0 all is well, 1 the chosen model is not known or has no usable credential.";

#[derive(Args)]
#[command(after_help = HELP)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
pub(super) struct StatusArgs {
    /// Fail when the chosen model is not known or has no usable credential
    #[arg(long)]
    check: bool,
    /// Also ask every provider for one word
    #[arg(long)]
    probe: bool,
    /// Whose models
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Print the chosen model only
    #[arg(long)]
    plain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is at hand for one provider.
struct Line {
    provider: ProviderId,
    candidates: Vec<Candidate>,
}

pub(super) async fn run(cx: &Cx, args: StatusArgs) -> anyhow::Result<()> {
    let local = Local::open(cx, args.agent.as_deref()).await?;
    let agent = local.agent()?;
    let router = &local.router;
    let chosen = agent.model.primary.as_ref().map(|model| router.selector().normal(model));
    let chosen = chosen.unwrap_or_else(|| router.first_choice().clone());
    if args.plain {
        cx.console.line(&chosen.to_string())?;
        local.close().await;
        return Ok(());
    }
    let profiles = router.profiles(&agent.id);
    let stored = profiles.describe().await;
    let mut lines = Vec::new();
    for (provider, auth) in router.auth() {
        let candidates = profiles.candidates(auth, None).await;
        lines.push(Line { provider: provider.clone(), candidates });
    }
    let needs_none = !router.auth().contains_key(&chosen.provider);
    let here = lines.iter().find(|line| line.provider == chosen.provider);
    let known = router.models().resolve(&chosen);
    let has_key =
        needs_none || here.is_some_and(|line| line.candidates.iter().any(|c| c.cooling_until.is_none()));
    let chain: Vec<String> =
        router.selector().chain(agent, &chosen).into_iter().skip(1).map(|model| model.to_string()).collect();
    let allowed: Option<Vec<String>> =
        router.selector().allowed().map(|all| all.map(ToString::to_string).collect());
    let usable = known.is_ok() && has_key;
    let budgets = router.ledger().status();
    let probed = match args.probe {
        true => Some(probe(router, agent, &ProbeOptions::default(), &cx.source.clock).await),
        false => None,
    };
    if args.json {
        let mut told = json!({
            "agentId": agent.id.as_str(),
            "defaultModel": chosen.to_string(),
            "usable": usable,
            "fallbacks": chain,
            "imageModels": router.selector().image_chain().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "aliases": router.selector().aliases().map(|(a, m)| (a.to_owned(), json!(m.to_string())))
                .collect::<serde_json::Map<_, _>>(),
            "allowed": allowed,
            "auth": {"providers": lines.iter().map(in_json).collect::<Vec<_>>(), "profiles": stored.profiles,
                "problem": stored.problem, "inherited": stored.inherited},
            "budgets": budgets.iter().map(budget_json).collect::<Vec<_>>(),
        });
        if let (Some(told), Some(probed)) = (told.as_object_mut(), &probed) {
            told.insert("probe".to_owned(), json!(results(probed)));
        }
        cx.console.json(&told)?;
    } else {
        let mut told = vec![("Model", chosen.to_string())];
        told.push(("Then", if chain.is_empty() { "nobody".to_owned() } else { chain.join(" → ") }));
        if let Some(image) = router.selector().image_chain().first() {
            told.push(("Pictures", image.to_string()));
        }
        told.push(("Allowed", allowed.map_or_else(|| "any model".to_owned(), |all| all.join(", "))));
        for line in pairs(&told) {
            cx.console.line(&line)?;
        }
        credentials(cx, &lines, &stored.profiles)?;
        if let Some(problem) = &stored.problem {
            cx.console.warn(problem);
        }
        spending(cx, &budgets)?;
        if let Err(error) = &known {
            cx.console.warn(&error.to_string());
        } else if !usable {
            cx.console.warn(&format!(
                "{chosen} has no usable credential; add one with `homard models auth add --provider {}`",
                chosen.provider
            ));
        }
    }
    if let Some(probed) = probed.filter(|_| !args.json) {
        tell(cx, &probed, false)?;
    }
    local.close().await;
    if args.check && !usable { Err(AlreadyTold.into()) } else { Ok(()) }
}

fn credentials(cx: &Cx, lines: &[Line], stored: &[Described]) -> anyhow::Result<()> {
    cx.console.line("")?;
    if lines.is_empty() {
        return Ok(cx.console.line("No provider has a key. Add one with `homard models auth add`.")?);
    }
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = lines
        .iter()
        .flat_map(|line| {
            let nothing = line
                .candidates
                .is_empty()
                .then(|| vec![line.provider.to_string(), "-".to_owned(), "no credential".to_owned()]);
            let found = line.candidates.iter().map(move |candidate| {
                let described = stored.iter().find(|one| one.id == candidate.id);
                vec![line.provider.to_string(), from(candidate), state(candidate, described, now)]
            });
            nothing.into_iter().chain(found.collect::<Vec<_>>())
        })
        .collect();
    print(cx, &["PROVIDER", "CREDENTIAL", "STATE"], &rows)
}

fn from(candidate: &Candidate) -> String {
    match &candidate.source {
        Source::Profile => candidate.id.clone(),
        Source::Env(name) => format!("${name}"),
        Source::Config => "models.providers".to_owned(),
        Source::AwsChain => "AWS credential chain".to_owned(),
        Source::Keyless => "none needed".to_owned(),
    }
}

fn state(candidate: &Candidate, described: Option<&Described>, now: i64) -> String {
    let ahead = |until: i64| words::span(u64::try_from(until.saturating_sub(now)).unwrap_or(0));
    if let Some(until) = candidate.cooling_until {
        let why = described.and_then(|one| one.disabled_reason.clone());
        let why = why.map_or_else(String::new, |why| format!(" ({why})"));
        return format!("rests for {}{why}", ahead(until));
    }
    match described {
        Some(one) if one.problem.is_some() => one.problem.unwrap_or_default().to_owned(),
        Some(Described { expires: Some(end), renewable: false, .. }) if *end <= now => "expired".to_owned(),
        Some(Described { expires: Some(end), renewable: false, .. }) if *end - now < ENDING => {
            format!("ends in {}", ahead(*end))
        }
        Some(one) if one.last_good => "ready, used last".to_owned(),
        Some(_) | None => "ready".to_owned(),
    }
}

fn spending(cx: &Cx, budgets: &[BudgetStatus]) -> anyhow::Result<()> {
    if budgets.is_empty() {
        return Ok(());
    }
    cx.console.line("")?;
    let rows: Vec<Vec<String>> = budgets
        .iter()
        .map(|budget| {
            let whose = budget.whose.as_deref().map_or_else(String::new, |whose| format!(" ({whose})"));
            vec![format!("{}{whose}", budget.path), budget.unit.show(budget.limit)]
        })
        .collect();
    print(cx, &["BUDGET", "LIMIT"], &rows)?;
    cx.console.line(&cx.console.mark(Mark::Strong, "`homard usage` shows what is spent"))?;
    Ok(())
}

fn in_json(line: &Line) -> Value {
    let candidates: Vec<Value> = line
        .candidates
        .iter()
        .map(|candidate| json!({"id": candidate.id, "from": from(candidate), "coolingUntil": candidate.cooling_until}))
        .collect();
    json!({"provider": line.provider.as_str(), "credentials": candidates})
}

fn budget_json(budget: &BudgetStatus) -> Value {
    json!({"path": budget.path, "whose": budget.whose, "unit": budget.unit.as_str(),
        "limit": budget.unit.shown(budget.limit), "resetsAt": budget.resets_at})
}
