//! `session-memory`: when a conversation is begun anew, its last messages become a note in the workspace.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use homard_config::config::hooks::internal::HookEntry;
use homard_runtime::{Clip, FileDraft, OrLog, create_private_dir, off_thread};
use homard_tools::{HookOccasion, HookValue, Label};
use serde_json::Value;

use crate::automation::Automation;

/// How long the model has to find a name.
const NAMING_LIMIT: Duration = Duration::from_secs(15);
/// Longest name, in characters.
const SLUG_CHARS: usize = 40;
/// How much of each message is kept, in characters.
const MESSAGE_CHARS: usize = 4_000;
/// How much of a conversation the model reads to name it, in characters.
const NAMED_FROM_CHARS: usize = 2_000;
/// How many notes of one name a day has.
const MAX_SAME: u32 = 100;

/// Writes the note. A conversation in which nobody said anything leaves none, and neither does a group's.
pub(super) async fn keep(
    room: &Automation,
    occasion: &HookOccasion,
    entry: Option<&HookEntry>,
) -> Result<(), String> {
    let (Some(key), HookValue::Arguments(ended)) = (&occasion.session, &occasion.value) else {
        return Ok(());
    };
    let most = entry.map_or_else(|| HookEntry::default().kept_messages(), HookEntry::kept_messages);
    let said = lines(ended.get("messages").unwrap_or(&Value::Null), most);
    if said.is_empty() || key.is_group() {
        return Ok(());
    }
    let config = room.config();
    let agent = super::agent_of(&config, key);
    let now =
        jiff::Timestamp::from_millisecond(room.inner.clock.now_ms()).map_err(|error| error.to_string())?;
    let there = now.to_zoned(room.zone());
    let slug = match name(room, key, &said).await {
        Some(slug) => slug,
        None => there.strftime("%H%M").to_string(),
    };
    let text = format!(
        "# Session: {}\n\n- **Session Key**: {key}\n- **Session ID**: {}\n- **Source**: {}\n\n## Conversation\n\n{said}\n",
        there.strftime("%Y-%m-%d %H:%M:%S %Z"),
        ended.get("sessionId").and_then(Value::as_str).unwrap_or("unknown"),
        key.channel().map_or("webchat", |channel| channel.as_str()),
    );
    let labels: Vec<Label> = ended
        .get("labels")
        .and_then(|labels| serde_json::from_value(labels.clone()).ok())
        .unwrap_or_default();
    let stem = format!("{}-{slug}", there.strftime("%Y-%m-%d"));
    let dir = agent.workspace.join("memory");
    room.inner.relay.recall().written_for_agent(text.as_bytes());
    let relay = room.inner.relay.clone();
    let mark = move |path: &Path| {
        if let Some(label) = labels.first() {
            relay.mark_words_of_others(&[path.to_owned()], label);
        }
    };
    let path = off_thread(move || write(&dir, &stem, &text, mark)).await;
    let path = path.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    tracing::info!(path = %path.display(), "a conversation that is over is kept as a note");
    Ok(())
}

/// What was said last, a paragraph each.
fn lines(messages: &Value, most: usize) -> String {
    let text = |message: &Value| {
        let said = message.get("text")?.as_str()?.trim();
        let role = message.get("role")?.as_str()?;
        let is_said = !said.is_empty() && !said.starts_with('/');
        is_said.then(|| format!("{role}: {}", said.ellipsis_after(MESSAGE_CHARS)))
    };
    let all: Vec<String> = messages.as_array().into_iter().flatten().filter_map(text).collect();
    let kept = all.len().saturating_sub(most);
    all.get(kept..).unwrap_or_default().join("\n\n")
}

/// A short name by the model; `None` where there is none, or it takes too long.
async fn name(room: &Automation, key: &homard_protocol::SessionKey, said: &str) -> Option<String> {
    let ask = format!(
        "Name this conversation in one to four English words, lower case, joined by hyphens, and answer with the name alone.\n\n{}",
        said.clip_chars(NAMED_FROM_CHARS)
    );
    let setup = room.inner.relay.setup();
    let answer = tokio::time::timeout(NAMING_LIMIT, setup.ask_once(key, ask))
        .await
        .or_log("a name for a note took too long")?;
    slug(&answer.or_log("a note is named by its time")?)
}

/// A text as the name of a file; `None` when nothing is left of it.
fn slug(text: &str) -> Option<String> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_lowercase();
    let plain: String = first.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let words: Vec<&str> = plain.split('-').filter(|word| !word.is_empty()).collect();
    let joined = words.join("-");
    let short = joined.clip_chars(SLUG_CHARS).trim_matches('-').to_owned();
    (!short.is_empty()).then_some(short)
}

/// Writes a file that is not there yet. Whose words it holds is noted before it is there, so that nobody who is quick, and
/// no crash, makes them the owner's; and once more when it is, by its content. Blocks.
fn write(dir: &Path, stem: &str, text: &str, mark: impl Fn(&Path)) -> std::io::Result<std::path::PathBuf> {
    // The assistant writes beside it: a link may lead anywhere, and what lies behind one is not searched.
    if std::fs::symlink_metadata(dir).is_ok_and(|meta| meta.is_symlink()) {
        let why = format!("`{}` is a link; put a folder in its place", dir.display());
        return Err(std::io::Error::other(why));
    }
    create_private_dir(dir)?;
    // Marks are of real paths.
    let dir = dir.canonicalize()?;
    let names = std::iter::once(format!("{stem}.md")).chain((2..MAX_SAME).map(|n| format!("{stem}-{n}.md")));
    for path in names.map(|name| dir.join(name)) {
        if path.symlink_metadata().is_ok() {
            continue;
        }
        mark(&path);
        // Whoever makes the file has the name, also when two conversations end at once.
        let mut draft = FileDraft::shared(&path)?;
        draft.write_all(text.as_bytes())?;
        match draft.commit_new() {
            Ok(()) => {
                mark(&path);
                return Ok(path);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::Error::other("there are too many notes of that name"))
}

#[cfg(test)]
mod tests {
    use super::{lines, slug, write};
    use serde_json::json;

    #[test]
    fn a_note_is_not_written_through_a_link() {
        let home = tempfile::tempdir().unwrap();
        let (dir, outside) = (home.path().join("memory"), home.path().join("outside"));
        std::fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, &dir).unwrap();
        let write = |text: &str| write(&dir, "day-one", text, |_path| {});
        let refused = write("said").unwrap_err().to_string();
        assert!(refused.contains("is a link; put a folder in its place"), "{refused}");
        assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
        std::fs::remove_file(&dir).unwrap();
        assert_eq!(write("said").unwrap(), dir.join("day-one.md"));
        assert_eq!(write("said").unwrap(), dir.join("day-one-2.md"), "nothing is written over");
    }

    #[test]
    fn whose_words_a_note_holds_is_said_before_it_can_be_read() {
        let home = tempfile::tempdir().unwrap();
        let (real, link) = (home.path().join("real"), home.path().join("link"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let marked = std::cell::RefCell::new(Vec::new());
        let mark = |path: &std::path::Path| marked.borrow_mut().push((path.to_owned(), path.exists()));
        let path = write(&link.join("memory"), "day-one", "said", mark).unwrap();
        assert_eq!(path, real.canonicalize().unwrap().join("memory/day-one.md"), "by its real name");
        assert_eq!(*marked.borrow(), [(path.clone(), false), (path, true)]);
    }

    #[test]
    fn names_of_files_are_plain_however_the_model_answers() {
        let rows = [
            ("api-design", Some("api-design")),
            ("  `API Design`!\nBecause …", Some("api-design")),
            ("../../etc/passwd", Some("etc-passwd")),
            ("日本", None),
            ("", None),
        ];
        for (said, expected) in rows {
            assert_eq!(slug(said).as_deref(), expected, "{said}");
        }
        assert_eq!(slug(&"x".repeat(200)).unwrap().len(), 40);
    }

    #[test]
    fn the_last_messages_are_kept_and_commands_are_not() {
        let messages = json!([
            {"role": "user", "text": "one"}, {"role": "assistant", "text": "two"},
            {"role": "user", "text": "/status"}, {"role": "user", "text": " "}, {"role": "assistant", "text": "three"},
        ]);
        assert_eq!(lines(&messages, 2), "assistant: two\n\nassistant: three");
        assert_eq!(lines(&json!("garbage"), 2), "");
    }
}
