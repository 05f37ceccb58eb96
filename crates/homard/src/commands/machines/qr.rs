//! `homard qr`: a code that lets a phone or another device in, to be scanned.

use clap::Args;
use homard_protocol::methods::devices::setup_codes::{
    DevicePairSetupCode, SetupAccess, SetupCodeParams, SetupCodeResult, SetupProfile,
};
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::words;
use crate::report::Mark;

const EXAMPLES: &str = "\
Examples:
  homard qr                                        where the gateway listens in the local network
  homard qr --public-url wss://homard.example.org  where a proxy or tunnel makes it known
  homard qr --limited                              a device that changes no settings
  homard qr --setup-code-only                      the code alone, to be pasted

The code works for ten minutes and for one device, which needs no approval. Whoever scans it is
in: show it to nobody else. Over ws:// to another machine a device gets limited access, because
others could read along.";

/// Show a code that lets a phone in
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag somebody types")]
pub(crate) struct QrArgs {
    /// Print the code alone
    #[arg(long)]
    setup_code_only: bool,
    /// Print no picture
    #[arg(long)]
    no_ascii: bool,
    /// Use the address in gateway.remote.url
    #[arg(long, conflicts_with = "public_url")]
    remote: bool,
    /// Where the device finds this gateway
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Let the device change no settings
    #[arg(long)]
    limited: bool,
    /// For a machine that offers commands and listens to a person
    #[arg(long, conflicts_with = "limited")]
    voice_node: bool,
    #[command(flatten)]
    reach: ConnectArgs,
}

/// Runs the command.
///
/// # Errors
/// When there is no gateway, or it makes no code.
pub(crate) async fn run(cx: &Cx, args: QrArgs) -> anyhow::Result<()> {
    let profile = match (args.limited, args.voice_node) {
        (true, _) => Some(SetupProfile::Limited),
        (_, true) => Some(SetupProfile::VoiceNode),
        _ => None,
    };
    let params = SetupCodeParams {
        public_url: args.public_url,
        prefer_remote_url: args.remote.then_some(true),
        include_qr: Some(false),
        bootstrap_profile: profile,
        join_url: None,
    };
    let client = args.reach.connect(cx).await?;
    let made = client.call::<DevicePairSetupCode>(&params).await?;
    client.close().await;
    if args.reach.json {
        return Ok(cx.console.json(&made)?);
    }
    if args.setup_code_only {
        return Ok(cx.console.line(&made.setup_code)?);
    }
    show(cx, &made, !args.no_ascii)
}

fn show(cx: &Cx, made: &SetupCodeResult, picture: bool) -> anyhow::Result<()> {
    if picture {
        let code = QrCode::with_error_correction_level(&made.setup_code, EcLevel::L)?;
        // Terminals are mostly dark: what is dark on paper is left as the background there.
        let drawn = code.render::<Dense1x2>().dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
        cx.console.line(&drawn)?;
        cx.console.line("")?;
    }
    cx.console.line(&made.setup_code)?;
    cx.console.line("")?;
    let access = match made.access {
        SetupAccess::Full => "everything but deciding about devices",
        SetupAccess::Limited => "everything but settings and deciding about devices",
        SetupAccess::Node => "offering commands",
    };
    cx.console.line(&format!(
        "gateway  {} ({})",
        cx.console.mark(Mark::Strong, &made.gateway_url),
        made.url_source
    ))?;
    cx.console.line(&format!("access   {access}"))?;
    let left = made.expires_at_ms.saturating_sub(cx.source.clock.now_ms());
    let left = words::span(u64::try_from(left).unwrap_or_default());
    cx.console.line(&format!("works    once, for {left}"))?;
    if made.access_downgraded == Some(true) {
        cx.console.warn("the road to this address is not encrypted, so the device gets limited access; use wss:// for more");
    }
    Ok(())
}
