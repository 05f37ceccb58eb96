//! The layer rule: a package uses only packages of strictly lower layers. The one rule without exceptions.
//!
//! Tests of any package may use homard-testkit, which stands on homard-protocol alone; that is no exception,
//! because nothing that ships passes through it.

use std::collections::BTreeMap;

use super::Finding;
use crate::workspace::Package;

/// What tests of every layer may use.
const TESTKIT: &str = "homard-testkit";

/// Every dependency that points up or sideways, and every package that does not say where it stands.
pub(super) fn check(packages: &[Package]) -> Vec<Finding> {
    let layers: BTreeMap<&str, Option<u64>> =
        packages.iter().map(|package| (package.name.as_str(), package.layer())).collect();
    let mut findings = Vec::new();
    for package in packages {
        let Some(layer) = package.layer() else {
            findings.push(Finding::new(
                &package.name,
                "has no `[package.metadata.homard] layer = N` in its Cargo.toml",
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let Some(Some(below)) = layers.get(dependency.name.as_str()) else { continue };
            let for_tests = dependency.kind.as_deref() == Some("dev") && dependency.name == TESTKIT;
            if *below >= layer && !for_tests {
                let what = format!("layer {layer} may not use {} of layer {below}", dependency.name);
                findings.push(Finding::new(&package.name, what));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
