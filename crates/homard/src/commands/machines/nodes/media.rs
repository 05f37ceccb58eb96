//! `homard nodes camera`, `canvas`, `screen` and `location`: what a node sees, shows and knows about where it is. Pictures
//! and recordings become files here.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use homard_automation::schedule::read_duration;
use homard_runtime::replace_private;
use serde_json::{Value, json};

use super::ask::{Answered, USUAL_MS, Wanted, ask, tell};
use crate::commands::Cx;
use crate::commands::connection::ConnectArgs;
use crate::commands::table::table;
use crate::report::{Advice, Mark};

const CAMERA_EXAMPLES: &str = "\
Examples:
  homard nodes camera list --node phone
  homard nodes camera snap --node phone --facing back --out tea.jpg
  homard nodes camera clip --node shed --duration 10s

A node must offer it (`homard nodes describe`), and its owner must allow it by name:
  homard config set gateway.nodes.allowCommands '[\"camera.snap\",\"camera.clip\"]'";
const CANVAS_EXAMPLES: &str = "\
Examples:
  homard nodes canvas present --node tablet --target https://homard.test/board
  homard nodes canvas navigate --node tablet https://homard.test/other
  homard nodes canvas hide --node tablet";
const SCREEN_EXAMPLES: &str = "\
Examples:
  homard nodes screen record --node desk --duration 5s --out screen.mp4";
const LOCATION_EXAMPLES: &str = "\
Examples:
  homard nodes location get --node phone --accuracy precise
  homard nodes location get --node phone --max-age 60000 --json";

/// How long a recording is unless somebody says otherwise.
const RECORDING: &str = "3s";
/// Longest recording, in milliseconds.
const MAX_RECORDING_MS: u64 = 60_000;
/// What a node has beside the recording to make and send it, in milliseconds.
const RECORDING_GRACE_MS: u64 = 30_000;

/// Which node, and how it is reached.
#[derive(Args)]
pub(super) struct NodeArgs {
    /// Which node: its id, the beginning of it, its name or its address
    #[arg(long)]
    node: String,
    /// How long the node may take, in milliseconds
    #[arg(long, value_name = "MS")]
    invoke_timeout: Option<u64>,
    #[command(flatten)]
    reach: ConnectArgs,
}

#[derive(Args)]
#[command(after_help = CAMERA_EXAMPLES)]
pub(super) struct CameraArgs {
    #[command(subcommand)]
    command: CameraCommand,
}

#[derive(Subcommand)]
enum CameraCommand {
    /// List the cameras of a node
    List(NodeArgs),
    /// Take a picture
    Snap(SnapArgs),
    /// Record a short film
    Clip(ClipArgs),
}

#[derive(Args)]
struct SnapArgs {
    /// Which way the camera looks; one picture of each with `both`
    #[arg(long, value_parser = ["front", "back", "both"])]
    facing: Option<String>,
    /// Which camera, as `camera list` names it
    #[arg(long, value_name = "ID", conflicts_with = "facing")]
    device_id: Option<String>,
    /// Widest picture, in pixels
    #[arg(long, value_name = "PX")]
    max_width: Option<u32>,
    /// How good the picture is, from 0 to 1
    #[arg(long, value_name = "0-1")]
    quality: Option<f64>,
    /// Wait so long before the picture, in milliseconds
    #[arg(long, value_name = "MS")]
    delay_ms: Option<u64>,
    /// Where the picture goes: a file, or a folder; this folder otherwise
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    at: NodeArgs,
}

#[derive(Args)]
struct ClipArgs {
    /// Which way the camera looks
    #[arg(long, value_parser = ["front", "back"])]
    facing: Option<String>,
    /// Which camera, as `camera list` names it
    #[arg(long, value_name = "ID", conflicts_with = "facing")]
    device_id: Option<String>,
    /// How long, such as 10s; a minute at most
    #[arg(long, value_name = "TIME", default_value = RECORDING)]
    duration: String,
    /// Without sound
    #[arg(long)]
    no_audio: bool,
    /// Where the film goes: a file, or a folder; this folder otherwise
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    at: NodeArgs,
}

#[derive(Args)]
#[command(after_help = SCREEN_EXAMPLES)]
pub(super) struct ScreenArgs {
    #[command(subcommand)]
    command: ScreenCommand,
}

#[derive(Subcommand)]
enum ScreenCommand {
    /// Record the screen of a node
    Record(RecordArgs),
}

#[derive(Args)]
struct RecordArgs {
    /// Which screen, counted from 0
    #[arg(long, value_name = "N")]
    screen: Option<u32>,
    /// How long, such as 10s; a minute at most
    #[arg(long, value_name = "TIME", default_value = RECORDING)]
    duration: String,
    /// Pictures per second
    #[arg(long, value_name = "N")]
    fps: Option<u32>,
    /// Without sound
    #[arg(long)]
    no_audio: bool,
    /// Where the film goes: a file, or a folder; this folder otherwise
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    at: NodeArgs,
}

#[derive(Args)]
#[command(after_help = CANVAS_EXAMPLES)]
pub(super) struct CanvasArgs {
    #[command(subcommand)]
    command: CanvasCommand,
}

#[derive(Subcommand)]
enum CanvasCommand {
    /// Show the canvas of a node, with a page in it
    Present(PresentArgs),
    /// Show another page in it
    Navigate(NavigateArgs),
    /// Hide it
    Hide(NodeArgs),
}

#[derive(Args)]
struct PresentArgs {
    /// The page: an address, or a path on the node
    #[arg(long, value_name = "URL|PATH")]
    target: Option<String>,
    /// Where it begins, in pixels from the left
    #[arg(long, value_name = "PX", allow_negative_numbers = true)]
    x: Option<f64>,
    /// From the top
    #[arg(long, value_name = "PX", allow_negative_numbers = true)]
    y: Option<f64>,
    /// How wide it is
    #[arg(long, value_name = "PX")]
    width: Option<f64>,
    /// How high
    #[arg(long, value_name = "PX")]
    height: Option<f64>,
    #[command(flatten)]
    at: NodeArgs,
}

#[derive(Args)]
struct NavigateArgs {
    /// The page: an address, or a path on the node
    #[arg(value_name = "URL|PATH")]
    address: String,
    #[command(flatten)]
    at: NodeArgs,
}

#[derive(Args)]
#[command(after_help = LOCATION_EXAMPLES)]
pub(super) struct LocationArgs {
    #[command(subcommand)]
    command: LocationCommand,
}

#[derive(Subcommand)]
enum LocationCommand {
    /// Ask a node where it is
    Get(GetArgs),
}

#[derive(Args)]
struct GetArgs {
    /// How exactly
    #[arg(long, value_parser = ["coarse", "balanced", "precise"])]
    accuracy: Option<String>,
    /// A place found so long ago is good enough, in milliseconds
    #[arg(long, value_name = "MS")]
    max_age: Option<u64>,
    /// How long the node may look for it, in milliseconds
    #[arg(long, value_name = "MS")]
    location_timeout: Option<u64>,
    #[command(flatten)]
    at: NodeArgs,
}

pub(super) async fn camera(cx: &Cx, args: CameraArgs) -> anyhow::Result<()> {
    match args.command {
        CameraCommand::List(at) => cameras(cx, &at).await,
        CameraCommand::Snap(args) => snap(cx, &args).await,
        CameraCommand::Clip(args) => {
            let length = length(&args.duration)?;
            let params = json!({
                "facing": args.facing, "deviceId": args.device_id, "durationMs": length,
                "includeAudio": !args.no_audio, "format": "mp4",
            });
            let film = Recording { command: "camera.clip", what: "camera", length };
            film.make(cx, &args.at, params, args.out.as_deref()).await
        }
    }
}

pub(super) async fn screen(cx: &Cx, args: ScreenArgs) -> anyhow::Result<()> {
    let ScreenCommand::Record(args) = args.command;
    let length = length(&args.duration)?;
    let params = json!({
        "screenIndex": args.screen, "durationMs": length, "fps": args.fps,
        "includeAudio": !args.no_audio, "format": "mp4",
    });
    let film = Recording { command: "screen.record", what: "screen", length };
    film.make(cx, &args.at, params, args.out.as_deref()).await
}

pub(super) async fn canvas(cx: &Cx, args: CanvasArgs) -> anyhow::Result<()> {
    let (at, command, params) = match args.command {
        CanvasCommand::Hide(at) => (at, "canvas.hide", json!({})),
        CanvasCommand::Navigate(args) => (args.at, "canvas.navigate", json!({"url": args.address})),
        CanvasCommand::Present(args) => {
            let sides = [("x", args.x), ("y", args.y), ("width", args.width), ("height", args.height)];
            let placement: serde_json::Map<String, Value> =
                sides.into_iter().filter_map(|(name, side)| Some((name.to_owned(), json!(side?)))).collect();
            let placement = (!placement.is_empty()).then_some(placement);
            (args.at, "canvas.present", json!({"url": args.target, "placement": placement}))
        }
    };
    let answered = asked(cx, &at, command, params, USUAL_MS).await?;
    tell(cx, &at.reach, &answered)
}

pub(super) async fn location(cx: &Cx, args: LocationArgs) -> anyhow::Result<()> {
    let LocationCommand::Get(args) = args.command;
    let params = json!({
        "desiredAccuracy": args.accuracy, "maxAgeMs": args.max_age, "timeoutMs": args.location_timeout,
    });
    let usual = args.location_timeout.map_or(USUAL_MS, |ms| ms.saturating_add(USUAL_MS));
    let answered = asked(cx, &args.at, "location.get", params, usual).await?;
    let place = &answered.payload;
    let number = |name: &str| place.get(name).and_then(Value::as_f64);
    match (number("lat").or(number("latitude")), number("lon").or(number("longitude"))) {
        (Some(lat), Some(lon)) if !args.at.reach.json => {
            let within = number("accuracyMeters").or(number("accuracy"));
            let within = within.map_or_else(String::new, |within| format!(" (within {within:.0} m)"));
            Ok(cx.console.line(&format!("{lat}, {lon}{within}"))?)
        }
        _ => tell(cx, &args.at.reach, &answered),
    }
}

async fn asked(
    cx: &Cx,
    at: &NodeArgs,
    command: &str,
    params: Value,
    usual_ms: u64,
) -> anyhow::Result<Answered> {
    let timeout_ms = at.invoke_timeout.unwrap_or(usual_ms);
    let wanted = Wanted { timeout_ms, ..Wanted::of(&at.node, command, params) };
    ask(cx, &at.reach, wanted).await
}

async fn cameras(cx: &Cx, at: &NodeArgs) -> anyhow::Result<()> {
    let answered = asked(cx, at, "camera.list", json!({}), USUAL_MS).await?;
    let devices = answered.payload.get("devices").and_then(Value::as_array);
    let Some(devices) = devices.filter(|_| !at.reach.json) else { return tell(cx, &at.reach, &answered) };
    if devices.is_empty() {
        cx.console.note(&format!("{} has no camera", answered.name));
        return Ok(());
    }
    let row = |device: &Value| {
        let text = |name: &str| device.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        vec![text("id"), text("name"), text("position")]
    };
    let rows: Vec<Vec<String>> = devices.iter().map(row).collect();
    Ok(cx.console.table(&table(&["CAMERA", "NAME", "LOOKS"], &rows))?)
}

async fn snap(cx: &Cx, args: &SnapArgs) -> anyhow::Result<()> {
    if args.quality.is_some_and(|quality| !(0.0..=1.0).contains(&quality)) {
        return Err(Advice::usage(
            "--quality is a number from 0 to 1",
            "homard nodes camera snap --quality 0.8 …",
        ));
    }
    let facings: Vec<Option<&str>> = match args.facing.as_deref() {
        Some("both") => vec![Some("front"), Some("back")],
        one => vec![one],
    };
    let mut kept = Vec::new();
    for (number, facing) in facings.iter().enumerate() {
        let params = json!({
            "facing": facing, "deviceId": args.device_id, "maxWidth": args.max_width,
            "quality": args.quality, "delayMs": args.delay_ms, "format": "jpg",
        });
        let usual = USUAL_MS.saturating_add(args.delay_ms.unwrap_or(0));
        let answered = asked(cx, &args.at, "camera.snap", params, usual).await?;
        // The second picture needs a name of its own.
        let what = facing.map_or_else(|| "camera".to_owned(), |facing| format!("camera-{facing}"));
        let out = args.out.as_deref().filter(|out| number == 0 || out.is_dir());
        kept.push(keep(cx, &answered, &what, out)?);
    }
    told(cx, &args.at, &kept)
}

/// A film that is made over there and kept here.
struct Recording {
    command: &'static str,
    what: &'static str,
    length: u64,
}

impl Recording {
    async fn make(&self, cx: &Cx, at: &NodeArgs, params: Value, out: Option<&Path>) -> anyhow::Result<()> {
        let usual = self.length.saturating_add(RECORDING_GRACE_MS);
        let answered = asked(cx, at, self.command, params, usual).await?;
        let kept = keep(cx, &answered, self.what, out)?;
        told(cx, at, &[kept])
    }
}

/// Writes a picture or recording that came with an answer; where it is now, and how large.
fn keep(cx: &Cx, answered: &Answered, what: &str, out: Option<&Path>) -> anyhow::Result<(PathBuf, usize)> {
    let (bytes, format) = homard_tools::node_media(&answered.payload)
        .with_context(|| format!("{} sent no picture or recording that can be read", answered.name))?;
    let node: String = answered.name.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    let name = format!("{node}-{what}-{}.{format}", cx.source.clock.now_ms());
    let path = match out {
        Some(folder) if folder.is_dir() => folder.join(name),
        Some(file) => file.to_owned(),
        None => PathBuf::from(name),
    };
    replace_private(&path, &bytes).with_context(|| format!("could not write `{}`", path.display()))?;
    Ok((path, bytes.len()))
}

fn told(cx: &Cx, at: &NodeArgs, kept: &[(PathBuf, usize)]) -> anyhow::Result<()> {
    if at.reach.json {
        let files: Vec<Value> =
            kept.iter().map(|(path, bytes)| json!({"path": path, "bytes": bytes})).collect();
        return Ok(cx.console.json(&json!({"ok": true, "files": files}))?);
    }
    for (path, _) in kept {
        cx.console.line(&cx.console.mark(Mark::Good, &path.display().to_string()))?;
    }
    Ok(())
}

/// A length as somebody writes it, in milliseconds.
fn length(text: &str) -> anyhow::Result<u64> {
    let found = read_duration(text).filter(|ms| (1..=MAX_RECORDING_MS).contains(ms));
    found.ok_or_else(|| {
        Advice::usage(
            format!("--duration `{text}` is not a length, or longer than a minute"),
            "write it like 5s or 1500 (milliseconds)",
        )
    })
}
