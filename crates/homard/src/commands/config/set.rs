//! `homard config set`: one setting, or several in one step.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use homard_config::Edit;
use serde::Deserialize;
use serde_json::{Value, json};

use super::HowArgs;
use crate::commands::Cx;
use crate::report::Advice;

const EXAMPLES: &str = "\
Examples:
  homard config set gateway.port 18790
  homard config set gateway.auth.token '${MY_TOKEN}'
  homard config set agents.list '[{\"id\":\"main\"},{\"id\":\"work\"}]' --strict-json
  homard config set channels.irc '{\"nick\":\"homard\"}' --merge
  homard config set models.providers.openai.apiKey --ref-source env --ref-id OPENAI_API_KEY
  homard config set gateway.port 18790 --expect-current-json 18789 --dry-run
  homard config set --batch-json '[{\"path\":\"gateway.port\",\"value\":18790}]'

Several changes are made in one step: all of them, or none.";

/// Change a setting, or several in one step
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SetArgs {
    /// Which setting, such as `gateway.port`
    #[arg(required_unless_present_any = ["batch_json", "batch_file"])]
    path: Option<String>,
    /// Its value: JSON, or plain text
    #[arg(allow_hyphen_values = true, required_unless_present_any = ["batch_json", "batch_file", "ref_source"])]
    value: Option<String>,
    /// Take the value as JSON only
    #[arg(long)]
    strict_json: bool,
    /// Put an object's keys into the object that is there; `null` takes one out
    #[arg(long)]
    merge: bool,
    /// Put the value in place of what is there (the default)
    #[arg(long, conflicts_with = "merge")]
    replace: bool,
    #[command(flatten)]
    reference: ReferenceArgs,
    #[command(flatten)]
    expected: ExpectedArgs,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    how: HowArgs,
}

/// A secret that is kept elsewhere.
#[derive(Args)]
#[command(next_help_heading = "Secrets kept elsewhere")]
struct ReferenceArgs {
    /// Write where the secret is kept instead of the secret
    #[arg(long, value_parser = ["env"], requires = "ref_id", conflicts_with = "value")]
    ref_source: Option<String>,
    /// Its name there, such as the variable
    #[arg(long, value_name = "NAME", requires = "ref_source")]
    ref_id: Option<String>,
    /// Which configured place of that kind
    #[arg(long, value_name = "NAME", requires = "ref_source")]
    ref_provider: Option<String>,
}

/// What the caller thinks is there.
#[derive(Args)]
#[command(next_help_heading = "Only if nobody changed it")]
struct ExpectedArgs {
    /// Change it only if this is its value
    #[arg(long, value_name = "JSON", conflicts_with_all = ["expect_current_absent", "batch_json", "batch_file"])]
    expect_current_json: Option<String>,
    /// Change it only if it is not set
    #[arg(long, conflicts_with_all = ["batch_json", "batch_file"])]
    expect_current_absent: bool,
}

/// Several changes.
#[derive(Args)]
#[command(next_help_heading = "Several at once")]
struct BatchArgs {
    /// A list of changes: [{"path": …, "value": …}, …]
    #[arg(long, value_name = "JSON", conflicts_with_all = ["path", "value", "batch_file"])]
    batch_json: Option<String>,
    /// The same from a file
    #[arg(long, value_name = "PATH", conflicts_with_all = ["path", "value"])]
    batch_file: Option<PathBuf>,
}

/// One change of a batch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    path: String,
    /// `null` is a value.
    value: Value,
}

pub(super) fn run(cx: &Cx, args: &SetArgs) -> anyhow::Result<()> {
    let batch = match &args.batch.batch_file {
        Some(path) => Some(
            std::fs::read_to_string(path).with_context(|| format!("could not read `{}`", path.display()))?,
        ),
        None => args.batch.batch_json.clone(),
    };
    let changes = match batch {
        Some(text) => rows(&text)?.into_iter().map(|row| (row.path, row.value)).collect(),
        None => vec![(args.path.clone().unwrap_or_default(), value(args)?)],
    };
    let mut edits = Vec::new();
    if let Some(path) = &args.path {
        edits.extend(expectation(path, &args.expected)?);
    }
    let is_merge = args.merge;
    for (path, value) in &changes {
        if is_merge && !value.is_object() {
            return Err(Advice::error(
                format!("`{path}` cannot be merged: the value is no object"),
                "leave --merge out to put it in place of what is there",
            ));
        }
        let (path, value) = (path.clone(), value.clone());
        edits.push(if is_merge { Edit::Merge { path, value } } else { Edit::Set { path, value } });
    }
    let names: Vec<&str> = changes.iter().map(|(path, _)| path.as_str()).collect();
    super::change(cx, &args.how, &edits, &format!("set {}", names.join(", ")))?;
    if !args.how.dry_run {
        let written: Vec<String> = changes.into_iter().map(|(path, _)| path).collect();
        super::warn_of_inert(cx, &written);
    }
    Ok(())
}

fn rows(text: &str) -> anyhow::Result<Vec<Row>> {
    serde_json::from_str(text).map_err(|error| {
        Advice::error(
            format!("the list of changes cannot be read: {error}"),
            "write it as [{\"path\": \"gateway.port\", \"value\": 18790}]",
        )
    })
}

fn value(args: &SetArgs) -> anyhow::Result<Value> {
    let ReferenceArgs { ref_source, ref_id, ref_provider } = &args.reference;
    if let (Some(source), Some(id)) = (ref_source, ref_id) {
        let mut reference = json!({"source": source, "id": id});
        if let (Some(fields), Some(provider)) = (reference.as_object_mut(), ref_provider) {
            fields.insert("provider".to_owned(), json!(provider));
        }
        return Ok(reference);
    }
    let text = args.value.clone().unwrap_or_default();
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => Ok(value),
        Err(error) if args.strict_json => Err(not_json("the value", &error)),
        Err(_plain) => Ok(Value::String(text)),
    }
}

fn expectation(path: &str, expected: &ExpectedArgs) -> anyhow::Result<Option<Edit>> {
    let path = path.to_owned();
    Ok(match &expected.expect_current_json {
        Some(text) => {
            let value = serde_json::from_str(text);
            Some(Edit::Expect {
                path,
                value: Some(value.map_err(|error| not_json("--expect-current-json", &error))?),
            })
        }
        None => expected.expect_current_absent.then_some(Edit::Expect { path, value: None }),
    })
}

fn not_json(what: &str, error: &serde_json::Error) -> anyhow::Error {
    Advice::error(
        format!("{what} is not JSON: {error}"),
        "put texts in double quotes inside single quotes: '\"text\"'",
    )
}
