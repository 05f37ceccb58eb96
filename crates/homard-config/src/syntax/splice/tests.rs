//! Edits change what they must and keep the rest.

use insta::assert_snapshot;
use proptest::prelude::{any, prop, proptest};
use serde_json::{Value, json};

use super::rewrite;
use crate::syntax::document::parse;
use crate::syntax::document::tests::{any_value, json5_text};

const FILE: &str = r#"// my gateway
{
  gateway: {
    port: 18789, // the usual one
    // how to get in
    auth: { mode: "token", token: "${TOKEN}" },
  },
  /* people */
  agents: {
    list: [
      { id: "main" }, // first
      { id: "work", name: 'Work' }
    ]
  }
}
"#;

fn edited(change: impl FnOnce(&mut Value)) -> String {
    let mut value = parse(FILE).unwrap().to_value();
    change(&mut value);
    let text = rewrite(FILE, &value);
    assert_eq!(parse(&text).unwrap().to_value(), value);
    text
}

#[test]
fn changing_one_value_changes_one_value() {
    let text = edited(|v| v["gateway"]["port"] = json!(1));
    assert_eq!(text, FILE.replace("18789", "1"));
    let text = edited(|v| v["agents"]["list"][1]["name"] = json!("Job"));
    assert_eq!(text, FILE.replace("'Work'", "\"Job\""));
}

#[test]
fn new_members_follow_the_manner_of_their_neighbours() {
    let text = edited(|v| {
        v["gateway"]["bind"] = json!("lan");
        v["gateway"]["auth"]["password"] = json!("x");
        v["agents"]["list"][0]["model"] = json!({ "primary": "a/b" });
        v["logging"] = json!({ "level": "debug" });
    });
    assert_snapshot!(text, @r#"
    // my gateway
    {
      gateway: {
        port: 18789, // the usual one
        // how to get in
        auth: { mode: "token", token: "${TOKEN}", password: "x" },
        bind: "lan",
      },
      /* people */
      agents: {
        list: [
          { id: "main", model: {
            "primary": "a/b"
          } }, // first
          { id: "work", name: 'Work' }
        ]
      },
      logging: {
        "level": "debug"
      }
    }
    "#);
}

#[test]
fn removed_members_leave_no_gap() {
    let text = edited(|v| {
        v["gateway"].as_object_mut().unwrap().shift_remove("port");
        v["gateway"]["auth"].as_object_mut().unwrap().shift_remove("token");
        v.as_object_mut().unwrap().shift_remove("agents");
    });
    assert_snapshot!(text, @r#"
    // my gateway
    {
      gateway: {
        // how to get in
        auth: { mode: "token" },
      },
      /* people */
    }
    "#);
}

proptest! {
    #[test]
    fn the_edited_text_reads_as_the_new_value(
        old in any_value(), new in any_value(), dice in prop::collection::vec(any::<u8>(), 1..64)
    ) {
        let mut dice = dice.into_iter().cycle();
        let text = json5_text(&old, &mut || dice.next().unwrap_or(0));
        let edited = rewrite(&text, &new);
        let read: Value = json5::from_str(&edited).unwrap();
        assert_eq!(read, new, "{text}\n=>\n{edited}");
    }

    #[test]
    fn every_comment_outlives_an_edit_elsewhere(
        old in any_value(), extra in any_value(), dice in prop::collection::vec(any::<u8>(), 1..64)
    ) {
        let mut dice = dice.into_iter().cycle();
        let inner = json5_text(&old, &mut || dice.next().unwrap_or(0));
        let text = format!("{{ keep: {inner}, touched: 1 /* t */ }}");
        let edited = rewrite(&text, &json!({ "keep": old, "touched": extra, "added": 1 }));
        assert!(edited.contains(&inner), "{text}\n=>\n{edited}");
        assert!(edited.contains("/* t */"));
    }
}
