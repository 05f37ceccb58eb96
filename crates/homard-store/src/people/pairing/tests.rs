//! Strangers ask once, wait an hour, and are let in by their code.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use homard_protocol::{AccountId, ChannelId, PeerId};

use super::{ALPHABET, CODE_LEN, MAX_FACT_CHARS, MAX_PAIRING_PENDING, PairingAsked};
use crate::engine::fixture::{Home, NOW, open};
use crate::store::Store;

fn channel(name: &str) -> ChannelId {
    ChannelId::parse(name).unwrap()
}

fn account(name: &str) -> AccountId {
    AccountId::parse(name).unwrap()
}

async fn ask(store: &Store, to: (&str, &str), sender: &str) -> PairingAsked {
    let meta = BTreeMap::from([("name".to_owned(), format!("{sender}'s name"))]);
    let sender = PeerId::parse(sender).unwrap();
    store.pairing().request(&channel(to.0), &account(to.1), &sender, meta).await.unwrap()
}

async fn code_of(store: &Store, to: (&str, &str), sender: &str) -> String {
    match ask(store, to, sender).await {
        PairingAsked::Created(code) | PairingAsked::Known { code, .. } => code,
        PairingAsked::Full | PairingAsked::LetIn => panic!("nobody else may wait"),
    }
}

async fn let_in(store: &Store, channel_name: &str, account_name: &str) -> Vec<String> {
    store.pairing().allowed(&channel(channel_name), &account(account_name)).await.unwrap().to_vec()
}

const IRC: (&str, &str) = ("irc", "default");

#[tokio::test]
async fn a_stranger_is_told_a_code_once_and_keeps_it_for_an_hour() {
    let home = Home::new();
    let PairingAsked::Created(code) = ask(&home.store, IRC, "ada").await else { panic!("a code") };
    home.clock.advance(Duration::from_mins(59));
    let meta = BTreeMap::from([("name".to_owned(), "ada's name".to_owned())]);
    assert_eq!(ask(&home.store, IRC, "ada").await, PairingAsked::Known { code: code.clone(), meta });
    let waiting = home.store.pairing().waiting().await.unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].created_at, waiting[0].last_seen_at), (NOW, NOW + 59 * 60_000));
    assert_eq!(waiting[0].meta["name"], "ada's name");
    home.clock.advance(Duration::from_mins(1));
    assert!(home.store.pairing().waiting().await.unwrap().is_empty());
    assert_eq!(home.store.pairing().approve(&channel("irc"), &code).await.unwrap(), None);
    let PairingAsked::Created(another) = ask(&home.store, IRC, "ada").await else { panic!("another code") };
    assert_ne!(another, code);
}

#[tokio::test]
async fn no_more_than_three_wait_for_one_account_and_those_after_them_learn_nothing() {
    let home = Home::new();
    for sender in ["a", "b", "c"] {
        assert!(matches!(ask(&home.store, IRC, sender).await, PairingAsked::Created(_)), "{sender}");
    }
    assert_eq!(ask(&home.store, IRC, "d").await, PairingAsked::Full);
    assert!(matches!(ask(&home.store, IRC, "a").await, PairingAsked::Known { .. }));
    assert!(matches!(ask(&home.store, ("irc", "work"), "d").await, PairingAsked::Created(_)));
    assert!(matches!(ask(&home.store, ("telegram", "default"), "d").await, PairingAsked::Created(_)));
    let code = code_of(&home.store, IRC, "b").await;
    assert!(home.store.pairing().dismiss(&channel("irc"), &code).await.unwrap().is_some());
    assert!(matches!(ask(&home.store, IRC, "d").await, PairingAsked::Created(_)));
    assert_eq!(home.store.pairing().waiting().await.unwrap().len(), MAX_PAIRING_PENDING as usize + 2);
}

#[tokio::test]
async fn who_is_approved_is_in_for_this_account_and_stays_so() {
    let home = Home::new();
    let code = code_of(&home.store, ("irc", "work"), "ada").await;
    assert!(let_in(&home.store, "irc", "work").await.is_empty());
    assert_eq!(home.store.pairing().approve(&channel("telegram"), &code).await.unwrap(), None);
    let typed = format!(" {} ", code.to_lowercase());
    let approved = home.store.pairing().approve(&channel("irc"), &typed).await.unwrap().unwrap();
    assert_eq!((approved.sender.as_str(), approved.account.as_str()), ("ada", "work"));
    assert_eq!(let_in(&home.store, "irc", "work").await, ["ada"]);
    assert!(let_in(&home.store, "irc", "default").await.is_empty());
    // A message that was judged before the yes and comes here after it asks nobody again.
    assert_eq!(ask(&home.store, ("irc", "work"), "ada").await, PairingAsked::LetIn);
    assert_eq!(home.store.pairing().approve(&channel("irc"), &code).await.unwrap(), None);
    let home = home.reopen().await;
    assert_eq!(let_in(&home.store, "irc", "work").await, ["ada"]);
    assert!(home.store.pairing().revoke(&channel("irc"), &account("work"), "ada").await.unwrap());
    assert!(!home.store.pairing().revoke(&channel("irc"), &account("work"), "ada").await.unwrap());
    assert!(let_in(&home.store, "irc", "work").await.is_empty());
}

#[tokio::test]
async fn the_owner_names_people_but_never_everybody() {
    let home = Home::new();
    for (sender, added) in [("ada", true), ("ada", false), ("*", false), ("", false), (" * ", false)] {
        let done = home.store.pairing().allow(&channel("irc"), &account("default"), sender).await.unwrap();
        assert_eq!(done, added, "{sender:?}");
    }
    assert_eq!(let_in(&home.store, "irc", "default").await, ["ada"]);
}

#[tokio::test]
async fn what_strangers_say_of_themselves_is_cut() {
    let home = Home::new();
    let mut meta: BTreeMap<String, String> =
        (0..50).map(|n| (format!("k{n:02}"), "x".repeat(5000))).collect();
    meta.insert("a".to_owned(), "  ".to_owned());
    let sender = PeerId::parse("ada").unwrap();
    home.store.pairing().request(&channel("irc"), &account("default"), &sender, meta).await.unwrap();
    let kept = &home.store.pairing().waiting().await.unwrap()[0].meta;
    assert_eq!(kept.len(), 8);
    assert!(kept.values().all(|fact| fact.len() == MAX_FACT_CHARS));
}

#[test]
fn codes_are_eight_letters_that_do_not_look_alike() {
    let codes: Vec<String> = (0..2000).map(|_| super::new_code().unwrap()).collect();
    assert!(codes.iter().all(|code| code.len() == CODE_LEN && code.bytes().all(|b| ALPHABET.contains(&b))));
    let letters: BTreeSet<char> = codes.iter().flat_map(|code| code.chars()).collect();
    assert_eq!(letters.len(), ALPHABET.len());
    assert!(!letters.iter().any(|letter| "IO01".contains(*letter)));
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
}

#[tokio::test]
async fn people_of_an_existing_installation_are_taken_over_once() {
    let dir = tempfile::tempdir().unwrap();
    let credentials = dir.path().join("credentials");
    std::fs::create_dir_all(&credentials).unwrap();
    let write = |name: &str, text: &str| std::fs::write(credentials.join(name), text).unwrap();
    write("telegram-allowFrom.json", r#"{"version":1,"allowFrom":["42", 43, "*", "", null, {"a":1}, "42"]}"#);
    write("telegram-work-allowFrom.json", r#"{"version":1,"allowFrom":["77"]}"#);
    write("nextcloud-talk-pairing.json", r#"{"version":1,"requests":[]}"#);
    write("nextcloud-talk-allowFrom.json", r#"{"version":1,"allowFrom":["ada"]}"#);
    write("nextcloud-talk-two-allowFrom.json", r#"{"version":1,"allowFrom":["eve"]}"#);
    write("irc-allowFrom.json", "not json");
    write("oauth.json", "{}");
    // NOW is 2023-11-14T22:13:20Z.
    write(
        "telegram-pairing.json",
        r#"{"version":1,"requests":[
            {"id":"1","code":"ABCDEFGH","createdAt":"2023-11-14T22:00:00.000Z","lastSeenAt":"2023-11-14T22:10:00.000Z",
             "meta":{"accountId":"work","name":"Ada","n":1}},
            {"id":"2","code":"ABCDEFG2","createdAt":"2023-11-14T20:00:00.000Z"},
            {"id":"3","code":"bad code","createdAt":"2023-11-14T22:00:00.000Z"},
            {"id":4}, "x"]}"#,
    );
    let clock = homard_runtime::Clock::fixed(NOW);
    let store = open(dir.path(), &clock).unwrap();
    let rows = [
        ("telegram", "default", vec!["42", "43"]),
        ("telegram", "work", vec!["77"]),
        ("nextcloud-talk", "default", vec!["ada"]),
        ("nextcloud-talk", "two", vec!["eve"]),
        ("irc", "default", vec![]),
    ];
    for (channel, account, people) in &rows {
        assert_eq!(let_in(&store, channel, account).await, *people, "{channel} {account}");
    }
    let waiting = store.pairing().waiting().await.unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].code.as_str(), waiting[0].account.as_str()), ("ABCDEFGH", "work"));
    assert_eq!(waiting[0].meta, BTreeMap::from([("name".to_owned(), "Ada".to_owned())]));
    // Who was put out afterwards stays out.
    assert!(store.pairing().revoke(&channel("telegram"), &account("default"), "42").await.unwrap());
    store.close().await;
    let store = open(dir.path(), &clock).unwrap();
    assert_eq!(let_in(&store, "telegram", "default").await, ["43"]);
}
