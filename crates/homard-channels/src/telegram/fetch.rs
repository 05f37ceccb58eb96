//! Files that came with a message.

use homard_channel::{Attachment, ChannelError, Fetched};
use serde_json::Value;

use super::api::{Api, read};
use super::errors::ApiError;
use super::wire::Params;

/// The public server hands out no larger files to bots.
const SERVER_LIMIT: u64 = 20 * 1024 * 1024;

/// Fetches a file unless it is larger than `limit`, whatever anybody says its size is.
pub(super) async fn fetch(api: &Api, file: Attachment, limit: u64) -> Result<Fetched, ChannelError> {
    let too_large = |size: u64| ChannelError::TooLarge { size, limit };
    if let Some(size) = file.size.filter(|size| *size > limit) {
        return Err(too_large(size));
    }
    let params = Params::new().with("file_id", file.handle.as_str());
    let about = match api.call("getFile", &params).await {
        Ok(about) => about,
        Err(error) if error.says("file is too big") => {
            let size = file.size.unwrap_or(SERVER_LIMIT + 1);
            return Err(ChannelError::TooLarge { size, limit: limit.min(SERVER_LIMIT) });
        }
        Err(error) => return Err(asked(error)),
    };
    if let Some(size) = about.get("file_size").and_then(Value::as_u64).filter(|size| *size > limit) {
        return Err(too_large(size));
    }
    let Some(path) = about.get("file_path").and_then(Value::as_str).filter(|path| is_plain(path)) else {
        return Err(ChannelError::Permanent("the server does not say where the file is".to_owned()));
    };
    let response = api.download(path).await.map_err(asked)?;
    if let Some(size) = response.content_length().filter(|size| *size > limit) {
        return Err(too_large(size));
    }
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let bytes = match read(response, most).await {
        Ok(bytes) => bytes,
        Err(ApiError::TooLong(_)) => return Err(too_large(limit.saturating_add(1))),
        Err(error) => return Err(asked(error)),
    };
    let name = file.name.or_else(|| path.rsplit('/').next().map(str::to_owned));
    Ok(Fetched { bytes, mime: file.mime, name })
}

/// Asking for a file changes nothing, so it can always be asked again.
fn asked(error: ApiError) -> ChannelError {
    match error {
        ApiError::Lost(why) => ChannelError::Unreachable(why),
        other => other.into(),
    }
}

/// A path that stays where files are.
fn is_plain(path: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | ' ');
    !path.is_empty() && !path.starts_with('/') && !path.contains("..") && path.chars().all(fits)
}
