//! A real IRC server: Debian's `ngircd`, started by the test on ports of its own.
//!
//! It can be stopped and started again on the same ports, which is how a lost connection and a server that comes
//! back are tried. It answers no SASL; that is tried against a scripted server.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use homard_runtime::hex;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::client::capped;
use crate::gateway::free_port;
use crate::irc_peer::IrcPeer;

/// Where Debian and others put it.
const PLACES: [&str; 3] = ["/usr/sbin/ngircd", "/usr/bin/ngircd", "/usr/local/sbin/ngircd"];
/// The group of RFC 7919 that everybody may know; without it the server makes one, which takes seconds.
const GROUP: &str = include_str!("ffdhe2048.pem");
/// How often readiness is looked at; only while the process starts.
const READY_POLL: Duration = Duration::from_millis(5);
/// The name and password of its operator, who may do anything.
const OPERATOR: &str = "tester";

/// How the server is to be.
#[derive(Debug, Clone, Default)]
pub struct IrcSetup {
    password: Option<String>,
    channels: Vec<(String, String)>,
    throttles: bool,
}

impl IrcSetup {
    /// Everybody must say this password first.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self
    }

    /// A channel that exists from the beginning, with modes such as `+k key`, `+i` or `+m`.
    #[must_use]
    pub fn channel(mut self, name: &str, modes: &str) -> Self {
        self.channels.push((name.to_owned(), modes.to_owned()));
        self
    }

    /// Clients that write fast are read slowly, as the server does by default; otherwise it never makes them wait.
    #[must_use]
    pub fn throttling(mut self) -> Self {
        self.throttles = true;
        self
    }

    fn text(&self, dir: &Path, port: u16, tls_port: u16) -> String {
        let mut text = format!(
            "[Global]\nName = irc.test\nInfo = test\nAdminInfo1 = test\nAdminInfo2 = test\nAdminEMail = a@test\n\
             Listen = 127.0.0.1\nPorts = {port}\nMotdPhrase = hello\n"
        );
        if let Some(password) = &self.password {
            text.push_str(&format!("Password = {password}\n"));
        }
        let penalty = if self.throttles { -1 } else { 0 };
        // `nickname`s of nine characters, the default, are too short for people today.
        text.push_str(&format!(
            "[Limits]\nMaxNickLength = 20\nMaxConnectionsIP = 0\nMaxJoins = 0\nMaxPenaltyTime = {penalty}\n\
             [Options]\nDNS = no\nIdent = no\nPAM = no\nIncludeDir = {0}\n\
             [SSL]\nCertFile = {0}/cert.pem\nKeyFile = {0}/key.pem\nDHFile = {0}/group.pem\nPorts = {tls_port}\n\
             [Operator]\nName = {OPERATOR}\nPassword = {OPERATOR}\n",
            dir.display(),
        ));
        for (name, modes) in &self.channels {
            // Writing to a string cannot fail.
            write!(text, "[Channel]\nName = {name}\nModes = {modes}\n").ok();
        }
        text
    }
}

/// A running server; killed when dropped.
#[derive(Debug)]
pub struct Ngircd {
    dir: TempDir,
    port: u16,
    tls_port: u16,
    fingerprint: String,
    password: Option<String>,
    child: Option<Child>,
}

impl Ngircd {
    /// Starts a server that anybody may use.
    ///
    /// # Errors
    /// When `ngircd` is not installed or does not start.
    pub async fn start() -> Result<Self> {
        Self::start_with(IrcSetup::default()).await
    }

    /// Starts a server set up so.
    ///
    /// # Errors
    /// As [`start`](Ngircd::start).
    pub async fn start_with(setup: IrcSetup) -> Result<Self> {
        let dir =
            tempfile::Builder::new().prefix("homard-ngircd-").tempdir().context("no temporary folder")?;
        let fingerprint = certificate(dir.path())?;
        let (port, tls_port) = (free_port()?, free_port()?);
        fs::write(dir.path().join("ngircd.ini"), setup.text(dir.path(), port, tls_port))?;
        let mut server = Self { dir, port, tls_port, fingerprint, password: setup.password, child: None };
        server.restart().await?;
        Ok(server)
    }

    /// Where it listens without encryption.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where it listens for TLS, with a certificate that it signed itself.
    #[must_use]
    pub fn tls_port(&self) -> u16 {
        self.tls_port
    }

    /// SHA-256 of its certificate in hexadecimal digits.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Kills it; every connection ends.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub async fn stop(&mut self) -> Result<()> {
        if let Some(mut child) = self.child.take() {
            child.start_kill()?;
            capped("the killed IRC server to be gone", async { Ok(child.wait().await?) }).await?;
        }
        Ok(())
    }

    /// Starts it again on the same ports; nobody is connected and no channel exists but those of its setup.
    ///
    /// # Errors
    /// As [`start`](Ngircd::start).
    pub async fn restart(&mut self) -> Result<()> {
        self.stop().await?;
        let log = OpenOptions::new().create(true).append(true).open(self.log_path())?;
        self.child = Some(spawn(&self.dir.path().join("ngircd.ini"), &log)?);
        let ready = capped("the IRC server to be ready", self.until_ready()).await;
        ready.with_context(|| format!("its output:\n{}", self.log()))
    }

    async fn until_ready(&mut self) -> Result<()> {
        let mut ticks = tokio::time::interval(READY_POLL);
        loop {
            ticks.tick().await;
            let child = self.child.as_mut().ok_or_else(|| anyhow!("the IRC server is not running"))?;
            if let Some(status) = child.try_wait()? {
                self.child = None;
                bail!("the IRC server ended with {status}");
            }
            let both = [self.port, self.tls_port].map(|port| TcpStream::connect(("127.0.0.1", port)));
            let [plain, tls] = both;
            if plain.await.is_ok() && tls.await.is_ok() {
                return Ok(());
            }
        }
    }

    /// Somebody who is connected and registered under this nick.
    ///
    /// # Errors
    /// When the server does not let them in.
    pub async fn peer(&self, nick: &str) -> Result<IrcPeer> {
        let mut peer = IrcPeer::connect(self.port).await?;
        if let Some(password) = &self.password {
            peer.send(&format!("PASS {password}")).await?;
        }
        peer.register(nick).await?;
        Ok(peer)
    }

    /// Somebody with the powers of the server's operator: `KILL`, modes of any channel.
    ///
    /// # Errors
    /// As [`peer`](Ngircd::peer).
    pub async fn operator(&self, nick: &str) -> Result<IrcPeer> {
        let mut peer = self.peer(nick).await?;
        peer.send(&format!("OPER {OPERATOR} {OPERATOR}")).await?;
        peer.until(" 381 ").await?;
        Ok(peer)
    }

    /// What it said about itself.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    fn log_path(&self) -> PathBuf {
        self.dir.path().join("log")
    }
}

fn spawn(config: &Path, log: &File) -> Result<Child> {
    let program = PLACES.iter().find(|place| Path::new(place).is_file());
    let program =
        program.ok_or_else(|| anyhow!("`ngircd` is not installed (on Debian: `apt-get install ngircd`)"))?;
    let mut command = Command::new(program);
    command
        .arg("--nodaemon")
        .arg("--config")
        .arg(config)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log.try_clone()?)
        .kill_on_drop(true);
    command.spawn().with_context(|| format!("could not start `{program}`"))
}

/// Writes a certificate and what belongs to it into `dir`; returns its fingerprint.
fn certificate(dir: &Path) -> Result<String> {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names)?;
    fs::write(dir.join("group.pem"), GROUP)?;
    fs::write(dir.join("cert.pem"), cert.pem())?;
    fs::write(dir.join("key.pem"), signing_key.serialize_pem())?;
    Ok(hex(&Sha256::digest(cert.der())))
}
