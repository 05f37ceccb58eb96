//! Tables of commands: what is understood, what "always" covers later, what the list and the filters let through.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use homard_config::config::tools::{ExecAsk, ExecSecurity};
use proptest::prelude::{Strategy as _, prop_assert_eq, proptest};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::entry::glob;
use super::{Decision, ExecRules, Opaque, PolicyFile, PolicyStore, Question, Request, analyse, join, read};
use crate::env::BuiltEnv;

mod always;
mod itself;

/// Programs that may not be installed where the tests run.
const STUBS: &str = "\
    awk bash cargo cat cp curl docker find git go homard jq ls make mv node npm npx perl pip3 pytest python3 \
    python3.11 rm rsync ruby rustc sed sh ssh sudo tar tee touch watch wget xargs zsh";
const NOW: i64 = 1_700_000_000_000;

/// A folder to be in, programs to call, and a file of rules.
struct World {
    _dir: TempDir,
    cwd: PathBuf,
    env: BuiltEnv,
    rules: ExecRules,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let bin = dir.path().join("bin");
        let cwd = dir.path().join("work");
        std::fs::create_dir_all(cwd.join("sub")).unwrap();
        std::fs::create_dir_all(&bin).unwrap();
        for name in STUBS.split_ascii_whitespace() {
            program(&bin.join(name));
        }
        program(&cwd.join("run.sh"));
        program(&cwd.join("env"));
        program(&cwd.join("grep"));
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let base = [("PATH".to_owned(), path)].into_iter().collect();
        let safe = ["jq", "grep", "cut", "sort", "uniq", "head", "tail", "tr", "wc"].map(str::to_owned);
        let rules = ExecRules {
            agent: "main".to_owned(),
            security: Some(ExecSecurity::Allowlist),
            safe_bins: Arc::from(safe),
            store: Some(PolicyStore::new(dir.path().join("state/exec-approvals.json"))),
            ..ExecRules::default()
        };
        Self { cwd, env: BuiltEnv::from_base(&base), rules, _dir: dir }
    }

    fn store(&self) -> &PolicyStore {
        self.rules.store.as_ref().unwrap()
    }

    fn allow(&self, entry: Value) {
        self.store().update(|file| file.add("main", entry)).unwrap();
    }

    fn decide_in(&self, cwd: &Path, line: &str) -> Decision {
        let request = Request { line, cwd, env: &self.env, variables: &[], security: None, ask: None };
        self.rules.decide(&request, NOW)
    }

    fn decide(&self, line: &str) -> Decision {
        self.decide_in(&self.cwd, line)
    }

    #[track_caller]
    fn asks(&self, line: &str) -> Question {
        match self.decide(line) {
            Decision::Ask(question) => question,
            other => panic!("`{line}` is not asked about: {other:?}"),
        }
    }

    fn runs(&self, line: &str) -> bool {
        self.decide(line) == Decision::Run
    }
}

fn program(path: &Path) {
    std::fs::write(path, "#!/bin/true\n").unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_is_understood_is_split_into_its_commands() {
    let rows: &[(&str, &str)] = &[
        ("", ""),
        ("  # only a comment", ""),
        ("ls", "ls"),
        ("ls -la  src", "ls -la src"),
        ("echo 'a b' \"c d\" e\\ f", "echo 'a b' 'c d' 'e f'"),
        ("echo \"a\\\"b\\n\"", "echo 'a\"b\\n'"),
        ("echo ''", "echo ''"),
        ("a | b && c || d; e", "a | b && c || d; e"),
        ("a\nb\n\n", "a; b"),
        ("a |\n b &&\n c", "a | b && c"),
        ("a # note\nb", "a; b"),
        ("echo a#b", "echo 'a#b'"),
        ("a \\\n b", "a b"),
        ("FOO=1 BAR='x y' cmd", "FOO=1 BAR='x y' cmd"),
        ("cmd FOO=1", "cmd 'FOO=1'"),
        ("cmd >/dev/null 2>&1", "cmd"),
        ("cmd &>/dev/null", "cmd"),
        ("cmd > out.txt", "cmd >out.txt"),
        ("cmd 2>> err.log < input", "cmd 2>>err.log <input"),
        ("echo 2 > x", "echo 2 >x"),
        ("echo $HOME \"${USER}x\"", "echo $HOME \"${USER}x\""),
        ("ls *.rs ~/x", "ls *.rs ~/x"),
        ("find . -name {}", "find . -name '{}'"),
        ("[ -f x ]", "'[' -f x ']'"),
        ("echo $", "echo '$'"),
        ("'if' x", "'if' x"),
        ("grep 'a|b' x", "grep 'a|b' x"),
    ];
    for (line, expected) in rows {
        let read = read(line).unwrap_or_else(|opaque| panic!("`{line}`: {opaque}"));
        assert_eq!(join(&read), *expected, "`{line}`");
    }
}

#[test]
fn what_is_not_understood_is_said_to_be() {
    let rows: &[(&str, Opaque)] = &[
        ("echo $(id)", Opaque::Substitution),
        ("echo `id`", Opaque::Substitution),
        ("echo \"$(id)\"", Opaque::Substitution),
        ("echo \"`id`\"", Opaque::Substitution),
        ("echo $((1+1))", Opaque::Substitution),
        ("echo $[1+1]", Opaque::Substitution),
        ("cat <(id)", Opaque::Substitution),
        ("tee >(sh)", Opaque::Substitution),
        ("cat << EOF\nx\nEOF", Opaque::HereDoc),
        ("sh <<< id", Opaque::HereDoc),
        ("sleep 9 &", Opaque::Background),
        ("a & b", Opaque::Background),
        ("a |& b", Opaque::Redirection),
        ("a >| b", Opaque::Redirection),
        ("a 5> b", Opaque::Redirection),
        ("a >& b", Opaque::Redirection),
        ("a > $F", Opaque::Redirection),
        ("a > *.x", Opaque::Redirection),
        ("cat </dev/tcp/host/80", Opaque::Redirection),
        ("(id)", Opaque::Compound),
        ("f() { id; }", Opaque::Compound),
        ("{ id; }", Opaque::Compound),
        ("if true; then id; fi", Opaque::Compound),
        ("for f in a; do id; done", Opaque::Compound),
        ("! id", Opaque::Compound),
        ("time id", Opaque::Compound),
        ("case x in x) id;; esac", Opaque::Compound),
        ("$CMD x", Opaque::ProgramUnknown),
        ("l* x", Opaque::ProgramUnknown),
        ("~/x", Opaque::ProgramUnknown),
        ("'' x", Opaque::ProgramUnknown),
        ("FOO=1", Opaque::Variable),
        ("FOO=$BAR id", Opaque::Variable),
        ("FOO+=1 id", Opaque::Variable),
        ("echo ${A:-$(id)}", Opaque::Variable),
        ("echo ${!A}", Opaque::Variable),
        ("echo $? $1", Opaque::Variable),
        ("echo $'\\x41'", Opaque::Quoting),
        ("echo $\"x\"", Opaque::Quoting),
        ("echo 'x", Opaque::Syntax),
        ("echo \"x", Opaque::Syntax),
        ("echo x\\", Opaque::Syntax),
        ("a &&", Opaque::Syntax),
        ("| a", Opaque::Syntax),
        ("a ; ; b", Opaque::Syntax),
        ("a >", Opaque::Syntax),
        ("echo a\u{0}b", Opaque::Hidden),
        ("echo a\rb", Opaque::Hidden),
        ("echo 'a\u{202e}b'", Opaque::Hidden),
        ("rm\u{200b} x", Opaque::Hidden),
    ];
    for (line, expected) in rows {
        assert_eq!(read(line).as_ref(), Err(expected), "`{line}`");
    }
}

#[test]
fn calls_are_found_behind_wrappers_and_changes_of_folder() {
    let world = World::new();
    // The line, then each call as `program@folder arguments`.
    let rows: &[(&str, &str)] = &[
        ("git status", "git@work status"),
        ("env FOO=1 git status", "git@work status"),
        ("timeout -k 5 10s nice -n 5 git log", "git@work log"),
        ("nohup stdbuf -oL git log", "git@work log"),
        ("cd sub && git status", "git@sub status"),
        ("cd sub; git status", "git@? status"),
        ("cd sub || git status", "git@? status"),
        ("cd $X && git status", "git@? status"),
        ("cd sub | git status", "git@? status"),
        ("cd sub && git status; git log", "git@sub status, git@? log"),
        ("env -S 'git status'", "env@work -S git status"),
        ("env -u HOME git x", "git@work x"),
        ("timeout $T git x", "timeout@work $T git x"),
        ("./env git x", "env@work git x"),
        ("./run.sh", "run.sh@work"),
    ];
    for (line, expected) in rows {
        let calls = analyse(line, &world.cwd, world.env.search_path(), &[]).unwrap();
        let shown: Vec<String> = calls
            .iter()
            .map(|call| {
                let folder = call.cwd.as_ref().map_or("?", |cwd| cwd.file_name().unwrap().to_str().unwrap());
                let args: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
                format!("{}@{folder} {}", call.program.name, args.join(" ")).trim().to_owned()
            })
            .collect();
        assert_eq!(shown.join(", "), *expected, "`{line}`");
    }
    let refused: &[(&str, Opaque)] = &[
        ("eval id", Opaque::Builtin("eval".into())),
        ("source x", Opaque::Builtin("source".into())),
        ("export PATH=/x", Opaque::Builtin("export".into())),
        ("exec git", Opaque::Builtin("exec".into())),
        ("command git", Opaque::Builtin("command".into())),
        ("printf -v PATH x", Opaque::Builtin("printf".into())),
        ("test -v 'a[$(id)]'", Opaque::Builtin("test".into())),
        ("PATH=/x git status", Opaque::Steering("PATH".into())),
        ("LD_PRELOAD=/x git status", Opaque::Steering("LD_PRELOAD".into())),
        ("no-such-program x", Opaque::NotFound("no-such-program".into())),
        ("cd sub; ./run.sh", Opaque::NotFound("./run.sh".into())),
    ];
    for (line, expected) in refused {
        assert_eq!(
            analyse(line, &world.cwd, world.env.search_path(), &[]).as_ref(),
            Err(expected),
            "`{line}`"
        );
    }
}

#[test]
fn a_relative_folder_in_the_path_ends_the_search() {
    let world = World::new();
    assert!(analyse("git x", &world.cwd, ".:/usr/bin", &[]).is_err());
    assert!(analyse("git x", &world.cwd, "", &[]).is_err());
}

#[test]
fn filters_run_without_a_rule_as_long_as_they_only_filter() {
    let world = World::new();
    let world = World {
        env: BuiltEnv::from_base(&[("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into()),
        ..world
    };
    let safe = [
        "head -n 5",
        "head -5",
        "tail -c 20",
        "sort -u | uniq -c | sort -rn",
        "grep -i foo",
        "grep -E -e foo",
        "grep foo | wc -l",
        "cut -d: -f1",
        "cut -d / -f 2",
        "tr a-z A-Z",
        "wc --lines",
        "sort -k2,2n -t ,",
        "grep a/b",
        "head --lines=3",
        "cd sub && head -n 1",
        "timeout 5 head",
        "grep -A3 x",
    ];
    let unsafe_ = [
        "head x.txt",
        "sort -o out",
        "sort -oout",
        "sort --output=x",
        "sort --compress-program=sh",
        "sort -T /x",
        "grep -f list",
        "grep -r x",
        "grep -R x",
        "grep x file",
        "grep -e x file",
        "grep --include=x y",
        "tail -f x",
        "tail -F",
        "tail --follow=name",
        "uniq in out",
        "wc --files0-from=x",
        "wc x",
        "cut -f1 x",
        "tr a b c",
        "head $X",
        "head *",
        "head > out",
        "X=1 head",
        "./grep x",
        "cat",
        "env",
        "sort --files0-from=-",
        "tail +3",
        "grep --rege=x y",
    ];
    for line in safe {
        assert!(world.runs(line), "`{line}` should run");
    }
    for line in unsafe_ {
        assert!(!world.runs(line), "`{line}` should not run");
    }
}

#[test]
fn a_rule_for_a_whole_program_never_covers_code_given_to_it() {
    let world = World::new();
    let bin = world.cwd.parent().unwrap().join("bin");
    world.allow(json!({"pattern": format!("{}/*", bin.display())}));
    for line in ["cat x", "cat x | tee y", "rm -rf x", "git push", "cat $HOME/x", "timeout 5 cat x"] {
        assert!(world.runs(line), "`{line}` should run");
    }
    let refused = [
        "bash -c id",
        "sh x.sh",
        "python3 -c 1",
        "python3.11 x.py",
        "node -e 1",
        "perl -e 1",
        "awk 'BEGIN{system(\"id\")}'",
        "find . -exec id",
        "xargs id",
        "sudo id",
        "ssh host",
        "docker run x",
        "npx x",
        "make",
        "sed e x",
        "tar xf x",
        "env -S id",
        "git -c alias.x=!id x",
        "git --exec-path=/x status",
        "git log --ext-diff",
        "git bisect run id",
        "cat x > y",
        "X=1 cat y",
        "cat x | bash",
        "ruby -e 1",
        "zsh",
        "watch id",
        "rsync -e sh a b",
        "./run.sh",
        "cat $(id)",
        "bash -c id && cat x",
        "cat x; python3 x",
        "env X=1 cat y",
        "cargo run",
        "npm test",
        "pip3 install x",
    ];
    for line in refused {
        assert!(!world.runs(line), "`{line}` should be asked about");
    }
}

#[test]
fn rules_name_programs_by_path_or_by_name() {
    let rows: &[(&str, &str, bool)] = &[
        ("/usr/bin/ls", "/usr/bin/ls", true),
        ("/usr/bin/*", "/usr/bin/ls", true),
        ("/usr/*", "/usr/bin/ls", false),
        ("/usr/**", "/usr/bin/ls", true),
        ("/usr/**/ls", "/usr/local/bin/ls", true),
        ("/usr/bin/l?", "/usr/bin/ls", true),
        ("/usr/bin/ls", "/usr/bin/lsof", false),
        ("**/ls", "/usr/bin/ls", true),
        ("*", "", true),
        ("", "x", false),
    ];
    for (pattern, path, expected) in rows {
        assert_eq!(glob(pattern, path), *expected, "{pattern} {path}");
    }
    let world = World::new();
    world.allow(json!({"pattern": "cat"}));
    program(&world.cwd.join("cat"));
    assert!(world.runs("cat x") && !world.runs("./cat x") && !world.runs("ls"));
}

#[test]
fn a_pattern_that_leaves_the_code_open_is_no_rule_for_a_program_that_runs_code() {
    for pattern in [".*", "-c .*", r"^(?:[^\x00]*\x00)*$", "("] {
        let world = World::new();
        world.allow(json!({"pattern": "**/python3", "argPattern": pattern}));
        assert!(!world.runs("python3 -c 1"), "{pattern}");
    }
    let world = World::new();
    world.allow(json!({"pattern": "**/python3", "argPattern": "tool\\.py( --fast)?"}));
    world.allow(json!({"pattern": "**/cat", "argPattern": "[a-z]+\\.txt"}));
    assert!(world.runs("python3 tool.py --fast") && world.runs("cat a.txt"));
    assert!(
        !world.runs("python3 tool.py --slow") && !world.runs("cat a.txt b.txt") && !world.runs("cat /a.txt")
    );
}

#[test]
fn the_strictest_of_all_rules_is_in_force() {
    use ExecAsk::{Always, Off, OnMiss};
    use ExecSecurity::{Allowlist, Deny, Full};
    let file = |text: Value| PolicyFile::from_value(text).unwrap();
    let nothing = || file(json!({"version": 1}));
    let rows = [
        (None, None, nothing(), (None, None), (Full, Off)),
        (Some(Allowlist), None, nothing(), (None, None), (Allowlist, OnMiss)),
        (Some(Allowlist), Some(Off), nothing(), (None, None), (Allowlist, Off)),
        (
            Some(Full),
            None,
            file(json!({"defaults": {"security": "allowlist"}})),
            (None, None),
            (Allowlist, OnMiss),
        ),
        (Some(Full), Some(Always), nothing(), (Some(Full), Some(Off)), (Full, Always)),
        (None, None, nothing(), (Some(Deny), None), (Deny, Off)),
        (Some(Deny), None, file(json!({"defaults": {"security": "full"}})), (Some(Full), None), (Deny, Off)),
        (
            None,
            None,
            file(json!({"defaults": {"security": "deny"}, "agents": {"main": {"security": "full"}}})),
            (None, None),
            (Full, Off),
        ),
        (None, None, file(json!({"agents": {"*": {"ask": "always"}}})), (None, None), (Full, Always)),
        (
            None,
            None,
            file(json!({"defaults": {"security": "whatever", "ask": 7}})),
            (None, None),
            (Deny, Always),
        ),
    ];
    for (security, ask, file, wanted, expected) in rows {
        let rules = ExecRules { agent: "main".into(), security, ask, ..ExecRules::default() };
        let in_force = rules.in_force(&file, wanted.0, wanted.1);
        assert_eq!((in_force.security, in_force.ask), expected, "{security:?} {ask:?} {file:?} {wanted:?}");
    }
}

#[test]
fn a_broken_file_refuses_everything() {
    let world = World::new();
    std::fs::create_dir_all(world.store().path().parent().unwrap()).unwrap();
    for text in ["{", "[]", "\"x\""] {
        std::fs::write(world.store().path(), text).unwrap();
        assert!(matches!(world.decide("ls"), Decision::Refuse(_)), "{text}");
    }
}

#[test]
fn what_is_asked_about_always_cannot_be_remembered() {
    let mut world = World::new();
    world.rules.ask = Some(ExecAsk::Always);
    assert!(!world.asks("ls").can_always());
    world.rules.security = Some(ExecSecurity::Full);
    assert!(!world.asks("ls").can_always());
}

#[test]
fn without_asking_what_is_not_listed_is_refused() {
    let mut world = World::new();
    world.rules.ask = Some(ExecAsk::Off);
    assert!(matches!(world.decide("cat x"), Decision::Refuse(_)));
    assert!(matches!(world.decide("echo $(id)"), Decision::Refuse(_)));
}

#[test]
fn nobody_answering_is_no_unless_the_file_says_otherwise() {
    for (fallback, security, expected) in [
        (json!(null), "allowlist", false),
        (json!("deny"), "full", false),
        (json!("allowlist"), "full", false),
        (json!("full"), "full", true),
        (json!("full"), "allowlist", false),
    ] {
        let mut world = World::new();
        world.rules.security = None;
        world.rules.ask = Some(ExecAsk::Always);
        let defaults = json!({"security": security, "askFallback": fallback});
        world
            .store()
            .replace(PolicyFile::from_value(json!({"version": 1, "defaults": defaults})).unwrap(), None)
            .unwrap();
        assert_eq!(world.asks("rm x").runs_unanswered, expected, "{fallback} {security}");
    }
}

#[test]
fn programs_of_skills_run_where_the_file_says_so() {
    let mut world = World::new();
    world.rules.skill_bins = Arc::new(["curl".to_owned(), "python3".to_owned()].into());
    assert!(!world.runs("curl x"));
    world
        .store()
        .update(|file| {
            *file =
                PolicyFile::from_value(json!({"version": 1, "defaults": {"autoAllowSkills": true}})).unwrap();
            true
        })
        .unwrap();
    assert!(world.runs("curl x") && !world.runs("curl x > y") && !world.runs("python3 x"));
}

#[test]
fn the_file_keeps_what_is_not_understood_and_is_the_owners_alone() {
    let world = World::new();
    let text = json!({"version": 1, "future": [1], "socket": {"path": "/s", "token": "t"}, "agents": {"main": {"allowlist": [{"pattern": "/bin/x", "later": true}], "note": 1}}});
    world.store().replace(PolicyFile::from_value(text).unwrap(), None).unwrap();
    let loaded = world.store().update(|file| file.add("main", json!({"pattern": "/bin/y"}))).unwrap();
    let kept = loaded.file.to_value();
    assert_eq!((&kept["future"], &kept["agents"]["main"]["note"]), (&json!([1]), &json!(1)));
    assert_eq!(
        kept["agents"]["main"]["allowlist"],
        json!([{"pattern": "/bin/x", "later": true}, {"pattern": "/bin/y"}])
    );
    let shown = loaded.file.to_shown();
    assert_eq!(shown["socket"], json!({"path": "/s"}));
    let mode = std::fs::metadata(world.store().path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let file = PolicyFile::from_value(shown).unwrap();
    assert!(world.store().replace(file.clone(), None).is_err());
    assert!(world.store().replace(file.clone(), Some("old")).is_err());
    let replaced = world.store().replace(file, Some(&loaded.hash)).unwrap();
    assert_eq!(replaced.file.to_value()["socket"]["token"], json!("t"));
    assert_eq!(world.store().load().unwrap(), replaced);
}

#[test]
fn writers_wait_for_each_other() {
    let world = World::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let store = world.store().clone();
            scope.spawn(move || {
                store.update(|file| file.add("main", json!({"pattern": format!("/bin/{number}")})))
            });
        }
    });
    assert_eq!(world.store().load().unwrap().file.allowlist("main").len(), 8);
}

#[test]
fn rules_are_read_from_old_and_new_files_and_taken_out_again() {
    let text = json!({"agents": {
        "default": {"allowlist": ["/bin/a"]},
        "*": {"allowlist": [{"pattern": "/bin/b"}, {"pattern": "  "}, {"argPattern": "x"}, 5, {"pattern": "/c", "argPattern": 1}]},
    }});
    let mut file = PolicyFile::from_value(text).unwrap();
    let patterns =
        |file: &PolicyFile| file.allowlist("main").into_iter().map(|e| e.pattern).collect::<Vec<_>>();
    assert_eq!(patterns(&file), ["/bin/a", "/bin/b"]);
    assert!(file.add("*", json!({"pattern": "/bin/d"})) && !file.add("*", json!({"pattern": "/bin/d"})));
    assert_eq!((file.remove("*", "/bin/b"), file.remove("*", "/bin/b")), (1, 0));
    assert_eq!(patterns(&file), ["/bin/a", "/bin/d"]);
}

proptest! {
    #[test]
    fn any_text_is_read_or_opaque_and_what_is_read_can_be_written_and_read_again(
        line in proptest::collection::vec(
            proptest::sample::select(vec!["a", "ls", " ", "'", "\"", "\\", "|", "&", ";", "\n", "$", "{", "}", "(", ")", "<", ">", "*", "~", "=", "#", "1", "2", "x=1", "é", "/dev/null", "[", "!", "`", "$X", "if"]),
            0..24,
        ).prop_map(|parts| parts.concat())
    ) {
        if let Ok(segments) = read(&line) {
            prop_assert_eq!(read(&join(&segments)), Ok(segments));
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(line in "\\PC*") {
        drop(read(&line));
    }
}
