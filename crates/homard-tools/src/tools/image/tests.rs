//! Pictures: where they may come from, what is refused, what the model behind the door gets.

use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use homard_protocol::{AgentId, RunId, SessionKey, ToolCallId, UserBlock};
use homard_runtime::{Clock, Mutex};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Image, Paths};
use crate::cx::{ProgressSender, ToolCx};
use crate::ports::{Described, PortError, Ports, VisionPort};
use crate::scope::Scope;
use crate::tool::DynTool;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

/// Remembers what it was asked.
#[derive(Default)]
struct Eye {
    asked: Mutex<Vec<(String, usize, Option<String>)>>,
}

impl VisionPort for Eye {
    fn sees(&self) -> bool {
        true
    }

    fn look<'a>(
        &'a self,
        _cx: &'a ToolCx,
        prompt: String,
        pictures: Vec<UserBlock>,
        model: Option<String>,
    ) -> BoxFuture<'a, Result<Described, PortError>> {
        self.asked.lock().push((prompt, pictures.len(), model));
        async { Ok(Described { text: "a lobster".to_owned(), model: "fake/eye".to_owned() }) }.boxed()
    }
}

fn cx(workspace: &Path) -> ToolCx {
    ToolCx {
        workspace: workspace.to_owned(),
        session_key: SessionKey::main(AgentId::main()),
        run_id: RunId::parse("run").unwrap(),
        call_id: ToolCallId::parse("call").unwrap(),
        cancel: CancellationToken::new(),
        progress: ProgressSender::nobody(),
        clock: Clock::fixed(0),
        scope: Arc::default(),
    }
}

fn data_url(bytes: &[u8]) -> String {
    use base64::Engine as _;
    format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(bytes))
}

#[tokio::test]
async fn pictures_come_from_files_and_data_and_nothing_else_passes_for_one() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.png"), PNG).unwrap();
    std::fs::write(dir.path().join("a.txt"), "words").unwrap();
    let eye = Arc::new(Eye::default());
    let ports = Ports { vision: Some(Arc::clone(&eye) as _), ..Ports::default() };
    let cx = ToolCx { scope: Arc::new(Scope { ports, ..Scope::default() }), ..cx(dir.path()) };
    let tool = Image { paths: Paths::new(dir.path(), true), web: None };
    let cases: [(Value, Result<usize, &str>); 10] = [
        (json!({"image": "a.png", "prompt": "what?"}), Ok(1)),
        (json!({"images": ["a.png", data_url(PNG)]}), Ok(2)),
        (json!({}), Err("name a picture")),
        (json!({"image": "a.txt"}), Err("is no png")),
        (json!({"image": "b.png"}), Err("could not read `b.png`")),
        (json!({"image": "../a.png"}), Err("outside the workspace")),
        (json!({"image": "data:image/png;base64,%%%"}), Err("not base64")),
        (json!({"image": "https://example.com/a.png"}), Err("not fetched")),
        (json!({"images": vec!["a.png"; 21]}), Err("at most 20")),
        (json!({"image": "a.png", "maxBytesMb": 0.000_001}), Err("more than 1 bytes")),
    ];
    for (arguments, expected) in cases {
        let outcome = tool.call(arguments.clone(), &cx).await;
        let words = outcome.content[0].as_text().unwrap();
        match expected {
            Ok(count) => {
                assert_eq!((words, outcome.is_error), ("a lobster", false), "{arguments}");
                assert_eq!(eye.asked.lock().last().unwrap().1, count, "{arguments}");
            }
            Err(part) => assert!(outcome.is_error && words.contains(part), "{arguments}: {words}"),
        }
    }
}
