//! `tts.*` and `talk.*`.

pub(crate) mod wake_words;

use crate::error::RequestError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use homard_media::speech::{self, ESPEAK, ESPEAK_NAME, Speech, SpeechError, SpeechPreferences};
use homard_protocol::Scope;
use homard_protocol::events::TalkModeEvent;
use homard_protocol::method::NoParams;
use homard_protocol::methods::voice::wake_words::{VoicewakeGet, VoicewakeSet};
use homard_protocol::methods::voice::{
    TalkCatalog, TalkCatalogParams, TalkCatalogResult, TalkConfig, TalkConfigParams, TalkConfigResult,
    TalkMode, TalkModeParams, TalkModeResult, TalkShelf, TalkSpeak, TalkSpeakParams, TalkSpoken, TtsAuto,
    TtsChosen, TtsConvert, TtsConvertParams, TtsConverted, TtsDisable, TtsEnable, TtsEnabled, TtsProvider,
    TtsProviderState, TtsProviders, TtsProvidersResult, TtsSetProvider, TtsStatus, TtsStatusResult,
};
use serde_json::{Map, json};

use super::check_range;
use super::config::blocking;
use crate::table::{Cx, MethodTable};

/// The format `espeak-ng` writes.
const FORMAT: &str = "wav";
/// Slowest and fastest speech, in words a minute.
const PACE: std::ops::RangeInclusive<u32> = 80..=450;

/// The methods of this family.
pub(super) fn register(table: MethodTable) -> MethodTable {
    table
        .on::<TalkCatalog, _, _>(catalog)
        .on::<TalkConfig, _, _>(config)
        .on::<TalkMode, _, _>(mode)
        .on::<TalkSpeak, _, _>(speak)
        .on::<TtsConvert, _, _>(convert)
        .on::<TtsDisable, _, _>(disable)
        .on::<TtsEnable, _, _>(enable)
        .on::<TtsProviders, _, _>(providers)
        .on::<TtsSetProvider, _, _>(set_provider)
        .on::<TtsStatus, _, _>(status)
        .on::<VoicewakeGet, _, _>(wake_words::get)
        .on::<VoicewakeSet, _, _>(wake_words::set)
}

/// `tts.status`.
pub(super) async fn status(cx: Cx, _params: NoParams) -> Result<TtsStatusResult, RequestError> {
    let paths = &cx.gateway.config().source().paths;
    let habits = habits(&cx).await?;
    let state = speaker(&cx);
    let file = speech::habits_file(paths).display().to_string();
    Ok(TtsStatusResult {
        enabled: habits.enabled,
        auto: if habits.enabled { TtsAuto::Always } else { TtsAuto::Off },
        provider: active(&cx, &habits),
        persona: None,
        personas: Vec::new(),
        fallback_provider: None,
        fallback_providers: Vec::new(),
        prefs_path: cx.caller.is_admin().then_some(file),
        provider_states: vec![state],
    })
}

/// `tts.providers`.
pub(super) async fn providers(cx: Cx, _params: NoParams) -> Result<TtsProvidersResult, RequestError> {
    let habits = habits(&cx).await?;
    let TtsProviderState { id, label, configured } = speaker(&cx);
    let one = TtsProvider { id, name: label, configured, models: Vec::new(), voices: Vec::new() };
    Ok(TtsProvidersResult { providers: vec![one], active: active(&cx, &habits) })
}

/// `tts.enable`.
pub(super) async fn enable(cx: Cx, _params: NoParams) -> Result<TtsEnabled, RequestError> {
    change(&cx, |habits| habits.enabled = true).await
}

/// `tts.disable`.
pub(super) async fn disable(cx: Cx, _params: NoParams) -> Result<TtsEnabled, RequestError> {
    change(&cx, |habits| habits.enabled = false).await
}

/// `tts.setProvider`.
pub(super) async fn set_provider(cx: Cx, params: TtsChosen) -> Result<TtsChosen, RequestError> {
    if params.provider != ESPEAK {
        return Err(SpeechError::UnknownProvider.into());
    }
    let provider = params.provider.clone();
    change(&cx, |habits| habits.provider = Some(provider)).await?;
    Ok(params)
}

/// `tts.convert`.
pub(super) async fn convert(cx: Cx, params: TtsConvertParams) -> Result<TtsConverted, RequestError> {
    let TtsConvertParams { text, provider, voice_id, .. } = params;
    let wish = Speech { text, provider, voice: voice_id, words_per_minute: None };
    let config = cx.gateway.config().current();
    let paths = &cx.gateway.config().source().paths;
    let file = speech::speak(&config, paths, &wish).await?;
    Ok(TtsConverted {
        audio_path: file.display().to_string(),
        provider: ESPEAK.to_owned(),
        output_format: FORMAT.to_owned(),
        voice_compatible: false,
    })
}

/// `talk.speak`.
pub(super) async fn speak(cx: Cx, params: TalkSpeakParams) -> Result<TalkSpoken, RequestError> {
    check_range("talk.speak", "rateWpm", params.rate_wpm, PACE)?;
    let TalkSpeakParams { text, voice_id, rate_wpm, .. } = params;
    let wish = Speech { text, provider: None, voice: voice_id, words_per_minute: rate_wpm };
    let config = cx.gateway.config().current();
    let paths = &cx.gateway.config().source().paths;
    let file = match speech::speak(&config, paths, &wish).await {
        Ok(file) => file,
        Err(SpeechError::NoSpeaker) => return Err(unconfigured()),
        Err(error) => return Err(error.into()),
    };
    let sound = tokio::fs::read(&file).await;
    let sound =
        sound.map_err(|error| RequestError::unavailable(format!("the sound could not be read: {error}")))?;
    Ok(TalkSpoken {
        audio_base64: STANDARD.encode(sound),
        provider: ESPEAK.to_owned(),
        output_format: FORMAT.to_owned(),
        voice_compatible: false,
        mime_type: "audio/wav".to_owned(),
        file_extension: ".wav".to_owned(),
    })
}

/// `talk.mode`.
pub(super) async fn mode(cx: Cx, params: TalkModeParams) -> Result<TalkModeResult, RequestError> {
    let told =
        TalkModeResult { enabled: params.enabled, phase: params.phase, ts: cx.gateway.clock().now_ms() };
    cx.gateway.bus().publish(&TalkModeEvent(told.clone()));
    Ok(told)
}

/// `talk.config`.
pub(super) async fn config(cx: Cx, params: TalkConfigParams) -> Result<TalkConfigResult, RequestError> {
    let open = params.include_secrets == Some(true);
    if open {
        cx.caller.check_scope(Scope::TalkSecrets)?;
    }
    let snapshot = cx.gateway.config().snapshot();
    let hidden;
    let shown = if open {
        &snapshot.effective
    } else {
        hidden = homard_config::redact(&snapshot.effective, homard_config::schema());
        &hidden
    };
    let mut config = Map::new();
    if let Some(talk) = shown.get("talk").filter(|talk| talk.as_object().is_some_and(|talk| !talk.is_empty()))
    {
        config.insert("talk".to_owned(), talk.clone());
    }
    for (section, name) in [("session", "mainKey"), ("ui", "seamColor")] {
        if let Some(value) = shown.get(section).and_then(|section| section.get(name)) {
            config.insert(section.to_owned(), json!({name: value}));
        }
    }
    Ok(TalkConfigResult { config })
}

/// `talk.catalog`.
pub(super) async fn catalog(cx: Cx, params: TalkCatalogParams) -> Result<TalkCatalogResult, RequestError> {
    let one = speaker(&cx);
    let wanted = params.provider.as_deref().is_none_or(|provider| provider == one.id);
    let providers = if wanted { vec![one] } else { Vec::new() };
    let ready = providers.iter().any(|provider| provider.configured);
    Ok(TalkCatalogResult {
        modes: Vec::new(),
        transports: Vec::new(),
        brains: Vec::new(),
        speech: TalkShelf { ready, providers },
        transcription: TalkShelf::default(),
        realtime: TalkShelf::default(),
    })
}

fn speaker(cx: &Cx) -> TtsProviderState {
    let configured = speech::speaker(&cx.gateway.config().current()).is_some();
    TtsProviderState { id: ESPEAK.to_owned(), label: ESPEAK_NAME.to_owned(), configured }
}

/// Who would speak: the chosen one, or the only one; nobody when it is not there.
fn active(cx: &Cx, habits: &SpeechPreferences) -> String {
    let there = speaker(cx).configured;
    if there { habits.provider.clone().unwrap_or_else(|| ESPEAK.to_owned()) } else { String::new() }
}

async fn habits(cx: &Cx) -> Result<SpeechPreferences, RequestError> {
    let paths = cx.gateway.config().source().paths.clone();
    blocking(move || speech::habits(&paths)).await
}

async fn change(cx: &Cx, alter: impl FnOnce(&mut SpeechPreferences)) -> Result<TtsEnabled, RequestError> {
    let mut habits = habits(cx).await?;
    alter(&mut habits);
    let enabled = habits.enabled;
    let paths = cx.gateway.config().source().paths.clone();
    let kept = blocking(move || speech::keep_habits(&paths, &habits)).await?;
    kept?;
    Ok(TtsEnabled { enabled })
}

impl From<SpeechError> for RequestError {
    fn from(error: SpeechError) -> Self {
        if error.is_callers() {
            Self::invalid(error.to_string())
        } else {
            Self::unavailable(format!("TTS conversion failed: {error}"))
        }
    }
}

fn unconfigured() -> RequestError {
    RequestError::unavailable(format!("talk.speak unavailable: {}", SpeechError::NoSpeaker))
        .with_details(json!({"reason": "talk_unconfigured", "fallbackEligible": true}))
}
