//! How each of our packages was compiled, written down as it happens, so that rustdoc can read the same sources with
//! the same options and the libraries that exist already. Asking cargo for documentation would compile every
//! dependency a second time, only to throw it away.
//!
//! Cargo starts a copy of this program in rustc's place for our own packages; the copy writes its arguments into a
//! file and becomes clippy's compiler, or rustc for what is compiled a second time as a test.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use super::unit_cache::{self, Call, value};
use crate::machine;
use crate::sh::{self, Cmd, say};
use crate::stamp;
use crate::workspace;

/// Tells a copy of this program where to write; cargo hands it through.
const FOLDER: &str = "HOMARD_WORKSHOP_UNITS";

/// Beginnings of the variables a package's sources may read while they are compiled.
const VARIABLES: [&str; 2] = ["CARGO_", "OUT_DIR"];
/// Options of the compiler that rustdoc shares, each followed by its value.
const SHARED: [&str; 8] =
    ["--crate-name", "--crate-type", "--edition", "--cfg", "--check-cfg", "--extern", "-L", "--cap-lints"];
/// The sources of what a copy of this program does in rustc's place.
const STAND_IN: [&str; 4] = ["compile/unit_cache.rs", "compile/units.rs", "sh.rs", "stamp.rs"];
/// Targets that are not documented.
const UNDOCUMENTED: [&str; 4] = ["/tests/", "/examples/", "/benches/", "build.rs"];

/// One call of the compiler.
#[derive(Debug, Serialize, Deserialize)]
struct Unit {
    args: Vec<String>,
    variables: Vec<(String, String)>,
}

/// The copy of this program that cargo starts in rustc's place.
pub(crate) fn wrapper() -> Result<PathBuf> {
    let wrapper = workspace::scratch()?.join(format!("wrapper{}", std::env::consts::EXE_SUFFIX));
    let this = std::env::current_exe().context("could not find this program")?;
    // Once the workspace is compiled, this program's own file has been replaced; the copy is the one that runs.
    let Ok(new) = fs::read(&this) else { return Ok(wrapper) };
    if !fs::read(&wrapper).is_ok_and(|old| old == new) {
        // A copy of another version may be running.
        fs::remove_file(&wrapper).ok();
        fs::copy(&this, &wrapper).with_context(|| format!("could not write `{}`", wrapper.display()))?;
    }
    Ok(wrapper)
}

/// The same where every clone on the machine finds it: cargo has its path in the names of what it compiles, so clones
/// can only share what they compiled behind one path. Called by what it does, so that another version is another file.
#[expect(clippy::disallowed_methods, reason = "the workshop builds before homard-runtime does")]
pub(crate) fn shared_wrapper() -> Result<PathBuf> {
    let sources = STAND_IN.map(|file| workspace::root().join("xtask/src").join(file));
    let name = stamp::name_of(&sources.each_ref().map(PathBuf::as_path))?;
    let shared = machine::cache("stand-in")?.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !shared.exists() {
        let beside = shared.with_file_name(format!(".{}-{name}", std::process::id()));
        fs::copy(wrapper()?, &beside).with_context(|| format!("could not write `{}`", beside.display()))?;
        fs::rename(&beside, &shared).with_context(|| format!("could not write `{}`", shared.display()))?;
    }
    Ok(shared)
}

/// The folder the notes go to.
pub(crate) fn folder() -> Result<PathBuf> {
    let folder = workspace::scratch()?.join("units");
    fs::create_dir_all(&folder).with_context(|| format!("could not make `{}`", folder.display()))?;
    Ok(folder)
}

/// The name of the variable that hands the folder to [`stand_in`].
pub(crate) const fn variable() -> &'static str {
    FOLDER
}

/// Whether this process was started in rustc's place: the first argument is the compiler that was wanted.
pub(crate) fn is_stand_in(args: &[String]) -> bool {
    sh::variable(FOLDER).is_some()
        && args.first().is_some_and(|first| Path::new(first).file_stem() == Some("rustc".as_ref()))
}

/// Notes how a package is compiled and becomes the compiler; clippy's lies beside rustc.
pub(crate) fn stand_in(args: &[String]) -> Result<()> {
    let rustc = Path::new(args.first().context("no compiler was named")?);
    if let (Some(folder), Some(name)) = (sh::variable(FOLDER), documented_name(args)) {
        let variables =
            sh::variables().filter(|(name, _)| VARIABLES.iter().any(|begin| name.starts_with(begin)));
        let unit = Unit { args: args.get(1..).unwrap_or_default().to_vec(), variables: variables.collect() };
        let file = Path::new(&folder).join(format!("{name}.json"));
        fs::write(&file, serde_json::to_string(&unit)?)
            .with_context(|| format!("could not write `{}`", file.display()))?;
    }
    let Some(folder) = sh::variable(FOLDER) else { bail!("`{FOLDER}` is not set") };
    let compiler = if documented_name(args).is_some() {
        // The same sources are compiled once more as a test, with everything in them: lints look at them there.
        Cmd::here(rustc).args(args.iter().skip(1)).args(["--cap-lints", "warn"])
    } else {
        Cmd::here(rustc.with_file_name(format!("clippy-driver{}", std::env::consts::EXE_SUFFIX))).args(args)
    };
    let Some(call) = Call::of(args, &names(Path::new(&folder)))? else { return compiler.become_silently() };
    if call.restore()? {
        return Ok(());
    }
    std::process::exit(call.make(compiler)?)
}

/// Where calls are named, for those that build on them.
fn names(folder: &Path) -> PathBuf {
    folder.join("names")
}

/// The name of the note, for a library or program that is documented.
fn documented_name(args: &[String]) -> Option<String> {
    let source = args.iter().find(|arg| arg.ends_with(".rs"))?;
    let is_left_out =
        args.iter().any(|arg| arg == "--test") || UNDOCUMENTED.iter().any(|part| source.contains(part));
    (!is_left_out).then_some(())?;
    Some(format!("{}-{}", value(args, "--crate-name")?, value(args, "--crate-type")?))
}

/// Lets rustdoc read every library and program that was compiled, warnings denied; how many.
#[expect(clippy::disallowed_methods, reason = "the workshop builds before homard-runtime does")]
pub(crate) fn document() -> Result<usize> {
    let out = workspace::scratch()?.join("doc");
    let mut files =
        fs::read_dir(folder()?)?.map(|entry| Ok(entry?.path())).collect::<Result<VecDeque<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    let (count, files) = (files.len(), Mutex::new(files));
    let broken = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..machine::cores() {
            scope.spawn(|| {
                while let Some(file) = files.lock().ok().and_then(|mut files| files.pop_front()) {
                    if let (Err(error), Ok(mut broken)) = (document_one(&file, &out), broken.lock()) {
                        broken.push(format!("{error:#}"));
                    }
                }
            });
        }
    });
    let broken = broken.into_inner().unwrap_or_default();
    broken.iter().for_each(|error| say(error));
    match broken.len() {
        0 => Ok(count),
        failed => bail!("{failed} of {count} packages do not document"),
    }
}

fn document_one(file: &Path, out: &Path) -> Result<()> {
    // Calls of rustdoc that write into one folder wait for each other.
    let out = out.join(file.file_stem().unwrap_or_default());
    let unit: Unit = serde_json::from_str(&fs::read_to_string(file)?)
        .with_context(|| format!("`{}` is not a note of ours", file.display()))?;
    let source = unit.args.iter().find(|arg| arg.ends_with(".rs")).context("no source was compiled")?;
    // What was documented before under the same name says the same again.
    let done = match unit_cache::name_of(&names(&folder()?), &unit.args) {
        Some(name) => Some(machine::cache("documented")?.join(name)),
        None => None,
    };
    if done.as_deref().is_some_and(Path::exists) {
        return Ok(());
    }
    let mut rustdoc = Cmd::new("rustdoc", &[source.as_str()])
        .args(shared(&unit.args))
        .args(["--document-private-items", "-Arustdoc::private_intra_doc_links", "-Dwarnings", "--out-dir"])
        .args([out]);
    // The call that was noted shared its cores with others; this one cannot.
    for (name, value) in unit.variables.iter().filter(|(name, _)| name != "CARGO_MAKEFLAGS") {
        rustdoc = rustdoc.env(name, value);
    }
    let ran = rustdoc.quiet()?;
    if !ran.ok {
        bail!("rustdoc over `{source}`:\n{}", ran.text);
    }
    if let Some(done) = done {
        fs::write(&done, []).with_context(|| format!("could not write `{}`", done.display()))?;
    }
    Ok(())
}

/// The options rustdoc shares with the compiler.
fn shared(args: &[String]) -> Vec<&str> {
    let mut shared = Vec::new();
    let mut args = args.iter().map(String::as_str);
    while let Some(arg) = args.next() {
        if SHARED.contains(&arg) {
            shared.extend([Some(arg), args.next()].into_iter().flatten());
        } else if SHARED
            .iter()
            .any(|option| arg.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
        {
            shared.push(arg);
        }
    }
    shared
}

#[cfg(test)]
mod tests;
