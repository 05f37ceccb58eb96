//! `homard devices join-code`: an address that another machine joins by, once.

use clap::Args;
use homard_protocol::methods::devices::setup_codes::{DevicePairSetupCode, SetupCodeParams, SetupProfile};

use super::ConnectArgs;
use crate::commands::Cx;
use crate::commands::words;
use crate::report::Mark;

#[derive(Args)]
pub(super) struct JoinCodeArgs {
    /// Where the machine finds this gateway
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Use the address in gateway.remote.url
    #[arg(long, conflicts_with = "public_url")]
    remote: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

pub(super) async fn run(cx: &Cx, args: JoinCodeArgs) -> anyhow::Result<()> {
    let params = SetupCodeParams {
        public_url: args.public_url,
        prefer_remote_url: args.remote.then_some(true),
        include_qr: Some(false),
        bootstrap_profile: Some(SetupProfile::Node),
        join_url: Some(true),
    };
    let client = args.reach.connect(cx).await?;
    let made = client.call::<DevicePairSetupCode>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&made)?);
    }
    let address = made.join_url.as_deref().unwrap_or(&made.setup_code);
    cx.console.line(&cx.console.mark(Mark::Strong, address))?;
    let left = made.expires_at_ms.saturating_sub(cx.source.clock.now_ms());
    let left = words::span(u64::try_from(left).unwrap_or_default());
    cx.console.note(&format!(
        "works once, for {left}; the machine that opens it may offer commands and nothing else"
    ));
    Ok(())
}
