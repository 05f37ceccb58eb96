//! The schema that is kept is the one the types make.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

use super::{schema, written};
use crate::raw::Raw;
use crate::validation::inert::laid_over::with_known_keys;

/// Run it with `INSTA_UPDATE=always` to write the file; `cargo xtask schema` does.
#[test]
fn the_schema_is_written_down_as_the_types_say() {
    let made = with_known_keys(schemars::schema_for!(Raw).to_value());
    let text = lines(made.as_object().unwrap());
    if std::env::var_os("INSTA_UPDATE").is_some_and(|how| how == "always") {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/validation/schema.json");
        std::fs::write(file, text).unwrap();
        return;
    }
    assert!(
        text == written(),
        "the types say something else; run `cargo xtask schema` and commit what it wrote"
    );
    assert_eq!(&made, schema());
}

/// Small, as it is a part of the program, and a line for each type, so that a change of one is a change of its line.
fn lines(schema: &Map<String, Value>) -> String {
    let mut text = "{".to_owned();
    for (n, (key, value)) in schema.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        write!(text, "{comma}\n{}:", Value::from(key.as_str())).unwrap();
        match value.as_object() {
            Some(types) => text.push_str(&lines_of(types)),
            None => write!(text, "{value}").unwrap(),
        }
    }
    text + "\n}\n"
}

fn lines_of(types: &Map<String, Value>) -> String {
    let rows: Vec<String> =
        types.iter().map(|(name, value)| format!("\n{}:{value}", Value::from(name.as_str()))).collect();
    format!("{{{}}}", rows.join(","))
}
