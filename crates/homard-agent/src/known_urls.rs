//! Which addresses of a conversation somebody other than the model named.
//!
//! Looked up only when it matters: before a tool asks the web while words of others are in play.

use std::collections::BTreeMap;

use homard_protocol::{AssistantMessage, Message, ToolCall, ToolCallId, UserMessage};
use homard_tools::{Effect, Label, Source};

use crate::history::History;
use crate::turn::Turn;

/// How the runs are named that bring what another agent reports.
const REPORT: &str = "announce-";

/// Tells the gate which addresses are known, if one of these calls could want another.
pub(crate) fn note_for(calls: &[ToolCall], turn: &Turn, history: &History) {
    let is_web = |call: &ToolCall| turn.tools.get(&call.name).is_some_and(|tool| tool.reach() == Effect::Web);
    if turn.scope.taint.is_clean() || !calls.iter().any(is_web) {
        return;
    }
    let mut asked: BTreeMap<ToolCallId, String> = BTreeMap::new();
    for message in history.messages() {
        match &*message {
            // Without a time it is a summary, which the model wrote.
            Message::User(user) if user.timestamp != 0 && !is_report(user) => {
                turn.scope.known_urls.note(&user.content.text(), "");
            }
            Message::User(_) | Message::Other(_) => {}
            Message::Assistant(answer) => asked.extend(arguments(answer)),
            Message::ToolResult(result) => {
                let from_web = |label: &Label| matches!(label.source, Source::Web | Source::Search);
                // A file may hold an address the model wrote itself; a page cannot.
                if result.tool_name.starts_with("web_")
                    && Label::of(result.details.as_ref()).iter().any(from_web)
                {
                    let wrote = asked.get(&result.tool_call_id).map_or("", String::as_str);
                    turn.scope.known_urls.note(&message.text(), wrote);
                }
            }
        }
    }
}

fn arguments(answer: &AssistantMessage) -> impl Iterator<Item = (ToolCallId, String)> {
    answer.tool_calls().map(|call| (call.id.clone(), call.arguments.to_string()))
}

/// Whether a message is what another agent reports: a model wrote it, and may have put anything into an address.
fn is_report(user: &UserMessage) -> bool {
    user.idempotency_key.as_deref().is_some_and(|key| key.starts_with(REPORT))
}

#[cfg(test)]
mod tests {
    use homard_protocol::{UserContent, UserMessage};

    use super::is_report;

    #[test]
    fn addresses_in_a_report_of_another_agent_are_nobodys_wish() {
        let from = |key: Option<&str>| UserMessage {
            content: UserContent::Text("https://example.org/?what=was-read".to_owned()),
            timestamp: 1,
            idempotency_key: key.map(str::to_owned),
        };
        assert!(is_report(&from(Some("announce-subagent-0123456789abcdef:user"))));
        assert!(!is_report(&from(Some("web-1:user"))) && !is_report(&from(None)));
    }
}
