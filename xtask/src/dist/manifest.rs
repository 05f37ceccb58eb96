//! What `homard update` reads of a release: its version and archives with sizes and checksums, signed where there is a key.
//!
//! The form is homard-update's; the signature is Ed25519 over the bytes of the file, in base64, made by `openssl`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::{Release, sha256};
use crate::sh::{Cmd, say};

const MANIFEST: &str = "release.json";
const SIGNATURE: &str = "release.json.sig";
/// The form of the manifest that homard-update knows.
const FORMAT: u32 = 1;
/// Which releases these are, unless said otherwise; the words of `update.channel`.
const CHANNELS: [&str; 4] = ["stable", "extended-stable", "beta", "dev"];

/// How releases are described.
#[derive(Debug, Clone, Default)]
pub(super) struct Description {
    /// Stable where none is named.
    pub(super) channel: Option<String>,
    /// The private key, as PEM.
    pub(super) key: Option<PathBuf>,
}

/// Describes every archive in `out`; the files that were written.
pub(super) fn write(release: &Release, out: &Path, description: &Description) -> Result<Vec<PathBuf>> {
    let channel = description.channel.as_deref().unwrap_or(CHANNELS[0]);
    ensure!(CHANNELS.contains(&channel), "`{channel}` is no channel; there are {}", CHANNELS.join(", "));
    let manifest = out.join(MANIFEST);
    let signature = out.join(SIGNATURE);
    let text = serde_json::to_string_pretty(&describe(release, out, channel)?)?;
    fs::write(&manifest, format!("{text}\n"))?;
    let Some(key) = &description.key else {
        // One of an earlier release would be wrong for this one.
        fs::remove_file(&signature).ok();
        say("the release is not signed; --sign-key names a key made by `openssl genpkey -algorithm ed25519`");
        return Ok(vec![manifest]);
    };
    sign(&manifest, key, &signature)?;
    Ok(vec![manifest, signature])
}

fn describe(release: &Release, out: &Path, channel: &str) -> Result<Value> {
    let mut builds = Vec::new();
    for entry in fs::read_dir(out)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(target) = name.strip_prefix("homard-").and_then(|name| name.strip_suffix(".tar.gz")) else {
            continue;
        };
        let size = fs::metadata(&path)?.len();
        builds.push((
            target.to_owned(),
            json!({"target": target, "name": name, "size": size, "sha256": sha256(&path)?}),
        ));
    }
    if builds.is_empty() {
        bail!("there is no archive in `{}`; make one first", out.display());
    }
    builds.sort_by(|(a, _), (b, _)| a.cmp(b));
    let builds: Vec<Value> = builds.into_iter().map(|(_, build)| build).collect();
    Ok(json!({
        "format": FORMAT, "version": release.version, "commit": release.commit, "channel": channel,
        "date": release.date(), "builds": builds,
    }))
}

/// Signs a file, and checks what came of it with the key's other half.
fn sign(file: &Path, key: &Path, signature: &Path) -> Result<()> {
    let raw = signature.with_extension("raw");
    let public = signature.with_extension("pub");
    let [file, key, raw_name, public_name] =
        [file, key, raw.as_path(), public.as_path()].map(|path| path.to_string_lossy().into_owned());
    let words = ["pkeyutl", "-sign", "-rawin", "-inkey", &key, "-in", &file, "-out", &raw_name];
    let signed = (|| {
        Cmd::new("openssl", &words).read().context("could not sign; is it an Ed25519 key in PEM?")?;
        Cmd::new("openssl", &["pkey", "-in", &key, "-pubout", "-out", &public_name])
            .read()
            .context("the key has no other half")?;
        let words = [
            "pkeyutl",
            "-verify",
            "-rawin",
            "-pubin",
            "-inkey",
            &public_name,
            "-in",
            &file,
            "-sigfile",
            &raw_name,
        ];
        Cmd::new("openssl", &words).read().context("the signature is wrong")?;
        Cmd::new("openssl", &["base64", "-A", "-in", &raw_name])
            .read()
            .context("could not write the signature")
    })();
    fs::remove_file(&raw).ok();
    fs::remove_file(&public).ok();
    Ok(fs::write(signature, format!("{}\n", signed?.trim()))?)
}
