//! `homard node`: this machine as a node of a gateway somewhere else, in this terminal or as a service of this login.

use clap::{Args, Subcommand};
use homard_node::{Host, HostOptions, Machine, NodeFolder, NodeNotice, offered};
use homard_runtime::{Clip, CollectOrdered as _, Tasks};
use homard_service::Role;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::commands::Cx;
use crate::commands::connection::{self, Route, Target};
use crate::commands::service::supervised::{HowToInstall, ServiceCx, WhichArgs};
use crate::compose::machine::wait_for_stop_signal;
use crate::report::{Advice, Mark};

const EXAMPLES: &str = "\
Examples:
  homard node run --host 192.168.1.10              offer this machine to that gateway
  homard node run --url ws://gateway.lan:18789 --token TOKEN
  homard node install --url ws://gateway.lan:18789  keep it connected, as a service of your login
  homard node identity                             its id, and what it would offer
  homard node status                               whether the gateway knows it, and what it may do

The gateway's owner lets a new node in with `homard devices approve`, and decides which of its commands
may be used with `homard nodes approve`. What runs here is decided here, too: by the list of commands in
~/.homard/node/exec-approvals.json on this machine. What is not on it, the owner is asked about.
Once let in, a node has a token of its own and needs the gateway's no more: a service has no other.";

/// Offer this machine's commands to a gateway
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NodeArgs {
    #[command(subcommand)]
    command: NodeCommand,
}

#[derive(Subcommand)]
enum NodeCommand {
    /// Connect and serve until stopped
    Run(RunArgs),
    /// Show whether the gateway knows this node, and what it may do
    Status(StatusArgs),
    /// Show the node's id and what it would offer
    Identity(IdentityArgs),
    Install(Box<InstallArgs>),
    /// Stop the service and remove it; what the node knows stays
    Uninstall(ServiceArgs),
    /// Start the installed service
    Start(ServiceArgs),
    /// Stop the installed service
    Stop(ServiceArgs),
    /// Stop and start the service, so that a new program takes effect
    Restart(ServiceArgs),
}

/// Keep this machine connected, as a service of your login
///
/// An installation that fails leaves nothing behind. Doing it again changes nothing.
#[derive(Args)]
struct InstallArgs {
    #[command(flatten)]
    gateway: Gateway,
    /// What the node is called; remembered
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,
    /// Replace a definition that is there already
    #[arg(long)]
    force: bool,
    /// Print the definition and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct ServiceArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Gateway {
    /// The gateway's machine; this one otherwise
    #[arg(long, conflicts_with = "url")]
    host: Option<String>,
    #[command(flatten)]
    target: Target,
}

#[derive(Args)]
struct RunArgs {
    #[command(flatten)]
    gateway: Gateway,
    /// What the node is called; remembered
    #[arg(long, value_name = "NAME")]
    display_name: Option<String>,
}

#[derive(Args)]
struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    gateway: Gateway,
}

#[derive(Args)]
struct IdentityArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// When the gateway will not let the node in, or what it remembers is damaged.
pub(crate) async fn run(cx: &Cx, args: NodeArgs) -> anyhow::Result<()> {
    match args.command {
        NodeCommand::Run(args) => serve(cx, args).await,
        NodeCommand::Status(args) => status(cx, args).await,
        NodeCommand::Identity(args) => identity(cx, &args),
        NodeCommand::Install(args) => install(cx, *args).await,
        NodeCommand::Uninstall(args) => desk(cx, args.json)?.uninstall().await,
        NodeCommand::Start(args) => desk(cx, args.json)?.start().await,
        NodeCommand::Stop(args) => desk(cx, args.json)?.stop().await,
        NodeCommand::Restart(args) => desk(cx, args.json)?.restart().await,
    }
}

fn desk(cx: &Cx, json: bool) -> anyhow::Result<ServiceCx<'_>> {
    ServiceCx::new(cx, WhichArgs { system: false, json }, Role::Node)
}

async fn install(cx: &Cx, args: InstallArgs) -> anyhow::Result<()> {
    let keep = NodeFolder::open(&cx.source.paths.state_dir)?;
    let target = target(cx, args.gateway)?;
    let route = route(cx, &keep, &target)?;
    // Nothing secret goes into a definition: elsewhere, only a token of its own lets the service in.
    if !route.local && !args.dry_run && keep.token(&route.url)?.is_none() {
        return Err(Advice::error(
            "the gateway does not know this node yet, and a service has no secret to introduce itself with",
            format!(
                "let it in first: homard node run --url {} --token TOKEN, and stop it when it is connected",
                route.url
            ),
        ));
    }
    if let Some(name) = args.display_name.as_deref() {
        keep.set_display_name(name.trim())?;
    }
    let mut desk = desk(cx, args.json)?;
    if target.url.is_some() {
        desk.charge.arguments.extend(["--url".to_owned(), route.url]);
    }
    if let Some(pin) = target.tls_fingerprint {
        desk.charge.arguments.extend(["--tls-fingerprint".to_owned(), pin]);
    }
    desk.install(HowToInstall { force: args.force, dry_run: args.dry_run }).await.map(drop)
}

/// How the gateway is reached: with what somebody gave or configured, or with the token it gave this node.
fn route(cx: &Cx, keep: &NodeFolder, target: &Target) -> anyhow::Result<Route> {
    match &target.url {
        Some(url) if keep.token(url)?.is_some() => connection::by_own_token(cx, target, url),
        _ => connection::route(cx, target),
    }
}

async fn serve(cx: &Cx, args: RunArgs) -> anyhow::Result<()> {
    let keep = NodeFolder::open(&cx.source.paths.state_dir)?;
    if let Some(name) = args.display_name.as_deref() {
        keep.set_display_name(name.trim())?;
    }
    let route = route(cx, &keep, &target(cx, args.gateway)?)?;
    let options = HostOptions {
        url: route.url.clone(),
        auth: route.auth,
        display_name: args.display_name,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let host = Host::new(keep.clone(), machine(cx, &keep), options)?;
    cx.console.note(&format!("connecting to {}", route.url));
    let cancel = CancellationToken::new();
    let signals = Tasks::new();
    let (stop, over) = (cancel.clone(), signals.token().clone());
    signals.spawn(async move { wait_for_stop_signal(&stop, &over).await });
    let outcome = host.run(|happening| tell(cx, &happening), &cancel).await;
    signals.token().cancel();
    Ok(outcome?)
}

fn tell(cx: &Cx, happening: &NodeNotice) {
    match happening {
        NodeNotice::Connected { node_id, commands } => {
            let id = node_id.as_str().clip_chars(12).to_owned();
            cx.console.note(&format!("connected as node {id}, offering {}", commands.join(", ")));
        }
        NodeNotice::Waiting { request_id } => {
            let which = request_id.as_deref().unwrap_or("--latest");
            cx.console.note(&format!(
                "waiting to be let in: run `homard devices approve {which}` on the gateway's machine"
            ));
        }
        NodeNotice::Away { reason, retry_in } => {
            cx.console
                .note(&format!("not connected ({reason}); trying again in {:.0} s", retry_in.as_secs_f64()));
        }
    }
}

async fn status(cx: &Cx, args: StatusArgs) -> anyhow::Result<()> {
    let keep = NodeFolder::open(&cx.source.paths.state_dir)?;
    let id = keep.identity(&cx.source.clock)?.id().to_owned();
    let target = target(cx, args.gateway)?;
    let client = connection::connect(cx, &target, std::time::Duration::from_secs(10)).await?;
    let known = client.call_raw("node.list", &json!({})).await?;
    client.close().await;
    let nodes = known.get("nodes").and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let mine =
        nodes.into_iter().find(|node| node.get("nodeId").and_then(|id| id.as_str()) == Some(id.as_str()));
    let service = desk(cx, false)?.state().await;
    if args.json {
        let told = json!({"nodeId": id, "known": mine.is_some(), "node": mine, "service": service});
        return Ok(cx.console.json(&told)?);
    }
    if let Some(service) = service {
        cx.console.line(&format!("service {service}"))?;
    }
    let Some(node) = mine else {
        cx.console.line("the gateway does not know this node yet; `homard node run` introduces it")?;
        return Ok(());
    };
    let is_on = node.get("connected").and_then(serde_json::Value::as_bool) == Some(true);
    let commands = node.get("commands").and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let names: Vec<&str> = commands.iter().filter_map(serde_json::Value::as_str).collect();
    let state =
        if is_on { cx.console.mark(Mark::Good, "connected") } else { cx.console.mark(Mark::Warning, "away") };
    cx.console.line(&format!("node {id}\n{state}"))?;
    cx.console.line(&if names.is_empty() {
        "none of its commands may be used; see `homard nodes pending` on the gateway's machine".to_owned()
    } else {
        format!("may be used: {}", names.join(", "))
    })?;
    Ok(())
}

fn identity(cx: &Cx, args: &IdentityArgs) -> anyhow::Result<()> {
    let keep = NodeFolder::open(&cx.source.paths.state_dir)?;
    let id = keep.identity(&cx.source.clock)?.id().to_owned();
    let (caps, commands) = offered(&machine(cx, &keep));
    if args.json {
        return Ok(cx.console.json(&json!({"nodeId": id, "caps": caps, "commands": commands}))?);
    }
    cx.console.line(&format!("node {id}\noffers {}", commands.join(", ")))?;
    Ok(())
}

fn machine(cx: &Cx, keep: &NodeFolder) -> Machine {
    let environment = &cx.source.environment;
    let variables = environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect_map();
    Machine::new(&variables, &cx.source.paths.home, keep.policy(), cx.source.clock.clone())
}

/// Where the gateway is: `--url`, or `--host` and `--port`.
fn target(cx: &Cx, gateway: Gateway) -> anyhow::Result<Target> {
    let Gateway { host, mut target } = gateway;
    if host.is_none() && target.port.is_none() {
        return Ok(target);
    }
    let port = match target.port.take() {
        Some(port) => port,
        None => connection::own_port(cx, &*cx.config()?),
    };
    let host = host.unwrap_or_else(|| "127.0.0.1".to_owned());
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    target.url = Some(format!("ws://{host}:{port}"));
    Ok(target)
}
