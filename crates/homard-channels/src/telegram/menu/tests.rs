//! Which commands fit into the menu.

use super::{MAX_COMMANDS, commands};
use crate::telegram::settings::CustomCommand;

fn own(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, description)| ((*name).to_owned(), (*description).to_owned())).collect()
}

#[test]
fn names_are_bent_into_shape_or_left_out() {
    let ours = own(&[
        ("status", "How it is"),
        ("Dock-Telegram", "x"),
        ("bad name", "x"),
        ("empty", " "),
        ("ümlaut", "x"),
    ]);
    let custom = [
        CustomCommand { command: "/weather".to_owned(), description: "Rain?".to_owned() },
        CustomCommand { command: "status".to_owned(), description: "not ours".to_owned() },
    ];
    let expected = own(&[("status", "How it is"), ("dock_telegram", "x"), ("weather", "Rain?")]);
    assert_eq!(commands(&ours, &custom), expected);
}

#[test]
fn a_menu_is_never_longer_than_the_server_takes() {
    let many: Vec<(String, String)> = (0..150).map(|n| (format!("c{n}"), "x".repeat(400))).collect();
    let menu = commands(&many, &[]);
    assert_eq!(menu.len(), MAX_COMMANDS);
    assert_eq!(menu[0].1.len(), 256);
    assert!(commands(&own(&[(&"n".repeat(33), "x")]), &[]).is_empty());
}
