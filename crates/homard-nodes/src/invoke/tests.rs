//! Commands on their way: results, progress, limits, ends.

use std::collections::BTreeMap;
use std::sync::Arc;

use homard_protocol::methods::nodes::invoke::{NodeError, NodeInvokeResultParams};
use serde_json::{Value, json};

use super::{Done, InvokeError, MAX_EARLY, Progress, read_result, words};

fn progress() -> Progress {
    Progress { next: 0, early: BTreeMap::new(), tell: Arc::new(|_| {}) }
}

#[test]
fn pieces_are_told_in_order_once_and_a_missing_one_does_not_hold_up_the_rest_for_ever() {
    let mut one = progress();
    let told: Vec<Vec<String>> =
        [1, 0, 0, 2, 4, 3].into_iter().map(|seq| one.take(seq, format!("{seq}"))).collect();
    assert_eq!(
        told,
        [
            vec![],
            vec!["0".to_owned(), "1".to_owned()],
            vec![],
            vec!["2".to_owned()],
            vec![],
            vec!["3".to_owned(), "4".to_owned()]
        ]
    );

    let mut gap = progress();
    let told: usize = (1..=MAX_EARLY as u64 + 1).map(|seq| gap.take(seq, String::new()).len()).sum();
    assert_eq!(told, MAX_EARLY + 1);
    assert!(gap.take(0, "too late".to_owned()).is_empty());
    assert_eq!(gap.take(u64::MAX, "far".to_owned()), Vec::<String>::new());
}

fn told(ok: bool, payload: Option<Value>, payload_json: Option<String>) -> NodeInvokeResultParams {
    let (id, node_id) = ("i".to_owned(), "n".parse().unwrap());
    NodeInvokeResultParams { id, node_id, ok, payload, payload_json, error: None }
}

#[test]
fn text_counts_before_the_value_and_text_that_is_no_json_is_passed_on() {
    let result = |payload: Option<Value>, text: Option<&str>| {
        let payload_json = text.map(str::to_owned);
        let read = read_result(told(true, payload, payload_json));
        let Done { payload, .. } = read.unwrap();
        payload
    };
    assert_eq!(result(Some(json!(1)), Some("{\"a\":2}")), json!({"a": 2}));
    assert_eq!(result(Some(json!(1)), None), json!(1));
    assert_eq!(result(None, None), Value::Null);
    assert_eq!(result(None, Some("{broken")), json!("{broken"));
}

#[test]
fn what_a_node_says_about_its_failure_is_cut_and_named() {
    let error = |code: Option<&str>, message: Option<&str>| NodeError {
        code: code.map(str::to_owned),
        message: message.map(str::to_owned),
    };
    for (said, expected) in [
        (error(Some("CAMERA_DISABLED"), Some("turn it on")), "CAMERA_DISABLED: turn it on"),
        (error(Some("CAMERA_DISABLED"), Some("CAMERA_DISABLED: off")), "CAMERA_DISABLED: off"),
        (error(None, None), "node invoke failed"),
    ] {
        assert_eq!(words(&said), expected);
    }
    let long = "x".repeat(10_000);
    assert_eq!(words(&error(None, Some(&long))).len(), 2_000);
    assert!(matches!(
        read_result(told(false, None, None)),
        Err(InvokeError::Failed(NodeError { code: None, message: None }))
    ));
}
