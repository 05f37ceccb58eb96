//! Each check finds what it is for, finds nothing where nothing is wrong, and its act mends it.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use crate::fixture::{Home, NOW};
use crate::scene::{ChannelState, Depth, GatewayState, LockState, ModelState};
use crate::{Act, DOCTOR, Repair, RepairError, Severity};

/// Mends what a check found and says what it finds then.
fn mended(home: &Home, check: &str) -> Vec<String> {
    for done in Repair::new(&home.source).apply(&home.acts(DOCTOR, check)) {
        done.unwrap();
    }
    home.ids(DOCTOR, check)
}

#[test]
fn a_fresh_home_has_no_errors() {
    for home in [Home::empty(), Home::with("{}")] {
        for check in DOCTOR.iter().filter(|check| check.id != "port") {
            let found = home.finds(DOCTOR, check.id);
            assert!(
                found.iter().all(|finding| finding.severity < Severity::Error),
                "{}: {found:?}",
                check.id
            );
        }
    }
}

#[test]
fn looking_writes_nothing() {
    let home = Home::empty();
    for check in DOCTOR {
        home.finds(DOCTOR, check.id);
    }
    assert_eq!(fs::read_dir(home.folder()).unwrap().count(), 0);
}

#[test]
fn checks_have_names_of_their_own() {
    let mut ids: Vec<&str> = DOCTOR.iter().map(|check| check.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), DOCTOR.len());
}

#[test]
fn a_file_that_cannot_be_read_is_told_with_its_place_and_the_last_good_one_is_put_back() {
    let home = Home::with("{ gateway: { port: 4000 }\n  oops");
    let found = home.finds(DOCTOR, "config");
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("line 2"), "{}", found[0].message);
    assert_eq!(found[0].act, None);
    home.write("homard.json.last-good", "{ gateway: { port: 4000 } }");
    assert_eq!(mended(&home, "config"), Vec::<String>::new());
    let kept = Repair::new(&home.source).folder().join("homard.json");
    assert!(fs::read_to_string(kept).unwrap().contains("oops"));
}

#[test]
fn wrong_keys_are_taken_out_together_and_the_old_file_is_kept() {
    let home = Home::with("{ gatway: 1, gateway: { prot: 2, port: 4000 }, browser: { enabled: true } }");
    assert_eq!(home.ids(DOCTOR, "config"), ["config.wrong", "config.wrong", "config.inert"]);
    assert_eq!(mended(&home, "config"), ["config.inert"]);
    assert!(fs::read_to_string(home.state().join("homard.json")).unwrap().contains("4000"));
    let kept = Repair::new(&home.source).folder().join("homard.json");
    assert!(fs::read_to_string(kept).unwrap().contains("gatway"));
}

#[test]
fn a_setting_that_is_missing_is_not_taken_out() {
    let home = Home::with("{ hooks: { enabled: true } }");
    let found = home.finds(DOCTOR, "config");
    assert_eq!((found.len(), found[0].act.clone()), (1, None));
    assert_eq!(found[0].fix.as_deref(), Some("homard config set hooks.token VALUE"));
}

#[test]
fn files_others_can_look_into_are_closed() {
    let home = Home::with("{}");
    assert_eq!(home.ids(DOCTOR, "permissions"), Vec::<String>::new());
    home.chmod("homard.json", 0o644);
    // A closed folder keeps others out of what is in it.
    assert_eq!(home.ids(DOCTOR, "permissions"), Vec::<String>::new());
    home.chmod("", 0o755);
    assert_eq!(home.ids(DOCTOR, "permissions"), ["permissions.readable", "permissions.readable"]);
    home.chmod("homard.json", 0o666);
    assert_eq!(home.finds(DOCTOR, "permissions")[1].severity, Severity::Error);
    assert_eq!(mended(&home, "permissions"), Vec::<String>::new());
    let mode = fs::metadata(home.state().join("homard.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let noted = fs::read_to_string(Repair::new(&home.source).folder().join("changes.jsonl")).unwrap();
    assert!(noted.contains("\"before\":\"666\""), "{noted}");
}

#[test]
fn a_state_folder_that_cannot_be_made_is_told() {
    let mut home = Home::empty();
    assert_eq!(home.ids(DOCTOR, "permissions"), Vec::<String>::new());
    fs::write(home.folder().join("file"), "").unwrap();
    home.source.paths.state_dir = home.folder().join("file/.homard");
    let found = home.finds(DOCTOR, "permissions");
    assert_eq!((found[0].id.as_str(), found.len()), ("permissions.no_place", 1));
    assert!(found[0].fix.as_deref().is_some_and(|fix| fix.contains("HOMARD_STATE_DIR")));
}

#[test]
fn a_port_in_use_is_told_with_who_uses_it() {
    let socket = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = socket.local_addr().unwrap().port();
    let mut home = Home::with(&format!("{{ gateway: {{ port: {port} }} }}"));
    let found = home.finds(DOCTOR, "port");
    assert_eq!(found[0].id, "port.in_use");
    assert!(found[0].message.contains(&format!("process {}", std::process::id())), "{}", found[0].message);
    // Our own gateway may use it.
    home.rooms.lock = LockState { is_held: true, process: Some(1), port: Some(port), is_left: false };
    assert_eq!(home.ids(DOCTOR, "port"), Vec::<String>::new());
    home.rooms.lock.port = Some(1);
    assert_eq!(home.ids(DOCTOR, "port"), ["port.other"]);
}

#[test]
fn locks_of_processes_that_are_gone_are_stale() {
    let mut home = Home::with("{}");
    home.write("agents/main/sessions/a.jsonl.lock", "{\"pid\": 2147483647}");
    home.write("agents/main/sessions/b.jsonl.lock", &std::process::id().to_string());
    home.write("gateway.lock", "2147483647 4000\n");
    home.rooms.lock.is_left = true;
    assert_eq!(home.ids(DOCTOR, "locks"), ["locks.crashed", "locks.stale"]);
    mended(&home, "locks");
    assert_eq!(fs::read_to_string(home.state().join("gateway.lock")).unwrap(), "");
    assert!(!home.state().join("agents/main/sessions/a.jsonl.lock").exists());
    assert!(home.state().join("agents/main/sessions/b.jsonl.lock").exists());
    let kept = Repair::new(&home.source).folder().join("agents/main/sessions/a.jsonl.lock");
    assert!(kept.exists());
}

fn database(home: &Home, version: i64) {
    let conn = rusqlite::Connection::open(home.source.paths.database()).unwrap();
    conn.execute_batch(
        "CREATE TABLE transcripts (session_id TEXT, agent_id TEXT, file TEXT, end_offset INTEGER);
         INSERT INTO transcripts VALUES ('s', 'main', 'kept.jsonl', 5), ('t', 'main', 'lost.jsonl', 5);",
    )
    .unwrap();
    conn.pragma_update(None, "user_version", version).unwrap();
}

#[test]
fn the_database_is_checked_for_damage_and_version() {
    let home = Home::with("{}");
    assert_eq!(home.ids(DOCTOR, "database"), Vec::<String>::new());
    database(&home, homard_store::SCHEMA_VERSION + 1);
    assert_eq!(home.ids(DOCTOR, "database"), ["database.newer"]);
    let conn = rusqlite::Connection::open(home.source.paths.database()).unwrap();
    conn.pragma_update(None, "user_version", 1).unwrap();
    drop(conn);
    assert_eq!(home.ids(DOCTOR, "database"), ["database.older"]);
    home.write("homard.sqlite", "this was a database once, and is none any more, however long it is");
    assert_eq!(home.ids(DOCTOR, "database"), ["database.unreadable"]);
}

#[test]
fn of_a_damaged_database_what_can_be_read_is_kept_and_the_old_one_too() {
    let home = Home::with("{}");
    let path = home.source.paths.database();
    database(&home, homard_store::SCHEMA_VERSION);
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "CREATE TABLE sessions (id INTEGER PRIMARY KEY, key TEXT);
         CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID;
         INSERT INTO kv VALUES ('a', 'kept', 1);
         WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 900)
         INSERT INTO sessions SELECT at, hex(randomblob(200)) FROM n;",
    )
    .unwrap();
    drop(conn);
    let mut bytes = fs::read(&path).unwrap();
    let hole = bytes.len() / 2 / 4_096 * 4_096;
    bytes[hole..hole + 512].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let found = home.ids(DOCTOR, "database");
    assert!(!found.is_empty() && found.iter().all(|id| id == "database.damaged"), "{found:?}");
    assert_eq!(mended(&home, "database"), Vec::<String>::new());
    let kept = Repair::new(&home.source).folder().join("homard.sqlite");
    assert_eq!(fs::read(kept).unwrap(), bytes);
    let conn = rusqlite::Connection::open(&path).unwrap();
    let value: String = conn.query_row("SELECT value FROM kv", [], |row| row.get(0)).unwrap();
    assert_eq!(value, "kept");
    let noted = fs::read_to_string(Repair::new(&home.source).folder().join("changes.jsonl")).unwrap();
    assert!(noted.contains("\"incomplete\":[") && noted.contains("sessions"), "{noted}");
}

#[test]
fn of_a_database_that_was_cut_off_what_is_there_is_kept() {
    let home = Home::with("{}");
    let path = home.source.paths.database();
    database(&home, homard_store::SCHEMA_VERSION);
    let conn = rusqlite::Connection::open(&path).unwrap();
    conn.execute_batch(
        "CREATE TABLE kv (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at INTEGER NOT NULL) WITHOUT ROWID;
         INSERT INTO kv VALUES ('a', 'kept', 1);
         CREATE TABLE sessions (id INTEGER PRIMARY KEY, key TEXT);
         WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 900)
         INSERT INTO sessions SELECT at, hex(randomblob(200)) FROM n;",
    )
    .unwrap();
    drop(conn);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(home.ids(DOCTOR, "database"), ["database.unreadable"]);
    let done = Repair::new(&home.source).apply(&home.acts(DOCTOR, "database"));
    let [Ok(Some(words))] = done.as_slice() else { panic!("{done:?}") };
    assert!(words.contains("not everything could be read of: ") && words.contains("sessions"), "{words}");
    assert_eq!(home.ids(DOCTOR, "database"), Vec::<String>::new());
    let conn = rusqlite::Connection::open(&path).unwrap();
    let value: String = conn.query_row("SELECT value FROM kv", [], |row| row.get(0)).unwrap();
    assert_eq!(value, "kept");
}

/// A service starts a gateway again and again that a damaged database stops: it may be there just then.
#[test]
fn a_database_is_not_exchanged_under_a_gateway_that_was_started_meanwhile() {
    let home = Home::with("{}");
    let path = home.source.paths.database();
    database(&home, homard_store::SCHEMA_VERSION);
    let before = fs::read(&path).unwrap();
    let gateway = fs::File::create(home.source.paths.lock_file()).unwrap();
    gateway.try_lock().unwrap();
    let done = Repair::new(&home.source).apply(&[Act::Salvage { path: path.clone() }]);
    assert!(matches!(done.as_slice(), [Err(RepairError::InUse)]), "{done:?}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(!Repair::new(&home.source).folder().exists());
}

#[test]
fn looking_at_a_database_leaves_nothing_beside_it() {
    let home = Home::with("{}");
    let conn = rusqlite::Connection::open(home.source.paths.database()).unwrap();
    conn.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x); PRAGMA user_version = 1;").unwrap();
    drop(conn);
    let names =
        || fs::read_dir(home.state()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    let before = names();
    home.finds(DOCTOR, "database");
    assert_eq!(names(), before);
}

#[test]
fn conversations_are_checked_for_lines_that_cannot_be_read() {
    let mut home = Home::with("{}");
    database(&home, 1);
    let good = "{\"type\":\"session\"}\n{\"type\":\"message\"}\n";
    home.write("agents/main/sessions/kept.jsonl", good);
    assert_eq!(home.ids(DOCTOR, "transcripts"), ["transcripts.missing"]);
    // What is still being written is not damaged.
    home.write("agents/main/sessions/lost.jsonl", &format!("{good}{{\"half"));
    assert_eq!(home.ids(DOCTOR, "transcripts"), Vec::<String>::new());
    home.write("agents/main/sessions/other.jsonl", "{\"type\":\"session\"}\nnonsense\n");
    assert_eq!(home.ids(DOCTOR, "transcripts"), ["transcripts.damaged", "transcripts.unlisted"]);
    // Of a long one the middle is looked at only when asked.
    let long = format!("{{}}\nnonsense\n{}", "{\"a\":1}\n".repeat(20_000));
    home.write("agents/main/sessions/other.jsonl", &long);
    assert_eq!(home.ids(DOCTOR, "transcripts"), ["transcripts.unlisted"]);
    home.depth = Depth::Deep;
    assert_eq!(home.ids(DOCTOR, "transcripts"), ["transcripts.damaged", "transcripts.unlisted"]);
}

#[test]
fn logins_that_are_over_or_end_soon_are_told() {
    let home = Home::with("{}");
    let hour = 3_600_000;
    let profiles = format!(
        r#"{{"version":1,"profiles":{{
            "a:1":{{"type":"token","provider":"a","expires":{}}},
            "b:1":{{"type":"token","provider":"b","expires":{}}},
            "c:1":{{"type":"oauth","provider":"c","refresh":"r","expires":{}}},
            "d:1":{{"type":"api_key","provider":"d","key":"k"}}}}}}"#,
        NOW - hour,
        NOW + hour,
        NOW - hour
    );
    home.write("agents/main/agent/auth-profiles.json", &profiles);
    assert_eq!(home.ids(DOCTOR, "credentials"), ["credentials.expired", "credentials.ending"]);
    home.write("agents/main/agent/auth-profiles.json", "{");
    assert_eq!(home.ids(DOCTOR, "credentials"), ["credentials.broken"]);
    assert_eq!(mended(&home, "credentials"), Vec::<String>::new());
}

#[test]
fn a_model_without_a_key_and_one_nobody_knows_are_errors() {
    let mut home = Home::with("{}");
    let model = ModelState {
        chosen: "a/b".into(),
        provider: "a".into(),
        is_chosen: true,
        unknown: None,
        has_key: true,
        is_ready: true,
    };
    for (state, ids) in [
        (model.clone(), vec![]),
        (ModelState { is_chosen: false, ..model.clone() }, vec!["models.unset"]),
        (ModelState { has_key: false, ..model.clone() }, vec!["models.no_key"]),
        (ModelState { is_ready: false, ..model.clone() }, vec!["models.resting"]),
        (ModelState { unknown: Some("no such model".into()), ..model }, vec!["models.unknown"]),
    ] {
        home.rooms.model = Some(state);
        assert_eq!(home.ids(DOCTOR, "models"), ids);
    }
}

#[test]
fn accounts_that_cannot_connect_are_told() {
    let mut home = Home::with("{}");
    assert_eq!(home.ids(DOCTOR, "channels"), ["channels.none"]);
    let account = ChannelState {
        channel: "telegram".into(),
        account: "default".into(),
        is_enabled: true,
        ..ChannelState::default()
    };
    home.rooms.channels = vec![
        account.clone(),
        ChannelState { is_enabled: false, ..account.clone() },
        ChannelState { is_configured: true, ..account.clone() },
        ChannelState { is_configured: true, problem: Some("bad".into()), ..account },
    ];
    assert_eq!(home.ids(DOCTOR, "channels"), ["channels.no_token", "channels.wrong"]);
    home.rooms.channels.clear();
    home.rooms.gateway = Some(GatewayState {
        version: "1.0.0".into(),
        problem: None,
        channels: vec!["IRC (default): connected".into(), "Telegram (default): refused".into()],
    });
    assert_eq!(home.ids(DOCTOR, "channels"), ["channels.none", "channels.not_connected"]);
}

#[test]
fn a_gateway_of_another_version_is_told() {
    let mut home = Home::with("{}");
    let gateway = GatewayState { version: "1.0.0".into(), ..GatewayState::default() };
    for (gateway, ids) in [
        (None, vec![]),
        (Some(gateway.clone()), vec![]),
        (Some(GatewayState { version: "0.9.0".into(), ..gateway.clone() }), vec!["version.different"]),
        (Some(GatewayState { problem: Some("refused".into()), ..gateway }), vec!["version.no_answer"]),
    ] {
        home.rooms.gateway = gateway;
        assert_eq!(home.ids(DOCTOR, "version"), ids);
    }
}

#[test]
fn a_service_whose_program_is_gone_is_an_error() {
    let mut home = Home::with("{}");
    let units = home.folder().join(".config/systemd/user");
    fs::create_dir_all(&units).unwrap();
    let unit = |program: &str| {
        fs::write(units.join("homard.service"), format!("[Service]\nExecStart={program} gateway run\n"))
            .unwrap();
    };
    assert!(home.ids(DOCTOR, "service").contains(&"service.none".to_owned()));
    unit("\"/nowhere/my homard\"");
    assert_eq!(home.ids(DOCTOR, "service"), ["service.program_gone", "service.stopped", "service.no_linger"]);
    unit("/bin/sh");
    home.rooms.lock.is_held = true;
    assert_eq!(home.ids(DOCTOR, "service"), ["service.no_linger"]);
    fs::write(units.join("openclaw-gateway.service"), "").unwrap();
    assert_eq!(home.ids(DOCTOR, "service"), ["service.no_linger", "service.other"]);
}

#[test]
fn a_clock_that_is_wrong_is_noticed() {
    let mut home = Home::with("{}");
    let zone = |ids: Vec<String>| ids.into_iter().filter(|id| id != "clock.zone").collect::<Vec<_>>();
    assert_eq!(zone(home.ids(DOCTOR, "clock")), Vec::<String>::new());
    home.source.clock = homard_runtime::Clock::fixed(1_000);
    assert_eq!(zone(home.ids(DOCTOR, "clock")), ["clock.wrong"]);
    home.source.clock = homard_runtime::Clock::fixed(NOW);
    let file = fs::File::options().write(true).open(home.state().join("homard.json")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000)).unwrap();
    assert_eq!(zone(home.ids(DOCTOR, "clock")), ["clock.behind"]);
}

#[test]
fn hiding_records_that_cannot_be_hidden_is_an_error() {
    let home = Home::with("{ tools: { exec: { hideRecords: true } } }");
    let ids = home.ids(DOCTOR, "sandbox");
    assert!(ids.contains(&"sandbox.abilities".to_owned()), "{ids:?}");
}

#[test]
fn a_damaged_memory_index_is_set_aside() {
    let home = Home::with("{}");
    home.write("memory/main.sqlite", "no database at all, whatever it is called by whoever made it so");
    assert_eq!(home.ids(DOCTOR, "memory"), ["memory.damaged"]);
    assert_eq!(mended(&home, "memory"), Vec::<String>::new());
}

#[test]
fn files_that_belong_to_nothing_are_told() {
    let home = Home::with("{}");
    home.write("agents/ghost/sessions/x.jsonl", "");
    home.write("workspace-ghost/notes.md", "");
    home.write("agents/main/sessions/y.jsonl", "");
    let draft = home.write(".homard-abc", "");
    let file = fs::File::options().write(true).open(draft).unwrap();
    let now = file.metadata().unwrap().modified().unwrap();
    file.set_modified(now - Duration::from_secs(7200)).unwrap();
    fs::create_dir(home.folder().join(".homard.restoring-1")).unwrap();
    let ids = home.ids(DOCTOR, "orphans");
    assert_eq!(ids, ["orphans.draft", "orphans.restore", "orphans.agent", "orphans.agent"]);
}

#[test]
fn what_was_written_to_a_damaged_index_last_goes_with_it() {
    let mut home = Home::with("{}");
    home.write("memory/main.sqlite", "no database at all, whatever it is called by whoever made it so");
    let log = home.write("memory/main.sqlite-wal", "");
    home.rooms.lock.is_held = true;
    assert!(home.acts(DOCTOR, "memory").is_empty(), "nothing is taken from under a gateway");
    home.rooms.lock.is_held = false;
    std::fs::write(&log, "last words").unwrap();
    let acts = [Act::SetAside { path: home.state().join("memory/main.sqlite") }];
    let repair = Repair::new(&home.source);
    repair.apply(&acts).into_iter().for_each(|done| drop(done.unwrap()));
    assert!(!log.exists() && repair.folder().join("memory/main.sqlite-wal").is_file());
}

#[test]
fn pipes_are_not_waited_for() {
    let home = Home::with("{}");
    std::fs::create_dir_all(home.state().join("agents/main/sessions")).unwrap();
    for name in ["agents/main/sessions/a.jsonl", "agents/main/sessions/a.lock", "x.lock"] {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, home.state().join(name), mode).unwrap();
    }
    assert_eq!(home.ids(DOCTOR, "transcripts"), Vec::<String>::new());
    assert_eq!(home.ids(DOCTOR, "locks"), Vec::<String>::new());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "moves what the test made")]
fn what_a_link_leads_to_is_told_and_not_changed() {
    let home = Home::with("{}");
    let theirs = home.folder().join("theirs");
    fs::create_dir(&theirs).unwrap();
    std::fs::set_permissions(&theirs, fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::rename(home.state(), home.folder().join("real")).unwrap();
    std::fs::set_permissions(home.folder().join("real"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(&theirs, home.folder().join("real/credentials")).unwrap();
    std::os::unix::fs::symlink(home.folder().join("real"), home.state()).unwrap();
    assert_eq!(
        home.acts(DOCTOR, "permissions").iter().filter(|act| act.to_string().contains("credentials")).count(),
        0
    );
    let told = home.finds(DOCTOR, "permissions");
    assert!(told.iter().any(|one| one.fix.as_ref().is_some_and(|fix| fix.contains("theirs"))), "{told:?}");
}
