//! How two builds' figures are put beside each other.

use super::super::report::Section;
use super::{Comparison, Report};

fn measured(cpu: f64, rate: f64) -> Report {
    let mut report = Report::new("a toaster".to_owned());
    let mut section = Section::new("Turns", "", &["CPU ms", "per s"]);
    section.row("plain", &[cpu, rate]);
    report.add(section);
    report
}

#[test]
fn a_figure_is_the_median_of_its_rounds_and_its_ratio_is_now_over_before() {
    let mut compared = Comparison::default();
    for (before, now) in [(2.0, 1.0), (9.0, 1.5), (1.0, 0.5)] {
        compared.take(false, &measured(before, 100.0));
        compared.take(true, &measured(now, 400.0));
    }
    let text = compared.markdown();
    assert!(text.contains("### Turns\n"), "{text}");
    assert!(text.contains("| plain | CPU ms | 2 | 1 | 0.50 |"), "{text}");
    assert!(text.contains("| plain | per s | 100 | 400 | 4 |"), "{text}");
    assert_eq!(compared.json()["figures"][0]["ratio"], 0.5);
}

#[test]
fn a_figure_only_one_build_has_has_no_ratio() {
    let mut compared = Comparison::default();
    compared.take(true, &measured(1.0, 1.0));
    assert!(compared.markdown().contains("| plain | CPU ms | – | 1 | – |"), "{}", compared.markdown());
}
