//! How figures are printed and judged.

use super::{Limit, Report, Section, number, quantile};

#[test]
fn figures_have_three_digits_that_matter() {
    let cases = [
        (0.0, "0"),
        (0.456, "0.46"),
        (12.34, "12.3"),
        (345.6, "346"),
        (1234.0, "1,234"),
        (1_234_567.0, "1,234,567"),
    ];
    for (value, text) in cases {
        assert_eq!(number(value), text);
    }
    assert_eq!(number(f64::NAN), "–");
}

#[test]
fn quantiles_are_values_that_occurred() {
    let values = [5.0, 1.0, 4.0, 2.0, 3.0];
    assert_eq!(quantile(&values, 0.5), 3.0);
    assert_eq!(quantile(&values, 0.99), 5.0);
    assert_eq!(quantile(&values, 0.0), 1.0);
    assert_eq!(quantile(&[], 0.5), 0.0);
}

#[test]
fn a_report_says_what_was_promised_and_what_came() {
    let mut report = Report::new("a toaster".to_owned());
    report.promise("start", 40.0, "ms", Limit::AtMost(50.0));
    report.promise("turns", 400.0, "per s", Limit::AtLeast(500.0));
    let mut section = Section::new("Start", "", &["wall ms"]);
    section.row("empty", &[40.0]);
    report.add(section);
    assert_eq!(report.missed(), 1);
    let text = report.markdown();
    assert!(text.contains("| start | 40 ms | ≤ 50 ms | met |"), "{text}");
    assert!(text.contains("| turns | 400 per s | ≥ 500 per s | **missed** |"), "{text}");
    assert!(text.contains("| | wall ms |\n|---|---:|\n| empty | 40 |"), "{text}");
    assert_eq!(report.json()["figures"]["Start"]["empty"]["wall ms"], 40.0);
}

#[test]
fn what_another_program_measured_is_reported_alike() {
    let printed = serde_json::json!({
        "tables": [{"title": "T", "note": "", "columns": ["ms"], "rows": [["a", [1.5]]]}],
        "promises": [{"what": "a", "value": 1.5, "unit": "ms", "atMost": 1.0}],
    });
    let mut report = Report::new("m".to_owned());
    report.add_measured(serde_json::from_value(printed).unwrap());
    assert_eq!(report.missed(), 1);
    assert!(
        report.markdown().contains("### T\n\n| | ms |\n|---|---:|\n| a | 1.50 |"),
        "{}",
        report.markdown()
    );
}
