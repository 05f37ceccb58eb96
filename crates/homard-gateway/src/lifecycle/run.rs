//! The gateway's life: serve, tick, reload, stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::BoxFuture;
use homard_config::{Reload, ReloadAction, is_under, needs_restart};
use homard_protocol::events::{
    ConfigChangedEvent, ShutdownEvent, SkillsChange, SkillsChangedEvent, SuspensionEvent, SuspensionPhase,
    TickEvent,
};
use homard_protocol::limits::{HEALTH_REFRESH, TICK_INTERVAL};
use homard_runtime::{OrLog, Tasks};
use homard_tools::{HookAbout, HookPoint, HookValue};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use crate::connections::fanout::Close;
use crate::connections::server;
use crate::gateway::Gateway;
use crate::lifecycle::health;
use crate::methods;

/// How long runs under way may go on after the gateway was told to stop.
const DRAIN_GRACE: Duration = Duration::from_secs(30);
/// How long sockets and handlers may take to end after that.
const CLOSE_GRACE: Duration = Duration::from_secs(2);
/// How long handlers may take to end when another process waits to take over.
const HAND_OVER_GRACE: Duration = Duration::from_millis(500);
/// How often to look whether they have.
const HAND_OVER_LOOK: Duration = Duration::from_millis(1);
/// How long clients are told to wait before they come back.
const RESTART_EXPECTED_MS: u64 = 1_500;

/// Why a gateway stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Somebody asked it to.
    Asked,
    /// A change of configuration needs a fresh start.
    ConfigChanged,
    /// Somebody asked for a fresh start.
    Restart,
    /// Another process is to take over.
    HandOver {
        /// When new connections began to wait for it.
        shut_at: std::time::Instant,
    },
}

/// Takes a change over; the next one is looked at when it is done.
pub type OnReload = Box<dyn Fn(&Reload) -> BoxFuture<'static, ()> + Send + Sync>;

/// What the owner of the process does when the configuration changes.
pub struct Hooks {
    /// Take over what changed without a restart, one after the other.
    pub on_reload: Vec<OnReload>,
    /// Says whether a gateway could start with the configuration as it is now; if not, this one goes on.
    pub can_restart: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// Why the configuration in effect is not the one that was asked for, when it is not.
    pub put_back: Option<String>,
    /// Told once, in this order, when everybody is let in.
    pub on_open: Vec<Box<dyn FnOnce() + Send>>,
}

/// Serves on `listeners` until `cancel` fires or the configuration asks for a restart; then stops in order:
/// no new connections, everyone is told, no new messages, runs finish or are stopped, sockets close.
///
/// # Errors
/// When what was left unfinished by an earlier process cannot be looked up.
pub async fn run(
    gateway: Arc<Gateway>,
    listeners: Vec<TcpListener>,
    mut hooks: Hooks,
    cancel: CancellationToken,
) -> io::Result<Stopped> {
    gateway.automation().listen().await;
    gateway.relay().begin(&gateway.ports());
    // Before anybody is let in: a new message must not be taken for one that waited.
    gateway.relay().turns().recover().await.map_err(io::Error::other)?;
    gateway.automation().start().await.map_err(io::Error::other)?;
    gateway.deliver_restart_note(hooks.put_back.as_deref()).await;
    let generation = gateway.access().rules().generation.clone();
    gateway.store().devices().bind_tokens(&generation).await.map_err(io::Error::other)?;
    tell_hooks(&gateway, HookPoint::GatewayStart, None).await;
    let watching = Tasks::under(&cancel);
    let config = gateway.config().clone();
    let token = watching.token().clone();
    watching.spawn(config.run_watcher(token));
    let ticking = Arc::clone(&gateway);
    let token = watching.token().clone();
    watching.spawn(async move { tick(ticking, token).await });
    let (telling, token) = (Arc::clone(&gateway), watching.token().clone());
    watching.spawn(methods::sessions::messages::tell(telling, token));
    let accepting = CancellationToken::new();
    let doors = Tasks::new();
    for listener in listeners {
        let (door, accepted) = (Arc::clone(&gateway), accepting.clone());
        doors.spawn(server::accept(door, listener, gateway.connections().sockets.clone(), accepted));
    }
    hooks.on_open.drain(..).for_each(|opened| opened());

    let mut stopped = until_stopped(&gateway, &hooks, &cancel).await;
    if matches!(stopped, Stopped::HandOver { .. }) {
        stopped = stand_back(&gateway, &accepting, &cancel).await;
    }
    shut_down(&gateway, &doors, &accepting, stopped).await;
    gateway.access().noise.tell_all();
    watching.token().cancel();
    watching.finish(CLOSE_GRACE).await;
    Ok(stopped)
}

/// Waits for a reason to stop, taking over what can be taken over meanwhile.
async fn until_stopped(gateway: &Gateway, hooks: &Hooks, cancel: &CancellationToken) -> Stopped {
    let mut reloads: watch::Receiver<Reload> = gateway.config().subscribe();
    // What a change that was taken back had changed: taking it back needs no restart either.
    let mut taken_back: Vec<String> = Vec::new();
    loop {
        tokio::select! {
            () = cancel.cancelled() => return Stopped::Asked,
            () = gateway.lifecycle().restart.cancelled() => return Stopped::Restart,
            () = gateway.lifecycle().hand_over.cancelled() => {
                return Stopped::HandOver { shut_at: std::time::Instant::now() };
            }
            changed = reloads.changed() => {
                if changed.is_err() {
                    cancel.cancelled().await;
                    return Stopped::Asked;
                }
            }
        }
        let reload = reloads.borrow_and_update().clone();
        if !reload.rejected.is_empty() {
            continue;
        }
        tracing::info!(changed = ?reload.changed, action = ?reload.action, "configuration changed");
        tell_change(gateway, &reload);
        let is_way_back = !taken_back.is_empty() && std::mem::take(&mut taken_back) == reload.changed;
        if reload.action == ReloadAction::Restart && !is_way_back {
            match (hooks.can_restart)() {
                Ok(()) => return Stopped::ConfigChanged,
                Err(reason) => {
                    tracing::error!(%reason, "no gateway could start with this configuration; going on as before");
                    taken_back = reload.changed;
                    gateway.tell_refused_restart(&reason).await;
                    continue;
                }
            }
        }
        if !reload.changed.iter().any(|path| needs_restart(path)) {
            gateway.access().refresh(&gateway.config().current());
        }
        for take_over in &hooks.on_reload {
            take_over(&reload).await;
        }
        gateway.automation().look_again();
    }
}

/// Tells clients that another configuration holds.
fn tell_change(gateway: &Gateway, reload: &Reload) {
    let path = gateway.config().source().paths.config_path.display().to_string();
    let hash = gateway.config().snapshot().hash.clone();
    gateway.bus().publish(&ConfigChangedEvent { path, hash, ts: gateway.clock().now_ms() });
    if reload.changed.iter().any(|path| is_under(path, "skills")) {
        gateway.bus().publish(&SkillsChangedEvent { reason: SkillsChange::ConfigChange });
    }
}

/// Lets runs under way finish while clients go on talking: what they say is kept for the process that takes
/// over. New connections wait in the listening socket from the moment that only closing is left to do.
async fn stand_back(gateway: &Gateway, accepting: &CancellationToken, cancel: &CancellationToken) -> Stopped {
    let began = std::time::Instant::now();
    gateway.bus().publish(&SuspensionEvent { phase: SuspensionPhase::Draining });
    let turns = gateway.relay().turns();
    let finished = turns.hold(DRAIN_GRACE);
    tokio::select! {
        _in_time = finished => {}
        () = cancel.cancelled() => return Stopped::Asked,
    }
    let shut_at = std::time::Instant::now();
    accepting.cancel();
    gateway.lifecycle().leaving.cancel();
    gateway.relay().turns().attended_end(DRAIN_GRACE.saturating_sub(began.elapsed())).await;
    gateway.bus().publish(&SuspensionEvent { phase: SuspensionPhase::Prepared });
    Stopped::HandOver { shut_at }
}

async fn shut_down(gateway: &Gateway, doors: &Tasks, accepting: &CancellationToken, stopped: Stopped) {
    gateway.automation().stop_beginning();
    if !matches!(stopped, Stopped::HandOver { .. }) {
        // Before the door shuts: whoever finds it shut can rely on nothing being taken any more.
        gateway.relay().take_no_more();
    }
    accepting.cancel();
    doors.finish(CLOSE_GRACE).await;
    let (reason, restart_expected_ms) = match stopped {
        Stopped::Asked => ("gateway stopping", None),
        Stopped::ConfigChanged => ("config changed", Some(RESTART_EXPECTED_MS)),
        Stopped::Restart => ("restart asked for", Some(RESTART_EXPECTED_MS)),
        Stopped::HandOver { .. } => ("another process takes over", Some(RESTART_EXPECTED_MS)),
    };
    tell_hooks(gateway, HookPoint::GatewayStop, Some(reason)).await;
    gateway.bus().publish(&ShutdownEvent { reason: reason.to_owned(), restart_expected_ms });
    if matches!(stopped, Stopped::HandOver { .. }) {
        return leave(gateway).await;
    }
    gateway.relay().stop(DRAIN_GRACE).await;
    gateway.automation().finish(CLOSE_GRACE).await;
    // Requests under way are answered before their sockets close.
    gateway.lifecycle().tasks.finish(CLOSE_GRACE).await;
    close_sockets(gateway);
    gateway.connections().sockets.finish(CLOSE_GRACE).await;
}

async fn tell_hooks(gateway: &Gateway, point: HookPoint, reason: Option<&str>) {
    let about = HookAbout { subject: reason, ..HookAbout::default() };
    gateway.relay().hook_points().watch(point, about, || HookValue::Nothing).await;
}

/// Closes what is left when another process waits to take over. Messages are taken to the very end: whoever is
/// left after standing back has had the time to finish, and what comes in is answered by the other process.
async fn leave(gateway: &Gateway) {
    let answered = async || {
        let mut looks = interval_at(Instant::now(), HAND_OVER_LOOK);
        while gateway.lifecycle().tasks.running() > 0
            || gateway.connections().visitors.load(Ordering::Relaxed) > 0
        {
            looks.tick().await;
        }
    };
    let _some_wait_for_long = tokio::time::timeout(HAND_OVER_GRACE, answered()).await;
    close_sockets(gateway);
    let _some_wait_for_long = tokio::time::timeout(HAND_OVER_GRACE, answered()).await;
    gateway.lifecycle().tasks.finish(HAND_OVER_GRACE).await;
    gateway.relay().stop(Duration::ZERO).await;
    gateway.automation().finish(CLOSE_GRACE).await;
    // Sockets say goodbye on their own: a client that does not answer is no reason to let others wait.
}

fn close_sockets(gateway: &Gateway) {
    gateway.connections().clients.close_all(&Close::new(1012, "service restart"));
    gateway.lifecycle().stopping.cancel();
}

async fn look(gateway: &Gateway) {
    health::refresh(gateway).await.or_log("health could not be looked at");
}

/// Tells everyone that the gateway is still here, and looks after its health.
async fn tick(gateway: Arc<Gateway>, cancel: CancellationToken) {
    let start = Instant::now();
    let mut ticks = interval_at(start + TICK_INTERVAL, TICK_INTERVAL);
    let mut looks = interval_at(start + HEALTH_REFRESH, HEALTH_REFRESH);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    looks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let channels = gateway.relay().platforms().changes();
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            _tick = ticks.tick() => {
                gateway.bus().publish(&TickEvent { ts: gateway.clock().now_ms() });
                gateway.store().checkpoint_soon();
                gateway.access().noise.tell_overdue();
            }
            _look = looks.tick() => look(&gateway).await,
            () = channels.notified() => look(&gateway).await,
        }
    }
}
