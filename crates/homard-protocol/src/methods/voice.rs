//! `tts.*` and `talk.*`: text that becomes sound.

pub mod wake_words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use crate::method::{Access, Method, NoParams};
use crate::scope::Scope;
use crate::word::words;

/// `tts.status`.
#[derive(Debug)]
pub struct TtsStatus;

impl Method for TtsStatus {
    const NAME: &'static str = "tts.status";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = TtsStatusResult;
}

words! {
    /// When answers are spoken.
    TtsAuto {
        Off = "off",
        Always = "always",
        /// When the message was spoken.
        Inbound = "inbound",
        /// When the model says so.
        Tagged = "tagged",
    }
}

/// Answer of [`TtsStatus`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TtsStatusResult {
    /// Whether answers are to be spoken.
    pub enabled: bool,
    pub auto: TtsAuto,
    /// Who speaks; empty when nobody can.
    pub provider: String,
    /// A manner of speaking; there are none.
    pub persona: Option<String>,
    /// All manners of speaking.
    pub personas: Vec<String>,
    /// Who speaks when that one cannot.
    pub fallback_provider: Option<String>,
    pub fallback_providers: Vec<String>,
    /// The file that keeps what was chosen; for administrators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefs_path: Option<String>,
    pub provider_states: Vec<TtsProviderState>,
}

/// Somebody who may speak.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TtsProviderState {
    /// What it is chosen by.
    pub id: String,
    /// What it is called.
    pub label: String,
    /// Whether it can speak now.
    pub configured: bool,
}

/// `tts.providers`.
#[derive(Debug)]
pub struct TtsProviders;

impl Method for TtsProviders {
    const NAME: &'static str = "tts.providers";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = NoParams;
    type Result = TtsProvidersResult;
}

/// Answer of [`TtsProviders`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TtsProvidersResult {
    pub providers: Vec<TtsProvider>,
    /// Who speaks; empty when nobody can.
    pub active: String,
}

/// Somebody who may speak, at length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TtsProvider {
    /// What it is chosen by.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Whether it can speak now.
    pub configured: bool,
    pub models: Vec<String>,
    /// Its voices, as far as they are known without asking.
    pub voices: Vec<String>,
}

/// `tts.enable`.
#[derive(Debug)]
pub struct TtsEnable;

impl Method for TtsEnable {
    const NAME: &'static str = "tts.enable";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = NoParams;
    type Result = TtsEnabled;
}

/// `tts.disable`.
#[derive(Debug)]
pub struct TtsDisable;

impl Method for TtsDisable {
    const NAME: &'static str = "tts.disable";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = NoParams;
    type Result = TtsEnabled;
}

/// Answer of [`TtsEnable`] and [`TtsDisable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TtsEnabled {
    /// As it is now.
    pub enabled: bool,
}

/// `tts.setProvider`.
#[derive(Debug)]
pub struct TtsSetProvider;

impl Method for TtsSetProvider {
    const NAME: &'static str = "tts.setProvider";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = TtsChosen;
    type Result = TtsChosen;
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TtsChosen {
    pub provider: String,
}

/// `tts.convert`: text to a file.
#[derive(Debug)]
pub struct TtsConvert;

impl Method for TtsConvert {
    const NAME: &'static str = "tts.convert";
    const ACCESS: Access = Access::Operator(Scope::Write);
    type Params = TtsConvertParams;
    type Result = TtsConverted;
}

/// Parameters of [`TtsConvert`].
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TtsConvertParams {
    pub text: String,
    pub channel: Option<String>,
    /// Who speaks, other than usual.
    pub provider: Option<String>,
    pub model_id: Option<String>,
    pub voice_id: Option<String>,
}

/// Answer of [`TtsConvert`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TtsConverted {
    pub audio_path: String,
    pub provider: String,
    pub output_format: String,
    /// Whether platforms take it as a voice message.
    pub voice_compatible: bool,
}

/// `talk.config`.
#[derive(Debug)]
pub struct TalkConfig;

impl Method for TalkConfig {
    const NAME: &'static str = "talk.config";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = TalkConfigParams;
    type Result = TalkConfigResult;
}

/// Parameters of [`TalkConfig`].
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TalkConfigParams {
    /// With keys; needs operator.talk.secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_secrets: Option<bool>,
}

/// Answer of [`TalkConfig`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TalkConfigResult {
    /// The parts of the configuration that are about talking, as far as anything is written there.
    pub config: Map<String, Value>,
}

/// `talk.mode`: tells everyone who talks.
#[derive(Debug)]
pub struct TalkMode;

impl Method for TalkMode {
    const NAME: &'static str = "talk.mode";
    const ACCESS: Access = Access::Operator(Scope::Talk);
    type Params = TalkModeParams;
    type Result = TalkModeResult;
}

/// Parameters of [`TalkMode`].
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TalkModeParams {
    pub enabled: bool,
    /// How far they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// Answer of [`TalkMode`], and the payload of the event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TalkModeResult {
    pub enabled: bool,
    /// How far they are.
    pub phase: Option<String>,
    pub ts: i64,
}

/// `talk.speak`: text to sound in the answer.
#[derive(Debug)]
pub struct TalkSpeak;

impl Method for TalkSpeak {
    const NAME: &'static str = "talk.speak";
    const ACCESS: Access = Access::Operator(Scope::Talk);
    type Params = TalkSpeakParams;
    type Result = TalkSpoken;
}

/// Parameters of [`TalkSpeak`]. Those that the speaker does not know change nothing.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TalkSpeakParams {
    pub text: String,
    pub voice_id: Option<String>,
    pub model_id: Option<String>,
    pub output_format: Option<String>,
    /// How fast, as a factor.
    pub speed: Option<f64>,
    /// How fast, in words a minute.
    pub rate_wpm: Option<u32>,
    pub stability: Option<f64>,
    pub similarity: Option<f64>,
    pub style: Option<f64>,
    pub speaker_boost: Option<bool>,
    pub seed: Option<u64>,
    pub normalize: Option<String>,
    pub language: Option<String>,
    pub latency_tier: Option<u64>,
}

/// Answer of [`TalkSpeak`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TalkSpoken {
    pub audio_base64: String,
    pub provider: String,
    pub output_format: String,
    /// Whether platforms take it as a voice message.
    pub voice_compatible: bool,
    pub mime_type: String,
    pub file_extension: String,
}

/// `talk.catalog`: what talking could use.
#[derive(Debug)]
pub struct TalkCatalog;

impl Method for TalkCatalog {
    const NAME: &'static str = "talk.catalog";
    const ACCESS: Access = Access::Operator(Scope::Read);
    type Params = TalkCatalogParams;
    type Result = TalkCatalogResult;
}

/// Parameters of [`TalkCatalog`].
#[skip_serializing_none]
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TalkCatalogParams {
    pub provider: Option<String>,
    pub model: Option<String>,
}

/// Answer of [`TalkCatalog`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TalkCatalogResult {
    /// The manners of talking: none yet.
    pub modes: Vec<String>,
    /// How sound could travel.
    pub transports: Vec<String>,
    pub brains: Vec<String>,
    pub speech: TalkShelf,
    pub transcription: TalkShelf,
    /// Who can do both at once.
    pub realtime: TalkShelf,
}

/// One kind of ability, and who has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TalkShelf {
    /// Whether anybody has it.
    pub ready: bool,
    pub providers: Vec<TtsProviderState>,
}
