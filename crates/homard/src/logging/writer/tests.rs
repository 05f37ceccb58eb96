//! What the thread does when it cannot keep up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;

use homard_config::config::logging::{ConsoleStyle, LogLevel};
use homard_runtime::Clock;
use serde_json::Map;
use tracing::Level;

use super::{LogJob, Queue, Record, Writer};
use crate::logging::files::LogFiles;
use crate::logging::line::LineStyle;
use crate::logging::redact::Redactor;
use crate::logging::{Levels, LogSetup};

fn record(message: &str) -> Record {
    Record { ms: 0, level: Level::INFO, target: "homard_x", message: message.into(), fields: Map::new() }
}

#[test]
fn dropped_lines_are_counted_and_told() {
    let (sender, jobs) = sync_channel(1);
    let dropped = Arc::new(AtomicU64::new(0));
    let queue = Queue { sender, dropped: Arc::clone(&dropped), thread: std::thread::current() };
    for message in ["kept", "lost", "lost too"] {
        queue.push(record(message));
    }
    assert_eq!(dropped.load(Ordering::Relaxed), 2);

    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("x.log");
    let setup = LogSetup {
        files: Some(LogFiles::fixed(file.clone(), None)),
        file_level: LogLevel::Info,
        console_level: LogLevel::Silent,
        console_style: ConsoleStyle::Json,
        color: false,
        redactor: Redactor::default(),
        clock: Clock::fixed(0),
    };
    let levels = Arc::new(Levels::new(LogLevel::Info, LogLevel::Silent));
    let mut writer =
        Writer { setup, levels, dropped, look: LineStyle::Json, console: String::new(), complained: false };
    while let Ok(job) = jobs.try_recv() {
        writer.take(job);
    }
    let (done, finished) = sync_channel(1);
    writer.take(LogJob::Flush(done));
    finished.try_recv().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains("\"count\":2") && lines[1].contains("kept"), "{text}");
}
