//! Real processes in place of the programs: what reaches them, what comes back, how they fail.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use homard_config::config::agents::cli_backends::{
    CliBackend as Written, CliInput, CliOutput, CliSessionMode, CliSystemPromptWhen,
};
use homard_config::{Config, Environment, Paths, Secret};
use homard_llm::{FailReason, Models, Provider, Request, StreamEvent, ThinkingLevel};
use homard_protocol::{Message, ModelRef, ProviderId, UserBlock, UserContent, UserMessage};
use homard_runtime::Clock;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{CliParts, SessionIds, SessionIdsInMemory, providers};

/// A home with one program in it. The program is a script that is read by `sh`, never executed itself.
struct World {
    home: TempDir,
    config: Config,
    sessions: Arc<SessionIdsInMemory>,
    models: Models,
}

impl World {
    /// `claude-cli` run by `script`, which finds its directory in `$HOME` and its arguments as usual.
    fn new(script: &str) -> Self {
        Self::with(script, Written::default())
    }

    fn with(script: &str, written: Written) -> Self {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("program.sh");
        std::fs::write(&file, script).unwrap();
        let here = home.path().display().to_string();
        let env = Environment::from_pairs([
            ("HOME", here.as_str()),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("ANTHROPIC_API_KEY", "sk-inherited-secret"),
        ]);
        let mut config = Config::empty(&Paths::under(home.path()), &env);
        let program = file.display().to_string();
        let written = Written {
            command: Some(written.command.unwrap_or_else(|| "sh".to_owned())),
            args: Some(vec![program.clone(), "fresh".to_owned()]),
            resume_args: Some(vec![program, "resume".to_owned(), "{sessionId}".to_owned()]),
            input: written.input.or(Some(CliInput::Arg)),
            ..written
        };
        config.agents.defaults.cli_backends.insert("claude-cli".to_owned(), written);
        for agent in &mut config.agents.list {
            agent.workspace = home.path().to_owned();
        }
        let sessions = Arc::new(SessionIdsInMemory::default());
        let parts = CliParts::new(Clock::fixed(7), sessions.clone());
        let empty = Models::new(Vec::new(), &homard_llm::Http::default(), &Clock::fixed(7));
        let models = providers(&config, &parts)
            .into_iter()
            .fold(empty, |models, (provider, specs)| models.with_provider(provider, specs));
        Self { home, config, sessions, models }
    }

    fn backend(&self) -> (Arc<dyn Provider>, Request) {
        let found = self.models.resolve(&ModelRef::parse("claude-cli/opus").unwrap()).unwrap();
        let request = Request {
            model: found.model,
            system: "Be kind.".into(),
            messages: vec![user("say hi")],
            tools: [].into(),
            max_tokens: None,
            sampling: homard_llm::Sampling::default(),
            thinking: ThinkingLevel::Off,
            credential: None,
            session: Some("our-session".into()),
            program_dir: Some(self.config.agents.default_agent().workspace.as_path().into()),
        };
        (found.provider, request)
    }

    async fn ask(&self) -> Vec<StreamEvent> {
        self.ask_with(|_| {}, &CancellationToken::new()).await
    }

    async fn ask_with(
        &self,
        change: impl FnOnce(&mut Request),
        cancel: &CancellationToken,
    ) -> Vec<StreamEvent> {
        let (provider, mut request) = self.backend();
        change(&mut request);
        provider.stream(request, cancel.clone()).collect().await
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.home.path().join(name)).unwrap_or_default()
    }

    async fn session(&self) -> Option<String> {
        self.sessions.get("our-session", &ProviderId::parse("claude-cli").unwrap()).await
    }
}

fn user(text: &str) -> Arc<Message> {
    let content = UserContent::Text(text.to_owned());
    Arc::new(Message::User(UserMessage { content, timestamp: 0, idempotency_key: None }))
}

fn plain() -> Written {
    Written {
        output: Some(CliOutput::Text),
        system_prompt_when: Some(CliSystemPromptWhen::Never),
        ..Written::default()
    }
}

/// The answer's text, or how the call failed.
fn end(events: &[StreamEvent]) -> Result<String, (FailReason, String)> {
    match events.last() {
        Some(StreamEvent::Done(answer)) => Ok(answer.message.text()),
        Some(StreamEvent::Failed(error)) => Err((error.reason, error.message.clone())),
        other => panic!("no end: {other:?}"),
    }
}

#[tokio::test]
async fn an_answer_comes_as_one_piece_and_the_session_goes_on() {
    let world = World::new(
        r#"printf '%s\n' "$@" >>"$HOME/calls"
           echo noise >&2
           echo '{"result":"hello","session_id":"theirs","usage":{"input_tokens":4,"output_tokens":2}}'"#,
    );
    let events = world.ask().await;
    let [StreamEvent::Start, StreamEvent::Text(text), StreamEvent::Usage(usage), StreamEvent::Done(answer)] =
        &events[..]
    else {
        panic!("{events:?}")
    };
    assert_eq!((text.as_str(), usage.total_tokens), ("hello", 6));
    let message = &answer.message;
    assert_eq!(
        (message.api.as_str(), message.provider.as_str(), message.model.as_str()),
        ("cli", "claude-cli", "opus")
    );
    assert_eq!((message.usage, message.timestamp), (*usage, 7));
    let calls = world.read("calls");
    assert!(calls.starts_with("fresh\n--session-id\n"), "{calls}");
    assert!(calls.contains("--model\nopus\nBe kind.\n\nTools are disabled in this session."), "{calls}");
    assert!(calls.ends_with("\n---\n\nsay hi\n"), "{calls}");
    assert_eq!(world.session().await.as_deref(), Some("theirs"));
    std::fs::remove_file(world.home.path().join("calls")).unwrap();
    assert_eq!(end(&world.ask().await), Ok("hello".to_owned()));
    assert_eq!(world.read("calls"), "resume\ntheirs\n--model\nopus\nsay hi\n");
}

#[tokio::test]
async fn a_program_is_started_for_the_owners_words_alone_where_the_conversation_is_at_home() {
    let world = World::with("pwd >>\"$HOME/where\"; echo hi", plain());
    let stopped = CancellationToken::new();
    let for_others = world.ask_with(|request| request.program_dir = None, &stopped).await;
    let Err((reason, words)) = end(&for_others) else { panic!("{for_others:?}") };
    assert_eq!(reason, FailReason::ModelNotFound, "another model of the chain may answer");
    assert!(words.contains("nor for anybody but the owner") && words.contains("/model"), "{words}");
    assert_eq!(world.read("where"), "", "it was not started");
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().canonicalize().unwrap();
    let asked = world.ask_with(|request| request.program_dir = Some(folder.as_path().into()), &stopped).await;
    assert_eq!(end(&asked), Ok("hi".to_owned()));
    assert_eq!(world.read("where"), format!("{}\n", folder.display()));
}

#[tokio::test]
async fn a_program_that_goes_on_may_print_in_another_form() {
    let script =
        r#"if [ "$1" = resume ]; then echo plain; else echo '{"result":"hello","session_id":"s"}'; fi"#;
    let written =
        Written { output: Some(CliOutput::Json), resume_output: Some(CliOutput::Text), ..Written::default() };
    let world = World::with(script, written);
    assert_eq!(end(&world.ask().await), Ok("hello".to_owned()));
    assert_eq!(end(&world.ask().await), Ok("plain".to_owned()));
}

#[tokio::test]
async fn a_name_of_ours_is_kept_when_the_program_tells_none() {
    let world = World::with("printf '%s\\n' \"$@\" >>\"$HOME/calls\"; echo hi", plain());
    assert_eq!(end(&world.ask().await), Ok("hi".to_owned()));
    let ours = world.session().await.unwrap();
    assert!(world.read("calls").contains(&format!("--session-id\n{ours}\n")));
    assert_eq!(end(&world.ask().await), Ok("hi".to_owned()));
    assert!(world.read("calls").contains(&format!("resume\n{ours}\n")));
}

#[tokio::test]
async fn a_call_without_a_conversation_or_a_mode_remembers_nothing() {
    let script = r#"echo '{"result":"hi","session_id":"theirs"}'"#;
    let world = World::new(script);
    let alone = world.ask_with(|request| request.session = None, &CancellationToken::new()).await;
    assert_eq!((end(&alone), world.session().await), (Ok("hi".to_owned()), None));
    let never = Written { session_mode: Some(CliSessionMode::None), ..Written::default() };
    let world = World::with(script, never);
    assert_eq!((end(&world.ask().await), world.session().await), (Ok("hi".to_owned()), None));
}

#[tokio::test]
async fn a_lost_session_is_begun_anew_once_and_told_the_conversation() {
    let world = World::new(
        r#"printf '%s\n' "$@" >>"$HOME/calls"
           if [ "$1" = resume ]; then echo "No conversation found with session ID: $2" >&2; exit 1; fi
           echo '{"result":"again","session_id":"newer"}'"#,
    );
    let backend = ProviderId::parse("claude-cli").unwrap();
    world.sessions.set("our-session", &backend, Some("older".to_owned())).await;
    let tell = |request: &mut Request| request.messages = vec![user("before"), user("say hi")];
    let events = world.ask_with(tell, &CancellationToken::new()).await;
    assert_eq!(end(&events), Ok("again".to_owned()));
    assert_eq!(world.session().await.as_deref(), Some("newer"));
    let calls = world.read("calls");
    let (_, fresh) = calls.split_once("fresh\n").unwrap();
    assert!(calls.starts_with("resume\nolder\n") && fresh.contains(r#"{"user":"before"}"#), "{calls}");
}

#[tokio::test]
async fn failures_are_told_apart() {
    let rows = [
        (
            "echo 'Invalid API key · Please run /login' >&2; exit 1",
            FailReason::Auth,
            "ended with code 1: Invalid API key",
        ),
        ("echo 'Not logged in' >&2; exit 1", FailReason::Auth, "Not logged in"),
        (
            "echo '{\"is_error\":true,\"result\":\"Credit balance is too low\"}'; exit 1",
            FailReason::Billing,
            "Credit balance",
        ),
        (
            "echo '{\"is_error\":true,\"result\":\"Claude AI usage limit reached\"}'",
            FailReason::RateLimit,
            "reported an error",
        ),
        ("echo 'API Error: 529 Overloaded' >&2; exit 1", FailReason::Overloaded, "529"),
        ("exit 3", FailReason::Unknown, "ended with code 3 and did not say why"),
        ("kill -9 $$", FailReason::Unknown, "was ended by signal 9"),
        ("true", FailReason::Unknown, "ended without an answer"),
        ("echo '{\"result\":'", FailReason::Format, "JSON that cannot be read"),
        ("printf '\\377\\376' >&2; exit 1", FailReason::Unknown, "ended with code 1"),
        ("head -c 9000000 /dev/zero", FailReason::Format, "printed more than any answer"),
        ("echo \"the key is $KEPT\" >&2; exit 1", FailReason::Unknown, "the key is ••••"),
    ];
    for (script, reason, part) in rows {
        let env = [("KEPT".to_owned(), Secret::new("an-owner-secret"))].into();
        let world = World::with(script, Written { env, ..Written::default() });
        let (got, message) = end(&world.ask().await).unwrap_err();
        assert!(got == reason && message.contains(part), "{script}: {got:?} {message}");
        assert_eq!(world.session().await, None);
    }
}

#[tokio::test]
async fn what_is_not_utf8_is_replaced_in_an_answer() {
    let world = World::with("printf 'a\\377b'", plain());
    assert_eq!(end(&world.ask().await), Ok("a\u{FFFD}b".to_owned()));
}

#[tokio::test]
async fn a_missing_program_is_explained() {
    let missing = Written { command: Some("not-here-at-all".to_owned()), ..Written::default() };
    let world = World::with("", missing);
    let (reason, message) = end(&world.ask().await).unwrap_err();
    assert_eq!(reason, FailReason::Auth);
    for part in ["`not-here-at-all`", "install Claude Code", "agents.defaults.cliBackends.claude-cli.command"]
    {
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn a_program_that_says_nothing_is_ended() {
    let mut written = plain();
    written.watchdog.fresh.no_output_timeout_ms = Some(50);
    let world = World::with("exec sleep 1000", written);
    let (reason, message) = end(&world.ask().await).unwrap_err();
    assert!(reason == FailReason::Timeout && message.contains("printed nothing"), "{message}");
}

#[tokio::test]
async fn a_run_has_a_longest_time() {
    // Silence as long as the whole run is the run's end, so a program that starts slowly is not called silent.
    let mut written = plain();
    written.watchdog.fresh.no_output_timeout_ms = Some(60_000);
    let mut world = World::with("while :; do echo .; done", written);
    world.config.agents.defaults.timeout = Duration::from_millis(50);
    let parts = CliParts::new(Clock::fixed(7), world.sessions.clone());
    let found = providers(&world.config, &parts);
    let (provider, _) = found.iter().find(|(p, _)| p.id().as_str() == "claude-cli").unwrap();
    let events: Vec<_> =
        provider.stream(world.backend().1, CancellationToken::new()).collect::<Vec<_>>().await;
    let (reason, message) = end(&events).unwrap_err();
    assert!(reason == FailReason::Timeout && message.contains("the longest a run may take"), "{message}");
}

#[tokio::test]
async fn stopping_a_call_ends_the_program_and_its_children() {
    let world = World::with("sleep 1000 & echo $! >\"$HOME/child\"; touch \"$HOME/ready\"; wait", plain());
    let cancel = CancellationToken::new();
    let stop = async {
        while !world.home.path().join("ready").exists() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (events, ()) = tokio::join!(world.ask_with(|_| {}, &cancel), stop);
    assert_eq!(end(&events).unwrap_err().0, FailReason::Aborted);
    assert_eq!(events.len(), 1);
    let stat = format!("/proc/{}/stat", world.read("child").trim());
    let lives = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    while lives() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn the_environment_is_built_and_the_owner_s_words_are_in_it() {
    let env = [("GIVEN", "blue"), ("TAKEN", "red")].map(|(k, v)| (k.to_owned(), Secret::new(v))).into();
    let clear_env = vec!["TAKEN".to_owned()];
    let world = World::with("env | sort", Written { env, clear_env, ..plain() });
    let printed = end(&world.ask().await).unwrap();
    assert!(printed.contains("GIVEN=blue") && printed.contains("PATH=/usr/local/bin"), "{printed}");
    assert!(!printed.contains("sk-inherited") && !printed.contains("TAKEN"), "{printed}");
}

#[tokio::test]
async fn calls_of_one_program_wait_for_each_other() {
    let script = r#"mkdir "$HOME/busy" || { echo together; exit; }
        for piece in of some work to be met at; do ls -R / 2>/dev/null | head -100 >/dev/null; done
        rmdir "$HOME/busy"; echo alone"#;
    let world = World::with(script, plain());
    let (one, two) = tokio::join!(world.ask(), world.ask());
    assert_eq!((end(&one), end(&two)), (Ok("alone".to_owned()), Ok("alone".to_owned())));
}

#[tokio::test]
async fn a_long_prompt_is_read_from_standard_input() {
    let rows = [
        (Written { max_prompt_arg_chars: Some(3), ..plain() }, "say hi"),
        (Written { input: Some(CliInput::Stdin), ..plain() }, "say hi"),
        (plain(), ""),
    ];
    for (written, read) in rows {
        let world = World::with("echo \"read:$(cat)\"", written);
        assert_eq!(end(&world.ask().await), Ok(format!("read:{read}")));
    }
}

#[tokio::test]
async fn pictures_are_private_files_that_go_away() {
    let world = World::with(
        r#"while [ "$1" != --image ]; do shift; done
           ls -l "$2" | cut -c1-10; cat "$2"; echo; echo "$2""#,
        Written { image_arg: Some("--image".to_owned()), ..plain() },
    );
    let image = UserBlock::Image { data: "aGVsbG8=".to_owned(), mime_type: "image/jpeg".to_owned() };
    let broken = UserBlock::Image { data: "%%%".to_owned(), mime_type: "image/png".to_owned() };
    let content = UserContent::Blocks(vec![UserBlock::text("look here"), broken, image]);
    let message = Message::User(UserMessage { content, timestamp: 0, idempotency_key: None });
    let show = |request: &mut Request| request.messages = vec![Arc::new(message)];
    let printed = end(&world.ask_with(show, &CancellationToken::new()).await).unwrap();
    let [mode, content, path] = printed.lines().collect::<Vec<_>>()[..] else { panic!("{printed}") };
    assert_eq!((mode, content), ("-rw-------", "hello"));
    assert!(path.ends_with(".jpg") && !Path::new(path).exists());
}

#[tokio::test]
async fn known_programs_can_be_named_and_configured_ones_are_listed() {
    let world = World::new("");
    let named = ModelRef::parse("codex-cli/gpt-9").unwrap();
    assert_eq!(world.models.resolve(&named).unwrap().model.api, "cli");
    let listed: Vec<_> =
        world.models.list().map(|model| format!("{}/{}", model.provider, model.id)).collect();
    assert!(listed.contains(&"claude-cli/opus".to_owned()), "{listed:?}");
}
