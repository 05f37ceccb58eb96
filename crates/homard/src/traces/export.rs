//! Sends spans to the collector, in batches, as long as the configuration wants it.

use std::time::Duration;

use homard_config::ConfigHandle;
use homard_config::config::diagnostics::Traces as Settings;
use homard_runtime::OrLog;
use reqwest::Client;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tokio_util::sync::CancellationToken;

use super::{Traces, wire};

/// Where traces go at a collector.
const PATH: &str = "/v1/traces";
/// How long one export may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long the last one may take, when the gateway ends.
const LAST_TIMEOUT: Duration = Duration::from_secs(2);

/// Exports until cancelled, then once more. Follows the configuration.
pub(crate) async fn run(traces: Traces, config: ConfigHandle, cancel: CancellationToken) {
    let mut news = config.subscribe();
    let mut exporter = None;
    loop {
        let wanted = config.current().diagnostics.traces.clone();
        if exporter.as_ref().map(|exporter: &Exporter| &exporter.settings) != wanted.as_ref() {
            traces.keep_share(wanted.as_ref().map(|settings| settings.sample_rate));
            exporter = wanted.and_then(|settings| Exporter::new(settings).or_log("traces are not exported"));
        }
        let every = exporter.as_ref().map(|exporter| exporter.settings.flush_interval);
        tokio::select! {
            () = cancel.cancelled() => break,
            changed = news.changed() => {
                if changed.is_err() {
                    break;
                }
                continue;
            }
            () = pause(every) => {}
            () = traces.inner.enough.notified() => {}
        }
        if let Some(exporter) = &mut exporter {
            exporter.export(&traces, TIMEOUT).await;
        }
    }
    if let Some(exporter) = &mut exporter {
        exporter.export(&traces, LAST_TIMEOUT).await;
    }
}

async fn pause(every: Option<Duration>) {
    match every {
        Some(every) => tokio::time::sleep(every).await,
        None => std::future::pending().await,
    }
}

struct Exporter {
    settings: Settings,
    client: Client,
    headers: HeaderMap,
    /// Whether the last export failed: only the first of a row is told.
    is_down: bool,
}

impl Exporter {
    fn new(settings: Settings) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let mut value = HeaderValue::from_str(value.expose())?;
            value.set_sensitive(true);
            headers.insert(HeaderName::try_from(name)?, value);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
        let client = homard_http::client().build()?;
        Ok(Self { settings, client, headers, is_down: false })
    }

    async fn export(&mut self, traces: &Traces, limit: Duration) {
        let (spans, dropped) = traces.take();
        if dropped > 0 {
            tracing::warn!(
                dropped,
                "spans were dropped because they came faster than they could be exported"
            );
        }
        if spans.is_empty() {
            return;
        }
        let url = format!("{}{PATH}", self.settings.endpoint);
        let body = wire::request(&spans, &self.settings.service_name);
        let request = self.client.post(url).headers(self.headers.clone()).timeout(limit).body(body);
        let failed = match request.send().await {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("the collector answered {}", answer.status())),
            Err(error) => Some(error.without_url().to_string()),
        };
        match failed {
            None => self.is_down = false,
            Some(error) if self.is_down => tracing::debug!(%error, lost = spans.len(), "spans were lost"),
            Some(error) => {
                self.is_down = true;
                tracing::warn!(%error, lost = spans.len(), "traces cannot be exported; trying again with the next ones");
            }
        }
    }
}
