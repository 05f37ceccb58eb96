//! Commands about the agents at work for a conversation: `/subagents`, `/kill`, `/steer`.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use homard_protocol::ToolCallId;
use homard_runtime::Clip;
use homard_tools::{ChildLine, ChildTask, HistoryWanted, ProgressSender, Scope, Taint, ToolCx};

use super::{Answer, Entry, OpenCommand, words};
use crate::parts::SubagentCommands;
use crate::turn_setup::{sandbox, taint};

/// How long ago agents may have ended to be in the list.
const RECENT: Duration = Duration::from_secs(30 * 60);
/// Messages of a log.
const LOG_LINES: usize = 10;
/// Longest line of a log, in characters.
const LOG_CHARS: usize = 300;
/// The word for all of them.
const ALL: &str = "all";

/// What this family answers.
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "kill",
        run: |commands, begun, rest| {
            async move { commands.subagent_commands().kill(begun, rest).await }.boxed()
        },
    },
    Entry {
        name: "steer",
        run: |commands, begun, rest| {
            async move { commands.subagent_commands().steer_by_hand(begun, rest).await }.boxed()
        },
    },
    Entry {
        name: "subagents",
        run: |commands, begun, rest| {
            async move { commands.subagent_commands().obey(begun, rest).await }.boxed()
        },
    },
];

impl SubagentCommands {
    /// What a command has of the surroundings of a call: it asks as the conversation it was typed in.
    fn surroundings(&self, begun: &OpenCommand) -> Result<ToolCx, String> {
        let config = self.inner().config();
        let agent = config.agents.agent(begun.admitted.agent()).unwrap_or(config.agents.default_agent());
        // What somebody has a subagent do stays their wish.
        let taint = Taint::default();
        for label in taint::labels(begun.admitted.message(), begun.admitted.standing().is_owner) {
            taint.add(label);
        }
        Ok(ToolCx {
            workspace: sandbox::folder(agent, begun.admitted.session_key()),
            session_key: begun.admitted.session_key().clone(),
            run_id: begun.run.id.clone(),
            call_id: ToolCallId::parse("command").map_err(words)?,
            cancel: begun.run.cancel.clone(),
            progress: ProgressSender::nobody(),
            clock: self.inner().clock().clone(),
            scope: Arc::new(Scope { taint, ..Scope::default() }),
        })
    }

    /// `/subagents [list|kill|log|info|send|steer|spawn]`.
    pub(super) async fn obey(&self, begun: &OpenCommand, rest: &str) -> Answer {
        let (verb, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let rest = rest.trim();
        match verb.to_lowercase().as_str() {
            "" | "list" => {
                let children = self.children(begun).await?;
                Ok(if children.is_empty() { "No subagents.".to_owned() } else { listed(&children) })
            }
            "kill" => self.kill(begun, rest).await,
            "send" | "steer" | "tell" => self.steer_by_hand(begun, rest).await,
            "info" => self.meant(begun, rest).await.map(|child| told(&child)),
            "log" => self.log(begun, rest).await,
            "spawn" => self.spawn_by_hand(begun, rest).await,
            other => Err(format!("`{other}` is not known; use list, kill, log, info, send, steer or spawn")),
        }
    }

    async fn children(&self, begun: &OpenCommand) -> Result<Vec<ChildLine>, String> {
        self.subagents().children_of(&self.surroundings(begun)?, RECENT).await.map_err(words)
    }

    /// The agent a person means: by its number in the list, its label, or the beginning of its run's name.
    async fn meant(&self, begun: &OpenCommand, wanted: &str) -> Result<ChildLine, String> {
        let children = self.children(begun).await?;
        let found = chosen(&children, wanted).cloned();
        found.ok_or_else(|| format!("there is no subagent `{wanted}`; /subagents lists them"))
    }

    /// `/kill id|#|all`.
    pub(super) async fn kill(&self, begun: &OpenCommand, wanted: &str) -> Answer {
        if wanted.is_empty() {
            return Err("say which: /kill 1, /kill <id> or /kill all".to_owned());
        }
        let target = if wanted.eq_ignore_ascii_case(ALL) {
            ALL.to_owned()
        } else {
            self.meant(begun, wanted).await?.run_id.to_string()
        };
        let stopped =
            self.subagents().kill_children(&self.surroundings(begun)?, &target).await.map_err(words)?;
        Ok(match stopped.len() {
            0 => "Nothing was going on.".to_owned(),
            1 => "⚙️ Stopped 1 subagent.".to_owned(),
            many => format!("⚙️ Stopped {many} subagents."),
        })
    }

    /// `/steer id|# message`.
    pub(super) async fn steer_by_hand(&self, begun: &OpenCommand, rest: &str) -> Answer {
        let Some((wanted, message)) = rest.split_once(char::is_whitespace) else {
            return Err("say which, and what: /steer 1 look at the other file".to_owned());
        };
        let child = self.meant(begun, wanted).await?;
        let cx = self.surroundings(begun)?;
        let child = self
            .subagents()
            .steer_child(&cx, &child.run_id, message.trim().to_owned())
            .await
            .map_err(words)?;
        Ok(format!("⚙️ Told {}.", name_of(&child)))
    }

    async fn log(&self, begun: &OpenCommand, wanted: &str) -> Answer {
        let child = self.meant(begun, wanted).await?;
        let wanted = HistoryWanted { key: child.session_key.to_string(), limit: LOG_LINES, tools: false };
        let page = self.sessions().history_seen(&self.surroundings(begun)?, &wanted).await.map_err(words)?;
        let mut text = told(&child);
        for line in page.messages {
            let said: String = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let said = said.clip_chars(LOG_CHARS).to_owned();
            let _written = write!(text, "\n{}: {said}", line.role);
        }
        Ok(text)
    }

    async fn spawn_by_hand(&self, begun: &OpenCommand, task: &str) -> Answer {
        if task.is_empty() {
            return Err("say what it is to do: /subagents spawn <task>".to_owned());
        }
        let task = ChildTask {
            task: task.to_owned(),
            label: None,
            agent: None,
            model: None,
            thinking: None,
            timeout: None,
            delete_after: false,
        };
        let spawned = self.subagents().spawn_child(&self.surroundings(begun)?, task).await.map_err(words)?;
        Ok(format!("⚙️ Started {}; its result comes here.", spawned.child_session_key))
    }
}

fn chosen<'c>(children: &'c [ChildLine], wanted: &str) -> Option<&'c ChildLine> {
    let wanted = wanted.trim().trim_start_matches('#');
    if wanted.is_empty() {
        return None;
    }
    let by_number = wanted.parse::<usize>().ok().and_then(|number| children.get(number.checked_sub(1)?));
    let is = |child: &&ChildLine| {
        child.run_id.starts_with(wanted)
            || child.session_key.to_string().ends_with(wanted)
            || child.label.as_deref().is_some_and(|label| label.eq_ignore_ascii_case(wanted))
    };
    by_number.or_else(|| children.iter().find(is))
}

fn name_of(child: &ChildLine) -> &str {
    child.label.as_deref().unwrap_or(&child.run_id)
}

fn told(child: &ChildLine) -> String {
    format!(
        "{} — {}, {} s\n{}\n{}",
        name_of(child),
        child.status,
        child.seconds,
        child.session_key,
        child.task
    )
}

fn listed(children: &[ChildLine]) -> String {
    let mut text = "Subagents:".to_owned();
    for (number, child) in children.iter().enumerate() {
        let number = number.saturating_add(1);
        let _written = write!(
            text,
            "\n{number}. {} — {}, {} s: {}",
            name_of(child),
            child.status,
            child.seconds,
            child.task
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use homard_protocol::{RunId, SessionKey};
    use homard_tools::ChildLine;

    use super::chosen;

    #[test]
    fn an_agent_is_meant_by_number_label_or_name() {
        let child = |run: &str, label: Option<&str>| ChildLine {
            session_key: SessionKey::parse(&format!("agent:main:subagent:{run}")).unwrap(),
            run_id: RunId::parse(&format!("subagent-{run}")).unwrap(),
            label: label.map(str::to_owned),
            task: String::new(),
            status: "running",
            seconds: 0,
        };
        let children = [child("abc", Some("Tea")), child("def", None)];
        for (wanted, run) in [
            ("1", Some("subagent-abc")),
            ("#2", Some("subagent-def")),
            ("tea", Some("subagent-abc")),
            ("subagent-d", Some("subagent-def")),
            ("def", Some("subagent-def")),
            ("3", None),
            ("0", None),
            ("", None),
        ] {
            assert_eq!(chosen(&children, wanted).map(|child| child.run_id.as_str()), run, "{wanted}");
        }
    }
}
