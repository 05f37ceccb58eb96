//! Releases of Homard with programs of a test's choosing, made and signed as `cargo xtask dist` does.

use std::path::Path;

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use flate2::Compression;
use flate2::write::GzEncoder;
use homard_runtime::hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::fake_web::{FakeWeb, WebPage};

/// Whoever makes releases: a key, and what it signs.
#[derive(Debug)]
pub struct ReleaseMaker {
    key: SigningKey,
}

/// The files of a release.
#[derive(Debug, Clone)]
pub struct TestRelease {
    pub archive: String,
    /// By name: the archive, the manifest, its signature.
    pub files: Vec<(String, Vec<u8>)>,
}

impl ReleaseMaker {
    /// Somebody with a key of their own.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn new() -> Result<Self> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).context("the system offers no random numbers")?;
        Ok(Self { key: SigningKey::from_bytes(&seed) })
    }

    /// The key releases are checked with, in base64.
    #[must_use]
    pub fn public_key(&self) -> String {
        STANDARD.encode(self.key.verifying_key().as_bytes())
    }

    /// A release of one program, for one platform.
    ///
    /// # Errors
    /// When it cannot be packed.
    pub fn release(&self, version: &str, channel: &str, target: &str, program: &[u8]) -> Result<TestRelease> {
        let archive = pack(version, target, program)?;
        let name = format!("homard-{target}.tar.gz");
        let manifest = json!({
            "format": 1, "version": version, "commit": "test", "channel": channel, "date": "2026-11-18T00:00:00Z",
            "builds": [{
                "target": target, "name": name, "size": archive.len(), "sha256": hex(&Sha256::digest(&archive)),
            }],
        });
        let mut made = TestRelease { archive: name.clone(), files: vec![(name, archive)] };
        self.describe(&mut made, &manifest)?;
        Ok(made)
    }

    /// Writes another manifest for a release, and signs it.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn describe(&self, release: &mut TestRelease, manifest: &Value) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(manifest)?;
        let signature = STANDARD.encode(self.key.sign(&bytes).to_bytes());
        release.put("release.json", bytes);
        release.put("release.json.sig", format!("{signature}\n").into_bytes());
        Ok(())
    }
}

impl TestRelease {
    /// Puts a file into it, in the place of the one there.
    pub fn put(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.retain(|(known, _)| known != name);
        self.files.push((name.to_owned(), bytes));
    }

    /// Takes a file out of it.
    pub fn remove(&mut self, name: &str) {
        self.files.retain(|(known, _)| known != name);
    }

    /// The bytes of a file of it.
    #[must_use]
    pub fn file(&self, name: &str) -> &[u8] {
        self.files.iter().find(|(known, _)| known == name).map_or(&[], |(_, bytes)| bytes)
    }

    /// Its manifest.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn manifest(&self) -> Result<Value> {
        Ok(serde_json::from_slice(self.file("release.json"))?)
    }

    /// Serves its files below a path that ends with a slash.
    pub fn serve(&self, web: &FakeWeb, below: &str) {
        for (name, bytes) in &self.files {
            let page = WebPage::Raw { status: 200, kind: "application/octet-stream", body: bytes.clone() };
            web.page(&format!("{below}{name}"), page);
        }
    }

    /// Leaves its files in a folder.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)?;
        for (name, bytes) in &self.files {
            std::fs::write(folder.join(name), bytes)?;
        }
        Ok(())
    }
}

fn pack(version: &str, target: &str, program: &[u8]) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let folder = format!("homard-{version}-{target}");
    for (name, mode, bytes) in [("LICENSE-MIT", 0o644, &b"free"[..]), ("homard", 0o755, program)] {
        let mut header = tar::Header::new_ustar();
        header.set_mode(mode);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        archive.append_data(&mut header, format!("{folder}/{name}"), bytes)?;
    }
    Ok(archive.into_inner()?.finish()?)
}
