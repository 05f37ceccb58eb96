//! Builds the gateway out of the other crates and runs it: the only place that knows every room.

mod channels;
pub(crate) mod handover;
mod listeners;
pub(crate) mod lock;
pub(crate) mod machine;
pub(crate) mod models;
mod pages;
mod reach;
pub(crate) mod secrets;
mod supervisor;
mod systemd;
mod tools;
pub(crate) mod wizard;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use homard_automation::{Automation, AutomationParts};
use homard_config::{ConfigHandle, Environment};
use homard_exec::Processes;
use homard_gateway::{Gateway, GatewayParts, GatewayPorts, NetworkParts, OnReload, Stopped};
use homard_llm::Http;
use homard_policy::words::table::is_taken;
use homard_relay::{Bus, Relay, RelayParts};
use homard_runtime::{OrLog, Redactor, Tasks, millis};
use homard_skills::Skills;
use homard_store::{OpenOptions, Store};
use homard_tools::{Approvals, Guards, TaintedFiles, Undo};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::process::Child;

use crate::commands::gateway::{GatewayOptions, GatewayTerminal};
use crate::logging;
use crate::traces;
use channels::AccountContext;
use handover::parent;
use handover::successor::Arrival;
use models::{ModelRoom, RoomParts, StoredSessionIds};
use supervisor::Supervisor;
use wizard::Wizards;

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
    machine::close_memory();
    let arrival = Arrival::of(&options.source.environment)?;
    let outcome = live(&options, arrival.clone(), began).await;
    if let (Some(arrival), Err(error)) = (&arrival, &outcome) {
        arrival.failed(error);
    }
    match outcome? {
        Some(child) => parent::watch(&options.source.paths.lock_file(), child).await,
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
    let supervisor = Arc::new(Supervisor::enter(&options.source, arrival)?);
    let config = supervisor.open_config(options).inspect_err(|_told| supervisor.give_up())?;
    let guards = guards(options);
    let log = logging::gateway::start(options, &config, guards.secrets.clone());
    let log = Arc::new(log.inspect_err(|_told| supervisor.give_up())?);
    config.log_notices();
    machine::close_state(&options.source.paths.state_dir);
    if !supervisor.wait_for_store(options, &config).await? {
        tracing::info!("the gateway that runs goes on; nothing to take over");
        return Ok(None);
    }
    let signals = Tasks::new();
    supervisor.listen(&signals);
    let (follower, choice, token) = (Arc::clone(&log), options.level_choice(), signals.token().clone());
    let followed = config.clone();
    signals.spawn(async move { logging::gateway::follow(&follower, &followed, choice, token).await });
    signals.spawn(traces::export::run(log.traces(), config.clone(), signals.token().clone()));

    // Whoever took over was announced by the one before.
    let mut first_start = (!supervisor.took_over()).then_some(began);
    let outcome = loop {
        supervisor.dismiss();
        let listeners = match supervisor.open_listeners(options, &config).await {
            Ok(listeners) => listeners,
            Err(error) if supervisor.restore(options, &config, &error) => continue,
            Err(error) => break Err(error),
        };
        supervisor.sign().or_log("the lock does not say where the gateway listens");
        match serve(options, &config, &guards, (&mut first_start, listeners), &supervisor).await {
            Ok(Stopped::ConfigChanged) => tracing::info!("starting again with the new configuration"),
            Ok(Stopped::Restart) => tracing::info!("starting again, as asked"),
            Ok(Stopped::Asked) => break Ok(None),
            Ok(Stopped::HandOver { shut_at }) => match supervisor.hand_over(&options.source, shut_at).await {
                Ok(child) => break Ok(Some(child)),
                Err(error) => tracing::error!(error = format!("{error:#}"), "no hand-over; going on"),
            },
            Err(error) => break Err(error),
        }
        supervisor.systemd.reloading();
    };
    signals.token().cancel();
    signals.finish(std::time::Duration::ZERO).await;
    log.flush();
    match &outcome {
        Ok(None) => supervisor.lock.release(),
        // Nobody waits for this process any more.
        Ok(Some(_)) => supervisor.leave(),
        Err(_) if first_start.is_some() => supervisor.give_up(),
        Err(_) => {}
    }
    let child = outcome?;
    let stays = !supervisor.has_parent && !supervisor.systemd.listens();
    if child.is_some() && !stays {
        supervisor.farewell().await;
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
        ("gateway.tailscale.mode", options.tailscale.map(|mode| json!(mode))),
    ];
    let wishes: Vec<_> =
        wishes.into_iter().filter_map(|(path, value)| value.map(|value| (path, value))).collect();
    if !wishes.is_empty() {
        config.set_overrides(wishes)?;
    }
    Ok(config)
}

/// One life of the gateway: its rooms are built, each is told whom to hear, and then they run.
async fn serve(
    options: &GatewayOptions,
    config: &ConfigHandle,
    guards: &Guards,
    (first_start, listeners): (&mut Option<Instant>, Vec<TcpListener>),
    supervisor: &Arc<Supervisor>,
) -> anyhow::Result<Stopped> {
    let (current, source) = (config.current(), &options.source);
    let reachable = reach::rooms(&current, source)?;
    let fingerprint = reachable.tls.as_ref().map(homard_network::TlsConfig::fingerprint);
    let built = build(options, config, guards, reachable).await?;

    built.relay.follow_approvals();
    built.relay.sessions().follow_commands();
    let mut hooks = supervisor.hooks(options, config);
    hooks.on_reload.push(take_over_changes(config.clone(), options, &built));
    let LifeRooms { store, processes, room, relay, gateway, workshop, tasks } = built;
    follow_models(room, relay.clone(), config.clone(), &tasks);
    supervisor.grant_wishes(&tasks, &gateway, source);
    channels::know(&relay, &current, &workshop);
    hooks.on_open.push(connect_platforms(relay, config.clone(), workshop, tasks.clone()));

    if let Some(began) = first_start.take() {
        if options.terminal != GatewayTerminal::Silent {
            reach::announce(&listeners, &current, fingerprint.as_deref());
        }
        log_ready(&listeners, began);
    }
    reach::show(&current, source, fingerprint, &tasks);
    let sockets = gateway.sockets().clone();
    let stopped = homard_gateway::run(gateway, listeners, hooks, supervisor.asked.clone()).await?;
    tasks.token().cancel();
    tasks.finish(BACKGROUND_GRACE).await;
    processes.stop().await;
    store.close().await;
    supervisor.say_goodbye(sockets);
    Ok(stopped)
}

/// The rooms of one life, those that are asked for again.
struct LifeRooms {
    store: Store,
    processes: Processes,
    room: ModelRoom,
    relay: Relay,
    gateway: Arc<Gateway>,
    workshop: AccountContext,
    tasks: Tasks,
}

/// Puts the rooms together, from the lowest to the highest. None of them does anything yet.
async fn build(
    options: &GatewayOptions,
    config: &ConfigHandle,
    guards: &Guards,
    reach: NetworkParts,
) -> anyhow::Result<LifeRooms> {
    let (current, source) = (config.current(), &options.source);
    let clock = source.clock.clone();
    let store = Store::open(OpenOptions {
        database: source.paths.database(),
        agents_dir: source.paths.agents_dir(),
        clock: clock.clone(),
    })?;
    let (bus, tasks) = (Bus::default(), Tasks::new());
    let workshop = AccountContext::new(options.platforms, &source.paths, &clock);
    let processes = Processes::new(clock.clone());
    processes.take_in_orphans();
    let room = ModelRoom::open(RoomParts {
        config,
        paths: &source.paths,
        http: Http::default(),
        clock: clock.clone(),
        tasks: tasks.clone(),
        sessions: Arc::new(StoredSessionIds(store.clone())),
        asks: true,
        secrets: guards.secrets.clone(),
    });
    store.usage().close_lost().await?;
    room.budget(&current, &store).await?;
    let relay = Relay::new(RelayParts {
        config: config.clone(),
        store: store.clone(),
        router: room.router(&current).await,
        tools: tools::tools(&current, &source.paths, &processes),
        bus: bus.clone(),
        clock: clock.clone(),
        approvals: Approvals::default(),
        skills: Skills::new(config.clone(), is_taken),
        guards: guards.clone(),
        undo: Undo::new(source.paths.undo_dir(), clock.clone()),
        processes: processes.clone(),
        channel_names: tools::channel_names(options.platforms),
    });
    let automation = Automation::new(AutomationParts {
        config: config.clone(),
        store: store.clone(),
        relay: relay.clone(),
        bus: bus.clone(),
        clock: clock.clone(),
    });
    let gateway = Gateway::new(GatewayParts {
        config: config.clone(),
        store: store.clone(),
        relay: relay.clone(),
        automation,
        channels: options.platforms,
        ingress: workshop.ingress.clone(),
        bus,
        clock,
        ports: gateway_ports(options, config, &relay),
        host: machine::facts(),
        reach,
    });
    Ok(LifeRooms { store, processes, room, relay, gateway, workshop, tasks })
}

fn log_ready(listeners: &[TcpListener], began: Instant) {
    let address = listeners.first().and_then(|listener| listener.local_addr().ok());
    let address = address.map_or_else(String::new, |address| address.to_string());
    tracing::info!(%address, took_ms = %millis(began.elapsed()), "ready");
}

/// What this program does for its gateway.
fn gateway_ports(options: &GatewayOptions, config: &ConfigHandle, relay: &Relay) -> GatewayPorts {
    GatewayPorts {
        pages: Some(Box::new(pages::Embedded)),
        log_file: log_file(config, options),
        wizard: Box::new(Wizards::new(
            config.clone(),
            relay.clone(),
            options.platforms,
            options.source.clock.clone(),
        )),
    }
}

fn log_file(
    config: &ConfigHandle,
    options: &GatewayOptions,
) -> Box<dyn Fn() -> std::path::PathBuf + Send + Sync> {
    let (config, source) = (config.clone(), options.source.clone());
    Box::new(move || logging::gateway::file_of_today(&config.current().logging, &source.paths, &source.clock))
}

/// Takes models over as they are found.
fn follow_models(room: ModelRoom, relay: Relay, config: ConfigHandle, tasks: &Tasks) {
    let until = tasks.token().clone();
    tasks.spawn(async move { room.follow(&relay, &config, &until).await });
}

/// Connects chat platforms once the door is open.
fn connect_platforms(
    relay: Relay,
    config: ConfigHandle,
    workshop: AccountContext,
    tasks: Tasks,
) -> Box<dyn FnOnce() + Send> {
    Box::new(move || {
        tasks.spawn(async move { channels::open(&relay, &config.current(), &workshop).await });
    })
}

/// Builds models and tools anew, and connects what changed, without a restart.
fn take_over_changes(config: ConfigHandle, options: &GatewayOptions, built: &LifeRooms) -> OnReload {
    let source = options.source.clone();
    let (relay, room, store) = (built.relay.clone(), built.room.clone(), built.store.clone());
    let (processes, workshop) = (built.processes.clone(), built.workshop.clone());
    Box::new(move |reload| {
        let (reload, workshop) = (reload.clone(), workshop.clone());
        let (config, relay, room, store) = (config.clone(), relay.clone(), room.clone(), store.clone());
        let (paths, processes) = (source.paths.clone(), processes.clone());
        async move {
            let current = config.current();
            room.budget(&current, &store).await.or_log("budgets count only what is spent from now on");
            room.renew(&config, |current, router| {
                relay.reload(router, tools::tools(current, &paths, &processes));
            })
            .await;
            channels::follow(&relay, &current, &reload, &workshop).await;
        }
        .boxed()
    })
}

#[cfg(test)]
mod tests;
