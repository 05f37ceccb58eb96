//! Our HTTP client in the shape `aws-config` asks for, so that no second one is linked.
//!
//! It is used for small questions to a container's, an instance's or a token service's address. Plain HTTP
//! never goes through a proxy: those addresses are this machine's, and what they answer is a key.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use reqwest::{Client, Method};

/// How long a question may take when nobody says.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Largest answer, in bytes.
const MAX_ANSWER: usize = 256 * 1024;

/// The clients, made on first use.
#[derive(Debug, Clone, Default)]
pub(super) struct Web {
    clients: Arc<Clients>,
}

#[derive(Debug, Default)]
struct Clients {
    /// For `http://`: no proxy may see it, and no certificates are loaded for it.
    plain: OnceLock<Client>,
    secure: OnceLock<Client>,
}

#[derive(Debug)]
struct Connector {
    clients: Arc<Clients>,
    limit: Duration,
}

impl HttpClient for Web {
    fn http_connector(&self, settings: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        let connect = settings.connect_timeout().unwrap_or_default();
        let limit = connect + settings.read_timeout().unwrap_or(ANSWER_TIMEOUT);
        SharedHttpConnector::new(Connector { clients: Arc::clone(&self.clients), limit })
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (clients, limit) = (Arc::clone(&self.clients), self.limit);
        HttpConnectorFuture::new(async move { clients.ask(request, limit).await })
    }
}

impl Clients {
    fn client(&self, url: &str) -> Result<Client, ConnectorError> {
        let plain = url.starts_with("http://");
        let cell = if plain { &self.plain } else { &self.secure };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let builder = if plain { homard_http::plain_client().no_proxy() } else { homard_http::client() };
        let client = builder.build().map_err(failed)?;
        Ok(cell.get_or_init(|| client).clone())
    }

    async fn ask(&self, request: HttpRequest, limit: Duration) -> Result<HttpResponse, ConnectorError> {
        let url = request.uri().to_owned();
        let method = Method::from_bytes(request.method().as_bytes())
            .map_err(|error| ConnectorError::user(error.into()))?;
        let mut asked = self.client(&url)?.request(method, &url).timeout(limit);
        for (name, value) in request.headers() {
            asked = asked.header(name, value);
        }
        let body = request.body().bytes().unwrap_or_default().to_vec();
        let mut answer = asked.body(body).send().await.map_err(failed)?;
        let status = answer
            .status()
            .as_u16()
            .try_into()
            .map_err(|error| ConnectorError::other(Box::new(error), None))?;
        let headers = answer.headers().clone();
        let mut whole = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(failed)? {
            if whole.len() + piece.len() > MAX_ANSWER {
                return Err(ConnectorError::other("the answer is too large".into(), None));
            }
            whole.extend_from_slice(&piece);
        }
        let mut response = HttpResponse::new(status, SdkBody::from(whole));
        for (name, value) in &headers {
            if let Ok(value) = value.to_str() {
                response.headers_mut().append(name.as_str().to_owned(), value.to_owned());
            }
        }
        Ok(response)
    }
}

/// The address is left out: it may carry a token.
fn failed(error: reqwest::Error) -> ConnectorError {
    let error = error.without_url();
    match error.is_timeout() {
        true => ConnectorError::timeout(error.into()),
        false => ConnectorError::io(error.into()),
    }
}
