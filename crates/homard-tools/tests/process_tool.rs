//! Background commands from the outside: exec leaves them running, process looks after them.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap its fixture has failed")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use homard_exec::{BuiltEnv, Processes};
use homard_protocol::{AgentId, RunId, SessionKey, ToolCallId};
use homard_runtime::Clock;
use homard_tools::{
    Layer, LayerName, ProgressSender, ToolCx, ToolOptions, ToolOutcome, ToolPolicy, Toolbox, WebOptions,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

struct World {
    dir: tempfile::TempDir,
    toolbox: Toolbox,
    processes: Processes,
    policy: ToolPolicy,
}

impl World {
    fn new() -> Self {
        Self::with(ToolOptions::EXEC_TIMEOUT, Duration::from_secs(100))
    }

    /// Where commands may take so long, and are waited for so long.
    fn with(exec_timeout: Duration, exec_background_after: Duration) -> Self {
        let processes = Processes::new(Clock::fixed(0));
        let toolbox = Toolbox::new(&ToolOptions {
            home: "/nowhere".into(),
            workspace_only: true,
            env: BuiltEnv::from_base(&BTreeMap::new()),
            exec_timeout,
            web: WebOptions::default(),
            exec_background_after,
            launcher: None,
            processes: processes.clone(),
            apply_patch: None,
        });
        Self { dir: tempfile::tempdir().unwrap(), toolbox, processes, policy: ToolPolicy::default() }
    }

    async fn call(&self, name: &str, arguments: Value) -> ToolOutcome {
        let cx = cx(self.dir.path(), SessionKey::main(AgentId::main()));
        self.toolbox.call(&self.policy, name, arguments, &cx).await
    }

    /// Starts a command in the background and says its name.
    async fn start(&self, command: &str) -> String {
        let outcome = self.call("exec", json!({"command": command, "background": true})).await;
        assert_eq!(detail(&outcome, "status"), json!("running"), "{outcome:?}");
        detail(&outcome, "sessionId").as_str().unwrap().to_owned()
    }

    async fn act(&self, action: &str, id: &str, more: Value) -> ToolOutcome {
        let mut arguments = json!({"action": action, "sessionId": id});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.call("process", arguments).await
    }

    /// Polls until the command has written `wanted`; the test runner's limit is the bound.
    async fn until(&self, id: &str, wanted: &str) -> String {
        let mut all = String::new();
        while !all.contains(wanted) {
            let outcome = self.act("poll", id, json!({"timeout": 5})).await;
            assert!(!outcome.is_error, "{outcome:?}");
            all.push_str(&words(&outcome));
        }
        all
    }
}

fn cx(workspace: &Path, session_key: SessionKey) -> ToolCx {
    ToolCx {
        workspace: workspace.to_owned(),
        session_key,
        run_id: RunId::parse("run").unwrap(),
        call_id: ToolCallId::parse("call").unwrap(),
        cancel: CancellationToken::new(),
        progress: ProgressSender::nobody(),
        clock: Clock::fixed(0),
        scope: std::sync::Arc::default(),
    }
}

fn words(outcome: &ToolOutcome) -> String {
    outcome.content.iter().filter_map(|block| block.as_text()).collect()
}

fn detail(outcome: &ToolOutcome, name: &str) -> Value {
    outcome.details.as_ref().and_then(|details| details.get(name)).cloned().unwrap_or_default()
}

fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

#[tokio::test]
async fn how_long_commands_run_and_are_waited_for_is_the_owners_choice() {
    let hasty = World::with(ToolOptions::EXEC_TIMEOUT, Duration::from_millis(20));
    let waits = json!({"command": "while [ ! -e go ]; do sleep 0.01; done"});
    let outcome = hasty.call("exec", waits.clone()).await;
    assert!(words(&outcome).contains("still running in the background"), "{outcome:?}");
    std::fs::write(hasty.dir.path().join("go"), "").unwrap();
    let strict = World::with(Duration::from_millis(50), Duration::from_secs(100));
    let outcome = strict.call("exec", waits).await;
    assert!(words(&outcome).contains("timed out after 0.05 s"), "{outcome:?}");
}

#[tokio::test]
async fn a_command_that_takes_too_long_goes_on_in_the_background() {
    let world = World::new();
    let line = "echo begun; while [ ! -e go ]; do sleep 0.01; done; echo over; exit 4";
    let outcome = world.call("exec", json!({"command": line, "yieldMs": 300})).await;
    let text = words(&outcome);
    assert!(!outcome.is_error && text.contains("still running in the background"), "{text}");
    let id = detail(&outcome, "sessionId").as_str().unwrap().to_owned();
    assert!(text.contains(&id), "{text}");
    std::fs::write(world.dir.path().join("go"), "").unwrap();
    let outcome = world.act("poll", &id, json!({"timeout": 100_000})).await;
    assert!(words(&outcome).ends_with("over\n\n\n(command exited with code 4)"), "{outcome:?}");
    assert_eq!((detail(&outcome, "status"), detail(&outcome, "exitCode")), (json!("failed"), json!(4)));
    let outcome = world.act("poll", &id, json!({})).await;
    assert_eq!(words(&outcome), "(no new output)\n\n(command exited with code 4)");
    let outcome = world.act("log", &id, json!({})).await;
    assert_eq!(words(&outcome), "begun\nover\n\n[lines 0-1 of 2] (command exited with code 4)");
    assert_eq!(words(&world.act("clear", &id, json!({})).await), format!("removed {id}"));
    assert_eq!(words(&world.call("process", json!({"action": "list"})).await), "no background commands");
}

#[tokio::test]
async fn input_reaches_a_background_command_in_every_spelling() {
    let world = World::new();
    let id = world.start("while read -r line; do echo \"<$line>\"; done; echo over").await;
    let rows = [
        ("write", json!({"data": "one\n"}), "<one>"),
        ("submit", json!({"data": "two"}), "<two>"),
        ("paste", json!({"text": "three\nfour\n"}), "<four>"),
        ("send-keys", json!({"keys": ["f", "Space", "é", "Enter"]}), "<f é>"),
        ("send-keys", json!({"literal": "lit", "hex": ["21", "0a"]}), "<lit!>"),
        ("write", json!({"data": "last\n", "eof": true}), "over"),
    ];
    for (action, more, expected) in rows {
        let outcome = world.act(action, &id, more).await;
        assert!(!outcome.is_error, "{action}: {outcome:?}");
        world.until(&id, expected).await;
    }
    let outcome = world.act("submit", &id, json!({"data": "late"})).await;
    assert!(outcome.is_error, "{outcome:?}");
    let id = world.start("trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.01; done").await;
    world.until(&id, "ready").await;
    world.act("send-keys", &id, json!({"keys": ["C-c"]})).await;
    world.until(&id, "exited with code 7").await;
}

#[tokio::test]
async fn killing_ends_every_child_and_removing_forgets() {
    let world = World::new();
    let id = world.start("sleep 1000 & echo child $!; wait").await;
    let text = world.until(&id, "child").await;
    let child: String =
        text.split("child ").nth(1).unwrap().chars().take_while(char::is_ascii_digit).collect();
    assert!(is_alive(&child));
    assert!(world.act("clear", &id, json!({})).await.is_error);
    let outcome = world.act("kill", &id, json!({})).await;
    assert_eq!(words(&outcome), format!("killed {id} (was stopped)"));
    while is_alive(&child) {
        tokio::task::yield_now().await;
    }
    assert_eq!(words(&world.act("remove", &id, json!({})).await), format!("removed {id}"));
    let outcome = world.act("poll", &id, json!({})).await;
    assert_eq!(
        words(&outcome),
        format!("there is no background command `{id}` in this conversation; there are none")
    );
}

#[tokio::test]
async fn a_flood_reaches_the_model_in_bounded_pieces() {
    let world = World::new();
    let id = world.start("yes 0123456789 | head -n 500000; echo last").await;
    let outcome = world.act("poll", &id, json!({"timeout": 100_000})).await;
    assert!(
        words(&outcome).len() < 31_000 && words(&outcome).contains("bytes before this"),
        "{}",
        words(&outcome).len()
    );
    let outcome = world.act("log", &id, json!({"limit": 1_000_000, "offset": 0})).await;
    assert!(words(&outcome).len() < 31_000 && words(&outcome).contains("cut here"));
    let outcome = world.act("log", &id, json!({})).await;
    assert_eq!(words(&outcome).lines().filter(|line| *line == "0123456789").count(), 199);
    assert!(words(&outcome).contains("\nlast\n"));
}

#[tokio::test]
async fn another_conversation_sees_nothing_of_it() {
    let world = World::new();
    let id = world.start("sleep 1000").await;
    let other = cx(world.dir.path(), SessionKey::parse("agent:main:direct:somebody").unwrap());
    for (action, expected) in [
        ("list", "no background commands".to_owned()),
        ("poll", format!("there is no background command `{id}` in this conversation; there are none")),
        ("kill", format!("there is no background command `{id}` in this conversation; there are none")),
        ("remove", format!("there is no background command `{id}` in this conversation; there are none")),
    ] {
        let arguments = json!({"action": action, "sessionId": id});
        let outcome = world.toolbox.call(&world.policy, "process", arguments, &other).await;
        assert_eq!(words(&outcome), expected, "{action}");
    }
    let list = words(&world.call("process", json!({"action": "list"})).await);
    assert_eq!(list, format!("{id} is running 0s: sleep 1000"));
    world.processes.stop().await;
    let refused = world.call("exec", json!({"command": "true"})).await;
    assert!(refused.is_error && words(&refused).contains("the gateway is stopping"), "{refused:?}");
}

#[tokio::test]
async fn wishes_that_make_no_sense_are_answered() {
    let world = World::new();
    let id = world.start("sleep 1000").await;
    let outcome = world.call("exec", json!({"command": "sleep 1000", "yieldMs": 10})).await;
    let deaf = detail(&outcome, "sessionId").as_str().unwrap().to_owned();
    let rows = [
        (json!({"action": "poll"}), "sessionId is missing"),
        (json!({"action": "dance"}), "`action`: unknown variant `dance`"),
        (json!({"action": "poll", "sessionId": "nothing"}), "there is no background command `nothing`"),
        (json!({"action": "write", "sessionId": id}), "nothing to send: give `data`"),
        (json!({"action": "paste", "sessionId": id}), "nothing to send: give `text`"),
        (json!({"action": "send-keys", "sessionId": id}), "nothing to send: give `keys`"),
        (json!({"action": "send-keys", "sessionId": id, "keys": ["Any"]}), "`Any` is not a key"),
        (json!({"action": "send-keys", "sessionId": id, "hex": ["xx"]}), "`xx` is not a byte in hexadecimal"),
        (
            json!({"action": "write", "sessionId": id, "data": "x".repeat(100_001)}),
            "longer than 100000 bytes",
        ),
        (json!({"action": "write", "sessionId": deaf, "data": "x"}), "it was not started with background"),
        (json!({"action": "clear", "sessionId": id}), "is still running"),
    ];
    for (arguments, expected) in rows {
        let outcome = world.call("process", arguments).await;
        assert!(outcome.is_error && words(&outcome).contains(expected), "{expected}: {outcome:?}");
    }
    world.processes.stop().await;
}

#[tokio::test]
async fn without_process_a_command_is_waited_for_and_cannot_be_left_running() {
    let mut world = World::new();
    world.policy = ToolPolicy::new(vec![Layer::new(LayerName::Global, &[], &["process"])]);
    let outcome = world.call("exec", json!({"command": "sleep 0.1; echo over", "yieldMs": 10})).await;
    assert_eq!(words(&outcome), "over\n");
    let outcome = world.call("bash", json!({"command": "true", "background": true})).await;
    assert!(outcome.is_error && words(&outcome).contains("cannot go on in the background"), "{outcome:?}");
}

#[tokio::test]
async fn a_call_that_is_given_up_takes_its_command_with_it() {
    let world = World::new();
    let (progress, mut news) = ProgressSender::channel(8);
    let cx = ToolCx { progress, ..cx(world.dir.path(), SessionKey::main(AgentId::main())) };
    let call = world.toolbox.call(&world.policy, "exec", json!({"command": "echo $$; sleep 1000"}), &cx);
    let pid = tokio::select! {
        outcome = call => panic!("{outcome:?}"),
        news = news.recv() => news.unwrap().text.trim().to_owned(),
    };
    while is_alive(&pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn keys_reach_a_program_in_a_terminal_as_a_terminal_sends_them() {
    let world = World::new();
    let line = "read -r a; echo \"<$a>\"; trap 'echo caught' INT; cat; echo after";
    let outcome = world.call("exec", json!({"command": line, "pty": true, "background": true})).await;
    let id = detail(&outcome, "sessionId").as_str().unwrap().to_owned();
    let rows = [
        ("submit", json!({"data": "one"}), "<one>"),
        ("send-keys", json!({"keys": ["t", "w", "o", "Enter"]}), "two\ntwo"),
        ("paste", json!({"text": "three\n"}), "three\nthree"),
        ("send-keys", json!({"keys": ["C-c"]}), "caught"),
    ];
    for (action, arguments, wanted) in rows {
        let sent = world.act(action, &id, arguments).await;
        assert!(!sent.is_error, "{sent:?}");
        loop {
            let log = words(&world.act("log", &id, json!({})).await);
            if log.contains(wanted) {
                break;
            }
            assert!(action == "send-keys" || !log.contains("exited"), "{wanted}: {log}");
            tokio::task::yield_now().await;
        }
    }
    world.act("poll", &id, json!({"timeout": 100_000})).await;
    let log = words(&world.act("log", &id, json!({})).await);
    assert!(log.contains("after") && log.contains("exited with code 0"), "{log}");
}
