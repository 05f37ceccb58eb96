//! Callers' tools and which of them the model must use.

use homard_llm::ToolChoice;
use serde_json::{Value, json};

use super::{Brought, Offered, chosen};

fn read(tools: Value, choice: &Value) -> Result<Offered, String> {
    let tools: Vec<Brought> = serde_json::from_value(tools).map_err(|error| error.to_string())?;
    let tools: Result<Vec<_>, _> = tools.into_iter().map(Brought::tool).collect();
    chosen(tools.map_err(|error| error.to_string())?, Some(choice)).map_err(|error| error.to_string())
}

#[test]
fn both_spellings_of_a_tool_are_read_and_the_choice_with_them() {
    let nested =
        json!([{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]);
    let flat =
        json!([{"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": true}]);
    assert_eq!(read(nested.clone(), &json!(null)).unwrap(), read(flat.clone(), &json!("auto")).unwrap());
    let choices = [
        (json!("required"), ToolChoice::Required),
        (
            json!({"type": "function", "function": {"name": "weather"}}),
            ToolChoice::Tool("weather".to_owned()),
        ),
        (json!({"type": "function", "name": "weather"}), ToolChoice::Tool("weather".to_owned())),
    ];
    for (choice, expected) in choices {
        assert_eq!(read(nested.clone(), &choice).unwrap().choice, expected, "{choice}");
    }
    assert_eq!(read(flat, &json!("none")).unwrap(), Offered::default());
}

#[test]
fn what_is_no_tool_or_no_choice_is_refused() {
    let good = json!([{"type": "function", "function": {"name": "weather"}}]);
    let cases = [
        (json!([{"type": "web_search"}]), json!(null)),
        (json!([{"type": "function"}]), json!(null)),
        (json!([{"type": "function", "function": {"name": "a b"}}]), json!(null)),
        (json!([{"type": "function", "function": {"name": "x".repeat(65)}}]), json!(null)),
        (json!([{"type": "function", "function": {"name": "a", "parameters": []}}]), json!(null)),
        (json!([{"name": "a"}]), json!(null)),
        (json!([]), json!("required")),
        (good.clone(), json!("sometimes")),
        (good.clone(), json!(7)),
        (good.clone(), json!({"type": "function", "function": {"name": "other"}})),
        (good, json!({"type": "tool", "name": "weather"})),
    ];
    for (tools, choice) in cases {
        assert!(read(tools.clone(), &choice).is_err(), "{tools} {choice}");
    }
}
