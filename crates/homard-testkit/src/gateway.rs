//! A whole gateway as a process of its own, so that a test can kill it without mercy and start it again.

use std::fs::{self, File, OpenOptions};
use std::net::TcpListener as StdListener;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::client::{TestClient, capped};
use crate::home::TestHome;

/// Where gateways under test listen, and how often one is looked for.
const PORTS: std::ops::RangeInclusive<u16> = 20_000..=32_000;
const MAX_PORT_TRIES: usize = 1_000;

/// The token of every test gateway unless the test says otherwise.
pub const TEST_TOKEN: &str = "test-token";
/// How often readiness is looked at; only while a process starts.
const READY_POLL: Duration = Duration::from_millis(2);
/// Where a child may find programs; the developer's own environment does not leak in.
const CHILD_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// How to start a gateway.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The `homard` binary; `env!("CARGO_BIN_EXE_homard")` in that crate's tests.
    pub binary: PathBuf,
    /// Where to listen; 0 picks a free port, which is then kept over restarts.
    pub port: u16,
    /// The gateway's token, handed over in the environment.
    pub token: String,
    /// Further arguments after `gateway`.
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
}

impl Launch {
    /// A gateway on a free port with [`TEST_TOKEN`].
    pub fn of(binary: impl Into<PathBuf>) -> Self {
        Self { binary: binary.into(), port: 0, token: TEST_TOKEN.into(), args: Vec::new(), env: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }
}

/// A running gateway; killed when dropped.
#[derive(Debug)]
pub struct TestGateway {
    launch: Launch,
    home: TestHome,
    child: Option<Child>,
}

/// Its home goes with it, and must not be filled again while it goes.
impl Drop for TestGateway {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let pid = child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let (Some(pid), Ok(())) = (pid, child.start_kill()) {
            // The runtime takes note of it afterwards.
            waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).ok();
        }
    }
}

impl TestGateway {
    /// Starts a gateway in `home` and waits until it is ready.
    ///
    /// # Errors
    /// When it does not start or ends at once; the error holds its output.
    pub async fn start(mut launch: Launch, home: TestHome) -> Result<Self> {
        if launch.port == 0 {
            launch.port = free_port()?;
        }
        let mut gateway = Self { launch, home, child: None };
        gateway.restart().await?;
        Ok(gateway)
    }

    /// Starts it again on the same port and state, after whatever ended it.
    ///
    /// # Errors
    /// As [`start`](TestGateway::start).
    pub async fn restart(&mut self) -> Result<()> {
        if self.child.is_some() {
            self.kill9().await?;
        }
        self.child = Some(self.spawn()?);
        let ready = capped("the gateway to be ready", self.until_ready()).await;
        ready.with_context(|| format!("its output:\n{}", self.log()))
    }

    fn spawn(&self) -> Result<Child> {
        let output = self.output_file()?;
        let errors = output.try_clone()?;
        let mut command = Command::new(&self.launch.binary);
        command
            .arg("gateway")
            .args(&self.launch.args)
            .env_clear()
            .env("PATH", CHILD_PATH)
            .env("HOME", self.home.path())
            .env("HOMARD_STATE_DIR", self.home.state_dir())
            .env("HOMARD_GATEWAY_PORT", self.launch.port.to_string())
            .env("HOMARD_GATEWAY_TOKEN", &self.launch.token)
            .envs(self.launch.env.iter().map(|(name, value)| (name, value)))
            .current_dir(self.home.path())
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .kill_on_drop(true);
        command.spawn().with_context(|| format!("could not start {}", self.launch.binary.display()))
    }

    async fn until_ready(&mut self) -> Result<()> {
        let mut ticks = tokio::time::interval(READY_POLL);
        loop {
            ticks.tick().await;
            let child = self.child.as_mut().ok_or_else(|| anyhow!("the gateway is not running"))?;
            if let Some(status) = child.try_wait()? {
                self.child = None;
                bail!("the gateway ended with {status}");
            }
            if is_ready(self.launch.port).await {
                return Ok(());
            }
        }
    }

    /// Ends it as a power cut would.
    ///
    /// # Errors
    /// When it is not running.
    pub async fn kill9(&mut self) -> Result<()> {
        let mut child = self.child.take().ok_or_else(|| anyhow!("the gateway is not running"))?;
        child.start_kill()?;
        capped("the killed gateway to be gone", async { Ok(child.wait().await?) }).await?;
        Ok(())
    }

    /// Asks it to end (SIGTERM) and waits for that.
    ///
    /// # Errors
    /// When it is not running or does not end.
    pub async fn terminate(&mut self) -> Result<ExitStatus> {
        let pid = self.pid()?;
        let mut child = self.child.take().ok_or_else(|| anyhow!("the gateway is not running"))?;
        let pid = Pid::from_raw(i32::try_from(pid)?).ok_or_else(|| anyhow!("process id 0"))?;
        kill_process(pid, Signal::TERM)?;
        let ended = capped("the gateway to end", async { Ok(child.wait().await?) }).await;
        ended.with_context(|| format!("its output:\n{}", self.log()))
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// When it is not running or does not end.
    pub async fn ended(&mut self) -> Result<ExitStatus> {
        let mut child = self.child.take().ok_or_else(|| anyhow!("the gateway is not running"))?;
        capped("the gateway to end by itself", async { Ok(child.wait().await?) }).await
    }

    /// Its process id.
    ///
    /// # Errors
    /// When it is not running.
    pub fn pid(&self) -> Result<u32> {
        self.child.as_ref().and_then(Child::id).ok_or_else(|| anyhow!("the gateway is not running"))
    }

    /// Where to connect.
    #[must_use]
    pub fn url(&self) -> String {
        format!("ws://127.0.0.1:{}", self.launch.port)
    }

    /// Where its pages are.
    #[must_use]
    pub fn http_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.launch.port)
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.launch.port
    }

    /// Its token.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.launch.token
    }

    /// Its home.
    #[must_use]
    pub fn home(&self) -> &TestHome {
        &self.home
    }

    /// Connects as the owner.
    ///
    /// # Errors
    /// When the gateway refuses.
    pub async fn operator(&self) -> Result<TestClient> {
        TestClient::operator(&self.url(), self.token()).await
    }

    /// Asks for a page without a token and returns status and body.
    ///
    /// # Errors
    /// When nobody answers.
    pub async fn get(&self, path: &str) -> Result<(u16, String)> {
        capped("a page", get(self.launch.port, path)).await
    }

    /// Everything it has printed, over all starts.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.output_path()).unwrap_or_default()
    }

    /// What it has printed, once it has said `part`: the log is written behind what it tells of.
    ///
    /// # Errors
    /// When it is never said.
    pub async fn logged(&self, part: &str) -> Result<String> {
        let looking = async {
            let mut looks = tokio::time::interval(READY_POLL);
            loop {
                looks.tick().await;
                let log = self.log();
                if log.contains(part) {
                    return Ok(log);
                }
            }
        };
        let found = capped(&format!("`{part}` in the log"), looking).await;
        found.with_context(|| self.log())
    }

    /// Its JSONL log files, parsed, oldest first; lines that are not JSON become strings.
    ///
    /// # Errors
    /// When there is no log folder.
    pub fn log_lines(&self) -> Result<Vec<Value>> {
        let folder = self.home.state_dir().join("logs");
        let entries = fs::read_dir(&folder).with_context(|| format!("no {}", folder.display()))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "log"));
        files.sort();
        let mut lines = Vec::new();
        for file in files {
            let text = fs::read_to_string(file)?;
            lines.extend(
                text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| Value::from(line))),
            );
        }
        Ok(lines)
    }

    fn output_path(&self) -> PathBuf {
        self.home.path().join("gateway-output.txt")
    }

    fn output_file(&self) -> Result<File> {
        let path = self.output_path();
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("could not open {}", path.display()))
    }
}

/// A port nobody uses at this moment.
///
/// # Errors
/// When the system has none.
pub fn free_port() -> Result<u16> {
    // Below the ports that systems hand out by themselves: one of those may be gone again before it is used.
    for _ in 0..MAX_PORT_TRIES {
        let mut chance = [0; 2];
        getrandom::fill(&mut chance).map_err(|error| anyhow!("no chance: {error}"))?;
        let port = PORTS.start() + u16::from_le_bytes(chance) % (PORTS.end() - PORTS.start());
        if StdListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err(anyhow!("no free port among {PORTS:?}"))
}

async fn is_ready(port: u16) -> bool {
    match get(port, "/readyz").await {
        Ok((200, _)) => true,
        // It listens, and tells a plain request that it speaks TLS.
        Ok((400, words)) => words.contains("speaks TLS"),
        Ok(_) | Err(_) => false,
    }
}

async fn get(port: u16, path: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| anyhow!("not HTTP: {answer}"))?;
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    Ok((status.ok_or_else(|| anyhow!("no status: {head}"))?, body.to_owned()))
}
