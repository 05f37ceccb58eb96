//! How a run is told.

use std::sync::Arc;

use homard_agent::{Step, Trigger};
use homard_protocol::RunId;
use homard_runtime::{Clock, Mutex};
use serde_json::{Value, json};

use super::{Narrator, Subject, Thoughts, reasoning};
use crate::bus::{Bus, BusListener, EventHeading, Published};

/// Names and payloads, in order.
type Heard = Arc<Mutex<Vec<(String, Value)>>>;

struct Sink(Heard);

impl BusListener for Sink {
    fn wants(&self, _event: &EventHeading) -> bool {
        true
    }

    fn hear(&self, event: &Published) {
        let payload = serde_json::from_str(&event.payload).unwrap();
        self.0.lock().push((event.heading.name.to_owned(), payload));
    }
}

fn narrator() -> (Narrator, Heard) {
    let bus = Bus::default();
    let heard = Arc::new(Mutex::new(Vec::new()));
    bus.listen(Arc::new(Sink(Arc::clone(&heard))));
    let subject = Subject {
        is_heartbeat: false,
        run: RunId::parse("r").unwrap(),
        run_text: "r".into(),
        session_key: "agent:main:main".into(),
        agent: Some("main".into()),
    };
    (Narrator::new(subject, bus, Clock::fixed(5)), heard)
}

fn deltas(heard: &Mutex<Vec<(String, Value)>>) -> Vec<String> {
    let heard = heard.lock();
    heard.iter().filter_map(|(_, p)| p["deltaText"].as_str().map(str::to_owned)).collect()
}

#[tokio::test(start_paused = true)]
async fn the_first_words_are_told_at_once_and_the_rest_is_gathered() {
    let (narrator, heard) = narrator();
    narrator.step(&Step::Asking);
    narrator.step(&Step::Text("a"));
    assert_eq!(deltas(&heard), ["a"]);
    narrator.step(&Step::Text("b"));
    narrator.step(&Step::Text("c"));
    assert_eq!(deltas(&heard), ["a"]);
    narrator.due().await;
    narrator.flush();
    assert_eq!(deltas(&heard), ["a", "bc"]);
    let last = heard.lock().last().cloned().unwrap().1;
    assert_eq!(last["message"]["content"][0]["text"], "abc");
}

#[tokio::test(start_paused = true)]
async fn answers_of_one_run_are_separated_by_a_blank_line() {
    let (narrator, heard) = narrator();
    narrator.step(&Step::Asking);
    narrator.step(&Step::Text("one"));
    narrator.step(&Step::Asking);
    narrator.step(&Step::Text("two"));
    narrator.flush();
    assert_eq!(deltas(&heard).concat(), "one\n\ntwo");
    assert_eq!(narrator.text(), "one\n\ntwo");
    let heard = heard.lock();
    let told: Vec<&Value> =
        heard.iter().filter(|(_, p)| p["stream"] == "assistant").map(|(_, p)| &p["data"]).collect();
    assert_eq!((&told[1]["text"], &told[1]["itemId"]), (&"two".into(), &"r:2".into()));
}

#[tokio::test(start_paused = true)]
async fn what_may_be_silence_is_not_told() {
    let (narrator, heard) = narrator();
    narrator.step(&Step::Asking);
    narrator.step(&Step::Text("NO_RE"));
    narrator.flush();
    assert!(deltas(&heard).is_empty());
    narrator.step(&Step::Text("ASON"));
    narrator.flush();
    assert_eq!(deltas(&heard), ["NO_REASON"]);
}

#[tokio::test(start_paused = true)]
async fn reasoning_is_told_whole_and_gathered_like_text() {
    let (narrator, heard) = narrator();
    narrator.step(&Step::Asking);
    for word in ["let ", "me ", "see"] {
        narrator.step(&Step::Thinking(word));
    }
    narrator.step(&Step::Text("done"));
    let heard = heard.lock();
    let told: Vec<(&str, &str)> = heard
        .iter()
        .filter(|(_, payload)| payload["stream"] == "thinking")
        .map(|(_, payload)| {
            (payload["data"]["text"].as_str().unwrap(), payload["data"]["delta"].as_str().unwrap())
        })
        .collect();
    assert_eq!(told, [("let ", "let "), ("let me see", "me see")]);
}

#[tokio::test(start_paused = true)]
async fn reasoning_is_told_as_the_session_wants_it() {
    let cases = [(Thoughts::Off, "done", 0), (Thoughts::On, "Reasoning:\n_let me see_\n\ndone", 0)];
    for (reasoning, text, thoughts) in cases {
        let (narrator, heard) = narrator();
        narrator.set_reasoning(reasoning);
        narrator.step(&Step::Asking);
        narrator.step(&Step::Thinking("let me see"));
        narrator.step(&Step::Text("do"));
        narrator.step(&Step::Text("ne"));
        assert_eq!(narrator.text(), text);
        let told = heard.lock().iter().filter(|(_, p)| p["stream"] == "thinking").count();
        assert_eq!(told, thoughts, "{reasoning:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_compaction_is_told_from_start_to_end() {
    let (narrator, heard) = narrator();
    narrator.step(&Step::Compacting { trigger: Trigger::Overflow, tokens_before: 90 });
    narrator.step(&Step::Compacted {
        trigger: Trigger::Overflow,
        tokens_before: 90,
        tokens_after: 40,
        listed: true,
    });
    let heard = heard.lock();
    let told: Vec<&Value> =
        heard.iter().filter(|(_, p)| p["stream"] == "compaction").map(|(_, p)| &p["data"]).collect();
    assert_eq!(
        told,
        [
            &json!({"phase": "start", "trigger": "overflow", "tokensBefore": 90}),
            &json!({"phase": "end", "trigger": "overflow", "tokensBefore": 90, "tokensAfter": 40,
                "summarised": false}),
        ]
    );
}

#[test]
fn reasoning_is_set_apart_line_by_line() {
    assert_eq!(reasoning(" one\n\ntwo \n"), "Reasoning:\n_one_\n\n_two_\n\n");
}
