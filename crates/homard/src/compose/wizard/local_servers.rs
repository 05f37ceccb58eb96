//! Model servers that run on this machine: who answers at the usual addresses, and with which models.

use std::time::Duration;

use futures_util::future::join_all;
use homard_models::catalogue;
use serde_json::Value;

/// How long a server on this machine may take to say what it has. One that is not there refuses at once.
const LIMIT: Duration = Duration::from_millis(400);
/// The longest list that is read, in bytes.
const MAX_LIST: usize = 1024 * 1024;
/// The most models that are offered of one server.
const MAX_MODELS: usize = 50;

/// Where each says what it has, from its address on, and where the names stand in that.
const PLACES: [Place; 5] = [
    Place { provider: "ollama", list: "/api/tags", names: ("models", "name") },
    Place { provider: "lmstudio", list: "/models", names: ("data", "id") },
    Place { provider: "llama-cpp", list: "/models", names: ("data", "id") },
    Place { provider: "vllm", list: "/models", names: ("data", "id") },
    Place { provider: "litellm", list: "/models", names: ("data", "id") },
];

#[derive(Debug, Clone, Copy)]
struct Place {
    provider: &'static str,
    list: &'static str,
    names: (&'static str, &'static str),
}

/// A server that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalServer {
    pub(crate) provider: String,
    pub(crate) address: String,
    pub(crate) models: Vec<String>,
}

/// Asks at all usual addresses at once.
pub(crate) async fn find() -> Vec<LocalServer> {
    let Ok(http) = homard_http::plain_client().timeout(LIMIT).no_proxy().build() else { return Vec::new() };
    let asking = PLACES.iter().filter_map(|place| {
        let row = catalogue::find(place.provider)?;
        Some(ask(&http, *place, row.base_url))
    });
    join_all(asking).await.into_iter().flatten().collect()
}

async fn ask(http: &reqwest::Client, place: Place, address: &str) -> Option<LocalServer> {
    let answer = http.get(format!("{address}{}", place.list)).send().await.ok()?;
    let answer = answer.error_for_status().ok()?;
    let list: Value = serde_json::from_slice(&read(answer).await?).ok()?;
    let (all, name) = place.names;
    let all = list.get(all)?.as_array()?;
    // Whoever listens there may say anything; a name that steers a terminal is none.
    let names = all.iter().filter_map(|one| one.get(name)?.as_str());
    let names = names.filter(|name| !name.contains(char::is_control));
    let models: Vec<String> = names.map(str::to_owned).take(MAX_MODELS).collect();
    // Somebody else's server on the same port has no list of models.
    (!models.is_empty()).then(|| LocalServer {
        provider: place.provider.to_owned(),
        address: address.to_owned(),
        models,
    })
}

/// What it says; nothing when that is no list, which may have no end.
async fn read(mut answer: reqwest::Response) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    while let Some(piece) = answer.chunk().await.ok()? {
        text.extend_from_slice(&piece);
        if text.len() > MAX_LIST {
            return None;
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use homard_runtime::Tasks;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::{LocalServer, PLACES, ask};

    /// A server that answers every request with one text.
    async fn server(tasks: &Tasks, status: &'static str, body: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tasks.spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut read = [0; 2048];
                let _asked = socket.read(&mut read).await;
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                let _told = socket.write_all(answer.as_bytes()).await;
            }
        });
        address
    }

    #[tokio::test]
    async fn a_server_is_found_by_its_list_of_models_and_by_nothing_else() {
        let (http, tasks) = (homard_http::plain_client().build().unwrap(), Tasks::new());
        let [ollama, studio, ..] = PLACES;
        let found = |provider: &str, address: &str, model: &str| {
            Some(LocalServer {
                provider: provider.to_owned(),
                address: address.to_owned(),
                models: vec![model.to_owned()],
            })
        };
        let address = server(&tasks, "200 OK", r#"{"models":[{"name":"qwen3:8b"}]}"#).await;
        assert_eq!(ask(&http, ollama, &address).await, found("ollama", &address, "qwen3:8b"));
        let address =
            server(&tasks, "200 OK", r#"{"data":[{"id":"gemma"},{"no":"name"},{"id":"\u001b[2J"}]}"#).await;
        assert_eq!(ask(&http, studio, &address).await, found("lmstudio", &address, "gemma"));
        for (status, body) in [
            ("200 OK", "<html>somebody else</html>"),
            ("200 OK", r#"{"data":[]}"#),
            ("404 Not FoundHere", r#"{"data":[{"id":"a"}]}"#),
        ] {
            let address = server(&tasks, status, body).await;
            assert_eq!(ask(&http, studio, &address).await, None, "{status} {body}");
        }
        assert_eq!(ask(&http, studio, "http://127.0.0.1:1").await, None);
    }

    /// Whoever listens there may go on for as long as it is listened to.
    #[tokio::test]
    async fn a_list_without_an_end_is_not_read_to_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let tasks = Tasks::new();
        tasks.spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut read = [0; 2048];
            let _asked = socket.read(&mut read).await;
            let _told = socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
            let piece = vec![b' '; super::MAX_LIST];
            while socket.write_all(&piece).await.is_ok() {}
        });
        // There is no time limit: the length alone ends it.
        let http = homard_http::plain_client().build().unwrap();
        let [_, studio, ..] = PLACES;
        assert_eq!(ask(&http, studio, &address).await, None);
    }
}
