//! What is called lost and doubled.

use super::{Grid, Life, Missed, Run, Verdict, judge_once, judge_recurring};

const GRID: Grid = Grid { phase: 0, every: 4_000 };

fn ok(started: i64) -> Run {
    Run { started, ended: Some(started + 20), is_ok: true }
}

fn cut_off(started: i64) -> Run {
    Run { started, ended: Some(started + 500), is_ok: false }
}

/// Killed at 10 s and there again at 19 s.
fn lives() -> [Life; 2] {
    [Life { ready: 0, killed: Some(10_000) }, Life { ready: 19_000, killed: None }]
}

fn judged(missed: Missed, runs: &[Run]) -> Verdict {
    judge_recurring(GRID, missed, (100, 30_000), runs, &lives())
}

#[test]
fn each_rule_has_the_runs_it_should() {
    let tail = [ok(20_005), ok(24_001), ok(28_001)];
    let with = |more: &[Run]| [&[ok(4_003), ok(8_002)], more, &tail].concat();
    for (missed, made_up, right) in [
        (Missed::Skip, &[][..], true),
        (Missed::Once, &[ok(19_010)], true),
        (Missed::All, &[ok(19_010), ok(21_100)], true),
        (Missed::All, &[ok(19_010)], false),
        (Missed::Once, &[ok(19_010), ok(19_500)], false),
    ] {
        let mut runs = with(made_up);
        runs.sort_by_key(|run| run.started);
        let verdict = judged(missed, &runs);
        assert_eq!(verdict.lost.is_empty() && verdict.doubled.is_empty(), right, "{missed:?} {verdict:?}");
    }
}

#[test]
fn what_is_missing_while_the_gateway_is_there_is_lost() {
    let verdict = judged(Missed::Skip, &[ok(8_002), ok(20_005), ok(24_001), ok(28_001)]);
    assert_eq!(verdict.lost, ["nobody began what was due at 4000"]);
    let verdict = judged(Missed::Skip, &[ok(4_001), ok(8_002), ok(20_005)]);
    assert_eq!(verdict.lost, ["nothing was run after 20005"]);
    let open = Run { started: 28_001, ended: None, is_ok: false };
    let verdict = judged(Missed::Skip, &[ok(4_001), ok(8_002), ok(20_005), ok(24_001), open]);
    assert_eq!(verdict.lost, ["the run at 28001 has no end"]);
}

#[test]
fn a_run_that_was_cut_off_is_followed_by_one_that_waited() {
    let verdict = judged(Missed::Once, &[ok(4_001), cut_off(8_002), ok(25_500), ok(28_002)]);
    assert!(verdict.lost.is_empty() && verdict.doubled.is_empty(), "{verdict:?}");
    assert_eq!(verdict.cut_off, 1);
}

#[test]
fn how_late_a_run_is_counts_from_the_start_where_it_was_due_before() {
    let verdict = judge_once(5_000, &[ok(5_007)], &lives());
    assert_eq!((verdict.late, verdict.late_after_start), (vec![7], vec![]));
    let verdict = judge_once(12_000, &[ok(19_030)], &lives());
    assert_eq!((verdict.late, verdict.late_after_start), (vec![], vec![30]));
    assert_eq!(judge_once(5_000, &[], &lives()).lost.len(), 1);
    assert_eq!(judge_once(5_000, &[ok(5_001), ok(5_090)], &lives()).doubled.len(), 1);
}
