//! The client against a scripted peer on a real socket: it sees exactly the frames a gateway would send.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use homard_client::{Client, ClientError, ClientEvent, ConnectOptions, DeviceIdentity};
use homard_protocol::methods::chat::agent::{Agent, AgentParams};
use homard_protocol::methods::system::{Health, HealthParams};
use homard_runtime::Tasks;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_websockets::{CloseCode, Message, ServerBuilder, WebSocketStream};

struct Peer(WebSocketStream<TcpStream>);

impl Peer {
    async fn send(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        loop {
            let message = self.0.next().await.unwrap().unwrap();
            if let Some(text) = message.as_text() {
                return serde_json::from_str(text).unwrap();
            }
        }
    }

    async fn challenge(&mut self) -> Value {
        let payload = json!({"nonce":"N","ts":5,"capabilities":[]});
        self.send(json!({"type":"event","event":"connect.challenge","payload":payload})).await;
        self.next().await
    }

    async fn welcome(&mut self) -> Value {
        let connect = self.challenge().await;
        self.send(json!({"type":"res","id":connect["id"],"ok":true,"payload":hello()})).await;
        connect
    }

    async fn answer(&mut self, request: &Value, payload: Value) {
        self.send(json!({"type":"res","id":request["id"],"ok":true,"payload":payload})).await;
    }

    async fn close(&mut self, code: u16, reason: &str) {
        let code = CloseCode::try_from(code).unwrap();
        self.0.send(Message::close(Some(code), reason)).await.unwrap();
        while self.0.next().await.is_some() {}
    }
}

fn hello() -> Value {
    json!({
        "type":"hello-ok","protocol":4,
        "server":{"version":"9","connId":"c","bootId":"b"},
        "features":{"methods":["health"],"events":[],"capabilities":[]},
        "snapshot":{"presence":[],"health":{},"stateVersion":{"presence":0,"health":0},"uptimeMs":1,
            "sessionDefaults":{"defaultAgentId":"main","mainKey":"main","mainSessionKey":"agent:main:main",
                "scope":"per-sender","modelConfigured":true}},
        "auth":{"role":"operator","scopes":["operator.admin"],"method":"token"},
        "policy":{"maxPayload":1,"maxBufferedBytes":1,"tickIntervalMs":30000,
            "attachments":{"maxBytes":1,"maxImageBytes":1}}
    })
}

/// Runs `script` for the first connection and returns where to connect.
async fn peer<F, S>(script: S) -> ConnectOptions
where
    S: FnOnce(Peer) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    Tasks::new().spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (_, socket) = ServerBuilder::new().accept(stream).await.unwrap();
        script(Peer(socket)).await;
    });
    let mut options = ConnectOptions::command_line(url, "1.2.3");
    options.auth.token = Some("T".into());
    options
}

#[tokio::test]
async fn the_handshake_carries_who_we_are_and_a_proof() {
    let (sender, seen) = tokio::sync::oneshot::channel();
    let mut options = peer(|mut peer| async move {
        sender.send(peer.welcome().await).unwrap();
        peer.close(1000, "").await;
    })
    .await;
    let identity = DeviceIdentity::generate().unwrap();
    options.identity = Some(identity.clone());
    let client = Client::connect(&options).await.unwrap();
    assert_eq!(client.hello().server.version, "9");
    let connect = seen.await.unwrap();
    assert_eq!(connect["method"], "connect");
    let params = &connect["params"];
    assert_eq!(params["client"]["id"], "cli");
    assert_eq!(params["auth"], json!({"token":"T"}));
    assert_eq!(params["device"]["id"], identity.id().as_str());
    assert_eq!(params["device"]["nonce"], "N");
    assert_eq!(params["device"]["signedAt"], 5);
    assert_eq!(params["minProtocol"], 4);
}

#[tokio::test]
async fn answers_find_their_requests_in_any_order() {
    let options = peer(|mut peer| async move {
        peer.welcome().await;
        let first = peer.next().await;
        let second = peer.next().await;
        peer.answer(&second, json!({"is": second["params"]})).await;
        peer.answer(&first, json!({"is": first["params"]})).await;
    })
    .await;
    let client = Client::connect(&options).await.unwrap();
    let (params_a, params_b) = (json!({"n":1}), json!({"n":2}));
    let (a, b) = tokio::join!(client.call_raw("x", &params_a), client.call_raw("x", &params_b));
    assert_eq!(a.unwrap(), json!({"is":{"n":1}}));
    assert_eq!(b.unwrap(), json!({"is":{"n":2}}));
}

#[tokio::test]
async fn a_two_phase_call_waits_for_the_second_answer() {
    let options = peer(|mut peer| async move {
        peer.welcome().await;
        let request = peer.next().await;
        peer.answer(&request, json!({"status":"accepted","runId":"r"})).await;
        peer.answer(&request, json!({"status":"ok","runId":"r"})).await;
        let repeat = peer.next().await;
        peer.answer(&repeat, json!({"status":"ok","cached":true})).await;
    })
    .await;
    let client = Client::connect(&options).await.unwrap();
    let params = AgentParams { message: "hi".into(), idempotency_key: "r".into(), ..AgentParams::default() };
    let within = Duration::from_secs(30);
    let first = client.call_final::<Agent>(&params, within).await.unwrap();
    assert_eq!(first["status"], "ok");
    let second = client.call_final::<Agent>(&params, within).await.unwrap();
    assert_eq!(second["cached"], true, "a cached result is the only answer");
}

#[tokio::test]
async fn a_close_rejects_what_is_under_way_with_code_and_reason() {
    let options = peer(|mut peer| async move {
        peer.welcome().await;
        peer.next().await;
        peer.close(1012, "service restart").await;
    })
    .await;
    let client = Client::connect(&options).await.unwrap();
    let mut events = client.events();
    let error = client.call::<Health>(&HealthParams::default()).await.unwrap_err();
    let ClientError::Closed(closed) = &error else { panic!("{error}") };
    assert_eq!((closed.code, closed.reason.as_str()), (Some(1012), "service restart"));
    assert!(error.hint().unwrap().contains("restarting"));
    assert!(events.next().await.is_none());
    assert!(
        matches!(client.call_raw("x", &json!({})).await, Err(ClientError::Closed(again)) if again == *closed)
    );
    assert!(client.events().next().await.is_none());
}

#[tokio::test]
async fn a_gap_in_the_sequence_is_heard() {
    let options = peer(|mut peer| async move {
        peer.welcome().await;
        let request = peer.next().await;
        for seq in [1, 2, 5] {
            peer.send(json!({"type":"event","event":"tick","payload":{},"seq":seq})).await;
        }
        peer.answer(&request, json!({})).await;
    })
    .await;
    let client = Client::connect(&options).await.unwrap();
    let mut events = client.events();
    client.call_raw("x", &json!({})).await.unwrap();
    let mut heard = Vec::new();
    for _ in 0..4 {
        heard.push(match events.next().await.unwrap() {
            ClientEvent::Event(frame) => frame.seq.unwrap(),
            ClientEvent::Missed(count) => 100 + count,
        });
    }
    assert_eq!(heard, [1, 2, 102, 5]);
}

#[tokio::test]
async fn refusals_of_both_kinds_keep_the_gateways_words() {
    let options = peer(|mut peer| async move {
        let connect = peer.challenge().await;
        let error = json!({"code":"INVALID_REQUEST","message":"unauthorized","details":{"code":"AUTH_TOKEN_MISMATCH"}});
        peer.send(json!({"type":"res","id":connect["id"],"ok":false,"error":error})).await;
        peer.close(1008, "unauthorized").await;
    })
    .await;
    let error = Client::connect(&options).await.unwrap_err();
    assert_eq!(error.to_string(), "the gateway refused the connection: unauthorized");
    assert!(error.hint().unwrap().contains("gateway.auth.token"));

    let options = peer(|mut peer| async move {
        peer.welcome().await;
        let request = peer.next().await;
        let error = json!({"code":"FORBIDDEN","message":"missing scope: operator.admin"});
        peer.send(json!({"type":"res","id":request["id"],"ok":false,"error":error})).await;
        let request = peer.next().await;
        peer.send(json!({"type":"res","id":request["id"],"ok":false,"error":{"code":"NEVER_HEARD_OF"}}))
            .await;
    })
    .await;
    let client = Client::connect(&options).await.unwrap();
    let error = client.call_raw("config.set", &json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "`config.set` was refused: missing scope: operator.admin");
    let error = client.call_raw("odd", &json!({})).await.unwrap_err();
    assert!(matches!(error, ClientError::BadAnswer { .. }), "{error}");
}

#[tokio::test]
async fn nobody_listening_says_how_to_start_a_gateway() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = Client::connect(&ConnectOptions::command_line(url.clone(), "1")).await.unwrap_err();
    assert_eq!(error.to_string(), format!("no gateway is running at {url}"));
    assert_eq!(error.hint().unwrap(), "start it with `homard gateway`");
}

#[tokio::test]
async fn another_program_on_the_port_is_not_taken_for_a_gateway() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    Tasks::new().spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"HTTP/1.1 404 Not Found\r\n\r\n").await.unwrap();
    });
    let error = Client::connect(&ConnectOptions::command_line(url, "1")).await.unwrap_err();
    assert!(matches!(error, ClientError::NotAGateway { .. }), "{error}");
}

#[tokio::test]
async fn silence_ends_in_a_timeout_not_in_waiting_forever() {
    let options = peer(|mut peer| async move {
        peer.welcome().await;
        peer.next().await;
        std::future::pending::<()>().await;
    })
    .await;
    let client = Client::connect(&options).await.unwrap().with_timeout(Duration::ZERO);
    let error = client.call_raw("x", &json!({})).await.unwrap_err();
    assert!(matches!(error, ClientError::Timeout { .. }), "{error}");

    let mut options = peer(|mut silent| async move { while silent.0.next().await.is_some() {} }).await;
    options.timeout = Duration::from_millis(1);
    let error = Client::connect(&options).await.unwrap_err();
    assert!(matches!(error, ClientError::HandshakeTimeout { .. }), "{error}");
}

#[tokio::test]
async fn a_polite_close_reaches_the_other_side() {
    let (sender, seen) = tokio::sync::oneshot::channel();
    let options = peer(|mut peer| async move {
        peer.welcome().await;
        let message = peer.0.next().await.unwrap().unwrap();
        sender.send(message.as_close().map(|(code, _)| u16::from(code))).unwrap();
        while peer.0.next().await.is_some() {}
    })
    .await;
    Client::connect(&options).await.unwrap().close().await;
    assert_eq!(seen.await.unwrap(), Some(1000));
}
