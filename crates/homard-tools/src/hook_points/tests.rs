//! Filters: their order, what they may do, and what becomes of those that are late, fail or break.

use std::sync::Arc;
use std::time::Duration;

use homard_runtime::Mutex;
use serde_json::json;

use super::{
    HookAbout, HookAnswer, HookError, HookOccasion, HookPoint, HookPoints, HookPower, HookRefusal, HookValue,
};

type Said = Result<HookAnswer, HookError>;

fn text(occasion: &HookOccasion) -> &str {
    match &occasion.value {
        HookValue::Text(text) => text,
        HookValue::Nothing | HookValue::Arguments(_) => "",
    }
}

/// Puts its name behind the text.
fn signs(hooks: &HookPoints, point: HookPoint, name: &'static str) {
    hooks.add(point, name, move |occasion| async move {
        Ok(HookAnswer::Change(HookValue::Text(format!("{}{name}", text(&occasion)))))
    });
}

async fn sent(hooks: &HookPoints, words: &str) -> Result<String, HookRefusal> {
    hooks.filter_text(HookPoint::MessageOut, HookAbout::default(), words.to_owned()).await
}

#[tokio::test]
async fn filters_change_the_value_one_after_the_other_in_the_order_they_came() {
    let hooks = HookPoints::default();
    for name in ["a", "b", "c"] {
        signs(&hooks, HookPoint::MessageOut, name);
    }
    signs(&hooks, HookPoint::MessageIn, "elsewhere");
    assert_eq!(sent(&hooks, "-").await, Ok("-abc".to_owned()));
}

#[tokio::test]
async fn whoever_refuses_is_the_last_to_be_asked() {
    let hooks = HookPoints::default();
    let later = Arc::new(Mutex::new(0));
    hooks.add(HookPoint::MessageOut, "guard", |_| async { Ok(HookAnswer::Refuse("not here".to_owned())) });
    let count = Arc::clone(&later);
    hooks.add(HookPoint::MessageOut, "later", move |_| {
        *count.lock() += 1;
        async { Ok(HookAnswer::Pass) }
    });
    let refusal = HookRefusal { by: "guard".to_owned(), words: "not here".to_owned() };
    assert_eq!(sent(&hooks, "hi").await, Err(refusal));
    assert_eq!(*later.lock(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_filter_that_is_late_is_passed_over_and_the_others_go_on() {
    let hooks = HookPoints::default();
    signs(&hooks, HookPoint::MessageOut, "a");
    hooks.add_within(HookPoint::MessageOut, "slow", Duration::from_millis(50), |_| async {
        std::future::pending::<Said>().await
    });
    hooks.add(HookPoint::MessageOut, "slower", |_| async { std::future::pending::<Said>().await });
    signs(&hooks, HookPoint::MessageOut, "b");
    assert_eq!(sent(&hooks, "-").await, Ok("-ab".to_owned()));
}

#[tokio::test]
async fn a_filter_that_fails_or_panics_is_passed_over() {
    let hooks = HookPoints::default();
    hooks.add(HookPoint::MessageOut, "fails", |_| async { Err(HookError("no database".to_owned())) });
    hooks.add(HookPoint::MessageOut, "panics", |_| async { panic!("a bug in a filter") });
    hooks.add(HookPoint::MessageOut, "panics at once", |occasion| {
        assert_eq!(text(&occasion), "another text", "a bug in a filter");
        async { Ok(HookAnswer::Pass) }
    });
    signs(&hooks, HookPoint::MessageOut, "b");
    assert_eq!(sent(&hooks, "-").await, Ok("-b".to_owned()));
}

#[tokio::test]
async fn nobody_does_what_a_point_does_not_allow() {
    for &point in HookPoint::ALL {
        let hooks = HookPoints::default();
        hooks.add(point, "other kind", |_| async {
            Ok(HookAnswer::Change(HookValue::Arguments(json!({"a": 1}))))
        });
        signs(&hooks, point, "!");
        let changed = hooks.filter_text(point, HookAbout::default(), "-".to_owned()).await;
        let may_change = matches!(point.allows(), HookPower::Change | HookPower::ChangeOrRefuse);
        assert_eq!(changed.as_deref(), Ok(if may_change { "-!" } else { "-" }), "{point:?}");
        hooks.add(point, "refuses", |_| async { Ok(HookAnswer::Refuse("no".to_owned())) });
        let refused = hooks.filter_text(point, HookAbout::default(), "-".to_owned()).await.is_err();
        let may_refuse = matches!(point.allows(), HookPower::Refuse | HookPower::ChangeOrRefuse);
        assert_eq!(refused, may_refuse, "{point:?}");
    }
}

#[tokio::test]
async fn where_nobody_listens_nothing_is_made_to_be_looked_at() {
    let hooks = HookPoints::default();
    assert!(HookPoint::ALL.iter().all(|&point| hooks.is_quiet(point)));
    hooks.watch(HookPoint::AfterToolCall, HookAbout::default(), || panic!("nobody looks")).await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&seen);
    hooks.add(HookPoint::AfterToolCall, "looks", move |occasion| {
        heard.lock().push((occasion.subject.clone(), occasion.value));
        async { Ok(HookAnswer::Pass) }
    });
    let about = HookAbout { subject: Some("read"), ..HookAbout::default() };
    hooks.watch(HookPoint::AfterToolCall, about, || HookValue::Text("words".to_owned())).await;
    assert_eq!(*seen.lock(), [(Some("read".to_owned()), HookValue::Text("words".to_owned()))]);
    assert!(hooks.is_quiet(HookPoint::BeforeToolCall));
}
