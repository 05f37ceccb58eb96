//! Who may name whom.

use super::{check, table};
use crate::tidy::clone::SourceFile;

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn a_platform_named_outside_its_module_is_counted() {
    let rows = [
        ("crates/homard-relay/src/route.rs", "if id == \"telegram\" {", 1),
        ("crates/homard-relay/src/route.rs", "fn is_Telegram() {}", 1),
        ("crates/homard-relay/src/route.rs", "// Telegram splits here", 0),
        ("crates/homard-relay/src/route.rs", "match \"signal\" {", 1),
        ("crates/homard-runtime/src/tasks.rs", "tokio::signal::ctrl_c(); for line in lines {}", 0),
        ("crates/homard-channels/src/telegram.rs", "\"telegram\"", 0),
        ("crates/homard-channels/src/telegram/wire.rs", "\"telegram\" \"discord\"", 1),
        ("crates/homard-channels/src/registry.rs", "telegram::ENTRY,", 0),
        ("crates/homard-config/src/raw.rs", "telegram", 0),
        ("crates/homard-relay/src/route/tests.rs", "\"telegram\"", 0),
        ("docs/channels.md", "Telegram", 0),
    ];
    for (path, text, count) in rows {
        assert_eq!(table(&[file(path, text)]).len(), count, "{path} {text}");
    }
}

#[test]
fn the_rooms_a_message_walks_through_may_name_none_once_adapters_exist() {
    let leak = || file("crates/homard-gateway/src/ws.rs", "\n\"slack\"");
    let shown = || file("crates/homard/src/commands/pairing.rs", "\"slack\"");
    assert_eq!(check(&[leak(), shown()]), []);
    let found = check(&[leak(), shown(), file("crates/homard-channels/src/irc.rs", "//! x")]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].place, "crates/homard-gateway/src/ws.rs:2");
}

#[test]
fn the_page_names_none_outside_its_words() {
    let adapter = || file("crates/homard-channels/src/irc.rs", "//! x");
    let rows = [
        ("web/src/lib/a.ts", "\nif (channel === 'telegram') x();", Some("web/src/lib/a.ts:2")),
        ("web/src/lib/a.ts", "// Telegram has a colon", Some("web/src/lib/a.ts:1")),
        (
            "web/src/pages/A.svelte",
            "icon={id === 'irc' ? 'hash' : 'bubbles'}",
            Some("web/src/pages/A.svelte:1"),
        ),
        ("web/src/pages/SlackFields.svelte", "", Some("web/src/pages/SlackFields.svelte:1")),
        ("web/src/lib/a.ts", "controller.signal; class=\"line\"; circle", None),
        ("web/src/lib/a.test.ts", "'telegram'", None),
        ("web/src/words/platforms.ts", "telegram: 'plane'", None),
        ("web/src/protocol.ts", "/** As Telegram has it. */", None),
        ("web/e2e/flows/reach.mjs", "'telegram'", None),
    ];
    for (path, text, place) in rows {
        let found = check(&[adapter(), file(path, text)]);
        assert_eq!(found.first().map(|finding| finding.place.as_str()), place, "{path} {text}");
    }
}
