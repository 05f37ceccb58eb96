//! Moving in a list.

use console::Key;
use homard_protocol::methods::config::wizard::WizardOption;
use serde_json::json;

use super::List;

fn options(labels: &[&str]) -> Vec<WizardOption> {
    let option = |label: &&str| WizardOption { value: json!(label), label: (*label).to_owned(), hint: None };
    labels.iter().map(option).collect()
}

#[test]
fn a_list_begins_at_the_usual_answer_and_stays_inside() {
    let options = options(&["Anthropic", "Groq", "OpenAI"]);
    let usual = json!("Groq");
    let mut list = List::new(&options, Some(&usual));
    assert_eq!(list.chosen().unwrap().label, "Groq");
    for key in [Key::ArrowDown, Key::ArrowDown, Key::ArrowDown] {
        list.press(&key);
    }
    assert_eq!(list.chosen().unwrap().label, "OpenAI");
    for key in [Key::Home, Key::ArrowUp] {
        list.press(&key);
    }
    assert_eq!(list.chosen().unwrap().label, "Anthropic");
}

#[test]
fn typing_narrows_and_what_fits_nothing_is_not_taken() {
    let options = options(&["Anthropic", "Groq", "OpenAI"]);
    let mut list = List::new(&options, None);
    for key in "op?".chars() {
        list.press(&Key::Char(key));
    }
    assert_eq!((list.typed.as_str(), list.chosen().unwrap().label.as_str()), ("op", "Anthropic"));
    list.press(&Key::Char('e'));
    assert_eq!((list.typed.as_str(), list.chosen().unwrap().label.as_str()), ("ope", "OpenAI"));
    list.press(&Key::Escape);
    assert_eq!((list.typed.as_str(), list.left().len()), ("", 3));
}

#[test]
fn what_stands_beside_a_name_is_found_too() {
    let mut own = options(&["Anthropic", "Another server"]);
    own[1].value = "custom".into();
    own[1].hint = Some("anything that speaks OpenAI's API".to_owned());
    for words in ["custom", "openai"] {
        let mut list = List::new(&own, None);
        words.chars().for_each(|key| list.press(&Key::Char(key)));
        assert_eq!((list.typed.as_str(), list.chosen().unwrap().label.as_str()), (words, "Another server"));
    }
}
