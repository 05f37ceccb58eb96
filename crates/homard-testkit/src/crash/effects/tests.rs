//! What commands did is counted as it was done.

use std::collections::BTreeSet;

use super::{Effects, counted};
use crate::crash::buttons::Buttons;
use crate::crash::judge::Verdict;

fn marks(marks: &[&str]) -> BTreeSet<String> {
    marks.iter().map(|&mark| mark.to_owned()).collect()
}

fn done(traces: &[&str]) -> Effects {
    Effects {
        done: counted(traces.iter().map(|&mark| mark.to_owned())),
        children: counted(std::iter::empty()),
        cut_off: BTreeSet::new(),
        not_allowed: BTreeSet::new(),
    }
}

fn seen(marks: &[&str]) -> Verdict {
    let seen = marks.iter().map(|&mark| (mark.to_owned(), BTreeSet::from(["run:0".to_owned()])));
    Verdict { seen: seen.collect(), ..Verdict::default() }
}

#[test]
fn what_is_asked_for_is_done_once_or_said_not_to_be() {
    let wrongs = |effects: &Effects| effects.wrongs(&seen(&["tok-1-tool"]), &Buttons::default());
    assert_eq!(wrongs(&done(&["tok-1-tool"])), [""; 0]);
    assert_eq!(wrongs(&done(&["tok-1-tool", "tok-1-tool"])), ["tok-1-tool was done 2 times"]);
    assert_eq!(wrongs(&done(&[])).len(), 1);
    assert_eq!(wrongs(&Effects { cut_off: marks(&["tok-1-tool"]), ..done(&[]) }), [""; 0]);
}

#[test]
fn what_somebody_is_asked_about_is_done_only_after_a_yes() {
    let yes = Buttons { allowed: marks(&["tok-1-ask", "tok-2-choice"]), ..Buttons::default() };
    let no = Buttons { refused: marks(&["tok-1-ask", "tok-2-choice"]), ..Buttons::default() };
    let all = seen(&["tok-1-ask", "tok-2-menu", "tok-2-choice"]);
    let effects = done(&["tok-1-ask"]);
    assert_eq!(effects.wrongs(&all, &yes), [""; 0]);
    assert_eq!(effects.wrongs(&all, &no).len(), 2);
    assert_eq!(effects.wrongs(&all, &Buttons::default()), ["tok-1-ask was done, and nobody allowed it"]);
    let refused = Effects { not_allowed: marks(&["tok-1-ask", "tok-2-choice"]), ..done(&[]) };
    assert_eq!(refused.wrongs(&seen(&["tok-1-ask", "tok-2-menu"]), &no), [""; 0]);
}

#[test]
fn a_subagent_that_began_owes_its_report() {
    let verdict = seen(&["tok-1-child"]);
    let owed = |effects: &Effects| effects.reports(&verdict).collect::<Vec<_>>();
    let cut_off = || marks(&["tok-1-report"]);
    let began = counted(["tok-1-report".to_owned()].into_iter());
    assert_eq!(owed(&done(&[])), ["tok-1-report"], "nobody said that none began");
    assert_eq!(owed(&Effects { cut_off: cut_off(), ..done(&[]) }), [""; 0]);
    assert_eq!(owed(&Effects { cut_off: cut_off(), children: began, ..done(&[]) }), ["tok-1-report"]);
}
