//! The skills that come with the program. They are kept inside it and written to the state directory, because the
//! model reads skills as files.

use std::path::{Path, PathBuf};

use homard_config::Paths;
use homard_runtime::replace_private;

use crate::load::FILE_NAME;

/// Puts other skills in their place.
const DIR_VARIABLE: &str = "HOMARD_BUNDLED_SKILLS_DIR";

/// Folder and text of each.
pub(crate) const BUNDLED: [(&str, &str); 3] = [
    ("homard", include_str!("../bundled/homard.md")),
    ("skill-writer", include_str!("../bundled/skill-writer.md")),
    ("weather", include_str!("../bundled/weather.md")),
];

/// The folder that holds them, brought up to date; `None` when it cannot be written. Blocks.
pub(crate) fn dir(paths: &Paths, env: &homard_config::Environment) -> Option<PathBuf> {
    if let Some(dir) = env.get(DIR_VARIABLE) {
        return Some(paths.expand(dir));
    }
    let dir = paths.state_dir.join("bundled-skills");
    for (name, text) in BUNDLED {
        if let Err(error) = write(&dir.join(name), text) {
            tracing::warn!(%error, dir = %dir.display(), "the built-in skills could not be written and are left out");
            return None;
        }
    }
    Some(dir)
}

fn write(dir: &Path, text: &str) -> std::io::Result<()> {
    let file = dir.join(FILE_NAME);
    if std::fs::read_to_string(&file).is_ok_and(|found| found == text) {
        return Ok(());
    }
    replace_private(&file, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::BUNDLED;
    use crate::front_matter::parse;

    #[test]
    fn every_bundled_skill_can_be_read_and_is_named_like_its_folder() {
        for (name, text) in BUNDLED {
            assert_eq!(parse(text).unwrap().name.as_deref(), Some(name));
        }
    }
}
