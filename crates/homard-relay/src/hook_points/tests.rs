//! Filters in the real places: what they see, change, refuse, and what a late one does to a turn.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_channel::Inbound;
use homard_protocol::{SessionKey, TurnSource};
use homard_runtime::Mutex;
use homard_store::{ResetReason, RunStatus};
use homard_tools::{
    DynTool, HookAnswer, HookError, HookOccasion, HookPoint, HookValue, ToolCx, ToolOutcome, ToolSpec,
    Toolbox,
};
use serde_json::{Value, json};

use crate::delivery::outbox::OutgoingText;
use crate::events::DomainEvent;
use crate::fixture::{Platform, Shared, World, abilities, address};
use crate::turns::accept::AcceptError;
use crate::turns::queue::Queue;
use crate::turns::request::TurnOptions;

type Asked<T> = Arc<Mutex<Vec<T>>>;

/// A tool that remembers what it was asked to do, by a name every policy knows.
#[derive(Clone, Default)]
struct Lamp {
    asked: Asked<Value>,
}

impl DynTool for Lamp {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read".to_owned(),
            description: "A lamp.".to_owned(),
            parameters: json!({"type": "object"}),
            parallel: false,
        }
    }

    fn call<'a>(&'a self, arguments: Value, _cx: &'a ToolCx) -> BoxFuture<'a, ToolOutcome> {
        self.asked.lock().push(arguments);
        async { ToolOutcome::text("it shines") }.boxed()
    }
}

async fn open(lamp: &Lamp) -> (World, Arc<Platform>) {
    let tools = Toolbox::default().with(Arc::new(lamp.clone()));
    let (world, platform) = (World::with_tools(json!({}), tools), Platform::new(abilities()));
    let account: homard_channel::SharedChannel = Arc::new(Shared(Arc::clone(&platform)));
    world.relay.platforms().open_channels(vec![account]).await.unwrap();
    (world, platform)
}

fn text(occasion: &HookOccasion) -> String {
    match &occasion.value {
        HookValue::Text(text) => text.clone(),
        HookValue::Nothing | HookValue::Arguments(_) => String::new(),
    }
}

/// What the model was told last.
fn told_last(world: &World) -> String {
    world
        .talker
        .asked()
        .last()
        .and_then(|request| request.messages.last())
        .map(|last| last.text())
        .unwrap_or_default()
}

#[tokio::test]
async fn a_filter_changes_what_goes_out_and_holds_back_what_must_not() {
    let (world, platform) = open(&Lamp::default()).await;
    world.relay.hook_points().add(HookPoint::MessageOut, "loud", |occasion| async move {
        Ok(match text(&occasion) {
            quiet if quiet.contains("hush") => HookAnswer::Refuse("people sleep".to_owned()),
            text => HookAnswer::Change(HookValue::Text(text.to_uppercase())),
        })
    });
    let saying = |text: &str| {
        let (address, key) = (address("7"), text.to_owned());
        OutgoingText { address, text: text.to_owned(), reply_to: None, key }
    };
    world.relay.outgoing().say(saying("hush now")).await.unwrap();
    world.relay.outgoing().say(saying("a note")).await.unwrap();
    world.talker.says("hush");
    let held_back = world.asks("r1", "hello", &address("7")).await;
    world.ended(&held_back).await;
    world.talker.says("Good evening.");
    let run = world.asks("r2", "hello", &address("7")).await;
    world.ended(&run).await;
    assert_eq!(platform.told(2).await, ["A NOTE", "GOOD EVENING."]);
}

#[tokio::test]
async fn a_late_filter_is_passed_over_and_the_answer_goes_out() {
    let (world, platform) = open(&Lamp::default()).await;
    world.relay.hook_points().add_within(
        HookPoint::MessageOut,
        "slow",
        Duration::from_millis(1),
        |_| async { std::future::pending::<Result<HookAnswer, HookError>>().await },
    );
    world.talker.says("Good evening.");
    let run = world.asks("r1", "hello", &address("7")).await;
    world.ended(&run).await;
    assert_eq!(platform.told(1).await, ["Good evening."]);
}

#[tokio::test]
async fn a_filter_refuses_a_call_and_the_model_reads_why() {
    let lamp = Lamp::default();
    let (world, _platform) = open(&lamp).await;
    let called: Asked<(String, bool)> = Arc::default();
    let heard = Arc::clone(&called);
    world.relay.events().subscribe(move |event| {
        if let DomainEvent::ToolCalled { tool, failed, .. } = event {
            heard.lock().push((tool.clone(), *failed));
        }
    });
    world.relay.hook_points().add(HookPoint::BeforeToolCall, "dark", |occasion| async move {
        Ok(match occasion.value {
            HookValue::Arguments(wanted) if wanted["room"] == "nursery" => {
                HookAnswer::Refuse("the child sleeps".to_owned())
            }
            _ => HookAnswer::Change(HookValue::Arguments(json!({"room": "hall", "dim": true}))),
        })
    });
    world.talker.calls("read", json!({"room": "nursery"}));
    world.talker.says("Then not.");
    let run = world.asks("r1", "light!", &address("7")).await;
    world.ended(&run).await;
    assert_eq!(told_last(&world), "not run: the child sleeps");
    assert!(lamp.asked.lock().is_empty());

    world.talker.calls("read", json!({"room": "hall"}));
    world.talker.says("There you are.");
    let run = world.asks("r2", "light!", &address("7")).await;
    world.ended(&run).await;
    assert_eq!(told_last(&world), "it shines");
    assert_eq!(*lamp.asked.lock(), [json!({"room": "hall", "dim": true})]);
    assert_eq!(*called.lock(), [("read".to_owned(), true), ("read".to_owned(), false)]);
}

#[tokio::test]
async fn a_filter_lets_messages_in_in_other_words_or_not_at_all() {
    let (world, _platform) = open(&Lamp::default()).await;
    world.relay.hook_points().add(HookPoint::MessageIn, "bouncer", |occasion| async move {
        Ok(match text(&occasion) {
            rude if rude.contains("damn") => HookAnswer::Refuse("be polite".to_owned()),
            text => HookAnswer::Change(HookValue::Text(format!("{text}, please"))),
        })
    });
    let key = SessionKey::parse("agent:main:main").unwrap();
    let rude = Inbound::from_operator(key, "r1".to_owned(), "damn light".to_owned(), 1);
    let refused = world.relay.accept(rude, TurnOptions::of(TurnSource::Agent), Queue::Wait).await;
    assert!(
        matches!(&refused, Err(error @ AcceptError::HeldBack(_)) if error.to_string() == "not taken: be polite"),
        "{refused:?}"
    );
    world.talker.says("Good evening.");
    let run = world.asks("r2", "light", &address("7")).await;
    world.ended(&run).await;
    assert!(told_last(&world).ends_with("light, please"), "{}", told_last(&world));
}

#[tokio::test]
async fn a_filter_adds_to_the_prompt_and_keeps_a_model_from_being_asked() {
    let (world, _platform) = open(&Lamp::default()).await;
    world.relay.hook_points().add(HookPoint::BeforePrompt, "weather", |_| async {
        Ok(HookAnswer::Change(HookValue::Text("It rains.".to_owned())))
    });
    world.talker.says("Take an umbrella.");
    let run = world.asks("r1", "how is it?", &address("7")).await;
    world.ended(&run).await;
    assert!(world.talker.asked()[0].system.ends_with("\nIt rains.\n"));

    world.relay.hook_points().add(HookPoint::BeforeModelCall, "holiday", |occasion| async move {
        Ok(HookAnswer::Refuse(format!("{} is on holiday", occasion.subject.unwrap_or_default())))
    });
    let run = world.asks("r2", "and now?", &address("7")).await;
    world.ended(&run).await;
    let ended = world.store.runs().get(&run).await.unwrap().unwrap();
    assert_eq!(ended.status, RunStatus::Error);
    assert!(ended.error.unwrap().contains("not asked: test/talker is on holiday"));
    assert_eq!(world.talker.asked().len(), 1);
}

#[tokio::test]
async fn a_turn_passes_its_points_in_order() {
    let (world, platform) = open(&Lamp::default()).await;
    let passed: Asked<&'static str> = Arc::default();
    for &point in HookPoint::ALL {
        let passed = Arc::clone(&passed);
        world.relay.hook_points().add(point, "watch", move |occasion| {
            passed.lock().push(occasion.point.name());
            async { Ok(HookAnswer::Pass) }
        });
    }
    world.talker.calls("read", json!({}));
    world.talker.says("There you are.");
    let run = world.asks("r1", "light!", &address("7")).await;
    world.ended(&run).await;
    platform.told(1).await;
    let key = SessionKey::parse("agent:main:main").unwrap();
    world.relay.sessions().reset(&key, ResetReason::New).await.unwrap();
    assert_eq!(
        *passed.lock(),
        [
            "message in",
            "session start",
            "before prompt",
            "after prompt",
            "agent start",
            "before model call",
            "after model call",
            "before tool call",
            "after tool call",
            "before model call",
            "after model call",
            "message out",
            "agent end",
            "session end",
            "session reset",
        ]
    );
}
