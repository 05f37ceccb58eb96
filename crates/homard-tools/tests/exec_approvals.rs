//! Commands that need permission: who is asked, what is remembered, what the model reads.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap its fixture has failed")]

use std::collections::BTreeMap;
use std::sync::Arc;

use homard_config::config::tools::{ExecAsk, ExecSecurity};
use homard_exec::approvals::{ExecRules, PolicyFile, PolicyStore};
use homard_exec::{BuiltEnv, Processes};
use homard_protocol::methods::approvals::ApprovalDecision;
use homard_protocol::{AgentId, RunId, SessionKey, ToolCallId, Word};
use homard_runtime::Clock;
use homard_tools::{
    Approvals, Label, ProgressSender, Question, Scope, Source, ToolCx, ToolOptions, ToolOutcome, ToolPolicy,
    Toolbox, WebOptions,
};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

struct World {
    dir: tempfile::TempDir,
    scope: Scope,
    cancel: CancellationToken,
}

impl World {
    fn new(security: Option<ExecSecurity>, ask: Option<ExecAsk>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Some(PolicyStore::new(dir.path().join("state/exec-approvals.json")));
        let exec = ExecRules { agent: "main".to_owned(), security, ask, store, ..ExecRules::default() };
        Self { scope: Scope { exec, ..Scope::default() }, dir, cancel: CancellationToken::new() }
    }

    /// Somebody who answers every question so; what was asked comes back.
    fn answering(&self, verdict: ApprovalDecision) -> tokio::sync::mpsc::Receiver<Question> {
        let (heard, asked) = tokio::sync::mpsc::channel(16);
        let approvals: Approvals = self.scope.approvals.clone();
        let desk = approvals.clone();
        approvals.subscribe(move |question| {
            if question.outcome.is_none() {
                heard.try_send(question.clone()).unwrap();
                desk.resolve(&question.id, verdict, "tester").unwrap();
            }
        });
        asked
    }

    async fn exec(&self, arguments: Value) -> ToolOutcome {
        let toolbox = Toolbox::new(&ToolOptions {
            home: "/nowhere".into(),
            workspace_only: true,
            env: BuiltEnv::from_base(&BTreeMap::new()),
            exec_timeout: ToolOptions::EXEC_TIMEOUT,
            exec_background_after: ToolOptions::EXEC_BACKGROUND_AFTER,
            launcher: None,
            processes: Processes::new(Clock::fixed(0)),
            apply_patch: None,
            web: WebOptions::default(),
        });
        let cx = ToolCx {
            workspace: self.dir.path().to_owned(),
            session_key: SessionKey::main(AgentId::main()),
            run_id: RunId::parse("run").unwrap(),
            call_id: ToolCallId::parse("call").unwrap(),
            cancel: self.cancel.clone(),
            progress: ProgressSender::nobody(),
            clock: Clock::fixed(0),
            scope: Arc::new(self.scope.clone()),
        };
        toolbox.call(&ToolPolicy::default(), "exec", arguments, &cx).await
    }

    fn ran(&self) -> bool {
        self.dir.path().join("witness").exists()
    }
}

fn words(outcome: &ToolOutcome) -> String {
    outcome.content.iter().filter_map(|block| block.as_text()).collect()
}

const TOUCH: &str = "touch witness";

#[tokio::test]
async fn a_command_that_is_not_listed_waits_for_a_person() {
    for (verdict, runs) in [(ApprovalDecision::AllowOnce, true), (ApprovalDecision::Deny, false)] {
        let world = World::new(Some(ExecSecurity::Allowlist), None);
        world.scope.taint.add(Label { source: Source::Web, detail: "https://example.com".to_owned() });
        let mut asked = world.answering(verdict);
        let outcome = world.exec(json!({"command": TOUCH, "env": {"MOOD": "good"}})).await;
        assert_eq!((world.ran(), outcome.is_error), (runs, !runs), "{verdict:?}: {outcome:?}");
        let request = asked.recv().await.unwrap().request;
        assert_eq!((request.tool.as_str(), request.action.as_str()), ("exec", TOUCH));
        assert!(request.can_always && request.resolved_path.unwrap().ends_with("/touch"));
        assert_eq!(
            (request.terms.security.as_deref(), request.terms.ask.as_deref()),
            (Some("allowlist"), Some("on-miss"))
        );
        let reasons = request.reasons.join("\n");
        for wanted in ["is not on the list", "MOOD=good", "https://example.com"] {
            assert!(reasons.contains(wanted), "{reasons}");
        }
        if !runs {
            assert!(words(&outcome).contains("said no"), "{outcome:?}");
        }
    }
}

#[tokio::test]
async fn what_was_allowed_always_is_not_asked_about_again() {
    let world = World::new(Some(ExecSecurity::Allowlist), None);
    let mut asked = world.answering(ApprovalDecision::AllowAlways);
    for _ in 0..3 {
        let outcome = world.exec(json!({"command": TOUCH})).await;
        assert!(!outcome.is_error, "{outcome:?}");
    }
    world.exec(json!({"command": "touch other"})).await;
    assert_eq!(asked.recv().await.unwrap().request.action, TOUCH);
    assert_eq!(asked.recv().await.unwrap().request.action, "touch other");
    assert!(asked.try_recv().is_err());
}

#[tokio::test]
async fn without_anybody_to_ask_the_file_decides() {
    let world = World::new(Some(ExecSecurity::Full), Some(ExecAsk::Always));
    let outcome = world.exec(json!({"command": TOUCH})).await;
    assert!(!world.ran() && words(&outcome).contains("nobody can be asked"), "{outcome:?}");
    let file = json!({"version": 1, "defaults": {"askFallback": "full"}});
    let store = world.scope.exec.store.as_ref().unwrap();
    store.replace(PolicyFile::from_value(file).unwrap(), None).unwrap();
    assert!(!world.exec(json!({"command": TOUCH})).await.is_error && world.ran());
}

#[tokio::test(start_paused = true)]
async fn no_answer_is_no() {
    let world = World::new(None, Some(ExecAsk::Always));
    world.scope.approvals.subscribe(|_| {});
    let outcome = world.exec(json!({"command": TOUCH})).await;
    assert!(!world.ran() && words(&outcome).contains("nobody answered within 120 s"), "{outcome:?}");
}

#[tokio::test]
async fn a_run_that_is_stopped_while_a_person_thinks_takes_its_question_back() {
    let world = World::new(None, Some(ExecAsk::Always));
    let cancel = world.cancel.clone();
    world.scope.approvals.subscribe(move |_| cancel.cancel());
    let outcome = world.exec(json!({"command": TOUCH})).await;
    assert!(!world.ran() && outcome.is_error && world.scope.approvals.pending().is_empty(), "{outcome:?}");
}

#[tokio::test]
async fn the_model_can_only_be_stricter_than_the_owner() {
    let rows = [
        (None, None, json!({}), true),
        (None, None, json!({"security": "deny"}), false),
        (None, None, json!({"ask": "always"}), false),
        (None, None, json!({"security": "allowlist", "ask": "off"}), false),
        (Some(ExecSecurity::Allowlist), Some(ExecAsk::Off), json!({"security": "full"}), false),
        (Some(ExecSecurity::Full), Some(ExecAsk::Always), json!({"ask": "off"}), false),
        (Some(ExecSecurity::Deny), None, json!({"security": "full", "elevated": true}), false),
        (None, None, json!({"security": "some"}), false),
    ];
    for (security, ask, mut arguments, runs) in rows {
        let world = World::new(security, ask);
        arguments["command"] = json!(TOUCH);
        let outcome = world.exec(arguments.clone()).await;
        assert_eq!(
            (world.ran(), outcome.is_error),
            (runs, !runs),
            "{security:?} {ask:?} {arguments}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn where_the_owner_wants_commands_elsewhere_none_run_here() {
    for (host, word) in [("node", "run on a node"), ("sandbox", "sandbox")] {
        let mut world = World::new(None, None);
        world.scope.exec.host = Some(Word::of(host));
        let outcome = world.exec(json!({"command": TOUCH, "host": "gateway"})).await;
        assert!(!world.ran() && words(&outcome).contains(word), "{outcome:?}");
    }
}

#[tokio::test]
async fn variables_of_the_run_reach_commands_unless_they_steer_them() {
    let mut world = World::new(None, None);
    let given = [("SKILL_API_KEY", "abc"), ("LD_PRELOAD", "/x"), ("PATH", "/x")];
    world.scope.env = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let outcome = world.exec(json!({"command": "echo $SKILL_API_KEY-$LD_PRELOAD-$PATH"})).await;
    assert!(words(&outcome).starts_with("abc--/usr"), "{outcome:?}");
    assert!(world.exec(json!({"command": "true", "env": {"PATH": "/x"}})).await.is_error);
}

#[tokio::test]
async fn a_terminal_is_there_on_request() {
    let world = World::new(None, None);
    let outcome = world.exec(json!({"command": "test -t 0 && test -t 1 && echo yes", "pty": true})).await;
    assert!(words(&outcome).starts_with("yes"), "{outcome:?}");
    let outcome = world.exec(json!({"command": "test -t 0 || echo no"})).await;
    assert!(words(&outcome).starts_with("no"), "{outcome:?}");
}
