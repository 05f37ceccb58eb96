//! Tells cargo to embed the page again when it was built again. Debug builds read the page
//! from disk at run time and need no telling.

fn main() {
    let watched = match std::env::var_os("PROFILE") {
        Some(profile) if profile == "release" => "../../web/dist",
        _ => "build.rs",
    };
    println!("cargo::rerun-if-changed={watched}");
}
