//! The test client against a scripted peer.

use futures_util::{SinkExt, StreamExt};
use homard_runtime::Tasks;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_websockets::{CloseCode, Message, ServerBuilder, WebSocketStream};

use super::{TestClient, operator_params};

async fn peer<F, S>(script: S) -> String
where
    S: FnOnce(WebSocketStream<TcpStream>) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    Tasks::new().spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (_, mut socket) = ServerBuilder::new().accept(stream).await.unwrap();
        say(&mut socket, json!({"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1}}))
            .await;
        script(socket).await;
    });
    url
}

async fn say(socket: &mut WebSocketStream<TcpStream>, frame: Value) {
    socket.send(Message::text(frame.to_string())).await.unwrap();
}

#[tokio::test]
async fn answers_and_events_are_kept_apart_and_none_is_lost() {
    let url = peer(|mut socket| async move {
        socket.next().await.unwrap().unwrap();
        say(&mut socket, json!({"type":"event","event":"chat","payload":{"runId":"a","state":"delta"}}))
            .await;
        say(&mut socket, json!({"type":"event","event":"tick","payload":{}})).await;
        say(&mut socket, json!({"type":"event","event":"chat","payload":{"runId":"a","state":"final"}}))
            .await;
        say(&mut socket, json!({"type":"res","id":"t1","ok":true,"payload":{"status":"accepted"}})).await;
        say(&mut socket, json!({"type":"res","id":"t1","ok":true,"payload":{"status":"ok"}})).await;
        while socket.next().await.is_some() {}
    })
    .await;
    let mut client = TestClient::connect(&url).await.unwrap();
    assert_eq!(client.challenge()["nonce"], "n");
    let first = client.request("agent", json!({})).await.unwrap();
    assert_eq!(first["payload"]["status"], "accepted");
    assert_eq!(client.response("t1").await.unwrap()["payload"]["status"], "ok");
    assert_eq!(client.wait_chat_final("a").await.unwrap()["state"], "final");
    assert_eq!(client.next_event("chat").await.unwrap()["payload"]["state"], "delta");
    assert_eq!(client.events().len(), 4);
}

#[tokio::test]
async fn a_refused_handshake_shows_error_and_close() {
    let url = peer(|mut socket| async move {
        socket.next().await.unwrap().unwrap();
        say(&mut socket, json!({"type":"res","id":"t1","ok":false,"error":{"code":"NOT_PAIRED"}})).await;
        socket.send(Message::close(Some(CloseCode::POLICY_VIOLATION), "pairing")).await.unwrap();
        while socket.next().await.is_some() {}
    })
    .await;
    let mut client = TestClient::connect(&url).await.unwrap();
    let refusal = client.handshake(operator_params("T")).await.unwrap_err();
    assert_eq!((refusal.code, refusal.reason.as_str()), (1008, "pairing"));
    assert_eq!(refusal.error, json!({"code":"NOT_PAIRED"}));
}
