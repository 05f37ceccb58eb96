//! Speaking: who can, what the owner chose, and the sound itself.
//!
//! The only speaker so far is `espeak-ng`, a program on the gateway's machine; nothing is sent anywhere. What was
//! chosen is kept in a file of its own, because it is a person's habit and not the gateway's configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_config::{Config, Paths};
use homard_exec::{BuiltEnv, Command, Exit, Limits};
use homard_runtime::{Arrange as _, CollectOrdered as _, create_private_dir, replace_shared};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// The only speaker.
pub const ESPEAK: &str = "espeak-ng";
/// What it is called.
pub const ESPEAK_NAME: &str = "eSpeak NG";
/// Longest text spoken at once, in characters.
const MAX_TEXT: usize = 4_096;
/// How long speaking may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// What is kept of what the program says.
const MAX_OUTPUT: usize = 4 * 1024;
/// Sound files kept; the oldest gives way.
const MAX_FILES: usize = 64;
/// Longest name of a voice.
const MAX_VOICE: usize = 64;

/// Why nothing was said.
#[derive(Debug, thiserror::Error)]
pub enum SpeechError {
    #[error("no speaker is available: install `espeak-ng` where the gateway finds it (PATH)")]
    NoSpeaker,
    /// There is no such speaker.
    #[error("Invalid provider. Use a registered TTS provider id: {ESPEAK}.")]
    UnknownProvider,
    /// There is nothing to say, or too much.
    #[error("the text must have 1 to {MAX_TEXT} characters")]
    Length,
    /// Not the name of a voice.
    #[error("a voice is named by letters, digits, `-`, `+` and `_`, at most {MAX_VOICE}")]
    Voice,
    #[error("`espeak-ng` failed: {0}")]
    Failed(String),
    /// The file could not be made.
    #[error("the sound could not be kept in `{path}`")]
    File {
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl SpeechError {
    /// Whether the caller can do better.
    pub fn is_callers(&self) -> bool {
        matches!(self, Self::UnknownProvider | Self::Length | Self::Voice)
    }
}

/// What the owner chose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpeechPreferences {
    /// Whether answers are to be spoken.
    pub enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// Where they are kept.
pub fn habits_file(paths: &Paths) -> PathBuf {
    paths.state_dir.join("settings").join("tts.json")
}

/// Reads them; a file that cannot be understood is taken for none.
pub fn habits(paths: &Paths) -> SpeechPreferences {
    let text = std::fs::read(habits_file(paths)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Keeps them.
///
/// # Errors
/// When the file cannot be written.
pub fn keep_habits(paths: &Paths, habits: &SpeechPreferences) -> Result<(), SpeechError> {
    let file = habits_file(paths);
    let wrong = |source| SpeechError::File { path: file.clone(), source };
    if let Some(dir) = file.parent() {
        create_private_dir(dir).map_err(wrong)?;
    }
    let text = serde_json::to_vec_pretty(habits).unwrap_or_default();
    replace_shared(&file, &text).map_err(wrong)
}

/// The program, where the gateway finds it.
pub fn speaker(config: &Config) -> Option<PathBuf> {
    let path = config.env.get("PATH").unwrap_or_default();
    path.split(':')
        .filter(|dir| dir.starts_with('/'))
        .map(|dir| Path::new(dir).join(ESPEAK))
        .find(|file| file.is_file())
}

/// What is to be said, and how.
#[derive(Debug, Clone, Default)]
pub struct Speech {
    pub text: String,
    /// Who is to speak.
    pub provider: Option<String>,
    pub voice: Option<String>,
    pub words_per_minute: Option<u32>,
}

impl Speech {
    fn check(&self) -> Result<(), SpeechError> {
        let length = self.text.chars().count();
        if self.text.trim().is_empty() || length > MAX_TEXT {
            return Err(SpeechError::Length);
        }
        if self.provider.as_deref().is_some_and(|provider| provider != ESPEAK) {
            return Err(SpeechError::UnknownProvider);
        }
        let good = |voice: &str| {
            let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '_');
            !voice.is_empty()
                && voice.len() <= MAX_VOICE
                && !voice.starts_with('-')
                && voice.chars().all(named)
        };
        if self.voice.as_deref().is_some_and(|voice| !good(voice)) { Err(SpeechError::Voice) } else { Ok(()) }
    }
}

/// Says it into a file and returns where that is.
///
/// # Errors
/// When there is nobody to say it, or it cannot be said.
pub async fn speak(config: &Config, paths: &Paths, speech: &Speech) -> Result<PathBuf, SpeechError> {
    speech.check()?;
    let program = speaker(config).ok_or(SpeechError::NoSpeaker)?;
    let dir = paths.state_dir.join("media").join("tts");
    create_private_dir(&dir).map_err(|source| SpeechError::File { path: dir.clone(), source })?;
    make_room(&dir);
    let file = dir.join(format!("{}.wav", uuid::Uuid::now_v7()));
    let (program, target) = (program.to_string_lossy().into_owned(), file.to_string_lossy().into_owned());
    let pace = speech.words_per_minute.map(|pace| pace.to_string());
    let mut args = vec!["-w", target.as_str()];
    if let Some(voice) = &speech.voice {
        args.extend(["-v", voice]);
    }
    if let Some(pace) = &pace {
        args.extend(["-s", pace]);
    }
    args.extend(["--", speech.text.as_str()]);
    let base: BTreeMap<String, String> =
        config.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect_map();
    let command = Command::direct(&program, &args, &dir, BuiltEnv::from_base(&base));
    let limits = Limits { timeout: TIMEOUT, max_output_bytes: MAX_OUTPUT };
    let outcome = homard_exec::run(command, limits, |_text| {}, &CancellationToken::new()).await;
    let outcome = outcome.map_err(|error| SpeechError::Failed(error.to_string()))?;
    match outcome.exit {
        Exit::Exited(0) if file.is_file() => Ok(file),
        Exit::Exited(0) => Err(SpeechError::Failed("it made no file".to_owned())),
        Exit::Exited(code) => {
            Err(SpeechError::Failed(format!("exit code {code}: {}", outcome.output.trim())))
        }
        other => Err(SpeechError::Failed(format!("{other:?}"))),
    }
}

/// Takes the oldest sounds away; their names are in the order of their making.
fn make_room(dir: &Path) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.arrange();
    let surplus = (files.len() + 1).saturating_sub(MAX_FILES);
    for old in files.iter().take(surplus) {
        if let Err(error) = std::fs::remove_file(old) {
            tracing::debug!(%error, "an old sound stays");
        }
    }
}

#[cfg(test)]
mod tests;
