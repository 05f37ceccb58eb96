//! `homard update` with the real program: a newer one takes its place and the gateway's, or nothing changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use homard_testkit::{FakeLlm, FakeWeb, Launch, ReleaseMaker, TestGateway, TestHome, TestRelease, WebPage};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::scenarios::handover::Reaper;
use crate::scenarios::world::{KEY, OPENAI, as_owner, config, talk, until};

/// The platform the programs of the tests were built for.
const TARGET: &str = env!("HOMARD_TARGET");

/// A program where its owner put it, whoever makes releases, and a home that trusts them.
struct Installed {
    home: TestHome,
    maker: ReleaseMaker,
    web: FakeWeb,
    fake: FakeLlm,
}

impl Installed {
    async fn new() -> Self {
        let (maker, web, fake) =
            (ReleaseMaker::new().unwrap(), FakeWeb::start().await.unwrap(), FakeLlm::start().await.unwrap());
        let update = json!({ "source": web.url("/releases"), "publicKey": maker.public_key() });
        let home = TestHome::with_config(&config(&fake, OPENAI, |config| config["update"] = update)).unwrap();
        let installed = Self { home, maker, web, fake };
        fs::create_dir_all(installed.program().parent().unwrap()).unwrap();
        put_real(&installed.program());
        installed
    }

    fn program(&self) -> PathBuf {
        program_of(&self.home)
    }

    /// A program that is the real one but for its version, after `first`.
    fn newer(&self, first: &str) -> TestRelease {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo 'homard 99.0.0 (commit test)' && exit\n{first}\nexec {} \"$@\"\n",
            crate::homard()
        );
        self.maker.release("99.0.0", "stable", TARGET, script.as_bytes()).unwrap()
    }
}

/// The program that was built for the tests, under another name where the file system can.
fn put_real(program: &Path) {
    if fs::hard_link(crate::homard(), program).is_err() {
        fs::copy(crate::homard(), program).unwrap();
    }
}

fn program_of(home: &TestHome) -> PathBuf {
    home.path().join("bin/homard")
}

async fn run(home: &TestHome, words: &[&str]) -> Output {
    let mut command = Command::new(program_of(home));
    command.args(words);
    as_owner(command, home).output().await.unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn told(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", errors(output)))
}

fn is_real(program: &Path) -> bool {
    fs::metadata(program).unwrap().len() == fs::metadata(crate::homard()).unwrap().len()
}

fn names(home: &TestHome) -> Vec<String> {
    let entries = fs::read_dir(program_of(home).parent().unwrap()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_newer_program_takes_over_from_the_gateway_and_then_takes_its_place() {
    let installed = Installed::new().await;
    installed.newer("").serve(&installed.web, "/releases/stable/");
    let launch = Launch::of(installed.program());
    let Installed { home, fake, .. } = installed;
    let gateway = TestGateway::start(launch, home).await.unwrap();
    let reaper = Reaper::of(gateway.home());
    let first = reaper.pid();
    let mut client = gateway.operator().await.unwrap();
    fake.says("before");
    talk(&mut client, KEY, "hello").await;
    let seen = run(gateway.home(), &["update", "status", "--json"]).await;
    let seen = told(&seen);
    assert_eq!((&seen["available"], &seen["updateAvailable"]), (&json!("99.0.0"), &json!(true)), "{seen}");
    let done = run(gateway.home(), &["update", "--yes", "--json"]).await;
    let done = told(&done);
    assert_eq!((&done["status"], &done["to"]), (&json!("updated"), &json!("99.0.0")), "{done}");
    assert_eq!(done["gateway"]["state"], "handed-over", "{done}");
    assert_eq!(done["gateway"]["pid"], json!(reaper.pid().unwrap().as_raw_nonzero().get()));
    assert_ne!(reaper.pid(), first);
    assert!(!is_real(&program_of(gateway.home())));
    assert!(is_real(Path::new(done["previous"].as_str().unwrap())));
    assert_eq!(names(gateway.home()), ["homard", "homard.previous"]);
    let mut client = until("the new one", || async { gateway.operator().await.ok() }).await;
    fake.says("after");
    assert_eq!(talk(&mut client, KEY, "and now?").await["state"], "final");
}

#[tokio::test]
async fn a_program_that_does_not_get_ready_replaces_nothing_and_the_old_one_goes_on() {
    let installed = Installed::new().await;
    for (index, first) in ["exit 3", "kill -9 $$"].into_iter().enumerate() {
        installed.newer(first).serve(&installed.web, &format!("/dies/{index}/"));
    }
    let launch = Launch::of(installed.program());
    let Installed { home, fake, web, .. } = installed;
    let gateway = TestGateway::start(launch, home).await.unwrap();
    let reaper = Reaper::of(gateway.home());
    let first = reaper.pid();
    let mut client = gateway.operator().await.unwrap();
    for index in 0..2 {
        let done =
            run(gateway.home(), &["update", "--yes", "--from", &web.url(&format!("/dies/{index}"))]).await;
        let said = errors(&done);
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(
            said.contains("so the old one goes on") && said.contains("hint: nothing was replaced"),
            "{said}"
        );
        assert!(is_real(&program_of(gateway.home())));
        assert_eq!(names(gateway.home()), ["homard"], "what was staged is gone");
    }
    assert_eq!(reaper.pid(), first);
    fake.says("still here");
    assert_eq!(talk(&mut client, KEY, "unharmed?").await["state"], "final", "not even a connection broke");
}

#[tokio::test]
async fn without_a_gateway_or_when_told_so_only_the_program_is_replaced() {
    let installed = Installed::new().await;
    installed.newer("").serve(&installed.web, "/releases/");
    let home = &installed.home;
    let would = run(home, &["update", "--dry-run", "--json"]).await;
    assert_eq!(told(&would)["status"], "would-update");
    assert!(is_real(&installed.program()));
    let asked = run(home, &["update"]).await;
    assert!(errors(&asked).contains("nobody can be asked"), "{}", errors(&asked));
    assert_eq!((asked.status.code(), is_real(&installed.program())), (Some(2), true));
    let done = run(home, &["update", "--yes"]).await;
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && said.contains("is 99.0.0 now"), "{said}{}", errors(&done));
    let version = run(home, &["--version"]).await;
    assert_eq!(String::from_utf8_lossy(&version.stdout), "homard 99.0.0 (commit test)\n");

    fs::remove_file(installed.program()).unwrap();
    put_real(&installed.program());
    let launch = Launch::of(installed.program());
    let gateway = TestGateway::start(launch, installed.home).await.unwrap();
    let reaper = Reaper::of(gateway.home());
    let first = reaper.pid();
    let done = told(&run(gateway.home(), &["update", "--yes", "--no-restart", "--json"]).await);
    assert_eq!((&done["status"], &done["gateway"]["state"]), (&json!("updated"), &json!("left")), "{done}");
    assert_eq!(reaper.pid(), first);
    // What runs knows where it lay: a bare signal hands over to what lies there now.
    kill_process(first.unwrap(), Signal::USR2).unwrap();
    until("the new one", || async { (reaper.pid() != first).then_some(()) }).await;
    until("its answer", || async { gateway.operator().await.ok() }).await;
}

#[tokio::test]
async fn what_is_damaged_unsigned_or_for_another_machine_changes_nothing() {
    let installed = Installed::new().await;
    let good = installed.newer("");
    let mut damaged = good.clone();
    damaged.put(&good.archive, vec![7; good.file(&good.archive).len()]);
    let stranger = ReleaseMaker::new().unwrap();
    let theirs = stranger.release("99.0.0", "stable", TARGET, b"#!/bin/sh\nexit 0\n").unwrap();
    let mut unsigned = good.clone();
    unsigned.remove("release.json.sig");
    let elsewhere = installed.maker.release("99.0.0", "stable", "sparc-sun-solaris", b"x").unwrap();
    let liar =
        installed.maker.release("99.0.0", "stable", TARGET, b"#!/bin/sh\necho homard 98.0.0\n").unwrap();
    let old = installed.maker.release("0.0.1", "stable", TARGET, b"#!/bin/sh\nexit 0\n").unwrap();
    let rows = [
        (damaged, 1, "error: `homard-", "hint: try again"),
        (theirs, 1, "not signed by the key", "hint: take releases only"),
        (unsigned, 1, "is not signed", "hint: take releases only"),
        (elsewhere, 1, "has no build for", "hint: build it from source"),
        (liar, 1, "does not run on this machine", "it says it is `homard 98.0.0`"),
        (old, 0, "", ""),
    ];
    for (index, (release, code, words, hint)) in rows.into_iter().enumerate() {
        release.serve(&installed.web, &format!("/row/{index}/"));
        let from = installed.web.url(&format!("/row/{index}"));
        let done = run(&installed.home, &["update", "--yes", "--from", &from]).await;
        let said = errors(&done);
        assert_eq!(done.status.code(), Some(code), "{said}");
        assert!(said.contains(words) && said.contains(hint), "{words}: {said}");
        assert!(is_real(&installed.program()), "{words}");
        assert_eq!(names(&installed.home), ["homard"], "{words}");
    }
}

#[tokio::test]
async fn an_update_that_is_killed_while_it_downloads_leaves_the_old_program() {
    let installed = Installed::new().await;
    let release = installed.newer("");
    release.serve(&installed.web, "/releases/");
    installed.web.page(&format!("/releases/{}", release.archive), WebPage::Stalls);
    let mut command = Command::new(installed.program());
    command.args(["update", "--yes"]);
    let mut update = as_owner(command, &installed.home).spawn().unwrap();
    let archive = format!("GET /releases/{}", release.archive);
    until("the download", || async { installed.web.asked().contains(&archive).then_some(()) }).await;
    update.kill().await.unwrap();
    assert!(is_real(&installed.program()));
    assert_eq!(names(&installed.home), ["homard"]);
    // The next one goes through.
    release.serve(&installed.web, "/releases/");
    let done = told(&run(&installed.home, &["update", "--yes", "--json"]).await);
    assert_eq!(done["status"], "updated");
}

#[tokio::test]
async fn a_disk_that_is_full_and_a_source_that_hangs_leave_the_old_program() {
    let installed = Installed::new().await;
    let release = installed.newer(&"# as large as it gets\n".repeat(4096));
    release.serve(&installed.web, "/releases/");
    // What a full disk does to one process: no file may grow beyond some blocks.
    let mut shell = Command::new("sh");
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" update --yes";
    shell.args(["-c", script]).arg(installed.program());
    let done = as_owner(shell, &installed.home).output().await.unwrap();
    let said = errors(&done);
    assert!(said.contains("is full; nothing was changed") && said.contains("hint: make room"), "{said}");
    assert!(is_real(&installed.program()));
    assert_eq!(names(&installed.home), ["homard"]);
    installed.web.page("/releases/release.json", WebPage::Hangs);
    installed.web.page("/releases/stable/release.json", WebPage::Hangs);
    let done = run(&installed.home, &["update", "--yes", "--timeout", "1"]).await;
    assert!(errors(&done).contains("took too long"), "{}", errors(&done));
}

#[tokio::test]
async fn who_has_no_source_no_key_or_another_keeper_is_told_what_to_do() {
    let installed = Installed::new().await;
    let home = &installed.home;
    assert!(run(home, &["config", "unset", "update.publicKey"]).await.status.success());
    let done = run(home, &["update", "--yes"]).await;
    assert!(errors(&done).contains("hint: set the key of whoever makes"), "{}", errors(&done));
    assert!(run(home, &["config", "unset", "update.source"]).await.status.success());
    let done = run(home, &["update", "--yes"]).await;
    assert!(errors(&done).contains("there is no public place yet"), "{}", errors(&done));
    let seen = run(home, &["update", "status"]).await;
    let said = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(seen.status.success() && said.contains("not set, and none is built in"), "{said}");
    let mut command = Command::new(crate::homard());
    command.args(["update", "--yes"]);
    let done = as_owner(command, home).output().await.unwrap();
    let said = errors(&done);
    assert!(said.contains("is kept by source") && said.contains("hint: in the clone: git pull"), "{said}");
    // What was made on this machine needs no key.
    let place = home.path().join("dist");
    installed.newer("").write(&place).unwrap();
    let done = run(home, &["update", "--yes", "--from", &place.to_string_lossy()]).await;
    assert!(done.status.success() && errors(&done).contains("was not signed"), "{}", errors(&done));
}
