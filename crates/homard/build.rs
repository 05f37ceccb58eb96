//! How the released program is linked, and what it says its version is.

/// Where rustc links with lld, which can keep one copy of functions that came out alike and takes an order of them.
const FOLDS: &str = "x86_64-unknown-linux-gnu";

/// Which commit this is, told by who makes a release. Asking git would compile the program anew with every commit.
const COMMIT: &str = "HOMARD_COMMIT";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={COMMIT}");
    let commit = std::env::var_os(COMMIT).filter(|commit| !commit.is_empty());
    let commit = commit.map_or_else(|| "unknown".to_owned(), |commit| commit.to_string_lossy().into_owned());
    println!("cargo::rustc-env=HOMARD_VERSION={} (commit {commit})", env!("CARGO_PKG_VERSION"));
    let is = |name: &str, value: &str| std::env::var_os(name).is_some_and(|found| found == value);
    if is("PROFILE", "release") && is("TARGET", FOLDS) {
        println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        // What runs at every start and in every turn stands together, so that little else is in memory.
        println!("cargo::rerun-if-changed=link/first.ld");
        println!("cargo::rustc-link-arg-bins=-T{}/link/first.ld", env!("CARGO_MANIFEST_DIR"));
    }
}
