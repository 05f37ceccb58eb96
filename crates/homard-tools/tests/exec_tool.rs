//! The exec tool from the outside, with real commands.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap its fixture has failed")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use homard_exec::{BuiltEnv, Processes};
use homard_protocol::{AgentId, RunId, SessionKey, ToolCallId};
use homard_runtime::Clock;
use homard_tools::{ProgressSender, ToolCx, ToolOptions, ToolOutcome, ToolPolicy, Toolbox, WebOptions};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

fn toolbox() -> Toolbox {
    Toolbox::new(&ToolOptions {
        home: "/nowhere".into(),
        workspace_only: true,
        env: BuiltEnv::from_base(&BTreeMap::new()),
        exec_timeout: ToolOptions::EXEC_TIMEOUT,
        exec_background_after: ToolOptions::EXEC_BACKGROUND_AFTER,
        launcher: None,
        processes: Processes::new(Clock::fixed(0)),
        apply_patch: None,
        web: WebOptions::default(),
    })
}

fn cx(workspace: &Path) -> ToolCx {
    ToolCx {
        workspace: workspace.to_owned(),
        session_key: SessionKey::main(AgentId::main()),
        run_id: RunId::parse("run").unwrap(),
        call_id: ToolCallId::parse("call").unwrap(),
        cancel: CancellationToken::new(),
        progress: ProgressSender::nobody(),
        clock: Clock::fixed(0),
        scope: std::sync::Arc::default(),
    }
}

async fn exec(arguments: Value, cx: &ToolCx) -> ToolOutcome {
    toolbox().call(&ToolPolicy::default(), "exec", arguments, cx).await
}

fn words(outcome: &ToolOutcome) -> String {
    outcome.content.iter().filter_map(|block| block.as_text()).collect()
}

fn detail(outcome: &ToolOutcome, name: &str) -> Value {
    outcome.details.as_ref().and_then(|details| details.get(name)).cloned().unwrap_or_default()
}

#[tokio::test]
async fn results_are_worded_for_the_model_and_detailed_for_people() {
    let dir = tempfile::tempdir().unwrap();
    let rows = [
        (json!({"command": "echo hi"}), "hi\n", false, json!(0), "completed"),
        (json!({"command": "true"}), "(no output)", false, json!(0), "completed"),
        (
            json!({"command": "echo no; exit 1"}),
            "no\n\n\n(command exited with code 1)",
            false,
            json!(1),
            "completed",
        ),
        (
            json!({"command": "exit 127"}),
            "(no output)\n\n(command exited with code 127)",
            true,
            json!(127),
            "failed",
        ),
        (
            json!({"command": "kill -9 $$"}),
            "(no output)\n\n(command killed by signal 9)",
            true,
            Value::Null,
            "failed",
        ),
        (
            json!({"command": "echo $COLOUR", "env": {"COLOUR": "blue"}}),
            "blue\n",
            false,
            json!(0),
            "completed",
        ),
        (
            json!({"command": "sleep 100", "timeout": 0.1}),
            "(no output)\n\n(command timed out after 0.1 s and was stopped)",
            true,
            Value::Null,
            "failed",
        ),
    ];
    for (arguments, text, is_error, code, status) in rows {
        let outcome = exec(arguments.clone(), &cx(dir.path())).await;
        assert_eq!((words(&outcome).as_str(), outcome.is_error), (text, is_error), "{arguments}");
        assert_eq!(
            (detail(&outcome, "exitCode"), detail(&outcome, "status")),
            (code, json!(status)),
            "{arguments}"
        );
        assert_eq!(detail(&outcome, "cwd"), json!(dir.path().display().to_string()));
    }
}

#[tokio::test]
async fn requests_that_reach_too_far_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let rows = [
        (json!({"command": "true", "env": {"LD_PRELOAD": "x"}}), "`LD_PRELOAD` changes which programs"),
        (json!({"command": "true", "env": {"API_KEY": "x"}}), "`API_KEY` looks like the name of a secret"),
        (json!({"command": "true", "workdir": "/"}), "`/` is outside the workspace"),
        (json!({"command": "true", "workdir": "missing"}), "does not exist or is not a directory"),
        (json!({"command": "true", "timeout": 0}), "timeout must be a number of seconds"),
    ];
    for (arguments, expected) in rows {
        let outcome = exec(arguments.clone(), &cx(dir.path())).await;
        assert!(outcome.is_error && words(&outcome).contains(expected), "{arguments}: {outcome:?}");
    }
}

#[tokio::test]
async fn long_output_reaches_the_model_cut_in_the_middle() {
    let dir = tempfile::tempdir().unwrap();
    let outcome =
        exec(json!({"command": "echo first; yes | head -c 1000000; echo last"}), &cx(dir.path())).await;
    let text = words(&outcome);
    assert!(text.starts_with("first\ny\n") && text.ends_with("y\nlast\n"), "{text:.100}");
    assert!(text.len() < 30_100 && text.contains("bytes left out"));
    assert_eq!(detail(&outcome, "aggregated"), json!(text));
}

#[tokio::test]
async fn progress_is_told_while_it_runs_and_a_slow_listener_loses_news() {
    let dir = tempfile::tempdir().unwrap();
    let (progress, mut news) = ProgressSender::channel(1);
    let cx = ToolCx { progress, ..cx(dir.path()) };
    let outcome = exec(json!({"command": "echo one; yes | head -c 1000000"}), &cx).await;
    assert!(!outcome.is_error);
    let first = news.recv().await.unwrap();
    assert_eq!((first.call_id, first.text.starts_with("one\n")), (cx.call_id.clone(), true));
    assert!(news.try_recv().is_err());
}

#[tokio::test]
async fn a_cancelled_call_answers_that_it_was_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let (progress, mut news) = ProgressSender::channel(8);
    let cx = Arc::new(ToolCx { progress, ..cx(dir.path()) });
    let cancelling = async {
        news.recv().await.unwrap();
        cx.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(exec(json!({"command": "echo begun; sleep 100"}), &cx), cancelling);
    assert_eq!((words(&outcome).as_str(), outcome.is_error), ("begun\n\n\n(command was stopped)", true));
}
