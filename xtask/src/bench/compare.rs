//! `cargo xtask bench --compare REV`: the program as it was at another commit, built once and kept.
//!
//! Only the program itself is built there. The measuring programs are today's, so that both builds are measured alike,
//! and so is the page, if it is built: what is compared is the Rust program.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::serve::binary;
use crate::sh::{Cmd, say};
use crate::workspace::{self, root};

/// The commit to compare with and the arguments left over, if a comparison is asked for.
pub(super) fn asked(args: &[String]) -> Result<Option<(String, Vec<&String>)>> {
    let Some(at) = args.iter().position(|arg| arg == "--compare") else { return Ok(None) };
    let rev = args.get(at + 1).context("`--compare` wants a commit: `cargo xtask bench --compare HEAD~1`")?;
    let rest = args.iter().enumerate().filter(|(n, arg)| *n != at && *n != at + 1 && *arg != "--");
    Ok(Some((rev.clone(), rest.map(|(_, arg)| arg).collect())))
}

/// The release build of a commit: made in a work tree of its own the first time, found there afterwards.
pub(super) fn build(rev: &str) -> Result<PathBuf> {
    let commit = Cmd::new("git", &["rev-parse", "--verify", "--quiet", &format!("{rev}^{{commit}}")]).read();
    let commit = commit.with_context(|| format!("`{rev}` is no commit of this repository"))?;
    let commit = commit.trim();
    let place = workspace::target()?.join("xtask").join("compare");
    let program = place.join(format!("homard-{commit}"));
    if program.is_file() {
        return Ok(program);
    }
    say(&format!("building {commit} for comparison, once; this takes as long as a release build"));
    let tree = place.join("tree");
    fs::create_dir_all(&place).with_context(|| format!("could not make `{}`", place.display()))?;
    if tree.is_dir() {
        Cmd::new("git", &["checkout", "--quiet", "--force", "--detach", commit]).dir(&tree).run()?;
    } else {
        let path = tree.to_str().context("the path of this clone is not UTF-8")?;
        Cmd::new("git", &["worktree", "prune"]).run()?;
        Cmd::new("git", &["worktree", "add", "--quiet", "--force", "--detach", path, commit]).run()?;
    }
    let page = root().join("web").join("dist");
    if page.is_dir() {
        Cmd::new("cp", &["-r"]).args([page.as_os_str(), tree.join("web").as_os_str()]).run()?;
    }
    let target = place.join("target");
    Cmd::new("cargo", &["build", "--release", "-p", "homard"])
        .dir(&tree)
        .env("CARGO_TARGET_DIR", &target)
        .run()?;
    let built = target.join("release").join(binary("homard"));
    fs::copy(&built, &program).with_context(|| format!("could not copy `{}`", built.display()))?;
    Ok(program)
}
