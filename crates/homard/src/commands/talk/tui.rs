//! `homard tui`: the chat in the terminal.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use homard_client::{Client, ClientError};
use homard_protocol::connect::ConnectAuth;
use homard_protocol::methods::sessions::{SessionsList, SessionsListParams};
use homard_tui::{Connector, Machine, StartOptions, TuiOptions};

use crate::commands::Cx;
use crate::commands::connection::{self, Route, Target};
use crate::commands::gateway::InnerGateway;
use crate::compose::lock;
use crate::report::Advice;

/// Messages read when a conversation is opened.
const HISTORY: u32 = 200;
const EXAMPLES: &str = "\
Examples:
  homard tui                              chat with the default agent
  homard tui --session planning           in a conversation of its own
  homard tui -m \"what is on today?\"       say something first
  homard tui --resume kitchen             in the newest conversation that is about it
  homard tui --local                      where no gateway runs: with one in this process, as long as you chat
  homard tui --plain                      plain lines, for screen readers
  echo hello | homard tui                 the same, from a pipe

Inside, `?` shows all keys and `/` all commands. Leaving stops nothing: a run goes on, and its answer is in the
conversation when you come back. Nothing runs on this machine but lines that begin with `!`, and the first of them asks.";

/// Chat in the terminal
///
/// Answers come as they are written, with tools, questions and costs; conversations, agents and models are a key away.
/// Works over SSH, in 80 columns or 40, with 16 colours or none (NO_COLOR).
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
pub(crate) struct TuiArgs {
    /// Open this conversation: a key, or a name; the agent's main one otherwise
    #[arg(long, value_name = "KEY")]
    session: Option<String>,
    /// Open the newest conversation whose name or key has these words
    #[arg(long, value_name = "WORDS", conflicts_with = "session")]
    resume: Option<String>,
    /// Run a gateway in this process, where none runs on this machine; it ends with the chat
    #[arg(long, conflicts_with_all = ["url", "token", "password", "tls_fingerprint"])]
    local: bool,
    /// Say this first
    #[arg(long, short, value_name = "TEXT")]
    message: Option<String>,
    /// Deliver answers to the conversation's channel, too
    #[arg(long)]
    deliver: bool,
    /// How hard to think: off, minimal, low, medium, high …
    #[arg(long, value_name = "LEVEL", value_parser = super::thinking_level)]
    thinking: Option<String>,
    /// How many messages to read at first
    #[arg(long, value_name = "N", default_value_t = HISTORY)]
    history_limit: u32,
    /// How long a run may take, in milliseconds
    #[arg(long, value_name = "MS")]
    timeout_ms: Option<u64>,
    /// Plain lines instead of a screen, for screen readers; also with HOMARD_TUI_PLAIN=1
    #[arg(long)]
    plain: bool,
    /// Scroll with the wheel; selecting text then needs Shift in most terminals
    #[arg(long, conflicts_with = "plain")]
    mouse: bool,
    #[command(flatten)]
    target: Target,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, it refuses, or the terminal cannot be used.
pub(crate) async fn run(cx: &Cx, args: TuiArgs) -> anyhow::Result<()> {
    if !args.local {
        let route = connection::route(cx, &args.target)?;
        connection::warn_if_overheard(cx, &route);
        return chat(cx, &route, args).await;
    }
    let lock = cx.source.paths.lock_file();
    let (inner, port) = match lock::port_of_running(&lock) {
        Some(port) => {
            cx.console.note("a gateway runs on this machine: it is used");
            (None, port)
        }
        None => {
            let inner = InnerGateway::start(cx).await?;
            let port = inner.port;
            (Some(inner), port)
        }
    };
    // Its first start may have written a token.
    let config = cx.config()?;
    let mut route = connection::own(cx, &config, ConnectAuth::default(), None);
    route.url = with_port(&route.url, port);
    let chatted = chat(cx, &route, args).await;
    if let Some(inner) = inner {
        inner.stop(cx.console).await?;
    }
    chatted
}

/// An address of this machine at another port.
fn with_port(url: &str, port: u16) -> String {
    url.rsplit_once(':').map_or_else(|| url.to_owned(), |(host, _)| format!("{host}:{port}"))
}

async fn chat(cx: &Cx, route: &Route, mut args: TuiArgs) -> anyhow::Result<()> {
    let first = connection::watch(cx, route).await?;
    if let Some(words) = args.resume.take() {
        args.session = Some(found(&first, &words).await?);
    }
    let options = options(cx, args)?;
    homard_tui::run(first, &Dialler { cx, route }, options).await?;
    Ok(())
}

/// The newest conversation some words are about.
async fn found(client: &Client, words: &str) -> anyhow::Result<String> {
    let params = SessionsListParams {
        search: Some(words.to_owned()),
        limit: Some(1),
        include_derived_titles: Some(true),
        ..SessionsListParams::default()
    };
    let list = client.call::<SessionsList>(&params).await?;
    list.sessions.first().map(|row| row.key.to_string()).ok_or_else(|| {
        Advice::error(
            format!("no conversation is called anything with `{words}`"),
            "`homard sessions list` names them, `homard sessions search` looks into what was said",
        )
    })
}

fn options(cx: &Cx, args: TuiArgs) -> anyhow::Result<TuiOptions> {
    let environment = &cx.source.environment;
    let has_screen = io::stdout().is_terminal() && io::stdin().is_terminal();
    let is_dumb = environment.get("TERM") == Some("dumb");
    let asked =
        args.plain || environment.get("HOMARD_TUI_PLAIN").is_some_and(|value| !matches!(value, "" | "0"));
    if !asked && (is_dumb || !has_screen) {
        cx.console.note("no terminal to draw on: plain lines (`/help` says what can be typed)");
    }
    Ok(TuiOptions {
        wishes: StartOptions {
            session: args.session,
            message: args.message,
            deliver: args.deliver,
            thinking: args.thinking,
            history_limit: args.history_limit.max(1),
            timeout_ms: args.timeout_ms,
        },
        color: cx.console.colors_results(),
        plain: asked || is_dumb || !has_screen,
        mouse: args.mouse,
        clock: cx.source.clock.clone(),
        machine: Machine {
            cwd: std::env::current_dir().context("could not tell the working directory")?,
            home: environment.get("HOME").map(PathBuf::from),
            environment: environment
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        },
    })
}

/// Connects again, the same way.
struct Dialler<'a> {
    cx: &'a Cx,
    route: &'a Route,
}

impl Connector for Dialler<'_> {
    async fn connect(&self) -> Result<Client, String> {
        connection::watch(self.cx, self.route).await.map_err(|error| {
            let hint = error.downcast_ref::<ClientError>().and_then(ClientError::hint);
            match hint.filter(|_| !connection::is_not_running(&error)) {
                Some(hint) => format!("{error} ({hint})"),
                None => error.to_string(),
            }
        })
    }
}
