//! `homard secrets`: where secrets of the configuration are kept, and reading them anew. Values are never shown.

use clap::{Args, Subcommand};
use homard_config::{KeptHow, SecretPlace, schema, secret_places};
use homard_protocol::method::NoParams;
use homard_protocol::methods::system::maintenance::SecretsReload;
use serde_json::json;

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::commands::words;
use crate::report::{AlreadyTold, Mark};

const EXAMPLES: &str = "\
Examples:
  homard secrets audit             where every secret of the configuration is kept
  homard secrets audit --check     ends with exit code 1 when one stands in the file, or is missing
  homard config set gateway.auth.token --ref-source env --ref-id MY_TOKEN
  homard secrets reload            the gateway reads the configuration and its environment files again

Keys of model providers that were stored with `homard models auth add` are not in the configuration.";

/// See where secrets are kept, and have them read anew
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SecretsArgs {
    #[command(subcommand)]
    command: SecretsCommand,
}

#[derive(Subcommand)]
enum SecretsCommand {
    /// List the secrets of the configuration and how each is kept; needs no gateway
    Audit(AuditArgs),
    /// Have the gateway read the configuration, and what it refers to, again
    Reload(ReloadArgs),
}

#[derive(Args)]
struct AuditArgs {
    /// End with exit code 1 when a secret stands in the file as it is, or is not to be found
    #[arg(long)]
    check: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct ReloadArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway to ask, it refuses, or a check finds something.
pub(crate) async fn run(cx: &Cx, args: SecretsArgs) -> anyhow::Result<()> {
    match args.command {
        SecretsCommand::Audit(args) => audit(cx, &args),
        SecretsCommand::Reload(args) => reload(cx, &args.reach).await,
    }
}

fn audit(cx: &Cx, args: &AuditArgs) -> anyhow::Result<()> {
    let snapshot = cx.snapshot();
    let places = secret_places(&snapshot.parsed, schema());
    let is_missing = |place: &SecretPlace| {
        place.needs().iter().any(|name| snapshot.environment.get(name.as_str()).is_none())
    };
    let is_plain = |place: &SecretPlace| place.kept == KeptHow::Plain;
    let found = places.iter().any(|place| is_plain(place) || is_missing(place));
    if args.json {
        let row = |place: &SecretPlace| {
            json!({
                "path": place.path, "kept": place.kept.as_str(), "variables": place.needs(),
                "missing": is_missing(place),
            })
        };
        let rows: Vec<_> = places.iter().map(row).collect();
        cx.console.json(&json!({"path": snapshot.path, "ok": !found, "secrets": rows}))?;
    } else if places.is_empty() {
        cx.console.note("the configuration has no secrets");
    } else {
        let row = |place: &SecretPlace| {
            let needs = place.needs().join(", ");
            let state = match (is_missing(place), is_plain(place)) {
                (true, _) => "not set here",
                (false, true) => "readable in the file",
                (false, false) => "",
            };
            vec![place.path.clone(), place.kept.as_str().to_owned(), needs, state.to_owned()]
        };
        let rows: Vec<Vec<String>> = places.iter().map(row).collect();
        cx.console.table(&table(&["SETTING", "KEPT", "VARIABLE", ""], &rows))?;
        if places.iter().any(is_plain) {
            cx.console.note(
                "a secret in the file can be moved into the environment: homard config set SETTING --ref-source env --ref-id NAME",
            );
        }
    }
    if args.check && found { Err(AlreadyTold.into()) } else { Ok(()) }
}

async fn reload(cx: &Cx, reach: &ConnectArgs) -> anyhow::Result<()> {
    let client = reach.connect(cx).await?;
    let done = client.call::<SecretsReload>(&NoParams {}).await?;
    client.close().await;
    if reach.json {
        return Ok(cx.console.json(&done)?);
    }
    cx.console.line(&cx.console.mark(Mark::Good, "the gateway has read them again"))?;
    if done.warning_count > 0 {
        let count = words::count(u64::try_from(done.warning_count).unwrap_or(0), "remark");
        cx.console.note(&format!("{count} about the configuration: `homard config validate`"));
    }
    Ok(())
}
