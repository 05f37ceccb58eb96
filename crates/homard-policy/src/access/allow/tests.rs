//! Who is meant by an entry, as a table, and two laws: names never open a door that is shut to them, and only a literal
//! star means everybody.

use proptest::prelude::{Strategy, any, proptest};

use super::{AllowList, MatchSource, NameMatching, SenderIdentity};
use MatchSource as By;

fn who<'a>(
    channel: &'a str,
    id: &'a str,
    also: &'a [String],
    names: (&'a str, &'a str),
) -> SenderIdentity<'a> {
    let some = |text: &'a str| (!text.is_empty()).then_some(text);
    SenderIdentity { channel, id, also, name: some(names.0), username: some(names.1), vouched: None }
}

fn find(entry: &str, person: &SenderIdentity<'_>, names: NameMatching) -> Option<By> {
    AllowList::of([entry.to_owned()]).0.find(person, names)
}

/// Channel, entry, id, what lets them in.
const IDS: &[(&str, &str, &str, Option<By>)] = &[
    ("telegram", "*", "42", Some(By::Wildcard)),
    ("telegram", " * ", "42", Some(By::Wildcard)),
    ("telegram", "**", "42", None),
    ("telegram", "telegram:*", "42", None),
    ("telegram", "user:*", "42", None),
    ("telegram", "4*", "42", None),
    ("telegram", "?2", "42", None),
    ("telegram", "＊", "42", None),
    ("telegram", "*", "*", Some(By::Wildcard)),
    ("telegram", "user:*", "*", None),
    ("telegram", "42", "42", Some(By::Id)),
    ("telegram", " 42 ", "42", Some(By::Id)),
    ("telegram", "42", "421", None),
    ("telegram", "421", "42", None),
    ("telegram", "042", "42", None),
    ("telegram", "42.0", "42", None),
    ("telegram", "+42", "42", None),
    ("telegram", "-42", "42", None),
    ("telegram", "４２", "42", None),
    ("telegram", "42", "４２", None),
    ("telegram", "٤٢", "42", None),
    ("telegram", "4\u{200b}2", "42", None),
    ("telegram", "42", "4\u{200b}2", None),
    ("telegram", "\u{202e}42", "42", None),
    ("telegram", "42", "\u{202e}42", None),
    ("telegram", "\u{feff}42", "42", None),
    ("telegram", "telegram:42", "42", Some(By::PrefixedId)),
    ("telegram", "Telegram:42", "42", Some(By::PrefixedId)),
    ("telegram", "telegram: 42", "42", Some(By::PrefixedId)),
    ("telegram", "tg:42", "42", Some(By::PrefixedId)),
    ("telegram", "TG:42", "42", Some(By::PrefixedId)),
    ("telegram", "gt:42", "42", None),
    ("telegram", "t:42", "42", None),
    ("telegram", "tx:42", "42", None),
    ("telegram", ":42", "42", None),
    ("telegram", "telegram:", "42", None),
    ("telegram", "telegram:user:42", "42", Some(By::PrefixedUser)),
    ("telegram", "user:42", "42", Some(By::PrefixedUser)),
    ("telegram", "USER:42", "42", Some(By::PrefixedUser)),
    ("telegram", "id:42", "42", Some(By::PrefixedUser)),
    ("telegram", "user:", "42", None),
    ("telegram", "users:42", "42", None),
    ("telegram", "name:42", "42", None),
    ("telegram", "irc:42", "42", None),
    ("telegram", "signal:42", "42", None),
    ("signal", "telegram:+4915", "+4915", None),
    ("signal", "+4915", "+4915", Some(By::Id)),
    ("signal", "+49 15", "+4915", Some(By::Id)),
    ("signal", "+49 (0)15", "+4915", None),
    ("signal", "+49-1.5", "+4915", Some(By::Id)),
    ("signal", "4915", "+4915", Some(By::Id)),
    ("signal", "004915", "+4915", Some(By::Id)),
    ("signal", "+4916", "+4915", None),
    ("signal", "915", "+4915", None),
    ("signal", "+４９15", "+4915", None),
    ("signal", "signal:+49 15", "+4915", Some(By::PrefixedId)),
    ("signal", "sig:+4915", "+4915", Some(By::PrefixedId)),
    ("signal", "a+4915", "+4915", None),
    ("signal", "", "+", None),
    ("signal", "+", "+", Some(By::Id)),
    ("googlechat", "gchat:users/7", "users/7", Some(By::PrefixedId)),
    ("imessage", "imsg:a@b.test", "a@b.test", Some(By::PrefixedId)),
    ("slack", "U0A", "U0A", Some(By::Id)),
    ("slack", "u0a", "U0A", Some(By::Id)),
    ("slack", "slack:U0A", "U0A", Some(By::PrefixedId)),
    ("slack", "channel:C1", "U0A", None),
    ("irc", "ada", "ada", Some(By::Id)),
    ("irc", "Ada", "ada", Some(By::Id)),
    ("irc", "kim", "\u{212a}im", None),
    ("irc", "\u{212a}im", "kim", None),
    ("irc", "аda", "ada", None),
    ("irc", "ada!u", "ada", Some(By::Id)),
    ("irc", "ada!u@host.test", "ada", Some(By::Id)),
    ("irc", "ADA!U@HOST.test", "ada", Some(By::Id)),
    ("irc", "irc:ada!u@host.test", "ada", Some(By::PrefixedId)),
    ("irc", "ada!u@other.test", "ada", None),
    ("irc", "eve!u@host.test", "ada", None),
    ("irc", "*!*@host.test", "ada", None),
    ("irc", "u@host.test", "ada", None),
    ("matrix", "@ada:server.test", "@ada:server.test", Some(By::Id)),
    ("matrix", "@ada:evil.test", "@ada:server.test", None),
    ("matrix", "matrix:@ada:server.test", "@ada:server.test", Some(By::PrefixedId)),
    ("matrix", "@ada", "@ada:server.test", None),
    ("matrix", "ada", "@ada:server.test", None),
];

#[test]
fn ids_are_compared_letter_by_letter() {
    let also: Vec<String> = ["ada!u", "ada!u@host.test"].map(str::to_owned).to_vec();
    for (channel, entry, id, expected) in IDS {
        let also = if *channel == "irc" && *id == "ada" { also.as_slice() } else { &[] };
        // A name of somebody else's, to be sure that it does not matter.
        let person = who(channel, id, also, ("Somebody", "somebody"));
        assert_eq!(find(entry, &person, NameMatching::Never), *expected, "{channel} {entry:?} {id:?}");
    }
}

/// Entry, name, handle, what lets them in where names count. The id is `@local:server.test`.
const NAMES: &[(&str, &str, &str, Option<By>)] = &[
    ("Ada", "Ada", "", Some(By::Name)),
    ("ada", "Ada", "", Some(By::Name)),
    ("Ada Lovelace", "Ada Lovelace", "", Some(By::Name)),
    ("Ada  Lovelace", "Ada Lovelace", "", None),
    ("ada-lovelace", "Ada Lovelace", "", Some(By::Slug)),
    ("Ada-Lovelace", "Ada Lovelace", "", None),
    ("ada#1234", "ada#1234", "", Some(By::Tag)),
    ("ada#1234", "", "ada#1234", Some(By::Tag)),
    ("@adal", "Ada", "adal", Some(By::Username)),
    ("adal", "Ada", "adal", Some(By::Username)),
    ("adal", "Ada", "@adal", Some(By::Username)),
    ("AdaL", "Ada", "adal", Some(By::Username)),
    ("@adal", "adal", "", None),
    ("name:Ada", "Ada", "", Some(By::PrefixedName)),
    ("username:adal", "", "adal", Some(By::PrefixedName)),
    ("matrix:Ada", "Ada", "", Some(By::PrefixedName)),
    ("matrix:@adal", "", "adal", Some(By::PrefixedName)),
    ("name:", "Ada", "", None),
    ("local", "Ada", "", Some(By::Localpart)),
    ("@local", "Ada", "", Some(By::Localpart)),
    ("Ada", "Ada\u{200b}", "", None),
    ("Ada", "\u{202e}adA", "", None),
    ("Ada", "A\u{200d}da", "", None),
    ("Ada", "Аda", "", None),
    ("Ada", " Ada ", "", Some(By::Name)),
    ("Ada", "Adа", "", None),
    ("adal", "", "adal\u{feff}", None),
    ("12345", "12345", "", None),
    ("12345", "", "12345", None),
    ("@12345", "12345", "12345", None),
    ("+4915", "+4915", "+4915", None),
    ("name:12345", "12345", "", None),
    ("１２", "１２", "", None),
    ("*", "nobody", "", Some(By::Wildcard)),
    ("kelvin", "\u{212a}elvin", "", None),
    ("Ada", "", "", None),
    ("Eve", "Ada", "adal", None),
];

#[test]
fn names_count_only_where_the_owner_says_so() {
    for (entry, name, username, expected) in NAMES {
        let person = who("matrix", "@local:server.test", &[], (name, username));
        assert_eq!(find(entry, &person, NameMatching::Allowed), *expected, "{entry:?} {name:?} {username:?}");
        let without = expected.filter(|source| *source == By::Wildcard);
        assert_eq!(find(entry, &person, NameMatching::Never), without, "{entry:?} {name:?} {username:?}");
    }
}

#[test]
fn an_id_beats_a_name_beats_a_star() {
    let list = AllowList::of(["*", "Ada", "42"].map(str::to_owned)).0;
    let rows = [("42", "Ada", By::Id), ("43", "Ada", By::Name), ("43", "Eve", By::Wildcard)];
    for (id, name, expected) in rows {
        let person = who("irc", id, &[], (name, ""));
        assert_eq!(list.find(&person, NameMatching::Allowed), Some(expected), "{id} {name}");
    }
    let person = who("irc", "43", &[], ("Eve", ""));
    assert_eq!(list.find_named(&person, NameMatching::Allowed), None);
}

#[test]
fn entries_that_hide_letters_or_never_end_are_nobody_and_are_told_about() {
    let written = ["ok", "", "  ", "a\u{200b}b", "\u{202e}x", "\u{0}"].map(str::to_owned);
    let (list, unusable) = AllowList::of(written.into_iter().chain(["x".repeat(1000)]));
    assert_eq!(list.entries(), ["ok"]);
    assert_eq!(unusable.len(), 4);
    assert!(!list.has_everybody());
    assert!(AllowList::of(["".to_owned()]).0.is_empty());
}

fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("[ -~а-я\u{200b}\u{202e}４2*@:#!]{0,12}").unwrap()
}

proptest! {
    #[test]
    fn no_name_opens_a_door_that_is_shut_to_names(entry in text(), name in text(), username in text(), id in "[0-9]{1,6}") {
        let named = who("telegram", &id, &[], (&name, &username));
        let nameless = who("telegram", &id, &[], ("", ""));
        let never = NameMatching::Never;
        assert_eq!(find(&entry, &named, never), find(&entry, &nameless, never));
    }

    #[test]
    fn only_a_literal_star_means_everybody(entry in text(), id in "[a-z]{20}") {
        let person = who("telegram", &id, &[], ("", ""));
        assert_eq!(find(&entry, &person, NameMatching::Never).is_some(), entry.trim() == "*");
    }

    #[test]
    fn an_entry_of_digits_is_never_a_name(entry in "[0-9+-]{1,12}", names in any::<bool>()) {
        let person = who("telegram", "somebody-else", &[], (&entry, &entry));
        let names = if names { NameMatching::Allowed } else { NameMatching::Never };
        assert_eq!(find(&entry, &person, names), None);
    }

    #[test]
    fn nothing_written_anywhere_breaks_it(entry in ".*", id in ".*", name in ".*") {
        let also = [name.clone()];
        let person = who("irc", &id, &also, (&name, &id));
        let _found = find(&entry, &person, NameMatching::Allowed);
    }
}
