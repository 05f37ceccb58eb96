//! What a person sees, without colours and at a fixed width.

use homard_protocol::methods::usage::{BudgetStatus, RunUsage, UsageCostResult, UsageDay, UsageTotals};
use serde_json::json;

use super::figures::{Look, Row, bar, money, totals_table};
use super::{overview_lines, runs};
use crate::report::Console;

fn look(width: usize, blocks: bool) -> Look {
    Look { width, blocks, console: Console::new(true) }
}

fn day(date: &str, calls: u64, usd: f64) -> UsageDay {
    let totals = UsageTotals {
        input: calls * 1_000,
        output: calls * 200,
        cache_read: calls * 3_000,
        total_tokens: calls * 4_200,
        total_cost: usd,
        calls,
        ..UsageTotals::default()
    };
    UsageDay { date: date.to_owned(), totals }
}

fn cost() -> UsageCostResult {
    let daily: Vec<UsageDay> = (1..=30u32)
        .map(|n| day(&format!("2026-11-{n:02}"), u64::from(n % 5) * 3, f64::from(n % 5) * 0.37))
        .collect();
    let mut totals = UsageTotals::default();
    daily.iter().for_each(|day| totals.add(&day.totals));
    UsageCostResult { days: 30, daily, totals, ..UsageCostResult::default() }
}

#[test]
fn the_overview_fits_wide_and_narrow_terminals() {
    let now = 1_794_785_400_000;
    let budgets = [
        BudgetStatus {
            path: "gateway.day".into(),
            whose: None,
            used: 4.5,
            limit: 5.0,
            unit: "usd".into(),
            resets_at: Some(now + 7_200_000),
        },
        BudgetStatus {
            path: "budgets.agent.month".into(),
            whose: Some("work".into()),
            used: 3_000_000.0,
            limit: 2_000_000.0,
            unit: "tokens".into(),
            resets_at: None,
        },
    ];
    let wide = overview_lines(&look(80, true), &cost(), 7, &budgets, now);
    insta::assert_snapshot!("overview", wide.join("\n"));
    let narrow = overview_lines(&look(40, false), &cost(), 7, &[], now);
    insta::assert_snapshot!("overview_narrow", narrow.join("\n"));
    for line in wide.iter() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_comparison_ends_where_asked() {
    let rows: Vec<Row> = [("anthropic/large", 9, 3.0), ("openai/small", 30, 1.0), ("ollama/free", 4, 0.0)]
        .map(|(name, calls, usd)| Row { name: name.to_owned(), totals: day("", calls, usd).totals })
        .into();
    insta::assert_snapshot!("by_model", totals_table(&look(80, true), "MODEL", &rows, 9).join("\n"));
    let short = totals_table(&look(80, true), "MODEL", &rows, 1);
    assert_eq!((short.len(), short[2].as_str()), (3, "and 2 more"));
}

#[test]
fn a_run_tells_what_was_tried_and_why() {
    let run: RunUsage = serde_json::from_value(json!({
        "runId": "r", "sessionKey": "agent:main:main", "status": "ok", "startedAt": 1_000, "endedAt": 4_200,
        "provider": "openai", "model": "small",
        "usage": {"input": 900, "output": 50, "totalTokens": 950, "cost": {"total": 0.0123}},
        "attempts": [{"provider": "anthropic", "model": "large", "profile": "anthropic:work", "reason": "rate_limit",
            "status": 429, "error": "slow down", "tookMs": 320, "next": "next_model"}],
        "calls": [{"timestamp": 2_000, "provider": "openai", "model": "small", "state": "settled",
            "outcome": "stop", "firstMs": 400, "totalMs": 1_900,
            "usage": {"input": 100, "cacheRead": 800, "output": 50, "totalTokens": 950}}],
    }))
    .unwrap();
    insta::assert_snapshot!("run", runs::lines(&Console::new(true), &run, 64_200).join("\n"));
}

#[test]
fn bars_grow_with_their_share_and_never_hide_something() {
    let table = [
        (0.0, "", ""),
        (0.001, "▏", "#"),
        (0.5, "██", "##"),
        (0.53, "██▏", "##"),
        (1.0, "████", "####"),
        (7.0, "████", "####"),
        (f64::NAN, "", ""),
    ];
    for (share, blocks, plain) in table {
        assert_eq!((bar(share, 4, true).as_str(), bar(share, 4, false).as_str()), (blocks, plain), "{share}");
    }
}

#[test]
fn money_has_the_decimals_that_matter() {
    let table = [
        (0.0, "–"),
        (0.000_01, "<$0.0001"),
        (0.0042, "$0.0042"),
        (0.424, "$0.42"),
        (12.3, "$12.30"),
        (12_345.6, "$12346"),
    ];
    for (usd, words) in table {
        assert_eq!(money(usd), words);
    }
}
