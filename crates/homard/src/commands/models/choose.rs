//! `homard models set|aliases|fallbacks`: which models are chosen, written into the configuration.

use clap::{Args, Subcommand};
use homard_config::{Config, set_path, unset_path};
use homard_models::catalogue;
use homard_protocol::ModelRef;
use serde_json::{Value, json};

use super::room::Local;
use crate::commands::Cx;
use crate::commands::table::table;
use crate::report::{Advice, Mark};

/// Which of the two choices a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// The model that answers.
    Text,
    /// The model that looks at pictures when the first cannot.
    Image,
}

impl Choice {
    fn path(self) -> &'static str {
        match self {
            Self::Text => "agents.defaults.model",
            Self::Image => "agents.defaults.imageModel",
        }
    }
}

#[derive(Args)]
pub(super) struct SetArgs {
    /// `provider/model`, or an alias
    model: String,
}

#[derive(Subcommand)]
pub(super) enum AliasesCommand {
    /// List the short names
    List(ListArgs),
    /// Give a model a short name
    Add {
        /// The short name
        alias: String,
        /// `provider/model`
        model: String,
    },
    /// Take a short name away
    Remove {
        /// The short name
        alias: String,
    },
}

#[derive(Subcommand)]
pub(super) enum FallbacksCommand {
    /// List what is tried when the first choice fails, in order
    List(ListArgs),
    /// Add a model to the end
    Add {
        /// `provider/model`, or an alias
        model: String,
    },
    /// Remove a model
    Remove {
        /// `provider/model`, or an alias
        model: String,
    },
    /// Remove all
    Clear,
}

#[derive(Args)]
pub(super) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// `homard models set` and `set-image`.
pub(super) async fn set(cx: &Cx, choice: Choice, args: &SetArgs) -> anyhow::Result<()> {
    let config = cx.config()?;
    let model = read(&config, &args.model)?;
    check(cx, &model).await?;
    let path = format!("{}.primary", choice.path());
    put_in_catalogue(cx, &config, &model)?;
    set_path(&cx.source, &path, json!(model.to_string()))?;
    cx.console.line(&cx.console.mark(Mark::Good, &format!("{path} is now {model}")))?;
    if !args.model.contains('/') && model.model.as_str() == args.model {
        let provider = &model.provider;
        cx.console.note(&format!(
            "`{}` names no provider and was taken for one of {provider}; write PROVIDER/MODEL for another",
            args.model
        ));
    }
    warn_of_missing_key(cx, &model).await
}

/// Says so when the provider of a model cannot be asked yet.
async fn warn_of_missing_key(cx: &Cx, model: &ModelRef) -> anyhow::Result<()> {
    let local = Local::open(cx, None).await?;
    let listed = local.router.listing(local.agent()?, model).await;
    local.close().await;
    let provider = &model.provider;
    if !listed.iter().any(|one| one.reference.provider == *provider && one.available) {
        cx.console.warn(&format!(
            "it cannot answer yet: there is no key of {provider}; `homard models auth add --provider {provider}` takes one"
        ));
    }
    Ok(())
}

/// `homard models aliases`.
pub(super) async fn aliases(cx: &Cx, command: AliasesCommand) -> anyhow::Result<()> {
    let config = cx.config()?;
    let models = &config.agents.defaults.models;
    let named = || models.iter().filter_map(|(model, entry)| Some((entry.alias.as_deref()?, model)));
    match command {
        AliasesCommand::List(args) if args.json => {
            let all: serde_json::Map<String, Value> =
                named().map(|(alias, model)| (alias.to_owned(), json!(model.to_string()))).collect();
            Ok(cx.console.json(&json!({"aliases": all}))?)
        }
        AliasesCommand::List(_) => {
            let rows: Vec<Vec<String>> =
                named().map(|(alias, model)| vec![alias.to_owned(), model.to_string()]).collect();
            if rows.is_empty() {
                return Ok(cx.console.line("no aliases; add one with `homard models aliases add`")?);
            }
            print(cx, &["ALIAS", "MODEL"], &rows)
        }
        AliasesCommand::Add { alias, model } => {
            let model = read(&config, &model)?;
            if let Some((_, other)) =
                named().find(|(known, m)| known.eq_ignore_ascii_case(&alias) && **m != model)
            {
                return Err(Advice::error(
                    format!("`{alias}` is the name of {other} already"),
                    format!("remove it first: homard models aliases remove {alias}"),
                ));
            }
            check(cx, &model).await?;
            if models.is_empty() {
                cx.console.note(
                    "agents.defaults.models is also the list of models that may be chosen; it now begins with this one",
                );
            }
            set_path(&cx.source, &entry_path(&model, ".alias"), json!(alias))?;
            Ok(cx.console.line(&cx.console.mark(Mark::Good, &format!("{alias} means {model}")))?)
        }
        AliasesCommand::Remove { alias } => {
            let Some((_, model)) = named().find(|(known, _)| known.eq_ignore_ascii_case(&alias)) else {
                return Err(Advice::error(
                    format!("there is no alias `{alias}`"),
                    "see them with `homard models aliases list`",
                ));
            };
            unset_path(&cx.source, &entry_path(model, ".alias"))?;
            Ok(cx.console.line(&cx.console.mark(Mark::Good, &format!("{alias} means nothing any more")))?)
        }
    }
}

/// `homard models fallbacks` and `image-fallbacks`.
pub(super) async fn fallbacks(cx: &Cx, choice: Choice, command: FallbacksCommand) -> anyhow::Result<()> {
    let config = cx.config()?;
    let selection = match choice {
        Choice::Text => &config.agents.defaults.model,
        Choice::Image => &config.agents.defaults.image_model,
    };
    let mut list = selection.fallbacks.clone();
    match command {
        FallbacksCommand::List(args) if args.json => {
            let names: Vec<String> = list.iter().map(ToString::to_string).collect();
            return Ok(cx.console.json(&json!({"fallbacks": names}))?);
        }
        FallbacksCommand::List(_) if list.is_empty() => {
            return Ok(cx.console.line("no fallbacks; add one with `homard models fallbacks add`")?);
        }
        FallbacksCommand::List(_) => {
            for (number, model) in list.iter().enumerate() {
                cx.console.line(&format!("{}. {model}", number + 1))?;
            }
            return Ok(());
        }
        FallbacksCommand::Add { model } => {
            let model = read(&config, &model)?;
            if list.contains(&model) {
                return Ok(cx.console.line("nothing to change")?);
            }
            check(cx, &model).await?;
            put_in_catalogue(cx, &config, &model)?;
            list.push(model);
        }
        FallbacksCommand::Remove { model } => {
            let model = read(&config, &model)?;
            let before = list.len();
            list.retain(|known| *known != model);
            if list.len() == before {
                return Err(Advice::error(
                    format!("{model} is not a fallback"),
                    "see them with `homard models fallbacks list`",
                ));
            }
        }
        FallbacksCommand::Clear => list.clear(),
    }
    let names: Vec<String> = list.iter().map(ToString::to_string).collect();
    write_fallbacks(cx, choice, selection.primary.as_ref(), &names)?;
    let told = if names.is_empty() { "no fallbacks".to_owned() } else { names.join(" → ") };
    Ok(cx.console.line(&cx.console.mark(Mark::Good, &told))?)
}

/// A choice may be written as one name or as an object; fallbacks need the object.
fn write_fallbacks(
    cx: &Cx,
    choice: Choice,
    primary: Option<&ModelRef>,
    names: &[String],
) -> anyhow::Result<()> {
    let path = choice.path();
    let written = cx.snapshot().parsed;
    let present = path.split('.').try_fold(&written, |value, key| value.get(key));
    if present.is_some_and(Value::is_string) {
        let mut whole = json!({"fallbacks": names});
        if let (Some(whole), Some(primary)) = (whole.as_object_mut(), primary) {
            whole.insert("primary".to_owned(), json!(primary.to_string()));
        }
        set_path(&cx.source, path, whole)?;
    } else {
        set_path(&cx.source, &format!("{path}.fallbacks"), json!(names))?;
    }
    Ok(())
}

/// Refuses a model of a provider nobody knows; one whose key is still missing may be chosen already.
async fn check(cx: &Cx, model: &ModelRef) -> anyhow::Result<()> {
    if catalogue::find(model.provider.as_str()).is_some() {
        return Ok(());
    }
    let local = Local::open(cx, None).await?;
    let found = local.router.models().resolve(model).map(drop);
    local.close().await;
    found.map_err(|error| {
        Advice::error(
            error.to_string(),
            "`homard models list --all` names them; describe others in models.providers",
        )
    })
}

/// Where the owner lists what may be chosen, a chosen model must be listed.
fn put_in_catalogue(cx: &Cx, config: &Config, model: &ModelRef) -> anyhow::Result<()> {
    let models = &config.agents.defaults.models;
    if !models.is_empty() && !models.contains_key(model) {
        set_path(&cx.source, &entry_path(model, ""), json!({}))?;
        cx.console.note(&format!("{model} was added to agents.defaults.models, the list of allowed models"));
    }
    Ok(())
}

fn entry_path(model: &ModelRef, rest: &str) -> String {
    format!("agents.defaults.models[\"{model}\"]{rest}")
}

/// The model somebody typed.
pub(super) fn read(config: &Config, text: &str) -> anyhow::Result<ModelRef> {
    let wanted = homard_models::select::Selector::new(config).parse(text);
    wanted.map(|wanted| wanted.model).map_err(|error| {
        Advice::error(
            error.to_string(),
            "write provider/model; `homard models list --all` shows what there is",
        )
    })
}

pub(super) fn print(cx: &Cx, heading: &[&str], rows: &[Vec<String>]) -> anyhow::Result<()> {
    for (number, line) in table(heading, rows).iter().enumerate() {
        let line = if number == 0 { cx.console.mark(Mark::Strong, line) } else { line.clone() };
        cx.console.line(&line)?;
    }
    Ok(())
}
