//! `homard gateway discover`: which gateways are on the local network?

use clap::Args;
use homard_network::{Beacon, browse};
use serde_json::json;

use super::super::table::pairs;
use super::super::{Cx, words};
use crate::report::Mark;

/// Find gateways on the local network
///
/// Listens for announcements. What they say is their own word: compare a fingerprint with what the gateway prints
/// when it starts before you pin it.
#[derive(Args)]
pub(super) struct DiscoverArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// How long to listen, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 2_000)]
    timeout: u64,
}

/// Runs the command.
///
/// # Errors
/// When the network does not do multicast.
pub(super) async fn run(cx: &Cx, args: &DiscoverArgs) -> anyhow::Result<()> {
    let beacons = browse(std::time::Duration::from_millis(args.timeout)).await?;
    if args.json {
        let answer = json!({
            "timeoutMs": args.timeout, "domains": ["local."], "count": beacons.len(), "beacons": beacons,
        });
        return Ok(cx.console.json(&answer)?);
    }
    if beacons.is_empty() {
        cx.console.line("No gateway is announced on this network.")?;
        cx.console
            .note("a gateway announces itself when gateway.bind is `lan`, or discovery.mdns.mode is `full`");
        return Ok(());
    }
    let count = words::count(u64::try_from(beacons.len()).unwrap_or(u64::MAX), "gateway");
    cx.console.line(&format!("{count} found"))?;
    for beacon in &beacons {
        cx.console.line("")?;
        let name = beacon.display_name.as_deref().unwrap_or(&beacon.instance_name);
        cx.console.line(&cx.console.mark(Mark::Strong, name))?;
        for line in pairs(&rows(beacon)) {
            cx.console.line(&line)?;
        }
    }
    Ok(())
}

fn rows(beacon: &Beacon) -> Vec<(&'static str, String)> {
    let more = [
        ("url", Some(beacon.ws_url.clone())),
        ("host", Some(beacon.host.clone())),
        ("tailnet", beacon.tailnet_dns.clone()),
        ("fingerprint", beacon.gateway_tls_fingerprint_sha256.clone()),
        ("ssh", beacon.ssh_port.map(|port| format!("{} port {port}", beacon.host))),
        ("program", beacon.cli_path.clone()),
    ];
    more.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
