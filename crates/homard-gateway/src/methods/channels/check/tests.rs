//! What an account would be with what is asked about.

use homard_protocol::methods::config::REDACTED;
use serde_json::{Map, Value, json};

use super::lay_over;

fn fields(value: Value) -> Map<String, Value> {
    let Value::Object(fields) = value else { panic!("not an object: {value}") };
    fields
}

#[test]
fn what_is_asked_about_counts_before_what_is_written() {
    let mut section = fields(json!({"host": "a", "port": 1, "sasl": {"username": "me", "password": "p"}}));
    lay_over(
        &mut section,
        fields(json!({"host": "b", "port": null, "sasl": {"username": "you"}, "tls": true})),
    );
    let expected = json!({"host": "b", "sasl": {"username": "you", "password": "p"}, "tls": true});
    assert_eq!(Value::Object(section), expected);
}

#[test]
fn a_hidden_secret_stands_for_the_written_one() {
    let mut section = fields(json!({"botToken": "real", "sasl": {"password": "real"}}));
    lay_over(
        &mut section,
        fields(json!({"botToken": REDACTED, "sasl": {"password": REDACTED}, "webhookSecret": REDACTED})),
    );
    assert_eq!(Value::Object(section), json!({"botToken": "real", "sasl": {"password": "real"}}));
}
