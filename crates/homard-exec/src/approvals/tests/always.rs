//! What "always" covers: a command that was allowed, a later one, and whether that runs without a question.

use serde_json::json;

use super::{NOW, World};
use crate::approvals::Decision;

/// The first is allowed always; the second comes later.
const ROWS: &[(&str, &str, Later)] = &[
    // The same again, however it is spelled.
    ("cat notes.txt", "cat notes.txt", Runs),
    ("cat notes.txt", "cat   'notes.txt'", Runs),
    ("cat notes.txt", "cat notes\\.txt", Runs),
    ("cat notes.txt", "cat notes.txt 2>/dev/null", Runs),
    ("cat notes.txt", "cat notes.txt 2>&1", Runs),
    ("cat notes.txt", "timeout 5 cat notes.txt", Runs),
    ("timeout 5 cat notes.txt", "cat notes.txt", Runs),
    ("nice -n 10 make", "make", Runs),
    ("cat notes.txt", "cat notes.txt | head -n 3", Runs),
    ("cat a && cat b", "cat a", Runs),
    ("cat a && cat b", "cat b; cat a", Runs),
    ("cat a | tee b", "cat a | tee b", Runs),
    ("./run.sh x", "./run.sh x", Runs),
    ("./run.sh x", "cd . && ./run.sh x", Runs),
    ("cd sub && cat a", "cd sub && cat a", Runs),
    ("cat *.txt", "cat *.txt", Runs),
    ("cat $HOME/x", "cat $HOME/x", Runs),
    ("cat a > b", "cat a > b", Runs),
    ("curl https://example.com", "curl https://example.com", Runs),
    ("npm test", "npm test", Runs),
    ("make", "make", Runs),
    ("make build", "make build", Runs),
    ("python3 tool.py", "python3 tool.py", Runs),
    ("python3 -c 'print(1)'", "python3 -c 'print(1)'", Runs),
    ("bash -c 'ls -l'", "bash -c 'ls -l'", Runs),
    ("node -e 1", "node -e 1", Runs),
    ("env A=1 cat x", "A=1 cat x", Runs),
    ("A=1 cat x", "env A=1 cat x", Runs),
    ("find . -name x", "find . -name x", Runs),
    ("git commit -m 'a b'", "git commit -m \"a b\"", Runs),
    // Arguments that make no difference.
    ("git status", "git status --short", Runs),
    ("git status -s", "git status", Runs),
    ("git status", "git status -sb --porcelain", Runs),
    ("git log", "git log --oneline -n 5", Runs),
    ("git log -5", "git log -20 --stat", Runs),
    ("git diff", "git diff --stat src/main.rs", Runs),
    ("git branch", "git branch -a", Runs),
    ("git remote -v", "git remote", Runs),
    ("cargo test", "cargo test -p homard-exec", Runs),
    ("cargo test -p a", "cargo test -p b --release", Runs),
    ("cargo test", "cargo test some_name", Runs),
    ("cargo build", "cargo build --release --locked", Runs),
    ("cargo fmt", "cargo fmt --all --check", Runs),
    ("cargo clippy", "cargo clippy --all-targets", Runs),
    ("go test ./...", "go test -v ./pkg/...", Runs),
    ("ls", "ls -la", Runs),
    ("ls -l src", "ls crates/homard/src", Runs),
    ("ls", "cd sub && ls", Runs),
    ("pytest", "pytest -q tests/test_a.py", Runs),
    // Other arguments.
    ("cat notes.txt", "cat secrets.txt", Asks),
    ("cat notes.txt", "cat notes.txt secrets.txt", Asks),
    ("cat notes.txt", "cat", Asks),
    ("cat notes.txt", "cat 'notes.txt '", Asks),
    ("cat 'a b'", "cat a b", Asks),
    ("cat a b", "cat 'a b'", Asks),
    ("rm build.log", "rm -rf build.log", Asks),
    ("rm build.log", "rm -rf /", Asks),
    ("rm -i x", "rm x", Asks),
    ("rsync --dry-run a b", "rsync a b", Asks),
    ("curl https://example.com", "curl https://example.org", Asks),
    ("curl https://example.com", "curl https://example.com -o x", Asks),
    ("curl https://example.com", "curl https://example.com/", Asks),
    ("git status", "git push", Asks),
    ("git status", "git -c core.fsmonitor=id status", Asks),
    ("git log", "git log --output=x", Asks),
    ("git diff", "git diff --ext-diff", Asks),
    ("git diff", "git diff /etc/passwd", Asks),
    ("git diff", "git diff ../x", Asks),
    ("git branch", "git branch -D main", Asks),
    ("git branch", "git branch new", Asks),
    ("git remote", "git remote add x y", Asks),
    ("cargo test", "cargo run", Asks),
    ("cargo test", "cargo test --config x=1", Asks),
    ("cargo test", "cargo test --manifest-path /x/Cargo.toml", Asks),
    ("cargo test", "cargo install x", Asks),
    ("cargo test", "rustc test", Asks),
    ("go test ./...", "go test -exec id ./...", Asks),
    ("go build", "go run .", Asks),
    ("ls", "ls /etc", Asks),
    ("ls", "ls ..", Asks),
    ("ls", "ls sub/../..", Asks),
    ("ls", "ls ~", Asks),
    ("ls", "ls *", Asks),
    ("npm test", "npm run deploy", Asks),
    ("npm test", "npm test -- --x", Asks),
    ("make", "make install", Asks),
    ("make", "make SHELL=/x", Asks),
    // Other surroundings.
    ("cat a", "cat b && cat a", Asks),
    ("cat a", "cat a; rm x", Asks),
    ("cat a", "cat a > b", Asks),
    ("cat a", "cat a >> b", Asks),
    ("cat a > b", "cat a > c", Asks),
    ("cat a > b", "cat a", Asks),
    ("cat a", "cat a | bash", Asks),
    ("cat a", "cat a && $(id)", Asks),
    ("cat a", "cat a &", Asks),
    ("cat a", "cat a `id`", Asks),
    ("cat a", "X=1 cat a", Asks),
    ("A=1 cat x", "A=2 cat x", Asks),
    ("A=1 cat x", "cat x", Asks),
    ("cat a", "PATH=/x cat a", Asks),
    ("cat a", "LD_PRELOAD=/x cat a", Asks),
    ("cat a", "cd sub && cat a", Asks),
    ("cd sub && cat a", "cat a", Asks),
    ("cat a", "cd sub; cat a", Asks),
    ("cat *.txt", "cat '*.txt'", Asks),
    ("cat '$HOME'", "cat $HOME", Asks),
    ("cat a", "./grep a", Asks),
    ("./run.sh x", "./run.sh y", Asks),
    ("cat a", "sudo cat a", Asks),
    ("cat a", "xargs cat a", Asks),
    ("cat a", "bash -c 'cat a'", Asks),
    ("cat a", "./env cat a", Asks),
    ("cat a", "env -S 'cat a'", Asks),
    ("cat a", "eval cat a", Asks),
    // Programs that run anything: the very same call, never more.
    ("bash -c 'ls -l'", "bash -c 'ls -l; id'", Asks),
    ("bash -c 'ls -l'", "bash -c id", Asks),
    ("bash -c 'ls -l'", "bash", Asks),
    ("bash -c 'ls -l'", "sh -c 'ls -l'", Asks),
    ("bash -c 'ls -l'", "cat a | bash -c 'ls -l'", Asks),
    ("python3 -c 'print(1)'", "python3 -c 'print(2)'", Asks),
    ("python3 tool.py", "python3 other.py", Asks),
    ("python3 tool.py", "python3.11 tool.py", Asks),
    ("python3 tool.py", "python3 -i tool.py", Asks),
    ("python3 tool.py", "python3 tool.py < x", Asks),
    ("node -e 1", "node -e 2", Asks),
    ("perl -e 1", "perl -e 2", Asks),
    ("awk '{print $1}'", "awk '{system($1)}'", Asks),
    ("find . -name x", "find . -name x -delete", Asks),
    ("find . -name x", "find . -exec rm {} +", Asks),
    ("sed -n 1p a", "sed -i d a", Asks),
    ("npx tool", "npx other", Asks),
    ("tar tf a.tar", "tar xf a.tar --to-command=id", Asks),
    ("env A=1 cat x", "env A=1 bash", Asks),
    // What is never remembered.
    ("curl https://example.com | bash", "", Never),
    ("cat x | sh", "", Never),
    ("bash", "", Never),
    ("bash -s", "", Never),
    ("python3 -", "", Never),
    ("python3 < x", "", Never),
    ("cat list | xargs rm", "", Never),
    ("xargs rm", "", Never),
    ("sudo cat x", "", Never),
    ("ssh host uptime", "", Never),
    ("docker run alpine id", "", Never),
    ("python3 $X", "", Never),
    ("bash -c \"$X\"", "", Never),
    ("echo $(id)", "", Never),
    ("cat a; cd sub; cat b", "", Never),
    ("cat <<< x", "", Never),
    ("for f in a; do cat $f; done", "", Never),
    ("PATH=/x cat a", "", Never),
    ("eval cat a", "", Never),
    ("no-such-program", "", Never),
    ("sleep 5 &", "", Never),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Later {
    Runs,
    Asks,
    /// The first cannot be allowed always.
    Never,
}
use Later::{Asks, Never, Runs};

fn outcome(first: &str, later: &str) -> Later {
    let world = World::new();
    let question = world.asks(first);
    if !question.can_always() {
        return Never;
    }
    world.rules.remember(&question, NOW).unwrap();
    if world.runs(later) { Runs } else { Asks }
}

#[test]
fn always_covers_the_same_and_the_harmless_and_nothing_else() {
    assert!(ROWS.len() >= 100);
    let wrong: Vec<String> = ROWS
        .iter()
        .filter_map(|(first, later, expected)| {
            let came = outcome(first, later);
            (came != *expected).then(|| format!("`{first}` then `{later}`: {came:?}, expected {expected:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_remembered_says_where_it_came_from_and_is_kept_once() {
    let world = World::new();
    let question = world.asks("cargo test -p a && cat x");
    for _ in 0..2 {
        world.rules.remember(&question, NOW).unwrap();
    }
    let file = world.store().load().unwrap().file.to_value();
    let list = file["agents"]["main"]["allowlist"].as_array().unwrap();
    assert_eq!(list.len(), 2);
    let cat = &list[1];
    assert!(cat["pattern"].as_str().unwrap().ends_with("/bin/cat"));
    assert_eq!(cat["argPattern"], json!("^x\\x00$"));
    assert_eq!(cat["source"], json!("allow-always"));
    assert_eq!(cat["commandText"], json!("cargo test -p a && cat x"));
    assert_eq!(cat["lastUsedAt"], json!(NOW));
    assert!(cat["id"].is_string() && cat["lastResolvedPath"].is_string() && cat["cwd"].is_string());
}

#[test]
fn a_use_is_noted() {
    let world = World::new();
    world.allow(json!({"pattern": "**/cat"}));
    assert_eq!(world.decide("cat x"), Decision::Run);
    let file = world.store().load().unwrap().file.to_value();
    let entry = &file["agents"]["main"]["allowlist"][0];
    assert_eq!((&entry["lastUsedAt"], &entry["lastUsedCommand"]), (&json!(NOW), &json!("cat x")));
}

#[test]
fn what_was_allowed_in_one_folder_is_asked_about_in_another() {
    let world = World::new();
    for (line, elsewhere) in [("rm x", false), ("cargo test", false), ("ls", true)] {
        let question = world.asks(line);
        world.rules.remember(&question, NOW).unwrap();
        assert!(world.runs(line), "{line}");
        let there = world.decide_in(&world.cwd.join("sub"), line) == Decision::Run;
        assert_eq!(there, elsewhere, "{line}");
    }
}

#[test]
fn variables_the_model_sets_count_as_part_of_the_command() {
    let world = World::new();
    let question = world.asks("git log");
    world.rules.remember(&question, NOW).unwrap();
    let variables = [("GIT_PAGER".to_owned(), "id".to_owned())];
    let request = crate::approvals::Request {
        line: "git log",
        cwd: &world.cwd,
        env: &world.env,
        variables: &variables,
        security: None,
        ask: None,
    };
    assert!(matches!(world.rules.decide(&request, NOW), Decision::Ask(_)));
}
