//! What is heard and what is read become one conversation.

use homard_protocol::RunId;
use homard_protocol::methods::chat::ChatSendParams;
use serde_json::{Value, json};

use super::{Chat, ItemBody, SendState};
use crate::testing::{HERE, NOW, assistant, delta, event, page, text, user};
use crate::wire::GatewayNews;

/// The conversation in short.
fn told(chat: &Chat) -> Vec<String> {
    let line = |body: &ItemBody| match body {
        ItemBody::User { text, state, .. } => match state {
            SendState::Sent => format!("you: {text}"),
            state => format!("you: {text} {state:?}"),
        },
        ItemBody::Text { text, streaming, ending } => {
            format!(
                "it: {text}{}{}",
                if *streaming { "…" } else { "" },
                ending.map(|e| format!(" ({})", e.words())).unwrap_or_default()
            )
        }
        ItemBody::Thinking { text, .. } => format!("thought: {text}"),
        ItemBody::Tool(card) => format!("{} {} {:?}: {}", card.name, card.summary, card.state, card.output),
        ItemBody::Error(text) => format!("error: {text}"),
        ItemBody::Note(text) => format!("note: {text}"),
        ItemBody::Shell { command, .. } => format!("shell: {command}"),
    };
    chat.items().iter().map(|item| line(&item.body)).collect()
}

fn hear(chat: &mut Chat, happened: GatewayNews) -> bool {
    match happened {
        GatewayNews::Chat(step) => chat.hear_chat(&step, NOW),
        GatewayNews::Agent(step) => chat.hear_agent(step, NOW),
        GatewayNews::Said(step) => chat.hear_said(&step),
        other => panic!("not of a chat: {other:?}"),
    }
}

fn send(chat: &mut Chat, run: &str, words: &str) {
    let params: ChatSendParams =
        serde_json::from_value(json!({"sessionKey": HERE, "message": words, "idempotencyKey": run})).unwrap();
    assert_eq!(params.idempotency_key, RunId::parse(run).unwrap());
    chat.send(params, false, NOW);
}

fn tool(run: &str, data: &Value) -> GatewayNews {
    event("agent", json!({"runId": run, "stream": "tool", "data": data}))
}

fn ended(run: &str, state: &str, more: &Value) -> GatewayNews {
    let mut payload = json!({"runId": run, "state": state});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event("chat", payload)
}

#[test]
fn a_turn_heard_live_reads_the_same_as_the_history_of_it() {
    let mut chat = Chat::default();
    chat.adopt(&page(&[], json!({})), NOW);
    send(&mut chat, "r", "look");
    assert_eq!(told(&chat), ["you: look Sending"]);
    chat.sent("r", true);
    hear(&mut chat, delta("r", "Let me see."));
    hear(
        &mut chat,
        tool("r", &json!({"phase": "start", "toolCallId": "c", "name": "exec", "args": {"command": "ls"}})),
    );
    hear(&mut chat, delta("r", "Let me see.\n\nTwo fi"));
    assert_eq!(told(&chat), ["you: look", "it: Let me see.", "exec ls Running: ", "it: Two fi…"]);
    hear(
        &mut chat,
        tool(
            "r",
            &json!({"phase": "result", "toolCallId": "c", "name": "exec", "isError": false, "result": {"content": [{"type": "text", "text": "a b"}]}}),
        ),
    );
    assert!(hear(
        &mut chat,
        ended(
            "r",
            "final",
            &json!({"message": {"content": [{"type": "text", "text": "Let me see.\n\nTwo files."}]}})
        )
    ));
    let live = told(&chat);
    assert_eq!(live, ["you: look", "it: Let me see.", "exec ls Done: a b", "it: Two files."]);
    assert!(!chat.is_running());
    let stored = [
        user("r", "look"),
        assistant(
            &json!([{"type": "text", "text": "Let me see."}, {"type": "toolCall", "id": "c", "name": "exec", "arguments": {"command": "ls"}}]),
        ),
        json!({"role": "toolResult", "toolCallId": "c", "toolName": "exec", "content": [{"type": "text", "text": "a b"}], "isError": false, "timestamp": 3}),
        text("Two files."),
    ];
    let ids: Vec<String> = chat.items().iter().map(|item| item.id.clone()).collect();
    chat.adopt(&page(&stored, json!({})), NOW);
    assert_eq!(told(&chat), live);
    assert_eq!(chat.items().iter().map(|item| item.id.clone()).collect::<Vec<_>>(), ids);
    hear(&mut chat, delta("r", "a straggler"));
    assert_eq!(told(&chat), live);
}

#[test]
fn after_a_lost_connection_nothing_is_lost_and_nothing_is_there_twice() {
    let mut chat = Chat::default();
    chat.adopt(&page(&[user("a", "one"), text("first")], json!({})), NOW);
    send(&mut chat, "r", "two");
    chat.sent("r", true);
    hear(&mut chat, delta("r", "sec"));
    // The connection goes; meanwhile a second message is written.
    send(&mut chat, "q", "three");
    chat.not_sent("q", None);
    assert_eq!(told(&chat), ["you: one", "it: first", "you: two", "it: sec…", "you: three Unsent"]);
    // It comes back while the run still writes.
    let again = chat.resend(NOW);
    assert_eq!(again.len(), 1);
    let flight = json!({"inFlightRun": {"runId": "r", "text": "second"}, "sessionInfo": {"hasActiveRun": true, "activeRunIds": ["r"]}});
    chat.adopt(&page(&[user("a", "one"), text("first"), user("r", "two")], flight), NOW);
    assert_eq!(told(&chat), ["you: one", "it: first", "you: two", "it: second…", "you: three Sending"]);
    chat.sent("q", true);
    // The answer was written to its end while nobody listened.
    let all = [
        user("a", "one"),
        text("first"),
        user("r", "two"),
        text("second, whole"),
        user("q", "three"),
        text("third"),
    ];
    chat.adopt(&page(&all, json!({})), NOW);
    assert_eq!(
        told(&chat),
        ["you: one", "it: first", "you: two", "it: second, whole", "you: three", "it: third"]
    );
    assert!(!chat.is_running());
    assert!(chat.resend(NOW).is_empty());
}

#[test]
fn what_is_said_while_a_run_goes_on_waits_beside_the_conversation() {
    let mut chat = Chat::default();
    chat.adopt(&page(&[], json!({})), NOW);
    send(&mut chat, "r", "one");
    send(&mut chat, "q", "two");
    assert_eq!((told(&chat).len(), chat.waiting.len()), (1, 1));
    hear(
        &mut chat,
        ended("r", "final", &json!({"message": {"content": [{"type": "text", "text": "done"}]}})),
    );
    hear(&mut chat, delta("q", "now the"));
    assert_eq!(told(&chat), ["you: one Sending", "it: done", "you: two", "it: now the…"]);
    assert!(chat.waiting.is_empty());
}

#[test]
fn a_message_that_was_handed_to_the_run_leaves_the_queue() {
    let mut chat = Chat::default();
    chat.adopt(&page(&[], json!({})), NOW);
    send(&mut chat, "r", "one");
    send(&mut chat, "q", "two");
    let said = json!({"role": "user", "content": "two", "timestamp": 1, "idempotencyKey": "q:steer"});
    hear(&mut chat, event("session.message", json!({"message": said, "messageId": "x"})));
    hear(&mut chat, ended("q", "final", &json!({})));
    assert!(chat.waiting.is_empty());
    assert_eq!(told(&chat), ["you: one Sending", "you: two"]);
    assert!(chat.is_running());
}

#[test]
fn ends_that_are_none_are_told() {
    let cases = [
        (
            "aborted",
            json!({"message": {"content": [{"type": "text", "text": "half"}]}}),
            vec!["you: x", "it: half (stopped)"],
        ),
        ("aborted", json!({}), vec!["you: x", "note: stopped"]),
        ("error", json!({"errorMessage": "no key"}), vec!["you: x", "error: no key"]),
        ("final", json!({}), vec!["you: x"]),
    ];
    for (state, more, wanted) in cases {
        let mut chat = Chat::default();
        chat.adopt(&page(&[], json!({})), NOW);
        send(&mut chat, "r", "x");
        chat.sent("r", true);
        hear(&mut chat, ended("r", state, &more));
        assert_eq!(told(&chat), wanted, "{state}");
    }
}

#[test]
fn a_run_somebody_else_started_makes_the_history_be_read() {
    let mut chat = Chat::default();
    chat.adopt(&page(&[], json!({})), NOW);
    assert!(hear(&mut chat, delta("other", "hello")));
    assert!(!hear(&mut chat, delta("other", "hello you")));
    assert_eq!(told(&chat), ["it: hello you…"]);
}

#[test]
fn older_messages_go_above_and_stay_there_when_the_newest_are_read_again() {
    let mut chat = Chat::default();
    let more = json!({"hasMore": true, "nextOffset": 2, "totalMessages": 4});
    chat.adopt(&page(&[user("c", "three"), text("3")], more), NOW);
    chat.adopt_older(&page(&[user("b", "two"), text("2")], json!({"hasMore": false, "totalMessages": 4})));
    assert_eq!(told(&chat), ["you: two", "it: 2", "you: three", "it: 3"]);
    let grown = json!({"hasMore": true, "nextOffset": 2, "totalMessages": 6});
    chat.adopt(&page(&[user("c", "three"), text("3"), user("d", "four"), text("4")], grown), NOW);
    assert_eq!(told(&chat), ["you: two", "it: 2", "you: three", "it: 3", "you: four", "it: 4"]);
    assert!(!chat.older.has_more);
    let far = page(&[user("z", "far later")], json!({"hasMore": true, "totalMessages": 99}));
    assert!(chat.leaves_hole(&far));
}

#[test]
fn the_history_of_odd_messages_is_read_as_far_as_it_goes() {
    let messages = [
        json!({"role": "user", "content": "[media attached: /x/abc-cat.png (image/png)]\nsee this", "timestamp": 1, "__openclaw": {"senderLabel": "Ann\u{1b}[2J", "id": "1"}}),
        json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}], "api": "x", "provider": "p", "model": "m", "stopReason": "aborted", "errorMessage": "interrupted by a restart", "timestamp": 1,
            "usage": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": {"input": 0.0, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.0}}}),
        json!({"role": "system", "content": [{"type": "text", "text": "what was"}], "__openclaw": {"kind": "compaction", "id": "2"}}),
        json!({"role": "martian"}),
        json!(17),
    ];
    let mut chat = Chat::default();
    chat.adopt(&page(&messages, json!({})), NOW);
    assert_eq!(
        told(&chat),
        [
            "you: see this",
            "thought: hm",
            "note: interrupted",
            "note: everything above is told to the model as a summary from here on\n\nwhat was",
        ]
    );
    let ItemBody::User { files, sender, .. } = &chat.items()[0].body else { panic!("not a user") };
    assert_eq!((files.as_slice(), sender.as_deref()), (["abc-cat.png".to_owned()].as_slice(), Some("Ann")));
}
