//! What templates come to.

use std::collections::BTreeMap;

use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::{MAX_RENDERED, TemplateValues, list, render, render_name, replace_list};

fn filled(template: &str, payload: &Value) -> String {
    let headers = BTreeMap::from([("x-github-event".to_owned(), "push".to_owned())]);
    let query = BTreeMap::from([("Q".to_owned(), "asked".to_owned())]);
    let given =
        TemplateValues { payload, headers: &headers, query: &query, path: "ci", now: "noon", item: None };
    render(template, &given)
}

#[test]
fn expressions_find_what_they_name() {
    let payload = json!({
        "a": {"b": [{"c": "deep"}, 2]}, "n": 1.5, "t": true, "none": null, "path": "theirs",
        "list": [[1, 2], [3]], "with-dash": "d", "two words": "w", "now": {"x": "shadow"},
    });
    let rows = [
        ("plain", "plain"),
        ("", ""),
        ("{{a.b[0].c}}", "deep"),
        ("{{payload.a.b[0].c}}", "deep"),
        ("{{ a.b[1] }}", "2"),
        ("{{list[1][0]}}", "3"),
        ("{{n}} {{t}} [{{none}}] [{{missing.x[3]}}]", "1.5 true [] []"),
        ("{{a}}", r#"{"b":[{"c":"deep"},2]}"#),
        ("{{path}}|{{payload.path}}", "ci|theirs"),
        ("{{now}}|{{now.x}}", "noon|shadow"),
        ("{{headers.X-GitHub-Event}} {{headers.authorization}}", "push "),
        ("{{query.Q}} {{query.q}}", "asked "),
        ("{{with-dash}} {{[\"two words\"]}} {{payload['two words']}}", "d w w"),
        ("{{item.x}}{{index}}", ""),
        ("{{unclosed", "{{unclosed"),
        ("}} {{}} {{ }}", "}}  "),
        ("{{a..b}}{{a[}}{{a[x]}}{{a b}}", ""),
        ("{{{a.b[1]}}}", "}"),
    ];
    for (template, expected) in rows {
        assert_eq!(filled(template, &payload), expected, "{template}");
    }
}

#[test]
fn what_is_filled_in_is_not_read_again() {
    let payload = json!({"a": "{{b}}", "b": "secret"});
    assert_eq!(filled("{{a}}", &payload), "{{b}}");
}

#[test]
fn a_name_gets_plain_characters_only_from_outside() {
    let (headers, query) = (BTreeMap::new(), BTreeMap::new());
    let payload = json!({"id": "agent:main:main\n../x y", "long": "l".repeat(1000)});
    let given =
        TemplateValues { payload: &payload, headers: &headers, query: &query, path: "", now: "", item: None };
    assert_eq!(render_name("hook:{{id}}", &given), "hook:agent-main-main-..-x-y");
    assert_eq!(render_name("{{long}}", &given).len(), 120);
}

#[test]
fn lists_are_found_and_replaced_in_place() {
    let payload = json!({"deep": {"items": [1, 2]}, "no": "list"});
    assert_eq!(list("payload.deep.items", &payload).map(Vec::len), Some(2));
    assert_eq!(list("{{deep.items}}", &payload).map(Vec::len), Some(2));
    assert_eq!((list("no", &payload), list("gone", &payload), list("..", &payload)), (None, None, None));
    let replaced = replace_list("deep.items", payload, vec![json!(9)]);
    assert_eq!(replaced, json!({"deep": {"items": [9]}, "no": "list"}));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_template_and_no_payload_does_harm(template in any::<String>(), key in any::<String>(), value in any::<String>()) {
        let payload = json!({key: value});
        prop_assert!(filled(&template, &payload).len() <= MAX_RENDERED);
    }

    #[test]
    fn broken_expressions_are_survived(pieces in proptest::collection::vec("(\\{\\{|\\}\\}|\\[|\\]|\\.|a|0|\"| )", 0..40)) {
        let template = pieces.concat();
        filled(&template, &json!({"a": [{"a": "x"}]}));
    }

    #[test]
    fn text_without_expressions_stays_as_it_is(text in "[^{]*") {
        prop_assert_eq!(filled(&text, &json!({})), text);
    }

    #[test]
    fn a_value_arrives_as_it_was_sent(value in any::<String>()) {
        prop_assert_eq!(filled("<{{v}}>", &json!({"v": value.clone()})), format!("<{value}>"));
    }
}

#[test]
fn a_text_that_grows_without_end_is_cut() {
    let payload = json!({"v": "ä".repeat(200_000)});
    let text = filled(&"{{v}}".repeat(10), &payload);
    assert!(text.len() <= MAX_RENDERED && text.len() > MAX_RENDERED - 4);
}
