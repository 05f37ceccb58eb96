//! The fake model server as a process of its own, and what it says about when requests came.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, anyhow};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::http::get;

/// A running fake; killed when dropped.
#[derive(Debug)]
pub(super) struct Model {
    child: Child,
    port: u16,
}

/// When one request came and its answer left, in nanoseconds of the monotonic clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamps {
    pub(super) arrived: u64,
    pub(super) first: u64,
    pub(super) last: u64,
    /// Messages in the request, the system prompt among them.
    pub(super) messages: usize,
}

#[derive(Deserialize)]
struct Line {
    t_arr: String,
    t_first: Option<String>,
    t_last: Option<String>,
    tag: Option<String>,
    msgs: usize,
}

impl Model {
    /// Starts it on a free port.
    pub(super) async fn start(binary: &Path) -> Result<Self> {
        let mut child = Command::new(binary)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("could not start {}", binary.display()))?;
        let output = child.stdout.take().ok_or_else(|| anyhow!("the fake model server has no output"))?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).await?;
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.with_context(|| format!("the fake model server said `{}`", line.trim()))?;
        Ok(Self { child, port })
    }

    /// Its process.
    pub(super) fn pid(&self) -> Result<u32> {
        self.child.id().ok_or_else(|| anyhow!("the fake model server ended"))
    }

    /// The base address for `openai-completions`.
    pub(super) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// How many requests it has had; where the log of the next ones begins.
    pub(super) fn requests(&self) -> Result<usize> {
        #[derive(Deserialize)]
        struct Counters {
            requests: usize,
        }
        let (_, body) = get(self.port, "/_ctl")?;
        Ok(serde_json::from_str::<Counters>(&body).context("the fake's counters")?.requests)
    }

    /// The stamps of the requests since, by their tag, in order of completion.
    pub(super) fn stamps_since(&self, since: usize) -> Result<HashMap<String, Vec<Stamps>>> {
        let (_, body) = get(self.port, &format!("/_log?since={since}"))?;
        let mut by_tag: HashMap<String, Vec<Stamps>> = HashMap::new();
        for line in serde_json::from_str::<Vec<Line>>(&body).context("the fake's log")? {
            let (Some(tag), Some(first), Some(last)) = (line.tag, line.t_first, line.t_last) else {
                continue;
            };
            let stamps = Stamps {
                arrived: line.t_arr.parse()?,
                first: first.parse()?,
                last: last.parse()?,
                messages: line.msgs,
            };
            by_tag.entry(tag).or_default().push(stamps);
        }
        Ok(by_tag)
    }
}
