//! Logins other programs on this machine have made, which can be taken over where their owner wants it.

use std::path::Path;

use homard_llm::ApiKey;
use homard_models::auth::{Imported, NewProfile, NewSecret, import_external};
use homard_runtime::off_thread;

/// Those there are. Blocks on the disk; nothing is written.
pub(crate) async fn find(home: &Path) -> Vec<Imported> {
    let home = home.to_owned();
    off_thread(move || import_external(&home)).await.unwrap_or_default()
}

/// The login of one program, read again: what was agreed on names it, and holds no secret.
pub(crate) async fn of(home: &Path, program: &str) -> Result<NewProfile, String> {
    let found = find(home).await.into_iter().find(|one| one.program == program);
    found.map(|one| one.profile).ok_or_else(|| format!("{program} is not logged in here any more"))
}

/// The same for a trial: it cannot be renewed, because whoever renews it ends the program's own login. Nothing where it
/// has run out already.
pub(crate) fn for_trial(mut profile: NewProfile, now_ms: i64) -> Option<NewProfile> {
    match &mut profile.secret {
        NewSecret::Key(_) => {}
        NewSecret::Token { expires, .. } => {
            if expires.is_some_and(|end| end <= now_ms) {
                return None;
            }
        }
        NewSecret::OAuth { refresh, expires, .. } => {
            if *expires <= now_ms {
                return None;
            }
            *refresh = None::<ApiKey>;
        }
    }
    Some(profile)
}
