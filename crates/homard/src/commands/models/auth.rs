//! `homard models auth`: keys and logins.

use std::collections::BTreeMap;
use std::io::BufRead;

use anyhow::Context;
use clap::{Args, Subcommand};
use homard_config::ConfigHandle;
use homard_llm::ApiKey;
use homard_models::auth::oauth::{BrowserLogin, LoginError};
use homard_models::auth::{Added, Described, NewProfile, NewSecret, Profiles, import_external};
use homard_models::catalogue::{self, Row};
use homard_protocol::ProviderId;
use homard_runtime::off_thread;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::choose::print;
use super::probe::ProbeArgs;
use super::room::Local;
use crate::commands::{Cx, terminal, words};
use crate::report::{Advice, Mark};

const ADD_EXAMPLES: &str = "\
Examples:
  homard models auth add --provider anthropic
  pass show openai | homard models auth add --provider openai
  homard models auth add --provider openai --profile-id work
  homard models auth add --provider anthropic --token --expires-in-days 365
  homard models auth add --provider cloudflare-ai-gateway --metadata accountId=… --metadata gatewayId=…

The key is read from the terminal without showing it, or from standard input; never from an argument, where
other users of the machine could see it.";

const LOGIN_EXAMPLES: &str = "\
Examples:
  homard models auth login --provider anthropic
  homard models auth login --provider openai-codex --device-code
  homard models auth login --provider google-gemini-cli

On a machine without a browser, open the page elsewhere and paste the address it ends at. A login with a Google
account is made in the name of Google's own program: have Gemini CLI installed (`gemini` on the PATH), or set
GEMINI_CLI_OAUTH_CLIENT_ID and GEMINI_CLI_OAUTH_CLIENT_SECRET.";

#[derive(Subcommand)]
pub(super) enum AuthCommand {
    /// Store a key or token
    #[command(visible_alias = "paste-api-key", after_help = ADD_EXAMPLES)]
    Add(AddArgs),
    /// Log in at a provider with a browser
    #[command(after_help = LOGIN_EXAMPLES)]
    Login(LoginArgs),
    /// List stored credentials
    List(ListArgs),
    /// The order in which a provider's credentials are tried
    #[command(subcommand)]
    Order(OrderCommand),
    /// Remove a stored credential
    #[command(visible_alias = "logout")]
    Remove(RemoveArgs),
    /// Take over logins of other programs on this machine (Codex, Claude Code, Gemini CLI)
    Import(ImportArgs),
    /// Ask with each credential for one word
    Probe(ProbeArgs),
}

#[derive(Args)]
pub(super) struct AddArgs {
    /// Whose key it is
    #[arg(long, value_name = "ID")]
    provider: String,
    /// It is a bearer token, not a key
    #[arg(long)]
    token: bool,
    /// When the token ends
    #[arg(long, value_name = "DAYS", requires = "token")]
    expires_in_days: Option<u32>,
    /// Name of the credential, such as `work` or `openai:work`; a free one when absent
    #[arg(long, visible_alias = "name", value_name = "NAME")]
    profile_id: Option<String>,
    /// Account it belongs to
    #[arg(long)]
    email: Option<String>,
    /// More the provider's address needs, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    metadata: Vec<String>,
    #[command(flatten)]
    agent: AgentArg,
}

#[derive(Args)]
pub(super) struct LoginArgs {
    /// Where to log in
    #[arg(long, value_name = "ID")]
    provider: String,
    /// Show a code to type on another device, instead of opening a page here
    #[arg(long)]
    device_code: bool,
    #[command(flatten)]
    agent: AgentArg,
}

#[derive(Args)]
pub(super) struct ListArgs {
    /// Only those of this provider
    #[arg(long, value_name = "ID")]
    provider: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    agent: AgentArg,
}

#[derive(Args)]
pub(super) struct RemoveArgs {
    /// Which credential
    profile: String,
    #[command(flatten)]
    agent: AgentArg,
}

#[derive(Args)]
pub(super) struct ImportArgs {
    #[command(flatten)]
    agent: AgentArg,
}

#[derive(Subcommand)]
pub(super) enum OrderCommand {
    /// Show it
    Get(OrderArgs),
    /// Set it
    Set {
        #[command(flatten)]
        order: OrderArgs,
        /// Credentials, the first to be tried first
        #[arg(required = true)]
        profiles: Vec<String>,
    },
    /// Let Homard decide
    Clear(OrderArgs),
}

#[derive(Args)]
pub(super) struct OrderArgs {
    /// Whose credentials
    #[arg(long, value_name = "ID")]
    provider: String,
    #[command(flatten)]
    agent: AgentArg,
}

#[derive(Args)]
pub(super) struct AgentArg {
    /// For which agent; the default one when absent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

pub(super) async fn run(cx: &Cx, command: AuthCommand) -> anyhow::Result<()> {
    match command {
        AuthCommand::Probe(args) => super::probe::run(cx, args).await,
        AuthCommand::Add(args) => {
            known_provider(cx, &args)?;
            let new = new_profile(cx, &args)?;
            with_profiles(cx, &args.agent, async |cx, profiles| {
                let Added { id, replaced } = profiles.add_beside(new).await?;
                let how = if replaced { ", in place of the one of that name" } else { "" };
                good(cx, &format!("stored as {id}{how}"))
            })
            .await
        }
        AuthCommand::Login(args) => {
            with_profiles(cx, &args.agent, async |cx, profiles| login(cx, &args, &profiles).await).await
        }
        AuthCommand::List(args) => {
            with_profiles(cx, &args.agent, async |cx, profiles| list(cx, &args, &profiles).await).await
        }
        AuthCommand::Order(command) => order(cx, command).await,
        AuthCommand::Remove(args) => {
            with_profiles(cx, &args.agent, async |cx, profiles| {
                profiles.remove(&args.profile).await?;
                good(cx, &format!("removed {}", args.profile))
            })
            .await
        }
        AuthCommand::Import(args) => {
            with_profiles(cx, &args.agent, async |cx, profiles| import(cx, &profiles).await).await
        }
    }
}

/// Opens an agent's credentials for one command.
async fn with_profiles(
    cx: &Cx,
    agent: &AgentArg,
    command: impl AsyncFnOnce(&Cx, Profiles) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let local = Local::open(cx, agent.agent.as_deref()).await?;
    let profiles = local.router.profiles(&local.agent()?.id);
    let outcome = command(cx, profiles).await;
    local.close().await;
    outcome
}

fn good(cx: &Cx, text: &str) -> anyhow::Result<()> {
    Ok(cx.console.line(&cx.console.mark(Mark::Good, text))?)
}

fn new_profile(cx: &Cx, args: &AddArgs) -> anyhow::Result<NewProfile> {
    let provider = provider(&args.provider)?;
    let mut metadata = BTreeMap::new();
    for pair in &args.metadata {
        let (name, value) = pair.split_once('=').with_context(|| format!("`{pair}` is not NAME=VALUE"))?;
        metadata.insert(name.to_owned(), value.to_owned());
    }
    let secret = read_secret(cx, &provider)?;
    let day = 24 * 3_600_000;
    let expires = args.expires_in_days.map(|days| cx.source.clock.now_ms() + i64::from(days) * day);
    let secret =
        if args.token { NewSecret::Token { token: secret, expires } } else { NewSecret::Key(secret) };
    Ok(NewProfile { provider, secret, email: args.email.clone(), metadata, id: args.profile_id.clone() })
}

/// Refuses a key nobody would ever use, before it is asked for: for a provider neither the catalogue nor the owner's
/// configuration knows.
fn known_provider(cx: &Cx, args: &AddArgs) -> anyhow::Result<()> {
    let wanted = provider(&args.provider)?;
    let written = ConfigHandle::open(cx.source.clone()).map(|handle| handle.current());
    let own: Vec<String> =
        written.iter().flat_map(|config| config.models.providers.keys().map(ToString::to_string)).collect();
    if catalogue::find(wanted.as_str()).is_some() || own.iter().any(|id| id == wanted.as_str()) {
        return Ok(());
    }
    let known: Vec<String> = catalogue::ROWS.iter().map(|row| row.id.to_owned()).chain(own).collect();
    let meant = homard_llm::nearest(wanted.as_str(), &known);
    let meant = meant.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
    Err(Advice::error(
        format!("there is no provider `{wanted}`{meant}"),
        format!(
            "`homard models list --all` names them; describe one of your own in models.providers.{wanted} first"
        ),
    ))
}

/// The provider by any of its names.
pub(super) fn provider(text: &str) -> anyhow::Result<ProviderId> {
    let id = text.trim().to_lowercase();
    Ok(ProviderId::parse(catalogue::find(&id).map_or(id.as_str(), |row| row.id))?)
}

/// Reads a secret without showing it, or from a pipe.
fn read_secret(cx: &Cx, provider: &ProviderId) -> anyhow::Result<ApiKey> {
    let text = terminal::secret(cx.console, &format!("the key for {provider}"))?.unwrap_or_default();
    let key = ApiKey::new(&text);
    if key.expose().is_empty() {
        return Err(Advice::error("no key was given", "paste it, or pipe it in"));
    }
    Ok(key)
}

async fn login(cx: &Cx, args: &LoginArgs, profiles: &Profiles) -> anyhow::Result<()> {
    let provider = provider(&args.provider)?;
    let Some(row) = catalogue::find(provider.as_str()).and_then(|row| row.oauth.as_ref()) else {
        let able: Vec<&str> =
            catalogue::ROWS.iter().filter(|row| row.oauth.is_some()).map(|row: &Row| row.id).collect();
        return Err(Advice::error(
            format!("one cannot log in at `{provider}` from here"),
            format!("logins exist for: {}; for others use `homard models auth add`", able.join(", ")),
        ));
    };
    let cancel = CancellationToken::new();
    if args.device_code || row.is_device_only() {
        let login = profiles.begin_device_login(&provider, row).await?;
        cx.console.line(&format!("Open {} and type this code:", login.page()))?;
        cx.console.line(&format!("\n  {}\n", cx.console.mark(Mark::Strong, login.user_code())))?;
        cx.console.note("waiting for you …");
        let id = profiles.finish_device_login(&login, &cancel).await?;
        return good(cx, &format!("logged in; stored as {id}"));
    }
    let env = profiles.environment();
    let (login, listener) = match BrowserLogin::begin_here(&provider, row, &env).await {
        Ok((login, listener)) => (login, Some(listener)),
        Err(LoginError::Port { .. } | LoginError::NotOffered { .. }) => {
            (BrowserLogin::begin(&provider, row, &env)?, None)
        }
        Err(error) => return Err(error.into()),
    };
    cx.console.line(&format!("Open this page in a browser:\n\n  {}\n", login.url()))?;
    let pasting = off_thread(read_line);
    let code = match listener {
        Some(listener) => {
            cx.console.note("waiting for the browser; or paste the address it ended at and press Enter");
            tokio::select! {
                code = listener.wait(&login, &cancel) => code?,
                pasted = pasting => login.pasted(&pasted.context("nothing could be read")??)?,
            }
        }
        None => {
            cx.console.note("paste the code it shows, or the address it ended at, and press Enter");
            login.pasted(&pasting.await.context("nothing could be read")??)?
        }
    };
    let id = profiles.finish_login(&login, &code).await?;
    good(cx, &format!("logged in; stored as {id}"))
}

fn read_line() -> std::io::Result<String> {
    let mut text = String::new();
    if std::io::stdin().lock().read_line(&mut text)? == 0 {
        // Nobody is there to paste: leave the deciding to the browser.
        std::thread::park();
    }
    Ok(text)
}

async fn list(cx: &Cx, args: &ListArgs, profiles: &Profiles) -> anyhow::Result<()> {
    let mut found = profiles.describe().await;
    if let Some(only) = &args.provider {
        let only = provider(only)?;
        found.profiles.retain(|one| one.provider == only.as_str());
    }
    if args.json {
        return Ok(cx.console.json(&json!({"profiles": found.profiles, "problem": found.problem,
            "inherited": found.inherited}))?);
    }
    if let Some(problem) = &found.problem {
        cx.console.warn(problem);
    }
    if found.profiles.is_empty() {
        return Ok(cx.console.line("no stored credentials; add one with `homard models auth add`")?);
    }
    if found.inherited {
        cx.console.note("these are the main agent's; this agent has none of its own");
    }
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = found.profiles.iter().map(|one| row(one, now)).collect();
    print(cx, &["CREDENTIAL", "KIND", "KEY", "STATE", "LAST USED"], &rows)
}

fn row(one: &Described, now: i64) -> Vec<String> {
    let ahead = |until: i64| words::span(u64::try_from(until.saturating_sub(now)).unwrap_or(0));
    let state = match (one.problem, one.cooling_until, one.expires) {
        (Some(problem), _, _) => problem.to_owned(),
        (None, Some(until), _) => format!("rests for {}", ahead(until)),
        (None, None, Some(end)) if !one.renewable && end > now => format!("ends in {}", ahead(end)),
        (None, None, _) => "ready".to_owned(),
    };
    vec![
        one.id.clone(),
        one.kind.to_owned(),
        one.hint.clone().unwrap_or_else(|| "••••".to_owned()),
        state,
        one.last_used.map_or_else(|| "never".to_owned(), |then| words::ago(then, now)),
    ]
}

async fn order(cx: &Cx, command: OrderCommand) -> anyhow::Result<()> {
    let args = match &command {
        OrderCommand::Get(args) | OrderCommand::Clear(args) => args,
        OrderCommand::Set { order, .. } => order,
    };
    let provider = provider(&args.provider)?;
    with_profiles(cx, &args.agent, async |cx, profiles| match &command {
        OrderCommand::Get(_) => {
            let told = match profiles.order(&provider).await {
                Some(order) => order.join(" → "),
                None => {
                    "Homard decides: logins before tokens before keys, the longest unused first".to_owned()
                }
            };
            Ok(cx.console.line(&told)?)
        }
        OrderCommand::Set { profiles: wanted, .. } => {
            profiles.set_order(&provider, wanted.clone()).await?;
            good(cx, &wanted.join(" → "))
        }
        OrderCommand::Clear(_) => {
            profiles.clear_order(&provider).await?;
            good(cx, "Homard decides again")
        }
    })
    .await
}

async fn import(cx: &Cx, profiles: &Profiles) -> anyhow::Result<()> {
    let home = cx.source.paths.home.clone();
    let found = off_thread(move || import_external(&home)).await?;
    if found.is_empty() {
        return Ok(cx.console.line("no other program on this machine has a login to take over")?);
    }
    for one in found {
        let id = profiles.add(one.profile).await?;
        good(cx, &format!("{} (~/{}) → {id}", one.program, one.file))?;
    }
    Ok(())
}
