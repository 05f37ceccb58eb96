//! Setting accounts up and taking them out of use: the configuration is written here, a running gateway notices.

use std::time::Duration;

use clap::Args;
use homard_channel::Form;
use homard_channels::{ChannelEntry, ENTRIES};
use homard_config::{set_path, unset_path};
use homard_protocol::AccountId;
use homard_protocol::methods::channels::{ChannelsStatus, ChannelsStatusParams};
use homard_runtime::millis;
use serde_json::{Map, Value};

use super::{platform, show};
use crate::commands::connection::{self, Target};
use crate::commands::{Cx, terminal};
use crate::report::{Advice, Mark};

/// How long a running gateway may take to notice and ask the platform.
const PROBE_WAIT: Duration = Duration::from_secs(15);
/// How often it is asked whether it has noticed.
const LOOKS: u32 = 10;
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(Args)]
pub(super) struct AddArgs {
    /// The platform
    #[arg(long, value_name = "CHANNEL")]
    channel: Option<String>,
    /// Which account; the usual one otherwise
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// What you call it
    #[arg(long)]
    name: Option<String>,
    /// The token or password; asked for without showing it when left out, and read from a pipe
    #[arg(long, alias = "bot-token", env = "HOMARD_CHANNEL_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// A file that holds it
    #[arg(long, value_name = "PATH", conflicts_with = "token")]
    token_file: Option<String>,
    /// Leave it in the environment: write no credentials
    #[arg(long, conflicts_with_all = ["token", "token_file"])]
    use_env: bool,
    /// Any other setting, as KEY=VALUE; lists take commas
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Do not ask a running gateway whether it works
    #[arg(long)]
    no_probe: bool,
}

#[derive(Args)]
pub(super) struct RemoveArgs {
    /// The platform
    #[arg(value_name = "CHANNEL", required_unless_present = "named")]
    channel: Option<String>,
    /// The platform, as an option
    #[arg(long = "channel", value_name = "CHANNEL", conflicts_with = "channel", id = "named")]
    named: Option<String>,
    /// Which account; the usual one otherwise
    #[arg(long, value_name = "ID")]
    account: Option<String>,
    /// Forget its settings, too; otherwise it is only turned off
    #[arg(long)]
    delete: bool,
}

/// `channels add`.
pub(super) async fn add(cx: &Cx, mut args: AddArgs) -> anyhow::Result<()> {
    let entry = wanted(cx, args.channel.as_deref())?;
    if terminal::is_manned() && !args.use_env && !is_enough(cx, entry, &args)? {
        ask_for_needed(cx, entry, &mut args)?;
    }
    let args = &args;
    let base = place(entry, args.account.as_deref())?;
    let mut settings = Map::new();
    settings.insert("enabled".to_owned(), Value::Bool(true));
    settings.extend(args.name.clone().map(|name| ("name".to_owned(), Value::String(name))));
    for written in &args.settings {
        let (key, value) = setting(entry, written)?;
        settings.insert(key, value);
    }
    if let Some((key, secret)) = secret(cx, entry, args)? {
        settings.insert(key, Value::String(secret));
    }
    for (key, value) in settings {
        set_path(&cx.source, &format!("{base}.{key}"), value)?;
    }
    let done = format!("{} is set up ({base} in the configuration)", entry.label);
    cx.console.line(&cx.console.mark(Mark::Good, &done))?;
    if args.no_probe { Ok(()) } else { try_out(cx, entry, args.account.as_deref()).await }
}

/// `channels remove`.
pub(super) fn remove(cx: &Cx, args: &RemoveArgs) -> anyhow::Result<()> {
    let name = args.channel.as_deref().or(args.named.as_deref()).unwrap_or_default();
    let entry = platform(name)?;
    let base = place(entry, args.account.as_deref())?;
    let config = cx.config()?;
    let is_written = cx.snapshot().parsed.pointer(&format!("/{}", base.replace('.', "/"))).is_some();
    // A token in the environment is enough for an account that nobody wrote down.
    if !is_written && (args.account.is_some() || !(entry.is_configured)(&Value::Null, &config.env)) {
        return Err(Advice::error(
            format!("nothing is set up there: there is no {base} in the configuration"),
            "`homard channels list` shows what is",
        ));
    }
    let words = if args.delete {
        unset_path(&cx.source, &base)?;
        "forgotten"
    } else {
        set_path(&cx.source, &format!("{base}.enabled"), Value::Bool(false))?;
        "turned off; `homard channels add` turns it on again"
    };
    Ok(cx.console.line(&cx.console.mark(Mark::Good, &format!("{base} is {words}")))?)
}

/// The platform that is meant.
fn wanted(cx: &Cx, named: Option<&str>) -> anyhow::Result<&'static ChannelEntry> {
    if let Some(name) = named {
        return platform(name);
    }
    if terminal::is_manned() {
        let choices: Vec<(&str, &str)> = ENTRIES.iter().map(|entry| (entry.id, entry.summary)).collect();
        return platform(terminal::choose(cx.console, "Which platform?", &choices)?);
    }
    let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.id).collect();
    Err(Advice::usage(
        format!("which platform? ({})", names.join(", ")),
        format!("homard channels add --channel {}", names.last().unwrap_or(&"NAME")),
    ))
}

/// Asks for what an account cannot do without. Secrets are asked for by themselves.
fn ask_for_needed(cx: &Cx, entry: &ChannelEntry, args: &mut AddArgs) -> anyhow::Result<()> {
    for field in Form::of(entry).fields.iter().filter(|field| field.needed && field.group.is_none()) {
        let key = field.key.as_str();
        let is_given = args.settings.iter().any(|written| written.split('=').next() == Some(key));
        if is_given || entry.secrets.contains(&key) {
            continue;
        }
        let usual = field.initial.as_ref().and_then(Value::as_str);
        let usual = usual.map_or_else(String::new, |usual| format!(", such as {usual}"));
        let value = loop {
            let typed = terminal::ask(cx.console, &format!("{} ({key}{usual})?", field.label))?;
            match field.read(&typed) {
                Ok(_) => break typed,
                Err(problem) => cx.console.warn(&problem),
            }
        };
        args.settings.push(format!("{key}={value}"));
    }
    Ok(())
}

/// Where an account's settings are.
fn place(entry: &ChannelEntry, account: Option<&str>) -> anyhow::Result<String> {
    let account = account.map(str::trim).filter(|account| !account.is_empty());
    let Some(account) = account.filter(|account| *account != AccountId::default_account().as_str()) else {
        return Ok(format!("channels.{}", entry.id));
    };
    AccountId::parse(account)?;
    Ok(format!("channels.{}.accounts.{account}", entry.id))
}

/// Reads `key=value`, with the value as the platform's schema wants it.
fn setting(entry: &ChannelEntry, written: &str) -> anyhow::Result<(String, Value)> {
    let Some((key, value)) = written.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
        return Err(Advice::error(format!("`{written}` is no setting"), "write it as KEY=VALUE"));
    };
    let key = key.trim().to_owned();
    let schema = entry.keys.schema();
    let wanted = schema.pointer(&format!("/properties/{}", key.replace('.', "/properties/")));
    Ok((key, value_as(wanted, value.trim())))
}

fn value_as(schema: Option<&Value>, text: &str) -> Value {
    let is = |word: &str| {
        let named = schema.and_then(|schema| schema.get("type"));
        named.is_some_and(|named| {
            named == word || named.as_array().is_some_and(|all| all.contains(&word.into()))
        })
    };
    if is("array") && !text.starts_with('[') {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        return items.map(|item| Value::String(item.to_owned())).collect();
    }
    if is("string") && schema.is_some() {
        return Value::String(text.to_owned());
    }
    serde_json::from_str(text).unwrap_or_else(|_plain| Value::String(text.to_owned()))
}

/// The credential and the key it belongs to; `None` when none is to be written.
fn secret(cx: &Cx, entry: &ChannelEntry, args: &AddArgs) -> anyhow::Result<Option<(String, String)>> {
    let Some(key) = entry.secrets.first().map(|key| (*key).to_owned()) else { return Ok(None) };
    if args.use_env {
        return Ok(None);
    }
    if let Some(file) = &args.token_file {
        let file_key = entry.secrets.iter().find(|key| key.to_ascii_lowercase().ends_with("file"));
        let Some(file_key) = file_key else {
            return Err(Advice::error(format!("{} takes no file", entry.label), "use --token or a pipe"));
        };
        return Ok(Some(((*file_key).to_owned(), file.clone())));
    }
    if let Some(token) = args.token.as_deref().map(str::trim).filter(|token| !token.is_empty()) {
        return Ok(Some((key, token.to_owned())));
    }
    if is_enough(cx, entry, args)? {
        return Ok(None);
    }
    Ok(Some((key.clone(), read_secret(cx, entry, &key)?)))
}

/// Whether what was written, and what is in the environment, are enough by themselves: then nobody is asked.
fn is_enough(cx: &Cx, entry: &ChannelEntry, args: &AddArgs) -> anyhow::Result<bool> {
    let mut section = Map::new();
    for written in &args.settings {
        let (key, value) = setting(entry, written)?;
        section.insert(key, value);
    }
    Ok((entry.is_configured)(&Value::Object(section), &cx.config()?.env))
}

/// Reads a secret without showing it, or from a pipe.
fn read_secret(cx: &Cx, entry: &ChannelEntry, key: &str) -> anyhow::Result<String> {
    terminal::secret(cx.console, &format!("the {key} for {}", entry.label))?.ok_or_else(|| {
        Advice::error(
            format!("no {key} was given"),
            "paste it, pipe it in, or use --token, --token-file or --use-env",
        )
    })
}

/// Asks a running gateway whether the account works; without one there is nobody to ask.
async fn try_out(cx: &Cx, entry: &ChannelEntry, account: Option<&str>) -> anyhow::Result<()> {
    let client = match connection::connect(cx, &Target::default(), PROBE_WAIT).await {
        Ok(client) => client,
        Err(error) if connection::is_not_running(&error) => {
            cx.console.note("no gateway is running; `homard gateway` connects it");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let account = account.unwrap_or(AccountId::default_account().as_str()).to_owned();
    let params = ChannelsStatusParams {
        probe: Some(true),
        timeout_ms: Some(millis(PROBE_WAIT)),
        channel: Some(entry.id.to_owned()),
    };
    for _ in 0..LOOKS {
        let status = client.call::<ChannelsStatus>(&params).await?;
        let rows = status.channel_accounts.get(entry.id).into_iter().flatten();
        let row = rows.clone().find(|row| row.get("accountId").and_then(Value::as_str) == Some(&account));
        let probe = row.and_then(|row| row.get("probe"));
        match probe.map(|probe| probe.get("ok") == Some(&Value::Bool(true))) {
            Some(true) => {
                client.close().await;
                for line in show::accounts(&status) {
                    cx.console.line(&line)?;
                }
                return Ok(());
            }
            Some(false) => {
                client.close().await;
                let why =
                    probe.and_then(|probe| probe.get("error")?.as_str()).unwrap_or("it does not answer");
                return Err(Advice::error(
                    format!("{} does not work yet: {why}", entry.label),
                    "the settings are written; change them with `homard channels add` or `homard config set`",
                ));
            }
            // The gateway has not noticed yet.
            None => tokio::time::sleep(LOOK_EVERY).await,
        }
    }
    client.close().await;
    cx.console.note("the gateway has not connected it yet; see `homard channels status`");
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::value_as;

    #[test]
    fn values_are_written_as_the_schema_wants_them() {
        let rows = [
            (json!({"type": "array"}), "#a, #b", json!(["#a", "#b"])),
            (json!({"type": ["array", "null"]}), "#a", json!(["#a"])),
            (json!({"type": "string"}), "123", json!("123")),
            (json!({"type": ["string", "null"]}), "true", json!("true")),
            (json!({"type": "integer"}), "6697", json!(6697)),
            (json!({"type": ["boolean", "null"]}), "true", json!(true)),
            (json!(null), "plain", json!("plain")),
        ];
        for (schema, text, expected) in rows {
            assert_eq!(value_as(Some(&schema).filter(|schema| !schema.is_null()), text), expected, "{text}");
        }
    }
}
