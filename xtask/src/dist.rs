//! `cargo xtask dist`: what a release is made of, from a program that is built: an archive with completions and manual
//! pages, a Debian package, a list of everything in it, checksums, and what `homard update` reads. The same program and commit make the same bytes.

mod check;
mod deb;
mod manifest;
mod manpages;
mod sbom;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::serve::binary;
use crate::sh::{Cmd, say, variable};
use crate::web;
use crate::workspace::{self, root};

use manifest::Description;

pub(crate) use check::check;

/// Completions by shell, as their files are called in the archive.
const COMPLETIONS: [(&str, &str); 4] =
    [("bash", "homard.bash"), ("zsh", "_homard"), ("fish", "homard.fish"), ("powershell", "homard.ps1")];
/// What goes along as it is.
const PAPERS: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"];
const SUMS: &str = "SHA256SUMS";
const FORMULA: &str = "packaging/homebrew/homard.rb";

/// What a release is called.
#[derive(Debug, Clone)]
struct Release {
    version: String,
    commit: String,
    /// Seconds since 1970 that every file is dated with.
    epoch: String,
    /// The platform, as rustc calls it.
    target: String,
    /// How hard the archive is pressed, as gzip counts.
    pressure: &'static str,
}

/// Makes what the arguments ask for.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let value = |name: &str| args.iter().skip_while(|arg| *arg != name).nth(1).cloned();
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let out = value("--out").map_or_else(|| root().join("target/dist"), PathBuf::from);
    if has("formula") {
        return formula(&out);
    }
    let description =
        Description { channel: value("--channel"), key: value("--sign-key").map(PathBuf::from) };
    if has("manifest") {
        let made = manifest::write(&Release::of_this_clone(None, "-9")?, &out, &description)?;
        return checksums(&out, &made);
    }
    let release = Release::of_this_clone(value("--target"), "-9")?;
    let program = match value("--binary") {
        Some(path) => PathBuf::from(path),
        None => build(&release, value("--target").is_some())?,
    };
    if has("--only-build") {
        return Ok(());
    }
    release.make(&program, &out)?;
    checksums(&out, &manifest::write(&release, &out, &description)?)?;
    say(&format!("{} {} ({}) is in {}", release.version, release.target, release.commit, out.display()));
    Ok(())
}

/// Builds the page and the program, without a trace of where.
fn build(release: &Release, is_named: bool) -> Result<PathBuf> {
    web::build()?;
    let cargo_home = variable("CARGO_HOME").or_else(|| Some(format!("{}/.cargo", variable("HOME")?)));
    let flags = format!(
        "--remap-path-prefix={}=homard --remap-path-prefix={}=cargo",
        root().display(),
        cargo_home.context("neither CARGO_HOME nor HOME is set")?
    );
    let mut words = vec!["build", "--release", "--locked", "-p", "homard"];
    let mut folder = workspace::target()?;
    if is_named {
        words.extend(["--target", &release.target]);
        folder = folder.join(&release.target);
    }
    Cmd::new("cargo", &words)
        .env("HOMARD_COMMIT", &release.commit)
        .env("SOURCE_DATE_EPOCH", &release.epoch)
        .env("CARGO_INCREMENTAL", "0")
        .env("RUSTFLAGS", flags)
        .run()?;
    Ok(folder.join("release").join(binary("homard")))
}

impl Release {
    fn of_this_clone(target: Option<String>, pressure: &'static str) -> Result<Self> {
        let homard = workspace::metadata()?.packages.into_iter().find(|package| package.name == "homard");
        let git = |words: &[&str]| Cmd::new("git", words).read().map(|text| text.trim().to_owned());
        let commit = match variable("HOMARD_COMMIT") {
            Some(commit) => commit,
            None => {
                let is_clean = git(&["status", "--porcelain"])?.is_empty();
                let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
                if is_clean { commit } else { format!("{commit} and changes") }
            }
        };
        let epoch = match variable("SOURCE_DATE_EPOCH") {
            Some(epoch) => epoch,
            None => git(&["log", "-1", "--format=%ct"])?,
        };
        let target = match target {
            Some(target) => target,
            None => {
                let told = Cmd::new("rustc", &["-vV"]).read()?;
                told.lines()
                    .find_map(|line| line.strip_prefix("host: "))
                    .context("rustc names no host")?
                    .to_owned()
            }
        };
        Ok(Self {
            version: homard.context("there is no package homard")?.version,
            commit,
            epoch,
            target,
            pressure,
        })
    }

    /// When it was made, where the system's `date` can say so; other systems' counts differently.
    fn date(&self) -> Option<String> {
        let words = ["-u", "-d", &format!("@{}", self.epoch), "+%Y-%m-%dT%H:%M:%SZ"];
        Cmd::new("date", &words).read().ok().map(|date| date.trim().to_owned())
    }

    /// Leaves everything in `out` but the manifest.
    fn make(&self, program: &Path, out: &Path) -> Result<()> {
        let name = format!("homard-{}-{}", self.version, self.target);
        let stage = out.join("stage");
        let folder = stage.join(&name);
        fs::remove_dir_all(&stage).ok();
        fs::create_dir_all(folder.join("completions"))?;
        fs::create_dir_all(folder.join("man"))?;
        fs::copy(program, folder.join(binary("homard"))).with_context(|| {
            format!("there is no `{}`; build it, or name it with --binary", program.display())
        })?;
        for paper in PAPERS {
            fs::copy(root().join(paper), folder.join(paper))?;
        }
        for (shell, file) in COMPLETIONS {
            let script = Cmd::new(program, &["completion", "--shell", shell]).read()?;
            fs::write(folder.join("completions").join(file), script)?;
        }
        let reference = fs::read_to_string(root().join("docs/reference/cli.md"))?;
        for (page, text) in manpages::pages(&reference, &self.version) {
            fs::write(folder.join("man").join(page), text)?;
        }
        let archive = out.join(format!("homard-{}.tar.gz", self.target));
        self.pack(&stage, &name, &archive)?;
        let bill = out.join(format!("homard-{}.cdx.json", self.target));
        fs::write(&bill, sbom::bill(self)?)?;
        let mut made = vec![archive, bill];
        if self.target.contains("linux") && Cmd::new("dpkg-deb", &["--version"]).works() {
            made.push(deb::package(self, &folder, out)?);
        }
        fs::remove_dir_all(&stage)?;
        let installer = out.join("install.sh");
        fs::copy(root().join("packaging/install.sh"), &installer)?;
        made.push(installer);
        checksums(out, &made)
    }

    /// An archive that depends on nothing but what is in it.
    fn pack(&self, stage: &Path, name: &str, archive: &Path) -> Result<()> {
        let tar = stage.join("archive.tar");
        let tar = tar.to_string_lossy();
        let date = format!("--mtime=@{}", self.epoch);
        let mut words = vec!["--create", "--file", &tar, "--format=ustar"];
        if Cmd::new("tar", &["--version"]).read()?.contains("GNU") {
            words.extend([
                "--sort=name",
                "--owner=0",
                "--group=0",
                "--numeric-owner",
                "--mode=u=rwX,go=rX",
                &date,
            ]);
        } else {
            say("this tar cannot fix dates and owners: the archive is not the same every time");
        }
        words.push(name);
        Cmd::new("tar", &words).dir(stage).run()?;
        Cmd::new("gzip", &["-n", self.pressure, &tar]).run()?;
        fs::copy(format!("{tar}.gz"), archive)?;
        Ok(())
    }
}

/// Writes down the SHA-256 of every file, by name; lines of other platforms stay.
fn checksums(out: &Path, made: &[PathBuf]) -> Result<()> {
    let file = out.join(SUMS);
    let mut lines: Vec<String> =
        fs::read_to_string(&file).unwrap_or_default().lines().map(str::to_owned).collect();
    for path in made {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        lines.retain(|line| !line.ends_with(&format!("  {name}")));
        lines.push(format!("{}  {name}", sha256(path)?));
    }
    lines.sort_by(|a, b| a.split("  ").nth(1).cmp(&b.split("  ").nth(1)));
    fs::write(&file, format!("{}\n", lines.join("\n")))?;
    Ok(())
}

fn sha256(path: &Path) -> Result<String> {
    let path = path.to_string_lossy();
    let said = Cmd::new("sha256sum", &[&path]).read();
    let said = said.or_else(|_| Cmd::new("shasum", &["-a", "256", &path]).read())?;
    said.split_whitespace().next().map(str::to_owned).context("sha256sum said nothing")
}

/// The Homebrew formula with the checksums of archives in `out`.
fn formula(out: &Path) -> Result<()> {
    let release = Release::of_this_clone(None, "-9")?;
    let sums =
        fs::read_to_string(out.join(SUMS)).context("there are no checksums; make the archives first")?;
    let text = fs::read_to_string(root().join(FORMULA))?;
    fs::write(out.join("homard.rb"), filled_in(&text, &release.version, &sums)?)?;
    Ok(())
}

fn filled_in(formula: &str, version: &str, sums: &str) -> Result<String> {
    let mut text = formula.replace("@VERSION@", version);
    for line in sums.lines() {
        let Some((sum, name)) = line.split_once("  ") else { continue };
        if let Some(target) = name.strip_prefix("homard-").and_then(|name| name.strip_suffix(".tar.gz")) {
            text = text.replace(&format!("@{target}@"), sum);
        }
    }
    if let Some(missing) = text.lines().find(|line| line.contains("\"@")) {
        bail!("there is no checksum for `{}`", missing.trim());
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
