//! How the released program is linked, and what it says its version is.

/// Where rustc links with lld, which can keep one copy of functions that came out alike and takes an order of them.
const FOLDS: &str = "x86_64-unknown-linux-gnu";

/// Which commit this is, told by who makes a release from something that is no clone.
const COMMIT: &str = "HOMARD_COMMIT";
/// What the program is called where nobody asks git: while it is worked on, a commit compiles nothing anew.
const WORKED_ON: &str = "development build";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={COMMIT}");
    let is = |name: &str, value: &str| std::env::var_os(name).is_some_and(|found| found == value);
    let told = std::env::var_os(COMMIT).filter(|commit| !commit.is_empty());
    let build = match told.map(|commit| commit.to_string_lossy().into_owned()) {
        Some(commit) => format!("commit {commit}"),
        None if is("PROFILE", "release") => {
            format!("commit {}", commit().unwrap_or_else(|| "unknown".to_owned()))
        }
        None => WORKED_ON.to_owned(),
    };
    println!("cargo::rustc-env=HOMARD_VERSION={} ({build})", env!("CARGO_PKG_VERSION"));
    if let Some(target) = std::env::var_os("TARGET") {
        println!("cargo::rustc-env=HOMARD_TARGET={}", target.to_string_lossy());
    }
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

/// The commit of the clone this lies in, and whether there is more than it. Asked again when the clone is at another
/// commit or a source changed: then the program is linked anew in any case.
fn commit() -> Option<String> {
    // A clone of something else around an unpacked archive says nothing about us.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    let (head, moves) =
        (git(&["rev-parse", "--git-path", "HEAD"])?, git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    // Every commit, checkout and reset adds a line to the second. A file that is not there would be asked for each time.
    for path in [head.as_str(), moves.as_str(), "..", "../../Cargo.lock", "../../Cargo.toml", "../../web/src"]
    {
        if std::path::Path::new(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&[
        "status",
        "--porcelain",
        "--untracked-files=no",
        "--",
        "..",
        "../../Cargo.lock",
        "../../Cargo.toml",
        "../../web",
    ])?;
    Some(if changed.is_empty() { commit } else { format!("{commit} and changes") })
}

/// What git says in the folder of this package, if it can.
#[expect(
    clippy::disallowed_methods,
    reason = "a build asks its own machine; there is no owner yet to protect"
)]
fn git(words: &[&str]) -> Option<String> {
    let said =
        std::process::Command::new("git").args(words).stderr(std::process::Stdio::null()).output().ok()?;
    said.status.success().then(|| String::from_utf8_lossy(&said.stdout).trim().to_owned())
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
