//! What people write about tools, and what it means.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Resolve, Tools};
use crate::env::Environment;
use crate::paths::Paths;

#[test]
fn vouched_folders_say_where_they_begin() {
    let env = Environment::default();
    let paths = Paths::under(Path::new("/home/ada"));
    let mut cx = Resolve::new(&paths, &env);
    let written = json!({"taint": {"vouched": ["~/projects", "/srv/data", "projects"]}});
    let tools = Tools::resolve(serde_json::from_value(written).unwrap(), &mut cx);
    assert_eq!(tools.taint.vouched, [PathBuf::from("/home/ada/projects"), PathBuf::from("/srv/data")]);
    let issues: Vec<_> = cx.issues.iter().map(|issue| issue.path.as_str()).collect();
    assert_eq!(issues, ["tools.taint.vouched[2]"]);
}
