//! What a message of settings alone changes.

use std::time::Duration;

use homard_policy::queue::{QueueMode, QueueOptions};
use homard_policy::words::{Reading, ThinkingLevel, read};
use homard_protocol::Word;
use homard_store::SessionEntry;

use super::change;

/// Applies what a message says to an empty session.
fn applied(text: &str) -> (SessionEntry, Vec<String>) {
    let mut entry = SessionEntry::default();
    let mut lines = Vec::new();
    for directive in read(text, &Reading::default()).directives {
        match change(&directive, &entry) {
            Ok((made, line)) => {
                if let Some(made) = made {
                    made(&mut entry);
                }
                lines.push(line);
            }
            Err(line) => lines.push(line),
        }
    }
    (entry, lines)
}

#[test]
fn levels_are_kept_asked_for_and_forgotten() {
    let (entry, lines) = applied("/think high");
    assert_eq!(entry.thinking_level, Some(ThinkingLevel::High.into()));
    assert_eq!(lines, ["Thinking: high"]);
    assert_eq!(applied("/think").1, ["Thinking: default"]);
    let (entry, lines) = applied("/verbose on /reasoning off");
    assert_eq!((entry.verbose_level, entry.reasoning_level), (Some(Word::of("on")), Some(Word::of("off"))));
    assert_eq!(lines.len(), 2);
}

#[test]
fn how_messages_wait_is_kept_in_the_words_the_queue_reads() {
    let (entry, _) = applied("/queue followup debounce:2s cap:5 drop:old");
    let kept = QueueOptions::kept(
        entry.queue_mode.as_ref(),
        entry.queue_debounce_ms,
        entry.queue_cap,
        entry.queue_drop.as_ref(),
    );
    assert_eq!(kept.mode, Some(QueueMode::Followup));
    assert_eq!((kept.debounce, kept.cap), (Some(Duration::from_secs(2)), Some(5)));
}
