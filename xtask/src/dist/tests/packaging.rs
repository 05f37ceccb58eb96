//! What cannot be built where the tests run is at least of this clone: versions are derived or the same, and what files
//! name exists.

use std::fs;

use crate::workspace::{metadata, root};

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands between quotes after `key = `.
fn quoted(text: &str, key: &str) -> String {
    let line = text.lines().find_map(|line| line.trim().strip_prefix(key)).unwrap_or_default();
    line.split('"').nth(1).unwrap_or_default().to_owned()
}

fn version() -> String {
    let packages = metadata().unwrap().packages;
    packages.into_iter().find(|package| package.name == "homard").unwrap().version
}

#[test]
fn one_version_is_everywhere() {
    let version = version();
    assert_eq!(quoted(&read("Cargo.toml"), "version = "), version);
    let page: serde_json::Value = serde_json::from_str(&read("web/package.json")).unwrap();
    assert_eq!(page["version"], version.as_str());
    let changes = read("CHANGELOG.md");
    assert!(
        changes.contains(&format!("\n## [{version}] - ")),
        "the changelog has no dated part for {version}"
    );
    for path in
        ["packaging/nix/flake.nix", "packaging/homebrew/homard.rb", "packaging/container/Containerfile"]
    {
        assert!(!read(path).contains(&version), "{path} names the version itself instead of deriving it");
    }
}

#[test]
fn the_container_is_built_by_this_compiler_and_runs_as_nobody() {
    let file = read("packaging/container/Containerfile");
    let (build, image) = file.split_once("\nFROM scratch\n").unwrap();
    let channel = quoted(&read("rust-toolchain.toml"), "channel");
    let minor = channel.rsplit_once('.').map_or(channel.as_str(), |(minor, _patch)| minor);
    assert!(
        build.contains(&format!("\nFROM rust:{minor}-alpine AS build\n")),
        "another compiler than {channel}"
    );
    for line in [
        "COPY --from=build /image /",
        "COPY --from=build --chown=65532:65532 /owned /",
        "VOLUME [\"/state\"]",
        "EXPOSE 18789",
        "USER 65532:65532",
        "ENTRYPOINT [\"/homard\"]",
        "CMD [\"gateway\", \"--bind\", \"lan\"]",
    ] {
        assert!(image.lines().any(|found| found == line), "{line}");
    }
    assert!(image.contains("HEALTHCHECK ") && image.contains("CMD [\"/homard\", \"health\"]"));
    assert!(!image.contains("RUN "), "there is nothing in it that could run anything");
    // The image is made of what the first part puts together.
    for made in ["/image/homard", "/image/etc/passwd", "/image/tmp", "/owned/state"] {
        assert!(build.contains(made), "{made}");
    }
}

#[test]
fn the_flake_names_what_is_in_the_clone() {
    let flake = read("packaging/nix/flake.nix");
    assert!(
        flake.contains("importTOML (root + \"/Cargo.toml\")).workspace.package")
            && flake.contains("inherit (manifest) version")
    );
    assert!(root().join("Cargo.lock").is_file() && root().join("web/package-lock.json").is_file());
    let page: serde_json::Value = serde_json::from_str(&read("web/package.json")).unwrap();
    let script = quoted(&flake, "npmBuildScript = ");
    assert!(page["scripts"][&script].is_string(), "the page has no script `{script}`");
    assert!(flake.contains("-p homard-protocol --example typescript"));
    assert!(root().join("crates/homard-protocol/examples/typescript/main.rs").is_file());
    let open = flake.matches(['{', '[', '(']).count();
    assert_eq!(open, flake.matches(['}', ']', ')']).count(), "brackets do not close");
}

#[test]
fn the_workflow_builds_every_archive_that_something_names() {
    let workflow = read(".github/workflows/release.yml");
    let built: Vec<&str> = workflow
        .lines()
        .filter_map(|line| line.split_once("target: ").map(|(_, rest)| rest.trim_end_matches(" }")))
        .collect();
    let formula = read(super::super::FORMULA);
    let named = formula
        .split("/homard-")
        .skip(1)
        .filter_map(|rest| rest.split_once(".tar.gz").map(|(target, _)| target));
    for target in named {
        assert!(built.contains(&target), "{target} is not built");
    }
    // The installer makes its names of these.
    for machine in ["x86_64", "aarch64"] {
        for system in ["unknown-linux-gnu", "unknown-linux-musl", "apple-darwin"] {
            assert!(built.contains(&format!("{machine}-{system}").as_str()), "{machine}-{system}");
        }
    }
    for part in [
        "SHA256SUMS",
        "cargo xtask dist formula",
        "cargo xtask dist manifest --sign-key",
        "attest-build-provenance",
    ] {
        assert!(workflow.contains(part), "{part}");
    }
}
