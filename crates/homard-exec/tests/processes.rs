//! Processes that outlive the call that started them: real ones, with real pipes and signals.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap its fixture has failed")]

use std::collections::BTreeMap;
use std::time::Duration;

use homard_exec::{
    AttachedProcess, BuiltEnv, Command, Exit, InputError, Limits, MAX_RUNNING_PER_SCOPE, Process,
    ProcessError, Processes, Start,
};
use homard_runtime::Clock;

const LONG: Duration = Duration::from_secs(600);

fn registry() -> Processes {
    Processes::new(Clock::fixed(1_000))
}

fn start(line: &str, timeout: Duration) -> Start {
    Start {
        command: Command::direct("sh", &["-c", line], "/", BuiltEnv::from_base(&BTreeMap::new())),
        line: line.to_owned(),
        limits: Limits { timeout, max_output_bytes: 10_000 },
        takes_input: true,
        in_terminal: false,
        watcher: None,
    }
}

async fn attached(registry: &Processes, line: &str) -> AttachedProcess {
    registry.start("one", start(line, LONG)).await.unwrap()
}

async fn detached(registry: &Processes, line: &str) -> Process {
    attached(registry, line).await.detach()
}

/// Whether the process still runs; one that nobody reaped does not.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

async fn eventually_gone(pid: &str) {
    while is_alive(pid) {
        tokio::task::yield_now().await;
    }
}

/// Waits until the process has written `wanted`; the test runner's limit is the bound.
async fn eventually_says(process: &Process, wanted: &str) -> String {
    loop {
        let (log, _) = process.log();
        if log.contains(wanted) {
            return log;
        }
        tokio::task::yield_now().await;
    }
}

fn exit(process: &Process) -> Option<Exit> {
    process.end().and_then(|end| end.exit)
}

#[tokio::test]
async fn a_detached_process_goes_on_and_is_listed_until_it_is_removed() {
    let registry = registry();
    let process = detached(&registry, "echo begun; read word; echo got $word; exit 3").await;
    eventually_says(&process, "begun").await;
    assert_eq!(process.take_pending(), ("begun\n".to_owned(), 0));
    process.write(b"hello\n").await.unwrap();
    process.ended().await;
    assert_eq!((exit(&process), process.take_pending().0.as_str()), (Some(Exit::Exited(3)), "got hello\n"));
    assert_eq!(process.log(), ("begun\ngot hello\n".to_owned(), 0));
    assert_eq!(registry.list("one").len(), 1);
    assert!(registry.remove("one", process.id()) && registry.list("one").is_empty());
    assert!(!registry.remove("one", process.id()));
}

#[tokio::test]
async fn another_scope_sees_nothing_and_can_do_nothing() {
    let registry = registry();
    let process = detached(&registry, "sleep 1000").await;
    assert!(registry.list("two").is_empty());
    assert!(registry.find("two", process.id()).is_none());
    assert!(!registry.remove("two", process.id()));
    assert!(process.end().is_none());
    registry.stop().await;
}

#[tokio::test]
async fn an_attached_process_is_not_listed_and_ends_with_its_holder() {
    let registry = registry();
    let attached = attached(&registry, "echo $$; sleep 1000").await;
    let process = attached.process().clone();
    let pid = eventually_says(&process, "\n").await;
    assert!(registry.list("one").is_empty());
    drop(attached);
    process.ended().await;
    assert_eq!(exit(&process), Some(Exit::Cancelled));
    eventually_gone(pid.trim()).await;
    assert!(registry.list("one").is_empty());
}

#[tokio::test]
async fn a_flood_stays_within_the_cap_and_the_end_is_kept() {
    let registry = registry();
    let process = detached(&registry, "yes | head -c 20000000; echo last").await;
    process.ended().await;
    let (log, lost) = process.log();
    assert!(log.len() <= 200_000 && log.ends_with("y\nlast\n"), "{}", log.len());
    assert_eq!(log.len() as u64 + lost, 20_000_005);
    let (pending, lost) = process.take_pending();
    assert!(pending.len() <= 30_000 && pending.ends_with("last\n"));
    assert_eq!(pending.len() as u64 + lost, 20_000_005);
    assert_eq!(process.take_pending(), (String::new(), 0));
    assert_eq!(process.summary().output_bytes, 20_000_005);
}

#[tokio::test]
async fn killing_ends_the_whole_group_even_one_that_ignores_the_request() {
    let registry = registry();
    for line in
        ["sleep 1000 & echo $!; sleep 1000", "trap '' TERM; sleep 1000 & echo $!; while :; do sleep 1; done"]
    {
        let process = detached(&registry, line).await;
        let child = eventually_says(&process, "\n").await;
        process.kill();
        process.ended().await;
        assert_eq!(exit(&process), Some(Exit::Cancelled), "{line}");
        eventually_gone(child.trim()).await;
        eventually_gone(&process.summary().pid.unwrap().to_string()).await;
    }
}

#[tokio::test]
async fn stopping_ends_everything_and_nothing_starts_afterwards() {
    let registry = registry();
    let process = detached(&registry, "sleep 1000 & echo $!; wait").await;
    let child = eventually_says(&process, "\n").await;
    registry.stop().await;
    assert_eq!(exit(&process), Some(Exit::Cancelled));
    eventually_gone(child.trim()).await;
    let refused = registry.start("one", start("true", LONG)).await;
    assert!(matches!(refused, Err(ProcessError::Stopping)));
}

#[tokio::test]
async fn a_command_that_never_ends_is_ended_by_its_timeout() {
    let registry = registry();
    let started =
        registry.start("one", start("while :; do :; done", Duration::from_millis(100))).await.unwrap();
    let process = started.detach();
    process.ended().await;
    assert_eq!(exit(&process), Some(Exit::TimedOut));
}

#[tokio::test]
async fn finished_processes_are_forgotten_after_a_while_and_running_ones_are_not() {
    let clock = Clock::fixed(0);
    let registry = Processes::new(clock.clone());
    registry.keep_finished_for(Duration::ZERO);
    let (short, long) = (detached(&registry, "true").await, detached(&registry, "sleep 1000").await);
    short.ended().await;
    clock.advance(Duration::from_secs(59));
    assert_eq!(registry.list("one").len(), 2);
    clock.advance(Duration::from_secs(2));
    let left = registry.list("one");
    assert_eq!(left.iter().map(Process::id).collect::<Vec<_>>(), [long.id()]);
    registry.stop().await;
}

#[tokio::test]
async fn only_so_many_run_and_only_so_many_finished_ones_are_kept() {
    let registry = registry();
    for _ in 0..40 {
        detached(&registry, "true").await.ended().await;
    }
    assert_eq!(registry.list("one").len(), 32);
    for _ in 0..MAX_RUNNING_PER_SCOPE {
        drop(detached(&registry, "sleep 1000").await);
    }
    let refused = registry.start("one", start("true", LONG)).await;
    assert!(matches!(refused, Err(ProcessError::TooMany { running: MAX_RUNNING_PER_SCOPE })));
    registry.start("two", start("true", LONG)).await.unwrap().outcome().await.unwrap();
    registry.stop().await;
}

#[tokio::test]
async fn input_ends_interrupts_and_its_failures_are_said() {
    let registry = registry();
    let cat = detached(&registry, "cat; echo over").await;
    cat.write("é\n".as_bytes()).await.unwrap();
    cat.close_input().await;
    cat.ended().await;
    assert_eq!(cat.log().0, "é\nover\n");
    assert!(matches!(cat.write(b"x").await, Err(InputError::Ended)));
    assert!(matches!(cat.interrupt(), Err(InputError::Ended)));

    let trapping =
        detached(&registry, "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.01; done").await;
    eventually_says(&trapping, "ready").await;
    trapping.interrupt().unwrap();
    trapping.ended().await;
    assert_eq!(exit(&trapping), Some(Exit::Exited(5)));

    let deaf = detached(&registry, "exec <&-; echo deaf; sleep 1000").await;
    eventually_says(&deaf, "deaf").await;
    assert!(matches!(deaf.write(b"x").await, Err(InputError::Closed)));
    registry.stop().await;

    let none = Start { takes_input: false, ..start("cat; echo empty", LONG) };
    let registry = self::registry();
    let mut none = registry.start("one", none).await.unwrap();
    assert_eq!(none.outcome().await.unwrap().output, "empty\n");
}

#[tokio::test]
async fn a_write_nobody_reads_ends_with_the_process() {
    let registry = registry();
    let process = detached(&registry, "sleep 1000").await;
    let much = vec![b'x'; 1_000_000];
    let (written, ()) = tokio::join!(process.write(&much), async { process.kill() });
    assert!(matches!(written, Err(InputError::Ended | InputError::Closed)), "{written:?}");
}

#[tokio::test]
async fn a_terminal_is_a_terminal_with_a_size_a_keyboard_and_an_interrupt() {
    let registry = registry();
    let line = "test -t 0 && test -t 1 && stty size; echo $TERM; read -r a; echo \"<$a>\"; exec cat";
    let start = Start { in_terminal: true, ..start(line, LONG) };
    let process = registry.start("one", start).await.unwrap().detach();
    assert!(process.summary().is_terminal);
    let log = eventually_says(&process, "xterm-256color").await;
    assert!(log.contains("40 120"), "{log}");
    process.write(b"typed\r").await.unwrap();
    eventually_says(&process, "<typed>").await;
    process.write(b"\x03").await.unwrap();
    process.ended().await;
    assert_eq!(process.end().unwrap().exit, Some(Exit::Signalled(2)));
}

#[tokio::test]
async fn a_flood_in_a_terminal_is_bounded_and_can_be_ended() {
    let registry = registry();
    let start = Start { in_terminal: true, ..start("yes some words", LONG) };
    let process = registry.start("one", start).await.unwrap().detach();
    while process.summary().output_bytes < 1_000_000 {
        tokio::task::yield_now().await;
    }
    let (log, lost) = process.log();
    assert!(log.len() <= 200_000 && lost > 0);
    process.kill();
    process.ended().await;
    assert_eq!(process.end().unwrap().exit, Some(Exit::Cancelled));
}

#[tokio::test]
async fn only_the_ends_of_commands_nobody_waits_for_are_told_and_only_once() {
    let registry = registry();
    let (heard, mut told) = tokio::sync::mpsc::channel(8);
    registry.exits().subscribe(move |finished| drop(heard.try_send(finished.clone())));
    attached(&registry, "echo waited for").await.outcome().await.unwrap();
    let process = detached(&registry, "seq 1 1000; exit 3").await;
    let finished = told.recv().await.unwrap();
    assert_eq!((finished.scope.as_str(), finished.id.as_str()), ("one", process.id()));
    assert_eq!((finished.exit, finished.tail.chars().count()), (Some(Exit::Exited(3)), 400));
    assert!(finished.tail.ends_with("1000\n") && finished.line.starts_with("seq"));

    let mut quick = attached(&registry, "true").await;
    quick.outcome().await.unwrap();
    let quick = quick.detach();
    assert_eq!(told.recv().await.unwrap().id, quick.id());
    registry.stop().await;
    assert!(told.try_recv().is_err());
}

#[tokio::test]
async fn a_scope_is_ended_as_a_whole_and_no_other() {
    let registry = registry();
    let mine = [detached(&registry, "sleep 600").await, detached(&registry, "sleep 600").await];
    let other = registry.start("two", start("sleep 600", LONG)).await.unwrap().detach();
    assert_eq!((registry.kill_scope("one"), registry.kill_scope("three")), (2, 0));
    for process in mine {
        process.ended().await;
    }
    assert!(other.end().is_none());
    registry.stop().await;
}
