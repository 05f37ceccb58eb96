//! The connection, and another one when it is lost.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use homard_client::{Client, ClientEvent, Events};
use homard_runtime::Backoff;

use crate::app::{Greeting, Msg};
use crate::wire::GatewayNews;

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Makes connections to the gateway that is meant.
pub trait Connector {
    /// Connects; why not, in words a person reads in a status line.
    fn connect(&self) -> impl Future<Output = Result<Client, String>>;
}

type Dialling<'a> = Pin<Box<dyn Future<Output = Result<Client, String>> + 'a>>;

/// The connection.
pub(crate) struct GatewayLink<'a, C> {
    connector: &'a C,
    up: Option<(Arc<Client>, Events)>,
    dialling: Option<Dialling<'a>>,
    backoff: Backoff,
    /// Whether the connection is to be announced.
    is_new: bool,
}

impl<'a, C: Connector> GatewayLink<'a, C> {
    /// A connection that is there.
    pub(crate) fn up(first: Client, connector: &'a C) -> Self {
        let events = first.events();
        let backoff = Backoff::doubling(FIRST_WAIT, LONGEST_WAIT);
        Self { connector, up: Some((Arc::new(first), events)), dialling: None, backoff, is_new: true }
    }

    pub(crate) fn client(&self) -> Option<&Arc<Client>> {
        self.up.as_ref().map(|(client, _)| client)
    }

    /// The next thing that happens on it or to it. May be dropped and asked for again.
    pub(crate) async fn next(&mut self) -> Msg {
        if std::mem::take(&mut self.is_new)
            && let Some((client, _)) = &self.up
        {
            return Msg::Connected(greeting(client));
        }
        loop {
            if let Some((client, events)) = &mut self.up {
                match events.next().await {
                    Some(ClientEvent::Missed(_)) => return Msg::Missed,
                    Some(ClientEvent::Event(frame)) => match GatewayNews::read(&frame) {
                        Some(happened) => return Msg::Heard(happened),
                        None => continue,
                    },
                    None => {
                        let why = client.closed().map_or_else(String::new, |closed| closed.to_string());
                        self.up = None;
                        self.dial();
                        return Msg::Lost(why);
                    }
                }
            }
            let Some(dialling) = &mut self.dialling else { return pending().await };
            match dialling.await {
                Ok(client) => {
                    let events = client.events();
                    let greeting = greeting(&client);
                    self.backoff.reset();
                    self.dialling = None;
                    self.up = Some((Arc::new(client), events));
                    return Msg::Connected(greeting);
                }
                Err(why) => {
                    self.dial();
                    return Msg::Lost(why);
                }
            }
        }
    }

    fn dial(&mut self) {
        let wait = self.backoff.step();
        let connector = self.connector;
        self.dialling = Some(Box::pin(async move {
            tokio::time::sleep(wait).await;
            connector.connect().await
        }));
    }
}

fn greeting(client: &Client) -> Greeting {
    let hello = client.hello();
    Greeting {
        main_session: hello.snapshot.session_defaults.main_session_key.to_string(),
        version: hello.server.version.clone(),
    }
}
