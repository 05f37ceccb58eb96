//! What is marked, and whose use counts.

use std::collections::BTreeSet;

use super::{marked, used_name};

#[test]
fn fields_and_functions_others_can_see_are_marked_with_the_names_the_compiler_says() {
    let text = "\
pub struct Reset {
    pub at_hour: Option<u8>,
    pub(crate) own: u8,
}

impl Reset {
    pub const fn hour(&self) -> u8 {
        4
    }
    fn resolve() -> Self {}
}

pub enum Mode {
    Daily,
}
";
    let mut names = BTreeSet::new();
    let out = marked(text, &mut names);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(names, ["Reset::at_hour", "Reset::hour"]);
    assert_eq!(out.matches("#[deprecated]").count(), 2);
    assert!(out.contains("#[deprecated]\n    pub at_hour"), "{out}");
}

#[test]
fn a_use_counts_outside_of_the_package_that_decides() {
    let told = |file: &str| {
        let words = "use of deprecated field `homard_config::config::session::Reset::idle`";
        format!(
            r#"{{"message":{{"code":{{"code":"deprecated"}},"message":"{words}","spans":[{{"file_name":"{file}"}}]}}}}"#
        )
    };
    let name = "Reset::idle";
    assert_eq!(used_name(&told("crates/homard-policy/src/freshness.rs")).as_deref(), Some(name));
    assert_eq!(used_name(&told("crates/homard-config/src/config/session.rs")), None);
    assert_eq!(used_name(r#"{"reason":"build-finished"}"#), None);
}
