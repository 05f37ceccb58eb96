//! Which targets are taken, and what `ssh` is told.

use std::path::Path;

use super::SshTarget;

#[test]
fn targets_are_hosts_and_never_options() {
    let rows = [
        ("me@host", Some("me@host")),
        ("host", Some("host")),
        (" me@host:2222 ", Some("-p 2222 me@host")),
        ("ssh://me@host:2222", Some("-p 2222 me@host")),
        ("DOM\\me@host", Some("DOM\\me@host")),
        ("", None),
        ("-oProxyCommand=sh", None),
        ("me@-oProxyCommand=sh", None),
        ("me@", None),
        ("@host", None),
        ("me@host:0", None),
        ("me@host:x", None),
        ("me@host -v", None),
        ("me@host;id", None),
        ("me@$(id)", None),
    ];
    for (text, expected) in rows {
        let shown = SshTarget::parse(text, None).ok().map(|target| {
            let told = target.arguments(1, 2).join(" ");
            assert!(told.starts_with("-N -L 127.0.0.1:1:127.0.0.1:2 -o BatchMode=yes "), "{told}");
            told.split("ServerAliveInterval=15 ").nth(1).unwrap().replace("-- ", "")
        });
        assert_eq!(shown.as_deref(), expected, "{text}");
    }
}

#[test]
fn a_key_file_is_passed_on() {
    let target = SshTarget::parse("me@host", Some(Path::new("/keys/id"))).unwrap();
    assert!(target.arguments(1, 2).join(" ").ends_with("-i /keys/id -- me@host"));
}

proptest::proptest! {
    #[test]
    fn no_text_becomes_an_option(text in "\\PC{0,40}") {
        if let Ok(target) = SshTarget::parse(&text, None) {
            proptest::prop_assert!(!target.destination.starts_with('-'));
            proptest::prop_assert!(!target.destination.chars().any(|c| c.is_whitespace() || ";$`|&<>'\"".contains(c)));
        }
    }
}
