//! A fake model server on a real socket: it speaks every model API Homard speaks.
//!
//! A test scripts turns, one per request, and reads back what was asked; without a script it answers with
//! numbered words, which is what benchmarks want. It is strict about what the APIs document, so that a
//! request a real provider would refuse fails in a test first. Reading order: this file is what tests use,
//! `script` is what can happen, `server` is the road of one request, the files named after an API are its spelling.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::serve::ListenerExt;
use homard_runtime::{OrLog, Tasks};
use serde_json::Value;
use tokio::net::{TcpListener, TcpSocket};

mod anthropic;
mod bedrock;
mod desk;
mod dialect;
mod embeddings;
mod google;
mod incoming;
mod log;
mod ollama;
mod openai;
mod repeats;
mod responses;
mod script;
mod server;
mod strict;

pub use bedrock::{AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY};
pub use desk::{FakeLlmOptions, Recorded};
pub use script::{Gate, Speech, Turn};

use crate::client::WAIT_CAP;
use desk::{Shared, Tally};

/// Connections that may wait to be accepted; a benchmark opens hundreds at once.
const BACKLOG: u32 = 4_096;

/// A running fake. Stops when dropped.
#[derive(Debug)]
pub struct FakeLlm {
    shared: Arc<Shared>,
    address: SocketAddr,
    tasks: Tasks,
}

impl FakeLlm {
    /// Starts on a free port, strict and keeping what it is asked.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start() -> Result<Self> {
        Self::start_with(&FakeLlmOptions::default())
    }

    /// Starts as `options` say. Must be called inside a runtime.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub fn start_with(options: &FakeLlmOptions) -> Result<Self> {
        let listener = listen(options.port).context("could not open a port for the fake model server")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(options));
        let app = server::router(Arc::clone(&shared));
        let tasks = Tasks::new();
        let cancel = tasks.token().clone();
        let counted = Arc::clone(&shared);
        let listener = listener.tap_io(move |stream| {
            counted.connected();
            stream.set_nodelay(true).or_log("a socket without TCP_NODELAY answers late");
        });
        tasks.spawn(async move {
            // Open connections are cut with the server: a hanging turn must not keep a test alive.
            tokio::select! {
                served = axum::serve(listener, app) => { served.or_log("the fake model server stopped"); }
                () = cancel.cancelled() => {}
            }
        });
        Ok(Self { shared, address, tasks })
    }

    /// Where it listens, without a path: `http://127.0.0.1:port`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base address for `openai-completions`.
    #[must_use]
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.url())
    }

    /// The base address for `anthropic-messages`.
    #[must_use]
    pub fn anthropic_url(&self) -> String {
        self.url()
    }

    /// The base address for `openai-responses`.
    #[must_use]
    pub fn responses_url(&self) -> String {
        self.openai_url()
    }

    /// The base address for `ollama`.
    #[must_use]
    pub fn ollama_url(&self) -> String {
        self.url()
    }

    /// The base address for `google-generative-ai`.
    #[must_use]
    pub fn google_url(&self) -> String {
        format!("{}/v1beta", self.url())
    }

    /// The base address for an API by its name in configuration.
    #[must_use]
    pub fn base_url(&self, api: &str) -> String {
        match api {
            "openai-completions" => self.openai_url(),
            "openai-responses" => self.responses_url(),
            "ollama" => self.ollama_url(),
            "google-generative-ai" => self.google_url(),
            _ => self.url(),
        }
    }

    /// Adds a turn to the script; each request takes one.
    pub fn turn(&self, turn: Turn) -> &Self {
        self.shared.script().push_back(turn);
        self
    }

    /// The next turn answers with this text, word by word.
    pub fn says(&self, text: impl Into<String>) -> &Self {
        self.turn(Turn::says(text))
    }

    /// The next turn answers with this text and says that it ran into the wanted length. Chat completions only.
    pub fn runs_out(&self, text: impl Into<String>) -> &Self {
        self.turn(Turn::RunsOut(text.into()))
    }

    /// The next turn thinks, then answers.
    pub fn thinks(&self, thinking: impl Into<String>, text: impl Into<String>) -> &Self {
        self.turn(Turn::thinks(thinking, text))
    }

    /// The next turn calls one tool.
    pub fn calls(&self, name: impl Into<String>, arguments: Value) -> &Self {
        self.calls_many([(name.into(), arguments)])
    }

    /// The next turn calls several tools at once, their arguments in pieces.
    pub fn calls_many(&self, calls: impl IntoIterator<Item = (String, Value)>) -> &Self {
        self.turn(Turn::calls(calls))
    }

    /// The next turn is refused with this status and body.
    pub fn fails(&self, status: u16, body: impl Into<String>) -> &Self {
        self.turn(Turn::Fails { status, body: Some(body.into()), retry_after: None })
    }

    /// The next turn is refused with 429 and a wish to be left alone.
    pub fn rate_limits(&self, retry_after: Duration) -> &Self {
        self.turn(Turn::Fails { status: 429, body: None, retry_after: Some(retry_after) })
    }

    /// The next turn's connection breaks after this many words.
    pub fn cuts_after(&self, chunks: usize) -> &Self {
        self.turn(Turn::CutsAfter(chunks))
    }

    /// The next turn never answers at all.
    pub fn hangs(&self) -> &Self {
        self.turn(Turn::Hangs)
    }

    /// The next turn falls silent after this many words.
    pub fn stalls_after(&self, chunks: usize) -> &Self {
        self.turn(Turn::StallsAfter(chunks))
    }

    /// The next turn's stream becomes unreadable after its first word.
    pub fn malformed(&self) -> &Self {
        self.turn(Turn::Malformed)
    }

    /// The next turn is a web page with status 200.
    pub fn html(&self) -> &Self {
        self.turn(Turn::Html)
    }

    /// The next turn streams the first word of `text` and waits for the gate before the rest.
    pub fn gate(&self, text: impl Into<String>) -> Gate {
        let gate = Gate::default();
        self.turn(Turn::Gated { text: text.into(), gate: gate.clone() });
        gate
    }

    /// From now on, turns nobody scripted name every word beginning with `mark` that is still to be named.
    pub fn repeats(&self, mark: impl Into<String>) -> &Self {
        self.shared.repeat(mark.into());
        self
    }

    /// From now on, requests of more than this many bytes are refused as too long; the script waits for one
    /// that fits.
    pub fn overflows_above(&self, bytes: usize) -> &Self {
        self.shared.overflow_above(bytes);
        self
    }

    /// From now on, requests that offer tools are refused as Ollama refuses them for a model that knows none.
    pub fn takes_no_tools(&self) -> &Self {
        self.shared.take_no_tools();
        self
    }

    /// What was asked so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.recorded().clone()
    }

    /// How many requests came; nothing is copied.
    #[must_use]
    pub fn request_count(&self) -> usize {
        self.shared.tally().borrow().requests
    }

    /// Waits for the request number `n`, counted from one; nothing is copied.
    ///
    /// # Errors
    /// When it does not come.
    pub async fn wait_for_request_count(&self, n: usize) -> Result<()> {
        self.wait(&format!("model request {n}"), |tally| tally.requests >= n).await
    }

    /// Turns of the script nobody has taken yet.
    #[must_use]
    pub fn turns_left(&self) -> usize {
        self.shared.script().len()
    }

    /// Connections opened so far: callers that reuse them open few.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.tally().borrow().connections
    }

    /// Waits until `n` requests have arrived and returns the `n`th, counting from 1.
    ///
    /// # Errors
    /// When it does not come, or bodies are not kept.
    pub async fn wait_for_request(&self, n: usize) -> Result<Recorded> {
        self.wait(&format!("model request {n}"), |tally| tally.requests >= n).await?;
        self.requests().into_iter().nth(n.saturating_sub(1)).context("the fake keeps no bodies")
    }

    /// Waits until callers have hung up on `n` answers.
    ///
    /// # Errors
    /// When they do not.
    pub async fn wait_for_hangups(&self, n: usize) -> Result<()> {
        self.wait(&format!("{n} dropped model connections"), |tally| tally.hangups >= n).await
    }

    async fn wait(&self, what: &str, enough: impl FnMut(&Tally) -> bool) -> Result<()> {
        let mut tally = self.shared.tally();
        let waiting = tokio::time::timeout(WAIT_CAP, tally.wait_for(enough)).await;
        waiting.with_context(|| format!("waited {} s in vain for {what}", WAIT_CAP.as_secs()))??;
        Ok(())
    }

    /// Runs until the process is stopped.
    pub async fn serve(self) {
        self.tasks.token().cancelled().await;
    }
}

impl Drop for FakeLlm {
    fn drop(&mut self) {
        self.tasks.token().cancel();
    }
}

fn listen(port: u16) -> std::io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    socket.listen(BACKLOG)
}

#[cfg(test)]
mod tests;
