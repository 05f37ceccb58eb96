//! From an event to a line in the file.

use std::fs;

use homard_config::config::logging::{ConsoleStyle, LogLevel};
use homard_runtime::Clock;
use tracing::subscriber::with_default;
use tracing_subscriber::layer::SubscriberExt;

use super::files::LogFiles;
use super::redact::Redactor;
use super::{Log, LogSetup};

/// 2023-11-14T22:13:20Z.
const NOW: i64 = 1_700_000_000_000;

fn setup(file: std::path::PathBuf) -> LogSetup {
    LogSetup {
        files: Some(LogFiles::fixed(file, None)),
        file_level: LogLevel::Info,
        console_level: LogLevel::Silent,
        console_style: ConsoleStyle::Json,
        color: false,
        redactor: Redactor::default(),
        clock: Clock::fixed(NOW),
    }
}

#[test]
fn events_become_lines_with_the_fields_of_their_spans() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("x.log");
    let (log, layer) = Log::open(setup(file.clone())).unwrap();
    log.keep_secret("swordfish");
    with_default(tracing_subscriber::registry().with(layer), || {
        let span = tracing::info_span!(target: "homard_relay", "turn", run = "r1", inner = "outer");
        let _inside = span.enter();
        tracing::info!(target: "homard_relay::lane", inner = 7, ok = true, "said {}", "swordfish");
        tracing::debug!(target: "homard_relay", "too quiet for the file");
        tracing::info!(target: "hyper::proto", "somebody else's chatter");
        tracing::warn!(target: "hyper::proto", "somebody else's trouble");
    });
    log.flush();
    assert_eq!(
        fs::read_to_string(&file).unwrap().lines().collect::<Vec<_>>(),
        [
            r#"{"time":"2023-11-14T22:13:20.000Z","level":"info","subsystem":"relay/lane","message":"said ••••","inner":7,"ok":true,"run":"r1"}"#,
            r#"{"time":"2023-11-14T22:13:20.000Z","level":"warn","subsystem":"hyper/proto","message":"somebody else's trouble","run":"r1","inner":"outer"}"#,
        ]
    );
}

#[test]
fn levels_can_change_while_running() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("x.log");
    let (log, layer) = Log::open(setup(file.clone())).unwrap();
    with_default(tracing_subscriber::registry().with(layer), || {
        for level in [LogLevel::Error, LogLevel::Debug] {
            log.set_levels(level, LogLevel::Silent);
            tracing::debug!(target: "homard_x", ?level, "heard");
        }
    });
    log.flush();
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("Debug"), "{text}");
}
