//! The list of everything that is linked into the program, as CycloneDX: from what cargo resolved, for one platform.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Release;
use crate::sh::Cmd;
use crate::workspace::root;

#[derive(Debug, Deserialize)]
struct Resolved {
    packages: Vec<Crate>,
    resolve: Graph,
}

#[derive(Debug, Deserialize)]
struct Crate {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    /// Where it came from; our own come from nowhere.
    source: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Graph {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Debug, Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Debug, Deserialize)]
struct Kind {
    /// `None` for what is linked in.
    kind: Option<String>,
}

/// The list of a release.
pub(super) fn bill(release: &Release) -> Result<String> {
    let words = ["metadata", "--format-version=1", "--locked", "--filter-platform", &release.target];
    let resolved = Cmd::new("cargo", &words).read()?;
    let resolved: Resolved = serde_json::from_str(&resolved).context("could not read `cargo metadata`")?;
    let lock = std::fs::read_to_string(root().join("Cargo.lock"))?;
    let date = release.date();
    let bill = compose(&resolved, &lock, release, date.as_deref())?;
    Ok(format!("{}\n", serde_json::to_string_pretty(&bill)?))
}

fn compose(resolved: &Resolved, lock: &str, release: &Release, date: Option<&str>) -> Result<Value> {
    let crates: BTreeMap<&str, &Crate> =
        resolved.packages.iter().map(|found| (found.id.as_str(), found)).collect();
    let nodes: BTreeMap<&str, &Node> =
        resolved.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let program = resolved.packages.iter().find(|found| found.name == "homard" && found.source.is_none());
    let program = program.context("there is no package homard")?;
    let linked = linked(&program.id, &nodes);
    let reference = |id: &str| crates.get(id).map(|found| purl(found)).unwrap_or_default();
    let sums = sums(lock);
    let components = linked.iter().filter(|id| **id != program.id).filter_map(|id| crates.get(id));
    let components: Vec<Value> = components.map(|found| component(found, &sums)).collect();
    let graph = linked.iter().filter_map(|id| nodes.get(id)).map(|node| {
        let below: BTreeSet<String> =
            node.deps.iter().filter(|edge| is_linked(edge)).map(|edge| reference(&edge.pkg)).collect();
        json!({"ref": reference(&node.id), "dependsOn": below})
    });
    let mut bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application", "bom-ref": purl(program), "name": "homard", "version": release.version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
                "properties": [
                    {"name": "homard:commit", "value": release.commit},
                    {"name": "homard:target", "value": release.target},
                ],
            },
        },
        "components": components,
        "dependencies": graph.collect::<Vec<_>>(),
    });
    if let (Some(date), Some(about)) = (date, bill.get_mut("metadata").and_then(Value::as_object_mut)) {
        about.insert("timestamp".to_owned(), date.into());
    }
    Ok(bill)
}

fn is_linked(edge: &Edge) -> bool {
    edge.dep_kinds.iter().any(|kind| kind.kind.is_none())
}

/// Everything below the program that ends up in it.
fn linked<'a>(program: &'a str, nodes: &BTreeMap<&str, &'a Node>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::from([program]);
    let mut open = vec![program];
    while let Some(id) = open.pop() {
        let below = nodes.get(id).into_iter().flat_map(|node| &node.deps).filter(|edge| is_linked(edge));
        for edge in below {
            if found.insert(&edge.pkg) {
                open.push(&edge.pkg);
            }
        }
    }
    found
}

fn purl(found: &Crate) -> String {
    format!("pkg:cargo/{}@{}", found.name, found.version)
}

fn component(found: &Crate, sums: &BTreeMap<(String, String), String>) -> Value {
    let mut component = json!({
        "type": "library", "bom-ref": purl(found), "name": found.name, "version": found.version, "purl": purl(found),
    });
    let Some(fields) = component.as_object_mut() else { return component };
    if let Some(licence) = &found.license {
        // Crates of old write `MIT/Apache-2.0`.
        fields.insert("licenses".to_owned(), json!([{"expression": licence.replace('/', " OR ")}]));
    }
    if let Some(sum) = sums.get(&(found.name.clone(), found.version.clone())) {
        fields.insert("hashes".to_owned(), json!([{"alg": "SHA-256", "content": sum}]));
    }
    component
}

/// Checksums in the lock file, by name and version.
fn sums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key));
        line.map(|value| value.trim_matches(['"', ' ', '=']).to_owned())
    };
    let blocks = lock.split("[[package]]");
    blocks
        .filter_map(|block| {
            Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?))
        })
        .collect()
}
