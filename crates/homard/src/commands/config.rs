//! `homard config`: read and change the configuration file, with or without a gateway.

use clap::{Args, Subcommand};
use homard_config::{Issue, ReloadAction, Snapshot, WriteOutcome, redact, schema, set_path, unset_path};
use serde_json::{Value, json};

use super::Cx;
use crate::report::{Advice, AlreadyTold, Mark};

const EXAMPLES: &str = "\
Examples:
  homard config get gateway
  homard config set gateway.port 18790
  homard config set agents.defaults.model.primary anthropic/claude-opus-4-6
  homard config get gateway.auth.token --reveal
  homard config unset gateway.port
  homard config validate

A running gateway notices changes by itself.";

const SET_EXAMPLES: &str = "\
Examples:
  homard config set gateway.port 18790
  homard config set gateway.auth.token '${MY_TOKEN}'
  homard config set agents.list '[{\"id\":\"main\"},{\"id\":\"work\"}]' --strict-json";

/// Read and change the configuration
///
/// The file is JSON5 with comments, which are kept. Nothing that would make it invalid is written.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Print a setting, or everything
    Get(GetArgs),
    /// Change a setting
    #[command(after_help = SET_EXAMPLES)]
    Set(SetArgs),
    /// Remove a setting, so that its default counts again
    Unset(UnsetArgs),
    /// Check the file and name everything that is wrong
    Validate(ValidateArgs),
    /// Print the JSON Schema of the file
    Schema,
    /// Print where the file is
    #[command(visible_alias = "file")]
    Path,
}

#[derive(Args)]
struct GetArgs {
    /// Which setting, such as `gateway.port` or `agents.list[0].id`
    path: Option<String>,
    /// Show secrets instead of hiding them
    #[arg(long)]
    reveal: bool,
    /// Print JSON, even for a single text
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct SetArgs {
    /// Which setting, such as `gateway.port`
    path: String,
    /// Its value: JSON, or plain text
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// Take the value as JSON only
    #[arg(long)]
    strict_json: bool,
}

#[derive(Args)]
struct UnsetArgs {
    /// Which setting
    path: String,
}

#[derive(Args)]
struct ValidateArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the file cannot be used, or the change would make it so.
pub(crate) fn run(cx: &Cx, args: ConfigArgs) -> anyhow::Result<()> {
    match args.command {
        ConfigCommand::Get(args) => get(cx, &args),
        ConfigCommand::Set(args) => set(cx, &args),
        ConfigCommand::Unset(args) => {
            let outcome = unset_path(&cx.source, &args.path)?;
            tell(cx, &format!("removed {}", args.path), &outcome)
        }
        ConfigCommand::Validate(args) => validate(cx, &args),
        ConfigCommand::Schema => Ok(cx.console.json(schema())?),
        ConfigCommand::Path => Ok(cx.console.line(&cx.source.paths.config_path.display().to_string())?),
    }
}

fn get(cx: &Cx, args: &GetArgs) -> anyhow::Result<()> {
    let snapshot = cx.snapshot();
    if snapshot.parsed.as_object().is_none_or(serde_json::Map::is_empty) && !snapshot.valid() {
        return Err(unusable(&snapshot));
    }
    let whole = if args.reveal { snapshot.resolved } else { redact(&snapshot.resolved, schema()) };
    let path = args.path.as_deref().unwrap_or("");
    let Some(value) = at(&whole, path) else {
        return Err(Advice::error(
            format!("`{path}` is not set in {}", snapshot.path.display()),
            "its default counts; `homard config schema` describes every setting",
        ));
    };
    match value {
        Value::String(text) if !args.json => Ok(cx.console.line(text)?),
        other => Ok(cx.console.json(other)?),
    }
}

/// The value at a path like `a.b[0]["c.d"]`; an empty path is the whole.
fn at<'a>(whole: &'a Value, path: &str) -> Option<&'a Value> {
    let mut value = whole;
    let mut rest = path.trim();
    while !rest.is_empty() {
        let (step, after) = next_step(rest)?;
        value = match (value, step.parse::<usize>()) {
            (Value::Array(items), Ok(index)) => items.get(index)?,
            (value, _) => value.get(step)?,
        };
        rest = after;
    }
    Some(value)
}

fn next_step(path: &str) -> Option<(&str, &str)> {
    let (step, after) = match path.strip_prefix('[') {
        Some(inner) => match inner.strip_prefix('"') {
            Some(quoted) => quoted.split_once("\"]")?,
            None => inner.split_once(']')?,
        },
        None => path.split_at(path.find(['.', '[']).unwrap_or(path.len())),
    };
    (!step.is_empty()).then(|| (step, after.strip_prefix('.').unwrap_or(after)))
}

fn set(cx: &Cx, args: &SetArgs) -> anyhow::Result<()> {
    let value = match serde_json::from_str::<Value>(&args.value) {
        Ok(value) => value,
        Err(error) if args.strict_json => {
            return Err(Advice::error(
                format!("the value is not JSON: {error}"),
                "put texts in double quotes inside single quotes: '\"text\"'",
            ));
        }
        Err(_plain) => Value::String(args.value.clone()),
    };
    let outcome = set_path(&cx.source, &args.path, value)?;
    tell(cx, &format!("set {}", args.path), &outcome)?;
    let inert = cx.snapshot().inert;
    for place in inert.iter().filter(|place| is_within(place, &args.path) || is_within(&args.path, place)) {
        cx.console.warn(&format!("`{place}` is known and not yet in effect"));
    }
    Ok(())
}

/// Whether one path is another, or lies beneath it.
fn is_within(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn tell(cx: &Cx, what: &str, outcome: &WriteOutcome) -> anyhow::Result<()> {
    if let Some(old) = &outcome.migrated_from {
        let new = cx.source.paths.config_path.display();
        cx.console.note(&format!("the settings of {} are now in {new}", old.display()));
    }
    if outcome.changed_paths.is_empty() {
        return Ok(cx.console.line("nothing to change")?);
    }
    cx.console.line(&cx.console.mark(Mark::Good, what))?;
    if outcome.action == ReloadAction::Restart {
        cx.console.note("a running gateway restarts for this");
    }
    Ok(())
}

fn validate(cx: &Cx, args: &ValidateArgs) -> anyhow::Result<()> {
    let snapshot = cx.snapshot();
    let valid = snapshot.valid();
    if args.json {
        cx.console.json(&json!({
            "path": snapshot.path, "exists": snapshot.exists, "valid": valid,
            "issues": snapshot.issues, "warnings": snapshot.notices(),
        }))?;
        return if valid { Ok(()) } else { Err(AlreadyTold.into()) };
    }
    for notice in snapshot.notices() {
        cx.console.warn(&in_words(&notice));
    }
    if !valid {
        return Err(unusable(&snapshot));
    }
    let path = snapshot.path.display();
    let state = if snapshot.exists {
        format!("{path} is valid")
    } else {
        format!("{path} does not exist; defaults count")
    };
    Ok(cx.console.line(&cx.console.mark(Mark::Good, &state))?)
}

fn unusable(snapshot: &Snapshot) -> anyhow::Error {
    let issues = snapshot.issues.clone();
    homard_config::InvalidConfig { path: snapshot.path.clone(), issues }.into()
}

fn in_words(issue: &Issue) -> String {
    if issue.path.is_empty() { issue.message.clone() } else { format!("{}: {}", issue.path, issue.message) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::at;

    #[test]
    fn settings_are_found_by_path() {
        let whole = json!({"a": {"b": [{"c": 1}], "x.y": 2, "0": 3}});
        for (path, value) in [
            ("", Some(whole.clone())),
            ("a.b[0].c", Some(json!(1))),
            ("a.b.0.c", Some(json!(1))),
            (r#"a["x.y"]"#, Some(json!(2))),
            ("a.0", Some(json!(3))),
            ("a.z", None),
            ("a.b[1]", None),
            ("a.b[", None),
            ("..", None),
        ] {
            assert_eq!(at(&whole, path), value.as_ref(), "{path}");
        }
    }
}
