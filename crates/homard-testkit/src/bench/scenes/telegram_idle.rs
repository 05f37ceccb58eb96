//! Accounts that are only connected.

use std::time::Duration;

use anyhow::Result;

use crate::bench::bots::Bots;
use crate::bench::machine::{cpu_of, memory_of};
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::stage::{REPEATS, Stage};

/// Accounts of the gateways that are compared.
const CROWDS: [usize; 3] = [0, 1, 10];
/// How long they are left alone before, and watched doing nothing.
const SETTLE: Duration = Duration::from_secs(2);
const IDLE: Duration = Duration::from_secs(5);

/// Medians of what a gateway holds and does.
struct Quiet {
    accounts: usize,
    rss: f64,
    pss: f64,
    own: f64,
    busy: f64,
}

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let mut section = Section::new(
        "Idle accounts on Telegram",
        "Each account holds a long poll at a platform of its own. Medians of several starts. What is not anonymous is the program itself: the first account also runs code that nothing has run before.",
        &["RSS MB", "PSS MB", "anonymous MB", "CPU ms per second"],
    );
    let mut seen = Vec::with_capacity(CROWDS.len());
    for accounts in CROWDS {
        let quiet = weigh(stage, accounts).await?;
        let what = match accounts {
            0 => "none".to_owned(),
            1 => "1 account".to_owned(),
            more => format!("{more} accounts"),
        };
        section.row(what, &[quiet.rss, quiet.pss, quiet.own, quiet.busy]);
        seen.push(quiet);
    }
    if let [none, one, many] = seen.as_slice() {
        let further = (many.accounts - one.accounts) as f64;
        let each = |many: f64, one: f64| (many - one) / further;
        let first = [one.rss - none.rss, one.pss - none.pss, one.own - none.own, one.busy - none.busy];
        section.row("the first account", &first);
        section.row(
            "each further account",
            &[
                each(many.rss, one.rss),
                each(many.pss, one.pss),
                each(many.own, one.own),
                each(many.busy, one.busy),
            ],
        );
        report.promise(
            "memory of a connected, idle account (RSS)",
            one.rss - none.rss,
            "MB",
            Limit::AtMost(1.0),
        );
    }
    report.add(section);
    Ok(())
}

async fn weigh(stage: &Stage, accounts: usize) -> Result<Quiet> {
    let (mut rss, mut pss, mut own, mut busy) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..stage.amount(REPEATS) {
        let bots = Bots::start(accounts).await?;
        let gateway = stage.gateway_with(&bots.config(stage)).await?;
        bots.connected().await?;
        let pid = gateway.pid()?;
        tokio::time::sleep(SETTLE).await;
        let began = cpu_of(pid)?;
        tokio::time::sleep(IDLE).await;
        busy.push(cpu_of(pid)?.saturating_sub(began).as_secs_f64() * 1e3 / IDLE.as_secs_f64());
        let memory = memory_of(pid)?;
        rss.push(memory.rss);
        pss.push(memory.pss);
        own.push(memory.own);
    }
    let middle = |values: &[f64]| quantile(values, 0.5);
    Ok(Quiet { accounts, rss: middle(&rss), pss: middle(&pss), own: middle(&own), busy: middle(&busy) })
}
