//! The browser test: a real gateway with a home of its own, and Chromium using its page.
//!
//! The gateway gets a bare environment and a temporary home, so that it finds no model keys and answers with
//! the offline demo model. The test may ask for the gateway to be killed and started again by making a file.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::compile;
use crate::machine::debian;
use crate::sh::{self, Cmd, Ran, last_lines, say};
use crate::web;
use crate::workspace;

/// Where Debian puts it; `CHROMIUM` names another.
const CHROMIUM: &str = "/usr/bin/chromium";
/// A gateway that is not ready by then is broken.
const READY_WITHIN: Duration = Duration::from_secs(30);
/// Between two looks at a port or a file.
const GLANCE: Duration = Duration::from_millis(50);
/// One probe of the ready address.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// How much of the gateway's log is shown after a failure.
const SHOWN_LINES: usize = 60;

/// Lets the browser at the fake gateway of the page's own tests, which can lose events, send hostile text and
/// fail on request; a real one cannot be asked to.
pub(crate) fn test_against_fake() -> Result<Ran> {
    // An empty address is none.
    web::npm(&["run", "test:e2e"]).env("HOMARD_E2E_URL", "").env("CHROMIUM", chromium()?).tee()
}

/// Starts the compiled program and lets the browser at it.
pub(crate) fn test() -> Result<Ran> {
    let chromium = chromium()?;
    let mut gateway = Gateway::start()?;
    let ran = drive(&mut gateway, &chromium);
    if !matches!(&ran, Ok(ran) if ran.ok) {
        let log = fs::read_to_string(&gateway.log).unwrap_or_default();
        say(&format!("the end of the gateway's log:\n{}", last_lines(&log, SHOWN_LINES)));
    }
    ran
}

/// Lets the page's flows start gateways and models of their own.
pub(crate) fn flows() -> Result<Ran> {
    let chromium = chromium()?;
    web::npm(&["run", "test:flows"])
        .env("HOMARD_BIN", compile::program("homard")?)
        .env("FAKE_LLM_BIN", compile::program("fake_llm")?)
        .env("CHROMIUM", chromium)
        .tee()
}

/// Runs the page's browser test and restarts the gateway as often as the test asks.
fn drive(gateway: &mut Gateway, chromium: &Path) -> Result<Ran> {
    let wish = gateway.home.join("restart-please");
    let quoted = wish.display();
    let npm = web::npm(&["run", "test:e2e"])
        .env("HOMARD_E2E_URL", format!("http://{}/#token={}", gateway.address, gateway.token))
        .env(
            "HOMARD_E2E_RESTART_CMD",
            format!("touch '{quoted}' && while [ -e '{quoted}' ]; do sleep 0.1; done"),
        )
        .env("CHROMIUM", chromium);
    std::thread::scope(|scope| {
        let npm = scope.spawn(|| npm.tee());
        let mut restarts = Ok(());
        while !npm.is_finished() {
            if wish.exists() {
                say("browser test: killing and restarting the gateway");
                restarts = restarts.and_then(|()| gateway.restart());
                fs::remove_file(&wish).with_context(|| format!("could not remove `{}`", wish.display()))?;
            }
            std::thread::sleep(GLANCE);
        }
        let ran = npm.join().unwrap_or_else(|_| bail!("the browser test's thread is gone"))?;
        restarts.context("the gateway did not come back")?;
        Ok(ran)
    })
}

/// A gateway under test; it dies with this value.
#[derive(Debug)]
struct Gateway {
    child: Child,
    address: SocketAddr,
    token: String,
    home: PathBuf,
    log: PathBuf,
}

impl Gateway {
    fn start() -> Result<Self> {
        let home = workspace::scratch()?.join(format!("browser-{}", std::process::id()));
        fs::create_dir_all(&home).with_context(|| format!("could not make `{}`", home.display()))?;
        let address = free_address()?;
        let token = random_token();
        let log = home.join("gateway.log");
        let child = spawn(address, &token, &home)?;
        let mut gateway = Self { child, address, token, home, log };
        gateway.wait_until_ready()?;
        Ok(gateway)
    }

    /// Kills it as a power cut would, and starts it on the same home and port.
    fn restart(&mut self) -> Result<()> {
        self.kill();
        self.child = spawn(self.address, &self.token, &self.home)?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < READY_WITHIN {
            if let Some(status) = self.child.try_wait()? {
                let log = fs::read_to_string(&self.log).unwrap_or_default();
                bail!("the gateway ended with {status}:\n{}", last_lines(&log, SHOWN_LINES));
            }
            if is_ready(self.address) {
                return Ok(());
            }
            std::thread::sleep(GLANCE);
        }
        bail!("the gateway was not ready after {} seconds", READY_WITHIN.as_secs())
    }

    fn kill(&mut self) {
        // It may have ended by itself; either way it is gone after the wait.
        self.child.kill().and_then(|()| self.child.wait()).ok();
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.kill();
        fs::remove_dir_all(&self.home).ok();
    }
}

fn spawn(address: SocketAddr, token: &str, home: &Path) -> Result<Child> {
    let log = File::options().create(true).append(true).open(home.join("gateway.log"))?;
    Cmd::new(compile::program("homard")?, &["gateway"])
        .dir(home)
        .bare_env()
        .env("HOME", home)
        .env("HOMARD_STATE_DIR", home.join("state"))
        .env("HOMARD_GATEWAY_TOKEN", token)
        .env("HOMARD_GATEWAY_PORT", address.port().to_string())
        .env("RUST_BACKTRACE", "1")
        .start(&log)
}

/// A port nobody listens on at this moment.
pub(crate) fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("could not find a free port")?;
    Ok(listener.local_addr()?)
}

/// Enough chance for a token that lives a minute on loopback, from the only source in std.
pub(crate) fn random_token() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    (0..4).map(|part| format!("{:016x}", RandomState::new().hash_one(part))).collect()
}

pub(crate) fn is_ready(address: SocketAddr) -> bool {
    let answer = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect_timeout(&address, PROBE_TIMEOUT)?;
        stream.set_read_timeout(Some(PROBE_TIMEOUT))?;
        stream.write_all(
            format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").as_bytes(),
        )?;
        let mut head = String::new();
        stream.take(64).read_to_string(&mut head)?;
        Ok(head)
    };
    answer().is_ok_and(|head| head.starts_with("HTTP/1.1 200 "))
}

/// Finds Chromium, or installs Debian's where we may. Never skips: a browser test that silently did not run
/// looks like one that passed.
pub(crate) fn chromium() -> Result<PathBuf> {
    if let Some(named) = sh::variable("CHROMIUM") {
        let path = PathBuf::from(named);
        if path.is_file() {
            return Ok(path);
        }
        bail!("`CHROMIUM` names `{}`, which is not a file", path.display());
    }
    let path = PathBuf::from(CHROMIUM);
    if path.is_file() {
        return Ok(path);
    }
    if !debian::may_install() {
        bail!(
            "the browser test needs Chromium and `{CHROMIUM}` does not exist; install it (on Debian: \
             `sudo apt-get install chromium`), or set CHROMIUM to where yours is, or leave it out with --skip-web"
        );
    }
    debian::install(&["chromium"])?;
    Ok(path)
}

#[cfg(test)]
mod tests;
