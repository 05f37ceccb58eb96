//! Speaking with a program of the machine, and the truth where there is none.

use std::os::unix::fs::PermissionsExt;

use homard_testkit::{FakeLlm, TestGateway, TestHome};
use serde_json::json;

use crate::scenarios::world::{OPENAI, World, config, launch};

/// Writes what it was told into the file it was told.
const SPEAKER: &str = "#!/bin/sh\nprintf 'RIFF%s' \"$*\" > \"$2\"\n";

async fn with_speaker() -> (World, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("espeak-ng");
    std::fs::write(&program, SPEAKER).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let fake = FakeLlm::start().await.unwrap();
    let home = TestHome::with_config(&config(&fake, OPENAI, |_| {})).unwrap();
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", dir.path().display());
    let gateway = TestGateway::start(launch().env("PATH", path), home).await.unwrap();
    (World { fake, gateway }, dir)
}

#[tokio::test]
async fn a_speaker_that_is_installed_speaks() {
    let (world, _dir) = with_speaker().await;
    let mut owner = world.owner().await;
    let status = owner.call("tts.status", json!({})).await.unwrap();
    assert_eq!(
        json!([status["enabled"], status["auto"], status["provider"]]),
        json!([false, "off", "espeak-ng"])
    );
    assert_eq!(
        status["providerStates"],
        json!([{"id": "espeak-ng", "label": "eSpeak NG", "configured": true}])
    );
    let spoken = owner.call("tts.convert", json!({"text": "-f hello", "voiceId": "en"})).await.unwrap();
    let file = spoken["audioPath"].as_str().unwrap();
    assert!(std::fs::read_to_string(file).unwrap().ends_with("-v en -- -f hello"));
    assert_eq!(json!([spoken["provider"], spoken["outputFormat"]]), json!(["espeak-ng", "wav"]));
    let said = owner.call("talk.speak", json!({"text": "hello", "rateWpm": 200})).await.unwrap();
    assert_eq!(said["mimeType"], "audio/wav");
    assert!(said["audioBase64"].as_str().unwrap().starts_with("UklGR"));
    for (params, words) in [
        (json!({"text": ""}), "1 to 4096"),
        (json!({"text": "x", "voiceId": "../x"}), "a voice is named"),
        (json!({"text": "x", "provider": "openai"}), "Invalid provider"),
    ] {
        let error = owner.request("tts.convert", params).await.unwrap()["error"].take();
        assert_eq!(error["code"], "INVALID_REQUEST");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    }
}

#[tokio::test]
async fn without_a_speaker_the_truth_is_told_and_habits_are_still_kept() {
    let mut world = World::start().await;
    let mut owner = world.owner().await;
    let status = owner.call("tts.status", json!({})).await.unwrap();
    if status["providerStates"][0]["configured"] == json!(true) {
        return; // This machine has the real program.
    }
    assert_eq!(status["provider"], "");
    let error = owner.request("tts.convert", json!({"text": "hi"})).await.unwrap()["error"].take();
    assert_eq!(error["code"], "UNAVAILABLE");
    assert!(error["message"].as_str().unwrap().contains("espeak-ng"), "{error}");
    let error = owner.request("talk.speak", json!({"text": "hi"})).await.unwrap()["error"].take();
    assert_eq!(error["details"], json!({"reason": "talk_unconfigured", "fallbackEligible": true}));
    assert_eq!(owner.call("tts.enable", json!({})).await.unwrap(), json!({"enabled": true}));
    let wrong = owner.request("tts.setProvider", json!({"provider": "nobody"})).await.unwrap();
    assert!(wrong["error"]["message"].as_str().unwrap().starts_with("Invalid provider."));
    assert_eq!(
        owner.call("tts.setProvider", json!({"provider": "espeak-ng"})).await.unwrap(),
        json!({"provider": "espeak-ng"})
    );
    drop(owner);
    world.gateway.kill9().await.unwrap();
    world.gateway.restart().await.unwrap();
    let mut owner = world.owner().await;
    assert_eq!(owner.call("tts.status", json!({})).await.unwrap()["enabled"], true);
    assert_eq!(owner.call("tts.disable", json!({})).await.unwrap(), json!({"enabled": false}));
}

#[tokio::test]
async fn who_may_talk_hears_who_talks_and_keys_need_their_own_scope() {
    let written = json!({
        "apiKey": "el-secret", "voiceId": "v", "modelId": "m", "interruptOnSpeech": false,
        "voiceAliases": {"ann": "v"}, "providers": {"elevenlabs": {"voiceId": "w"}},
        "realtime": {"provider": "elevenlabs"},
    });
    let world = World::start_with(OPENAI, |config| config["talk"] = written.clone()).await;
    let mut owner = world.owner().await;
    let mut writer = world.with_scopes(&["operator.write"]).await;
    let mut reader = world.with_scopes(&["operator.read"]).await;
    let told = owner.call("talk.mode", json!({"enabled": true, "phase": "listening"})).await.unwrap();
    assert_eq!(writer.next_event("talk.mode").await.unwrap()["payload"], told);
    reader.call("health", json!({})).await.unwrap();
    assert!(
        reader.events().iter().all(|event| event["event"] != "talk.mode"),
        "operator.read is not operator.talk"
    );

    let hidden = reader.call("talk.config", json!({})).await.unwrap();
    assert_eq!(hidden["config"]["talk"]["voiceId"], "v");
    assert_ne!(hidden["config"]["talk"]["apiKey"], "el-secret");
    let refused = reader.request("talk.config", json!({"includeSecrets": true})).await.unwrap();
    assert_eq!(refused["error"]["message"], "missing scope: operator.talk.secrets");
    let mut trusted = world.with_scopes(&["operator.read", "operator.talk.secrets"]).await;
    let open = trusted.call("talk.config", json!({"includeSecrets": true})).await.unwrap();
    assert_eq!(open["config"]["talk"], written, "the apps are told all of it");
}
