//! Commands about the conversation they are typed in: `/activation`, `/send`, `/usage`, `/tts`, `/dock`, `/whoami`,
//! `/export-session`.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use futures_util::FutureExt;
use homard_channel::Sender;
use homard_config::Config;
use homard_protocol::events::SessionChange;
use homard_protocol::session_words::{GroupActivation, ResponseUsage, SendAction};
use homard_protocol::{EntryKind, Message, SessionKey, Word};
use homard_runtime::off_thread;
use homard_store::{DeliveryContext, PageEntry, SessionEntry};

use super::{Answer, Entry, OpenCommand, words};
use crate::intake::admit::Admitted;
use crate::parts::ChatCommands;

/// Most messages of one export.
const MAX_EXPORTED: usize = 10_000;
/// What `/tts` says.
const NOT_SPOKEN: &str = "Answers are not spoken by themselves yet, so there is nothing to switch on.";

/// What this family answers.
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "activation",
        run: |commands, begun, rest| commands.set_activation(begun.key(), rest).boxed(),
    },
    Entry { name: "dock", run: |commands, begun, rest| commands.dock(begun, rest).boxed() },
    Entry {
        name: "export-session",
        run: |commands, begun, rest| commands.export(&begun.admitted, rest).boxed(),
    },
    Entry { name: "send", run: |commands, begun, rest| commands.set_sending(begun.key(), rest).boxed() },
    Entry { name: "tts", run: |commands, begun, rest| commands.set_speech(begun.key(), rest).boxed() },
    Entry { name: "usage", run: |commands, begun, rest| commands.set_usage(begun.key(), rest).boxed() },
    Entry { name: "whoami", run: |_, begun, _| std::future::ready(Ok(whoami(&begun.admitted))).boxed() },
];

impl ChatCommands {
    /// Changes what is remembered of a session, and tells whoever watches it.
    pub(super) async fn change_session(
        &self,
        key: &SessionKey,
        change: impl FnOnce(&mut SessionEntry) + Send + 'static,
    ) -> Result<(), String> {
        let session = self.inner().store().sessions().patch(key, change).await.map_err(words)?;
        self.sessions().announce_change(&session, SessionChange::Patch);
        Ok(())
    }

    async fn entry_of(&self, key: &SessionKey) -> Result<SessionEntry, String> {
        let session = self.inner().store().sessions().get(key).await.map_err(words)?;
        Ok(session.map(|session| session.entry).unwrap_or_default())
    }

    /// `/activation`: whether a group's messages count when nobody means us.
    pub(super) async fn set_activation(&self, key: &SessionKey, wanted: &str) -> Answer {
        let mode = match wanted.to_lowercase().as_str() {
            "" => {
                let mode = self.entry_of(key).await?.group_activation;
                return Ok(format!("Activation: {}", mode.as_ref().map_or("mention", Word::as_str)));
            }
            wanted => wanted
                .parse::<GroupActivation>()
                .map_err(|_unknown| format!("`{wanted}` is no activation; use mention or always"))?,
        };
        self.change_session(key, move |entry| {
            entry.group_activation = Some(mode.into());
            entry.group_activation_needs_system_intro = Some(true);
        })
        .await?;
        Ok(format!("⚙️ Activation: {mode}"))
    }

    /// `/send`: whether answers are sent in this conversation.
    pub(super) async fn set_sending(&self, key: &SessionKey, wanted: &str) -> Answer {
        let policy = match wanted.to_lowercase().as_str() {
            "" => {
                let policy = self.entry_of(key).await?.send_policy;
                return Ok(format!("Sending: {}", policy.as_ref().map_or("inherit", Word::as_str)));
            }
            "inherit" | "default" | "reset" => None,
            word if SendAction::parse(word).is_some() => SendAction::parse(word),
            other => return Err(format!("`{other}` is not known; use on, off or inherit")),
        };
        self.change_session(key, move |entry| entry.send_policy = policy.map(Word::Known)).await?;
        Ok(format!("⚙️ Sending: {}", policy.map_or("inherit", SendAction::as_str)))
    }

    /// `/usage`: what is said about costs below answers.
    pub(super) async fn set_usage(&self, key: &SessionKey, wanted: &str) -> Answer {
        let mode = match wanted.to_lowercase().as_str() {
            "cost" => return self.spent(key).await,
            "" => {
                let mode = self.entry_of(key).await?.response_usage;
                let spent = self.spent(key).await?;
                return Ok(format!(
                    "Usage below answers on chat platforms: {}\n{spent}",
                    mode.as_ref().map_or("off", Word::as_str)
                ));
            }
            wanted => ResponseUsage::parse(wanted)
                .ok_or_else(|| format!("`{wanted}` is not known; use off, tokens, full or cost"))?,
        };
        let kept = (mode != ResponseUsage::Off).then(|| mode.into());
        self.change_session(key, move |entry| entry.response_usage = kept).await?;
        Ok(format!("⚙️ Usage below answers on chat platforms: {mode}"))
    }

    async fn spent(&self, key: &SessionKey) -> Answer {
        let rows = self.inner().store().usage().spent_by_session(key).await.map_err(words)?;
        let tokens = rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.tokens));
        let usd: f64 = rows.iter().map(|row| row.usd).sum();
        Ok(format!("This session has used {tokens} tokens, about ${usd:.4}."))
    }

    /// `/tts`: answers are not spoken by themselves yet, so nothing but `off` is taken.
    pub(super) async fn set_speech(&self, key: &SessionKey, wanted: &str) -> Answer {
        let word = wanted.split_whitespace().next().unwrap_or_default().to_lowercase();
        match word.as_str() {
            "" | "status" | "help" => Ok(NOT_SPOKEN.to_owned()),
            "off" => {
                self.change_session(key, |entry| entry.tts_auto = None).await?;
                Ok("⚙️ Speech: off".to_owned())
            }
            "on" | "always" | "inbound" | "tagged" | "provider" | "limit" | "summary" | "audio" => {
                Err(NOT_SPOKEN.to_owned())
            }
            other => Err(format!("`{other}` is not known. {NOT_SPOKEN}")),
        }
    }

    /// `/dock-<channel>`: what is not an answer to somebody goes to the same person elsewhere from now on.
    pub(super) async fn dock(&self, begun: &OpenCommand, channel: &str) -> Answer {
        let config = self.inner().config();
        let message = begun.admitted.message();
        let Sender::Peer { id, .. } = &message.sender else {
            return Err("this works on chat platforms only".to_owned());
        };
        let here = format!("{}:{id}", message.channel);
        let Some(there) = linked(&config, &here, channel) else {
            return Err(format!(
                "nobody said who you are on {channel}; put both ids into session.identityLinks (you are {here})"
            ));
        };
        let place = DeliveryContext {
            channel: Some(channel.to_lowercase()),
            to: Some(there.clone()),
            account_id: None,
            thread_id: None,
        };
        self.change_session(begun.admitted.session_key(), move |entry| {
            (entry.last_channel, entry.last_to) = (place.channel.clone(), place.to.clone());
            (entry.last_account_id, entry.last_thread_id) = (None, None);
            entry.delivery_context = Some(place);
        })
        .await?;
        Ok(format!(
            "⚙️ Docked to {channel}:{there}. What comes by itself goes there until you write from elsewhere."
        ))
    }

    /// `/export-session`: the conversation as a file in the workspace.
    pub(super) async fn export(&self, admitted: &Admitted, wanted: &str) -> Answer {
        let config = self.inner().config();
        let agent = config.agents.agent(admitted.agent()).unwrap_or(config.agents.default_agent());
        let key = admitted.session_key();
        let session = self.inner().store().sessions().get(key).await.map_err(words)?;
        let session = session.ok_or_else(|| "there is nothing to export yet".to_owned())?;
        // What lies in the workspace under other names may be read as the owner's own words.
        if !wanted.is_empty() && !admitted.standing().is_owner {
            return Err("only the owner may say where; leave the name out".to_owned());
        }
        let name = format!("session-{}.md", session.session_id);
        let inside = inside(if wanted.is_empty() { Path::new(&name) } else { Path::new(wanted) })
            .ok_or_else(|| "name a file inside the workspace".to_owned())?;
        let page = self
            .inner()
            .store()
            .transcripts()
            .last_messages(&session.session_id, MAX_EXPORTED)
            .await
            .map_err(words)?;
        let text = in_markdown(key, &page);
        let path = agent.workspace.join(&inside);
        let labels = self.setup().labels_of(key).await.map_err(words)?;
        let files = self.inner().guards().files.clone();
        let writing = off_thread(move || {
            write_new(&path, &text)?;
            if let Some(from) = labels.first() {
                files.mark(&[path.canonicalize()?], from);
            }
            Ok::<_, std::io::Error>(())
        });
        let written = writing.await.map_err(words)?;
        written.map_err(|error| format!("{} could not be written: {error}", inside.display()))?;
        Ok(format!("Written to {} in the workspace.", inside.display()))
    }
}

/// `/whoami`.
pub(super) fn whoami(admitted: &Admitted) -> String {
    let message = admitted.message();
    let standing = admitted.standing();
    let may = match (standing.is_owner, standing.may_command) {
        (true, _) => "the owner",
        (false, true) => "somebody who may use commands",
        (false, false) => "somebody who may speak",
    };
    match &message.sender {
        Sender::Operator => "You are the owner, at the gateway itself.".to_owned(),
        Sender::Peer { id, name } => {
            let name = name.as_deref().map(|name| format!("\nName: {name}")).unwrap_or_default();
            let user = message.details.username.as_deref();
            let user = user.map(|user| format!("\nUsername: @{user}")).unwrap_or_default();
            format!("Channel: {}\nId: {id}{name}{user}\nYou are {may}.", message.channel)
        }
    }
}

/// Who somebody is on another platform, as the owner's links say.
fn linked(config: &Config, here: &str, channel: &str) -> Option<String> {
    let is_here = |id: &String| id.eq_ignore_ascii_case(here);
    let person = config.session.identity_links.values().find(|ids| ids.iter().any(is_here))?;
    let there = |id: &String| {
        let (platform, id) = id.split_once(':')?;
        platform.eq_ignore_ascii_case(channel).then(|| id.to_owned())
    };
    person.iter().find_map(there)
}

/// A relative path that stays where it is put; `None` for any other.
fn inside(path: &Path) -> Option<PathBuf> {
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    (is_plain && path.file_name().is_some()).then(|| path.to_owned())
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // What is there already is somebody's work.
    std::fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

fn in_markdown(key: &SessionKey, page: &[PageEntry]) -> String {
    let mut text = format!("# {key}\n");
    for line in page {
        let EntryKind::Message { message } = &line.entry.kind else { continue };
        let (who, said) = match message {
            Message::User(message) => ("User", message.content.text()),
            Message::Assistant(message) => ("Assistant", message.text()),
            Message::ToolResult(_) | Message::Other(_) => continue,
        };
        if !said.trim().is_empty() {
            let _written = write!(text, "\n## {who}\n\n{}\n", said.trim());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::inside;

    #[test]
    fn exports_stay_in_the_workspace() {
        for (path, is_inside) in [
            ("a.md", true),
            ("x/a.md", true),
            ("./a.md", true),
            ("../a.md", false),
            ("/etc/a", false),
            (".", false),
        ] {
            assert_eq!(inside(Path::new(path)).is_some(), is_inside, "{path}");
        }
    }
}
