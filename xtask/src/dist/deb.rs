//! The Debian package: the program, completions, manual pages and two units that are off until somebody wants one.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::Release;
use crate::sh::Cmd;
use crate::workspace::root;

/// Where the parts of an archive go on a Debian system.
const PLACES: [(&str, &str); 4] = [
    ("homard", "usr/bin/homard"),
    ("completions/homard.bash", "usr/share/bash-completion/completions/homard"),
    ("completions/_homard", "usr/share/zsh/vendor-completions/_homard"),
    ("completions/homard.fish", "usr/share/fish/vendor_completions.d/homard.fish"),
];
const UNITS: [&str; 2] = ["user", "system"];
const SCRIPTS: [&str; 2] = ["postinst", "prerm"];

/// Packs what is in `folder`, the unpacked archive; the file.
pub(super) fn package(release: &Release, folder: &Path, out: &Path) -> Result<PathBuf> {
    let tree = out.join("stage/debian");
    let put = |from: &Path, to: &str| -> Result<()> {
        let to = tree.join(to);
        fs::create_dir_all(to.parent().context("a file has no folder")?)?;
        fs::copy(from, &to).with_context(|| format!("could not copy `{}`", from.display()))?;
        Ok(())
    };
    for (from, to) in PLACES {
        put(&folder.join(from), to)?;
    }
    for unit in UNITS {
        let from = root().join("packaging/systemd").join(unit).join("homard.service");
        put(&from, &format!("usr/lib/systemd/{unit}/homard.service"))?;
    }
    let doc = "usr/share/doc/homard";
    put(&root().join("packaging/debian/copyright"), &format!("{doc}/copyright"))?;
    put(&folder.join("CHANGELOG.md"), &format!("{doc}/changelog"))?;
    for page in fs::read_dir(folder.join("man"))? {
        let page = page?;
        put(&page.path(), &format!("usr/share/man/man1/{}", page.file_name().to_string_lossy()))?;
    }
    press(&tree)?;
    for script in SCRIPTS {
        put(&root().join("packaging/debian").join(script), &format!("DEBIAN/{script}"))?;
    }
    let machine = architecture(&release.target)?;
    let program = fs::read(folder.join("homard"))?;
    fs::write(tree.join("DEBIAN/control"), control(release, machine, &program, size_of(&tree)?))?;
    let package = out.join(format!("homard_{}_{machine}.deb", release.version));
    let (from, to) = (tree.to_string_lossy(), package.to_string_lossy());
    // Readable by all, whatever the umask of who builds it.
    Cmd::new("chmod", &["-R", "u=rwX,go=rX", &from]).run()?;
    let pressure = if release.pressure == "-9" { "-Zxz" } else { "-Znone" };
    Cmd::new("dpkg-deb", &["--build", "--root-owner-group", pressure, &from, &to])
        .env("SOURCE_DATE_EPOCH", &release.epoch)
        .run()?;
    Ok(package)
}

/// Manual pages and the changelog are pressed on a Debian system.
fn press(tree: &Path) -> Result<()> {
    let mut files = vec![tree.join("usr/share/doc/homard/changelog")];
    for page in fs::read_dir(tree.join("usr/share/man/man1"))? {
        files.push(page?.path());
    }
    Cmd::new("gzip", &["-n", "-9"]).args(files).run()
}

fn architecture(target: &str) -> Result<&'static str> {
    match target.split('-').next() {
        Some("x86_64") => Ok("amd64"),
        Some("aarch64") => Ok("arm64"),
        _ => anyhow::bail!("Debian has no name here for `{target}`"),
    }
}

fn control(release: &Release, machine: &str, program: &[u8], kilobytes: u64) -> String {
    let mut needs = vec!["ca-certificates".to_owned()];
    if let Some(minor) = glibc(program) {
        needs.push(format!("libc6 (>= 2.{minor})"));
        needs.push("libgcc-s1".to_owned());
    }
    format!(
        "Package: homard\n\
         Version: {}\n\
         Architecture: {machine}\n\
         Maintainer: The Homard contributors <homard@localhost>\n\
         Installed-Size: {kilobytes}\n\
         Depends: {}\n\
         Section: net\n\
         Priority: optional\n\
         Homepage: https://github.com/homard/homard\n\
         Description: personal AI assistant that runs on your own machine\n \
         One program: a gateway that talks to models and to chat apps, a page to chat\n \
         in, and a command line. It listens on this machine only until told otherwise.\n",
        release.version,
        needs.join(", "),
    )
}

/// The newest version of the GNU C library that the program names, `2.` left out; none where it needs none.
pub(super) fn glibc(program: &[u8]) -> Option<u32> {
    const NAME: &[u8] = b"GLIBC_2.";
    let versions = program.windows(NAME.len() + 2).filter_map(|text| text.strip_prefix(NAME));
    versions
        .filter_map(|digits| {
            let digits: String =
                digits.iter().map(|&byte| char::from(byte)).take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        })
        .max()
}

fn size_of(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => bytes += entry.metadata()?.len(),
            }
        }
    }
    Ok(bytes.div_ceil(1024))
}
