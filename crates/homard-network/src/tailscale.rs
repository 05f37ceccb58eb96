//! The `tailscale` program: who is calling, what we are called, and showing the gateway to a tailnet.
//!
//! Its answers are believed because the program is the owner's own; the headers its proxy sets are believed only
//! after [`Tailscale::whois`] said the same.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use homard_config::config::gateway::reach::TailscaleMode;
use homard_exec::{BuiltEnv, Command, Exit, Limits, run};
use homard_runtime::{Clip, Mutex};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// The program.
const PROGRAM: &str = "tailscale";
/// How long it may take to answer a question.
const ASK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long it may take to change something.
const CHANGE_TIMEOUT: Duration = Duration::from_secs(15);
/// How much of its answer is read.
const MAX_ANSWER: usize = 512 * 1024;
/// How long an answer about an address is believed.
const REMEMBER: Duration = Duration::from_secs(60);
/// How long the lack of one is.
const REMEMBER_FAILURE: Duration = Duration::from_secs(5);
/// Most addresses remembered.
const MAX_REMEMBERED: usize = 256;
/// How much of what it said goes into an error.
const SHOWN_CHARS: usize = 300;

/// Why the tailnet did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TailscaleError {
    /// The program could not be run.
    #[error("`tailscale` could not be run; is it installed and on the PATH?")]
    NotThere,
    /// It did not do what it was asked.
    #[error("`tailscale {what}` failed: {said}")]
    Failed {
        what: String,
        /// The beginning of what it said.
        said: String,
    },
    /// Its answer is not what it should be.
    #[error("the answer of `tailscale {what}` could not be understood")]
    Unreadable { what: String },
}

/// A person on the tailnet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// What they log in with.
    pub login: String,
    /// What they are called.
    pub name: Option<String>,
}

type Answer = Result<Identity, TailscaleError>;

/// The owner's `tailscale` program.
#[derive(Debug)]
pub struct Tailscale {
    cwd: PathBuf,
    env: BuiltEnv,
    known: Mutex<HashMap<IpAddr, (Answer, Instant)>>,
}

impl Tailscale {
    /// Finds the program on the `PATH` of `base`, of which the program gets to see only the harmless part.
    #[must_use]
    pub fn new(cwd: impl Into<PathBuf>, base: &BTreeMap<String, String>) -> Self {
        Self { cwd: cwd.into(), env: BuiltEnv::from_base(base), known: Mutex::default() }
    }

    /// Who has this address. Answers are remembered for a minute, so that a page that opens many connections does
    /// not start a program for each.
    ///
    /// # Errors
    /// When the tailnet does not know.
    pub async fn whois(&self, address: IpAddr) -> Answer {
        let address = address.to_canonical();
        if let Some(answer) = self.remembered(address, Instant::now()) {
            return answer;
        }
        let text = address.to_string();
        let answer = self.ask(&["whois", "--json", &text]).await.and_then(|value| read_identity(&value));
        self.remember(address, answer.clone(), Instant::now());
        answer
    }

    fn remembered(&self, address: IpAddr, now: Instant) -> Option<Answer> {
        let known = self.known.lock();
        known.get(&address).filter(|(_, until)| now < *until).map(|(answer, _)| answer.clone())
    }

    fn remember(&self, address: IpAddr, answer: Answer, now: Instant) {
        let mut known = self.known.lock();
        if known.len() >= MAX_REMEMBERED {
            known.retain(|_, (_, until)| now < *until);
        }
        if known.len() < MAX_REMEMBERED {
            let until = now + if answer.is_ok() { REMEMBER } else { REMEMBER_FAILURE };
            known.insert(address, (answer, until));
        }
    }

    /// This machine's name on the tailnet.
    ///
    /// # Errors
    /// When it has none.
    pub async fn dns_name(&self) -> Result<String, TailscaleError> {
        let status = self.ask(&["status", "--json"]).await?;
        let name = status.pointer("/Self/DNSName").and_then(Value::as_str).unwrap_or_default();
        let name = name.trim_end_matches('.');
        if name.is_empty() {
            return Err(TailscaleError::Unreadable { what: "status --json".to_owned() });
        }
        Ok(name.to_owned())
    }

    /// Shows the gateway at `target` to the tailnet, or to everybody. Stays so until [`hide`](Tailscale::hide).
    ///
    /// # Errors
    /// When the program refuses.
    pub async fn show(&self, mode: TailscaleMode, target: &str) -> Result<(), TailscaleError> {
        match mode {
            TailscaleMode::Off => Ok(()),
            TailscaleMode::Serve | TailscaleMode::Funnel => {
                self.run(&[mode.as_str(), "--bg", "--yes", target], CHANGE_TIMEOUT).await.map(drop)
            }
        }
    }

    /// Takes back what [`show`](Tailscale::show) did.
    ///
    /// # Errors
    /// When the program refuses.
    pub async fn hide(&self, mode: TailscaleMode) -> Result<(), TailscaleError> {
        match mode {
            TailscaleMode::Off => Ok(()),
            TailscaleMode::Serve | TailscaleMode::Funnel => {
                self.run(&[mode.as_str(), "reset"], CHANGE_TIMEOUT).await.map(drop)
            }
        }
    }

    async fn ask(&self, args: &[&str]) -> Result<Value, TailscaleError> {
        let said = self.run(args, ASK_TIMEOUT).await?;
        // Warnings may stand around the answer.
        let (Some(start), Some(end)) = (said.find('{'), said.rfind('}')) else {
            return Err(TailscaleError::Unreadable { what: args.join(" ") });
        };
        let json = said.get(start..=end).unwrap_or_default();
        serde_json::from_str(json).map_err(|_bad| TailscaleError::Unreadable { what: args.join(" ") })
    }

    async fn run(&self, args: &[&str], timeout: Duration) -> Result<String, TailscaleError> {
        let command = Command::direct(PROGRAM, args, &self.cwd, self.env.clone());
        let limits = Limits { timeout, max_output_bytes: MAX_ANSWER };
        let outcome = run(command, limits, |_| {}, &CancellationToken::new())
            .await
            .map_err(|_not_started| TailscaleError::NotThere)?;
        match outcome.exit {
            Exit::Exited(0) => Ok(outcome.output),
            Exit::Exited(_)
            | Exit::Signalled(_)
            | Exit::TimedOut
            | Exit::Cancelled
            | Exit::TooManyProcesses => {
                let said = outcome.output.trim().clip_chars(SHOWN_CHARS).to_owned();
                Err(TailscaleError::Failed { what: args.join(" "), said })
            }
        }
    }
}

fn read_identity(value: &Value) -> Answer {
    let text = |key: &str| value.pointer(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match text("/UserProfile/LoginName") {
        Some(login) => Ok(Identity {
            login: login.to_owned(),
            name: text("/UserProfile/DisplayName").map(str::to_owned),
        }),
        None => Err(TailscaleError::Unreadable { what: "whois".to_owned() }),
    }
}

/// Whether an address belongs to a tailnet: 100.64.0.0/10 or the tailnet's own part of IPv6.
#[must_use]
pub fn is_tailnet(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            a == 100 && (64..128).contains(&b)
        }
        IpAddr::V6(v6) => matches!(v6.segments(), [0xfd7a, 0x115c, 0xa1e0, ..]),
    }
}

#[cfg(test)]
mod tests;
