//! Every place keys may be found, with files in a temporary home and servers on this machine.

use std::fs;

use homard_llm::{FailReason, LlmError};
use homard_runtime::Tasks;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{AwsError, FoundKeys, chain};

const SECRET: &str = "the-secret-half-of-it";

/// A home without anything, on a machine without metadata.
struct Home {
    dir: TempDir,
    env: Vec<(String, String)>,
}

impl Home {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join(".aws")).unwrap();
        let home = dir.path().to_str().unwrap().to_owned();
        let env = vec![
            ("HOME".to_owned(), home),
            ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
            ("AWS_EC2_METADATA_DISABLED".to_owned(), "true".to_owned()),
        ];
        Self { dir, env }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    fn file(self, name: &str, text: &str) -> Self {
        fs::write(self.dir.path().join(".aws").join(name), text).unwrap();
        self
    }

    async fn find(&self) -> Result<FoundKeys, AwsError> {
        chain(&self.env, &CancellationToken::new()).await
    }
}

fn told(found: &FoundKeys) -> (&str, &str, Option<&str>, &str) {
    let keys = &found.keys;
    let token = keys.session_token.as_ref().map(|token| token.expose());
    (&keys.access_key_id, keys.secret_access_key.expose(), token, &keys.region)
}

#[tokio::test]
async fn the_environment_comes_first() {
    let home = Home::new()
        .with("AWS_ACCESS_KEY_ID", "AKIDENV")
        .with("AWS_SECRET_ACCESS_KEY", SECRET)
        .with("AWS_SESSION_TOKEN", "the-token")
        .with("AWS_REGION", "eu-central-1")
        .file("credentials", "[default]\naws_access_key_id = AKIDFILE\naws_secret_access_key = x\n");
    let found = home.find().await.unwrap();
    assert_eq!(told(&found), ("AKIDENV", SECRET, Some("the-token"), "eu-central-1"));
    assert_eq!(found.expires_at, None);
    assert!(!format!("{found:?}").contains(SECRET));
}

#[tokio::test]
async fn the_shared_files_are_read_for_the_chosen_profile() {
    let credentials = format!(
        "[default]\naws_access_key_id = AKIDONE\naws_secret_access_key = {SECRET}\n\n\
         [work]\naws_access_key_id = AKIDTWO\naws_secret_access_key = {SECRET}\naws_session_token = t\n"
    );
    let config = "[default]\nregion = us-west-2\n[profile work]\nregion = eu-west-3\n";
    let home = Home::new().file("credentials", &credentials).file("config", config);
    assert_eq!(told(&home.find().await.unwrap()), ("AKIDONE", SECRET, None, "us-west-2"));
    let home = home.with("AWS_PROFILE", "work");
    assert_eq!(told(&home.find().await.unwrap()), ("AKIDTWO", SECRET, Some("t"), "eu-west-3"));
    let elsewhere = home.dir.path().join("elsewhere");
    fs::write(
        &elsewhere,
        format!("[work]\naws_access_key_id = AKIDMOVED\naws_secret_access_key = {SECRET}\n"),
    )
    .unwrap();
    let home = home.with("AWS_SHARED_CREDENTIALS_FILE", elsewhere.to_str().unwrap());
    assert_eq!(told(&home.find().await.unwrap()), ("AKIDMOVED", SECRET, None, "eu-west-3"));
}

#[tokio::test]
async fn without_a_region_the_usual_one_is_taken() {
    let home = Home::new().with("AWS_ACCESS_KEY_ID", "A").with("AWS_SECRET_ACCESS_KEY", SECRET);
    assert_eq!(home.find().await.unwrap().keys.region, "us-east-1");
}

#[tokio::test]
async fn a_program_may_print_the_keys() {
    let printed = format!(
        r#"{{"Version":1,"AccessKeyId":"AKIDPROC","SecretAccessKey":"{SECRET}","SessionToken":"t","Expiration":"2030-01-01T00:00:00Z"}}"#
    );
    let home =
        Home::new().with("AWS_PROFILE", "tool").with("AWS_REGION", "eu-north-1").with("OPENAI_API_KEY", "x");
    fs::write(home.dir.path().join("printed"), printed).unwrap();
    // It gets its home and what is AWS's own, and nobody else's keys.
    let line = r#"test -z "$OPENAI_API_KEY" && test "$AWS_PROFILE" = tool && cat "$HOME/printed""#;
    let home = home.file("config", &format!("[profile tool]\ncredential_process = {line}\n"));
    let found = home.find().await.unwrap();
    assert_eq!(told(&found), ("AKIDPROC", SECRET, Some("t"), "eu-north-1"));
    assert_eq!(found.expires_at, Some(1_893_456_000_000));
}

#[tokio::test]
async fn a_program_that_fails_is_named_and_not_quoted() {
    let rows = [
        (format!("echo {SECRET}; exit 3"), "code 3"),
        (format!("echo {SECRET}"), "expect"),
        (format!(r#"echo '{{"Version":2,"AccessKeyId":"a","SecretAccessKey":"{SECRET}"}}'"#), "version"),
    ];
    for (line, part) in rows {
        let home = Home::new().file("config", &format!("[default]\ncredential_process = {line}\n"));
        let error = home.find().await.unwrap_err();
        assert!(error.to_string().contains(part) && !format!("{error:?}").contains(SECRET), "{error:?}");
        assert_eq!(LlmError::from(error).reason, FailReason::Auth);
    }
}

#[tokio::test]
async fn nothing_anywhere_says_what_to_do() {
    let error = Home::new().find().await.unwrap_err();
    assert_eq!(error, AwsError::Nowhere);
    assert!(LlmError::from(error).message.contains("aws configure"));
}

#[tokio::test]
async fn a_profile_that_does_not_exist_is_named() {
    let home = Home::new().with("AWS_PROFILE", "gone").file("config", "[default]\nregion = eu-west-1\n");
    let error = home.find().await.unwrap_err();
    assert!(matches!(&error, AwsError::Unusable { what } if what.contains("gone")), "{error:?}");
}

#[tokio::test]
async fn a_search_can_be_stopped_before_and_while_it_waits() {
    let cancel = CancellationToken::new();
    // A container that takes the question and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}/creds", listener.local_addr().unwrap());
    let home = Home::new().with("AWS_CONTAINER_CREDENTIALS_FULL_URI", &uri).with("AWS_REGION", "eu-west-1");
    let stop = async {
        let asked = listener.accept().await.unwrap();
        cancel.cancel();
        asked
    };
    let (found, _asked) = tokio::join!(chain(&home.env, &cancel), stop);
    assert_eq!(found.unwrap_err(), AwsError::Stopped);
    let again = chain(&home.env, &cancel).await.unwrap_err();
    assert_eq!(LlmError::from(again).reason, FailReason::Aborted);
}

/// A server that knows a few paths; each row is `METHOD path`, a header it insists on, headers and body.
struct Row(&'static str, Option<&'static str>, &'static str, String);

async fn serve(tasks: &Tasks, rows: Vec<Row>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let cancel = tasks.token().clone();
    tasks.spawn(async move {
        loop {
            let mut stream = tokio::select! {
                accepted = listener.accept() => accepted.unwrap().0,
                () = cancel.cancelled() => return,
            };
            let mut head = Vec::new();
            while !head.windows(4).any(|four| four == b"\r\n\r\n") {
                let mut piece = [0_u8; 1_024];
                let length = stream.read(&mut piece).await.unwrap();
                head.extend_from_slice(&piece[..length]);
            }
            let head = String::from_utf8_lossy(&head).to_lowercase();
            let fits = |row: &&Row| {
                head.starts_with(&format!("{} ", row.0.to_lowercase()))
                    && row.1.is_none_or(|needed| head.contains(needed))
            };
            let answer = match rows.iter().find(fits) {
                Some(Row(_, _, headers, body)) => {
                    format!(
                        "HTTP/1.1 200 OK\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
                        body.len()
                    )
                }
                None => "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".to_owned(),
            };
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    address
}

fn answer() -> String {
    format!(
        r#"{{"Code":"Success","Type":"AWS-HMAC","LastUpdated":"2025-01-01T00:00:00Z","AccessKeyId":"AKIDWEB","SecretAccessKey":"{SECRET}","Token":"the-token","Expiration":"2040-01-01T00:00:00Z"}}"#
    )
}

#[tokio::test]
async fn a_container_is_asked_with_its_token() {
    let tasks = Tasks::new();
    let rows =
        vec![Row("GET /creds", Some("authorization: pass"), "content-type: application/json\r\n", answer())];
    let address = serve(&tasks, rows).await;
    let home = Home::new()
        .with("AWS_CONTAINER_CREDENTIALS_FULL_URI", &format!("{address}/creds"))
        .with("AWS_CONTAINER_AUTHORIZATION_TOKEN", "pass")
        .with("AWS_REGION", "eu-south-1");
    let found = home.find().await.unwrap();
    assert_eq!(told(&found), ("AKIDWEB", SECRET, Some("the-token"), "eu-south-1"));
    assert_eq!(found.expires_at, Some(2_208_988_800_000));
    tasks.token().cancel();
}

#[tokio::test]
async fn an_instance_is_asked_with_a_session() {
    let tasks = Tasks::new();
    let session = "x-aws-ec2-metadata-token: session";
    let ttl = "x-aws-ec2-metadata-token-ttl-seconds: 21600\r\n";
    let rows = vec![
        Row("PUT /latest/api/token", None, ttl, "session".to_owned()),
        Row("GET /latest/meta-data/iam/security-credentials/role", Some(session), "", answer()),
        Row("GET /latest/meta-data/iam/security-credentials/", Some(session), "", "role".to_owned()),
        Row("GET /latest/meta-data/iam/security-credentials-extended/role", Some(session), "", answer()),
        Row("GET /latest/meta-data/iam/security-credentials-extended/", Some(session), "", "role".to_owned()),
        Row("GET /latest/meta-data/placement/region", Some(session), "", "ap-south-1".to_owned()),
    ];
    let address = serve(&tasks, rows).await;
    let home = Home::new()
        .with("AWS_EC2_METADATA_DISABLED", "false")
        .with("AWS_EC2_METADATA_SERVICE_ENDPOINT", &address);
    let found = home.find().await.unwrap();
    assert_eq!(told(&found), ("AKIDWEB", SECRET, Some("the-token"), "ap-south-1"));
    tasks.token().cancel();
}
