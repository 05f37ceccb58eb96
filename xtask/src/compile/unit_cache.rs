//! Our own packages, compiled once per machine and content instead of once per clone.
//!
//! Cargo trusts file times, and a fresh clone has new ones, so it compiles all of our packages again. The stand-in
//! for the compiler (see [`super::units`]) knows better: a call is named by a hash over everything it reads (options,
//! the package's folder, the very libraries below it, the compiler), and a call that succeeded before under
//! that name has its files and its messages put back. What the compiler says it has read is checked afterwards: a call
//! that read something its name does not cover is not kept, and for a library, whose name others build on, it is an
//! error.
//!
//! Nothing compiled here may know where its clone lies. Tests run in their package's folder, so [`PACKAGE`] is told
//! to them as that folder.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use crate::machine;
use crate::sh::{self, Cmd};
use crate::stamp;

/// Tells the stand-in where kept calls lie; without it every call is made.
const KEPT: &str = "HOMARD_WORKSHOP_KEPT_UNITS";
/// Tells the stand-in where the clone lies.
const ROOT: &str = "HOMARD_WORKSHOP_ROOT";
/// Tells the stand-in which compiler it stands in for.
const COMPILER: &str = "HOMARD_WORKSHOP_COMPILER";
/// Stands for the clone's folder in what is kept.
const PLACEHOLDER: &str = "<clone>";
/// A package's folder, as its tests see it.
const PACKAGE: &str = ".";
/// Tells clippy where its settings lie; a call's name covers what is in them.
const LINT_SETTINGS: &str = "CLIPPY_CONF_DIR";
/// Tells the snapshot library where the clone lies, seen from a package's folder.
const SNAPSHOTS: (&str, &str) = ("INSTA_WORKSPACE_ROOT", "../..");
/// Beginnings of the variables a name covers.
const COVERED: [&str; 6] =
    ["CARGO_PKG_", "CARGO_BIN_NAME", "CARGO_CRATE_NAME", "CLIPPY_ARGS", "HOMARD_VERSION", "HOMARD_TARGET"];
/// The variable that names a program for tests, before the program's name.
const PROGRAM: &str = "CARGO_BIN_EXE_";
/// How much is kept before the least recently used goes.
const MOST_BYTES: u64 = 8 << 30;
/// What the names of our own libraries begin with.
const OURS: &str = "homard";
/// How much of a library's outline says which one it is.
const IDENTITY_BYTES: u64 = 64 * 1024;
const NOTE: &str = "unit.json";
const OUTPUTS: &str = "files";

/// What is known of a call beside the files it made.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    /// What the compiler said, a message per line.
    messages: String,
    /// Files outside the package's folder, seen from the clone, and what was in them.
    outside: Vec<(PathBuf, String)>,
}

/// A call of the compiler that can be kept.
#[derive(Debug)]
pub(crate) struct Call {
    root: PathBuf,
    kept: PathBuf,
    /// The package's folder, seen from the clone.
    package: PathBuf,
    /// The file name all outputs begin with, with or without `lib` before it.
    stem: String,
    out: PathBuf,
    is_library: bool,
    name: String,
}

/// What the stand-in must be told, or nothing where calls cannot be kept: the target directory lies elsewhere, or the
/// clone has two names.
pub(crate) fn variables(root: &Path, target: &Path) -> Result<Vec<(&'static str, String)>> {
    if !target.starts_with(root) || fs::canonicalize(root)? != root {
        return Ok(Vec::new());
    }
    let kept = machine::cache("units")?;
    forget(&kept, MOST_BYTES)?;
    Ok(vec![
        (KEPT, kept.display().to_string()),
        (ROOT, root.display().to_string()),
        (COMPILER, Cmd::new("rustc", &["-vV"]).read()?),
        (SNAPSHOTS.0, SNAPSHOTS.1.to_owned()),
        (LINT_SETTINGS, root.display().to_string()),
    ])
}

/// The name a library or program was last compiled under in this clone, if it has one.
pub(crate) fn name_of(names: &Path, args: &[String]) -> Option<String> {
    fs::read_to_string(names.join(stem(args)?)).ok()
}

/// The value of an option given as `--option value`.
pub(crate) fn value<'a>(args: &'a [String], option: &str) -> Option<&'a str> {
    args.iter().skip_while(|arg| *arg != option).nth(1).map(String::as_str)
}

/// `name-hash`, as cargo has the outputs called.
fn stem(args: &[String]) -> Option<String> {
    let extra = args.iter().find_map(|arg| arg.strip_prefix("extra-filename="))?;
    Some(format!("{}{extra}", value(args, "--crate-name")?))
}

impl Call {
    /// The call `args` asks for, named; nothing when calls are not kept here or this one cannot be. Names are written
    /// into the folder `names`, for calls that build on this one.
    pub(crate) fn of(args: &[String], names: &Path) -> Result<Option<Self>> {
        let (Some(stem), Some(out)) = (stem(args), value(args, "--out-dir")) else { return Ok(None) };
        // Until it has a name again, nothing that builds on it is kept either.
        fs::remove_file(names.join(&stem)).ok();
        let (Some(kept), Some(root), Some(compiler)) =
            (sh::variable(KEPT), sh::variable(ROOT), sh::variable(COMPILER))
        else {
            return Ok(None);
        };
        let root = PathBuf::from(root);
        let package = sh::variable("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let Some(package) = package.as_deref().and_then(|package| package.strip_prefix(&root).ok()) else {
            return Ok(None);
        };
        let is_incremental = args.iter().any(|arg| arg.starts_with("incremental="));
        let Some(below) = below(args, names).filter(|_| !is_incremental && has_bare_out()) else {
            return Ok(None);
        };
        let is_test = args.iter().any(|arg| arg == "--test");
        let mut parts = vec![compiler, is_test.to_string()];
        parts.extend(args.iter().skip(1).map(|arg| relative(arg, &root)));
        parts.extend(
            sh::variables()
                .filter(|(name, _)| COVERED.iter().any(|begin| name.starts_with(begin)))
                .map(|(name, value)| format!("{name}={value}")),
        );
        parts.extend(below);
        parts.push(stamp::name_of(&[&root.join(package), &root.join("clippy.toml")])?);
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let name = stamp::name_of_text(&parts);
        fs::create_dir_all(names)?;
        fs::write(names.join(&stem), &name)?;
        let is_library = !is_test && value(args, "--crate-type") != Some("bin");
        let (package, out) = (package.to_path_buf(), PathBuf::from(out));
        Ok(Some(Self { kept: PathBuf::from(kept).join(&name), root, package, stem, out, is_library, name }))
    }

    /// Puts back what the call made before; whether it did.
    pub(crate) fn restore(&self) -> Result<bool> {
        let Ok(note) = fs::read_to_string(self.kept.join(NOTE)) else { return Ok(false) };
        let Ok(kept) = serde_json::from_str::<Kept>(&note) else { return Ok(false) };
        for (file, content) in &kept.outside {
            if stamp::name_of(&[&self.root.join(file)])? != *content {
                return Ok(false);
            }
        }
        for entry in fs::read_dir(self.kept.join(OUTPUTS))? {
            let from = entry?.path();
            let to = self.out.join(from.file_name().unwrap_or_default());
            if is_text(&from) {
                fs::write(
                    &to,
                    fs::read_to_string(&from)?.replace(PLACEHOLDER, &self.root.to_string_lossy()),
                )?;
            } else {
                fs::remove_file(&to).ok();
                fs::copy(&from, &to).with_context(|| format!("could not copy `{}`", from.display()))?;
            }
        }
        // Written again, it is the most recently used.
        fs::write(self.kept.join(NOTE), note)?;
        let messages = kept.messages.replace(PLACEHOLDER, &self.root.to_string_lossy());
        std::io::stderr().write_all(messages.as_bytes())?;
        Ok(true)
    }

    /// Makes the call and keeps it; the compiler's status.
    pub(crate) fn make(&self, compiler: Cmd) -> Result<i32> {
        let compiler = compiler.env("CARGO_MANIFEST_DIR", PACKAGE);
        let up: PathBuf = self.package.iter().map(|_| "..").collect();
        let programs = sh::variables().filter(|(name, _)| name.starts_with(PROGRAM));
        let compiler = programs.fold(compiler, |compiler, (name, program)| {
            match Path::new(&program).strip_prefix(&self.root) {
                Ok(inside) => compiler.env(&name, up.join(inside)),
                Err(_) => compiler,
            }
        });
        let mut messages = String::new();
        let status = compiler.each_error(|line| {
            messages.push_str(line);
            messages.push('\n');
            // At once: cargo goes on with what needs only the library's outline.
            writeln!(std::io::stderr(), "{line}")
        })?;
        if status == 0 {
            self.keep(&messages)
                .with_context(|| format!("could not keep how `{}` was compiled", self.stem))?;
        }
        Ok(status)
    }

    /// Keeps what the call made, unless it read what its name does not cover.
    #[expect(clippy::disallowed_methods, reason = "the workshop builds before homard-runtime does")]
    fn keep(&self, messages: &str) -> Result<()> {
        let list = self.out.join(format!("{}.d", self.stem));
        let read = fs::read_to_string(&list)?;
        let outside = self.outside(&read)?;
        // Cargo compares this variable with what it would tell today.
        let told = |value: &str| format!("# env-dep:CARGO_MANIFEST_DIR={value}\n");
        let package = self.root.join(&self.package);
        fs::write(&list, read.replace(&told(PACKAGE), &told(&package.to_string_lossy())))?;
        let Some(outside) = outside else { return Ok(()) };
        if self.is_library
            && let Some((file, _)) = outside.first()
        {
            bail!(
                "the library reads `{}`, which lies outside its package `{}`: move it inside, so that a change of it is noticed",
                file.display(),
                self.package.display()
            );
        }
        let beside = self.kept.with_file_name(format!(".{}-{}", std::process::id(), self.name));
        fs::create_dir_all(beside.join(OUTPUTS))?;
        for entry in fs::read_dir(&self.out)? {
            let from = entry?.path();
            let is_ours = from.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
                let name = name.strip_prefix("lib").unwrap_or(name);
                name.strip_prefix(&self.stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            });
            if !is_ours {
                continue;
            }
            let to = beside.join(OUTPUTS).join(from.file_name().unwrap_or_default());
            if is_text(&from) {
                fs::write(&to, relative(&fs::read_to_string(&from)?, &self.root))?;
            } else {
                fs::copy(&from, &to)?;
            }
        }
        let kept = Kept { messages: relative(messages, &self.root), outside };
        fs::write(beside.join(NOTE), serde_json::to_string(&kept)?)?;
        fs::remove_dir_all(&self.kept).ok();
        if fs::rename(&beside, &self.kept).is_err() {
            // Another clone was quicker.
            fs::remove_dir_all(&beside)?;
        }
        Ok(())
    }

    /// The files outside the package's folder among those the compiler has read, as it wrote them down; nothing when
    /// it read a variable that tells where the clone lies.
    fn outside(&self, read: &str) -> Result<Option<Vec<(PathBuf, String)>>> {
        let root = self.root.to_string_lossy();
        let told = read.lines().filter_map(|line| line.strip_prefix("# env-dep:"));
        let mut told = told.filter(|variable| !variable.starts_with(LINT_SETTINGS));
        if told.any(|variable| variable.contains(&*root)) {
            return match self.is_library {
                true => bail!("the library `{}` has the path of its clone compiled in", self.stem),
                false => Ok(None),
            };
        }
        let files = read.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, files)| files);
        let mut outside = Vec::new();
        for file in files.split_ascii_whitespace() {
            let file = Path::new(file);
            let real = fs::canonicalize(self.root.join(file))
                .with_context(|| format!("could not find `{}`", file.display()))?;
            if real.starts_with(self.root.join(&self.package)) {
                continue;
            }
            let Ok(inside) = real.strip_prefix(&self.root) else { return Ok(None) };
            outside.push((inside.to_path_buf(), stamp::name_of(&[&real])?));
        }
        Ok(Some(outside))
    }
}

/// What a call builds on: our own libraries by the names of their calls and by what came of them, those of the registry by
/// their very files, because one that was compiled again is another library to the compiler, in another clone even with
/// the same sources. Nothing when one of ours has no name.
fn below(args: &[String], names: &Path) -> Option<Vec<String>> {
    let files = args.iter().skip(1).zip(args).filter(|(_, option)| *option == "--extern");
    let files = files.filter_map(|(library, _)| Some(Path::new(library.split_once('=')?.1)));
    files
        .map(|file| {
            let stem = file.file_stem()?.to_str()?;
            let stem = stem.strip_prefix("lib").unwrap_or(stem);
            if stem.starts_with(OURS) { own(file, &names.join(stem)) } else { foreign(file) }
        })
        .collect()
}

/// A library of ours: the name of its call, and the end of its outline, where the compiler writes who it is. A call that
/// was forgotten and made again, or made in two clones at once, has one name and two outcomes.
fn own(file: &Path, name: &Path) -> Option<String> {
    let mut outline = fs::File::open(file.with_extension("rmeta")).ok()?;
    let length = outline.seek(SeekFrom::End(0)).ok()?;
    outline.seek(SeekFrom::Start(length.saturating_sub(IDENTITY_BYTES))).ok()?;
    let mut end = Vec::new();
    outline.read_to_end(&mut end).ok()?;
    let end = stamp::name_of_text(&[&String::from_utf8_lossy(&end)]);
    Some(format!("{} {length} {end}", fs::read_to_string(name).ok()?))
}

/// A compiled file by name, size and time: copies between clones keep their times (see [`super::deps_cache`]).
fn foreign(file: &Path) -> Option<String> {
    let meta = fs::metadata(file).ok()?;
    let written = meta.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", file.file_name()?.to_str()?, meta.len(), written.as_nanos()))
}

/// Whether a build script left nothing for the sources to read.
fn has_bare_out() -> bool {
    let Some(out) = sh::variable("OUT_DIR") else { return true };
    fs::read_dir(out).is_ok_and(|mut files| files.next().is_none())
}

/// The compiler's list of what it has read is the one output that names folders.
fn is_text(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "d")
}

fn relative(text: &str, root: &Path) -> String {
    text.replace(&*root.to_string_lossy(), PLACEHOLDER)
}

/// Forgets calls, least recently used first, until no more than `most` bytes are kept.
fn forget(kept: &Path, most: u64) -> Result<()> {
    let mut calls = Vec::new();
    for entry in fs::read_dir(kept)? {
        let call = entry?.path();
        let used =
            fs::metadata(call.join(NOTE)).and_then(|note| note.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let mut size = 0;
        for file in fs::read_dir(call.join(OUTPUTS)).into_iter().flatten() {
            size += file?.metadata()?.len();
        }
        calls.push((used, size, call));
    }
    calls.sort();
    let mut total: u64 = calls.iter().map(|(_, size, _)| size).sum();
    for (_, size, call) in calls {
        if total <= most {
            break;
        }
        fs::remove_dir_all(&call).with_context(|| format!("could not remove `{}`", call.display()))?;
        total -= size;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
