//! What rustdoc is told of a call of the compiler.

use super::{documented_name, shared};

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn rustdoc_shares_names_libraries_and_conditions() {
    let args = words(
        "--crate-name homard_store --edition=2024 crates/homard-store/src/lib.rs --error-format=json --crate-type lib \
         --emit=dep-info,metadata,link -C opt-level=0 --cfg feature=\"x\" -L dependency=deps --extern serde=s.rmeta",
    );
    assert_eq!(
        shared(&args).join(" "),
        "--crate-name homard_store --edition=2024 --crate-type lib --cfg feature=\"x\" -L dependency=deps --extern serde=s.rmeta"
    );
}

#[test]
fn libraries_and_programs_are_documented_and_tests_are_not() {
    let name = |text: &str| documented_name(&words(text));
    assert_eq!(name("rustc --crate-name a crates/a/src/lib.rs --crate-type lib"), Some("a-lib".to_owned()));
    assert_eq!(name("rustc --crate-name a crates/a/src/main.rs --crate-type bin"), Some("a-bin".to_owned()));
    for other in [
        "rustc --crate-name a crates/a/src/lib.rs --test",
        "rustc --crate-name all crates/a/tests/all.rs --crate-type bin",
        "rustc --crate-name bench crates/a/examples/bench.rs --crate-type bin",
        "rustc --crate-name build_script_build crates/a/build.rs --crate-type bin",
        "rustc -vV",
    ] {
        assert_eq!(name(other), None, "{other}");
    }
}
