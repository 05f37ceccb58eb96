//! A home of either era: what is planned, what arrives, and that the home stays as it was.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use homard_config::{ConfigSource, Environment, Overrides, Paths, Snapshot};
use homard_migrate::{Era, Fate, Home, Migration, NoHome, Options, OurHome, Report};
use homard_runtime::Clock;
use homard_testkit::OpenClawHome;
use serde_json::{Value, json};

const WITH_SECRETS: Options = Options { secrets: true, overwrite: false };

struct Machine {
    dir: tempfile::TempDir,
    source: ConfigSource,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let nothing: [(&str, &str); 0] = [];
        let paths = Paths::under(dir.path());
        let source = ConfigSource::isolated(paths, Environment::from_pairs(nothing), Clock::fixed(0));
        Self { dir, source }
    }

    fn old(&self) -> std::path::PathBuf {
        self.dir.path().join(".openclaw")
    }

    fn plan(&self, options: Options) -> Migration {
        let home = Home::find(self.dir.path(), &self.source.paths.state_dir).unwrap();
        Migration::look(&home, OurHome::of(&self.source), options)
    }

    fn apply(&self, options: Options) -> Report {
        self.plan(options).apply(&self.dir.path().join("aside")).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.source.paths.state_dir.join(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }
}

fn fate<'r>(report: &'r Report, what: &str) -> (Fate, &'r str) {
    let found = report.items.iter().find(|item| item.what == what);
    let item = found.unwrap_or_else(|| panic!("nothing about {what}: {report:#?}"));
    (item.fate, item.why.as_str())
}

#[test]
fn a_home_of_files_arrives_whole_and_stays_as_it_was() {
    let machine = Machine::new();
    let home = OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let before = home.fingerprint().unwrap();
    let report = machine.apply(WITH_SECRETS);
    assert_eq!(home.fingerprint().unwrap(), before, "the other home is only read");
    assert_eq!(report.era, Era::Files);
    assert_eq!(report.count(Fate::Failed), 0, "{report:#?}");

    for name in [
        "agents/main/agent/auth-profiles.json",
        "cron/jobs.json",
        "credentials/telegram-allowFrom.json",
        "devices/paired.json",
        "exec-approvals.json",
        ".env",
        "workspace/SOUL.md",
        "workspace/memory/2026-01-01.md",
        "skills/tea/SKILL.md",
    ] {
        assert_eq!(machine.read(name), fs::read_to_string(machine.old().join(name)).unwrap(), "{name}");
    }
    let mode =
        fs::metadata(machine.source.paths.state_dir.join("workspace/run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111, "scripts stay scripts");
    let list = machine.json("agents/main/sessions/sessions.json");
    let files: Vec<&Value> =
        list.as_object().unwrap().values().filter_map(|one| one.get("sessionFile")).collect();
    assert_eq!(files, [&json!("22222222-2222-4222-8222-222222222222-topic-3.jsonl")]);
    assert!(machine.read(&format!("agents/main/sessions/{}.jsonl", home.main_session())).contains("buy tea"));

    let text = machine.read("homard.json");
    assert!(text.contains("// the kitchen machine"), "comments stay: {text}");
    let config = Snapshot::load(&machine.source, &Overrides::default());
    assert!(config.valid(), "{:?}", config.issues);
    let state_dir = &machine.source.paths.state_dir;
    assert_eq!(config.resolved["agents"]["defaults"]["workspace"], json!(state_dir.join("workspace")));
    assert_eq!(fate(&report, "agents.defaults.workspace").0, Fate::Changed);
    assert_eq!(fate(&report, "somethingOfTheirs").0, Fate::Left);
    assert_eq!(fate(&report, "gateway.auth.token").0, Fate::Taken);
    for left in ["memory", "logs", "extensions", "cron/runs", "openclaw.json.bak", "devices/pending.json"] {
        let (fate, why) = fate(&report, left);
        assert!(fate == Fate::Left && !why.is_empty() && why != "not known", "{left}: {why}");
    }
    assert!(!state_dir.join("migrating").exists());
}

#[test]
fn every_file_of_a_home_is_told_about() {
    let machine = Machine::new();
    let home = OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let report = machine.plan(WITH_SECRETS).report().clone();
    for (path, _, _) in home.fingerprint().unwrap().into_iter().filter(|(path, _, _)| path.is_file()) {
        let name = path.strip_prefix(home.dir()).unwrap().to_string_lossy().into_owned();
        let is_told = report.items.iter().any(|item| {
            name == item.what || name.starts_with(&format!("{}/", item.what.trim_end_matches('/')))
        });
        assert!(is_told, "{name}");
    }
}

#[test]
fn a_home_of_databases_becomes_files() {
    let machine = Machine::new();
    let home = OpenClawHome::of_databases(&machine.old(), &json!({})).unwrap();
    let before = home.fingerprint().unwrap();
    let report = machine.apply(WITH_SECRETS);
    assert_eq!(home.fingerprint().unwrap(), before, "the other home is only read");
    assert_eq!((report.era, report.count(Fate::Failed)), (Era::Sqlite, 0), "{report:#?}");
    let list = machine.json("agents/main/sessions/sessions.json");
    assert_eq!(list["agent:main:main"]["label"], "Kitchen");
    let transcript = machine.read(&format!("agents/main/sessions/{}.jsonl", home.main_session()));
    let lines: Vec<Value> = transcript.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["version"]), (3, &json!(3)));
    assert_eq!(lines[1]["message"]["content"], "buy tea", "a packed row is unpacked");
    let jobs = machine.json("cron/jobs.json");
    assert_eq!(
        (&jobs["jobs"][0]["id"], &jobs["jobs"][0]["schedule"]["expr"]),
        (&json!("tea"), &json!("0 16 * * *"))
    );
    assert_eq!(machine.json("credentials/telegram-allowFrom.json")["allowFrom"], json!(["42"]));
    let devices = machine.json("devices/paired.json");
    let device = devices.as_object().unwrap().values().next().unwrap();
    assert_eq!((&device["displayName"], &device["scopes"]), (&json!("phone"), &json!(["operator.read"])));
    assert!(machine.read("agents/main/agent/auth-profiles.json").contains("gsk-theirs"));
    assert_eq!(fate(&report, "state/openclaw.sqlite: diagnostic_events").0, Fate::Left);
}

#[test]
fn secrets_stay_where_they_are_unless_they_are_wanted() {
    for era in [OpenClawHome::of_files, OpenClawHome::of_databases] {
        let machine = Machine::new();
        era(&machine.old(), &json!({})).unwrap();
        let report = machine.apply(Options::default());
        for secret in ["oc-gateway-token", "gsk-theirs", "device-token", "from-the-home"] {
            assert!(!holds(&machine.source.paths.state_dir, secret), "{secret}");
        }
        assert_eq!(fate(&report, "gateway.auth.token").0, Fate::Left);
        assert!(Snapshot::load(&machine.source, &Overrides::default()).valid());
    }
}

fn holds(dir: &Path, text: &str) -> bool {
    fs::read_dir(dir).unwrap().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            holds(&path, text)
        } else {
            fs::read_to_string(&path).is_ok_and(|all| all.contains(text))
        }
    })
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_goes_on() {
    let machine = Machine::new();
    let home = OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    home.text("agents/main/sessions/sessions.json", "{broken").unwrap();
    home.text("cron/jobs.json", "").unwrap();
    home.text("agents/main/sessions/odd.jsonl", "not a transcript\n").unwrap();
    home.text("openclaw.json", "{ gateway: ").unwrap();
    let report = machine.apply(WITH_SECRETS);
    for what in [
        "agents/main/sessions/sessions.json",
        "cron/jobs.json",
        "agents/main/sessions/odd.jsonl",
        "openclaw.json",
    ] {
        assert_eq!(fate(&report, what).0, Fate::Failed, "{what}");
    }
    assert!(machine.read("workspace/SOUL.md").contains("tea"));
    let machine = Machine::new();
    let home = OpenClawHome::of_databases(&machine.old(), &json!({})).unwrap();
    home.text("agents/main/agent/openclaw-agent.sqlite", &"no database".repeat(100)).unwrap();
    let report = machine.apply(WITH_SECRETS);
    assert_eq!(fate(&report, "agents/main/agent/openclaw-agent.sqlite").0, Fate::Failed);
    assert!(machine.read("cron/jobs.json").contains("tea"));
}

#[test]
fn a_second_run_finds_everything_there() {
    for era in [OpenClawHome::of_files, OpenClawHome::of_databases] {
        let machine = Machine::new();
        era(&machine.old(), &json!({})).unwrap();
        machine.apply(WITH_SECRETS);
        let again = machine.plan(WITH_SECRETS);
        let taken: Vec<_> = again
            .report()
            .items
            .iter()
            .filter(|item| {
                matches!(item.fate, Fate::Taken | Fate::Changed) && item.kind == homard_migrate::Kind::File
            })
            .map(|item| item.what.as_str())
            .filter(|what| !what.ends_with('/') && *what != "openclaw.json")
            .collect();
        assert_eq!(taken, [""; 0], "{:#?}", again.report());
    }
}

#[test]
fn a_run_that_was_interrupted_is_begun_again() {
    let machine = Machine::new();
    OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let state_dir = machine.source.paths.state_dir.clone();
    fs::create_dir_all(state_dir.join("migrating/agents")).unwrap();
    fs::write(state_dir.join("migrating/agents/half"), "half").unwrap();
    fs::create_dir_all(state_dir.join("workspace")).unwrap();
    fs::copy(machine.old().join("workspace/SOUL.md"), state_dir.join("workspace/SOUL.md")).unwrap();
    machine.apply(WITH_SECRETS);
    assert!(!state_dir.join("migrating").exists() && !state_dir.join("agents/half").exists());
    assert!(machine.read("workspace/MEMORY.md").contains("kettle"), "what was missing was added");
}

#[test]
fn what_is_here_stays_unless_it_is_to_be_replaced_and_is_then_put_aside() {
    let machine = Machine::new();
    OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let state_dir = machine.source.paths.state_dir.clone();
    fs::create_dir_all(state_dir.join("workspace")).unwrap();
    fs::write(state_dir.join("workspace/SOUL.md"), "ours\n").unwrap();
    fs::write(state_dir.join("homard.json"), "{gateway: {port: 4000}}").unwrap();
    let report = machine.apply(WITH_SECRETS);
    assert_eq!(machine.read("workspace/SOUL.md"), "ours\n");
    let config = Snapshot::load(&machine.source, &Overrides::default()).resolved;
    assert_eq!(
        (&config["gateway"]["port"], &config["gateway"]["auth"]["mode"]),
        (&json!(4000), &json!("token"))
    );
    assert_eq!(fate(&report, "gateway.port").0, Fate::Left);
    machine.apply(Options { secrets: true, overwrite: true });
    assert_eq!(machine.read("workspace/SOUL.md"), "I like tea.\n");
    assert_eq!(fs::read_to_string(machine.dir.path().join("aside/workspace/SOUL.md")).unwrap(), "ours\n");
    let config = Snapshot::load(&machine.source, &Overrides::default()).resolved;
    assert_eq!(config["gateway"]["port"], json!(18_789));
}

#[test]
fn a_home_that_may_only_be_read_is_enough() {
    let machine = Machine::new();
    let home = OpenClawHome::of_databases(&machine.old(), &json!({})).unwrap();
    let all = home.fingerprint().unwrap();
    let set = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for (path, _, _) in &all {
        set(path, if path.is_dir() { 0o500 } else { 0o400 });
    }
    let report = machine.apply(WITH_SECRETS);
    for (path, _, _) in all.iter().filter(|(path, _, _)| path.is_dir()) {
        set(path, 0o700);
    }
    assert_eq!(report.count(Fate::Failed), 0, "{report:#?}");
    fs::write(machine.source.paths.state_dir.join("workspace/SOUL.md"), "changed").unwrap();
}

#[test]
fn other_folders_are_no_homes() {
    let machine = Machine::new();
    let state_dir = &machine.source.paths.state_dir;
    let empty = machine.dir.path().join("empty");
    fs::create_dir_all(&empty).unwrap();
    fs::create_dir_all(state_dir).unwrap();
    assert!(matches!(Home::open(&empty, state_dir), Err(NoHome::NotAHome(_))));
    assert!(matches!(Home::open(&empty.join("none"), state_dir), Err(NoHome::NotThere(_))));
    assert!(matches!(Home::open(state_dir, state_dir), Err(NoHome::Ourselves(_))));
    assert!(Home::find(machine.dir.path(), state_dir).is_none());
}

#[test]
fn a_home_that_lies_in_ours_or_the_other_way_round_is_refused() {
    let machine = Machine::new();
    OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let inside = machine.old().join("homard");
    assert!(matches!(Home::open(&machine.old(), &inside), Err(NoHome::Nested(_))));
    assert!(matches!(Home::open(&machine.old(), machine.dir.path()), Err(NoHome::Nested(_))));
    // A link does not hide where it lies.
    let door = machine.dir.path().join("door");
    std::os::unix::fs::symlink(machine.old(), &door).unwrap();
    assert!(matches!(Home::open(&machine.old(), &door.join("new")), Err(NoHome::Nested(_))));
}

#[test]
fn nothing_is_put_through_a_link_into_the_other_home() {
    let machine = Machine::new();
    let home = OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let state_dir = machine.source.paths.state_dir.clone();
    fs::create_dir_all(&state_dir).unwrap();
    std::os::unix::fs::symlink(machine.old().join("workspace"), state_dir.join("workspace")).unwrap();
    home.text("workspace/late.md", "late").unwrap();
    let before = home.fingerprint().unwrap();
    let options = Options { secrets: true, overwrite: true };
    let error = machine.plan(options).apply(&machine.dir.path().join("aside")).unwrap_err();
    assert!(format!("{error:?}").contains("leads into the home"), "{error:?}");
    assert_eq!(home.fingerprint().unwrap(), before, "the other home is only read");
}

#[test]
fn a_link_from_one_place_of_a_home_to_another_stays_in_ours() {
    let machine = Machine::new();
    OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let real = machine.old().canonicalize().unwrap();
    std::os::unix::fs::symlink(real.join("skills/tea"), real.join("workspace/tea")).unwrap();
    std::os::unix::fs::symlink(real.join("workspace/loop"), real.join("workspace/loop")).unwrap();
    machine.apply(WITH_SECRETS);
    let ours = &machine.source.paths.state_dir;
    assert_eq!(fs::read_link(ours.join("workspace/tea")).unwrap(), ours.join("skills/tea"));
    assert!(ours.join("workspace/loop").is_symlink());
}

/// What a link leads to is neither ours nor theirs: it stays, whatever is at the link's place here.
#[test]
fn nothing_is_taken_from_where_a_link_leads() {
    let machine = Machine::new();
    let home = OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let elsewhere = machine.dir.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join("letter.md"), "mine").unwrap();
    std::os::unix::fs::symlink(&elsewhere, home.dir().join("workspace/letters")).unwrap();
    let ours = machine.source.paths.state_dir.join("workspace/letters");
    fs::create_dir_all(&ours).unwrap();
    fs::write(ours.join("ours.md"), "ours").unwrap();
    let kept = || fs::read_to_string(elsewhere.join("letter.md")).unwrap_or_default();

    machine.apply(WITH_SECRETS);
    assert_eq!(kept(), "mine", "what is here stays, and so does what the link leads to");
    assert!(ours.join("ours.md").is_file());
    let overwrite = Options { secrets: true, overwrite: true };
    machine.apply(overwrite);
    assert_eq!((kept().as_str(), fs::read_link(&ours).unwrap()), ("mine", elsewhere.clone()));
    machine.plan(overwrite).apply(&machine.dir.path().join("aside-2")).unwrap();
    assert_eq!((kept().as_str(), fs::read_link(&ours).unwrap()), ("mine", elsewhere.clone()));
}

#[test]
fn pipes_and_endless_devices_are_not_waited_for() {
    let machine = Machine::new();
    OpenClawHome::of_files(&machine.old(), &json!({})).unwrap();
    let pipe = |name: &str| {
        let path = machine.old().join(name);
        let _there = fs::remove_file(&path);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
            .unwrap();
    };
    for name in ["agents/main/sessions/pipe.jsonl", ".env", "workspace/pipe"] {
        pipe(name);
    }
    let jobs = machine.old().join("cron/jobs.json");
    fs::remove_file(&jobs).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &jobs).unwrap();
    let report = machine.apply(WITH_SECRETS);
    for what in ["agents/main/sessions/pipe.jsonl", ".env", "cron/jobs.json"] {
        assert_eq!(fate(&report, what).0, Fate::Failed, "{what}");
    }
    assert_eq!(fate(&report, "workspace/pipe").0, Fate::Left, "what is not copied is named");
    assert!(machine.read("workspace/SOUL.md").contains("tea"));
}

#[test]
fn a_row_that_is_wrong_costs_itself_alone() {
    let machine = Machine::new();
    let home = OpenClawHome::of_databases(&machine.old(), &json!({})).unwrap();
    let path = home.dir().join("agents/main/agent/openclaw-agent.sqlite");
    let agent = rusqlite::Connection::open(&path).unwrap();
    agent
        .execute_batch(
            "UPDATE transcript_events SET event_zstd = x'00112233', event_json = NULL
               WHERE seq = (SELECT max(seq) FROM transcript_events);
             PRAGMA wal_checkpoint(TRUNCATE);",
        )
        .unwrap();
    drop(agent);
    let shared = rusqlite::Connection::open(home.dir().join("state/openclaw.sqlite")).unwrap();
    shared
        .execute_batch("UPDATE cron_jobs SET job_json = '{broken'; PRAGMA wal_checkpoint(TRUNCATE);")
        .unwrap();
    drop(shared);
    let report = machine.apply(WITH_SECRETS);
    assert_eq!(fate(&report, "state/openclaw.sqlite: cron_jobs").0, Fate::Failed);
    let broken = format!("agents/main/sessions/{}.jsonl", home.main_session());
    let is_told = report.items.iter().any(|item| item.what == broken && item.fate == Fate::Failed);
    assert!(is_told, "{report:#?}");
    assert_eq!(machine.json("agents/main/sessions/sessions.json")["agent:main:main"]["label"], "Kitchen");
    assert!(!machine.source.paths.state_dir.join("cron/jobs.json").exists());
}
