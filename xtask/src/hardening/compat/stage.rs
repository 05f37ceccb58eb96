//! One gateway with the fake model in a temporary home, and a second home for the client.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::published::Published;
use crate::browser::{free_address, is_ready, random_token};
use crate::serve::binary;
use crate::sh::{Cmd, Ran, last_lines};
use crate::workspace;

/// One command of the client; its start alone takes seconds.
const COMMAND_LIMIT: Duration = Duration::from_secs(60);
/// A gateway or model that is not ready by then is broken.
const READY_WITHIN: Duration = Duration::from_secs(30);
/// Between two looks.
pub(super) const GLANCE: Duration = Duration::from_millis(100);
/// How many words the fake model says: `w0` to the last.
const WORDS: &str = "8";
/// The last word the fake model says, which is in every answer that came to its end.
pub(super) const LAST_WORD: &str = "w7";
/// How much of a client's output is shown after a failure.
const SHOWN_LINES: usize = 12;

/// What a client that stays prints.
const STAYING_OUT: &str = "staying.out";

/// Tells the homes of one run apart.
static STAGES: AtomicUsize = AtomicUsize::new(0);

/// A gateway, its model, and what a client needs to find it; all gone with this value.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    pub(super) published: &'a Published,
    pub(super) address: SocketAddr,
    pub(super) token: String,
    home: PathBuf,
    children: Vec<Child>,
}

impl<'a> Stage<'a> {
    /// Starts the model and the gateway and waits until both answer.
    pub(super) fn set(published: &'a Published) -> Result<Self> {
        let number = STAGES.fetch_add(1, Ordering::Relaxed);
        let home = workspace::scratch()?.join(format!("compat-{}-{number}", std::process::id()));
        for folder in ["gateway", "client/.openclaw"] {
            fs::create_dir_all(home.join(folder))
                .with_context(|| format!("no folder `{}`", home.display()))?;
        }
        let (address, token) = (free_address()?, random_token());
        let mut stage = Self { published, address, token, home, children: Vec::new() };
        let model = free_address()?;
        stage.start_model(model)?;
        stage.configure(model)?;
        stage.start_gateway()?;
        Ok(stage)
    }

    fn start_model(&mut self, address: SocketAddr) -> Result<()> {
        let log = File::create(self.home.join("model.log"))?;
        let program = workspace::target()?.join("debug").join(binary("fake_llm"));
        let port = address.port().to_string();
        let child = Cmd::new(program, &["--port", &port, "--chunks", WORDS]).bare_env().start(&log)?;
        self.children.push(child);
        Ok(())
    }

    /// The same model for both sides: some commands of the client read its own file only.
    fn configure(&self, model: SocketAddr) -> Result<()> {
        let with = |gateway: Value| {
            json!({
                "gateway": gateway,
                "agents": {"defaults": {"model": {"primary": "fake/fake-1"}}},
                "models": {"providers": {"fake": {
                    "baseUrl": format!("http://{model}/v1"), "apiKey": "test-key", "api": "openai-completions",
                    "models": [{"id": "fake-1", "name": "Fake 1", "contextWindow": 200_000, "maxTokens": 8192}],
                }}},
            })
        };
        let auth = json!({"mode": "token", "token": self.token});
        let endpoints = json!({"chatCompletions": {"enabled": true}, "responses": {"enabled": true}});
        let page = json!({"root": self.published.control_ui()});
        let gateway = with(json!({"auth": auth, "http": {"endpoints": endpoints}, "controlUi": page}));
        let client = with(json!({"mode": "local", "port": self.address.port(), "auth": auth}));
        fs::write(self.home.join("gateway/homard.json"), gateway.to_string())?;
        fs::write(self.home.join("client/.openclaw/openclaw.json"), client.to_string())?;
        Ok(())
    }

    fn start_gateway(&mut self) -> Result<()> {
        let log = File::create(self.gateway_log())?;
        let state = self.home.join("gateway");
        let homard = workspace::target()?.join("debug").join(binary("homard"));
        let child = Cmd::new(homard, &["gateway"])
            .dir(&state)
            .bare_env()
            .env("HOME", &state)
            .env("HOMARD_STATE_DIR", &state)
            .env("HOMARD_GATEWAY_PORT", self.address.port().to_string())
            .start(&log)?;
        self.children.push(child);
        let begun = Instant::now();
        while !is_ready(self.address) {
            if begun.elapsed() > READY_WITHIN {
                let log = fs::read_to_string(self.gateway_log()).unwrap_or_default();
                bail!("the gateway is not ready:\n{}", last_lines(&log, SHOWN_LINES));
            }
            std::thread::sleep(GLANCE);
        }
        Ok(())
    }

    fn gateway_log(&self) -> PathBuf {
        self.home.join("gateway.log")
    }

    /// The client's home.
    pub(super) fn client_home(&self) -> PathBuf {
        self.home.join("client")
    }

    /// The client with these arguments, not started yet.
    pub(super) fn client(&self, args: &[&str]) -> Cmd {
        let home = self.client_home();
        Cmd::new(self.published.node(), &[])
            .args([self.published.entry()])
            .args(args)
            .dir(&home)
            .bare_env()
            .env("PATH", self.published.search_path())
            .env("HOME", &home)
            .env("OPENCLAW_STATE_DIR", home.join(".openclaw"))
            .env("OPENCLAW_GATEWAY_TOKEN", &self.token)
            .env("OPENCLAW_GATEWAY_PORT", self.address.port().to_string())
            .env("NO_COLOR", "1")
    }

    /// Runs the client to its end and returns what it printed; anything but status zero is an error.
    pub(super) fn ask(&self, args: &[&str]) -> Result<String> {
        let shown = args.join(" ");
        let Some(ran) = self.client(args).within(COMMAND_LIMIT, &self.home.join("client.out"))? else {
            bail!("`{shown}` did not end within {} s", COMMAND_LIMIT.as_secs());
        };
        let Ran { ok, text } = ran;
        if !ok {
            bail!("`{shown}` failed: {}\n{}", reason(&text), last_lines(text.trim(), SHOWN_LINES));
        }
        Ok(text)
    }

    /// As [`ask`](Stage::ask), and `wanted` must be in what was printed.
    pub(super) fn shows(&self, args: &[&str], wanted: &str) -> Result<()> {
        let text = self.ask(args)?;
        if !text.contains(wanted) {
            let end = last_lines(text.trim(), SHOWN_LINES);
            bail!("`{}` did not show `{wanted}`; it printed: {end}", args.join(" "));
        }
        Ok(())
    }

    /// Starts a client that stays, such as a node; it ends with the stage.
    pub(super) fn stays(&mut self, args: &[&str]) -> Result<()> {
        let log = File::create(self.home.join(STAYING_OUT))?;
        let child = self.client(args).start(&log)?;
        self.children.push(child);
        Ok(())
    }

    /// The end of what the client that stays has printed.
    pub(super) fn said(&self) -> String {
        let text = fs::read_to_string(self.home.join(STAYING_OUT)).unwrap_or_default();
        last_lines(text.trim(), SHOWN_LINES)
    }

    /// A file for the client to read.
    pub(super) fn file(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.home.join(name);
        fs::write(&path, text).with_context(|| format!("could not write `{}`", path.display()))?;
        Ok(path)
    }

    /// What clients asked for and this gateway does not know, from its log.
    pub(super) fn unknown_methods(&self) -> Vec<String> {
        let log = fs::read_to_string(self.gateway_log()).unwrap_or_default();
        unknown_in(&log)
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        for child in &mut self.children {
            // It may have ended by itself; either way it is gone after the wait.
            child.kill().and_then(|()| child.wait().map(|_| ())).ok();
        }
        remove(&self.home);
    }
}

fn remove(home: &Path) {
    fs::remove_dir_all(home).ok();
}

/// The line of a failed command's output that says why, as far as one can tell.
pub(super) fn reason(text: &str) -> String {
    let said = |mark: &str| {
        let line = text.lines().find(|line| line.contains(mark))?;
        line.split_once(mark).map(|(_, rest)| rest.trim().trim_matches(['"', ',']).to_owned())
    };
    let last = || text.lines().rfind(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
    said("Reason: ").or_else(|| said("\"message\": ")).or_else(last).unwrap_or_default()
}

/// The names in the lines that say `unknown method`.
pub(super) fn unknown_in(log: &str) -> Vec<String> {
    let names: BTreeSet<&str> = log
        .lines()
        .filter(|line| line.contains("unknown method"))
        .filter_map(|line| line.split("method=").nth(1)?.split_whitespace().next())
        .collect();
    names.into_iter().map(str::to_owned).collect()
}
