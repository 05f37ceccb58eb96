//! What outlives one life of the gateway: the lock, the listening sockets, what signals ask for, the last
//! configuration that worked, and the program that is about to take over.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use homard_config::{
    Config, ConfigHandle, ConfigSource, ensure_gateway_token, keep_last_good, restore_last_good,
};
use homard_gateway::{Gateway, Hooks};
use homard_runtime::{Mutex, OrLog, Tasks};
use tokio::net::TcpListener;
use tokio::process::Child;
use tokio_util::sync::CancellationToken;

use super::handover::successor::Arrival;
use super::handover::{Successor, place_of};
use super::listeners::Listeners;
use super::lock::{self, Lock};
use super::machine::{self, SignalRequests};
use super::reach;
use super::systemd::Systemd;
use crate::commands::gateway::{GatewayOptions, GatewayTerminal};
use crate::report::Console;

/// How long sockets may take to say goodbye after a hand-over.
const GOODBYE_GRACE: Duration = Duration::from_secs(2);

/// What outlives one life of the gateway.
pub(crate) struct Supervisor {
    /// Cancelled when the process is to end.
    pub(crate) asked: CancellationToken,
    pub(crate) lock: Lock,
    pub(crate) door: Listeners,
    pub(crate) systemd: Systemd,
    /// Where this program lay when it started; there may be a newer one by now, or none.
    started_as: PathBuf,
    /// Whether a process in front of us passes signals on.
    pub(crate) has_parent: bool,
    wishes: SignalRequests,
    arrival: Option<Arrival>,
    successor: Mutex<Option<Successor>>,
    /// Sockets of the last life that still say goodbye.
    leaving: Mutex<Tasks>,
    /// Why the configuration was put back, until somebody has been told.
    put_back: Mutex<Option<String>>,
}

impl Supervisor {
    /// Takes the lock and the listening socket, or what another process hands over.
    pub(crate) fn enter(source: &ConfigSource, arrival: Option<Arrival>) -> anyhow::Result<Self> {
        let (lock, door, has_parent) = match &arrival {
            None => (lock::take(&source.paths.lock_file())?, Listeners::default(), false),
            Some(arrival) => {
                let inherited = arrival.take()?;
                (inherited.lock, inherited.door, inherited.has_parent)
            }
        };
        Ok(Self {
            asked: CancellationToken::new(),
            lock,
            door,
            systemd: Systemd::of(&source.environment),
            started_as: std::env::current_exe().context("this program does not know where it lies")?,
            has_parent,
            wishes: SignalRequests::default(),
            arrival,
            successor: Mutex::default(),
            leaving: Mutex::default(),
            put_back: Mutex::default(),
        })
    }

    /// The program at the place of this one: an update moves a program that has taken over to where it belongs.
    pub(super) fn program(&self) -> PathBuf {
        let here = std::env::current_exe().map(|here| place_of(&here));
        here.ok().filter(|here| here.is_file()).unwrap_or_else(|| self.started_as.clone())
    }

    /// Waits for the store where another process still has it. `false` when that one keeps it.
    pub(crate) async fn wait_for_store(
        &self,
        options: &GatewayOptions,
        config: &ConfigHandle,
    ) -> anyhow::Result<bool> {
        let Some(arrival) = &self.arrival else { return Ok(true) };
        // What can go wrong is to go wrong while the other one still serves.
        drop(self.open_listeners(options, config).await?);
        if !arrival.wait_for_store().await? {
            return Ok(false);
        }
        self.sign().context("could not write the lock")?;
        Ok(true)
    }

    /// Writes into the lock who runs and where it listens, so that commands find it at whatever port.
    pub(crate) fn sign(&self) -> std::io::Result<()> {
        self.lock.sign(self.door.addresses().first().map(SocketAddr::port))
    }

    /// Whether this process took over from another one.
    pub(crate) fn took_over(&self) -> bool {
        self.arrival.is_some()
    }

    /// Hears signals and keeps systemd informed, until `tasks` end.
    pub(crate) fn listen(self: &Arc<Self>, tasks: &Tasks) {
        let (stop, over) = (self.asked.clone(), tasks.token().clone());
        tasks.spawn(async move { machine::wait_for_stop_signal(&stop, &over).await });
        let (supervisor, over) = (Arc::clone(self), tasks.token().clone());
        tasks.spawn(async move { machine::wait_for_wishes(&supervisor.wishes, &over).await });
        tasks.spawn(self.systemd.clone().watch(tasks.token().clone()));
        let (supervisor, over) = (Arc::clone(self), tasks.token().clone());
        tasks.spawn(async move {
            tokio::select! {
                () = supervisor.asked.cancelled() => {
                    // From now on nobody waits in the socket for a gateway that does not come back.
                    supervisor.door.shut();
                    supervisor.systemd.stopping();
                }
                () = over.cancelled() => {}
            }
        });
    }

    /// The settings; those that worked last when the file cannot be used.
    pub(crate) fn open_config(&self, options: &GatewayOptions) -> anyhow::Result<ConfigHandle> {
        let open = || {
            ensure_gateway_token(&options.source)?;
            super::open_config(options)
        };
        let error = match open() {
            Ok(config) => return Ok(config),
            Err(error) => error,
        };
        match self.put_back(options, None, &error) {
            Some(words) => {
                // There is no log yet.
                if options.terminal != GatewayTerminal::Silent {
                    Console::new(!options.terminal.colors()).warn(&words);
                }
                open()
            }
            None => Err(error),
        }
    }

    /// The listening sockets for the settings in effect.
    pub(crate) async fn open_listeners(
        &self,
        options: &GatewayOptions,
        config: &ConfigHandle,
    ) -> anyhow::Result<Vec<TcpListener>> {
        let current = config.current();
        reach::check(&current, options.allow_unconfigured)?;
        reach::bind(&current, &self.door).await
    }

    /// Goes back to the settings that worked last, when those in effect do not start.
    pub(crate) fn restore(
        &self,
        options: &GatewayOptions,
        config: &ConfigHandle,
        error: &anyhow::Error,
    ) -> bool {
        // The same addresses would fail again.
        let tried = reach::check(&config.current(), options.allow_unconfigured)
            .and_then(|()| reach::addresses(&config.current()))
            .ok();
        let Some(words) = self.put_back(options, tried.as_deref(), error) else { return false };
        tracing::error!("{words}");
        config.reload();
        true
    }

    fn put_back(
        &self,
        options: &GatewayOptions,
        tried: Option<&[SocketAddr]>,
        error: &anyhow::Error,
    ) -> Option<String> {
        let fits = |config: &Config| {
            reach::check(config, options.allow_unconfigured).is_ok()
                && reach::addresses(config).is_ok_and(|addresses| Some(addresses.as_slice()) != tried)
        };
        let restored = restore_last_good(&options.source, fits);
        let restored = restored.or_log("the last good configuration could not be put back").flatten()?;
        let rejected = restored.rejected.display();
        let words = format!(
            "the configuration did not start ({error:#}); the last one that did was put back, and the other \
             one kept as `{rejected}`"
        );
        *self.put_back.lock() = Some(words.clone());
        Some(words)
    }

    /// Why the configuration was put back, once.
    fn take_put_back(&self) -> Option<String> {
        self.put_back.lock().take()
    }

    /// What this life of the gateway has to ask or tell the supervisor.
    pub(crate) fn hooks(self: &Arc<Self>, options: &GatewayOptions, config: &ConfigHandle) -> Hooks {
        let (supervisor, handle, wishes) = (Arc::clone(self), config.clone(), options.clone());
        let can_restart = move || {
            let current = handle.current();
            let opens = reach::check(&current, wishes.allow_unconfigured)
                .and_then(|()| reach::could_start(&current, &wishes.source, &supervisor.door.addresses()));
            opens.map_err(|error| {
                supervisor.restore(&wishes, &handle, &error);
                supervisor.take_put_back().unwrap_or_else(|| format!("{error:#}"))
            })
        };
        let (supervisor, opened, kept) = (Arc::clone(self), config.clone(), config.clone());
        Hooks {
            on_reload: vec![Box::new(move |_news| {
                keep(&kept);
                Box::pin(async {})
            })],
            can_restart: Box::new(can_restart),
            put_back: self.take_put_back(),
            on_open: vec![Box::new(move || supervisor.opened(&opened))],
        }
    }

    fn opened(&self, config: &ConfigHandle) {
        keep(config);
        self.systemd.ready();
        if let Some(arrival) = &self.arrival {
            tracing::info!("took over");
            arrival.serving();
        }
    }

    /// Does what signals ask for, for one life of the gateway.
    pub(crate) fn grant_wishes(
        self: &Arc<Self>,
        tasks: &Tasks,
        gateway: &Arc<Gateway>,
        source: &ConfigSource,
    ) {
        let (supervisor, gateway, source) = (Arc::clone(self), Arc::clone(gateway), source.clone());
        let over = tasks.token().clone();
        tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = supervisor.wishes.restart.notified() => gateway.ask_for_restart(),
                    () = supervisor.wishes.hand_over.notified() => {
                        if let Some(successor) = Successor::start(&supervisor, &source).await {
                            *supervisor.successor.lock() = Some(successor);
                            gateway.ask_for_hand_over();
                        }
                    }
                    () = over.cancelled() => return,
                }
            }
        });
    }

    /// Ends a program that was to take over from a life that is over.
    pub(crate) fn dismiss(&self) {
        drop(self.successor.lock().take());
    }

    /// Lets go of the lock of a gateway that did not get ready: it has said why, so nobody takes it for a crash.
    pub(crate) fn give_up(&self) {
        if !self.took_over() {
            self.lock.release();
        }
    }

    /// Lets go of everything that another process has now.
    pub(crate) fn leave(&self) {
        self.door.shut();
        self.lock.let_go();
    }

    /// Waits for sockets that still say goodbye, before the process ends.
    pub(crate) async fn farewell(&self) {
        let leaving = self.leaving.lock().clone();
        leaving.finish(GOODBYE_GRACE).await;
    }

    /// Remembers the sockets of a life that is over.
    pub(crate) fn say_goodbye(&self, sockets: Tasks) {
        *self.leaving.lock() = sockets;
    }

    /// Lets the program that is ready take over.
    ///
    /// # Errors
    /// When it does not work; the store is free again.
    pub(crate) async fn hand_over(&self, source: &ConfigSource, shut_at: Instant) -> anyhow::Result<Child> {
        let successor = self.successor.lock().take();
        let successor = successor.context("no program is ready to take over")?;
        successor.take_over(self, source, shut_at).await
    }
}

fn keep(config: &ConfigHandle) {
    keep_last_good(config.source(), &config.snapshot())
        .or_log("the configuration cannot be kept to come back to");
}
