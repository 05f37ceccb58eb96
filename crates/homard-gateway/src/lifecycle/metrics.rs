//! `/metrics`: what a Prometheus server may ask.

use std::sync::atomic::AtomicU64;

use homard_relay::DomainEvent;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Label of [`Metrics::request`]. Only known methods are counted, so the label cannot grow without bound.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByMethod {
    method: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByStatus {
    status: String,
}

/// Only platforms we are connected to are counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ByChannel {
    channel: String,
}

/// The gateway's counters. No global state: they live as long as the gateway.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<ByMethod, Counter>,
    runs: Family<ByStatus, Counter>,
    received: Family<ByChannel, Counter>,
    sent: Family<ByChannel, Counter>,
    connections: Gauge<i64>,
    uptime: Gauge<u64, AtomicU64>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("homard");
        let requests = Family::<ByMethod, Counter>::default();
        let runs = Family::<ByStatus, Counter>::default();
        let (received, sent) =
            (Family::<ByChannel, Counter>::default(), Family::<ByChannel, Counter>::default());
        let connections = Gauge::<i64>::default();
        let uptime = Gauge::<u64, AtomicU64>::default();
        registry.register("rpc_requests", "Gateway method calls", requests.clone());
        registry.register("runs", "Agent runs that ended, by status", runs.clone());
        registry.register("messages_received", "Messages heard on chat platforms", received.clone());
        registry.register("messages_sent", "Messages that arrived at chat platforms", sent.clone());
        registry.register("connections", "Authenticated WebSocket connections", connections.clone());
        registry.register("uptime_seconds", "Seconds since the gateway started", uptime.clone());
        Self { registry, requests, runs, received, sent, connections, uptime }
    }

    /// Counts a call of a known method.
    pub(crate) fn request(&self, method: &str) {
        self.requests.get_or_create(&ByMethod { method: method.to_owned() }).inc();
    }

    /// Counts what happened.
    pub(crate) fn count(&self, event: &DomainEvent) {
        match event {
            DomainEvent::RunEnded(end) => {
                self.runs.get_or_create(&ByStatus { status: end.outcome.status().as_str().to_owned() }).inc();
            }
            DomainEvent::MessageReceived { channel, .. } => {
                self.received.get_or_create(&ByChannel { channel: channel.to_string() }).inc();
            }
            DomainEvent::MessageSent { channel, .. } => {
                self.sent.get_or_create(&ByChannel { channel: channel.to_string() }).inc();
            }
            DomainEvent::RunStarted { .. }
            | DomainEvent::ToolCalled { .. }
            | DomainEvent::SessionChanged { .. }
            | DomainEvent::ApprovalAsked(_)
            | DomainEvent::ApprovalEnded(_) => {}
        }
    }

    /// Counts a connection in.
    pub(crate) fn connected(&self) {
        self.connections.inc();
    }

    /// Counts a connection out.
    pub(crate) fn disconnected(&self) {
        self.connections.dec();
    }

    /// Everything, in the text format.
    pub(crate) fn render(&self, uptime_seconds: u64) -> String {
        self.uptime.set(uptime_seconds);
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _infallible = encode(&mut text, &self.registry);
        text
    }
}
