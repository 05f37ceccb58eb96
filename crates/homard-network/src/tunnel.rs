//! A tunnel to a gateway elsewhere: the machine's own `ssh`, as a child that ends with us.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use homard_exec::BuiltEnv;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// The program.
const PROGRAM: &str = "ssh";
/// How long the tunnel may take to stand.
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
/// How often to look whether it stands.
const LOOK_EVERY: Duration = Duration::from_millis(25);
/// How much of what `ssh` said is read after it failed.
const MAX_SAID: u64 = 4_096;
/// What `ssh` is told besides where to go: never ask, never share a connection, notice a dead line.
const OPTIONS: [&str; 6] = [
    "BatchMode=yes",
    "ControlMaster=no",
    "ControlPath=none",
    "ExitOnForwardFailure=yes",
    "ServerAliveCountMax=3",
    "ServerAliveInterval=15",
];

/// Why there is no tunnel.
#[derive(Debug, thiserror::Error)]
pub enum TunnelError {
    /// The target cannot be one.
    #[error("`{target}` is not a host to log in to; write user@host or user@host:port")]
    BadTarget { target: String },
    /// The program could not be started.
    #[error("`ssh` could not be started; is it installed and on the PATH?")]
    NotThere(#[source] io::Error),
    /// There is no port to listen on.
    #[error("no port is free for the tunnel")]
    NoPort(#[source] io::Error),
    /// It ended instead of standing.
    #[error("the tunnel to {target} could not be opened: {said}")]
    Failed {
        target: String,
        /// What `ssh` said last.
        said: String,
    },
    /// It took too long.
    #[error("the tunnel to {target} did not stand within {seconds} s")]
    TooSlow {
        target: String,
        /// How long was waited.
        seconds: u64,
    },
}

/// Where to log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshTarget {
    destination: String,
    port: Option<u16>,
    identity: Option<PathBuf>,
}

impl SshTarget {
    /// Reads `user@host:port`. What `ssh` could take for an option, or a shell for more than a word, is refused.
    ///
    /// # Errors
    /// When it is not a host.
    pub fn parse(text: &str, identity: Option<&Path>) -> Result<Self, TunnelError> {
        let bad = || TunnelError::BadTarget { target: text.to_owned() };
        let text = text.trim();
        let text = text.strip_prefix("ssh://").unwrap_or(text);
        let (destination, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') => {
                (host, Some(port.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(bad)?))
            }
            _ => (text, None),
        };
        let fine = |c: char| c.is_ascii_alphanumeric() || ".-_@:[]%\\+".contains(c);
        let host = destination.rsplit('@').next().unwrap_or_default();
        let empty = host.is_empty() || destination.starts_with('@');
        if empty || destination.starts_with('-') || host.starts_with('-') || !destination.chars().all(fine) {
            return Err(bad());
        }
        Ok(Self { destination: destination.to_owned(), port, identity: identity.map(Path::to_owned) })
    }

    /// What `ssh` is started with.
    fn arguments(&self, local: u16, remote: u16) -> Vec<String> {
        let mut arguments = vec!["-N".to_owned(), "-L".to_owned()];
        arguments.push(format!("127.0.0.1:{local}:127.0.0.1:{remote}"));
        for option in OPTIONS {
            arguments.extend(["-o".to_owned(), option.to_owned()]);
        }
        if let Some(port) = self.port {
            arguments.extend(["-p".to_owned(), port.to_string()]);
        }
        if let Some(identity) = &self.identity {
            arguments.extend(["-i".to_owned(), identity.display().to_string()]);
        }
        arguments.extend(["--".to_owned(), self.destination.clone()]);
        arguments
    }
}

impl std::fmt::Display for SshTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.destination)
    }
}

/// A standing tunnel. Dropping it ends `ssh`.
#[derive(Debug)]
pub struct Tunnel {
    /// Held so that it ends with us.
    _child: Child,
    port: u16,
}

impl Tunnel {
    /// Opens a tunnel to the other machine's loopback, at `remote`. `ssh` gets to see a short list of `base`, with
    /// the agent that holds its keys.
    ///
    /// # Errors
    /// When it does not stand in time.
    pub async fn open(
        target: &SshTarget,
        remote: u16,
        base: &BTreeMap<String, String>,
    ) -> Result<Self, TunnelError> {
        let port = free_port().map_err(TunnelError::NoPort)?;
        let mut env = BuiltEnv::from_base(base);
        if let Some(agent) = base.get("SSH_AUTH_SOCK") {
            env = env.clone().with_explicit("SSH_AUTH_SOCK", agent).unwrap_or(env);
        }
        let mut command = Command::new(PROGRAM);
        command
            .args(target.arguments(port, remote))
            .env_clear()
            .envs(env.iter())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(TunnelError::NotThere)?;
        match tokio::time::timeout(OPEN_TIMEOUT, standing(&mut child, port)).await {
            Ok(true) => Ok(Self { _child: child, port }),
            Ok(false) => {
                Err(TunnelError::Failed { target: target.to_string(), said: last_words(&mut child).await })
            }
            Err(_elapsed) => {
                Err(TunnelError::TooSlow { target: target.to_string(), seconds: OPEN_TIMEOUT.as_secs() })
            }
        }
    }

    /// The port on this machine that leads to the gateway.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Waits until somebody listens at our end; `false` when `ssh` ended before.
async fn standing(child: &mut Child, port: u16) -> bool {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    loop {
        looks.tick().await;
        if !matches!(child.try_wait(), Ok(None)) {
            return false;
        }
        if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_ok() {
            return true;
        }
    }
}

async fn last_words(child: &mut Child) -> String {
    let mut said = Vec::new();
    if let Some(errors) = child.stderr.take()
        && let Err(error) = errors.take(MAX_SAID).read_to_end(&mut said).await
    {
        tracing::debug!(%error, "what ssh said cannot be read");
    }
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty());
    last.unwrap_or("ssh ended without a word").chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests;
