//! `homard config`: read and change the configuration file, with or without a gateway. `set` and `patch` are the two ways
//! to change several things in one step.

mod patch;
mod set;

use clap::{Args, Subcommand};
use homard_config::{
    Commit, Edit, Issue, REDACTED, Snapshot, WriteOutcome, edit, is_under, needs_restart, redact, schema,
};
use serde_json::{Value, json};

use super::Cx;
use crate::report::{Advice, AlreadyTold, Mark};

const EXAMPLES: &str = "\
Examples:
  homard config get gateway
  homard config set gateway.port 18790
  homard config set agents.defaults.model.primary anthropic/claude-opus-4-6
  homard config get gateway.auth.token --reveal
  homard config set gateway.bind lan --dry-run
  homard config patch --file changes.json5
  homard config unset gateway.port
  homard config validate

A running gateway notices changes by itself.";

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
    Set(Box<set::SetArgs>),
    Patch(patch::PatchArgs),
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

/// How a change is made.
#[derive(Args)]
struct HowArgs {
    /// Only check it, and say what would change
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct UnsetArgs {
    /// Which setting
    path: String,
    #[command(flatten)]
    how: HowArgs,
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
        ConfigCommand::Set(args) => set::run(cx, &args),
        ConfigCommand::Patch(args) => patch::run(cx, &args),
        ConfigCommand::Unset(args) => {
            change(cx, &args.how, &[Edit::unset(&args.path)], &format!("removed {}", args.path)).map(drop)
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
        Value::String(text) if !args.json => cx.console.line(text)?,
        other => cx.console.json(other)?,
    }
    if !args.reveal && value.to_string().contains(REDACTED) {
        cx.console.note(&format!("{REDACTED} stands for a secret; --reveal shows it"));
    }
    Ok(())
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

/// Makes changes in one step and tells what came of them; what changed.
fn change(cx: &Cx, how: &HowArgs, edits: &[Edit], done: &str) -> anyhow::Result<Vec<String>> {
    let commit = if how.dry_run { Commit::CheckOnly } else { Commit::Write };
    let outcome = edit(&cx.source, edits, commit)?;
    let restarts = outcome.changed_paths.iter().any(|path| needs_restart(path));
    if how.json {
        let file = &cx.source.paths.config_path;
        let changed = &outcome.changed_paths;
        cx.console.json(
            &json!({"ok": true, "dryRun": how.dry_run, "path": file, "changed": changed, "restart": restarts}),
        )?;
    } else {
        tell(cx, how, &outcome, done, restarts)?;
    }
    Ok(outcome.changed_paths)
}

fn tell(cx: &Cx, how: &HowArgs, outcome: &WriteOutcome, done: &str, restarts: bool) -> anyhow::Result<()> {
    if let Some(old) = &outcome.migrated_from {
        let new = cx.source.paths.config_path.display();
        cx.console.note(&format!("the settings of {} are now in {new}", old.display()));
    }
    if outcome.changed_paths.is_empty() {
        return Ok(cx.console.line("nothing to change")?);
    }
    if how.dry_run {
        for path in &outcome.changed_paths {
            cx.console.line(&format!("would change {path}"))?;
        }
    } else {
        cx.console.line(&cx.console.mark(Mark::Good, done))?;
    }
    if restarts {
        cx.console.note("a running gateway restarts for this");
    }
    Ok(())
}

/// Says of what was written that it has no effect yet.
fn warn_of_inert(cx: &Cx, changed: &[String]) {
    for place in cx
        .snapshot()
        .inert
        .iter()
        .filter(|place| changed.iter().any(|path| is_under(place, path) || is_under(path, place)))
    {
        cx.console.warn(&format!("`{place}` is known and not yet in effect"));
    }
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
