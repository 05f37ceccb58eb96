//! `message`: writing to people on chat platforms.

use std::sync::Arc;

use crate::cx::ToolCx;
use crate::gate::Subject;
use crate::outcome::ToolOutcome;
use crate::ports::{MessageArgs, MessagePort, MessageVerb, Ports, told};
use crate::registry::ToolEntry;
use crate::tool::Tool;

pub(crate) const ENTRY: ToolEntry = ToolEntry { build: |_options| Some(Arc::new(MessageTool)) };

pub(crate) struct MessageTool;

impl Tool for MessageTool {
    type Input = MessageArgs;
    const NAME: &'static str = "message";
    const BRIEF: bool = true;

    fn subject(input: &MessageArgs) -> Subject {
        // What is said in this conversation could as well be the answer, which nobody is asked about.
        if input.dry_run || is_answer(input) {
            return Subject::looking();
        }
        Subject { grant: grant(input), ..Subject::default() }
    }

    fn is_open(&self, ports: &Ports) -> bool {
        ports.message().is_ok_and(MessagePort::is_anywhere)
    }

    async fn run(&self, input: MessageArgs, cx: &ToolCx) -> ToolOutcome {
        match cx.scope.ports.message() {
            Ok(room) => told(room.act(cx, input).await),
            Err(error) => ToolOutcome::from_error(&error),
        }
    }
}

/// What "always" would allow: words and nothing else, to the same place.
fn grant(wish: &MessageArgs) -> Option<String> {
    let is_words = wish.media.is_none() && wish.more_media.is_empty() && wish.buffer.is_none();
    let (Some(target), true) = (&wish.target, is_words && wish.action == MessageVerb::Send) else {
        return None;
    };
    let channel = wish.channel.as_deref().unwrap_or("the platform of this conversation");
    let account = wish.account_id.as_deref().unwrap_or("the usual account");
    Some(format!("texts to {target} on {channel} by {account}"))
}

/// Whether a call says something in the conversation it is made in, and nothing but words.
fn is_answer(wish: &MessageArgs) -> bool {
    let says = matches!(
        wish.action,
        MessageVerb::Send | MessageVerb::Reply | MessageVerb::React | MessageVerb::Poll
    );
    let elsewhere = wish.channel.is_some()
        || wish.target.is_some()
        || wish.account_id.is_some()
        || wish.thread_id.is_some()
        || !wish.targets.is_empty();
    // What a button says comes back as the words of whoever presses it.
    let carries = !wish.buttons.is_empty()
        || wish.media.is_some()
        || wish.buffer.is_some()
        || !wish.more_media.is_empty();
    says && !elsewhere && !carries
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::MessageTool;
    use crate::tool::Tool;

    #[test]
    fn only_words_in_this_conversation_pass_without_a_question() {
        let rows = [
            (json!({"message": "hi"}), true),
            (json!({"action": "react", "messageId": 1, "emoji": "👍"}), true),
            (json!({"action": "poll", "pollQuestion": "?", "pollOption": ["a", "b"]}), true),
            (json!({"message": "hi", "target": "telegram:1"}), false),
            (json!({"message": "hi", "channel": "irc"}), false),
            (json!({"message": "hi", "threadId": 3}), false),
            (json!({"message": "hi", "media": "notes.txt"}), false),
            (json!({"message": "hi", "buttons": [[{"text": "a", "callback_data": "b"}]]}), false),
            (json!({"action": "broadcast", "message": "hi", "targets": ["a"]}), false),
            (json!({"action": "delete", "messageId": 1}), false),
            (json!({"action": "pin", "messageId": 1}), false),
            (json!({"message": "hi", "target": "telegram:1", "dryRun": true}), true),
        ];
        for (arguments, passes) in rows {
            let input = serde_json::from_value(arguments.clone()).unwrap();
            assert_eq!(MessageTool::subject(&input).only_looks, passes, "{arguments}");
        }
    }
}
