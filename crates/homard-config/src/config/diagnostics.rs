//! `diagnostics`: traces for a collector the owner runs.

use std::time::Duration;

use super::Resolve;
use crate::raw::housekeeping as raw;
use crate::secret::Secret;

/// Where collectors listen for OTLP over HTTP.
const DEFAULT_ENDPOINT: &str = "http://127.0.0.1:4318";
/// Where the world's other programs look for the endpoint.
const ENDPOINT_VARIABLE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// Time between exports unless the owner says otherwise.
const DEFAULT_FLUSH: Duration = Duration::from_secs(5);
/// The shortest time between exports.
const MIN_FLUSH: Duration = Duration::from_millis(100);

/// Decided `diagnostics`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnostics {
    /// Where traces go; `None` means nowhere.
    pub traces: Option<Traces>,
}

/// Decided `diagnostics.otel`, when traces are on.
#[derive(Debug, Clone, PartialEq)]
pub struct Traces {
    /// The collector, without the path of a signal.
    pub endpoint: String,
    /// Headers sent with every export.
    pub headers: Vec<(String, Secret)>,
    /// Name under which this gateway appears.
    pub service_name: String,
    /// Share of traces kept, from 0 to 1.
    pub sample_rate: f64,
    pub flush_interval: Duration,
}

impl Diagnostics {
    pub(super) fn resolve(raw: raw::Diagnostics, cx: &mut Resolve<'_>) -> Self {
        let otel = raw.otel.unwrap_or_default();
        let is_on = raw.enabled != Some(false) && otel.enabled == Some(true) && otel.traces != Some(false);
        if !is_on {
            return Self::default();
        }
        if otel.protocol.as_deref() == Some("grpc") {
            cx.warn(
                "diagnostics.otel.protocol",
                "`grpc` is known, not yet in effect; nothing is exported. Use `http/protobuf`, on port 4318 of \
                 most collectors",
            );
            return Self::default();
        }
        let named = otel.endpoint.or_else(|| cx.env.get(ENDPOINT_VARIABLE).map(str::to_owned));
        let endpoint = named.unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
        let mut headers = Vec::new();
        for (name, value) in otel.headers.unwrap_or_default() {
            let place = format!("diagnostics.otel.headers.{name}");
            headers.extend(cx.secret(&place, Some(value)).map(|value| (name, value)));
        }
        Self {
            traces: Some(Traces {
                endpoint: endpoint.trim_end_matches('/').trim_end_matches("/v1/traces").to_owned(),
                headers,
                service_name: otel.service_name.unwrap_or_else(|| "homard".to_owned()),
                sample_rate: otel.sample_rate.unwrap_or(1.0).clamp(0.0, 1.0),
                flush_interval: otel
                    .flush_interval_ms
                    .map_or(DEFAULT_FLUSH, Duration::from_millis)
                    .max(MIN_FLUSH),
            }),
        }
    }
}
