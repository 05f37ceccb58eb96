//! Transforms: programs of the owner that rewrite a call from outside before an agent hears of it.
//!
//! They are run as hooks are, from one folder of the state directory. What went wrong is told to whoever called without
//! what the program printed: that is for the log.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use homard_config::config::hooks::HookTransform;
use serde_json::{Map, Value};

use super::handler::{Call, HandlerError, said_json};
use crate::automation::Automation;

/// How long a transform may take.
const TRANSFORM_LIMIT: Duration = Duration::from_secs(10);

/// What a transform makes of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum TransformedCall {
    /// Nobody is to hear of it.
    Skip,
    /// These fields in place of what the mapping says.
    Changes(Map<String, Value>),
}

/// Why a call was not rewritten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the transform `{module}` {why}")]
pub struct TransformError {
    pub module: String,
    pub why: String,
}

/// Has a program rewrite a call; `hook` is the mapping's name.
///
/// # Errors
/// When there is no such program, it fails, or what it prints is no answer.
pub async fn transform(
    room: &Automation,
    hook: &str,
    transform: &HookTransform,
    call: &Value,
) -> Result<TransformedCall, TransformError> {
    let failed = |why: String| TransformError { module: transform.module.clone(), why };
    let config = room.config();
    let program = locate(&config.hooks.transforms_dir, &transform.module).map_err(failed)?;
    let place = room.inner.outside.places.rewriting.acquire().await;
    let _place = place.map_err(|error| failed(error.to_string()))?;
    let program = Call {
        name: hook,
        program: &program,
        argument: transform.export.as_deref(),
        entry: None,
        env: &config.env,
        limit: TRANSFORM_LIMIT,
        launcher: room.inner.outside.launcher.clone(),
    };
    let printed = program.run(call, room.inner.tasks.token()).await.map_err(|error| {
        tracing::warn!(hook, transform = transform.module, %error, "a transform failed");
        failed(match error {
            HandlerError::Failed { code, .. } => format!("ended with {code}"),
            HandlerError::Exec(_) | HandlerError::Environment(_) => "could not be run".to_owned(),
            other => other.to_string(),
        })
    })?;
    read(&printed).map_err(failed)
}

/// The program a mapping names, if it lies in the folder and may be run.
fn locate(folder: &Path, module: &str) -> Result<PathBuf, String> {
    let absent = |_error| "is not in hooks.transformsDir".to_owned();
    let folder = folder.canonicalize().map_err(absent)?;
    let path = folder.join(module).canonicalize().map_err(absent)?;
    if !path.starts_with(&folder) {
        return Err("lies outside of hooks.transformsDir".to_owned());
    }
    let runs =
        std::fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    if !runs {
        let words =
            "may not be run: it must be a program (chmod +x it; a script begins with #! and what runs it)";
        return Err(words.to_owned());
    }
    Ok(path)
}

fn read(printed: &str) -> Result<TransformedCall, String> {
    match said_json(printed) {
        Some(Ok(Value::Null)) => Ok(TransformedCall::Skip),
        Some(Ok(Value::Object(changes))) => Ok(TransformedCall::Changes(changes)),
        Some(Err(garbage)) => Err(garbage.to_string()),
        Some(Ok(_)) | None => Err("printed neither a JSON object nor null".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use serde_json::{Map, json};

    use super::{TransformedCall, locate, read};

    #[test]
    fn a_transform_is_a_program_in_its_folder_and_nowhere_else() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("transforms");
        std::fs::create_dir_all(folder.join("deeper")).unwrap();
        let file = |path: &str, mode: u32| {
            let path = home.path().join(path);
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        file("transforms/good", 0o755);
        file("transforms/deeper/good", 0o755);
        file("transforms/module.js", 0o644);
        file("outside", 0o755);
        symlink(home.path().join("outside"), folder.join("link")).unwrap();
        let outside = home.path().join("outside");
        let rows = [
            ("good", Ok(())),
            ("deeper/good", Ok(())),
            ("deeper/../good", Ok(())),
            ("module.js", Err("may not be run")),
            ("deeper", Err("may not be run")),
            ("", Err("may not be run")),
            ("gone", Err("is not in hooks.transformsDir")),
            ("../outside", Err("lies outside")),
            ("link", Err("lies outside")),
            (outside.to_str().unwrap(), Err("lies outside")),
        ];
        for (module, expected) in rows {
            match (locate(&folder, module), expected) {
                (Ok(_), Ok(())) => {}
                (Err(why), Err(words)) => assert!(why.contains(words), "{module}: {why}"),
                (found, _) => panic!("{module}: {found:?}"),
            }
        }
        assert!(locate(&home.path().join("nowhere"), "good").is_err());
    }

    #[test]
    fn null_means_skip_and_an_object_changes_what_the_mapping_says() {
        assert_eq!(read("working …\nnull\n"), Ok(TransformedCall::Skip));
        assert_eq!(read("{}"), Ok(TransformedCall::Changes(Map::new())));
        let changes = json!({"message": "m"}).as_object().unwrap().clone();
        assert_eq!(read("note\n{\"message\": \"m\"}"), Ok(TransformedCall::Changes(changes.clone())));
        assert_eq!(read("{\n  \"message\": \"m\"\n}\n"), Ok(TransformedCall::Changes(changes)));
        for garbage in ["", "hello", "[1]", "{\"half", "\u{fffd}\u{fffd}"] {
            assert!(read(garbage).is_err(), "{garbage}");
        }
    }
}
