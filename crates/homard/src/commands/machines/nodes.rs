//! `homard nodes`: the owner's other machines and phones, what they may be asked, and asking them. `resolve` finds the
//! one a person means and puts it into words, `ask` has it do something, `media` is about what it sees and shows.

mod ask;
mod media;
mod resolve;

pub(in crate::commands) use self::resolve::node as meant;
use self::resolve::{latest, name_of, node, request};
use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::{pairs, table};
use crate::commands::words;
use crate::report::Advice;
use clap::{Args, Subcommand};
use homard_automation::schedule::read_duration;
use homard_client::Client;
use homard_protocol::method::NoParams;
use homard_protocol::methods::nodes::{
    Node, NodeDescribe, NodeList, NodeListResult, NodeName, NodePairApprove, NodePairList,
    NodePairListResult, NodePairReject, NodePairRemove, NodeParams, NodeRename, NodeRequestParams,
    PendingNodeRow,
};

const EXAMPLES: &str = "\
Examples:
  homard nodes                               every node and what it may be asked
  homard nodes pending                       what nodes ask to offer
  homard nodes approve 3f9a1c02              the first characters of an id are enough
  homard nodes approve --latest
  homard nodes describe --node shed
  homard nodes invoke --node shed --command system.which --params '{\"bins\":[\"ffmpeg\"]}'
  homard nodes notify --node phone --title Tea --body ready
  homard nodes camera snap --node phone --facing back --out tea.jpg
  homard nodes location get --node phone
  homard nodes rename --node 9b1c --name \"Garden shed\"
  homard nodes remove --node shed            it must be paired again

A node is let in like any device (`homard devices`); what it offers needs a yes of its own.
Commands that watch people or act for them also need gateway.nodes.allowCommands.
Programs run on a node through the assistant: `exec` with host=node.";

/// See and use the machines that offer commands
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NodesArgs {
    #[command(subcommand)]
    command: Option<NodesCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum NodesCommand {
    /// List nodes and what they may be asked
    #[command(visible_alias = "status")]
    List(ListArgs),
    /// List what nodes ask to offer
    Pending(PendingArgs),
    /// Let a node offer what it asks to
    Approve(ApproveArgs),
    /// Turn down what a node asks to offer
    Reject(RejectArgs),
    /// Forget a node; it must be paired again
    Remove(WhichArgs),
    /// Give a node a name of your own
    Rename(RenameArgs),
    /// Show everything about one node
    Describe(WhichArgs),
    /// Have a node run one of its commands
    Invoke(ask::InvokeArgs),
    /// Show a notification on a node
    Notify(ask::NotifyArgs),
    /// Look through the cameras of a node
    Camera(media::CameraArgs),
    /// Show a page on a node
    Canvas(media::CanvasArgs),
    /// Record the screen of a node
    Screen(media::ScreenArgs),
    /// Ask where a node is
    Location(media::LocationArgs),
}

#[derive(Args)]
struct ListArgs {
    /// Only those that are connected
    #[arg(long)]
    connected: bool,
    /// Only those that were connected in the last such time, such as 24h or 7d
    #[arg(long, value_name = "TIME")]
    last_connected: Option<String>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct PendingArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct ApproveArgs {
    /// Which request, as `homard nodes pending` lists it
    #[arg(value_name = "REQUEST")]
    id: Option<String>,
    /// The one that asked last
    #[arg(long, conflicts_with = "id")]
    latest: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RejectArgs {
    /// Which request, as `homard nodes pending` lists it
    #[arg(value_name = "REQUEST")]
    id: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct WhichArgs {
    /// Which node: its id, the beginning of it, its name or its address
    #[arg(long)]
    node: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
struct RenameArgs {
    /// Which node: its id, the beginning of it, its name or its address
    #[arg(long)]
    node: String,
    /// What to call it
    #[arg(long)]
    name: String,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, nothing is meant, or the gateway or the node refuses.
pub(crate) async fn run(cx: &Cx, args: NodesArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(cx, &args.list).await,
        Some(NodesCommand::List(args)) => list(cx, &args).await,
        Some(NodesCommand::Pending(args)) => pending(cx, &args.reach).await,
        Some(NodesCommand::Approve(args)) => approve(cx, &args).await,
        Some(NodesCommand::Reject(args)) => reject(cx, &args).await,
        Some(NodesCommand::Remove(args)) => remove(cx, &args).await,
        Some(NodesCommand::Rename(args)) => rename(cx, args).await,
        Some(NodesCommand::Describe(args)) => describe(cx, &args).await,
        Some(NodesCommand::Invoke(args)) => ask::invoke(cx, &args).await,
        Some(NodesCommand::Notify(args)) => ask::notify(cx, &args).await,
        Some(NodesCommand::Camera(args)) => media::camera(cx, args).await,
        Some(NodesCommand::Canvas(args)) => media::canvas(cx, args).await,
        Some(NodesCommand::Screen(args)) => media::screen(cx, args).await,
        Some(NodesCommand::Location(args)) => media::location(cx, args).await,
    }
}

async fn look(cx: &Cx, reach: &ConnectArgs) -> anyhow::Result<(Client, NodeListResult)> {
    let client = reach.connect(cx).await?;
    let known = client.call::<NodeList>(&NoParams {}).await?;
    Ok((client, known))
}

async fn questions(cx: &Cx, reach: &ConnectArgs) -> anyhow::Result<(Client, NodePairListResult)> {
    let client = reach.connect(cx).await?;
    let known = client.call::<NodePairList>(&NoParams {}).await?;
    Ok((client, known))
}

async fn list(cx: &Cx, args: &ListArgs) -> anyhow::Result<()> {
    let (client, mut known) = look(cx, &args.reach).await?;
    client.close().await;
    known.nodes.retain(|node| node.connected || !args.connected);
    if let Some(text) = &args.last_connected {
        let within = read_duration(text).and_then(|ms| i64::try_from(ms).ok());
        let within = within.ok_or_else(|| {
            Advice::usage(
                format!("--last-connected `{text}` is not a time"),
                "write it like 90s, 20m, 24h or 7d",
            )
        })?;
        let since = cx.source.clock.now_ms().saturating_sub(within);
        let seen = |node: &Node| node.last_connected_at_ms.or(node.connected_at_ms).or(node.last_seen_at_ms);
        known.nodes.retain(|node| node.connected || seen(node).is_some_and(|at| at >= since));
    }
    if args.reach.json {
        return Ok(cx.console.json(&known)?);
    }
    if known.nodes.is_empty() {
        cx.console.note("no node is paired yet; one asks when it connects, see `homard devices`");
        return Ok(());
    }
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = known.nodes.iter().map(|node| row(node, now)).collect();
    cx.console.table(&table(&["NODE", "NAME", "PLATFORM", "SEEN", "APPROVAL", "COMMANDS"], &rows))?;
    if known.nodes.iter().any(|node| node.pending_request_id.is_some()) {
        cx.console.note("see what is asked with `homard nodes pending`");
    }
    Ok(())
}

fn row(node: &Node, now: i64) -> Vec<String> {
    let seen = match node.last_seen_at_ms {
        _ if node.connected && node.active == Some(true) => "connected, in use".to_owned(),
        _ if node.connected => "connected".to_owned(),
        Some(at) => words::ago(at, now),
        None => "never".to_owned(),
    };
    let usable = if node.commands.is_empty() { "none".to_owned() } else { node.commands.join(", ") };
    vec![
        words::short(node.node_id.as_str()),
        name_of(node),
        node.platform.clone().unwrap_or_default(),
        seen,
        resolve::approval(node.approval_state).to_owned(),
        usable,
    ]
}

async fn pending(cx: &Cx, reach: &ConnectArgs) -> anyhow::Result<()> {
    let (client, known) = questions(cx, reach).await?;
    client.close().await;
    if reach.json {
        return Ok(cx.console.json(&known.pending)?);
    }
    if known.pending.is_empty() {
        cx.console.note("no node asks for anything");
        return Ok(());
    }
    let now = cx.source.clock.now_ms();
    let rows: Vec<Vec<String>> = known.pending.iter().map(|asks| asked_row(asks, now)).collect();
    cx.console.table(&table(&["REQUEST", "NODE", "PLATFORM", "FROM", "WANTS", "ASKED"], &rows))?;
    cx.console.note("say yes with `homard nodes approve REQUEST`, or no with `… reject REQUEST`");
    Ok(())
}

fn asked_row(asks: &PendingNodeRow, now: i64) -> Vec<String> {
    vec![
        words::short(&asks.request_id),
        asks.display_name.clone().unwrap_or_else(|| words::short(asks.node_id.as_str())),
        asks.platform.clone().unwrap_or_default(),
        asks.remote_ip.clone().unwrap_or_default(),
        resolve::wants(asks),
        words::ago(asks.ts, now),
    ]
}

async fn approve(cx: &Cx, args: &ApproveArgs) -> anyhow::Result<()> {
    let (client, known) = questions(cx, &args.reach).await?;
    let asks = match &args.id {
        Some(id) => request(&known.pending, id)?,
        None => latest(&known.pending, args.latest)?,
    };
    let params = NodeRequestParams { request_id: asks.request_id.clone() };
    let approved = client.call::<NodePairApprove>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&approved)?);
    }
    let name = asks.display_name.clone().unwrap_or_else(|| words::short(asks.node_id.as_str()));
    Ok(cx.console.line(&format!("approved: {name} may offer {}", resolve::wants(asks)))?)
}

async fn reject(cx: &Cx, args: &RejectArgs) -> anyhow::Result<()> {
    let (client, known) = questions(cx, &args.reach).await?;
    let asks = request(&known.pending, &args.id)?;
    let params = NodeRequestParams { request_id: asks.request_id.clone() };
    let rejected = client.call::<NodePairReject>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&rejected)?);
    }
    let name = asks.display_name.clone().unwrap_or_else(|| words::short(asks.node_id.as_str()));
    cx.console.line(&format!("rejected: {name}"))?;
    cx.console
        .note("it stays connected and asks again when it connects anew; `homard nodes remove` ends that");
    Ok(())
}

async fn remove(cx: &Cx, args: &WhichArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let which = node(&known.nodes, &args.node)?;
    let removed = client.call::<NodePairRemove>(&NodeParams { node_id: which.node_id.clone() }).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&removed)?);
    }
    Ok(cx.console.line(&format!("removed: {}", name_of(which)))?)
}

async fn rename(cx: &Cx, args: RenameArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let node_id = node(&known.nodes, &args.node)?.node_id.clone();
    let renamed = client.call::<NodeRename>(&NodeName { node_id, display_name: args.name }).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&renamed)?);
    }
    Ok(cx.console.line(&format!(
        "{} is {} now",
        words::short(renamed.node_id.as_str()),
        renamed.display_name
    ))?)
}

async fn describe(cx: &Cx, args: &WhichArgs) -> anyhow::Result<()> {
    let (client, known) = look(cx, &args.reach).await?;
    let node_id = node(&known.nodes, &args.node)?.node_id.clone();
    let described = client.call::<NodeDescribe>(&NodeParams { node_id }).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&described)?);
    }
    for line in pairs(&resolve::facts(&described.node, cx.source.clock.now_ms())) {
        cx.console.line(&line)?;
    }
    Ok(())
}
