//! `camera.*` and `screen.record`: through `ffmpeg`, which every Linux has or can have.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use homard_exec::{BuiltEnv, Command, Exit, Limits};
use homard_runtime::millis;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CommandCall, Failure, Reply, blocking, read};
use crate::machine::Machine;

/// The program that looks and records.
const PROGRAM: &str = "ffmpeg";
/// How long beyond the recording itself it may take.
const EXTRA_TIME: Duration = Duration::from_secs(20);
/// How much of what it says is kept for the error.
const MAX_SAID: usize = 8_192;
/// Largest recording handed over; a frame holds little more once it is written as text.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;
/// Longest recording.
const MAX_RECORDING_MS: u64 = 60_000;
/// How long a recording is when nobody says.
const DEFAULT_RECORDING_MS: u64 = 3_000;
/// Pictures per second of a screen recording when nobody says.
const DEFAULT_FPS: u32 = 10;
const MAX_FPS: u32 = 60;
/// Widest picture when nobody says.
const DEFAULT_MAX_WIDTH: u32 = 1_600;

/// Whether there is a camera and something to read it with.
pub(super) fn has_camera(machine: &Machine) -> bool {
    !machine.cameras().is_empty() && machine.which(PROGRAM).is_some()
}

/// Whether there is a screen and something to record it with.
pub(super) fn has_screen(machine: &Machine) -> bool {
    machine.display.is_some() && machine.which(PROGRAM).is_some()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    #[serde(default)]
    device_id: Option<String>,
    #[serde(default)]
    max_width: Option<u32>,
    #[serde(default)]
    duration_ms: Option<u64>,
    #[serde(default)]
    fps: Option<f64>,
}

/// Which cameras there are.
pub(super) async fn list(call: CommandCall) -> Reply {
    let row = |path: PathBuf| {
        let id = path.display().to_string();
        json!({"id": id, "name": id, "position": "unspecified", "deviceType": "v4l2"})
    };
    let devices: Vec<Value> = call.machine.cameras().into_iter().map(row).collect();
    Ok(json!({"devices": devices}))
}

/// One picture of a camera.
pub(super) async fn snap(call: CommandCall) -> Reply {
    let params: Params = read(call.params.clone())?;
    let camera = camera(&call.machine, &params)?;
    let width = params.max_width.unwrap_or(DEFAULT_MAX_WIDTH).clamp(16, 8_192);
    let scale = format!("scale='min({width},iw)':-2");
    let args = ["-f", "v4l2", "-i", camera.as_str(), "-frames:v", "1", "-vf", scale.as_str()];
    let bytes = film(&call, &call.machine.env, &args, "jpg", Duration::ZERO).await?;
    let (width, height) = jpeg_size(&bytes).unwrap_or((0, 0));
    Ok(json!({"format": "jpg", "base64": STANDARD.encode(&bytes), "width": width, "height": height}))
}

/// A short film of a camera, without sound.
pub(super) async fn clip(call: CommandCall) -> Reply {
    let params: Params = read(call.params.clone())?;
    let camera = camera(&call.machine, &params)?;
    let (length, seconds) = length(&params);
    let args = ["-f", "v4l2", "-i", camera.as_str(), "-t", seconds.as_str(), "-pix_fmt", "yuv420p"];
    let bytes = film(&call, &call.machine.env, &args, "mp4", length).await?;
    Ok(json!({
        "format": "mp4", "base64": STANDARD.encode(bytes), "hasAudio": false,
        "durationMs": millis(length),
    }))
}

/// A short film of the screen, without sound.
pub(super) async fn record(call: CommandCall) -> Reply {
    let params: Params = read(call.params.clone())?;
    let Some(display) = call.machine.display.clone() else {
        return Err(Failure::unavailable("there is no screen to record"));
    };
    let (length, seconds) = length(&params);
    let wanted =
        params.fps.filter(|fps| fps.is_finite() && *fps >= 1.0).map(|fps| fps.min(f64::from(MAX_FPS)));
    let rate = wanted.unwrap_or(f64::from(DEFAULT_FPS));
    let fps = format!("{rate:.0}");
    let args = [
        "-f",
        "x11grab",
        "-framerate",
        fps.as_str(),
        "-i",
        display.as_str(),
        "-t",
        seconds.as_str(),
        "-pix_fmt",
        "yuv420p",
    ];
    let bytes = film(&call, &call.machine.screen_env, &args, "mp4", length).await?;
    Ok(json!({
        "format": "mp4", "base64": STANDARD.encode(bytes), "hasAudio": false, "screenIndex": 0, "fps": rate,
        "durationMs": millis(length),
    }))
}

fn camera(machine: &Machine, params: &Params) -> Result<String, Failure> {
    let cameras = machine.cameras();
    let found = match params.device_id.as_deref() {
        Some(id) => cameras.iter().find(|path| path.as_path() == Path::new(id)),
        None => cameras.first(),
    };
    let found = found.ok_or_else(|| Failure::invalid("there is no such camera; `camera.list` names them"))?;
    Ok(found.display().to_string())
}

fn length(params: &Params) -> (Duration, String) {
    let ms = params.duration_ms.unwrap_or(DEFAULT_RECORDING_MS).clamp(100, MAX_RECORDING_MS);
    let length = Duration::from_millis(ms);
    (length, format!("{:.3}", length.as_secs_f64()))
}

/// Lets the program write a file and reads it.
async fn film(
    call: &CommandCall,
    env: &BuiltEnv,
    args: &[&str],
    ending: &str,
    length: Duration,
) -> Result<Vec<u8>, Failure> {
    let folder = blocking(tempfile::tempdir).await?;
    let folder =
        folder.map_err(|error| Failure::unavailable(format!("no place for a recording: {error}")))?;
    let file = folder.path().join(format!("recording.{ending}"));
    let name = file.display().to_string();
    let all: Vec<&str> = ["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]
        .iter()
        .chain(args)
        .copied()
        .chain([name.as_str()])
        .collect();
    let command = Command::direct(PROGRAM, &all, &call.machine.home, env.clone());
    let limits = Limits { timeout: length + EXTRA_TIME, max_output_bytes: MAX_SAID };
    let outcome = homard_exec::run(command, limits, |_said| {}, &call.cancel).await;
    let outcome = outcome.map_err(|error| Failure::unavailable(error.to_string()))?;
    if outcome.exit != Exit::Exited(0) {
        return Err(Failure::unavailable(format!("nothing was recorded: {}", outcome.output.trim())));
    }
    blocking(move || {
        let size = std::fs::metadata(&file).map_or(0, |found| found.len());
        if size > MAX_FILE_BYTES {
            return Err(Failure::unavailable(
                "the recording is too large to hand over; ask for a shorter one",
            ));
        }
        let bytes = std::fs::read(&file);
        drop(folder);
        bytes.map_err(|error| Failure::unavailable(format!("nothing was recorded: {error}")))
    })
    .await?
}

/// Width and height of a JPEG, from the first frame header.
fn jpeg_size(bytes: &[u8]) -> Option<(u16, u16)> {
    let mut rest = bytes.strip_prefix(&[0xFF, 0xD8])?;
    loop {
        let (&[0xFF, marker, high, low], _) = rest.split_first_chunk::<4>()? else { return None };
        let length = usize::from(u16::from_be_bytes([high, low]));
        let is_frame = matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC);
        if is_frame {
            let size: &[u8; 4] = rest.get(5..9)?.try_into().ok()?;
            let [h1, h0, w1, w0] = *size;
            return Some((u16::from_be_bytes([w1, w0]), u16::from_be_bytes([h1, h0])));
        }
        rest = rest.get(2_usize.checked_add(length)?..)?;
    }
}

#[cfg(test)]
mod tests;
