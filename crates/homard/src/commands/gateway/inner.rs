//! A gateway inside the process of a command: for a chat on a machine where none runs. It is the same gateway, on a port of
//! this machine nobody else knows, and it ends with the command.

use std::net::{Ipv4Addr, TcpListener};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, anyhow};
use homard_config::config::gateway::BindMode;
use rustix::process::{Signal, getpid, kill_process};

use super::{GatewayOptions, GatewayTerminal, STACK};
use crate::commands::Cx;
use crate::compose;
use crate::compose::lock;
use crate::report::Console;

/// Between two looks whether it listens, or has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long runs under way may take to end before they are cut off.
const PATIENCE: Duration = Duration::from_secs(3);

/// A gateway that runs in this process.
pub(crate) struct InnerGateway {
    thread: JoinHandle<anyhow::Result<()>>,
    pub(crate) port: u16,
}

impl InnerGateway {
    /// Starts one and waits until it listens.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) async fn start(cx: &Cx) -> anyhow::Result<Self> {
        let options = GatewayOptions {
            source: cx.source.clone(),
            platforms: homard_channels::REGISTRY,
            port: Some(free_port()?),
            bind: Some(BindMode::Loopback),
            auth: None,
            token: None,
            password: None,
            tailscale: None,
            terminal: GatewayTerminal::Silent,
            // Whoever uses a gateway elsewhere may want this machine's own for once.
            allow_unconfigured: true,
            log_level: cx.global.log_level,
        };
        let thread = std::thread::Builder::new().name("gateway".to_owned()).stack_size(STACK);
        let thread = thread.spawn(move || run(options)).context("could not start a thread")?;
        let path = cx.source.paths.lock_file();
        loop {
            if thread.is_finished() {
                return Err(ended(thread).err().unwrap_or_else(|| anyhow!("the gateway ended at once")));
            }
            if let Some(port) = lock::port_of_running(&path) {
                return Ok(Self { thread, port });
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Ends it politely; what is under way for too long ends with the process.
    ///
    /// # Errors
    /// When it ended badly.
    pub(crate) async fn stop(self, console: Console) -> anyhow::Result<()> {
        kill_process(getpid(), Signal::TERM).context("could not end the gateway")?;
        let over = tokio::time::timeout(PATIENCE, async {
            while !self.thread.is_finished() {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        });
        if over.await.is_err() {
            console.note(
                "a run was still under way and is cut off: `homard gateway` keeps one alive without a chat",
            );
            return Ok(());
        }
        ended(self.thread)
    }
}

fn run(options: GatewayOptions) -> anyhow::Result<()> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.enable_all().thread_name("homard").thread_stack_size(STACK).build();
    runtime.context("could not start the runtime")?.block_on(compose::run_gateway(options))
}

fn ended(thread: JoinHandle<anyhow::Result<()>>) -> anyhow::Result<()> {
    thread.join().unwrap_or_else(|_panic| Err(anyhow!("the gateway ended with a fault of its own")))
}

/// A port that is free at this moment.
fn free_port() -> anyhow::Result<u16> {
    let asked = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port of this machine is free")?;
    Ok(asked.local_addr().context("no port of this machine is free")?.port())
}
