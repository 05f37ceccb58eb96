//! What every scene stands on: the model server, gateways to start, and one way to weigh a plan.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::BenchOptions;
use super::conn::Conn;
use super::machine::{Meter, Spent};
use super::model::Model;
use super::report::quantile;
use super::requests::each;
use super::turns::{Plan, Turn, play};
use crate::device::TestDevice;
use crate::gateway::{Launch, TEST_TOKEN, TestGateway};
use crate::home::TestHome;

/// Turns in one session of a plan, everywhere the same: a turn's price depends on what was said before.
pub(super) const TURNS: usize = 10;
/// A context that never has to be compacted here.
const CONTEXT_WINDOW: u64 = 1_000_000;
/// Requests under way while sessions are created.
const SEED_DEPTH: usize = 200;
/// How often a figure is taken; the one with the median CPU time counts.
pub(super) const REPEATS: usize = 3;

/// See the file's description.
pub(super) struct Stage {
    pub(super) homard: PathBuf,
    pub(super) model: Model,
    pub(super) device: TestDevice,
    quick: bool,
}

impl Stage {
    /// Starts the model server.
    pub(super) async fn set(options: &BenchOptions) -> Result<Self> {
        let homard = options.homard.canonicalize();
        let homard = homard.with_context(|| format!("there is no {}", options.homard.display()))?;
        let model = Model::start(&options.fake).await?;
        let device = TestDevice::new()?;
        Ok(Self { homard, model, device, quick: options.quick })
    }

    /// A tenth of `full` in a quick run.
    pub(super) fn amount(&self, full: usize) -> usize {
        if self.quick { full.div_ceil(10) } else { full }
    }

    /// The configuration of every gateway here.
    pub(super) fn config(&self) -> Value {
        let mut config = TestHome::chat_config(TEST_TOKEN, "openai-completions", &self.model.base_url());
        if let Some(model) =
            config.pointer_mut("/models/providers/fake/models/0").and_then(Value::as_object_mut)
        {
            model.insert("contextWindow".into(), json!(CONTEXT_WINDOW));
        }
        config
    }

    /// A gateway with an empty store.
    pub(super) async fn gateway(&self) -> Result<TestGateway> {
        self.gateway_with(&self.config()).await
    }

    /// The same with another configuration.
    pub(super) async fn gateway_with(&self, config: &Value) -> Result<TestGateway> {
        self.gateway_in(TestHome::with_config(config)?).await
    }

    /// A gateway in a home that was prepared.
    pub(super) async fn gateway_in(&self, home: TestHome) -> Result<TestGateway> {
        TestGateway::start(Launch::of(&self.homard), home).await
    }

    /// Connections of one device. One after the other: a gateway lets few in at a time.
    pub(super) async fn conns(&self, gateway: &TestGateway, count: usize) -> Result<Vec<Conn>> {
        let mut conns = Vec::with_capacity(count);
        for _ in 0..count {
            conns.push(self.conn(gateway).await?);
        }
        Ok(conns)
    }

    /// One connection.
    pub(super) async fn conn(&self, gateway: &TestGateway) -> Result<Conn> {
        Conn::operator(gateway.port(), gateway.token(), &self.device, &[]).await
    }

    /// Connections that hear only of the sessions they listen to.
    pub(super) async fn scoped_conns(&self, gateway: &TestGateway, count: usize) -> Result<Vec<Conn>> {
        let mut conns = Vec::with_capacity(count);
        for _ in 0..count {
            let caps = ["session-scoped-events"];
            conns.push(Conn::operator(gateway.port(), gateway.token(), &self.device, &caps).await?);
        }
        Ok(conns)
    }

    /// Plays a plan and weighs it.
    pub(super) async fn weigh(
        &self,
        gateway: &TestGateway,
        conns: &mut [Conn],
        plan: &Plan,
    ) -> Result<Weight> {
        let meter = Meter::start(gateway.pid()?, self.model.pid()?)?;
        let turns = play(conns, plan).await?;
        Ok(Weight { spent: meter.stop()?, turns })
    }

    /// Weighs several plans of the same kind; the one with the median CPU time per turn counts. The first of
    /// them also warms the caches.
    pub(super) async fn weigh_often(
        &self,
        gateway: &TestGateway,
        conns: &mut [Conn],
        plan: impl Fn(usize) -> Plan,
    ) -> Result<Weight> {
        let mut weights = Vec::new();
        for round in 0..REPEATS {
            weights.push(self.weigh(gateway, conns, &plan(round)).await?);
        }
        median(weights)
    }

    /// Creates sessions through the public door.
    pub(super) async fn create(&self, conn: &mut Conn, keys: impl IntoIterator<Item = String>) -> Result<()> {
        let params =
            keys.into_iter().map(|key| json!({"key": key, "label": key.replace(':', " ")}).to_string());
        each(conn, "sessions.patch", SEED_DEPTH, params).await
    }
}

/// A plan that was played.
#[derive(Debug)]
pub(super) struct Weight {
    pub(super) spent: Spent,
    pub(super) turns: Vec<Turn>,
}

impl Weight {
    fn per_turn_ms(&self, spent: std::time::Duration) -> f64 {
        spent.as_secs_f64() * 1e3 / self.turns.len().max(1) as f64
    }

    /// CPU time of the gateway per turn.
    pub(super) fn gateway_ms(&self) -> f64 {
        self.per_turn_ms(self.spent.gateway)
    }

    /// CPU time of the fake model server per turn.
    pub(super) fn fake_ms(&self) -> f64 {
        self.per_turn_ms(self.spent.fake)
    }

    /// CPU time of this process per turn.
    pub(super) fn client_ms(&self) -> f64 {
        self.per_turn_ms(self.spent.client)
    }

    /// Turns per second of wall time.
    pub(super) fn rate(&self) -> f64 {
        self.turns.len() as f64 / self.spent.wall.as_secs_f64()
    }

    /// A quantile of the turns' wall time.
    pub(super) fn wall_ms(&self, p: f64) -> f64 {
        quantile(&self.turns.iter().map(Turn::total_ms).collect::<Vec<_>>(), p)
    }
}

/// The one with the median CPU time per turn.
pub(super) fn median(mut weights: Vec<Weight>) -> Result<Weight> {
    weights.sort_by(|a, b| a.gateway_ms().total_cmp(&b.gateway_ms()));
    let middle = weights.len() / 2;
    weights.into_iter().nth(middle).context("nothing was weighed")
}

/// Keys of `count` sessions.
pub(super) fn keys(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("agent:main:{prefix}-{n}")).collect()
}

/// Tells whoever waits what is going on.
pub(super) fn progress(text: &str) {
    let written = writeln!(std::io::stderr(), "bench: {text}");
    debug_assert!(written.is_ok(), "nobody reads the progress");
}
