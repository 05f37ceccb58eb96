//! `homard gateway`: run it, look at it, call it.

mod discover;
pub(crate) mod handover;
mod inner;
mod probe;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use homard_channel::ChannelRegistry;
use homard_config::config::gateway::reach::TailscaleMode;
use homard_config::config::gateway::{AuthMode, BindMode};
use homard_config::config::logging::LogLevel;
use homard_config::{ConfigSource, Secret};
use homard_protocol::connect::HelloOk;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::net::TcpStream;

pub(crate) use inner::InnerGateway;

use super::connection::{self, ConnectArgs, Patience, Target};
use super::service::daemon;
use super::service::health::{self, HealthArgs};
use super::table::pairs;
use super::{Cx, ask, terminal, words};
use crate::cli::words_of;
use crate::compose;
use crate::compose::lock::{self, Holder};
use crate::report::{Advice, AlreadyTold, Mark};

const RUN_EXAMPLES: &str = "\
Examples:
  homard gateway                         on this machine only, port 18789
  homard gateway --port 18790 --verbose
  homard gateway --force                 take over from a gateway that still runs
  homard gateway handover                let the gateway that runs become this program
  homard gateway status                  is one running?
  homard gateway discover                which ones are on this network?
  homard gateway call chat.history --params '{\"sessionKey\":\"main\"}'";

const CALL_EXAMPLES: &str = "\
Examples:
  homard gateway call health
  homard gateway call sessions.list --params '{\"limit\":5}'
  homard gateway call agent --expect-final --params '{\"message\":\"hi\",\"idempotencyKey\":\"1\"}'";

/// How long a gateway that is asked to stop may let its runs finish.
const TAKE_OVER_PATIENCE: Duration = Duration::from_secs(5);
/// How long it may take when asked again.
const TAKE_OVER_GRACE: Duration = Duration::from_secs(10);
/// How often to look whether it has stopped.
const TAKE_OVER_POLL: Duration = Duration::from_millis(20);
/// How long `--expect-final` waits: as long as the longest run.
const FINAL_LIMIT: Duration = Duration::from_secs(24 * 60 * 60);

/// Run the gateway, or talk to one that runs
///
/// The gateway is the program everything else talks to: the web page, these commands, your chat apps. It runs until
/// you stop it with Ctrl-C and prints a link that opens the chat already signed in.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_help = RUN_EXAMPLES)]
pub(crate) struct GatewayArgs {
    #[command(subcommand)]
    command: Option<GatewayCommand>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand)]
enum GatewayCommand {
    /// Run the gateway in this terminal; the same as `homard gateway`
    Run(RunArgs),
    /// See whether a gateway runs, and how to reach it
    Status(StatusArgs),
    /// Call any method and print the answer
    Call(CallArgs),
    /// Ask the gateway how it is
    Health(HealthArgs),
    Discover(discover::DiscoverArgs),
    Probe(Box<probe::ProbeArgs>),
    Handover(handover::HandoverArgs),
    /// Start the gateway afresh inside its process, after the runs under way; or the service, where none runs
    Restart(handover::RestartArgs),
    #[command(flatten)]
    Service(daemon::ServiceCommand),
}

/// How to run the gateway.
#[derive(Args, Default)]
struct RunArgs {
    /// Port to listen on
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Who can reach it: this machine (loopback), the local network (lan), the tailnet …
    #[arg(long, value_name = "WHERE", value_parser = words_of::<BindMode>(&["loopback", "lan", "tailnet", "auto", "custom"]))]
    bind: Option<BindMode>,
    /// How callers prove themselves
    #[arg(long, value_name = "HOW", value_parser = words_of::<AuthMode>(&["token", "password", "none", "trusted-proxy"]))]
    auth: Option<AuthMode>,
    /// Token callers must know; generated and kept when there is none
    #[arg(long)]
    token: Option<String>,
    /// Password callers must know, with --auth password
    #[arg(long)]
    password: Option<String>,
    /// File that holds that password, which other users of the machine do not see
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    password_file: Option<PathBuf>,
    /// Show it to the tailnet (serve) or to everybody (funnel)
    #[arg(long, value_name = "HOW", value_parser = words_of::<TailscaleMode>(&["off", "serve", "funnel"]))]
    tailscale: Option<TailscaleMode>,
    /// Stop a gateway that already uses the port, then start
    #[arg(long)]
    force: bool,
    /// Say more about what happens
    #[arg(long)]
    verbose: bool,
    /// Start even if this machine is configured to use a gateway elsewhere
    #[arg(long)]
    allow_unconfigured: bool,
}

/// Everything a gateway needs to start; read by [`compose::run_gateway`].
#[derive(Clone)]
pub(crate) struct GatewayOptions {
    /// Where settings come from.
    pub(crate) source: ConfigSource,
    /// The chat platforms accounts can be at.
    pub(crate) platforms: ChannelRegistry,
    /// Instead of the configured port.
    pub(crate) port: Option<u16>,
    /// Instead of the configured interfaces.
    pub(crate) bind: Option<BindMode>,
    /// Instead of the configured way to prove oneself.
    pub(crate) auth: Option<AuthMode>,
    /// Instead of the configured token.
    pub(crate) token: Option<Secret>,
    /// Instead of the configured password.
    pub(crate) password: Option<Secret>,
    /// Instead of the configured way to be shown to a tailnet.
    pub(crate) tailscale: Option<TailscaleMode>,
    /// What the terminal shows of it.
    pub(crate) terminal: GatewayTerminal,
    /// Whether to start although `gateway.mode` is not local.
    pub(crate) allow_unconfigured: bool,
    /// Instead of the configured log levels, both of them.
    pub(crate) log_level: Option<LogLevel>,
}

/// What the terminal shows of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GatewayTerminal {
    /// Nothing: it is somebody else's.
    Silent,
    Shown {
        verbose: bool,
        /// Whether standard error may be coloured.
        color: bool,
    },
}

impl GatewayTerminal {
    /// Whether standard error may be coloured.
    pub(crate) fn colors(self) -> bool {
        matches!(self, Self::Shown { color: true, .. })
    }
}

#[derive(Args)]
struct StatusArgs {
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
#[command(after_help = CALL_EXAMPLES)]
struct CallArgs {
    /// Method, such as `health` or `chat.history`
    method: String,
    /// Parameters, as JSON
    #[arg(long, value_name = "JSON", default_value = "{}")]
    params: String,
    /// Wait for the second answer of methods that answer twice
    #[arg(long)]
    expect_final: bool,
    /// Print JSON (this command always does)
    #[arg(long, hide = true)]
    json: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    patience: Patience,
}

/// Runs the chosen part of the command.
///
/// # Errors
/// Whatever went wrong.
pub(crate) fn dispatch(cx: &Cx, args: GatewayArgs) -> anyhow::Result<()> {
    match args.command {
        None => serve(cx, args.run),
        Some(GatewayCommand::Run(run)) => serve(cx, run),
        Some(GatewayCommand::Status(args)) => ask(cx, status(cx, &args)),
        Some(GatewayCommand::Call(args)) => ask(cx, call(cx, &args)),
        Some(GatewayCommand::Health(args)) => ask(cx, health::run(cx, &args)),
        Some(GatewayCommand::Discover(args)) => ask(cx, discover::run(cx, &args)),
        Some(GatewayCommand::Probe(args)) => ask(cx, probe::run(cx, &args)),
        Some(GatewayCommand::Handover(args)) => ask(cx, handover::handover(cx, &args)),
        Some(GatewayCommand::Restart(args)) => ask(cx, handover::restart(cx, args.json)),
        Some(GatewayCommand::Service(command)) => ask(cx, daemon::control(cx, command)),
    }
}

/// Runs the gateway in this terminal, as it is configured.
///
/// # Errors
/// Whatever went wrong.
pub(crate) fn run_here(cx: &Cx) -> anyhow::Result<()> {
    serve(cx, RunArgs::default())
}

/// Room for the deepest walk of a message in a development build, where frames are large. Only what is used is paid.
const STACK: usize = 16 * 1024 * 1024;

fn serve(cx: &Cx, args: RunArgs) -> anyhow::Result<()> {
    let password = match &args.password_file {
        Some(file) => Some(terminal::secret_in(file, "password")?),
        None => args.password,
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().thread_name("homard").thread_stack_size(STACK).build();
    let runtime = runtime.context("could not start the runtime")?;
    runtime.block_on(async {
        if args.force {
            let port = match args.port {
                Some(port) => port,
                None => cx.config()?.gateway.port,
            };
            take_over(cx, port).await?;
        }
        compose::run_gateway(GatewayOptions {
            source: cx.source.clone(),
            platforms: homard_channels::REGISTRY,
            port: args.port,
            bind: args.bind,
            auth: args.auth,
            token: args.token.map(Secret::new),
            password: password.map(Secret::new),
            tailscale: args.tailscale,
            terminal: GatewayTerminal::Shown { verbose: args.verbose, color: cx.console.colors_errors() },
            allow_unconfigured: args.allow_unconfigured,
            log_level: cx.global.log_level,
        })
        .await
    })
}

/// Asks a gateway on the same state, or else on the same port, to stop, and waits until it has.
async fn take_over(cx: &Cx, port: u16) -> anyhow::Result<()> {
    let Some(pid) = running_gateway(cx) else {
        return if is_taken(port).await { Err(port_of_a_stranger(port)) } else { Ok(()) };
    };
    cx.console.note(&format!("stopping the gateway that runs (process {})", pid.as_raw_nonzero()));
    // The first signal lets runs under way finish, the second does not.
    for grace in [TAKE_OVER_PATIENCE, TAKE_OVER_GRACE] {
        kill_process(pid, Signal::TERM)
            .with_context(|| format!("could not stop process {}", pid.as_raw_nonzero()))?;
        if tokio::time::timeout(grace, until_stopped(cx)).await.is_ok() {
            return if is_taken(port).await { Err(port_of_a_stranger(port)) } else { Ok(()) };
        }
    }
    bail!("the gateway that runs does not stop")
}

async fn until_stopped(cx: &Cx) {
    let mut looks = tokio::time::interval(TAKE_OVER_POLL);
    // It takes its name out of the lock before it lets go of it.
    while matches!(lock::holder(&cx.source.paths.lock_file()), Holder::Process(_)) {
        looks.tick().await;
    }
}

fn port_of_a_stranger(port: u16) -> anyhow::Error {
    Advice::error(
        format!("port {port} is used by another program"),
        "stop that program, or choose another port with --port",
    )
}

async fn is_taken(port: u16) -> bool {
    port != 0 && TcpStream::connect(("127.0.0.1", port)).await.is_ok()
}

/// The process that holds the lock of our state.
pub(crate) fn running_gateway(cx: &Cx) -> Option<Pid> {
    match lock::holder(&cx.source.paths.lock_file()) {
        Holder::Process(pid) => pid,
        Holder::Nobody | Holder::Crashed => None,
    }
}

async fn status(cx: &Cx, args: &StatusArgs) -> anyhow::Result<()> {
    let route = connection::route(cx, &args.reach.target)?;
    let probed = connection::probe(cx, &route, args.reach.patience.limit()).await;
    let paths = &cx.source.paths;
    let pid = running_gateway(cx).filter(|_| route.local).map(|pid| pid.as_raw_nonzero().get());
    if args.reach.json {
        cx.console.json(&json!({
            "ok": probed.is_ok(),
            "url": route.url,
            "pid": pid,
            "server": probed.as_ref().ok().map(|client| &client.hello().server),
            "uptimeMs": probed.as_ref().ok().map(|client| client.hello().snapshot.uptime_ms),
            "error": probed.as_ref().err().map(ToString::to_string),
            "configPath": paths.config_path,
            "stateDir": paths.state_dir,
        }))?;
        return probed.map(drop).map_err(|_told| AlreadyTold.into());
    }
    let client = probed?;
    for line in running_lines(cx, &route.url, pid, client.hello()) {
        cx.console.line(&line)?;
    }
    client.close().await;
    Ok(())
}

fn running_lines(cx: &Cx, url: &str, pid: Option<i32>, hello: &HelloOk) -> Vec<String> {
    let process = pid.map_or_else(String::new, |pid| format!(", process {pid}"));
    let mut lines = vec![format!("{} at {url}{process}", cx.console.mark(Mark::Good, "The gateway runs"))];
    lines.extend(pairs(&[
        ("version", hello.server.version.clone()),
        ("uptime", words::span(hello.snapshot.uptime_ms)),
        ("config", cx.source.paths.config_path.display().to_string()),
        ("state", cx.source.paths.state_dir.display().to_string()),
    ]));
    lines
}

async fn call(cx: &Cx, args: &CallArgs) -> anyhow::Result<()> {
    let params: Value = serde_json::from_str(&args.params).map_err(|error| {
        Advice::usage(
            format!("--params is not JSON: {error}"),
            "write it like '{\"limit\":5}', quotes included",
        )
    })?;
    let client = connection::connect(cx, &args.target, args.patience.limit()).await?;
    let answer = if args.expect_final {
        client.call_two_phase(&args.method, &params).await?.finished(FINAL_LIMIT).await?
    } else {
        client.call_raw(&args.method, &params).await?
    };
    cx.console.json(&answer)?;
    client.close().await;
    Ok(())
}
