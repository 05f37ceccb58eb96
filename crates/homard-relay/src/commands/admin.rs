//! Commands about the house itself: `/config`, `/debug`, `/restart`, `/approve`, `/allowlist`, `/bash`.

use futures_util::FutureExt;
use homard_config::{redact, schema};
use homard_protocol::UserBlock;
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_runtime::{Clip, millis, off_thread};
use homard_tools::ToolOutcome;
use serde_json::{Value, json};

use super::{Answer, Entry, OpenCommand, words};
use crate::approvals::name_of;
use crate::parts::ChatCommands;
use crate::turn_setup::invoke::{Invocation, Invoked, WhenAsked};

/// Longest answer that shows settings, in characters.
const MAX_SHOWN: usize = 3_500;
/// Longest output of a command that is shown, in characters.
const MAX_OUTPUT: usize = 3_500;

/// What this family answers.
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "approve",
        run: |commands, begun, rest| std::future::ready(commands.answer_question(begun, rest)).boxed(),
    },
    Entry { name: "bash", run: |commands, begun, rest| commands.run_on_host(begun, rest).boxed() },
    Entry { name: "config", run: |commands, _, rest| commands.look_at_config(rest).boxed() },
    Entry { name: "debug", run: |commands, _, rest| commands.override_config(rest).boxed() },
    Entry { name: "restart", run: |commands, begun, _| commands.restart(begun).boxed() },
];

impl ChatCommands {
    /// `/config show|get|set|unset`.
    pub(super) async fn look_at_config(&self, rest: &str) -> Answer {
        let (verb, path, value) = three(rest);
        let handle = self.inner().config_handle().clone();
        match verb.to_lowercase().as_str() {
            "" | "show" | "get" => {
                let whole = redact(&handle.snapshot().resolved, schema());
                let found = at(&whole, path).ok_or_else(|| format!("`{path}` is not set"))?;
                Ok(shown(found))
            }
            "set" if !path.is_empty() && !value.is_empty() => {
                let (to, value) = (path.to_owned(), read_value(value));
                let written = off_thread(move || handle.set_path(&to, value)).await;
                written.map_err(words)?.map_err(words)?;
                Ok(format!("⚙️ Set {path}."))
            }
            "unset" if !path.is_empty() => {
                let to = path.to_owned();
                let written = off_thread(move || handle.unset_path(&to)).await;
                written.map_err(words)?.map_err(words)?;
                Ok(format!("⚙️ Removed {path}."))
            }
            _ => {
                Err("write /config show [path], /config set <path> <value> or /config unset <path>"
                    .to_owned())
            }
        }
    }

    /// `/debug show|set|unset|reset`: settings that hold until the next start.
    pub(super) async fn override_config(&self, rest: &str) -> Answer {
        let (verb, path, value) = three(rest);
        let handle = self.inner().config_handle().clone();
        match verb.to_lowercase().as_str() {
            "" | "show" => Ok(shown(&redact(&handle.overrides(), schema()))),
            "set" if !path.is_empty() && !value.is_empty() => {
                let (to, value) = (path.to_owned(), read_value(value));
                let set = off_thread(move || handle.set_override(&to, value)).await;
                set.map_err(words)?.map_err(words)?;
                Ok(format!("⚙️ {path} holds until the next start."))
            }
            "unset" if !path.is_empty() => {
                let to = path.to_owned();
                let unset = off_thread(move || handle.unset_override(&to)).await;
                unset.map_err(words)?.map_err(words)?;
                Ok(format!("⚙️ {path} is as the file says."))
            }
            "reset" => {
                let reset = off_thread(move || handle.reset_overrides()).await;
                reset.map_err(words)?.map_err(words)?;
                Ok("⚙️ Everything is as the file says.".to_owned())
            }
            _ => Err("write /debug show, /debug set <path> <value>, /debug unset <path> or /debug reset"
                .to_owned()),
        }
    }

    /// `/restart`.
    pub(super) async fn restart(&self, begun: &OpenCommand) -> Answer {
        let arguments = json!({"action": "restart", "note": "asked for by /restart"});
        self.use_tool(begun, "gateway", arguments).await.map(|_said| "⚙️ Restarting.".to_owned())
    }

    /// `/approve id decision`.
    pub(super) fn answer_question(&self, begun: &OpenCommand, rest: &str) -> Answer {
        let (id, decision) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let Some(verdict) = ApprovalDecision::parse(decision) else {
            return Err("write /approve <id> allow-once, allow-always or deny".to_owned());
        };
        let router = self.approvals();
        let Some(question) = router.find(id).ok().filter(|question| question.outcome.is_none()) else {
            return Err(format!("no question `{id}` is open"));
        };
        // Somebody who may use commands in one conversation does not decide for another. And what is asked because of
        // their own words is asked of the owner: they may take it back, not allow it.
        let message = begun.admitted.message();
        let is_here = question.request.session_key.as_ref() == Some(begun.admitted.session_key());
        let may_allow =
            begun.admitted.standing().is_owner || self.chat_approvals().is_asked(&question, message);
        if !may_allow && !is_here {
            return Err(format!("no question `{id}` is open"));
        }
        if !may_answer(verdict, may_allow) {
            return Err(
                "only the owner may allow this; who that is stands in commands.ownerAllowFrom".to_owned()
            );
        }
        router.resolve(&question.id, verdict, &name_of(message)).map_err(words)?;
        Ok(match verdict {
            ApprovalDecision::AllowOnce => "✅ Allowed once.".to_owned(),
            ApprovalDecision::AllowAlways => "✅ Allowed from now on.".to_owned(),
            ApprovalDecision::Deny => "⛔ Denied.".to_owned(),
        })
    }

    /// `/bash`, `!`: a command on the host, by the owner's own hand.
    pub(super) async fn run_on_host(&self, begun: &OpenCommand, command: &str) -> Answer {
        let foreground = self.inner().config().commands.bash_foreground;
        let wait = millis(foreground);
        let mut parts = command.splitn(2, char::is_whitespace);
        match (parts.next().unwrap_or_default(), parts.next().map(str::trim)) {
            ("poll" | "!poll", job) => {
                let arguments = match job {
                    Some(job) => json!({"action": "poll", "sessionId": job}),
                    None => json!({"action": "list"}),
                };
                self.use_tool(begun, "process", arguments).await
            }
            ("stop" | "!stop", Some(job)) => {
                self.use_tool(begun, "process", json!({"action": "kill", "sessionId": job})).await
            }
            _ => self.use_tool(begun, "exec", json!({"command": command, "yieldMs": wait})).await,
        }
    }

    /// Calls a tool in the conversation, past policy and gate, and tells what it said.
    async fn use_tool(&self, begun: &OpenCommand, tool: &str, arguments: Value) -> Answer {
        let call = Invocation {
            session_key: begun.admitted.session_key().clone(),
            tool: tool.to_owned(),
            arguments,
            action: None,
            call_id: Some(begun.run.id.to_string()),
            when_asked: WhenAsked::Ask,
            is_admin: begun.admitted.standing().is_owner,
        };
        match self.setup().invoke(call, begun.run.cancel.clone()).await.map_err(words)? {
            Invoked::Ran(outcome) if outcome.is_error => Err(said(&outcome)),
            Invoked::Ran(outcome) => Ok(said(&outcome)),
            Invoked::NotOffered => Err(format!("the tool `{tool}` is turned off here")),
            Invoked::NotAllowed(why) => Err(why),
            Invoked::TimedOut => Err("it took too long and was stopped".to_owned()),
        }
    }
}

/// Whether somebody may answer so: whoever may not allow may still take back what they led to.
fn may_answer(verdict: ApprovalDecision, may_allow: bool) -> bool {
    may_allow || verdict == ApprovalDecision::Deny
}

fn said(outcome: &ToolOutcome) -> String {
    let texts = outcome.content.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        UserBlock::Image { .. } | UserBlock::Document { .. } => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let shown = text.clip_chars(MAX_OUTPUT).to_owned();
    if shown.len() < text.len() { format!("{shown}…") } else { shown }
}

/// A verb, a path and the rest.
fn three(text: &str) -> (&str, &str, &str) {
    let (verb, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let rest = rest.trim();
    let (path, value) = match rest.split_once('=') {
        // `path=value` is as good as `path value`.
        Some((path, value)) if !path.trim().contains(char::is_whitespace) => (path, value),
        Some(_) | None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
    };
    (verb, path.trim(), value.trim())
}

fn read_value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_plain| Value::String(text.to_owned()))
}

fn at<'v>(whole: &'v Value, path: &str) -> Option<&'v Value> {
    let mut parts = path.split('.').filter(|part| !part.is_empty());
    parts.try_fold(whole, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        value => value.get(part),
    })
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    let cut = text.clip_chars(MAX_SHOWN).to_owned();
    let more = if cut.len() < text.len() { "\n…" } else { "" };
    format!("```\n{cut}{more}\n```")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use homard_protocol::methods::approvals::ApprovalDecision;

    use super::{at, may_answer, read_value, three};

    #[test]
    fn only_the_owner_allows_what_is_asked() {
        for (verdict, others_may) in [
            (ApprovalDecision::AllowOnce, false),
            (ApprovalDecision::AllowAlways, false),
            (ApprovalDecision::Deny, true),
        ] {
            assert_eq!((may_answer(verdict, true), may_answer(verdict, false)), (true, others_may));
        }
    }

    #[test]
    fn settings_are_named_in_either_way() {
        for (text, parts) in [
            ("set a.b 3", ("set", "a.b", "3")),
            ("set a.b=3", ("set", "a.b", "3")),
            ("set a.b hello = you", ("set", "a.b", "hello = you")),
            ("show", ("show", "", "")),
            ("get a", ("get", "a", "")),
            ("", ("", "", "")),
        ] {
            assert_eq!(three(text), parts, "{text}");
        }
        assert_eq!(
            [read_value("3"), read_value("x"), read_value("true")],
            [json!(3), json!("x"), json!(true)]
        );
        let whole = json!({"a": [{"b": 1}]});
        assert_eq!(
            (at(&whole, "a.0.b"), at(&whole, "a.1"), at(&whole, "")),
            (Some(&json!(1)), None, Some(&whole))
        );
    }
}
