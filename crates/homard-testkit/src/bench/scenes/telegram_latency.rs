//! One message at a time: how long it takes from the platform to the model, and the answer back to the platform.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::bench::bots::{Bots, written_at};
use crate::bench::machine::now_ns;
use crate::bench::report::{Limit, Report, Section, quantile};
use crate::bench::stage::Stage;

/// Messages measured.
const MESSAGES: usize = 200;
/// Messages before that, in which caches and connections come to be.
const WARM: usize = 20;
/// People who take turns.
const PEOPLE: usize = 20;
/// Time between an answer and the next message: an account speaks no faster than 25 times a second, and the wait
/// for its turn is not what is measured here.
const REST: Duration = Duration::from_millis(50);

/// Plays the scene.
pub(in crate::bench) async fn play(stage: &Stage, report: &mut Report) -> Result<()> {
    let bots = Bots::start(1).await?;
    let mut gateway = stage.gateway_with(&bots.config(stage)).await?;
    bots.connected().await?;
    let total = WARM + stage.amount(MESSAGES);
    let since = stage.model.requests()?;
    let mut said = Vec::with_capacity(total);
    for number in 0..total {
        tokio::time::sleep(REST).await;
        said.push(now_ns());
        bots.hears(number % PEOPLE, &format!("hello [[tag=telegram.{number}]]"))?;
        bots.first()?.wait_for_sent_count(number + 1).await?;
    }
    // In order, so that whoever watches it from below gets to write down what was seen.
    gateway.terminate().await?;
    let stamps = stage.model.stamps_since(since)?;
    let written: Vec<u64> = bots.written().iter().map(written_at).collect();
    let (mut there, mut back, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (said, written)) in said.iter().zip(&written).enumerate().skip(WARM) {
        let model = stamps.get(&format!("telegram.{number}")).and_then(|stamps| stamps.first());
        let model = model.with_context(|| format!("message {number} never came to the model"))?;
        there.push(millis(*said, model.arrived));
        back.push(millis(model.last, *written));
        whole.push(millis(*said, *written));
    }
    let mut section = Section::new(
        "Where the time of a message on Telegram goes",
        "One message at a time to an otherwise idle gateway that holds a long poll; no debounce, no streaming; the model answers at once with 8 words. The platform is in the process that measures; all stamps are on one clock.",
        &["p50 ms", "p99 ms", "worst ms", "messages"],
    );
    for (what, values) in [
        ("update at the platform → model request arrives", &there),
        ("last model chunk → `sendMessage` taken", &back),
        ("update → answer", &whole),
    ] {
        let at = |p| quantile(values, p);
        section.row(what, &[at(0.5), at(0.99), at(1.0), values.len() as f64]);
    }
    report.add(section);
    report.promise("Telegram update → model, p50", quantile(&there, 0.5), "ms", Limit::AtMost(3.0));
    Ok(())
}

fn millis(from: u64, to: u64) -> f64 {
    to.saturating_sub(from) as f64 / 1e6
}
