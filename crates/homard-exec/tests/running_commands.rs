//! Real processes: what reaches them, what comes back, and that none outlives us.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap its fixture has failed")]

use std::collections::BTreeMap;
use std::time::Duration;

use homard_exec::{BuiltEnv, Command, ExecError, Exit, Limits, Outcome, run};
use tokio_util::sync::CancellationToken;

const LONG: Limits = Limits { timeout: Duration::from_secs(60), max_output_bytes: 10_000 };
const SHORT: Limits = Limits { timeout: Duration::from_millis(200), max_output_bytes: 10_000 };

fn env() -> BuiltEnv {
    BuiltEnv::from_base(&BTreeMap::new())
}

fn sh(line: &str) -> Command {
    Command::direct("sh", &["-c", line], "/", env())
}

async fn outcome(line: &str, limits: Limits) -> Outcome {
    run(sh(line), limits, |_| {}, &CancellationToken::new()).await.unwrap()
}

/// Whether the process still runs; one that nobody reaped does not.
fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .and_then(|rest| rest.trim().chars().next())
        .is_some_and(|state| state != 'Z' && state != 'X')
}

/// Waits for a killed process to be gone; the test runner's limit is the bound.
async fn eventually_gone(pid: &str) {
    while is_alive(pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn exits_and_output_come_back() {
    let rows = [
        ("echo hi", Exit::Exited(0), "hi\n"),
        ("echo out; echo err >&2; echo out again", Exit::Exited(0), "out\nerr\nout again\n"),
        ("printf no-newline; exit 3", Exit::Exited(3), "no-newline"),
        ("kill -9 $$", Exit::Signalled(9), ""),
        ("cat", Exit::Exited(0), ""),
        ("does-not-exist-here 2>/dev/null", Exit::Exited(127), ""),
    ];
    for (line, exit, output) in rows {
        let got = outcome(line, LONG).await;
        assert_eq!((got.exit, got.output.as_str()), (exit, output), "{line}");
        assert!(got.pid.is_some() && !got.ended_leftovers, "{line}");
    }
}

#[tokio::test]
async fn a_shell_line_runs_in_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    let command = Command::shell("pwd -P | tr a-z A-Z", dir.path(), env());
    let got = run(command, LONG, |_| {}, &CancellationToken::new()).await.unwrap();
    let expected = dir.path().canonicalize().unwrap().display().to_string().to_uppercase();
    assert_eq!(got.output.trim(), expected);
}

#[tokio::test]
async fn the_environment_is_built_not_inherited() {
    let command = Command::direct("env", &[], "/", env().with_explicit("COLOUR", "blue").unwrap());
    let got = run(command, LONG, |_| {}, &CancellationToken::new()).await.unwrap();
    assert_eq!(got.output, "COLOUR=blue\nPATH=/usr/local/bin:/usr/bin:/bin\nTERM=dumb\n");
}

#[tokio::test]
async fn a_timeout_ends_grandchildren_too() {
    let got = outcome("sleep 100 & echo $!; sleep 100", SHORT).await;
    assert_eq!(got.exit, Exit::TimedOut);
    eventually_gone(got.output.trim()).await;
}

#[tokio::test]
async fn what_ignores_the_request_to_end_is_killed() {
    let got =
        outcome("trap '' TERM; (trap '' TERM; sleep 100) & echo $!; while :; do sleep 1; done", SHORT).await;
    assert_eq!(got.exit, Exit::TimedOut);
    eventually_gone(got.output.lines().next().unwrap()).await;
}

#[tokio::test]
async fn cancelling_ends_the_command_and_keeps_what_it_said() {
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let got = run(sh("echo started; sleep 100"), LONG, move |_| stop.cancel(), &cancel).await.unwrap();
    assert_eq!((got.exit, got.output.as_str()), (Exit::Cancelled, "started\n"));
}

#[tokio::test]
async fn a_command_cancelled_beforehand_never_starts() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let got = run(sh("echo started"), LONG, |_| {}, &cancel).await.unwrap();
    assert_eq!((got.exit, got.output.as_str(), got.pid), (Exit::Cancelled, "", None));
}

#[tokio::test]
async fn dropping_the_future_kills_the_group() {
    let (tx, rx) = tokio::sync::oneshot::channel::<String>();
    let mut tx = Some(tx);
    let told = move |text: &str| {
        if let Some(tx) = tx.take() {
            tx.send(text.trim().to_owned()).unwrap();
        }
    };
    let cancel = CancellationToken::new();
    let running = run(sh("sleep 100 & echo $!; sleep 100"), LONG, told, &cancel);
    let pid = tokio::select! {
        _ = running => panic!("the command should still run"),
        pid = rx => pid.unwrap(),
    };
    eventually_gone(&pid).await;
}

#[tokio::test]
async fn a_child_that_holds_the_pipe_does_not_hang_us_and_is_ended() {
    let got = outcome("sleep 100 & echo $!", LONG).await;
    assert_eq!((got.exit, got.ended_leftovers), (Exit::Exited(0), true));
    eventually_gone(got.output.trim()).await;
}

#[tokio::test]
async fn a_child_that_redirected_its_output_stays() {
    let got = outcome("sleep 100 >/dev/null 2>&1 & echo $!", LONG).await;
    let pid = got.output.trim();
    assert_eq!((got.exit, got.ended_leftovers), (Exit::Exited(0), false));
    assert!(is_alive(pid));
    assert_eq!(outcome(&format!("kill -9 {pid}"), LONG).await.exit, Exit::Exited(0));
}

#[tokio::test]
async fn a_child_that_left_the_group_with_the_pipe_does_not_hang_us() {
    let got = outcome("setsid sleep 100 & echo $!", LONG).await;
    let pid = got.output.trim();
    assert_eq!((got.exit, got.ended_leftovers), (Exit::Exited(0), false));
    assert_eq!(outcome(&format!("kill -9 {pid}"), LONG).await.exit, Exit::Exited(0));
}

#[tokio::test]
async fn huge_output_is_capped_at_both_ends() {
    let limits = Limits { max_output_bytes: 100, ..LONG };
    let got = outcome("echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last", limits).await;
    assert!(got.output.starts_with("first\nxxx"), "{}", got.output);
    assert!(got.output.ends_with("x\nlast\n"), "{}", got.output);
    assert_eq!(got.dropped_bytes, 20_000_000 + 6 + 1 + 5 - 100);
    assert!(got.output.len() < 200);
}

#[tokio::test]
async fn endless_output_is_stopped_by_the_timeout() {
    let got = outcome("yes", SHORT).await;
    assert_eq!(got.exit, Exit::TimedOut);
    assert!(got.output.len() < LONG.max_output_bytes + 100);
}

#[tokio::test]
async fn binary_output_is_replaced_not_refused() {
    assert_eq!(outcome("printf 'a\\377\\376b'", LONG).await.output, "a\u{fffd}\u{fffd}b");
}

#[tokio::test]
async fn output_is_told_as_it_arrives() {
    let mut told = String::new();
    let got = run(
        sh("printf 'h\\303'; printf '\\251!'"),
        LONG,
        |text| told.push_str(text),
        &CancellationToken::new(),
    )
    .await
    .unwrap();
    assert_eq!((told.as_str(), got.output.as_str()), ("hé!", "hé!"));
}

#[tokio::test]
async fn what_cannot_start_is_an_error() {
    let missing = Command::direct("no-such-program-here", &[], "/", env());
    let nul = Command::direct("echo", &["a\0b"], "/", env());
    let nowhere = Command::direct("echo", &[], "/no/such/dir", env());
    let token = CancellationToken::new();
    assert!(matches!(run(missing, LONG, |_| {}, &token).await, Err(ExecError::Start { .. })));
    assert!(matches!(run(nul, LONG, |_| {}, &token).await, Err(ExecError::Start { .. })));
    assert!(matches!(run(nowhere, LONG, |_| {}, &token).await, Err(ExecError::NoDirectory { .. })));
}

#[tokio::test]
async fn an_absurd_timeout_is_cut_not_a_panic() {
    assert_eq!(outcome("true", Limits { timeout: Duration::MAX, ..LONG }).await.exit, Exit::Exited(0));
}

#[tokio::test]
async fn a_command_that_becomes_too_many_processes_is_ended_with_all_of_them() {
    // The second row leaves the group, which does not help as long as the parent lives.
    for start in ["sleep 60 &", "setsid sleep 60 &"] {
        let line = format!("for n in $(seq 60); do {start} done; echo $!; wait");
        let command = sh(&line).with_max_processes(20);
        let got = run(command, LONG, |_| {}, &CancellationToken::new()).await.unwrap();
        assert_eq!(got.exit, Exit::TooManyProcesses, "{start}");
        for last in got.output.lines() {
            eventually_gone(last).await;
        }
    }
}

#[tokio::test]
async fn a_command_below_its_number_of_processes_is_left_alone() {
    let command = sh("for n in 1 2 3 4 5; do sleep 0.3 & done; wait; echo all").with_max_processes(20);
    let got = run(command, LONG, |_| {}, &CancellationToken::new()).await.unwrap();
    assert_eq!((got.exit, got.output.as_str()), (Exit::Exited(0), "all\n"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_kernel_holds_a_command_to_its_bounds() {
    // The bounds are set while the shell starts; it looks once the last of them is there.
    let line = "while [ \"$(ulimit -Hc)\" != 0 ]; do :; done; grep processes /proc/self/limits";
    let got = outcome(line, LONG).await;
    let numbers: Vec<u64> = got.output.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [soft, hard] = numbers[..] else { panic!("{got:?}") };
    assert!(soft == hard && soft > 4_000, "{got:?}");
}

#[tokio::test]
async fn a_flood_is_read_at_a_pace_and_its_end_is_there() {
    let got = outcome("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo the end", LONG).await;
    assert_eq!(got.exit, Exit::Exited(0));
    assert!(got.output.ends_with("the end\n"), "{}", got.output.len());
}
