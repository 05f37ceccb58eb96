//! Changing the file: what stays, what is refused, what is left behind.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use homard_runtime::Clock;
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{Commit, WriteError, edit, unset_path, unset_paths};
use crate::changes::draft::Edit;
use crate::changes::handle::ConfigHandle;
use crate::changes::reload::{HotPart, ReloadAction};
use crate::env::{Environment, ProcessFacts};
use crate::gateway_token::ensure_gateway_token;
use crate::load::ConfigSource;
use crate::paths::Paths;
use crate::secret::REDACTED;

const FILE: &str = r#"{
  // how to reach us
  gateway: {
    port: 18789, // the usual one
    auth: { mode: "token", token: "${TOKEN}" },
  },
  channels: { irc: { password: "secret-1", nick: "lobster" } },
  agents: { list: [{ id: "main", name: "One" }, { id: "work", name: "Two" }] },
}
"#;

struct Room {
    home: tempfile::TempDir,
    handle: ConfigHandle,
}

impl Room {
    fn new(text: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::under(home.path());
        std::fs::create_dir_all(&paths.state_dir).unwrap();
        std::fs::write(&paths.config_path, text).unwrap();
        let environment = Environment::from_pairs([("TOKEN", "resolved-token")]);
        let mut source = ConfigSource::isolated(paths, environment, Clock::fixed(1_700_000_000_000));
        source.facts.argv =
            ["homard", "config", "set", "gateway.auth.token", "hunter2"].map(str::to_owned).to_vec();
        Self { handle: ConfigHandle::open(source).unwrap(), home }
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.home.path().join(".homard").join(name)
    }

    fn text(&self) -> String {
        read(&self.at("homard.json"))
    }

    fn hash(&self) -> String {
        self.handle.snapshot().hash.clone()
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn setting_one_place_keeps_comments_and_references_and_stamps_the_file() {
    let room = Room::new(FILE);
    let outcome = room.handle.set_path("gateway.port", json!(19_000)).unwrap();
    assert_eq!(outcome.changed_paths, ["gateway.port"]);
    assert_eq!(outcome.action, ReloadAction::Restart);
    assert_eq!(outcome.hash, room.hash());
    assert_eq!(room.handle.current().gateway.port, 19_000);
    assert_snapshot!(room.text(), @r#"
    {
      // how to reach us
      gateway: {
        port: 19000, // the usual one
        auth: { mode: "token", token: "${TOKEN}" },
      },
      channels: { irc: { password: "secret-1", nick: "lobster" } },
      agents: { list: [{ id: "main", name: "One" }, { id: "work", name: "Two" }] },
      meta: {
        "lastTouchedVersion": "0.2.0",
        "lastTouchedAt": "2023-11-14T22:13:20.000Z"
      },
    }
    "#);
    let mode = std::fs::metadata(room.at("homard.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn setting_what_a_reference_resolves_to_changes_nothing() {
    let room = Room::new(FILE);
    let outcome = room.handle.set_path("gateway.auth.token", json!("resolved-token")).unwrap();
    assert_eq!((outcome.changed_paths.len(), outcome.action), (0, ReloadAction::None));
    assert_eq!(room.text(), FILE);
}

#[test]
fn an_invalid_change_is_refused_and_nothing_is_written() {
    let room = Room::new(FILE);
    assert!(matches!(room.handle.set_path("gateway.prot", json!(1)), Err(WriteError::Invalid(_))));
    assert!(matches!(room.handle.set_path("gateway.port.x", json!(1)), Err(WriteError::InTheWay(_))));
    assert!(matches!(room.handle.set_path("a..b", json!(1)), Err(WriteError::Path(_))));
    assert!(matches!(room.handle.unset_path("gateway.bind"), Err(WriteError::NotSet(_))));
    assert!(matches!(room.handle.replace_raw("{ a: ", Some(&room.hash())), Err(WriteError::Syntax(_))));
    assert!(matches!(room.handle.replace_raw("[]", Some(&room.hash())), Err(WriteError::Syntax(_))));
    assert_eq!(room.text(), FILE);
    assert!(!room.at("homard.json.bak").exists());
}

#[test]
fn unsetting_takes_the_place_out() {
    let room = Room::new(FILE);
    let outcome = room.handle.unset_path("channels.irc.nick").unwrap();
    assert_eq!(outcome.changed_paths, ["channels.irc.nick"]);
    assert!(
        matches!(outcome.action, ReloadAction::Hot(parts) if matches!(parts.as_slice(), [HotPart::Channel(_)]))
    );
    assert!(room.text().contains("irc: { password: \"secret-1\" }"), "{}", room.text());
}

#[test]
fn replacing_needs_the_hash_that_was_read() {
    let room = Room::new(FILE);
    let base = room.hash();
    assert!(matches!(room.handle.replace_raw("{}", None), Err(WriteError::BaseHashRequired)));
    assert!(
        matches!(room.handle.replace_raw("{}", Some("other")), Err(WriteError::Conflict { current }) if current == base)
    );
    room.handle.replace_raw("{ /* new */ }", Some(&base)).unwrap();
    assert!(room.text().contains("/* new */"));
    assert!(matches!(room.handle.merge_patch("{}", Some(&base), &[]), Err(WriteError::Conflict { .. })));
}

#[test]
fn sentinels_and_resolved_values_sent_back_restore_what_is_on_disk() {
    let room = Room::new(FILE);
    let shown = room.handle.snapshot().redacted_raw().unwrap();
    assert!(shown.contains(REDACTED) && !shown.contains("secret-1"));
    let edited = shown.replace("18789", "18790").replace("${TOKEN}", "resolved-token");
    room.handle.replace_raw(&edited, Some(&room.hash())).unwrap();
    let text = room.text();
    assert!(text.contains("secret-1") && text.contains("${TOKEN}") && text.contains("18790"), "{text}");
    assert!(!text.contains(REDACTED) && text.contains("// the usual one"));
    let stray = json!({ "channels": { "irc": { "botToken": REDACTED } } }).to_string();
    assert!(matches!(
        room.handle.merge_patch(&stray, Some(&room.hash()), &[]),
        Err(WriteError::NothingToRestore(_))
    ));
}

#[test]
fn a_patch_merges_by_id_and_keeps_comments() {
    let room = Room::new(FILE);
    let patch =
        "{ gateway: { bind: 'lan' }, agents: { list: [{ id: 'work', name: 'Job' }] }, channels: null }";
    let outcome = room.handle.merge_patch(patch, Some(&room.hash()), &[]).unwrap();
    assert_eq!(outcome.action, ReloadAction::Restart);
    let config = room.handle.current();
    assert_eq!(config.agents.list.len(), 2);
    assert_eq!(config.agents.list[1].name.as_deref(), Some("Job"));
    assert!(config.channels.sections().next().is_none());
    assert!(room.text().contains("// the usual one"));
    let again = room.handle.merge_patch("{ gateway: { bind: 'lan' } }", Some(&room.hash()), &[]).unwrap();
    assert_eq!(again.changed_paths, [""; 0]);
}

#[test]
fn five_backups_are_kept_newest_first() {
    let room = Room::new("{}");
    for port in 1..=7 {
        room.handle.set_path("gateway.port", json!(port)).unwrap();
    }
    for (name, port) in [(".bak", 6), (".bak.1", 5), (".bak.2", 4), (".bak.3", 3), (".bak.4", 2)] {
        assert!(
            read(&room.at(&format!("homard.json{name}"))).contains(&format!("\"port\": {port}")),
            "{name}"
        );
    }
    assert!(!room.at("homard.json.bak.5").exists());
    let left: Vec<_> = std::fs::read_dir(room.at(""))
        .unwrap()
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .collect();
    assert!(left.iter().all(|name| name.starts_with("homard.json") || name == "logs"), "{left:?}");
}

#[test]
fn every_write_leaves_an_audit_line_without_secrets() {
    let room = Room::new(FILE);
    room.handle.set_path("gateway.auth.token", json!("hunter2")).unwrap();
    room.handle.set_path("logging.level", json!("debug")).unwrap();
    let log = read(&room.at("logs/config-audit.jsonl"));
    assert!(!log.contains("hunter2"), "{log}");
    let lines: Vec<Value> = log.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["event"], "config.write");
    assert_eq!(lines[0]["result"], "rename");
    assert_eq!(lines[0]["argv"], json!(["homard", "config", "set", "gateway.auth.token", "••••"]));
    assert_eq!(lines[0]["suspicious"], json!(["missing-meta-before-write"]));
    assert_eq!(lines[1]["previousHash"], lines[0]["nextHash"]);
    assert_eq!(lines[1]["changedPathCount"], 1);
}

#[test]
fn an_older_programs_file_moves_over_with_the_first_write() {
    let home = tempfile::tempdir().unwrap();
    let old = home.path().join(".openclaw/openclaw.json");
    std::fs::create_dir_all(old.parent().unwrap()).unwrap();
    std::fs::write(&old, "{ gateway: { port: 5 /* mine */ } }").unwrap();
    let environment = Environment::from_pairs([("HOME", home.path().to_str().unwrap())]);
    let paths = Paths::resolve(&environment, &ProcessFacts::default(), None).unwrap();
    let handle = ConfigHandle::open(ConfigSource::isolated(paths, environment, Clock::fixed(0))).unwrap();
    assert_eq!(handle.current().gateway.port, 5);
    let outcome = handle.set_path("gateway.bind", json!("lan")).unwrap();
    assert_eq!(outcome.migrated_from.as_deref(), Some(old.as_path()));
    assert_eq!(read(&old), "{ gateway: { port: 5 /* mine */ } }");
    let text = read(&home.path().join(".homard/homard.json"));
    assert!(text.contains("/* mine */") && text.contains("lan"), "{text}");
    assert_eq!(handle.snapshot().path, home.path().join(".homard/homard.json"));
    assert_eq!(handle.set_path("gateway.port", json!(6)).unwrap().migrated_from, None);
}

#[test]
fn a_value_kept_in_an_included_file_is_not_overwritten_half_way() {
    let room = Room::new("{}");
    std::fs::write(room.at("tools.json5"), "{ deny: ['a'] }").unwrap();
    std::fs::write(room.at("homard.json"), "{ tools: { $include: './tools.json5' } }").unwrap();
    room.handle.reload();
    assert!(matches!(room.handle.set_path("tools.deny", json!(["b"])), Err(WriteError::InIncludedFile(_))));
    assert!(matches!(room.handle.unset_path("tools.deny"), Err(WriteError::InIncludedFile(_))));
    room.handle.set_path("tools.profile", json!("coding")).unwrap();
    assert!(room.text().contains("$include"));
    assert_eq!(room.handle.current().tools.rule.deny, ["a"]);
}

#[test]
fn a_missing_token_is_made_once() {
    let home = tempfile::tempdir().unwrap();
    let source = |pairs: &[(&str, &str)]| {
        ConfigSource::isolated(
            Paths::under(home.path()),
            Environment::from_pairs(pairs.iter().copied()),
            Clock::fixed(0),
        )
    };
    let given = ensure_gateway_token(&source(&[("HOMARD_GATEWAY_TOKEN", "given")])).unwrap().unwrap();
    assert_eq!(given.expose(), "given");
    assert!(!source(&[]).paths.config_path.exists());
    let made = ensure_gateway_token(&source(&[])).unwrap().unwrap();
    assert_eq!(made.expose().len(), 64);
    let mode = std::fs::metadata(home.path().join(".homard")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(ensure_gateway_token(&source(&[])).unwrap(), Some(made));
    assert!(ensure_gateway_token(&source(&[("HOMARD_GATEWAY_PASSWORD", "p")])).is_err());
}

#[test]
fn a_file_managed_from_outside_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let environment = Environment::from_pairs([("OPENCLAW_NIX_MODE", "1")]);
    let source = ConfigSource::isolated(Paths::under(home.path()), environment, Clock::fixed(0));
    let handle = ConfigHandle::open(source).unwrap();
    assert!(matches!(handle.set_path("gateway.port", json!(1)), Err(WriteError::ReadOnly)));
}

#[test]
fn several_mistakes_are_taken_out_in_one_step() {
    let home = tempfile::tempdir().unwrap();
    let paths = Paths::under(home.path());
    std::fs::create_dir_all(&paths.state_dir).unwrap();
    std::fs::write(&paths.config_path, "{ gatway: {}, /* kept */ gateway: { prot: 1, port: 4000 } }")
        .unwrap();
    let source = ConfigSource::isolated(paths, Environment::default(), Clock::fixed(1_700_000_000_000));
    let wrong = ["gatway", "gateway.prot"].map(str::to_owned);
    assert!(matches!(unset_path(&source, "gatway"), Err(WriteError::Invalid(_))));
    unset_paths(&source, &wrong).unwrap();
    let text = read(&source.paths.config_path);
    assert!(text.contains("/* kept */") && text.contains("port: 4000") && !text.contains("prot:"), "{text}");
}

#[test]
fn several_changes_are_one_step_and_a_check_writes_nothing() {
    let room = Room::new(FILE);
    let source = room.handle.source();
    let merge = |path: &str, value| Edit::Merge { path: path.to_owned(), value };
    let edits = [
        Edit::set("gateway.port", json!(4000)),
        merge("channels.irc", json!({"nick": null, "host": "irc.test"})),
        Edit::unset("agents.list[1].name"),
    ];
    let checked = edit(source, &edits, Commit::CheckOnly).unwrap();
    assert_eq!((checked.changed_paths.len(), room.text().as_str()), (4, FILE), "{checked:?}");
    edit(source, &edits, Commit::Write).unwrap();
    let text = room.text();
    assert!(text.contains("port: 4000, // the usual one") && text.contains("${TOKEN}"), "{text}");
    assert!(text.contains("irc.test") && !text.contains("lobster") && !text.contains("Two"), "{text}");

    let half = [Edit::set("gateway.port", json!(1)), Edit::set("gateway.nowhere", json!(1))];
    assert!(matches!(edit(source, &half, Commit::Write), Err(WriteError::Invalid(_))));
    assert_eq!(room.text(), text, "all of it or nothing");
}

#[test]
fn a_change_may_say_what_it_thinks_is_there() {
    let room = Room::new(FILE);
    let expect = |path: &str, value| Edit::Expect { path: path.to_owned(), value };
    let set = Edit::set("gateway.port", json!(4000));
    for (expected, is_done) in [
        (expect("gateway.port", Some(json!(1))), false),
        (expect("gateway.port", None), false),
        (expect("gateway.bind", None), true),
        (expect("gateway.port", Some(json!(4000))), true),
    ] {
        let done = edit(room.handle.source(), &[expected.clone(), set.clone()], Commit::Write);
        assert_eq!(done.is_ok(), is_done, "{expected:?}: {done:?}");
    }
}
