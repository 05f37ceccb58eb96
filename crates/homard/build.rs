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
        if loader_unpacks_addresses() {
            println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        }
    }
}

/// Whether the C library of this system reads the packed form of the addresses that the loader fills in (50 KB of the
/// file instead of 1.3 MB, which each start would read). The program then starts on no older C library than that, so
/// a release for older systems is built on one.
#[expect(
    clippy::disallowed_methods,
    reason = "a build asks its own machine; there is no owner yet to protect"
)]
fn loader_unpacks_addresses() -> bool {
    let Ok(said) = std::process::Command::new("getconf").arg("GNU_LIBC_VERSION").output() else {
        return false;
    };
    let said = String::from_utf8_lossy(&said.stdout);
    let version = said.trim().strip_prefix("glibc 2.").and_then(|minor| minor.parse::<u32>().ok());
    version.is_some_and(|minor| minor >= 36)
}
