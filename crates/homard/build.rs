//! How the released program is linked.

/// Where rustc links with lld, which can keep one copy of functions that came out alike and takes an order of them.
const FOLDS: &str = "x86_64-unknown-linux-gnu";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var_os(name).is_some_and(|found| found == value);
    if is("PROFILE", "release") && is("TARGET", FOLDS) {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        // What runs at every start and in every turn stands together, so that little else is in memory.
        println!("cargo::rerun-if-changed=link/first.ld");
        println!("cargo::rustc-link-arg-bins=-T{}/link/first.ld", env!("CARGO_MANIFEST_DIR"));
    }
}
