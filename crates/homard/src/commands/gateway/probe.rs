//! `homard gateway probe`: which of the gateways this machine could talk to can be reached, and how?

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use homard_client::Fingerprint;
use homard_runtime::millis;
use serde_json::{Value, json};

use super::super::Cx;
use super::super::connection::{self, ConnectArgs, Route};
use crate::report::{AlreadyTold, Mark};

/// See which gateways can be reached from here
///
/// Tries the one given with --url, the one the configuration names, the one behind --ssh and this machine's own.
/// Ends with exit code 0 when at least one answers.
#[derive(Args)]
pub(super) struct ProbeArgs {
    /// Also try a gateway behind this login, as user@host or user@host:port
    #[arg(long, value_name = "TARGET")]
    ssh: Option<String>,
    /// Key file for --ssh
    #[arg(long, value_name = "FILE", requires = "ssh")]
    ssh_identity: Option<PathBuf>,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// One gateway to try.
struct Candidate {
    /// What it is called in the answer.
    id: &'static str,
    route: anyhow::Result<Route>,
}

/// Runs the command.
///
/// # Errors
/// When none can be reached.
pub(super) async fn run(cx: &Cx, args: &ProbeArgs) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut tried = Vec::new();
    for candidate in candidates(cx, args)? {
        tried.push(attempt(cx, args, candidate).await);
    }
    let reached = |target: &Value| target.pointer("/connect/ok") == Some(&Value::Bool(true));
    let primary = tried.iter().find(|target| reached(target)).and_then(|target| target.get("id")).cloned();
    let ok = primary.is_some();
    if args.reach.json {
        cx.console.json(&json!({
            "ok": ok,
            "ts": cx.source.clock.now_ms(),
            "durationMs": millis(began.elapsed()),
            "timeoutMs": args.reach.patience.timeout,
            "primaryTargetId": primary,
            "targets": tried,
        }))?;
    } else {
        for target in &tried {
            cx.console.line(&in_words(cx, target, reached(target)))?;
        }
    }
    if ok { Ok(()) } else { Err(AlreadyTold.into()) }
}

fn candidates(cx: &Cx, args: &ProbeArgs) -> anyhow::Result<Vec<Candidate>> {
    let mut found = Vec::new();
    let auth = connection::explicit_auth(cx, &args.reach.target);
    let pin = args.reach.target.tls_fingerprint.as_deref().map(Fingerprint::parse).transpose()?;
    if args.reach.target.url.is_some() {
        found.push(Candidate { id: "explicit", route: connection::route(cx, &args.reach.target) });
    }
    let config = cx.config()?;
    if connection::is_remote(&config) {
        let route = connection::configured_remote(&config, auth.clone(), pin);
        found.push(Candidate { id: "configRemote", route });
    }
    if let Some(target) = &args.ssh {
        let identity = args.ssh_identity.as_deref();
        let route = connection::through(target, identity, None, auth.clone(), pin);
        found.push(Candidate { id: "sshTunnel", route });
    }
    found.push(Candidate { id: "localLoopback", route: Ok(connection::own(cx, &config, auth, None)) });
    Ok(found)
}

async fn attempt(cx: &Cx, args: &ProbeArgs, candidate: Candidate) -> Value {
    let failed = |error: &anyhow::Error| json!({"ok": false, "error": format!("{error:#}")});
    let route = match candidate.route {
        Ok(route) => route,
        Err(error) => return json!({"id": candidate.id, "connect": failed(&error)}),
    };
    let tunnel = route
        .tunnel
        .as_ref()
        .map(|(target, port)| json!({"kind": "ssh", "target": target.to_string(), "remotePort": port}));
    let began = Instant::now();
    let probed = connection::probe(cx, &route, args.reach.patience.limit()).await;
    let hello = probed.as_ref().ok().map(homard_client::Client::hello);
    let answer = json!({
        "id": candidate.id,
        "url": route.url,
        "tunnel": tunnel,
        "connect": match &probed {
            Ok(_) => json!({"ok": true, "latencyMs": millis(began.elapsed())}),
            Err(error) => failed(error),
        },
        "self": hello.map(|h| json!({"version": h.server.version, "uptimeMs": h.snapshot.uptime_ms})),
        "auth": hello.map(|h| json!({"role": h.auth.role, "method": h.auth.method})),
    });
    if let Ok(client) = probed {
        client.close().await;
    }
    answer
}

fn in_words(cx: &Cx, target: &Value, reached: bool) -> String {
    let text = |path: &str| target.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let mark = if reached { cx.console.mark(Mark::Good, "ok ") } else { cx.console.mark(Mark::Bad, "no ") };
    let way = match target.pointer("/tunnel/target").and_then(Value::as_str) {
        Some(through) => format!(" through {through}"),
        None => String::new(),
    };
    let outcome = if reached {
        let latency = target.pointer("/connect/latencyMs").and_then(Value::as_u64).unwrap_or_default();
        format!("Homard {}, {latency} ms", text("/self/version"))
    } else {
        text("/connect/error").to_owned()
    };
    format!("{mark} {:<14} {}{way}  {outcome}", text("/id"), text("/url"))
}
