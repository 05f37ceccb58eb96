//! Builds the gateway out of the other crates and runs it: the only place that knows every room.

mod door;
mod furnish;
pub(crate) mod handover;
mod house;
pub(crate) mod lock;
pub(crate) mod machine;
pub(crate) mod models;
mod pages;
pub(crate) mod secrets;
mod systemd;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use homard_config::config::gateway::{AuthMode, BindMode};
use homard_config::{Config, ConfigHandle, Environment};
use homard_exec::Processes;
use homard_gateway::{Gateway, GatewayParts, Hooks, Stopped};
use homard_llm::Http;
use homard_relay::{Bus, Relay, RelayParts};
use homard_runtime::{OrLog, Redactor, Tasks};
use homard_skills::Skills;
use homard_store::{OpenOptions, Store};
use homard_tools::{Approvals, Doors, Guards, TaintedFiles, Undo};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::process::Child;

use crate::commands::dashboard::link;
use crate::commands::gateway::GatewayOptions;
use crate::logging;
use crate::report::{Advice, Console};
use crate::traces;
use handover::arrival::Arrival;
use handover::shepherd;
use house::House;
use models::{ModelRoom, RoomParts, StoredSessionIds};

/// How long work in the background may take to end: a token being renewed must reach the disk.
const BACKGROUND_GRACE: Duration = Duration::from_secs(5);

/// The environment with the command line's wishes on top: they win over variables of the same meaning.
fn with_wishes(environment: &Environment, options: &GatewayOptions) -> Environment {
    let bind = options.bind.and_then(|bind| json!(bind).as_str().map(str::to_owned));
    let wishes =
        [("HOMARD_GATEWAY_PORT", options.port.map(|port| port.to_string())), ("HOMARD_GATEWAY_BIND", bind)];
    let wishes = wishes.into_iter().filter_map(|(name, value)| value.map(|value| (name.to_owned(), value)));
    let given = environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    Environment::from_pairs(wishes).beneath(given)
}

/// Runs a gateway until it is asked to stop, starting it afresh whenever its configuration asks for that.
pub(crate) async fn run_gateway(mut options: GatewayOptions) -> anyhow::Result<()> {
    let began = Instant::now();
    options.source.environment = with_wishes(&options.source.environment, &options);
    machine::raise_file_limit();
    let arrival = Arrival::of(&options.source.environment)?;
    let outcome = live(&options, arrival.clone(), began).await;
    if let (Some(arrival), Err(error)) = (&arrival, &outcome) {
        arrival.failed(error);
    }
    match outcome? {
        Some(child) => shepherd::watch(&options.source.paths.lock_file(), child).await,
        None => Ok(()),
    }
}

/// All lives of the gateway in this process. What comes back is the process that took over, if this one is
/// to stand in front of it.
async fn live(
    options: &GatewayOptions,
    arrival: Option<Arrival>,
    began: Instant,
) -> anyhow::Result<Option<Child>> {
    let house = Arc::new(House::enter(&options.source, arrival)?);
    let config = house.open_config(options)?;
    let guards = guards(options);
    let log = Arc::new(logging::gateway::start(options, &config, guards.secrets.clone())?);
    if !house.wait_for_store(options, &config).await? {
        tracing::info!("the gateway that runs goes on; nothing to take over");
        return Ok(None);
    }
    let signals = Tasks::new();
    house.listen(&signals);
    let (follower, choice, token) = (Arc::clone(&log), options.level_choice(), signals.token().clone());
    let followed = config.clone();
    signals.spawn(async move { logging::gateway::follow(&follower, &followed, choice, token).await });
    signals.spawn(traces::export::run(log.traces(), config.clone(), signals.token().clone()));

    // Whoever took over was announced by the one before.
    let mut first_start = (!house.took_over()).then_some(began);
    let outcome = loop {
        house.dismiss();
        let listener = match house.open_door(options, &config).await {
            Ok(listener) => listener,
            Err(error) if house.restore(options, &config, &error) => continue,
            Err(error) => break Err(error),
        };
        match serve(options, &config, &guards, (&mut first_start, listener), &house).await {
            Ok(Stopped::ConfigChanged) => tracing::info!("starting again with the new configuration"),
            Ok(Stopped::Restart) => tracing::info!("starting again, as asked"),
            Ok(Stopped::Asked) => break Ok(None),
            Ok(Stopped::HandOver { shut_at }) => match house.hand_over(&options.source, shut_at).await {
                Ok(child) => break Ok(Some(child)),
                Err(error) => tracing::error!(error = format!("{error:#}"), "no hand-over; going on"),
            },
            Err(error) => break Err(error),
        }
        house.systemd.reloading();
    };
    signals.token().cancel();
    signals.finish(std::time::Duration::ZERO).await;
    log.flush();
    match &outcome {
        Ok(None) => house.lock.release(),
        // Nobody waits for this process any more.
        Ok(Some(_)) => house.leave(),
        Err(_) => {}
    }
    let child = outcome?;
    let stays = !house.shepherded && !house.systemd.listens();
    if child.is_some() && !stays {
        house.farewell().await;
    }
    Ok(child.filter(|_| stays))
}

/// What is known about secrets and strangers' files; it outlives a start with a new configuration.
fn guards(options: &GatewayOptions) -> Guards {
    let files = options.source.paths.state_dir.join("taint").join("files.json");
    Guards { secrets: Redactor::default(), files: TaintedFiles::kept_in(files) }
}

/// The configuration with the command line's wishes on top.
fn open_config(options: &GatewayOptions) -> anyhow::Result<ConfigHandle> {
    let config = ConfigHandle::open(options.source.clone())?;
    let wishes = [
        ("gateway.auth.mode", options.auth.map(|mode| json!(mode))),
        ("gateway.auth.token", options.token.as_ref().map(|token| json!(token.expose()))),
        ("gateway.auth.password", options.password.as_ref().map(|password| json!(password.expose()))),
    ];
    for (path, value) in wishes {
        if let Some(value) = value {
            config.set_override(path, value)?;
        }
    }
    Ok(config)
}

/// One life of the gateway.
async fn serve(
    options: &GatewayOptions,
    config: &ConfigHandle,
    guards: &Guards,
    (first_start, listener): (&mut Option<Instant>, TcpListener),
    house: &Arc<House>,
) -> anyhow::Result<Stopped> {
    let current = config.current();
    let source = &options.source;
    let clock = source.clock.clone();
    let store = Store::open(OpenOptions {
        database: source.paths.database(),
        agents_dir: source.paths.agents_dir(),
        clock: clock.clone(),
    })?;
    let bus = Bus::default();
    let http = Http::default();
    let tasks = Tasks::new();
    let processes = Processes::new(clock.clone());
    let doors = Doors::default();
    let room = ModelRoom::open(RoomParts {
        config,
        paths: &source.paths,
        http,
        clock: clock.clone(),
        tasks: tasks.clone(),
        sessions: Arc::new(StoredSessionIds(store.clone())),
        asks: true,
        secrets: guards.secrets.clone(),
    });
    store.close_lost_calls().await?;
    room.budget(&current, &store).await?;
    let relay = Relay::new(RelayParts {
        config: config.clone(),
        store: store.clone(),
        desk: room.desk(&current).await,
        tools: furnish::tools(&current, &source.paths, &processes, &doors),
        bus: bus.clone(),
        clock: clock.clone(),
        approvals: Approvals::default(),
        skills: Skills::new(config.clone()),
        guards: guards.clone(),
        undo: Undo::new(source.paths.undo_dir(), clock.clone()),
    });
    let gateway = Gateway::new(GatewayParts {
        config: config.clone(),
        store: store.clone(),
        relay: relay.clone(),
        bus,
        clock: clock.clone(),
        pages: Some(Box::new(pages::Embedded)),
        log_file: log_file(config, options),
        host: machine::facts(),
    });
    relay.open_doors(&doors);
    relay.look_after(&processes);
    gateway.open_door(&doors);
    let (followed, follower, handle) = (room.clone(), relay.clone(), config.clone());
    let until = tasks.token().clone();
    tasks.spawn(async move { followed.follow(&follower, &handle, &until).await });
    let mut hooks = hooks(config.clone(), relay, options, (room, store.clone(), processes.clone(), doors));
    house.furnish_hooks(&mut hooks, options, config);
    house.grant_wishes(&tasks, &gateway, source);
    let sockets = gateway.sockets().clone();
    announce(&listener, &current, first_start.take());
    let stopped = homard_gateway::run(gateway, listener, hooks, house.asked.clone()).await?;
    tasks.token().cancel();
    tasks.finish(BACKGROUND_GRACE).await;
    processes.stop().await;
    store.close().await;
    house.say_goodbye(sockets);
    Ok(stopped)
}

/// Refuses what would be unsafe or pointless to start.
fn check(config: &Config, allow_unconfigured: bool) -> anyhow::Result<()> {
    let gateway = &config.gateway;
    let remote = gateway.mode == Some(homard_config::config::gateway::GatewayMode::Remote);
    if remote && !allow_unconfigured {
        return Err(Advice::error(
            "gateway.mode is `remote`: this machine is set up to use another gateway",
            "set gateway.mode to `local`, or start with --allow-unconfigured",
        ));
    }
    if gateway.auth.mode == AuthMode::TrustedProxy {
        return Err(Advice::error(
            "gateway.auth.mode `trusted-proxy` is known, not yet in effect",
            "use `token` or `password` until it is",
        ));
    }
    if gateway.auth.mode == AuthMode::None && gateway.bind != BindMode::Loopback {
        return Err(Advice::error(
            "a gateway that asks for no token may only listen on this machine",
            "set gateway.auth.mode to `token`, or gateway.bind to `loopback`",
        ));
    }
    Ok(())
}

fn address(config: &Config) -> anyhow::Result<SocketAddr> {
    let gateway = &config.gateway;
    let ip = match gateway.bind {
        BindMode::Loopback | BindMode::Auto => IpAddr::V4(Ipv4Addr::LOCALHOST),
        BindMode::Lan => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        BindMode::Custom => {
            let host = gateway.custom_bind_host.as_deref().unwrap_or_default();
            host.parse().map_err(|_not_an_address| {
                Advice::error(
                    format!("gateway.customBindHost `{host}` is not an address"),
                    "write an IP address of this machine, for example 192.0.2.10",
                )
            })?
        }
        BindMode::Tailnet => {
            return Err(Advice::error(
                "gateway.bind `tailnet` is known, not yet in effect",
                "use `custom` with gateway.customBindHost set to the tailnet address",
            ));
        }
    };
    Ok(SocketAddr::new(ip, gateway.port))
}

fn log_file(
    config: &ConfigHandle,
    options: &GatewayOptions,
) -> Box<dyn Fn() -> std::path::PathBuf + Send + Sync> {
    let (config, source) = (config.clone(), options.source.clone());
    Box::new(move || logging::gateway::file_of_today(&config.current().logging, &source.paths, &source.clock))
}

fn hooks(
    config: ConfigHandle,
    relay: Relay,
    options: &GatewayOptions,
    (room, store, processes, doors): (ModelRoom, Store, Processes, Doors),
) -> Hooks {
    let source = options.source.clone();
    Hooks {
        on_reload: Box::new(move |_reload| {
            let (config, relay, room, store) = (config.clone(), relay.clone(), room.clone(), store.clone());
            let (paths, processes, doors) = (source.paths.clone(), processes.clone(), doors.clone());
            async move {
                let current = config.current();
                room.budget(&current, &store).await.or_log("budgets count only what is spent from now on");
                room.renew(&config, |current, desk| {
                    relay.furnish(desk, furnish::tools(current, &paths, &processes, &doors));
                })
                .await;
            }
            .boxed()
        }),
        can_restart: Box::new(|| Ok(())),
        put_back: None,
        on_open: Box::new(|| {}),
    }
}

/// Says where the chat is; the first time also how long the start took.
fn announce(listener: &TcpListener, config: &Config, began: Option<Instant>) {
    let Ok(address) = listener.local_addr() else { return };
    let Some(began) = began else { return };
    let host = if address.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { address.ip() };
    let link = link(config, SocketAddr::new(host, address.port()));
    let console = Console::new(true);
    // The link holds the token, so it goes to the terminal and never to the log.
    let told = console.line(&format!(
        "Homard is ready. Open this link to chat:

  {link}
"
    ));
    if told.is_err() {
        tracing::debug!("nobody reads the terminal");
    }
    tracing::info!(%address, took_ms = %began.elapsed().as_millis(), "ready");
}
